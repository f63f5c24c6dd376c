// What was measured, on what, and when: without that, a figure is nothing that anybody could
// repeat.
//
// Texts are whole or cut at the end of their arrays; an empty one is not known. Whoever measures
// asks for all this before the first run.
#ifndef SIDETONE_LAB_IDENTITY_H
#define SIDETONE_LAB_IDENTITY_H

#include "lab/sha256.h"

#include <limits.h>
#include <stddef.h>

#define IDENTITY_TEXT_BYTES 512

// A program, as far as its file and its answer to --version tell. Only of sidetone builds are
// revision, compiler and flags known: their --version has lines that begin with these words.
struct identity_program {
    char path[PATH_MAX]; // of its file, without links; empty: there is none
    struct sha256 sha256;
    char version[IDENTITY_TEXT_BYTES];  // first line
    char revision[IDENTITY_TEXT_BYTES]; // of the sources: digits of git, or "unknown"
    bool is_changed;                    // the sources had changes that no revision has
    char built_by[IDENTITY_TEXT_BYTES];
    char flags[IDENTITY_TEXT_BYTES];
};

struct identity_machine {
    char cpu[IDENTITY_TEXT_BYTES];
    uint32_t cpus_online, cpus_allowed; // of the machine; those that this process may use
    char mhz[32];                       // of the first processor at this moment
    char governor[32];                  // of its frequency
    char kernel[IDENTITY_TEXT_BYTES];   // name, release, processor
    uint64_t memory_bytes;              // 0: not known
    int64_t utc_ns;                     // the moment
};

struct identity_corpus {
    const char *path; // the caller's
    bool is_folder;
    uint64_t files, bytes;
    struct sha256 sha256;
};

// Finds `name` as execvp does and has it say its --version; nothing that it does with that word
// takes longer than 5 s. `stop`: NULL, or true as soon as it shall end.
void identity_of_program(struct identity_program *p, const char *name, const volatile bool *stop);

void identity_of_machine(struct identity_machine *m);

// Returns 0, or an errno: it is not there, or neither a file nor a folder with files.
int identity_of_corpus(struct identity_corpus *c, const char *path, const volatile bool *stop);

// Finds a program as execvp does. Returns false where there is none.
bool identity_find(const char *name, char out[PATH_MAX]);

#endif
