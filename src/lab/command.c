// Splitting a command line into words.
#include "lab/command.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

struct splitter {
    const char *text;
    size_t at;
    char *to; // where the next byte of a word goes
    struct command *command;
    struct command_trouble *trouble;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool refuse(struct splitter *s, enum command_fault fault, char found)
{
    *s->trouble = (struct command_trouble){fault, s->at, found};
    return false;
}

static bool is_for_a_shell(char c)
{
    return strchr("|&;<>()$`*?[]", c) != NULL;
}

// What stands between two quotes; s->at is behind the first.
static bool take_quoted(struct splitter *s, char quote)
{
    size_t begin = s->at - 1;
    for (; s->text[s->at] != quote; s->at++) {
        char c = s->text[s->at];
        if (c == '\0') {
            s->at = begin;
            return refuse(s, COMMAND_QUOTE_OPEN, quote);
        }
        if (quote == '"' && (c == '$' || c == '`')) {
            return refuse(s, COMMAND_SHELL, c);
        }
        char next = s->text[s->at + 1];
        if (quote == '"' && c == '\\' && (next == '"' || next == '\\')) {
            s->at++;
            c = next;
        }
        *s->to++ = c;
    }
    s->at++;
    return true;
}

// One word; s->at is at its first byte.
static bool take_word(struct splitter *s)
{
    size_t begin = s->at;
    for (char c; (c = s->text[s->at]) != '\0' && !is_blank(c);) {
        if (is_for_a_shell(c) || (s->at == begin && (c == '~' || c == '#'))) {
            return refuse(s, COMMAND_SHELL, c);
        }
        if (c == '=' && s->command->count == 0) {
            return refuse(s, COMMAND_ASSIGNMENT, c);
        }
        s->at++;
        if (c == '\'' || c == '"') {
            if (!take_quoted(s, c)) {
                return false;
            }
            continue;
        }
        if (c == '\\') {
            c = s->text[s->at];
            if (c == '\0') {
                return refuse(s, COMMAND_CUT_SHORT, '\\');
            }
            s->at++;
        }
        *s->to++ = c;
    }
    *s->to++ = '\0';
    return true;
}

bool command_split(struct command *c, const char *text, struct command_trouble *t)
{
    size_t n = strlen(text);
    // A word takes at least one byte of the text and a separator, and its NUL takes the place of
    // the latter.
    *c = (struct command){.words = memory_zero((n / 2 + 2) * sizeof *c->words),
                          .bytes = memory_alloc(n + 2)};
    *t = (struct command_trouble){COMMAND_GOOD, 0, 0};
    struct splitter s = {.text = text, .to = c->bytes, .command = c, .trouble = t};
    for (;;) {
        while (is_blank(text[s.at])) {
            s.at++;
        }
        if (text[s.at] == '\0') {
            return c->count > 0 || refuse(&s, COMMAND_EMPTY, 0);
        }
        char *word = s.to;
        if (!take_word(&s)) {
            return false;
        }
        c->words[c->count++] = word;
    }
}

// --- placeholders ---

// The length of "{name}" at p, or 0.
static size_t placeholder(const char *p)
{
    size_t n = 1;
    if (p[0] != '{') {
        return 0;
    }
    while (p[n] >= 'a' && p[n] <= 'z') {
        n++;
    }
    return n > 1 && p[n] == '}' ? n + 1 : 0;
}

// The value of "{name}" of n bytes; NULL where it is not known.
static const char *value_of(const char *p, size_t n, const struct command_value *values,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(values[i].name) == n - 2 && memcmp(values[i].name, p + 1, n - 2) == 0) {
            return values[i].value;
        }
    }
    return NULL;
}

bool command_has(const struct command *c, const char *name)
{
    const struct command_value value = {name, name};
    for (size_t i = 0; i < c->count; i++) {
        for (const char *p = c->words[i]; *p; p++) {
            size_t n = placeholder(p);
            if (n > 0 && value_of(p, n, &value, 1)) {
                return true;
            }
        }
    }
    return false;
}

// Writes a filled word to `to` (NULL: only measures it). Returns its bytes without the NUL, or
// SIZE_MAX where a name is not known.
static size_t fill_word(char *to, const char *word, const struct command_value *values,
                        size_t count)
{
    size_t n = 0;
    while (*word) {
        size_t name_bytes = placeholder(word), bytes = 1;
        const char *piece = word;
        if (name_bytes > 0) {
            piece = value_of(word, name_bytes, values, count);
            if (!piece) {
                return SIZE_MAX;
            }
            bytes = strlen(piece);
        }
        if (to) {
            memcpy(to + n, piece, bytes);
        }
        n += bytes;
        word += name_bytes > 0 ? name_bytes : 1;
    }
    if (to) {
        to[n] = '\0';
    }
    return n;
}

bool command_fill(struct command *out, const struct command *from,
                  const struct command_value *values, size_t count, struct command_trouble *t)
{
    size_t bytes = 0;
    *out = (struct command){0};
    *t = (struct command_trouble){COMMAND_GOOD, 0, 0};
    for (size_t i = 0; i < from->count; i++) {
        size_t n = fill_word(NULL, from->words[i], values, count);
        if (n == SIZE_MAX) {
            *t = (struct command_trouble){COMMAND_PLACEHOLDER, i, '{'};
            return false;
        }
        bytes += n + 1;
    }
    *out = (struct command){.words = memory_zero((from->count + 1) * sizeof *out->words),
                            .bytes = memory_alloc(bytes + 1)};
    char *to = out->bytes;
    for (size_t i = 0; i < from->count; i++) {
        out->words[out->count++] = to;
        to += fill_word(to, from->words[i], values, count) + 1;
    }
    return true;
}

void command_of(struct command *c, const char *const *words, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += strlen(words[i]) + 1;
    }
    *c = (struct command){.words = memory_zero((count + 1) * sizeof *c->words),
                          .bytes = memory_alloc(bytes + 1)};
    char *to = c->bytes;
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(words[i]) + 1;
        memcpy(to, words[i], n);
        c->words[c->count++] = to;
        to += n;
    }
}

void command_fini(struct command *c)
{
    memory_free(c->words);
    memory_free(c->bytes);
    *c = (struct command){0};
}

size_t command_trouble_text(const struct command_trouble *t, char *out)
{
    int n = 0;
    switch (t->fault) {
    case COMMAND_GOOD:
        n = snprintf(out, COMMAND_TROUBLE_BYTES, "nothing is wrong");
        break;
    case COMMAND_EMPTY:
        n = snprintf(out, COMMAND_TROUBLE_BYTES, "the command is empty");
        break;
    case COMMAND_QUOTE_OPEN:
        n = snprintf(out, COMMAND_TROUBLE_BYTES, "the %c at byte %zu has no partner", t->found,
                     t->at);
        break;
    case COMMAND_CUT_SHORT:
        n = snprintf(out, COMMAND_TROUBLE_BYTES, "nothing stands behind the last backslash");
        break;
    case COMMAND_SHELL:
        n = snprintf(out, COMMAND_TROUBLE_BYTES,
                     "the %c at byte %zu is for a shell, and none is run: quote it where it is "
                     "meant as it stands, or write sh -c '...'",
                     t->found, t->at);
        break;
    case COMMAND_ASSIGNMENT:
        n = snprintf(out, COMMAND_TROUBLE_BYTES,
                     "variables in front of a program are for a shell, and none is run: write "
                     "env NAME=value PROGRAM ...");
        break;
    case COMMAND_PLACEHOLDER:
        n = snprintf(out, COMMAND_TROUBLE_BYTES, "word %zu has a {name} that stands for nothing",
                     t->at + 1);
        break;
    }
    return n > 0 ? (size_t)n : 0;
}
