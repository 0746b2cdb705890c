"""The programs for v1model and PSA in checkouts of repositories.

In: directories, and the list of repositories. Out: every program that has a `main` of these
architectures, once where several files have the same text apart from spaces and comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_MAIN = re.compile(r"(V1Switch|PSA_Switch)\s*(?:<[^;>]*>)?\s*\([^;]*\)\s*main\s*;", re.DOTALL)
_DEFINE = re.compile(r"-D(\w+)(?:=([^@]*))?(?:@(.+))?")
MODELS = {"V1Switch": "v1model", "PSA_Switch": "psa"}


@dataclass(frozen=True)
class Repository:
    """A line of the list: `owner/name commit`, then `-DNAME=VALUE@PATTERN` for macros that the
    makefiles of the repository give to paths, and `!PATTERN` for paths that are left out."""

    name: str
    commit: str
    defines: tuple[tuple[str, str, str], ...] = ()
    left_out: tuple[str, ...] = ()

    @classmethod
    def of(cls, line: str) -> Repository:
        name, commit, *words = line.split()
        found = [_DEFINE.fullmatch(word) for word in words]
        defines = [(one[1], one[2] or "1", one[3] or "") for one in found if one]
        left_out = tuple(word[1:] for word in words if word.startswith("!"))
        return cls(name, commit, tuple(defines), left_out)

    def takes(self, path: Path) -> bool:
        return not any(re.search(one, str(path)) for one in self.left_out)

    def defines_of(self, path: Path) -> Mapping[str, str]:
        return {name: value for name, value, to in self.defines if re.search(to, str(path))}


def repositories(file: Path) -> dict[str, Repository]:
    """Return the repositories of a list, by their names."""
    lines = [line for line in file.read_text().splitlines() if line and line[0] != "#"]
    return {one.name: one for one in map(Repository.of, lines)}


@dataclass(frozen=True)
class Program:
    """`path` is from `root`, the checkout, on; `model` is v1model or psa."""

    root: Path
    path: Path
    model: str
    defines: Mapping[str, str] = field(default_factory=dict)

    @property
    def repository(self) -> str:
        """`owner/name` of a checkout in a directory called `owner+name`, else its name."""
        return name_of(self.root)

    @property
    def file(self) -> Path:
        return self.root / self.path

    @property
    def name(self) -> str:
        return f"{self.repository}: {self.path}"

    @property
    def include_dirs(self) -> tuple[Path, ...]:
        """The program's directory and those above it, up to the root: its makefile may name them.

        One with a core.p4 of its own would come before that of p4xdp.
        """
        above = list(self.file.parents)
        inside = above[: above.index(self.root) + 1]
        return tuple(one for one in inside if not (one / "core.p4").exists())


def name_of(root: Path) -> str:
    return root.name.replace("+", "/", 1)


def checkouts(given: Sequence[Path]) -> Iterator[Path]:
    """Yield the checkouts among directories: those with a `.git`, or what is in the others."""
    for one in given:
        inside = [d for d in sorted(one.iterdir()) if d.is_dir() and not d.name.startswith(".")]
        is_checkout = (one / ".git").exists() or "+" in one.name
        yield from [one] if is_checkout else inside


def programs(roots: Sequence[Path], listed: Mapping[str, Repository]) -> Iterator[Program]:
    """Yield the programs of checkouts, of equal ones the first."""
    seen: set[str] = set()
    for root in roots:
        repository = listed.get(name_of(root), Repository(name_of(root), ""))
        for file in sorted(root.rglob("*.p4")):
            path = file.relative_to(root)
            if file.is_file() and repository.takes(path):
                text = _text(file)
                found = _MAIN.search(text)
                key = "".join(text.split())
                if found and key not in seen:
                    seen.add(key)
                    yield Program(root, path, MODELS[found[1]], repository.defines_of(path))


def _text(file: Path) -> str:
    """Return a program without its comments."""

    def kept(found: re.Match[str]) -> str:
        return found[0] if found[0].startswith('"') else " "

    return _COMMENT.sub(kept, file.read_text(errors="replace"))
