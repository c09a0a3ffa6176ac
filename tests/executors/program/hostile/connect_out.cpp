// status: runtime_error
// Connects to this machine and to others.
#include "answer.hpp"
#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

static bool reached(const char* address, int port) {
    const int end = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<unsigned short>(port));
    inet_pton(AF_INET, address, &to.sin_addr);
    return connect(end, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
}

int main() {
    end(reached("127.0.0.1", 48123) || reached("1.1.1.1", 53) || gethostbyname("example.com"));
}
