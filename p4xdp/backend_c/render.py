"""The templates, and Jinja2 set up for them.

Jinja2 is imported when the first template is rendered; what it makes of the templates is kept
from one compile to the next.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from p4xdp.backend_c.cwriter import commented

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **context: Any) -> str:
    """Return the text of a file of `templates/`."""
    return _environment().get_template(template).render(context)


@cache
def _environment() -> Environment:
    import jinja2
    from jinja2.bccache import Bucket

    from p4xdp.frontend import cache as files

    class CompiledTemplates(jinja2.BytecodeCache):
        """Templates as code objects, in the cache of the whole compiler."""

        def load_bytecode(self, bucket: Bucket) -> None:
            bucket.code = files.load("template", _key(bucket))

        def dump_bytecode(self, bucket: Bucket) -> None:
            files.store("template", _key(bucket), bucket.code)

    def _key(bucket: Bucket) -> str:
        version = f"{sys.implementation.cache_tag}-{jinja2.__version__}"
        return f"{version}-{bucket.key}-{bucket.checksum}"

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("p4xdp.backend_c"),
        bytecode_cache=CompiledTemplates(),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["commented"] = commented
    return environment
