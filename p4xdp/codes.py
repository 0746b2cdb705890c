"""The table of diagnostic codes: every code that a user can meet, with what it means."""

from __future__ import annotations

CODES: dict[str, str] = {
    "capture": "a packet capture cannot be read, or is cut off",
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
    "stf-file": "a test file cannot be read",
    "stf-syntax": "a line of a test file is not a statement",
    "stf-unsupported": "a statement for a part that this architecture does not have",
}
