"""Whether this process on this machine can load programs at all."""

from __future__ import annotations

from pathlib import Path

from p4xdp.diagnostics import CompileError, fail
from p4xdp.runtime import capi

CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_SYS_ADMIN": 21, "CAP_BPF": 39}


def check_machine(doing: str) -> None:
    """Raise CompileError (`libbpf-missing`, `no-rights`) when nothing can work here."""
    try:
        capi.library()
    except capi.LibbpfMissing as error:
        what, _, help = str(error).partition("; ")
        raise fail("libbpf-missing", None, what, help=help) from error
    if not may_load():
        raise no_rights(doing)


def can_verify() -> bool:
    """Say whether the verifier can be asked here."""
    try:
        check_machine("asking the verifier")
    except CompileError:
        return False
    return True


def may_load() -> bool:
    """Say whether this process has the rights to load and attach programs."""
    have = capabilities()
    return "CAP_SYS_ADMIN" in have or {"CAP_BPF", "CAP_NET_ADMIN"} <= have


def capabilities() -> frozenset[str]:
    """Return those of CAPABILITIES that this process has."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapEff:"):
            mask = int(line.split()[1], 16)
            return frozenset(name for name, bit in CAPABILITIES.items() if mask >> bit & 1)
    return frozenset()


def no_rights(doing: str) -> CompileError:
    """Return the error of a user who may not do it."""
    return fail(
        "no-rights",
        None,
        f"{doing} needs root, or the capabilities CAP_BPF and CAP_NET_ADMIN",
        help="run it with sudo; compiling and native test runs need no rights",
    )
