"""`python -m p4xdp`, the same as the command `p4xdp`."""

import sys

from p4xdp.cli import main

if __name__ == "__main__":
    sys.exit(main())
