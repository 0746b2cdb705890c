"""The counters of ebpf_model."""

from __future__ import annotations

from p4xdp.interp.machine import Construction, ExternObject, Invocation, Run, Stuck
from p4xdp.interp.values import NOTHING, Value, number, scalar

COUNTER_WIDTH = 64


class CounterArray(ExternObject):
    """Counters of 64 bits; a sparse array keeps only those that were counted, `size` at most."""

    def __init__(self, made: Construction) -> None:
        super().__init__(made.path)
        size, sparse = made.values.values()
        self.size = number(size)
        self.sparse = bool(scalar(sparse).value)
        self.cells: dict[int, int] = {}

    def call(self, run: Run, invocation: Invocation) -> Value:
        arguments = list(invocation.values)
        index = invocation.argument(arguments[0])
        run.observe(index)
        match invocation.name:
            case "increment":
                self._add(number(index), 1)
            case "add":
                amount = invocation.argument(arguments[1])
                run.observe(amount)
                self._add(number(index), number(amount))
            case name:
                raise Stuck(f"counters have no method `{name}`", invocation.span)
        return NOTHING

    def _add(self, index: int, amount: int) -> None:
        """Count; what is outside of the array has no effect."""
        has_room = index in self.cells or len(self.cells) < self.size
        if has_room if self.sparse else index < self.size:
            self.cells[index] = (self.cells.get(index, 0) + amount) % (1 << COUNTER_WIDTH)


class TableImplementation(ExternObject):
    """`hash_table` and `array_table`: the table itself does what they say."""

    def __init__(self, made: Construction) -> None:
        super().__init__(made.path)


OBJECTS = {
    "CounterArray": CounterArray,
    "hash_table": TableImplementation,
    "array_table": TableImplementation,
}
