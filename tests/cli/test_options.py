"""`--workspace`, which most commands share, and options that go with each other or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Refuse
from tests.commands import run_here
from tests.conftest import Run

HAND = ["80", "3", "14", "40", "5"]


@pytest.mark.parametrize(
    "command", [["status"], ["count"], ["check"], ["repair"], ["lists", "--size", "5"], ["sql"], ["db", "upgrade"]]
)
def test_what_is_no_workspace(tmp_path: Path, command: list[str]) -> None:
    result = run_here(*command, workspace=tmp_path / "nothing")
    assert result.returncode == 10
    assert result.stderr.startswith("setset: no workspace at ")
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["classify", *HAND],
        ["rank", *HAND],
        ["unrank", "--size", "17", "100000000000"],
        ["members", "--class", "13/2000"],
        ["sample", "--size", "16", "--count", "3", "--seed", "1"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_needs_no_workspace_looks_at_none(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "setset.db").write_bytes(b"not a database")
    code, out, err = run(*arguments, "-w", str(tmp_path))
    assert (code, err) == (0, "")
    assert out == run(*arguments)[1] != ""


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("lists --size 4 --all --limit 3", "--limit cannot be combined with --all"),
        ("members --class 4/0 --all --limit 3", "--limit cannot be combined with --all"),
        ("classes list --size 4 --all --limit 3", "--limit cannot be combined with --all"),
        ("classify --file - --wide", "--wide is for one hand"),
        ("draw 0 1 --scale 3", "--scale needs a PNG picture"),
        ("draw 0 1 --scale 3 -o a.svg", "--scale needs a PNG picture"),
        ("draw 0 1 --seed 3", "give cards, or --deal with --seed, not both"),
        ("find 0 1 --seed 3", "give cards, or --deal with --seed, not both"),
        ("plot odds --games 5", "--games is only for the chart rounds"),
        ("plot odds --seed 5", "--seed is only for the chart rounds"),
        ("plot rounds --target 12", "--target is only for the chart bytes"),
        ("plot rounds --size 5", "--size is only for the chart bytes"),
        ("plot --format svg", "--format needs the NAME of a chart"),
        ("plot -o a.svg", "--output needs the NAME of a chart"),
        ("play --policy first", "--policy needs --auto"),
        ("play --json", "--json needs --auto"),
        ("play --auto --player a", "--player cannot be combined with --auto"),
        ("play --auto --no-record", "--no-record cannot be combined with --auto"),
        ("sql --timeout 3", "--timeout needs a query"),
        ("repair --size 4 --batch 0 --deep", "--deep cannot be combined with --batch"),
        ("repair --target 12", "--target needs --batch"),
        ("run --size 4 --ship", "--map and --ship need --executor dask"),
        ("export lists --size 4 -o a.csv --row-group-size 9", "--row-group-size is only for --format parquet"),
        ("export lists --size 4 -o - --format csv --overwrite", "--overwrite cannot be combined with -o -"),
        ("export lists --size 4 -o - --format csv --dry-run", "--dry-run cannot be combined with -o -"),
    ],
)
def test_an_option_that_would_have_no_effect_is_refused(refuse: Refuse, line: str, complaint: str) -> None:
    refuse(line.split(), complaint)
