"""The command `p4xdp`, and `python -m p4xdp`: a signal ends it quietly, also while it starts."""

# not `signal`, which takes a while to import
import _signal  # type: ignore[import-not-found]
import sys

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

from p4xdp.signals import status_of


def _run() -> int:
    from p4xdp.cli import main

    return main()


def main() -> int:
    return status_of(_run, last=True)


if __name__ == "__main__":
    sys.exit(main())
