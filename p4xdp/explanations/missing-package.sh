pip install p4xdp

# fixed:

pip install "p4xdp[run]"
