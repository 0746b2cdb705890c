"""compile(): every stage, in order. Readers start here.

A source file goes in; the C file, its header and the description come out as texts. Nothing is
written here, and nothing of clang or the kernel is needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from p4xdp.backend_c import Output, emit
from p4xdp.diagnostics import Diagnostics
from p4xdp.frontend.architecture_rules import check_architecture
from p4xdp.frontend.elaborate import elaborate
from p4xdp.frontend.parser import parse
from p4xdp.frontend.preprocess import Source, preprocess
from p4xdp.frontend.typecheck import check as check_types
from p4xdp.frontend.typed import TypedProgram
from p4xdp.frontend.warnings import warn
from p4xdp.frontend.warnings.policy import policy_of, with_program
from p4xdp.midend import pipeline
from p4xdp.midend.ir import XDP_ABORTED, XDP_DROP, Program
from p4xdp.midend.passes.add_traces import add_traces
from p4xdp.options import Options
from p4xdp.records import dataclass, field, replace

REJECT_VERDICTS = {"aborted": XDP_ABORTED, "drop": XDP_DROP}
"""What Options.on_reject stands for."""


@dataclass(slots=True)
class Session:
    """What the stages share for one source file."""

    path: Path
    options: Options
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    source: Source | None = None


def check(session: Session) -> TypedProgram:
    """Return the typed program; raises CompileError."""
    diagnostics = session.diagnostics
    options = session.options
    policy = policy_of(options.warnings)
    diagnostics.policy = policy
    source = preprocess(session.path, options.include_dirs, options.defines, diagnostics)
    session.source = source
    program = parse(source, diagnostics)
    diagnostics.policy = with_program(policy, source, program)
    made = check_types(program, diagnostics)
    check_architecture(made, diagnostics)
    if policy.shown:
        warn(made, source, diagnostics)
    diagnostics.stop_on_error()
    return made


def compile(session: Session, after_each: Callable[[str, Program], None] | None = None) -> Output:
    """Return C, header and description; raises CompileError."""
    typed = check(session)
    flat = elaborate(
        typed,
        session.diagnostics,
        name=program_name(session.path),
        source=session.path.name,
        host_port=session.options.host_port,
        cpu_port=session.options.cpu_port,
        calls_c=bool(session.options.externs),
    )
    flat = replace(flat, reject_verdict=REJECT_VERDICTS[session.options.on_reject])
    if session.options.trace:
        flat = add_traces(flat)
    narrow = pipeline.run(flat, without=session.options.without, after_each=after_each)
    output = emit(narrow, session.options, session.diagnostics)
    session.diagnostics.stop_on_error()
    return output


def program_name(path: Path) -> str:
    """Return what a program is called everywhere: its file's name without what C strings, shells
    and the BPF file system do not take."""
    return re.sub(r"[^\w-]+", "_", path.stem)
