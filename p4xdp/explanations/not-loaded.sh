p4xdp status --dev eth0

# fixed:

p4xdp load router.p4 --dev eth0
p4xdp status --dev eth0
