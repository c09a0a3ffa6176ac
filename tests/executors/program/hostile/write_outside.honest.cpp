// Leaves a file where it works, and reads it.
#include "answer.hpp"

int main() {
    FILE* file = fopen("was-here", "w+");
    fprintf(file, "%d", 17);
    rewind(file);
    int read = 0;
    end(fscanf(file, "%d", &read) == 1 && read == 17);
}
