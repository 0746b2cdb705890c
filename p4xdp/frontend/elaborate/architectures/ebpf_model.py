"""ebpf_model: a parser and a filter that accepts or not; the packet stays as it came."""

from __future__ import annotations

from p4xdp.frontend.elaborate.architectures.blocks import (
    Architecture,
    Main,
    blocks,
    control,
    parse,
    run,
    storage,
)
from p4xdp.frontend.elaborate.trees import leaf
from p4xdp.frontend.elaborate.walk import Packet, Walk, storage_leaf
from p4xdp.midend import ir


def _elaborate(walk: Walk, main: Main) -> ir.Program:
    parser, filter_ = blocks(walk, main.instance, 2)
    headers, accept = (storage(walk, p) for p in control(filter_).parameters)
    graph = parse(walk, parser, [Packet(), headers])
    verdict = storage_leaf(leaf(accept))
    body = run(walk, filter_, [headers, accept], preset=(verdict,))
    return ir.Program(
        name=main.name,
        source=main.source,
        model="filter",
        input_port=None,
        verdict=verdict,
        port=None,
        parser=graph,
        control=body,
        deparser=(),
    )


ARCHITECTURE = Architecture("ebpf_model", (2, 2), _elaborate)
