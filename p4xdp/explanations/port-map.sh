p4xdp load router.p4 --dev eth0 --port 1=eth1

# fixed:

p4xdp load router.p4 --dev eth0
