"""`setset completion`"""

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print a script that completes commands, options, charts, solvers and classes in a shell.

    \b
    Examples:
      setset completion bash      in ~/.bashrc:  eval "$(setset completion bash)"
      setset completion zsh       in ~/.zshrc:   eval "$(setset completion zsh)"
      setset completion fish      setset completion fish | source
    """
    from click.shell_completion import get_completion_class

    from setset.cli import cli

    kind = get_completion_class(shell)
    assert kind is not None, shell
    click.echo(kind(cli, {}, "setset", "_SETSET_COMPLETE").source())
