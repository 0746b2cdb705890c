"""p4xdp."""
