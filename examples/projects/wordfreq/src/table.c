#include "table.h"

#include <stdlib.h>
#include <string.h>

static struct entry *find(struct table *table, const char *word)
{
    for (int i = 0; i < table->used; i++)
        if (strcmp(table->entries[i].word, word) == 0)
            return &table->entries[i];
    return NULL;
}

void table_add(struct table *table, const char *word)
{
    struct entry *known = find(table, word);
    if (known) {
        known->count++;
        return;
    }
    if (table->used == table->room) {
        table->room += 16;
        table->entries = realloc(table->entries, table->room * sizeof *table->entries);
    }
    table->entries[table->used].word = strdup(word);
    table->entries[table->used].count = 1;
    table->used++;
}

static int before(const struct entry *a, const struct entry *b)
{
    if (a->count != b->count)
        return a->count > b->count;
    return strcmp(a->word, b->word) < 0;
}

void table_sort(struct table *table)
{
    for (int i = 0; i < table->used; i++)
        for (int j = i + 1; j < table->used; j++)
            if (before(&table->entries[j], &table->entries[i])) {
                struct entry other = table->entries[i];
                table->entries[i] = table->entries[j];
                table->entries[j] = other;
            }
}

void table_free(struct table *table)
{
    for (int i = 0; i < table->used; i++)
        free(table->entries[i].word);
    free(table->entries);
}
