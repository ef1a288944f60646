"""`setset serve`: the web page, served on this machine."""

from pathlib import Path

import click

from setset.cli import options

LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8081, show_default=True, help="Port; 0 for any free port."
)
@click.option(
    "--allow-host",
    "allowed",
    multiple=True,
    help="Host name in the URL of the page, besides localhost; may be repeated.",
)
@click.option("--token", help="Secret that visitors need, for machines with other users; 'random' for a new one.")
@click.option("--open", "open_browser", is_flag=True, help="Open the page in the browser.")
@options.workspace
def command(
    host: str, port: int, allowed: tuple[str, ...], token: str | None, open_browser: bool, workspace: Path
) -> None:
    """Serve a web page on this machine: watch a run, browse the classes, identify hands, play. Ctrl-C ends the server.

    Works without a workspace too. The page is read-only and reads only files of the workspace. Needs the extra
    'setset[web]'.

    \b
    Examples:
      setset serve --open
      setset serve -w caps --port 9000 --token random
      setset serve --host 0.0.0.0 --allow-host caps.example.org --token random
    """
    import secrets
    from urllib.parse import quote

    from setset.errors import BadInput, require_extra

    is_local = host in ("127.0.0.1", "localhost", "::1")
    if not is_local and not allowed:
        raise BadInput(f"--host {host} needs --allow-host NAME, the host name in the address of the page")
    if token is not None and not token.strip():
        raise BadInput("--token is empty: give a secret word, or 'random'")
    with require_extra("web", "the page"):
        from setset.web.server import listen, serve
        from setset.web.site import Site
    secret = secrets.token_urlsafe(18) if token == "random" else token  # noqa: S105 (the word of an option)
    listening = listen(host, port)
    name = allowed[0] if allowed and not is_local else f"[{host}]" if ":" in host else host
    address = f"http://{name}:{listening.getsockname()[1]}/" + (f"?token={quote(secret)}" if secret else "")
    click.echo(f"setset serves at {address}")
    if not is_local:
        warning = f"anyone on the network of {host} can read the workspace, unencrypted: add --token to restrict access"
        if secret:
            warning = f"anyone on the network of {host} with the token can read the workspace, unencrypted"
        click.echo(warning, err=True)
    click.echo("Ctrl-C ends the server", err=True)
    hosts = frozenset(name.lower() for name in (*LOCAL_NAMES, *allowed))
    serve(Site(workspace, hosts, secret), listening, address, open_browser)
