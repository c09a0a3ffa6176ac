#include "words.h"

#include <ctype.h>

int next_word(FILE *file, char *word, int room)
{
    int length = 0, c;
    while ((c = fgetc(file)) != EOF) {
        if (isalpha(c)) {
            if (length < room - 1)
                word[length++] = (char)tolower(c);
        } else if (length > 0) {
            break;
        }
    }
    word[length] = '\0';
    return length > 0;
}
