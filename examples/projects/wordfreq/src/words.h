#ifndef WORDS_H
#define WORDS_H

#include <stdio.h>

/* Reads the next word, in lower case, into `word`; 0 at the end of the file. */
int next_word(FILE *file, char *word, int room);

#endif
