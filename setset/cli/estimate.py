"""`setset estimate`"""

from pathlib import Path

import click

from setset.cli import options


@click.command()
@options.size(required=True, help="The size that a run would build.")
@options.target
@options.prune
@options.store
@options.count
@options.via
@options.workers
@click.option("--count-only", is_flag=True, help="Estimate a count without files.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, 3600),
    default=4.0,
    show_default=True,
    help="Time to probe for, if a number of lists is unknown.",
)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="Random seed; the same seed gives the same probes.")
@click.option("--price", type=click.FloatRange(0), help="Price per core-hour.")
@options.batch_lists
@options.first
@options.output
@options.wide
@options.as_json
@options.workspace
def command(
    size: int,
    target: int | None,
    prune: bool,
    store: tuple[int, ...],
    count: tuple[int, ...],
    via: int | None,
    workers: int | None,
    count_only: bool,
    seconds: float,
    seed: int | None,
    price: float | None,
    batch_lists: int | None,
    first: int,
    output: Path | None,
    wide: bool,
    as_json: bool,
    workspace: Path,
) -> None:
    """Estimate a run: lists, files, bytes, time and disk. Writes nothing.

    Known numbers of lists are exact. Random probing estimates the others, with their standard error: in 19 of 20 cases
    the true number is within two standard errors. Speed comes from the records of this workspace and from a
    measurement of some seconds.

    \b
    Examples:
      setset estimate 9
      setset estimate 10 --target 14 --seconds 20
      setset estimate 12 --count-only --workers 200 --price 0.04
      setset estimate 18 --target 18 --store 18
    """
    import setset
    from setset.show.estimates import print_estimate

    with setset.open(workspace, mode="a") as opened:
        estimate = opened.exploration(target).estimate(
            size,
            workers=workers,
            count_only=count_only,
            prune=prune,
            store=store,
            count=count,
            via=via,
            seconds=seconds,
            seed=seed,
            output=output,
            batch_lists=batch_lists,
            first=first,
        )
    print_estimate(estimate, price, as_json, wide)
