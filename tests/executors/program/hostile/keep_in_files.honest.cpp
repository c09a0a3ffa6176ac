// Works through a small file of its own.
#include "answer.hpp"

int main() {
    FILE* file = tmpfile();
    read_numbers();
    for (int i = 0; i < count; i++) fprintf(file, "%ld\n", numbers[i]);
    rewind(file);
    for (int i = 0; i < count; i++) {
        if (fscanf(file, "%ld", &numbers[i]) != 1) return 1;
    }
    fclose(file);
    print_answer();
}
