p4xdp load router.p4 --dev eth0

# fixed:

ethtool -K eth0 lro off
p4xdp load router.p4 --dev eth0
