"""The bars of a run, on a terminal of 80 columns."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.cli.screen import Screen

pytestmark = pytest.mark.posix("sends signals")
RUN = ("run", "7", "--target", "12", "--batch-lists", "4000000", "--workers", "2")
"""Dozens of tasks and some seconds in the last size, so that it is not over before it is stopped."""


def test_one_honest_bar_through_an_interruption_and_a_resumption(tmp_path: Path) -> None:
    first = Screen(*RUN, workspace=tmp_path / "w")
    first.wait_for("lists of 7")
    first.interrupt()
    assert first.wait() == 130
    assert not any("Start it?" in line for line in first.lines)
    percent = first.percent("all sizes")
    assert first.percent("lists of 3") == first.percent("lists of 6") == 100
    assert first.percent("lists of 7") <= percent < 100
    assert "left" in first.line("all sizes")

    second = Screen(*RUN, workspace=tmp_path / "w")
    second.wait_for("lists of 7")
    assert percent <= second.percent("all sizes") + 1
    assert not second.line("lists of 6")
    assert second.wait() == 0
    assert second.percent("all sizes") == second.percent("lists of 7") == 100
    # Nothing wraps, and nothing is left of what was drawn before.
    bars = [line for line in second.lines if " % " in f"{line} "]
    assert [line.split("  ")[0].split(" ━")[0].strip() for line in bars] == ["all sizes", "lists of 7"]
    after = second.lines[second.lines.index(bars[-1]) + 1 :]
    assert second.lines[second.lines.index(bars[0]) :][:2] == bars
    assert after[0].startswith("made ")


def test_a_run_with_nothing_to_do_shows_no_bar(own_workspace: Path) -> None:
    screen = Screen("run", "--size", "5", workspace=own_workspace)
    assert screen.wait() == 0
    assert not screen.line("all sizes")


def test_a_long_run_asks_first_and_takes_no_for_an_answer(tmp_path: Path) -> None:
    screen = Screen("run", "--size", "15", "--target", "6", "--workers", "2", workspace=tmp_path / "w")
    screen.wait_for("Start it? [y/N]:")
    text = " ".join(screen.lines)
    assert "sizes 3 to 15" in text
    assert "such as --store 6,15" in text
    screen.type("n\n")
    assert screen.wait() == 1
    assert "nothing was done" in screen.lines
    assert not (tmp_path / "w").exists()


def test_ctrl_c_is_an_answer_too(tmp_path: Path) -> None:
    screen = Screen("run", "--size", "15", "--workers", "2", workspace=tmp_path / "w")
    screen.wait_for("Start it? [y/N]:")
    screen.interrupt_until_it_ends()
    # An interrupt that comes while Python exits ends the process by the signal, which a shell shows as 130, too.
    assert screen.wait() in (130, -signal.SIGINT)
    assert not (tmp_path / "w").exists()


def test_yes_is_not_asked(tmp_path: Path) -> None:
    screen = Screen("run", "--size", "15", "--workers", "1", "--yes", workspace=tmp_path / "w")
    screen.wait_for("lists of 3")
    screen.interrupt()
    assert screen.wait() == 130
    assert not any("Start it?" in line for line in screen.lines)
