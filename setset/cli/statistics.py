"""`setset statistics`"""

from __future__ import annotations

import dataclasses
from contextlib import nullcontext
from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size("Size of the lists", required=True)
@click.option(
    "--by",
    multiple=True,
    type=click.Choice(["remaining", "lowest", "highest", "card", "feature", "class"]),
    show_default="all but class, which takes longer",
    help="Histogram to print; may be repeated.",
)
@click.option(
    "--plot",
    "output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for a chart, .svg, .png, .pdf, .html, .json or .csv (needs setset[plot]).",
)
@options.force
@options.workers
@options.from_classes
@options.target
@options.quiet
@options.wide
@options.as_json
@options.workspace
def command(
    size: int,
    by: tuple[str, ...],
    output: Path | None,
    force: bool,
    workers: int | None,
    from_classes: bool,
    target: int,
    quiet: bool,
    wide: bool,
    as_json: bool,
    workspace: Path,
) -> None:
    """Print histograms over all lists of a size, from files or computed.

    The histograms count lists by the number of remaining cards (cards above the highest card that can be added), by
    lowest and highest card, by each card, by the number of cards with a value such as red, and by class.

    \b
    Examples:
      setset statistics --size 6
      setset statistics --size 9 --by remaining --plot remaining.svg
      setset statistics --size 18 --from-classes --json
    """
    import setset
    from setset.show.charts.rendering import kind_of
    from setset.show.formatting import print_json
    from setset.show.progress import show_progress
    from setset.show.saving import require_free
    from setset.show.statistics import print_statistics

    if output is not None:
        kind_of(output)  # refuses a bad file name before the work begins
        require_free(output, force)
    if from_classes:
        options.refuse_given("{option} cannot be combined with --from-classes", "target", "workspace")
    with (
        nullcontext() if from_classes else setset.open(workspace) as opened,
        show_progress(quiet or as_json) as progress,
        setset.StopRequest().handling_signals() as stop,
    ):
        lists = setset.lists(size) if opened is None else opened.exploration(target)[size]
        chosen = by or [histogram for histogram in setset.By if histogram is not setset.By.CLASS]
        statistics = lists.statistics(chosen, workers=workers, progress=progress, stop=stop)
    if output is not None:
        setset.charts.save(setset.charts.statistics(statistics), output)
    if as_json:
        print_json(dataclasses.asdict(statistics))
    else:
        print_statistics(statistics, wide)
