"""A chart of games: the odds of no set as a game goes on."""

from __future__ import annotations

from setset.show.charts.style import BLUE, HEIGHT, RED, SKY, WIDTH, Chart, altair, finish, table
from setset.show.formatting import number
from setset.table import Policy, Simulation, chance_without_set, estimate_rounds, simulate
from setset.table.game import TABLE

GAMES = 200_000
"""So that a standard error is some hundredth of the odds; two seconds."""


_TAKES = {Policy.RANDOM: "any set is taken", Policy.FIRST: "the first set is taken"}


def rounds(simulation: Simulation | None = None, games: int = GAMES, seed: int = 1) -> Chart:
    """The odds of no set among the 12 cards on the table in real games, by the number of sets taken.

    Args:
        simulation: What `setset.simulate` returned; else games are played now.
        games: How many, if they are played now.
        seed: Of these games.
    """
    played = simulation or simulate(games, seed)
    rows = []
    for each in estimate_rounds(played):
        against = each.at.odds
        if against is not None:  # a round that few games reach may have no table without a set
            rows.append(
                {
                    "taken": each.taken,
                    "tables": each.at.tables,
                    "without_set": each.at.without,
                    "chance": each.at.chance.value,
                    "chance_error": each.at.chance.error,
                    "odds": against.value,
                    "odds_error": against.error,
                    "low": max(against.value - 2 * against.error, 0),
                    "high": against.value + 2 * against.error,
                }
            )
    alt = altair()
    chance = chance_without_set(TABLE)
    exact = float((1 - chance) / chance)
    x = alt.X("taken:Q", title="sets taken before", axis=alt.Axis(tickMinStep=1, format="d"))
    y = alt.Y("odds:Q", title="tables with a set for each one without", scale=alt.Scale(zero=False))
    base = alt.Chart().encode(x=x)
    random = (
        alt.Chart()
        .transform_filter("datum.taken == 0")
        .mark_rule(color=RED, strokeDash=[5, 3])
        .encode(y=alt.datum(exact))
    )
    line = base.mark_line(color=SKY, strokeWidth=1).encode(y=y)
    errors = base.mark_rule(color=BLUE, strokeWidth=2).encode(y=alt.Y("low:Q"), y2="high:Q")
    points = base.mark_point(color=BLUE, filled=True, size=16, opacity=1).encode(
        y=y, tooltip=["taken:Q", "odds:Q", "odds_error:Q", alt.Tooltip("chance:Q", format=".3%"), "tables:Q"]
    )
    chart = alt.layer(random, line, errors, points, data=table(rows)).properties(width=WIDTH, height=HEIGHT)
    notes = [
        f"{TABLE} cards on the table, up to the last deal; bars: two standard errors each way.",
        f"Dashed: {exact:.2f} to 1, exact for {TABLE} random cards.",
    ]
    source = f"{number(played.games)} games, seed {played.seed}, {_TAKES[played.policy]}"
    return finish(chart, "Odds against no set on the table, as a game goes on", notes, source)
