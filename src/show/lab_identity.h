// What was measured, and on what, for people and as JSON: see lab/identity.h.
#ifndef SIDETONE_SHOW_LAB_IDENTITY_H
#define SIDETONE_SHOW_LAB_IDENTITY_H

#include "lab/command.h"
#include "lab/identity.h"
#include "lab/series.h"
#include "show/json_writer.h"

// Columns of what stands before a line of text.
#define LAB_TITLE_COLUMNS 10

// Lines of text.
void lab_program_text(struct output *out, const char *title, const struct identity_program *p);
void lab_machine_text(struct output *out, const struct identity_machine *m);
void lab_corpus_text(struct output *out, const struct identity_corpus *c, uint64_t packets);

// Values: objects. A packet count of 0 is not known.
void lab_program_json(struct json *j, const struct identity_program *p);
void lab_machine_json(struct json *j, const struct identity_machine *m);
void lab_corpus_json(struct json *j, const struct identity_corpus *c, uint64_t packets);
void lab_command_json(struct json *j, const struct command *c);

// Every run of an arm, as an array of objects.
void lab_samples_json(struct json *j, const struct series *s, size_t arm);

#endif
