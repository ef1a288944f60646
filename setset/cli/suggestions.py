"""What a mistyped command or option may have meant."""

from __future__ import annotations

from collections.abc import Iterable

import click


class SuggestingGroup(click.Group):
    """Names the commands that one which does not exist is like."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0]
        if not ctx.resilient_parsing and not word.startswith("-") and self.get_command(ctx, word) is None:
            # Older versions of click say nothing, newer ones know only commands that are loaded.
            known = self.list_commands(ctx)
            raise click.UsageError(f"No such command {word!r}.{_suggest(word, known)}", ctx)
        return super().resolve_command(ctx, args)


def refuse_options(words: Iterable[str]) -> None:
    """Refuses what looks like an option where click takes everything that begins with - for an argument."""
    for word in words:
        if word.startswith("--"):
            ctx = click.get_current_context()
            known = [name for parameter in ctx.command.get_params(ctx) for name in parameter.opts]
            raise click.UsageError(f"No such option {word!r}.{_suggest(word, known)}", ctx)


def _suggest(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    alike = get_close_matches(word, list(known), n=1)
    return f" Did you mean {alike[0]!r}?" if alike else ""
