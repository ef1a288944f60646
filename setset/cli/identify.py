"""`setset identify`: the sets of a hand or, if it has none, its class and rarity."""

import click

from setset.cli import options


@click.command("identify", context_settings=options.NEGATIVE_NUMBERS_ARE_ARGUMENTS)
@options.cards
@options.deal_instead
@options.seed
@options.dimension
@options.wide
@options.as_json
def command(
    cards: tuple[str, ...], count: int | None, seed: int | None, dimension: int, wide: bool, as_json: bool
) -> None:
    """Identify CARDS (numbers 0 to 80, names or codes): find their sets or, if they have none, their class and rarity.

    For many hands, and for programs, use 'setset classify'.

    \b
    Examples:
      setset identify r1fd g2hs p1eo
      setset identify --deal 12
      setset identify "red one solid diamond, two green striped squiggles"
    """
    import setset
    from setset.show.identity import show_identity

    options.refuse_options(cards)
    chosen, deal_seed = options.named_or_dealt(cards, count, seed, dimension)
    show_identity(setset.identify(chosen, dimension), deal_seed, as_json, wide)
