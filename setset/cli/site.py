"""`setset site`: the web page as static files for any web host."""

from pathlib import Path

import click

from setset.cli import options


@click.command()
@click.argument("output", type=click.Path(path_type=Path, file_okay=False))
@click.option("--url", required=True, help="Public URL of the site.")
@click.option(
    "--docs",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder with the documentation built by tools/docs.",
)
@options.quiet
def command(output: Path, url: str, docs: Path | None, quiet: bool) -> None:
    """Write the web page as static files for any web host. Needs no server and no workspace.

    The site has all 9,908 classes with their JSON, the gallery, identify and play in the browser, counts and charts.
    OUTPUT is a new or empty folder. Needs the extra 'setset[web]', charts also 'setset[plot]'.

    \b
    Examples:
      setset site public --url https://caps.example.org/
      tools/docs build/docs && setset site public --url https://me.github.io/setset/ --docs build/docs
    """
    from setset.errors import require_extra
    from setset.show.formatting import byte_count, how_many, print_line

    with require_extra("web", "the site"):
        from setset.web.static_site import build_site
    built = build_site(output, url, docs, lambda part: None if quiet else click.echo(f"writing {part}", err=True))
    size = byte_count(built.bytes)
    print_line(f"{output}: {how_many(built.pages, 'page')}, {how_many(built.files, 'file')}, {size}")
