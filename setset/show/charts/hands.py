"""The chart `hands`: all hands of a size by their number of sets."""

from setset.distribution.counts import hands as known_hands
from setset.show.charts.style import BLUE, Chart, altair, finish, table
from setset.show.formatting import number


def hands(size: int = 12) -> Chart:
    """Exact number of hands of a size for each number of sets in the hand.

    Args:
        size: Number of cards, 0 to 17 or 64 to 81.
    """
    distribution = known_hands(size)
    rows = [
        {"sets": sets, "hands": str(count), "percent": 100 * float(distribution.chance(sets))}
        for sets, count in enumerate(distribution.counts)
        if count
    ]
    alt = altair()
    base = alt.Chart(table(rows)).encode(
        x=alt.X("sets:O").title("sets in the hand").axis(labelAngle=0),
        y=alt.Y("percent:Q").title("% of all hands"),
        tooltip=["sets:O", "hands:N", "percent:Q"],
    )
    chart = base.mark_bar(color=BLUE)
    notes = [
        f"Mean {float(distribution.mean):.3f} sets, maximum {distribution.most} sets"
        f" in {number(distribution.counts[-1])} hands."
    ]
    return finish(
        chart,
        f"The {number(distribution.hands)} hands of {size} cards by number of sets",
        notes,
        f"setset hands {size}",
    )
