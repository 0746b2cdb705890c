p4xdp load router.p4 --dev eth0

# fixed:

sudo p4xdp load router.p4 --dev eth0
