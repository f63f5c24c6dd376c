// Guesses which word was meant.
#include "show/suggest.h"

#include <stdbool.h>
#include <string.h>

// Longer words are no typing errors of ours.
#define WORD_MAX 24

static unsigned smallest(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

// Edits (insert, delete, replace, swap neighbours) between two words of at most WORD_MAX letters.
static unsigned distance(const char *a, size_t a_n, const char *b, size_t b_n)
{
    unsigned rows[3][WORD_MAX + 1]; // the last two rows and the one in work
    for (size_t j = 0; j <= b_n; j++) {
        rows[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a_n; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_n; j++) {
            unsigned cost = a[i - 1] != b[j - 1];
            row[j] = smallest(above[j] + 1, row[j - 1] + 1, above[j - 1] + cost);
            bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (is_swap && two_above[j - 2] + 1 < row[j]) {
                row[j] = two_above[j - 2] + 1;
            }
        }
    }
    return rows[a_n % 3][b_n];
}

const char *suggest(const char *word, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    size_t word_n = strlen(word);
    unsigned nearest = word_n < 4 ? 1 : 2; // in a short word two edits could mean anything
    for (size_t i = 0; word_n <= WORD_MAX && i < count; i++) {
        size_t n = strlen(candidates[i]);
        if (n > WORD_MAX) {
            continue;
        }
        unsigned edits = distance(word, word_n, candidates[i], n);
        if (edits < nearest || (edits == nearest && !best)) {
            nearest = edits;
            best = candidates[i];
        }
    }
    return best;
}
