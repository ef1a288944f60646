"""`setset deal` as a user meets it."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Run


def test_a_deal_can_be_had_again(run: Run) -> None:
    code, out, _ = run("deal", "--seed", "7", "--json")
    assert code == 0
    deal = json.loads(out)
    assert [card["card"] for card in deal["cards"]] == [71, 24, 27, 76, 22, 46, 77, 60, 14, 39, 23, 13]
    unseeded = json.loads(run("deal", "--cards", "5", "--json")[1])
    repeated = json.loads(run("deal", "--cards", "5", "--json", "--seed", str(unseeded["seed"]))[1])
    assert unseeded == repeated
    assert len(run("deal", "--cards", "15", "--seed", "1")[1].splitlines()) == 15


@pytest.mark.parametrize("arguments", [["--cards", "82"], ["--cards", "0"], ["--seed", "-1"]])
def test_options_out_of_range_are_refused(run: Run, arguments: list[str]) -> None:
    code, out, err = run("deal", *arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
