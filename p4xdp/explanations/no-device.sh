p4xdp load router.p4 --dev eth00

# fixed:

ip -brief link
p4xdp load router.p4 --dev eth0
