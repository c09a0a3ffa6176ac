#ifndef TABLE_H
#define TABLE_H

/* How often each word was seen. */
struct entry {
    char *word;
    long count;
};

struct table {
    struct entry *entries;
    int used, room;
};

void table_add(struct table *table, const char *word);
void table_sort(struct table *table); /* the most frequent first, then by name */
void table_free(struct table *table);

#endif
