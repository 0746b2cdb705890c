"""p4xdp."""

VERSION = "0.1.0"
