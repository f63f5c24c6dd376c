// `sidetone lab`: finds the word and hands over.
#include "prog/lab_parts.h"
#include "prog/prog.h"
#include "show/suggest.h"

#include <stdio.h>
#include <string.h>

static const char HELP[] =
    "usage: sidetone lab WORD [OPTIONS]\n"
    "\n"
    "  scale    what a program gains by more cores\n"
    "  ab       which of two programs needs less, and is that certain?\n"
    "  gate     is a build as fast and as small as its baseline says?\n"
    "  compare  what other programs need for the same capture, and what they make of it\n"
    "  floor    the least that reading a capture costs\n"
    "\n"
    "sidetone lab WORD --help tells more.\n";

int prog_lab(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } WORDS[] = {{"scale", lab_scale},
                 {"ab", lab_ab},
                 {"gate", lab_gate},
                 {"compare", lab_compare},
                 {"floor", lab_floor}};
    enum {
        COUNT = sizeof WORDS / sizeof *WORDS
    };
    const char *names[COUNT];
    if (argc < 2) {
        fputs("sidetone lab: what shall be measured? scale, ab, gate or compare; "
              "sidetone help lab tells more\n",
              stderr);
        return PROG_USAGE;
    }
    const char *word = argv[1];
    for (size_t i = 0; i < COUNT; i++) {
        names[i] = WORDS[i].name;
        if (strcmp(word, WORDS[i].name) == 0) {
            return WORDS[i].run(argc - 1, argv + 1);
        }
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return prog_print(HELP);
    }
    const char *meant = suggest(word, names, COUNT);
    fprintf(stderr,
            "sidetone lab: it measures no '%s'%s%s%s; sidetone help lab lists what it does\n", word,
            meant ? ", did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    return PROG_USAGE;
}
