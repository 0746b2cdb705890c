p4xdp load router.p4 --dev eth0

# fixed:

ethtool -K eth0 rxvlan off
p4xdp load router.p4 --dev eth0
