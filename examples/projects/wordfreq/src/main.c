#include "table.h"
#include "words.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: wordfreq COUNT FILE\n");
        return 2;
    }
    FILE *file = fopen(argv[2], "r");
    if (!file) {
        perror(argv[2]);
        return 1;
    }
    struct table table = {0};
    char word[64];
    while (next_word(file, word, sizeof word))
        table_add(&table, word);
    fclose(file);
    table_sort(&table);
    for (int i = 0; i < table.used && i < atoi(argv[1]); i++)
        printf("%7ld %s\n", table.entries[i].count, table.entries[i].word);
    table_free(&table);
    return 0;
}
