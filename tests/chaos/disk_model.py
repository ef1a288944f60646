"""A model of a disk: what programs see, what is on the disk for certain, and what a power cut may leave.

As ALICE and dm-log-writes do it. What is on the disk for certain: the bytes of a file at its last fsync, and the names
in a folder at the last fsync of that folder. A rename within a folder is one step.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.chaos.recording import Call

Tree = dict[str, bytes | None]
"""All files by path with their bytes; folders have None."""

CHANGING = ("open", "write", "truncate", "rename", "link", "unlink", "mkdir", "sync")


@dataclass(eq=False)
class Node:
    """A file or a folder: now, and at its last fsync."""

    is_folder: bool
    data: bytearray = field(default_factory=bytearray)
    synced_data: bytes = b""
    entries: dict[str, Node] = field(default_factory=dict)
    synced_entries: dict[str, Node] = field(default_factory=dict)


@dataclass(frozen=True)
class Rename:
    """A rename whose folder is not synced since."""

    source: Node
    name: str
    target: Node
    new_name: str
    node: Node


@dataclass(frozen=True)
class Write:
    """The last write to a file that is not synced since."""

    node: Node
    before: bytes
    offset: int
    data: bytes


class Disk:
    """Starts from a tree that is on the disk; `apply` does one call after the other."""

    def __init__(self, tree: Tree) -> None:
        self.root = Node(True)
        self._descriptors: dict[int, tuple[Node, int]] = {}
        self._renames: list[Rename] = []
        self._last_write: Write | None = None
        for path, data in sorted(tree.items()):
            folder, name = self._place(path)
            node = Node(data is None, bytearray(data or b""), data or b"")
            folder.entries[name] = folder.synced_entries[name] = node

    def _place(self, path: str) -> tuple[Node, str]:
        """The folder that a path is in, and its last name."""
        *folders, name = path.split("/")
        node = self.root
        for folder in folders:
            node = node.entries[folder]
        return node, name

    def _find(self, path: str) -> Node | None:
        if path == ".":
            return self.root
        folder, name = self._place(path)
        return folder.entries.get(name)

    def apply(self, call: Call) -> bool:
        """Does a call; whether it changed anything, in memory or on the disk."""
        match call.kind:
            case "open":
                return self._open(call)
            case "rename" | "link":
                self._rename(call)
            case "unlink":
                folder, name = self._place(str(call.path))
                del folder.entries[name]
            case "mkdir":
                folder, name = self._place(str(call.path))
                folder.entries[name] = Node(True)
            case _:
                return self._use(call)
        return True

    def _open(self, call: Call) -> bool:
        self._descriptors.pop(call.descriptor, None)
        if call.path is None:
            return False
        node = self._find(call.path)
        created = node is None
        if node is None:
            folder, name = self._place(call.path)
            node = folder.entries[name] = Node(False)
        truncated = "O_TRUNC" in call.flags and bool(node.data)
        if truncated:
            node.data.clear()
        self._descriptors[call.descriptor] = node, len(node.data) if "O_APPEND" in call.flags else 0
        return created or truncated

    def _use(self, call: Call) -> bool:
        """Applies a call that uses an open file."""
        node, position = self._descriptors.get(call.descriptor, (None, 0))
        if node is None:
            return False
        match call.kind:
            case "seek":
                self._descriptors[call.descriptor] = node, call.offset or 0
                return False
            case "write":
                offset = position if call.offset is None else call.offset
                self._last_write = Write(node, bytes(node.data), offset, call.data)
                node.data[:] = _overwritten(node.data, offset, call.data)
                if call.offset is None:
                    self._descriptors[call.descriptor] = node, offset + len(call.data)
            case "truncate":
                length = call.offset or 0
                node.data[:] = node.data[:length].ljust(length, b"\0")
            case "sync":
                self._sync(node)
        return True

    def _sync(self, node: Node) -> None:
        node.synced_data, node.synced_entries = bytes(node.data), dict(node.entries)
        if self._last_write is not None and self._last_write.node is node:
            self._last_write = None
        self._renames = [rename for rename in self._renames if node not in (rename.source, rename.target)]

    def _rename(self, call: Call) -> None:
        source, name = self._place(str(call.path))
        target, new_name = self._place(str(call.other))
        node = source.entries[name]
        target.entries[new_name] = node
        if call.kind == "rename":
            if (source, name) != (target, new_name):
                del source.entries[name]
            self._renames.append(Rename(source, name, target, new_name, node))

    # States that a power cut may leave

    def kept(self) -> Tree:
        """Everything, as after kill -9."""
        return _tree(self.root, _entries, _data)

    def strict(self, _random: Random) -> Tree:
        """(a) Only what was synced."""
        return _tree(self.root, _synced_entries, _synced_data)

    def zeros(self, _random: Random) -> Tree:
        """(b) All names and lengths; bytes that were not synced are zeros, or what was there before."""
        return _tree(self.root, _entries, lambda node: node.synced_data[: len(node.data)].ljust(len(node.data), b"\0"))

    def empty(self, _random: Random) -> Tree:
        """(b) All names; files have the bytes and the length of their last sync, or none."""
        return _tree(self.root, _entries, _synced_data)

    def renamed(self, _random: Random) -> Tree:
        """(c) Of what was not synced only the renames, without the bytes."""
        entries: dict[Node, dict[str, Node]] = {}
        for rename in self._renames:
            entries.setdefault(rename.source, dict(rename.source.synced_entries)).pop(rename.name, None)
            entries.setdefault(rename.target, dict(rename.target.synced_entries))[rename.new_name] = rename.node
        return _tree(self.root, lambda node: entries.get(node, node.synced_entries), _synced_data)

    def no_names(self, _random: Random) -> Tree:
        """(d) All bytes; folders have the names of their last sync."""
        return _tree(self.root, _synced_entries, _data)

    def torn(self, random: Random) -> Tree:
        """(e) Everything, but of the last write that was not synced only a part."""
        write = self._last_write
        if write is None:
            return self.kept()
        part = write.data[: random.randrange(len(write.data) + 1)]
        data = _overwritten(write.before, write.offset, part) if part else write.before
        return _tree(self.root, _entries, lambda node: data if node is write.node else bytes(node.data))

    def mixed(self, random: Random) -> Tree:
        """(f) Of each file and each folder what was synced or what is there now, by chance."""
        return _tree(
            self.root,
            lambda node: random.choice((node.entries, node.synced_entries)),
            lambda node: random.choice((bytes(node.data), node.synced_data)),
        )


MODELS: dict[str, Callable[[Disk, Random], Tree]] = {
    "a strict": Disk.strict,
    "b zeros": Disk.zeros,
    "b empty": Disk.empty,
    "c renames kept": Disk.renamed,
    "d names lost": Disk.no_names,
    "e torn write": Disk.torn,
    "f mixed": Disk.mixed,
}


def _entries(node: Node) -> dict[str, Node]:
    return node.entries


def _synced_entries(node: Node) -> dict[str, Node]:
    return node.synced_entries


def _data(node: Node) -> bytes:
    return bytes(node.data)


def _synced_data(node: Node) -> bytes:
    return node.synced_data


def _overwritten(data: bytes | bytearray, offset: int, new: bytes) -> bytes:
    return bytes(data[:offset]).ljust(offset, b"\0") + new + bytes(data[offset + len(new) :])


def _tree(root: Node, entries: Callable[[Node], dict[str, Node]], data: Callable[[Node], bytes]) -> Tree:
    tree: Tree = {}

    def walk(node: Node, prefix: str) -> None:
        for name, inner in sorted(entries(node).items()):
            tree[f"{prefix}{name}"] = None if inner.is_folder else data(inner)
            if inner.is_folder:
                walk(inner, f"{prefix}{name}/")

    walk(root, "")
    return tree


def read_tree(folder: Path) -> Tree:
    """Content of a folder by path; None for a subfolder."""
    return {
        path.relative_to(folder).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


def write_tree(tree: Tree, folder: Path) -> None:
    """Puts a tree into an empty folder."""
    for path, data in sorted(tree.items()):
        if data is None:
            os.mkdir(folder / path)  # noqa: PTH102 (thousands of them)
        else:
            (folder / path).write_bytes(data)
