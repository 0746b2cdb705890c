p4xdp check rooter.p4

# fixed:

p4xdp check router.p4
