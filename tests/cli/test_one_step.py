"""One step to each answer: odds, identify, lists without files, bare run, and commands that can be pasted."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import setset
from tests.cli.conftest import SETSET
from tests.commands import run_here
from tests.conftest import Run
from tests.terminal import plain, read_terminal

ROOT = Path(__file__).parents[2]


def test_odds_are_exact_for_random_hands_and_known_in_play(run: Run) -> None:
    code, out, _ = run("odds")
    assert code == 0
    assert len(out.splitlines()) == 5
    assert "12 cards: no set in 3.23 % of random hands, 1 in 31.0" in out
    assert "30.0:1 (the rulebook says 33:1)" in out
    assert "2,741:1 (the rulebook says 2,500:1)" in run("odds", "15")[1]
    assert "always a set" in run("odds", "21")[1]
    odds = json.loads(run("odds", "--json")[1])
    assert odds["lists"] == 2_284_535_476_080
    assert odds["chance"] == json.loads(run("classes", "--size", "12", "--json")[1])[0]["chance"]


def test_a_simulation_ends_with_its_answer(run: Run) -> None:
    _, out, _ = run("simulate", "--games", "2000", "--seed", "1")
    twelve, fifteen = out.splitlines()[-2:]
    assert twelve.startswith("12 cards without a set: 1 in ")
    assert twelve.endswith("the rulebook says 33:1")
    assert fifteen.endswith("the rulebook says 2,500:1")


def test_identify_says_how_rare_a_hand_is(run: Run) -> None:
    code, out, _ = run("identify", *["1", "10", "15", "18", "20", "27", "38", "60", "61", "65", "69", "70"])
    assert code == 0
    facts = dict(line.split("  ", 1) for line in out.splitlines()[13:])
    assert facts["class"].strip() == "12/892, 1 in 2,325 of the 2,284,535,476,080 lists of 12 cards"
    larger_classes = sum(list_class.lists > 982_575_360 for list_class in setset.find_classes(12))
    assert facts["how rare"].strip().startswith(f"rank {larger_classes + 1:,} to ")
    assert "1 set among 3 cards" in run("identify", "r1fd", "g2hs", "p3eo")[1]
    deal = json.loads(run("identify", "--deal", "12", "--seed", "7", "--json")[1])
    assert [card["card"] for card in deal["cards"]] == list(setset.deal(12, seed=7))
    assert len(deal["sets"]) == 3


def test_lists_without_files_says_what_is_at_hand(run: Run) -> None:
    code, out, err = run("lists", "12")
    assert (code, out) == (10, "")
    commands = [line.split("  ")[1] for line in err.splitlines() if line.startswith("  setset ")]
    assert commands[0] == "setset lists 12 --from-classes"
    assert commands[-2:] == ["setset run 12 --store 12", "setset run 12 --count 12"]
    for command in commands[:4]:
        assert run(*shlex.split(command)[1:])[0] == 0


def test_a_bare_run_resumes_and_hints_can_be_pasted(tmp_path: Path) -> None:
    folder = str(tmp_path / "my caps")
    result = run_here("run", "4", "--target", "18", "-w", folder)
    assert result.returncode == 0, result.stderr
    following = result.stderr.splitlines()[-1].removeprefix("next: ").split(", or ")[0]
    assert following == f'setset lists 4 --target 18 -w "{folder}"'
    assert run_here(*shlex.split(following)[1:]).stdout.splitlines()[0] == "0 1 3 4"
    assert run_here("run", "3", "--target", "18", "-w", folder).stderr.startswith("nothing to do")
    rerun = run_here("run", "-w", folder)  # the run with nothing to do is not the last one
    assert rerun.stderr.splitlines()[:2] == [
        "resuming: run 4 --target 18",
        "nothing to do: all lists up to size 4 for target 18 exist already",
    ]
    assert setset.open(folder).runs(1)[0].command == f"setset run 4 --target 18 -w '{folder}'"


def test_one_exploration_needs_no_target(tmp_path: Path) -> None:
    workspace = tmp_path / "w"
    run_here("run", "3", "--target", "18", "-q", workspace=workspace)
    assert run_here("lists", "3", "--limit", "1", workspace=workspace).stdout == "0 1 3\n"
    run_here("run", "3", "--target", "17", "-q", workspace=workspace)
    result = run_here("lists", "3", workspace=workspace)
    assert result.returncode == 2
    assert "this workspace has the targets 17 and 18: name one, such as --target 17" in result.stderr


def test_settings_of_a_workspace_are_defaults_of_options(tmp_path: Path) -> None:
    workspace, settings = tmp_path / "w", tmp_path / "w" / "setset.toml"
    workspace.mkdir()
    settings.write_text('target = 18\noutput = "../nas"\nworkers = 1\n')
    result = run_here("run", "3", workspace=workspace)
    assert (result.returncode, [path.name for path in (tmp_path / "nas").glob("t*")]) == (0, ["t18"]), result.stderr
    assert [run.workers for run in setset.open(workspace).runs()] == [1]
    assert run_here("run", "3", "--target", "17", "--output", str(tmp_path / "x"), workspace=workspace).returncode == 0
    assert [path.name for path in (tmp_path / "x").glob("t*")] == ["t17"]
    assert run_here("lists", "3", "--limit", "1", workspace=workspace).stdout == "0 1 3\n"  # of two targets
    output = run_here("doctor", "--json", workspace=workspace).stdout
    assert json.loads(output)["settings"] == f"target 18, output {workspace / '../nas'}, workers 1"
    for text, message in (
        *(("target = ", "is not TOML: "), ("size = 3", "not size = 3"), ("workers = '2'", "not w")),
        *(("a = " + "[" * 10_000, "is not TOML: "), ("#" * 100_000, "has 100,000 bytes")),
        *(('output = ""', "not output = ''"), ('output = "a\\u0000"', "not output = 'a\\x00'")),
    ):
        settings.write_text(text)
        failure = run_here("run", "3", workspace=workspace)
        assert (failure.returncode, message in failure.stderr) == (2, True), failure.stderr
    assert run_here("doctor", workspace=workspace).returncode == 1


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("deal 3 --seed 1", "deal --cards 3 --seed 1"),
        ("sample 5 --seed 1", "sample --size 5 --seed 1"),
        ("unrank 12 99", "unrank --size 12 99"),
        ("members 12/786 --limit 2", "members --class 12/786 --limit 2"),
        ("classes list 7", "classes list --size 7"),
        ("sat solve 4 --json", "sat solve --cards 4 --json"),
    ],
)
def test_the_number_of_cards_is_the_first_argument(run: Run, new: str, old: str) -> None:
    (code, out, _), (_, old_out, _) = run(*new.split()), run(*old.split())
    assert code == 0
    outputs = [json.loads(text) if "--json" in new else text for text in (out, old_out)]
    for output in outputs:
        if isinstance(output, dict):
            del output["cpu_seconds"]
    assert outputs[0] == outputs[1]
    assert out


def test_two_numbers_of_cards_are_refused(run: Run) -> None:
    code, _, err = run("sample", "5", "--size", "6")
    assert (code, err) == (2, "setset: give the number of cards once: 5 or --size 6\n")


@pytest.mark.posix("needs a terminal of POSIX")
def test_help_fits_a_terminal_of_24_rows(tmp_path: Path) -> None:
    output = plain(read_terminal([*SETSET, "--help"], tmp_path))
    assert len(output.splitlines()) < 24
    assert max(map(len, output.splitlines())) <= 80
    assert run_here("help", "all").stdout.count("\n") > 40


def test_help_version_and_subcommands(run: Run) -> None:
    assert run("-V")[1].startswith("setset, version ")
    assert run("help")[1] == run("--help")[1]
    assert run("help", "classes", "list")[1].startswith("Usage: setset classes list ")
    for words, suggestion in ((["roots", "mvoe"], "move"), (["export", "lsts"], "lists"), (["sat", "solv"], "solve")):
        assert run(*words)[2].endswith(f"Did you mean {suggestion!r}?\n")
    assert "sizes, list" not in run("help", "all")[1]


def test_doctor_and_completion(run: Run, workspace: Path) -> None:
    code, out, _ = run("doctor", "-w", str(workspace))
    assert code == 0
    assert [line.split("  ")[0] for line in out.splitlines()][:4] == [
        "workspace",
        "schema",
        "storage root 1",
        "settings",
    ]
    for shell in ("bash", "zsh", "fish"):
        assert "_SETSET_COMPLETE" in run("completion", shell)[1]


@pytest.mark.posix("needs bash")
def test_classes_and_charts_complete() -> None:
    def complete(*words: str) -> list[str]:
        environment = {"_SETSET_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["setset", *words])}
        result = subprocess.run(
            [sys.executable, "-c", "import sys; sys.argv[0] = 'setset'; from setset.cli import main; main()"],
            env={**environment, "COMP_CWORD": str(len(words))},
            capture_output=True,
            text=True,
            check=False,
        )
        return [line.partition(",")[2] for line in result.stdout.splitlines()]

    assert complete("plot", "ne") == ["neighbours"]
    assert complete("members", "18/1") == ["18/1", *(f"18/{number}" for number in range(10, 20))]


@pytest.mark.posix("needs a terminal of POSIX")
def test_tools_setset_offers_an_extra_and_never_for_help(tmp_path: Path) -> None:
    """In a copy of the tools whose program lacks an extra."""
    clone = tmp_path / "my clone"
    (clone / ".venv" / "bin").mkdir(parents=True)
    shutil.copytree(ROOT / "tools", clone / "tools", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", clone)
    (clone / ".venv" / "bin" / "python").symlink_to(sys.executable)
    program = clone / ".venv" / "bin" / "setset"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "sys.modules['pysat'] = None\nfrom setset.cli import main\nmain()\n"
    )
    program.chmod(0o755)
    checksum = subprocess.run(["cksum"], stdin=(clone / "pyproject.toml").open(), capture_output=True, text=True)
    (clone / ".venv" / "installed-").write_text(f" {checksum.stdout}".rstrip("\n"))
    tool = str(clone / "tools" / "setset")
    piped = subprocess.run([tool, "sat", "solve", "5"], capture_output=True, text=True, check=False)
    assert piped.returncode == 14
    assert piped.stderr.endswith(f'needs an extra: run "{tool}" --with sat sat solve 5\n')
    help_text = plain(read_terminal([tool, "sat", "solve", "--help"], tmp_path))
    assert "install it" not in help_text
    assert f'"{tool}" sat solve 20' in " ".join(help_text.split())
    question = plain(read_terminal([tool, "sat", "solve", "5"], tmp_path, typed="n\n"))
    assert "needs the extra setset[sat]: install it into .venv? [Y/n]" in question
