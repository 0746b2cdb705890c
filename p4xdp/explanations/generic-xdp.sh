p4xdp load router.p4 --dev eth0

# fixed:

p4xdp load router.p4 --dev eth0 --mode generic
