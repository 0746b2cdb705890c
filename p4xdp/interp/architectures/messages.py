"""Digests: what a packet has the control plane told."""

from __future__ import annotations

from p4xdp.frontend import types as t
from p4xdp.interp.machine import Run
from p4xdp.interp.outcome import Digest
from p4xdp.interp.patterns import pattern_widths, to_patterns
from p4xdp.interp.values import Value, plain


def name_of(kind: t.Type) -> str:
    """Return the control-plane name of digests of a type: its own, or one made of the widths."""
    if isinstance(kind, t.Struct | t.Header):
        return kind.name
    return "_".join(["digest", *(str(width) for _, width in pattern_widths("", kind))])


def send(run: Run, name: str, kind: t.Type, data: Value, receiver: int) -> None:
    """Tell the control plane a value of type `kind`."""
    labels = [label for label, _ in pattern_widths("", kind)]
    if isinstance(plain(kind), t.Tuple):
        labels = [f".field{label[1:]}" for label in labels]
    patterns = to_patterns(data, kind, run.machine.program.errors)
    numbers = [int(run.observe(scalar)) for scalar in patterns]
    fields = tuple((label[1:] or "value", n) for label, n in zip(labels, numbers, strict=True))
    run.digests.append(Digest(name, receiver, fields))
