"""The architecture files that come with p4xdp, as programs include them."""

from __future__ import annotations

from pathlib import Path

import pytest

from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, check
from p4xdp.options import Options

V1MODEL = """
struct H {{}}
struct M {{}}
parser P(packet_in b, out H h, inout M m, inout standard_metadata_t s) {{
    state start {{ transition accept; }}
}}
control C(inout H h, inout M m) {{ apply {{}} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
    {register} r;
    apply {{ {body} }}
}}
control D(packet_out b, in H h) {{ apply {{}} }}
V1Switch(P(), C(), I(), I(), C(), D()) main;
"""

REGISTERS = {
    "20180101": "register<bit<8>>(4)",
    "20200408": "register<bit<8>, bit<2>>(4)",
}


def _codes(tmp_path: Path, text: str, **defines: str) -> list[str]:
    path = tmp_path / "prog.p4"
    path.write_text(text)
    session = Session(path, Options(defines=defines))
    check(session)
    return [found.code for found in session.diagnostics.found]


@pytest.mark.parametrize("version", REGISTERS)
def test_v1model_has_two_versions(tmp_path: Path, version: str) -> None:
    program = V1MODEL.format(register=REGISTERS[version], body="r.write(1, 2);")
    text = "#include <v1model.p4>\n" + program
    assert _codes(tmp_path, text, V1MODEL_VERSION=version) == []


def test_other_versions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        _codes(tmp_path, "#include <v1model.p4>\n", V1MODEL_VERSION="20000101")
    assert caught.value.diagnostics[0].code == "error-directive"


@pytest.mark.parametrize(
    "call",
    [
        "mark_to_drop();",
        "resubmit(m);",
        "recirculate(m);",
        "clone3(CloneType.I2E, 1, m);",
    ],
)
def test_deprecated_calls_warn(tmp_path: Path, call: str) -> None:
    program = V1MODEL.format(register=REGISTERS["20180101"], body=f"r.write(1, 2); {call}")
    assert _codes(tmp_path, "#include <v1model.p4>\n" + program) == ["deprecated"]


def test_psa_is_found_by_both_names(tmp_path: Path) -> None:
    user = "struct S { PortId_t port; }\nPortIdUint_t f(in S s) { return (PortIdUint_t) s.port; }\n"
    for name in ("psa.p4", "bmv2/psa.p4"):
        assert "undeclared-type" not in _codes_of_fragment(
            tmp_path, f"#include <core.p4>\n#include <{name}>\n{user}"
        )


def _codes_of_fragment(tmp_path: Path, text: str) -> list[str]:
    try:
        return _codes(tmp_path, text)
    except CompileError as error:
        return [found.code for found in error.diagnostics]


def test_a_copy_of_the_core_library_counts_once(tmp_path: Path) -> None:
    """The guards are those of p4c's files, so that a program's own copy does not declare twice."""
    own = "#ifndef _CORE_P4_\n#define _CORE_P4_\nerror { NoError }\n#endif\n"
    program = V1MODEL.format(register=REGISTERS["20180101"], body="r.write(1, 2);")
    text = f"#include <core.p4>\n{own}#include <v1model.p4>\n{program}"
    assert _codes(tmp_path, text) == []
