"""`setset estimate`"""

import sys
from pathlib import Path
from typing import Any

import click

from setset.cli import options


@click.command()
@options.size("Size to estimate", required=True)
@options.target
@options.plan
@click.option(
    "--seconds",
    type=click.FloatRange(0, 3600),
    default=4.0,
    show_default=True,
    help="Seconds of probing, if a number of lists is unknown.",
)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="Random seed; the same seed gives the same probes.")
@click.option("--price", type=click.FloatRange(0), help="Price per core-hour.")
@options.wide
@options.as_json
@options.workspace
def command(
    size: int,
    target: int | None,
    plan: dict[str, Any],
    seconds: float,
    seed: int | None,
    price: float | None,
    wide: bool,
    as_json: bool,
    workspace: Path,
) -> None:
    """Estimate a run: lists, files, bytes, time and disk. Writes nothing.

    Known numbers of lists are exact. Random probing, which follows random lists from size to size, estimates the other
    numbers, with a standard error: in 19 of 20 cases the true number is within two standard errors. The speed comes
    from the finished work of this workspace and from a measurement of some seconds.

    \b
    Examples:
      setset estimate 9
      setset estimate 10 --target 14 --seconds 20
      setset estimate 12 --count-only --workers 200 --price 0.04
      setset estimate 18 --target 18 --store 18
    """
    import setset
    from setset.show.estimates import print_estimate

    if sys.stderr is not None and sys.stderr.isatty():
        click.echo("measuring the speed (seconds; the first time a minute)", err=True)
    with setset.open(workspace, mode="a") as opened:
        estimate = opened.exploration(target).estimate(size, **plan, seconds=seconds, seed=seed)
    print_estimate(estimate, price, as_json, wide)
