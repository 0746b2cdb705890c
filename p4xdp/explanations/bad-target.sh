p4xdp build --target native -o out.o router.p4

# fixed:

p4xdp build --target xdp -o out.o router.p4
