"""Lines of C that are too long are broken, however deep they stand."""

from __future__ import annotations

import pytest

from p4xdp.backend_c.cwriter import CWriter

LONG = f"x = f({', '.join(f'argument{i}' for i in range(40))});"


@pytest.mark.parametrize("depth", [0, 5, 11, 12, 13, 40])
def test_a_long_line_is_broken_at_any_depth(depth: int) -> None:
    writer = CWriter()
    writer.line("\t" * depth + LONG)
    text = writer.text()
    assert "".join(text.split()) == "".join(LONG.split())
    assert len(text.splitlines()) > 3
