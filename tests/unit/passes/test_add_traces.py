"""add_traces: what goes in, what comes out, as text."""

from __future__ import annotations

from dataclasses import replace

from make import EMPTY, ETHERNET, VERDICT, expected, field, num, put, state, table, text, var

from p4xdp.midend.ir import ActionArm, Apply, Extract, Key
from p4xdp.midend.passes.add_traces import add_traces

A = var("a")
DST = field(ETHERNET, "dst")


def test_an_apply_tells_its_keys_and_its_action() -> None:
    keys = (Key("hd.eth.dst", 48, "exact"),)
    apply = Apply("C.t", (DST,), (ActionArm(0, (A,), (put(VERDICT, num(2, 32)),)),))
    program = replace(EMPTY, tables=(table("C.t", A, keys=keys),), control=(apply,))
    assert text(add_traces(program).control) == expected(
        """
        trace('C.t: hd.eth.dst = %', hd.eth.dst);
        C.t.apply(hd.eth.dst) {
            action 0(a): {
                trace('C.t: act0, a = %', a);
                out.verdict = 32w2;
            }
        }
        trace('verdict %', out.verdict);
        """
    )


def test_a_state_tells_its_name_before_anything_else() -> None:
    program = replace(EMPTY, headers=(ETHERNET,), parser=(state("start", Extract("hd.eth")),))
    assert text(add_traces(program).parser[0].body) == expected(
        """
        trace('state start');
        extract(hd.eth);
        """
    )
