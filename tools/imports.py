#!/usr/bin/env python3
"""Imports between the packages of setset: a table, and the picture docs/packages.svg.

    tools/imports.py              the table, from the top (cli) down
    tools/imports.py --draw       writes docs/packages.svg
    tools/imports.py --check      ends with 1 if the picture is out of date or packages import in a cycle

Every import counts, also inside functions and under TYPE_CHECKING, and so does a string that is the name of
a module (`"setset.workspace"`). If a package loads its names lazily, the stub `__init__.pyi` counts, which
lists them. The number beside an import is the number of modules with this import. `__version__` of the package
itself is a constant, not a dependency.

A package is a folder in setset/, or a module there. Modules there that need nothing but each other (cards,
errors, ...) are drawn as one box, "shared basics"; `__main__` belongs to cli; setset/__init__.py is the
public API. Needs nothing but Python.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = Path("docs", "packages.svg")
API = "setset"
BASICS = "shared basics"

STEP, ROW = 54, 50
"""Distance from one box to the next in pixels, to the right and down."""
WIDTH, HEIGHT, MARGIN = 136, 38, 12
IN_FROM_ABOVE, IN_FROM_BELOW = WIDTH - 22, 22
"""Offset of arriving arrows from the left edge of a box."""
RADIUS = 10
LINE, TEXT, FAINT, WRONG = "#8b949e", "#1f2328", "#6e7781", "#cf222e"
ON_ANY = "#7d8590"
"""Colours of the picture. Lines are visible on white and on black. Boxes and dots are white. ON_ANY is for text outside
of boxes."""


@dataclass(frozen=True)
class Import:
    """An import: a line of a module that imports from another package."""

    file: str
    line: int
    importer: str
    imported: str


@dataclass(frozen=True)
class Packages:
    """The packages from the top down, their modules, and the imports between packages."""

    order: tuple[str, ...]
    modules: dict[str, tuple[str, ...]]
    imports: tuple[Import, ...]

    def files(self, importer: str, imported: str) -> list[str]:
        """Returns the modules of one package that import from another package."""
        return sorted({i.file for i in self.imports if (i.importer, i.imported) == (importer, imported)})

    def used_by(self, importer: str) -> list[str]:
        return [name for name in self.order if self.files(importer, name)]


def read_packages(root: Path) -> Packages:
    """Reads every import in the package setset of a checkout."""
    paths = {_module_name(path, root): path for path in sorted((root / "setset").rglob("*.py"))}
    all_imports = [
        Import(path.relative_to(root).as_posix(), line, _package(name), _package(target))
        for name, path in paths.items()
        for line, target in _imported(_stub_or_source(path), paths.keys())
    ]
    single = {name for name in map(_package, paths) if f"setset.{name}" in paths and _is_module(root, name)} - {API}
    basics = _closed(single, all_imports)
    box = {name: BASICS if name in basics else name for name in map(_package, paths)}
    between = [Import(i.file, i.line, box[i.importer], box[i.imported]) for i in all_imports]
    imports = tuple(i for i in between if i.importer != i.imported)
    modules: dict[str, list[str]] = {}
    for name in paths:
        modules.setdefault(box[_package(name)], []).append(name)
    if not any(API in (i.importer, i.imported) for i in imports):
        modules.pop(API, None)
    order = _from_the_top(sorted(modules), imports)
    return Packages(order, {name: tuple(modules[name]) for name in order}, imports)


def _module_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _stub_or_source(path: Path) -> Path:
    stub = path.with_suffix(".pyi")
    return stub if stub.exists() else path


def _package(module: str) -> str:
    """Returns the package that a module belongs to."""
    parts = module.split(".")
    if len(parts) == 1:
        return API
    return "cli" if parts[1] == "__main__" else parts[1]


def _is_module(root: Path, name: str) -> bool:
    return (root / "setset" / f"{name}.py").exists()


def _imported(path: Path, modules: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yields the modules of setset that a file names in imports and strings, with their lines."""
    names = set(modules)
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                raise SystemExit(f"{path}:{node.lineno}: relative import")
            for alias in node.names:
                if f"{node.module}.{alias.name}" in names:
                    yield node.lineno, f"{node.module}.{alias.name}"
                elif node.module in names and (node.module, alias.name) != ("setset", "__version__"):
                    yield node.lineno, node.module
        elif isinstance(node, ast.Import):
            yield from (
                (node.lineno, alias.name)
                for alias in node.names
                if alias.name in names and not (alias.name == "setset" and _only_version(tree))
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = f"setset{node.value}" if node.value.startswith(".") else node.value
            if name in names and name != "setset":
                yield node.lineno, name


def _only_version(tree: ast.Module) -> bool:
    """Whether a module uses only `__version__` of the public API."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "setset"
    } == {"__version__"}


def _closed(names: set[str], imports: Iterable[Import]) -> set[str]:
    """Finds the packages that import only from each other."""
    inside = set(names)
    while outside := {i.importer for i in imports if i.importer in inside and i.imported not in inside}:
        inside -= outside
    return inside


def _from_the_top(names: list[str], imports: tuple[Import, ...]) -> tuple[str, ...]:
    """Sorts the packages so that each comes before the packages that it imports. In a cycle, packages with more imports
    than importers come first."""
    imported_by: dict[str, set[str]] = {name: set() for name in names}
    for edge in imports:
        imported_by[edge.importer].add(edge.imported)
    reach = {name: _reachable(name, imported_by) for name in names}
    height: dict[str, int] = {}

    def measure(name: str) -> int:
        if name not in height:
            under = [measure(package) for package in reach[name] if name not in reach[package]]
            height[name] = 1 + max(under, default=-1)
        return height[name]

    def balance(name: str) -> int:
        """Number of the package's imports from others of the cycle, minus the number of their imports from it."""
        inside = [i for i in imports if i.importer in reach[i.imported]]
        return sum(i.importer == name for i in inside) - sum(i.imported == name for i in inside)

    return tuple(sorted(names, key=lambda name: (-measure(name), -len(reach[name]), -balance(name), name)))


def _reachable(name: str, imported_by: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        for package in imported_by[waiting.pop()] - reached:
            reached.add(package)
            waiting.append(package)
    return reached


def cycles(packages: Packages) -> list[list[str]]:
    """Finds a shortest cycle for each package that is in a cycle: its packages in order, the first package again at the
    end."""
    imported_by = {name: set(packages.used_by(name)) for name in packages.order}
    shortest: dict[frozenset[str], list[str]] = {}
    for name in packages.order:
        paths, reached = [[name]], set[str]()
        while paths:
            path = paths.pop(0)
            if name in imported_by[path[-1]]:
                shortest.setdefault(frozenset(path), [*path, name])
                break
            for package in sorted(imported_by[path[-1]] - reached):
                reached.add(package)
                paths.append([*path, package])
    return list(shortest.values())


def draw(packages: Packages) -> str:
    """Draws the picture. Boxes form a staircase, each above and to the left of the packages that it imports."""
    index_of = {name: number for number, name in enumerate(packages.order)}
    count = len(index_of)
    width = 2 * MARGIN + (count - 1) * STEP + WIDTH
    height = 2 * MARGIN + (count - 1) * ROW + HEIGHT
    edges = [
        (index_of[importer], index_of[imported], len(packages.files(importer, imported)))
        for importer in packages.order
        for imported in packages.used_by(importer)
    ]
    caption = "The packages of setset, and which imports from which"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-labelledby="title" font-family="system-ui, \'Segoe UI\', Helvetica, Arial, sans-serif">',
        f'<title id="title">{escape(caption)}</title>',
        *_lines([edge for edge in edges if edge[0] < edge[1]], LINE),
        *_lines([edge for edge in edges if edge[0] > edge[1]], WRONG),
        *(_dot(packages, *edge) for edge in edges),
        *(_box(packages, number) for number in range(count)),
        *_legend(height, any(importer > imported for importer, imported, _ in edges)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _corner(number: int) -> tuple[int, int]:
    """Returns the upper left corner of a box."""
    return MARGIN + number * STEP, MARGIN + number * ROW


def _crossing(importer: int, imported: int) -> tuple[int, int]:
    """Returns the point where the line of an importer meets the line of the imported package."""
    offset = IN_FROM_ABOVE if importer < imported else IN_FROM_BELOW
    return _corner(imported)[0] + offset, _corner(importer)[1] + HEIGHT // 2


def _lines(edges: list[tuple[int, int, int]], colour: str) -> Iterator[str]:
    """Draws a line to the right for each importer, and an arrow down for each imported package."""
    paths = []
    for importer in sorted({edge[0] for edge in edges}):
        crossings = [_crossing(importer, edge[1]) for edge in edges if edge[0] == importer]
        x, y = _corner(importer)
        right = crossings[0][0] > x
        end = max(crossings)[0] if right else min(crossings)[0]
        paths.append(f"M{x + WIDTH if right else x} {y + HEIGHT // 2}H{end}")
    heads = []
    for imported in sorted({edge[1] for edge in edges}):
        starts = [_crossing(edge[0], imported) for edge in edges if edge[1] == imported]
        _, top = _corner(imported)
        down = starts[0][1] < top
        x, y = min(starts) if down else max(starts)
        tip = top if down else top + HEIGHT
        base = tip - 8 if down else tip + 8
        paths.append(f"M{x} {y}V{base}")
        heads.append(f"M{x} {tip}L{x - 5} {base}H{x + 5}Z")
    if paths:
        yield f'<path d="{"".join(paths)}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        yield f'<path d="{"".join(heads)}" fill="{colour}"/>'


def _dot(packages: Packages, importer: int, imported: int, modules: int) -> str:
    x, y = _crossing(importer, imported)
    colour = LINE if importer < imported else WRONG
    names = packages.order[importer], packages.order[imported]
    title = f"{names[0]} imports from {names[1]} in {modules} module{'s' * (modules != 1)}"
    return (
        f'<g><title>{escape(title)}</title><circle cx="{x}" cy="{y}" r="{RADIUS}" fill="#fff" stroke="{colour}" '
        f'stroke-width="1.5"/><text x="{x}" y="{y + 4}" font-size="11" text-anchor="middle" fill="{TEXT}">{modules}'
        "</text></g>"
    )


def _box(packages: Packages, number: int) -> str:
    name = packages.order[number]
    x, y = _corner(number)
    modules = packages.modules[name]
    if name == BASICS:
        caption = ", ".join(module.split(".")[1] for module in modules)
    elif name == API:
        caption = "the public API"
    else:
        caption = f"{len(modules)} module{'s' * (len(modules) != 1)}"
    # There is room to the left of every box.
    width = max(WIDTH, 6 * len(caption) + 16)
    x -= width - WIDTH
    middle = x + width // 2
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{HEIGHT}" rx="6" fill="#fff" stroke="{FAINT}" '
        f'stroke-width="1.5"/><text x="{middle}" y="{y + 17}" font-size="13" font-weight="600" '
        f'text-anchor="middle" fill="{TEXT}">{escape(name)}</text><text x="{middle}" y="{y + 31}" font-size="10" '
        f'text-anchor="middle" fill="{FAINT}">{escape(caption)}</text>'
    )


def _legend(height: int, cyclic: bool) -> Iterator[str]:
    lines = [
        "Follow a line to the right, then an arrow down:",
        "a package imports only from packages below it.",
        "A number says how many of its modules do so.",
    ]
    if cyclic:
        lines.append("Red: an import from a package above, a cycle.")
    for number, line in enumerate(lines):
        y = height - MARGIN - 6 - 18 * (len(lines) - 1 - number)
        yield f'<text x="{MARGIN}" y="{y}" font-size="12" fill="{ON_ANY}">{escape(line)}</text>'


def main() -> int:
    options = _options()
    packages = read_packages(options.tree)
    picture = options.tree / PICTURE
    if options.draw:
        picture.write_text(draw(packages), encoding="utf-8", newline="\n")
        return 0
    if not options.check:
        _print_table(packages)
        return 0
    problems = [_described(packages, cycle) for cycle in cycles(packages)]
    if not picture.exists() or picture.read_text(encoding="utf-8") != draw(packages):
        problems.append(f"{PICTURE.as_posix()} is out of date: run tools/imports.py --draw")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def _options() -> argparse.Namespace:
    description, _, explained = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        description=description, epilog=explained, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--draw", action="store_true", help="write docs/packages.svg")
    action.add_argument("--check", action="store_true", help="exit with 1 for an old picture or a cycle")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout to read [default: this one]")
    options = parser.parse_args()
    options.tree = options.tree.resolve()
    return options


def _print_table(packages: Packages) -> None:
    widest = max(map(len, packages.order))
    print(f"{'package':<{widest}}  modules  imports from (modules that do)")
    for name in packages.order:
        imported = [f"{package} {len(packages.files(name, package))}" for package in packages.used_by(name)]
        print(f"{name:<{widest}}  {len(packages.modules[name]):>7}  {', '.join(imported) or '-'}")
    for cycle in cycles(packages):
        print(_described(packages, cycle))


def _described(packages: Packages, cycle: list[str]) -> str:
    lines = [f"packages import in a cycle: {' -> '.join(cycle)}"]
    for importer, imported in pairwise(cycle):
        import_lines = {(i.file, i.line) for i in packages.imports if (i.importer, i.imported) == (importer, imported)}
        lines += [f"  {file}:{line} imports from {imported}" for file, line in sorted(import_lines)]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
