// status: runtime_error
// Tries the kinds of sockets that no file system and not every namespace hides.
#include "answer.hpp"
#include <cstddef>
#include <cstring>
#include <linux/vm_sockets.h>
#include <sys/socket.h>
#include <sys/un.h>

int main() {
    sockaddr_un name{AF_UNIX, "\0maxcode-hostile"};
    const socklen_t length = offsetof(sockaddr_un, sun_path) + 1 + strlen("maxcode-hostile");
    const int local = socket(AF_UNIX, SOCK_STREAM, 0);
    bool reached = connect(local, reinterpret_cast<sockaddr*>(&name), length) == 0;
    reached = reached || socket(AF_VSOCK, SOCK_STREAM, 0) >= 0;
    reached = reached || socket(AF_ALG, SOCK_SEQPACKET, 0) >= 0;
    reached = reached || socket(AF_PACKET, SOCK_RAW, 0) >= 0;
    end(reached);
}
