"""Records with strace which system calls of a command change files below a folder, in their order."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.processes import CHECKOUT

MISSING = "strace is not installed: 'apt-get install strace'"
CALLS = (
    "openat,creat,lseek,write,writev,pwrite64,pwritev,ftruncate,truncate,fallocate,copy_file_range,sendfile,"
    "rename,renameat,renameat2,link,linkat,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir,fsync,fdatasync"
)
IN_THREADS = """
import concurrent.futures, sys
import setset.executors.local as local
local.LocalExecutor = concurrent.futures.ThreadPoolExecutor
from setset.cli import main
main()
"""
"""The command line, with threads in the place of worker processes: one process makes all calls, with one table of
descriptors."""

_LINE = re.compile(r"\d+ +(\w+)\((.*)\) += (-?\d+)", re.DOTALL)
_UNFINISHED = re.compile(r"(\d+) +(\w+\(.*) <unfinished \.\.\.>$", re.DOTALL)
_RESUMED = re.compile(r"(\d+) +<\.\.\. \w+ resumed>(.*)$", re.DOTALL)
_ARGUMENT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(?:\.\.\.)?|(AT_FDCWD|\d+)<((?:\\x[0-9a-f]{2})*)>|([^, ][^,]*)')
_PATHS = {
    "rename": (("", 0), ("", 1)),
    "renameat": ((0, 1), (2, 3)),
    "renameat2": ((0, 1), (2, 3)),
    "link": (("", 0), ("", 1)),
    "linkat": ((0, 1), (2, 3)),
    "unlink": (("", 0),),
    "unlinkat": ((0, 1),),
    "mkdir": (("", 0),),
    "mkdirat": ((0, 1),),
    "rmdir": (("", 0),),
}
"""Arguments that are a folder and a path relative to it."""


@dataclass(frozen=True)
class Call:
    """One system call that succeeded; paths are relative to the folder, None outside of it."""

    kind: str
    """open, seek, write, truncate, rename, link, unlink, mkdir, sync"""
    descriptor: int = -1
    path: str | None = None
    other: str | None = None
    """The new path of a rename or link."""
    data: bytes = b""
    offset: int | None = None
    """Offset of a write (None: at the position of the descriptor), length of a truncate, or position of a seek."""
    flags: str = ""

    def __str__(self) -> str:
        named = " ".join(part for part in (self.path, self.other) if part is not None)
        target = named or f"descriptor {self.descriptor}"
        return f"{self.kind} {target}" + (f" {len(self.data)} bytes" if self.data else "")


def has_strace() -> bool:
    return shutil.which("strace") is not None


def record(folder: Path, *arguments: str) -> list[Call]:
    """Runs a command line of setset to its end; the calls that it made below a folder."""
    with tempfile.NamedTemporaryFile(suffix=".strace") as trace:
        outcome = subprocess.run(
            [
                *("strace", "-f", "--seccomp-bpf", "-y", "-xx", "-s", "100000000", "-o", trace.name),
                *("-e", f"trace={CALLS}", sys.executable, "-c", IN_THREADS, *arguments),
            ],
            env={"PYTHONPATH": str(CHECKOUT), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        if outcome.returncode != 0:
            raise AssertionError(f"{' '.join(arguments)} failed under strace: {outcome.stderr[-500:]}")
        lines = Path(trace.name).read_text(encoding="utf-8").splitlines()
    return list(_parse(lines, folder))


def _parse(lines: list[str], folder: Path) -> Iterator[Call]:
    unfinished: dict[str, str] = {}
    for line in lines:
        if start := _UNFINISHED.match(line):
            unfinished[start[1]] = f"{start[1]} {start[2]}"
            continue
        if end := _RESUMED.match(line):
            line = unfinished.pop(end[1]) + end[2]
        match = _LINE.match(line)
        if match and int(match[3]) >= 0:
            call = _call(match[1], match[2], int(match[3]), folder)
            if call is not None:
                yield call


def _call(name: str, text: str, result: int, folder: Path) -> Call | None:
    strings: list[bytes] = []
    for quoted, number, sandbox, unquoted in _ARGUMENT.findall(text):
        strings.append(_bytes(sandbox) if number else (unquoted.encode() if unquoted else _bytes(quoted)))
    descriptor = re.match(r"(\d+)<", text)
    number = int(descriptor[1]) if descriptor else -1
    if name == "openat":
        return Call("open", result, _relative(strings[0], strings[1], folder), flags=strings[2].decode())
    if name in _PATHS:
        paths = [_relative(b"" if at == "" else strings[at], strings[path], folder) for at, path in _PATHS[name]]
        if all(path is None for path in paths):
            return None
        kind = "unlink" if name == "rmdir" else name.removesuffix("2").removesuffix("at")
        return Call(kind, path=paths[0], other=paths[-1] if len(paths) == 2 else None)
    if name == "lseek":
        return Call("seek", number, offset=result)
    if name == "write":
        return Call("write", number, data=strings[1][:result])
    if name == "pwrite64":
        return Call("write", number, data=strings[1][:result], offset=int(strings[3]))
    if name == "ftruncate":
        return Call("truncate", number, offset=int(strings[1]))
    if name in ("fsync", "fdatasync"):
        return Call("sync", number)
    if _relative(b"", strings[0], folder) is None:
        return None
    raise AssertionError(f"a call that the model of the disk does not know: {name}")


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


def _relative(folder_of_call: bytes, path: bytes, folder: Path) -> str | None:
    absolute = Path(folder_of_call.decode()) / path.decode()
    return absolute.relative_to(folder).as_posix() if absolute.is_relative_to(folder) else None
