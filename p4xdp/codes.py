"""The table of diagnostic codes: every code that a user can meet, with what it means."""

from __future__ import annotations

CODES: dict[str, str] = {
    "bad-object": "an object file cannot be read, or is not one that p4xdp built",
    "capture": "a packet capture cannot be read, or is cut off",
    "clang-failed": "clang does not build the generated C: a fault of p4xdp",
    "clang-headers": "clang lacks a header that a BPF build needs",
    "clang-missing": "no clang with the bpf target is on this machine",
    "entry-action": "the table does not have the action, or not for this use",
    "entry-argument": "an argument of the action is missing, unknown or given twice",
    "entry-constant": "the table's entries, or its default action, cannot change at run time",
    "entry-counter": "the program has no such counter, or the counter has no such cell",
    "entry-exists": "the table holds an entry with this key already",
    "entry-full": "the table holds as many entries as its size allows",
    "entry-key": "a key field is missing, unknown, given twice, or matched in a way it cannot",
    "entry-map": "the kernel refused an operation on a map",
    "entry-table": "the program has no such table",
    "entry-value": "a value does not fit the width of its field",
    "missing-package": "a Python package of the `run` extra is not installed",
    "stf-file": "a test file cannot be read",
    "stf-syntax": "a line of a test file is not a statement",
    "stf-unsupported": "a statement for a part that this architecture does not have",
}
