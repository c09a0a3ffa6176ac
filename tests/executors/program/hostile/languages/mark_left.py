# status: ok
import os

for folder in {os.path.dirname(__file__), "/tmp", os.getcwd(), "/dev/shm"}:
    path = folder + "/" + "mark"
    if os.path.exists(path):
        print("seen")
        break
    try:
        open(path, "w").write("x")
    except OSError:
        pass
print(7)
