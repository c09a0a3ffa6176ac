// status: runtime_error
// Lets programs of the system do what it may not.
#include "answer.hpp"

int main() {
    const char* commands[] = {
        "su -c true",
        "mount -t tmpfs none /tmp",
        "cat /etc/passwd",
        "ls /tmp/maxcode-canary*/expected",
        "perl -e 'use Socket; socket(S, AF_INET, SOCK_STREAM, 0) or die'",
    };
    for (const char* command : commands) {
        if (system(command) == 0) end(true);
    }
    end(false);
}
