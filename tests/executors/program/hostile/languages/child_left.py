# status: runtime_error
import os
import time

if os.fork():
    print(7)
else:
    time.sleep(9)
