"""`setset plot`: charts as files."""

from contextlib import nullcontext
from pathlib import Path

import click

from setset.cli import options


def _complete_names(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
    from setset.show.plots import PLOTS

    return [name for name in PLOTS if name.startswith(typed)]


@click.command("plot", context_settings=options.NEGATIVE_NUMBERS_ARE_ARGUMENTS)
@click.argument("name", required=False, shell_complete=_complete_names)
@click.argument("words", nargs=-1, metavar="[ARGUMENTS]...")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    show_default="NAME.svg, NAME-CLASS.svg for neighbours",
    help="Chart file: .svg, .png, .pdf, .html, .json (Vega-Lite) or .csv (data); - for standard output.",
)
@click.option("--format", "kind", help="Format svg, png, pdf, html, json or csv, for any file name.")
@click.option(
    "--games",
    type=click.IntRange(1, 10**12),
    default=200_000,
    show_default=True,
    help="Number of games in the chart `rounds`.",
)
@click.option(
    "--seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True, help="Random seed of the chart `rounds`."
)
@click.option(
    "--target", type=click.IntRange(4, 20), default=12, show_default=True, help="Target of the chart `bytes`."
)
@click.option("--size", type=click.IntRange(3, 20), help="Draw only this size in the chart `bytes`.")
@options.force
@options.workspace
@click.pass_context
def command(
    ctx: click.Context,
    /,
    name: str | None,
    words: tuple[str, ...],
    output: Path | None,
    kind: str | None,
    force: bool,
    workspace: Path,
    **settings: int | None,
) -> None:
    """Draw the chart NAME; without a name, list all charts. Needs the extra setset[plot].

    \b
    Examples:
      setset plot
      setset plot rounds --games 1000000 -o rounds.pdf
      setset plot neighbours 18/3
      setset plot cap 0 1 3 4 -o - --format csv
      tools/bench --quick --json | setset plot speed -
    """
    import setset
    from setset.show import plots

    for chart_name, plot in plots.PLOTS.items():
        if name != chart_name:
            options.refuse_given(f"{{option}} is only for the chart {chart_name}", *plot.options)
    if name is None:
        options.refuse_given("{option} needs the NAME of a chart", "output", "kind")
        plots.print_plots()
        return
    plot = plots.find_plot(name, words)
    path = output or plots.file_name(name, words, kind)
    chosen = plots.choose_kind(path, kind)
    named = ctx.get_parameter_source("workspace") is not click.core.ParameterSource.DEFAULT
    with setset.open(workspace) if plot.opens(workspace, named) else nullcontext() as opened:
        chart = plot.make(words, settings, opened)
    plots.write_plot(chart, path, chosen, force)
