p4xdp explain undeclred

# fixed:

p4xdp explain undeclared
