// status: runtime_error
// Waits to be called.
#include "answer.hpp"
#include <netinet/in.h>
#include <sys/socket.h>

int main() {
    const int own = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    end(bind(own, reinterpret_cast<sockaddr*>(&any), sizeof any) == 0 && listen(own, 1) == 0);
}
