"""The game for players at one terminal (`setset play`): draws the cards, reads what players call, shows the clock.

The rules are in `setset.table.game`; this module only prints and reads. It reads whole lines, so that the game also
works in a pipe, without colours and without the clock.
"""

import datetime
import json
import shutil
import string
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from setset import durable, platform
from setset.cards import code, name
from setset.errors import BadInput, SetsetError
from setset.show.cards.terminal import can_draw, print_cards
from setset.show.formatting import how_many, print_line, to_json
from setset.table.deck import Stream
from setset.table.game import Game, Verdict, call_none, call_set, new_game

LABELS: Final = string.ascii_lowercase[:21]
"""Labels of the cards on the table. 21 are enough, because 21 cards always hold a set."""
HELP: Final = """\
  afk     call the cards a, f and k a set: one point if they are a set, minus one if not
  none    call that there is no set: three more cards if this is right, minus one point if not
  hint    number of sets on the table; again: a card of a set; again: two cards of this set
  quit    end the game
  With several players begin with a name or number: '2 afk', 'ada none'."""


class Call(NamedTuple):
    """A parsed call of a player: the letters of three cards, or '' for the call `none`."""

    player: int
    letters: str


class Session:
    """One game at the terminal, from its first deal to its end."""

    def __init__(
        self,
        seed: int,
        players: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
        record_time: Callable[[float, Sequence[str]], str] | None = None,
        dimension: int = 4,
    ) -> None:
        self.players = _checked_names(players)
        self.seed = seed
        self.game = new_game(Stream(seed).shuffled(dimension), max(1, len(players)))
        self.message = "Type the letters of three cards, none, hint, help or quit."
        self.hints = 0
        self._hinted: tuple[tuple[int, ...], int] = ((), 0)
        self._record_time = record_time
        self._clock = clock
        self._start = clock()

    def play(self) -> None:
        """Plays until the game is over, somebody quits, or there is no more input."""
        interrupted = False
        while not self.game.over:
            fits = self._show()
            try:
                with _ticking(self.elapsed) if fits else nullcontext():
                    line = input("> ")
            except (EOFError, KeyboardInterrupt) as end:
                click.echo()
                interrupted = isinstance(end, KeyboardInterrupt)
                break
            if not self.answer(line):
                break
        self._show_end()
        if interrupted:
            raise KeyboardInterrupt  # gives the usual exit code of Ctrl-C

    def answer(self, line: str) -> bool:
        """Executes a line of input: a call, hint, help or quit. Returns whether the game goes on."""
        word = line.strip().lower()
        if word in ("quit", "q", "exit"):
            return False
        if word in ("hint", "h", "?"):
            self.message = self._hint()
        elif word == "help":
            self.message = HELP
        elif word:
            try:
                self._call(parse_call(word, self.players, len(self.game.table)))
            except BadInput as error:
                self.message = f"{error} (no point lost)"
        return True

    def elapsed(self) -> float:
        return self._clock() - self._start

    def _call(self, call: Call) -> None:
        cards = [self.game.table[LABELS.index(letter)] for letter in call.letters]
        verdict = call_set(self.game, call.player, cards) if cards else call_none(self.game, call.player)
        self.message = f"{clock_text(self.elapsed())}  " + self._verdict_text(call, cards, verdict)
        self.game = verdict.game

    def _verdict_text(self, call: Call, cards: Sequence[int], verdict: Verdict) -> str:
        player = f"{self.players[call.player]}: " if self.players else ""
        if not verdict.right:
            return f"{player}wrong, a point off. {verdict.reason[:1].upper()}{verdict.reason[1:]}."
        if cards:
            return f"{player}a set, a point. {', '.join(map(name, cards))}."
        return f"{player}right, there is no set. Three more cards."

    def _hint(self) -> str:
        """Returns the next hint. Each further hint for the same table reveals more."""
        table, hints = self._hinted
        hints = hints + 1 if table == self.game.table else 1
        self._hinted = (self.game.table, hints)
        self.hints += 1
        sets = self.game.sets
        if not sets or hints == 1:
            return f"There {'is' if len(sets) == 1 else 'are'} {how_many(len(sets), 'set')} on the table."
        shown = sets[0][: min(hints - 1, 2)]
        letters = " and ".join(LABELS[self.game.table.index(card)] for card in shown)
        return f"One of the sets has {letters}."

    def _show(self) -> bool:
        """Draws the table. Returns whether the drawing, with the clock above, fits the terminal."""
        if can_draw():
            click.clear()
        click.echo(f"{clock_text(self.elapsed())}   {self._standing()}")
        around = 2 + len(self.message.splitlines())
        height = shutil.get_terminal_size().lines
        used = print_cards(self.game.table, list(LABELS[: len(self.game.table)]), height - around)
        click.echo(self.message)
        return can_draw() and used + around <= height

    def _standing(self) -> str:
        names = self.players or ("score",)
        scores = [f"{player} {score}" for player, score in zip(names, self.game.scores, strict=True)]
        return f"round {self.game.round}   deck {len(self.game.deck)}   " + "   ".join(scores)

    def _show_end(self) -> None:
        game, taken = self.game, len(self.game.taken)
        if game.over:
            if can_draw():
                click.clear()
            click.echo(self.message)
            click.echo(f"The game is over: {how_many(len(game.table), 'card')} left, no set among them.")
        pace = f", {self.elapsed() / taken:.0f} s a set" if taken else ""
        click.echo(f"{clock_text(self.elapsed())}   {how_many(taken, 'set')}{pace}, {how_many(self.hints, 'hint')}")
        click.echo(f"{_result(game, self.players)}   seed {self.seed}")
        if game.over and not self.hints and self._record_time:
            print_line(self._record_time(self.elapsed(), self.players))
        if not game.over and game.sets:
            click.echo("A set still on the table: " + " ".join(map(code, game.sets[0])))


def parse_call(line: str, players: Sequence[str], cards: int) -> Call:
    """Parses a call of a player. Raises BadInput with a message that names the mistake."""
    words = line.lower().replace(",", " ").split()
    if not words:
        raise BadInput(f"not a call: {line!r}")
    player = 0
    if len(players) > 1:
        names = [player_name.lower().split() for player_name in players]
        named = max((parts for parts in names if words[: len(parts)] == parts), key=len, default=None)
        if named is not None:  # names are tried from the longest: 'Ada Lovelace' before 'Ada'
            player = names.index(named)
            words = words[len(named) :]
        elif words[0].isdecimal() and 0 < int(words[0]) <= len(players):
            player = int(words.pop(0)) - 1
        else:
            raise BadInput(f"the call names no player: begin with 1 to {len(players)} or a player's name")
    letters = "".join(words)
    if letters in ("none", "n", "-"):
        return Call(player, "")
    labels = LABELS[:cards]
    if len(letters) != 3 or len(set(letters)) != 3 or any(letter not in labels for letter in letters):
        raise BadInput(f"not a call: {line!r}; type three letters from a to {labels[-1]}, none, hint, help or quit")
    return Call(player, letters)


def clock_text(seconds: float) -> str:
    """Formats seconds as minutes and seconds, such as '2:05'."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _checked_names(players: Sequence[str]) -> tuple[str, ...]:
    names = [" ".join(player_name.split()) for player_name in players]
    for player_name in names:
        if not player_name or "," in player_name or player_name.split()[0].isdecimal():
            raise BadInput(f"not a player's name: {player_name!r} (use no commas, and do not begin with a number)")
    if len({player_name.lower() for player_name in names}) != len(names):
        raise BadInput("two players have the same name")
    return tuple(names)


def _result(game: Game, players: Sequence[str]) -> str:
    if len(players) < 2:
        return f"score {game.scores[0]}"
    best = max(game.scores)
    ranked = sorted(zip(game.scores, players, strict=True), key=lambda pair: -pair[0])
    winners = " and ".join(player for score, player in ranked if score == best)
    scores = ", ".join(f"{player} {score}" for score, player in ranked)
    return f"{scores}: {winners} {'won' if game.over else 'in the lead'}"


@contextmanager
def _ticking(elapsed: Callable[[], float]) -> Iterator[None]:
    """During the block, rewrites the clock in the upper left corner of the terminal each second, without moving the
    cursor."""
    done = threading.Event()

    def tick() -> None:
        while not done.wait(1):
            sys.stdout.write(f"\x1b7\x1b[1;1H{clock_text(elapsed())}\x1b8")
            sys.stdout.flush()

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def record_time(seconds: float, players: Sequence[str]) -> str:
    """Records the time of a finished game in the user's data folder, if the time is the best for this number of
    players. Returns a line to print: the best time, or the error if the time cannot be recorded."""
    try:
        return _record(platform.data_folder() / "best-times.json", seconds, players)
    except (OSError, RuntimeError, SetsetError, ValueError, KeyError, TypeError, AttributeError) as error:
        return f"the best time was not recorded: {error}"


def _record(path: Path, seconds: float, players: Sequence[str]) -> str:
    best = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    kind = str(max(1, len(players)))
    before = _spell(best[kind]) if kind in best else None
    if before is not None and best[kind]["seconds"] <= seconds:
        return f"best time {before}"
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    best[kind] = {"seconds": round(seconds, 1), "players": list(players), "day": today}
    durable.save(path, (to_json(best, indent=1) + "\n").encode())
    return "a new best time" + (f", before it was {before}" if before else "")


def _spell(entry: dict[str, Any]) -> str:
    """Formats a best time, such as '12:05 by Ada and Emmy on 2026-03-01'."""
    names = " and ".join(map(str, entry["players"]))
    return f"{clock_text(entry['seconds'])}{f' by {names}' if names else ''} on {entry['day']}"
