"""The places, and statements run in one of them.

`interp` is the reference interpreter, `native` the host's compiler with sanitizers, `kernel`
BPF_PROG_TEST_RUN, `veth` real frames in network namespaces.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from p4xdp.output import temporary_directory
from p4xdp.records import dataclass
from p4xdp.stf.check import Checker
from p4xdp.stf.native import open_native
from p4xdp.stf.place import (
    Compile,
    Place,
    PlaceError,
    PlaceMissing,
    PlaceOptions,
    Task,
    has_short,
)
from p4xdp.stf.syntax import Case, Expect, Packet

PLACES = ("interp", "native", "kernel", "veth")


@dataclass(frozen=True, slots=True)
class CaseResult:
    """`failures` are texts, most of them starting with `file:line:`; `skipped` is a reason.

    `limited` when it is the case itself that says it does not run there.
    """

    passed: bool
    failures: tuple[str, ...] = ()
    skipped: str | None = None
    limited: bool = False


def run_statements(
    case: Case, compile_for: Compile, place: str, options: PlaceOptions
) -> CaseResult:
    """Run the statements in a place; raises CompileError when the program is wrong."""
    if case.places and place not in case.places.names:
        reason = f"not on {place}: {case.places.reason}"
        return CaseResult(False, skipped=reason, limited=True)
    try:
        short = has_short(s.data for s in case.statements if isinstance(s, Packet))
        with open_place(place, compile_for, ports_of(case), options, short=short) as ready:
            checker = Checker(ready)
            checker.run(case)
    except PlaceMissing as error:
        return CaseResult(False, skipped=str(error))
    except PlaceError as error:
        return CaseResult(False, (f"{case.file}: {error}",))
    return CaseResult(not checker.failures, tuple(checker.failures))


def ports_of(case: Case) -> tuple[int, ...]:
    """Return the ports that a case names."""
    return tuple(sorted({s.port for s in case.statements if isinstance(s, Packet | Expect)}))


@contextmanager
def open_place(
    name: str,
    compile_for: Compile,
    ports: tuple[int, ...],
    options: PlaceOptions,
    *,
    short: bool = False,
) -> Iterator[Place]:
    """Bring the program to a place; raises PlaceError, PlaceMissing, CompileError."""
    with _build_dir(options) as directory:
        asked = options.compile
        task = Task(
            compile_for,
            ports,
            directory,
            options.timeout,
            asked.on_reject,
            short,
            asked.host_port,
            asked.cpu_port,
        )
        with _opener(name, task) as place:
            yield place


def _opener(name: str, task: Task) -> AbstractContextManager[Place]:
    """Import a place when it is wanted: kernel and veth need more than the core install."""
    match name:
        case "interp":
            from p4xdp.stf.interp import open_interp

            return open_interp(task)
        case "native":
            return open_native(task)
        case "kernel":
            from p4xdp.stf.kernel import open_kernel

            return open_kernel(task)
        case "veth":
            from p4xdp.stf.veth import open_veth

            return open_veth(task)
        case _:
            raise ValueError(f"no place `{name}`")


@contextmanager
def _build_dir(options: PlaceOptions) -> Iterator[Path]:
    if options.build_dir:
        options.build_dir.mkdir(parents=True, exist_ok=True)
        yield options.build_dir
        return
    with temporary_directory("p4xdp.") as directory:
        yield directory
