# status: out_of_memory
b = bytearray(1 << 40)
print(7)
