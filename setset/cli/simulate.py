"""`setset simulate`: the odds of a table without a set, by simulated games."""

import click

from setset.cli import options


@click.command("simulate")
@click.option("--games", type=click.IntRange(1, 10**12), default=100_000, show_default=True, help="Number of games.")
@options.seed
@click.option(
    "--policy",
    type=click.Choice(["random", "first"]),
    default="random",
    show_default=True,
    help="Choice among several sets: a random set, or the first on the table.",
)
@click.option(
    "--workers", type=click.IntRange(1, 1024), default=1, show_default=True, help="Number of worker processes."
)
@options.as_json
def command(games: int, seed: int | None, policy: str, workers: int, as_json: bool) -> None:
    """Simulate many games, and count tables and random hands without a set, with standard errors.

    The result depends on the games, the seed and the policy, not on the number of workers.

    \b
    Example:
      setset simulate --games 1000000 --seed 7
    """
    from setset.show import odds
    from setset.table import Policy, new_seed, simulate

    chosen = new_seed() if seed is None else seed
    with odds.progress(games) as progress:
        simulation = simulate(games, chosen, Policy(policy), workers, progress)
    odds.show_simulation(simulation, as_json)
