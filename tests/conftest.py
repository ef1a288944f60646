"""What all tests share."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings

from setset.cli import main

# A suite started in the background may inherit that Ctrl-C is ignored; the processes it starts must not.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Kernels compile at their first call, and the machine may be busy: no test fails for being slow.
settings.register_profile("setset", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("setset")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line; its exit code, output and errors."""

    def run_it(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["setset", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return run_it
