// The command line: finds the verb and hands over.
#include "prog/prog.h"
#include "show/suggest.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

struct verb {
    const char *name, *does;
    int (*run)(int argc, char **argv);
};

static const struct verb VERBS[] = {
    {"read", "show every call and media stream of captures, and what went wrong", prog_read},
    {"gen", "make a capture of a busy trunk from a seed", prog_gen},
    {"lab", "measure builds and other programs on captures", prog_lab},
};

enum {
    VERB_COUNT = sizeof VERBS / sizeof *VERBS
};

static int help(void)
{
    char text[2048];
    int n = snprintf(text, sizeof text,
                     "Sidetone shows what happens in VoIP networks.\n"
                     "\n"
                     "usage: sidetone VERB [OPTIONS]\n"
                     "\n");
    for (size_t i = 0; i < VERB_COUNT; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "  %-10s  %s\n", VERBS[i].name,
                      VERBS[i].does);
    }
    snprintf(text + n, sizeof text - (size_t)n,
             "\n"
             "sidetone help VERB    its options and examples\n"
             "sidetone --version    what this build is\n");
    return prog_print(text);
}

static const struct verb *find(const char *name)
{
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if (strcmp(VERBS[i].name, name) == 0) {
            return &VERBS[i];
        }
    }
    return NULL;
}

static int unknown(const char *word)
{
    const char *names[VERB_COUNT + 1];
    for (size_t i = 0; i < VERB_COUNT; i++) {
        names[i] = VERBS[i].name;
    }
    names[VERB_COUNT] = "help";
    const char *meant = suggest(word, names, VERB_COUNT + 1);
    if (meant) {
        fprintf(stderr, "sidetone: there is no verb '%s'; did you mean '%s'?\n", word, meant);
    } else {
        fprintf(stderr, "sidetone: there is no verb '%s'; sidetone --help lists them\n", word);
    }
    return PROG_USAGE;
}

static int help_of(const char *name)
{
    static char option[] = "--help";
    char word[32];
    const struct verb *verb = find(name);
    if (!verb) {
        return unknown(name);
    }
    snprintf(word, sizeof word, "%s", verb->name);
    char *arguments[] = {word, option, NULL};
    return verb->run(2, arguments);
}

int main(int argc, char **argv)
{
    // A reader that goes away, or a limit on the size of files, is an error of writing, not our
    // death.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (argc < 2) {
        fputs("sidetone: what shall it do? `sidetone read FILE` shows a capture, "
              "`sidetone --help` lists everything\n",
              stderr);
        return PROG_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        return prog_version();
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return help();
    }
    if (strcmp(word, "help") == 0) {
        return argc > 2 ? help_of(argv[2]) : help();
    }
    const struct verb *verb = find(word);
    return verb ? verb->run(argc - 1, argv + 1) : unknown(word);
}
