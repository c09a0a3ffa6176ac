# status: wrong_answer
import atexit

atexit.register(print, 8)
print(7)
