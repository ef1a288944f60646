"""A release: one version everywhere, notes, workflows with pinned actions."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import setset

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools" / "release.py"


def release(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(TOOL), *words], capture_output=True, text=True, check=False)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that name the version, cut for version 7.8.9."""
    (tmp_path / "setset").mkdir()
    (tmp_path / "setset" / "__init__.py").write_text('"""Doc."""\n__version__ = "7.8.9"\n')
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 7.8.9\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changes\n\n## 7.8.9 (2030-01-31)\n\nNew.\n\n- Fast.\n\n## 7.8.8\n\nOld\n")
    return tmp_path


def test_notes_of_a_release(checkout: Path) -> None:
    result = release("v7.8.9", "--root", str(checkout))
    assert (result.returncode, result.stdout, result.stderr) == (0, "New.\n\n- Fast.\n", "")


def test_a_version_that_is_not_cut_everywhere_is_refused(checkout: Path) -> None:
    (checkout / "CITATION.cff").write_text("version: 7.8.8\n")
    (checkout / "CHANGELOG.md").write_text("# Changes\n\n## Unreleased\n\nNew.\n")
    result = release("v7.8.9", "--root", str(checkout))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        "CITATION.cff: version 7.8.8, expected 7.8.9",
        "CHANGELOG.md: version missing, expected 7.8.9",
    ]


def test_the_page_on_pypi_has_absolute_links(checkout: Path) -> None:
    (checkout / "README.md").write_text("![Cards](docs/table.svg) [how](docs/truth.md), [x](https://example.org)\n")
    shutil.copy(ROOT / "pyproject.toml", checkout)
    assert release("v7.8.9", "--root", str(checkout), "--url", "https://example.org/o/setset").returncode == 0
    assert (checkout / "README.md").read_text() == (
        "![Cards](https://example.org/o/setset/raw/v7.8.9/docs/table.svg) "
        "[how](https://example.org/o/setset/blob/v7.8.9/docs/truth.md), [x](https://example.org)\n"
    )
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["urls"]["Source"] == "https://example.org/o/setset"
    assert project["scripts"] == {"setset": "setset.__main__:main"}


def test_package_citation_and_changelog_name_one_version() -> None:
    result = release(f"v{setset.__version__}")
    assert result.returncode == 0, result.stderr


def test_every_action_is_pinned_by_the_digest_of_a_commit_and_names_its_version() -> None:
    uses = re.findall(r"uses: (.*)", "".join(path.read_text() for path in (ROOT / ".github").rglob("*.yml")))
    assert len(uses) > 15
    assert [line for line in uses if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", line)] == []
    versions = {tuple(line.split("@")) for line in uses}
    assert len(versions) == len({action for action, _ in versions}), "one version per action"


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the checks need the files that only a checkout has")
def test_pre_commit_runs_the_checks_of_the_test_command() -> None:
    assert "entry: tools/gates" in (ROOT / ".pre-commit-config.yaml").read_text()
    assert "\ntools/gates\n" in (ROOT / "tools" / "test").read_text()
