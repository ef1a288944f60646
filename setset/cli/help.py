"""`setset help`"""

import click


@click.command("help")
@click.argument("words", nargs=-1, metavar="[all | COMMAND...]")
@click.pass_context
def command(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Describe all commands by group, or one command.

    \b
    Examples:
      setset help
      setset help all
      setset help classes list
    """
    from setset.cli import cli
    from setset.cli.groups import GROUPS, suggest, write_commands

    parent = ctx.find_root()
    if words in ((), ("all",)):
        formatter = parent.make_formatter()
        write_commands(formatter, GROUPS)
        click.echo(formatter.getvalue().strip() if words else cli.get_help(parent))
        return
    current: click.Command = cli
    for word in words:
        names = current.list_commands(parent) if isinstance(current, click.Group) else []
        below = current.get_command(parent, word) if isinstance(current, click.Group) else None
        if below is None:
            raise click.UsageError(f"No such command {' '.join(words)!r}.{suggest(word, names)}", ctx)
        current, parent = below, click.Context(below, parent, info_name=word)
    click.echo(current.get_help(parent))
