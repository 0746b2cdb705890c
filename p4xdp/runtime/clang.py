"""From C to a BPF object, with the clang of this machine.

`find()` says which clang, `build()` runs it. A stack or a program that does not fit is a
`TooBig`, so that a caller can compile again with another layout; everything else is a
CompileError. The object appears whole or not at all.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path

from p4xdp.diagnostics import CompileError, fail
from p4xdp.output import cannot_write
from p4xdp.records import dataclass
from p4xdp.runtime.compiling import run_compiler

NAMES = ("clang", *(f"clang-{version}" for version in range(21, 10, -1)))
INSTALL = "install it: `apt install clang` (Debian, Ubuntu) or `dnf install clang` (Fedora)"
HEADERS = "install them: `apt install libbpf-dev linux-libc-dev` or `dnf install libbpf-devel`"
LAST_LINES = 30


@dataclass(frozen=True, slots=True)
class Clang:
    """A clang on this machine; `version` is, say, `14.0.6`."""

    path: Path
    version: str


class TooBig(Exception):
    """The program does not fit: `reason` is `stack` (512 bytes) or `size` (jumps, complexity)."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Built:
    """An object file, and what clang had to say about the C besides."""

    object: Path
    clang: Clang
    warnings: str


def include_dir() -> Path:
    """Return the directory of p4xdp.h."""
    return Path(str(resources.files("p4xdp"))) / "runtime_headers"


def installed() -> Iterator[Clang]:
    """Walk through the clangs on PATH, the one that `find` takes by default first."""
    seen: set[Path] = set()
    for name in NAMES:
        found = shutil.which(name)
        if found and Path(found).resolve() not in seen:
            seen.add(Path(found).resolve())
            yield _ask(Path(found))


def find() -> Clang:
    """Return the clang to use, $P4XDP_CLANG first; raises CompileError (`clang-missing`)."""
    wanted = os.environ.get("P4XDP_CLANG")
    if wanted:
        return _wanted(wanted)
    without_target = []
    for clang in installed():
        if has_bpf(clang.path):
            return clang
        without_target.append(str(clang.path))
    if without_target:
        raise fail(
            "clang-missing",
            None,
            f"no clang with the bpf target: {', '.join(without_target)} cannot build BPF",
            help=INSTALL,
        )
    raise fail(
        "clang-missing",
        None,
        f"clang is not on PATH (looked for clang and {NAMES[-1]} to {NAMES[1]})",
        help=f"{INSTALL}, or name one in P4XDP_CLANG; compiling to C needs no clang",
    )


def _wanted(name: str) -> Clang:
    found = shutil.which(name)
    if not found:
        raise fail("clang-missing", None, f"P4XDP_CLANG names `{name}`, which is not there")
    if not has_bpf(Path(found)):
        raise fail("clang-missing", None, f"`{found}` (P4XDP_CLANG) has no bpf target")
    return _ask(Path(found))


@cache
def _ask(path: Path) -> Clang:
    text = _output([str(path), "--version"])
    match = re.search(r"version (\d+(?:\.\d+)*)", text)
    return Clang(path, match[1] if match else "unknown")


@cache
def has_bpf(path: Path) -> bool:
    """Say whether this clang builds for BPF."""
    command = [str(path), "-target", "bpf", "-x", "c", "-c", os.devnull, "-o", os.devnull]
    try:
        return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def system_include_dirs() -> tuple[Path, ...]:
    """Return where <asm/types.h> is when it is not where a BPF build looks by itself."""
    if Path("/usr/include/asm/types.h").exists():
        return ()
    triple = sysconfig.get_config_var("MULTIARCH") or f"{os.uname().machine}-linux-gnu"
    own = Path("/usr/include") / triple
    return (own,) if (own / "asm/types.h").exists() else ()


def command_line(clang: Clang, source: Path, object: Path, cpu: str, test: bool) -> list[str]:
    """Return the arguments of the build, those in $P4XDP_CFLAGS among them."""
    includes = (include_dir(), *system_include_dirs())
    return [
        str(clang.path),
        *("-O2", "-g", "-target", "bpf", f"-mcpu={cpu}", "-Wall"),
        *(["-DP4XDP_TEST"] if test else []),
        *shlex.split(os.environ.get("P4XDP_CFLAGS", "")),
        *(f"-I{directory}" for directory in includes),
        *("-c", str(source), "-o", str(object)),
    ]


def build(
    source: Path, object: Path, *, cpu: str = "v3", test: bool = False, clang: Clang | None = None
) -> Built:
    """Build `object` from C; `test` builds for test runs (-DP4XDP_TEST).

    Raises TooBig, or CompileError: `clang-missing`, `clang-headers`, `clang-failed`,
    `cannot-write`.
    """
    clang = clang or find()
    try:
        handle, name = tempfile.mkstemp(suffix=".o", prefix=f".{object.stem}.", dir=object.parent)
    except OSError as error:
        raise cannot_write(object, error) from error
    os.close(handle)
    try:
        command = command_line(clang, source, Path(name), cpu, test)
        warnings = _run(clang, command, source.parent)
        os.chmod(name, 0o644)
        _put(name, object)
    finally:
        Path(name).unlink(missing_ok=True)
    return Built(object, clang, warnings)


def _put(name: str, object: Path) -> None:
    try:
        os.replace(name, object)
    except OSError as error:
        raise cannot_write(object, error) from error


def _run(clang: Clang, command: list[str], directory: Path) -> str:
    try:
        done = run_compiler(command, directory)
    except OSError as error:
        text = f"cannot run `{clang.path}`: {error.strerror}"
        raise fail("clang-failed", None, text) from error
    if done.returncode == 0:
        return done.stderr
    raise _refusal(clang, command, done.stderr)


def _refusal(clang: Clang, command: list[str], output: str) -> Exception:
    if "BPF stack limit" in output:
        return TooBig("stack", "the stack of 512 bytes is exceeded")
    if re.search(r"branch target out of insn range", output, re.IGNORECASE):
        return TooBig("size", "a jump is longer than an instruction can say")
    missing = re.search(r"'([^']+)' file not found", output)
    if missing:
        text = f"clang does not find the header `{missing[1]}`"
        return fail("clang-headers", None, text, help=_of_user(command, output) or HEADERS)
    return _our_fault(clang, command, output)


MISSING = re.compile(r"(?:implicit declaration of|call to undeclared) function '(\w+)'")
FIRST_ERROR = re.compile(r"^(/[^:\n]+):\d+:\d+: (?:fatal )?error:", re.MULTILINE)


def _of_user(command: list[str], output: str) -> str | None:
    """Return what to do where C that the user gave is wrong, None where that is not known."""
    first = FIRST_ERROR.search(output)
    if first and first[1] not in command and not first[1].startswith(str(include_dir())):
        return f"the first error is in {first[1]}: mend it there"
    missing = MISSING.search(output)
    return f"write the function `{missing[1]}` in the file of `--extern`" if missing else None


def _our_fault(clang: Clang, command: list[str], output: str) -> CompileError:
    lines = output.strip().splitlines()
    shown = "\n".join(lines[:LAST_LINES])
    help = _of_user(command, output)
    ours = f"a fault of p4xdp, please report it; the command was: {' '.join(command)}"
    return fail(
        "clang-failed",
        None,
        f"clang {clang.version} does not build the C\n{shown}",
        help=help or ours,
    )
