"""What the functions `<table>_find` have in common: their heads, and keys made of words."""

from __future__ import annotations

from p4xdp.backend_c import keys, scalars
from p4xdp.backend_c.cwriter import CWriter, wrapped
from p4xdp.backend_c.model import Table


def by_words(table: Table, w: CWriter, *, in_scratch: bool) -> str:
    """Return the function with the body in `w`, whose parameters are the words of the key."""
    words = [f"__u64 word{number}" for number in range(keys.count(table))]
    if in_scratch:
        words.insert(0, f"struct {table.c_name}_key *key")
    return _function(table, words, w)


def by_fields(table: Table, w: CWriter, *, in_scratch: bool) -> str:
    """Return the function with the body in `w`, whose parameters are the fields of the key."""
    fields = [f"{kind} {p}" for key in table.keys for kind, p in scalars.parameters(key)]
    if in_scratch:
        fields.insert(0, f"struct {table.c_name}_key *key")
    return _function(table, fields, w)


def _function(table: Table, parameters: list[str], w: CWriter) -> str:
    name = table.c_name
    head = f"static __always_inline struct {name}_value *{name}_find("
    return f"{wrapped(head, parameters, ')')}\n{{\n{w.text()}}}\n"


def declare_halves(w: CWriter, table: Table) -> str:
    """Declare the key of a hash as `declare_words` does on the stack; a word that two fields meet
    in the middle of is stored by halves. The hash reads it so, and need not wait for both."""
    words = [f"word{number}" for number in range(keys.count(table))]
    starts = {scalar.offset for scalar in table.keys}
    halved = [8 * number + 4 in starts for number in range(len(words))]
    if not any(halved):
        return declare_words(w, table, in_scratch=False)
    w.line(f"__u64 key[{len(words)}];")
    w.line("")
    for number, (word, by_halves) in enumerate(zip(words, halved, strict=True)):
        store = f"p4xdp_store_halves(&key[{number}], {word});"
        w.line(store if by_halves else f"key[{number}] = {word};")
    return "key"


def declare_words(w: CWriter, table: Table, *, in_scratch: bool) -> str:
    """Declare the key as words, in memory; return the C text of its address."""
    words = [f"word{number}" for number in range(keys.count(table))]
    if not in_scratch:
        w.line(f"__u64 key[] = {{ {', '.join(words)} }};")
        w.line("")
        return "key"
    w.line("p4xdp_any64 *words = (void *)key;")
    w.line("")
    for number, word in enumerate(words):
        w.line(f"words[{number}] = {word};")
    return "key"
