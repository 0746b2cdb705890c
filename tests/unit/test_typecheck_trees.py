"""The typed tree: casts made explicit, arguments in order, names resolved, sugar taken off."""

from __future__ import annotations

from typed_text import check_text, control, declaration, errors_of, statement, value

from p4xdp.frontend import typed
from p4xdp.frontend.types import Basic, Bit, BlockType, Header, ListShape, Struct, Tuple


def assign(body: str, local: str = "", prelude: str = "") -> typed.Assign:
    found = statement(body, local, prelude)
    assert isinstance(found, typed.Assign)
    return found


def the_call(body: str, local: str = "", prelude: str = "") -> typed.Call:
    found = statement(body, local, prelude)
    assert isinstance(found, typed.Evaluate)
    assert isinstance(found.call, typed.Call)
    return found.call


def test_int_becomes_the_type_of_the_other_operand() -> None:
    found = value("h.a + 256")
    assert isinstance(found, typed.Binary)
    assert found.right == typed.Literal(0, Bit(8))
    shifted = value("h.a << 256")
    assert isinstance(shifted, typed.Binary)
    assert shifted.right == typed.Literal(256, Basic.INT)


def test_enum_becomes_its_representation() -> None:
    prelude = "enum bit<8> Kind { low = 1 }"
    found = statement("bit<8> x = kind + 1;", "Kind kind = Kind.low;", prelude)
    assert isinstance(found, typed.Declare)
    assert isinstance(found.declaration, typed.Variable)
    sum = found.declaration.initial
    assert isinstance(sum, typed.Binary)
    assert isinstance(sum.left, typed.Cast)
    assert sum.left.implicit
    assert sum.left.type == Bit(8)


def test_lists_become_structs_in_the_order_of_the_fields() -> None:
    found = assign("h = { 1, 2, 3, 4, true };").value
    assert isinstance(found, typed.StructLiteral)
    assert isinstance(found.type, Header)
    assert [name for name, _ in found.fields] == ["a", "b", "c", "s", "f"]
    assert found.fields[2][1] == typed.Literal(3, Bit(16))


def test_named_fields_stay_in_the_order_of_evaluation() -> None:
    prelude = "extern bit<8> f(in bit<8> x);"
    found = assign("h = { f = true, b = f(1), a = f(2), s = 1, c = 2 };", prelude=prelude).value
    assert isinstance(found, typed.StructLiteral)
    assert [name for name, _ in found.fields] == ["f", "b", "a", "s", "c"]


def test_no_shape_is_left() -> None:
    found = value("{ h.a, { h.b, 1 } }", "tuple<bit<8>, tuple<bit<8>, bit<4>>>")
    assert found.type == Tuple((Bit(8), Tuple((Bit(8), Bit(4)))))
    assert isinstance(found, typed.TupleLiteral)
    assert not isinstance(found.elements[1].type, ListShape)


def test_invalid_header_takes_the_type_of_its_place() -> None:
    assert isinstance(assign("h = {#};").value.type, Header)
    found = value("h == {#}", "bool")
    assert isinstance(found, typed.Binary)
    assert isinstance(found.right, typed.InvalidHeader)
    assert isinstance(found.right.type, Header)


def test_branches_take_the_type_of_their_place() -> None:
    found = assign("h = h.f ? { 1, 2, 3, 4, true } : {#};").value
    assert isinstance(found, typed.Conditional)
    assert isinstance(found.then, typed.StructLiteral)
    assert isinstance(found.otherwise, typed.InvalidHeader)


def test_named_arguments_stand_in_the_order_of_the_parameters() -> None:
    prelude = "extern void f(in bit<8> x, in bit<4> y = 2, out bit<8> z);"
    found = the_call("f(z = h.a, x = h.b);", prelude=prelude)
    x, y, z = found.arguments
    assert isinstance(x, typed.Field)
    assert x.name == "b"
    assert y == typed.Literal(2, Bit(4))
    assert isinstance(z, typed.Field)
    assert z.name == "a"


def test_left_out_arguments_are_none() -> None:
    prelude = "extern void f(in bit<8> x, @optional in bit<4> y, out bit<8> z);"
    assert the_call("f(x = 1, z = _);", prelude=prelude).arguments == (
        typed.Literal(1, Bit(8)),
        None,
        None,
    )


def test_overloads_are_told_apart_by_number_and_by_names() -> None:
    prelude = "extern void f(in bit<8> x); extern void f(in bit<8> y); extern void f();"
    for text, names in (("f();", ()), ("f(x = 1);", ("x",)), ("f(y = 1);", ("y",))):
        callee = the_call(text, prelude=prelude).callee
        assert isinstance(callee, typed.ExternFunctionCallee)
        assert tuple(p.name for p in callee.function.parameters) == names


def test_combined_assignment_evaluates_its_target_once() -> None:
    found = assign("h.a |+|= 3;")
    assert found.op == "|+|"
    assert found.value == typed.Literal(3, Bit(8))


def test_names_are_resolved_from_the_inside_out() -> None:
    prelude = "const bit<8> x = 1;"
    found = control("bit<8> y = x; { bit<8> x = x; h.a = x; } h.b = .x;", "bit<8> x = 2;", prelude)
    outer = found.locals[0]
    inner_block = found.apply.statements[1]
    assert isinstance(inner_block, typed.Block)
    inner, use = inner_block.statements
    assert isinstance(inner, typed.Declare)
    assert isinstance(inner.declaration, typed.Variable)
    assert inner.declaration.initial == typed.Ref(outer, Bit(8))  # type: ignore[arg-type]
    assert isinstance(use, typed.Assign)
    assert isinstance(use.value, typed.Ref)
    assert use.value.declaration is inner.declaration
    last = found.apply.statements[2]
    assert isinstance(last, typed.Assign)
    assert last.value == typed.Literal(1, Bit(8))


# Switch


def test_labels_that_fall_through_are_merged() -> None:
    found = statement("switch (h.a) { 1: 2: { h.b = 1; } 3: { } default: }")
    assert isinstance(found, typed.ValueSwitch)
    labels = [tuple(getattr(e, "value", None) for e in case.labels) for case in found.cases]
    assert labels == [(1, 2), (3,), (None,)]
    assert found.cases[2].body is None


def test_action_labels_are_actions() -> None:
    local = """
action x() { } action y() { }
table t { key = { h.a : exact; } actions = { x; y; } }
"""
    found = statement("switch (t.apply().action_run) { x: y: { } default: { } }", local)
    assert isinstance(found, typed.ActionSwitch)
    names = [[a.name if a else None for a in case.labels] for case in found.cases]
    assert names == [["x", "y"], [None]]


# Tables


def table(properties: str, local: str = "") -> typed.Table:
    found = control(
        "", f"action go(bit<8> v) {{ }} action stop() {{ }} {local} table t {{ {properties} }}"
    )
    last = found.locals[-1]
    assert isinstance(last, typed.Table)
    return last


def test_a_missing_default_action_is_no_action() -> None:
    found = table("actions = { stop; }")
    assert found.default is not None
    assert found.default.action.name == "NoAction"
    assert not found.default_const
    assert found.keys == ()


def test_without_core_there_is_no_default_action() -> None:
    text = "control C() { action a() { } table t { actions = { a; } } apply { } }"
    last = check_text(text).declarations[-1]
    assert isinstance(last, typed.Control)
    found = last.locals[-1]
    assert isinstance(found, typed.Table)
    assert found.default is None


def test_keys_have_control_plane_names() -> None:
    found = table(
        """key = { h.a : exact; h.c[3:0] : exact; h.isValid() : exact;
        h.a + h.b : exact @name("sum"); (h.a | h.b) & 15 : exact; } actions = { stop; }"""
    )
    assert [key.name for key in found.keys] == [
        "h.a",
        "h.c[3:0]",
        "h.isValid()",
        "sum",
        "(h.a | h.b) & 15",
    ]


def test_entries_meet_their_keys() -> None:
    found = table(
        """key = { h.a : ternary; h.c : lpm; h.f : exact; } actions = { go; stop; }
        const default_action = go(7);
        const entries = {
            (1 &&& 3, 0x1200 &&& 0xff00, true) : go(3);
            (_, 5, false) : stop();
            _ : stop;
        }"""
    )
    assert found.entries_const
    assert found.default_const
    assert found.default is not None
    assert found.default.arguments == (typed.Literal(7, Bit(8)),)
    first, second, third = found.entries
    assert first.keysets == (
        typed.MaskKey(typed.Literal(1, Bit(8)), typed.Literal(3, Bit(8))),
        typed.MaskKey(typed.Literal(0x1200, Bit(16)), typed.Literal(0xFF00, Bit(16))),
        typed.ValueKey(typed.Literal(True, Basic.BOOL)),
    )
    assert first.choice.arguments == (typed.Literal(3, Bit(8)),)
    assert isinstance(second.keysets[0], typed.AnyKey)
    assert third.keysets == (typed.AnyKey(),) * 3


def test_lists_of_actions_bind_directions() -> None:
    found = table(
        "key = { h.a : exact; } actions = { both(h.b); @tableonly stop; @defaultonly go; }"
        " default_action = both(h.b, 3);",
        "action both(inout bit<8> place, bit<8> data) { place = data; }",
    )
    both, stop, go = found.actions
    assert isinstance(both.arguments[0], typed.Field)
    assert stop.table_only
    assert go.default_only
    assert found.default is not None
    assert found.default.arguments == (typed.Literal(3, Bit(8)),)


def test_priorities_are_numbers() -> None:
    found = table(
        """key = { h.a : ternary; } actions = { stop; }
        largest_priority_wins = false;
        entries = { const priority = (10 + 1): 1 : stop(); 2 : stop(); }"""
    )
    assert [(e.priority, e.const) for e in found.entries] == [(11, True), (None, False)]
    assert [p.name for p in found.properties] == ["largest_priority_wins"]


# Parsers


def parser(states: str, local: str = "") -> typed.Parser:
    text = f"""
#include <core.p4>
struct Key {{ bit<8> kind; bool last; }}
header H {{ bit<8> a; bit<16> b; }}
parser P(packet_in packet, out H h, in Key key) {{ {local} {states} }}
"""
    last = check_text(text).declarations[-1]
    assert isinstance(last, typed.Parser)
    return last


def test_select_keys_are_scalars() -> None:
    found = parser(
        """state start { transition select({ h.a, key }, h.b) {
            ({ 1, { 2, true } }, 3 .. 4): accept; (_, _): reject; } }"""
    ).states[0]
    assert isinstance(found.transition, typed.Select)
    assert [k.type for k in found.transition.keys] == [Bit(8), Bit(8), Basic.BOOL, Bit(16)]
    first, second = found.transition.cases
    assert first.keysets == (
        typed.ValueKey(typed.Literal(1, Bit(8))),
        typed.ValueKey(typed.Literal(2, Bit(8))),
        typed.ValueKey(typed.Literal(True, Basic.BOOL)),
        typed.RangeKey(typed.Literal(3, Bit(16)), typed.Literal(4, Bit(16))),
    )
    assert second.keysets == (typed.AnyKey(),) * 4


def test_a_call_as_select_key_is_made_once() -> None:
    found = parser(
        """state start { h.a = 1; transition select(packet.lookahead<tuple<bit<8>, bool>>()) {
            { 1, true }: accept; default: reject; } }"""
    ).states[0]
    assert isinstance(found.transition, typed.Select)
    declared = found.statements[-1]
    assert isinstance(declared, typed.Declare)
    for key in found.transition.keys:
        assert isinstance(key, typed.TupleIndex)
        assert isinstance(key.base, typed.Ref)
        assert key.base.declaration is declared.declaration


def test_a_state_without_transition_rejects() -> None:
    assert parser("state start { }").states[0].transition == typed.Goto("reject")


def test_value_sets_stand_for_all_keys() -> None:
    found = parser(
        """state start { transition select(h.a, h.b) { pairs: accept; (1, 2): reject; } }""",
        "value_set<tuple<bit<8>, bit<16>>>(4) pairs;",
    )
    transition = found.states[0].transition
    assert isinstance(transition, typed.Select)
    assert isinstance(transition.cases[0].keysets[0], typed.SetKey)


# Objects


PACKAGE = """
#include <core.p4>
parser P<H>(packet_in packet, out H headers);
control C<H>(inout H headers);
package Top<H>(P<H> p, C<H> c);
struct Headers { }
parser MyParser(packet_in packet, out Headers hd) { state start { transition accept; } }
control MyControl(inout Headers hd) { apply { } }
Top(MyParser(), MyControl()) main;
"""


def test_packages_are_specialised() -> None:
    program = check_text(PACKAGE)
    assert program.main is not None
    package = program.main.target
    assert isinstance(package, typed.Package)
    wanted = package.parameters[1].type
    assert isinstance(wanted, BlockType)
    assert wanted.parameters[0].type == Struct("Headers", ())
    first = program.main.arguments[0]
    assert isinstance(first, typed.Construct)
    assert first.target is declaration(program, "MyParser")


def test_errors_are_numbered_in_order() -> None:
    program = check_text("#include <core.p4>\nerror { Mine, Yours }")
    assert program.errors[0] == "NoError"
    assert program.errors[-2:] == ("Mine", "Yours")
    assert len(program.errors) == 9
    assert program.match_kinds == ("exact", "ternary", "lpm")


def test_direct_application_constructs() -> None:
    prelude = "control Sub(inout H h) { apply { } }"
    callee = the_call("Sub.apply(h);", prelude=prelude).callee
    assert isinstance(callee, typed.ApplyCallee)
    assert isinstance(callee.instance, typed.Construct)
    assert callee.block is callee.instance.target


def test_instances_can_be_constructor_arguments() -> None:
    text = """
control T(inout bit<16> x);
control A(inout bit<16> x) { apply { x = x + 1; } }
control B(inout bit<16> x)(T c) { apply { c.apply(x); } }
control M(inout bit<16> x) { A() a; B(a) b; apply { b.apply(x); } }
"""
    block = check_text(text).declarations[1]
    assert isinstance(block, typed.Control)
    inner = block.apply.statements[0]
    assert isinstance(inner, typed.Evaluate)
    assert isinstance(inner.call, typed.Call)
    assert isinstance(inner.call.callee, typed.ApplyCallee)
    assert inner.call.callee.block is None


def test_one_cause_gives_one_error() -> None:
    text = """
#include <core.p4>
control C(inout bit<8> x) {
    bit<8> y = missing;
    bit<8> z = y + 1;
    apply { x = y; z = missing; missing.field = y; y.apply(); if (missing == 1) { x = z; } }
}
"""
    (error,) = errors_of(text)
    assert error.code == "undeclared"
