p4xdp -o build/out.c router.p4

# fixed:

mkdir build
p4xdp -o build/out.c router.p4
