#!/usr/bin/env python3
"""Counts how often a reader who follows a command of setset jumps from one module to another.

    .venv/bin/python tools/hops.py                             run, repair, check and classify, as a table
    .venv/bin/python tools/hops.py run --size 4                one command, in a temporary workspace
    .venv/bin/python tools/hops.py --path check -w caps        and every function, in the order of reading
    .venv/bin/python tools/hops.py --tree ../old --json        the same for another checkout

What is counted
---------------
The command is carried out and traced. Its *functions* are functions of the package setset, in the order in which
the command first calls them. A reader reads each function once, in that order. Then

* modules is the number of different files that the functions are in,
* a hop is a step from a function to the next one in another module,
* a return is a hop to a module that was read before. So hops = modules - 1 + returns.

Left out are the bodies of modules and classes, lambdas and comprehensions, what dataclasses generate, and all
that a module calls while it is imported (decorators, tables): such calls show the order of the imports,
not of the work. Left out are also functions with a single statement, which their callers can be read without: a
property, a getter, a call passed on.

Work is done in the same process, at the moment it is submitted, so that the code of the workers is traced
too: `InlineExecutor` takes the place of `LocalExecutor`, wherever the tree defines it. The code of
`LocalExecutor` itself is therefore not counted. `setset run --executor hops:InlineExecutor` does the same
by hand, with tools/ in PYTHONPATH.

Each command is traced in a process of its own, so that nothing is cached or loaded from an earlier command. Python
does not report compiled kernels, so they are not counted. Its versions differ in when they report a generator:
compare numbers of one version only.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import inspect
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HEADS = ("command", "functions", "modules", "hops", "returns")
SMALL_RUN = ("run", "--target", "18", "--size", "4", "--batch-lists", "20000")
HAND = ("0", "1", "3", "9", "27", "40")
FOUND_SOMETHING = {"check": 1}
"""For some commands, the exit code other than 0 that still means success."""


class InlineExecutor(Executor):
    """An executor that does the work in this thread, inside the call of `submit`."""

    def __init__(self, workers: int, notice: Callable[[str], None] = lambda _: None) -> None:
        self.workers, self.notice = workers, notice

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Tracer:
    """Records the functions below a folder in the order of their first call, as a callback of `sys.setprofile`."""

    def __init__(self, folder: Path) -> None:
        self.functions: dict[CodeType, None] = {}
        self._folder = str(folder) + os.sep
        self._importing = threading.local()
        self._short: dict[str, set[tuple[str, int]]] = {}

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(self._folder):
            return
        depth = getattr(self._importing, "depth", 0)
        if code.co_name == "<module>":
            self._importing.depth = depth + (1 if event == "call" else -1)
        elif event == "call" and not depth and self._is_function(code) and not self._is_short(code):
            self.functions.setdefault(code)

    def _is_short(self, code: CodeType) -> bool:
        """Whether a function has one statement, not counting its docstring."""
        if code.co_filename not in self._short:
            tree = ast.parse(Path(code.co_filename).read_text(encoding="utf-8"))
            self._short[code.co_filename] = {
                (node.name, min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]))
                for node in ast.walk(tree)
                if isinstance(node, ast.FunctionDef) and _has_one_statement(node)
            }
        return (code.co_name, code.co_firstlineno) in self._short[code.co_filename]

    @staticmethod
    def _is_function(code: CodeType) -> bool:
        # The body of a class is code too, but only functions have the flag for fast local variables.
        return bool(code.co_flags & inspect.CO_OPTIMIZED) and not code.co_name.startswith("<")

    def path(self) -> list[tuple[str, str]]:
        """Returns the module and the name of each recorded function."""
        return [
            (Path(code.co_filename.removeprefix(self._folder)).as_posix(), code.co_qualname) for code in self.functions
        ]


def _has_one_statement(function: ast.FunctionDef) -> bool:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    compound = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match)
    return len(body) < 2 and not any(isinstance(statement, compound) for statement in body)


@dataclass(frozen=True)
class Measured:
    """Figures of one traced command: functions, modules, hops, returns."""

    command: str
    functions: int
    modules: int
    hops: int
    returns: int
    exit_code: int
    path: list[tuple[str, str]]


def measured(command: str, exit_code: int, path: list[tuple[str, str]]) -> Measured:
    """Counts modules, hops and returns for functions in the order of reading."""
    hops = returns = 0
    visited: set[str] = set()
    previous = None
    for module, _ in path:
        if previous is not None and module != previous:
            hops += 1
            returns += module in visited
        visited.add(module)
        previous = module
    return Measured(command, len(path), len(visited), hops, returns, exit_code, path)


def main() -> int:
    options = _options()
    if options.traced:
        return _trace(options.tree, options.traced, options.command)
    if importlib.util.find_spec("numba") is None:
        print(
            "hops.py: this Python lacks what setset needs: use .venv/bin/python (tools/test makes it)", file=sys.stderr
        )
        return 2
    with tempfile.TemporaryDirectory(prefix="setset-hops-") as folder:
        if options.command:
            results = [_measure(options.tree, options.command, Path(folder))]
        else:
            results = _measure_four(options.tree, Path(folder))
    if options.json:
        context = {"tree": str(options.tree), "python": platform.python_version()}
        print(json.dumps({**context, "commands": [asdict(result) for result in results]}, indent=1))
    else:
        _print_table(results)
        if options.path:
            _print_paths(results)
    return 0


def _options() -> argparse.Namespace:
    description, _, explained = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=description, epilog=explained, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout to measure [default: this one]")
    parser.add_argument("--json", action="store_true", help="JSON, with every function, instead of a table")
    parser.add_argument("--path", action="store_true", help="also print the functions in order")
    parser.add_argument("--traced", type=Path, help=argparse.SUPPRESS)
    parser.add_argument(
        "command", nargs=argparse.REMAINDER, help="a command of setset [default: a small round of four]"
    )
    options = parser.parse_args()
    options.tree = options.tree.resolve()
    if not (options.tree / "setset" / "__init__.py").exists():
        parser.error(f"--tree {options.tree}: there is no package setset in it")
    return options


def _measure_four(tree: Path, folder: Path) -> list[Measured]:
    """Traces four commands: a small run, check and repair of a lost file, and classify."""
    workspace = ("-w", str(folder / "workspace"))
    # Compiles the kernels first if needed, because compiling must not be traced.
    _measure(tree, [*SMALL_RUN, "-w", str(folder / "first")], folder)
    run = _measure(tree, [*SMALL_RUN, *workspace], folder)
    files = [path for path in (folder / "workspace").rglob("*") if path.suffix not in (".db", ".lock")]
    max((path for path in files if path.is_file()), key=lambda path: (path.stat().st_size, path)).unlink()
    check = _measure(tree, ["check", *workspace], folder)
    repair = _measure(tree, ["repair", *workspace], folder)
    if check.exit_code != 1 or repair.exit_code != 0:
        raise SystemExit("hops.py: check did not find the file that was deleted, or repair did not rebuild it")
    return [run, repair, check, _measure(tree, ["classify", *HAND, *workspace], folder)]


def _measure(tree: Path, command: list[str], folder: Path) -> Measured:
    """Traces a command in a new process. Without -w its workspace is in `folder`."""
    notes = folder / "traced.json"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(tree), str(Path(__file__).parent)))}
    environment.setdefault("SETSET_WORKSPACE", str(folder / "setset-workspace"))
    words = [sys.executable, __file__, "--tree", str(tree), "--traced", str(notes), *command]
    child = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if not notes.exists():
        raise SystemExit(f"hops.py: {' '.join(command)} could not be traced:\n{child.stderr}")
    if child.returncode not in (0, FOUND_SOMETHING.get(command[0], 0)):
        print(f"{' '.join(command)} ended with {child.returncode}:\n{child.stderr}", file=sys.stderr)
    path = [(module, function) for module, function in json.loads(notes.read_text())]
    notes.unlink()
    return measured(command[0], child.returncode, path)


def _trace(tree: Path, notes: Path, command: list[str]) -> int:
    """Runs a command in this process, and records its functions in the file `notes`."""
    import setset

    package = Path(setset.__file__).resolve().parent
    if package != tree / "setset":
        raise SystemExit(f"hops.py: setset comes from {package}, not from {tree}")
    _replace_executor(package)
    from setset.cli import main as setset_main

    sys.argv = ["setset", *command]
    tracer = Tracer(package)
    threading.setprofile(tracer)
    sys.setprofile(tracer)
    try:
        setset_main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        notes.write_text(json.dumps(tracer.path()), encoding="utf-8")
    return 0


def _replace_executor(package: Path) -> None:
    """Replaces `LocalExecutor` by `InlineExecutor`, before the command imports it."""
    for path in sorted(package.rglob("*.py")):
        if "\nclass LocalExecutor(" in path.read_text(encoding="utf-8"):
            importlib.import_module(".".join(path.relative_to(package.parent).with_suffix("").parts))
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "setset" and hasattr(module, "LocalExecutor"):
            module.LocalExecutor = InlineExecutor  # type: ignore[attr-defined]


def _print_table(results: list[Measured]) -> None:
    print(f"{HEADS[0]:<10}", *(f"{head:>9}" for head in HEADS[1:]))
    for result in results:
        print(f"{result.command:<10}", *(f"{getattr(result, head):>9}" for head in HEADS[1:]))
    if len(results) > 1:
        print(f"{'sum':<10}", *(f"{sum(getattr(r, head) for r in results):>9}" for head in HEADS[1:]))


def _print_paths(results: list[Measured]) -> None:
    for result in results:
        print(f"\n{result.command}")
        previous, visited = None, set()
        for module, function in result.path:
            if module != previous:
                print(f"  {module}{' (again)' if module in visited else ''}")
            print(f"    {function}")
            visited.add(module)
            previous = module


if __name__ == "__main__":
    sys.exit(main())
