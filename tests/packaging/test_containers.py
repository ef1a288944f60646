"""The image and the compose file: their commands exist with these options. No image is built."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from setset.cli import cli

ROOT = Path(__file__).parents[2]
IMAGE = (ROOT / "Containerfile").read_text(encoding="utf-8")
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]


def instruction(name: str) -> list[str]:
    """The words of the last instruction of this name, in its JSON form."""
    return list(json.loads(re.findall(rf"^ *{name} (\[.*\])$", IMAGE, re.MULTILINE)[-1]))


@pytest.mark.parametrize("words", [instruction("CMD"), SERVICES["run"]["command"]], ids=["image", "run"])
def test_commands_of_setset_are_accepted(words: list[str]) -> None:
    words = [re.sub(r"\$\{\w+:-(\w+)\}", r"\1", word) for word in words]
    name, *options = words
    command = cli.get_command(cli.make_context("setset", [name]), name)
    assert command is not None
    command.make_context(name, options)


@pytest.mark.parametrize("service", ["scheduler", "worker"])
def test_commands_of_dask_are_accepted(service: str) -> None:
    from distributed.cli import dask_scheduler, dask_worker

    program, name, *options = SERVICES[service]["entrypoint"]
    assert program == "dask"
    command = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}[name]
    assert command.name == name
    command.make_context(name, options)


def test_health_checks_are_python() -> None:
    """The check of the image asks the port that `setset serve` has by default."""
    port = re.findall(r"^EXPOSE (\d+)$", IMAGE, re.MULTILINE)
    serve = cli.get_command(cli.make_context("setset", ["serve"]), "serve")
    assert serve is not None
    assert port == [str(option.default) for option in serve.params if option.name == "port"]
    checks = [json.loads(re.findall(r"CMD (\[\"python.*\])$", IMAGE, re.MULTILINE)[0])]
    checks += [SERVICES[name]["healthcheck"]["test"][1:] for name in ("scheduler", "worker")]
    for program, option, code in checks:
        assert (program, option) == ("python", "-c")
        compile(code, sys.executable, "exec")
    assert f"localhost:{port[0]}" in checks[0][2]


def test_nothing_runs_as_root_and_only_the_page_has_a_port() -> None:
    assert re.findall(r"^USER (.*)$", IMAGE.rpartition("FROM")[2], re.MULTILINE) == ["10001:10001"]
    assert {name for name, service in SERVICES.items() if service.get("ports")} == {"page"}
    assert all(port.startswith("127.0.0.1:") for port in SERVICES["page"]["ports"])
    for service in SERVICES.values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
