// The identity of a measurement.
#include "show/lab_identity.h"

#include "show/text_put.h"

#define REVISION_DIGITS 12 // enough to find it again

// --- text ---

void lab_program_text(struct output *out, const char *title, const struct identity_program *p)
{
    put_left(out, title, LAB_TITLE_COLUMNS);
    put_safe(out, slice_str(p->path), 120);
    if (p->version[0]) {
        OUTPUT(out, ": ");
        put_safe(out, slice_str(p->version), 60);
    }
    if (p->revision[0]) {
        OUTPUT(out, ", revision ");
        struct slice revision = slice_str(p->revision);
        revision.n = revision.n < REVISION_DIGITS ? revision.n : REVISION_DIGITS;
        put_safe(out, revision, REVISION_DIGITS);
        put_str(out, p->is_changed ? " with changes" : "");
    }
    OUTPUT(out, "\n");
}

void lab_machine_text(struct output *out, const struct identity_machine *m)
{
    put_left(out, "Machine", LAB_TITLE_COLUMNS);
    put_safe(out, slice_str(m->cpu[0] ? m->cpu : "a processor without a name"), 60);
    OUTPUT(out, ", ");
    put_count(out, m->cpus_allowed, "processor", "processors");
    if (m->cpus_allowed != m->cpus_online) {
        OUTPUT(out, " of ");
        put_grouped(out, m->cpus_online);
    }
    if (m->memory_bytes > 0) {
        OUTPUT(out, ", ");
        put_size(out, m->memory_bytes);
    }
    OUTPUT(out, ", ");
    put_safe(out, slice_str(m->kernel), 80);
    if (m->governor[0]) {
        OUTPUT(out, ", governor ");
        put_safe(out, slice_str(m->governor), 30);
    }
    OUTPUT(out, "\n");
}

void lab_corpus_text(struct output *out, const struct identity_corpus *c, uint64_t packets)
{
    put_left(out, "Corpus", LAB_TITLE_COLUMNS);
    put_safe(out, slice_str(c->path), 120);
    OUTPUT(out, ", ");
    if (c->is_folder) {
        put_count(out, c->files, "file", "files");
        OUTPUT(out, ", ");
    }
    if (packets > 0) {
        put_count(out, packets, "packet", "packets");
        OUTPUT(out, ", ");
    }
    put_size(out, c->bytes);
    OUTPUT(out, "\n");
}

// --- JSON ---

static void text_member(struct json *j, const char *name, const char *text)
{
    if (text[0]) {
        json_key_name(j, name);
        json_str(j, text);
    }
}

static void sha256_members(struct json *j, const struct sha256 *s)
{
    text_member(j, "sha256", s->hex);
    JSON_STRING_IF(j, "sha256_why_not", sha256_why_not(s));
}

void lab_program_json(struct json *j, const struct identity_program *p)
{
    json_open(j, '{');
    text_member(j, "path", p->path);
    if (p->path[0]) {
        sha256_members(j, &p->sha256);
    }
    text_member(j, "version", p->version);
    text_member(j, "revision", p->revision);
    JSON_MEMBER_IF(p->revision[0], j, "changed", json_bool(j, p->is_changed));
    text_member(j, "built_by", p->built_by);
    text_member(j, "flags", p->flags);
    json_close(j, '}');
}

void lab_machine_json(struct json *j, const struct identity_machine *m)
{
    json_open(j, '{');
    JSON_MEMBER(j, "time", json_time(j, m->utc_ns));
    text_member(j, "cpu", m->cpu);
    JSON_U64(j, "processors", m->cpus_online);
    JSON_U64(j, "processors_allowed", m->cpus_allowed);
    text_member(j, "mhz", m->mhz);
    text_member(j, "governor", m->governor);
    text_member(j, "kernel", m->kernel);
    JSON_MEMBER_IF(m->memory_bytes > 0, j, "memory_bytes", json_u64(j, m->memory_bytes));
    json_close(j, '}');
}

void lab_corpus_json(struct json *j, const struct identity_corpus *c, uint64_t packets)
{
    json_open(j, '{');
    JSON_STRING(j, "path", c->path);
    JSON_U64(j, "files", c->files);
    JSON_U64(j, "bytes", c->bytes);
    JSON_MEMBER_IF(packets > 0, j, "packets", json_u64(j, packets));
    sha256_members(j, &c->sha256);
    json_close(j, '}');
}

void lab_command_json(struct json *j, const struct command *c)
{
    json_open(j, '[');
    for (size_t i = 0; i < c->count; i++) {
        json_str(j, c->words[i]);
    }
    json_close(j, ']');
}

void lab_samples_json(struct json *j, const struct series *s, size_t arm)
{
    json_open(j, '[');
    for (uint32_t run = 0; run < s->runs; run++) {
        const struct series_sample *sample = series_sample(s, arm, run);
        json_break(j);
        json_open(j, '{');
        JSON_MEMBER(j, "wall_ms", json_ms(j, sample->wall_ns));
        JSON_MEMBER(j, "user_ms", json_ms(j, sample->user_ns));
        JSON_MEMBER(j, "system_ms", json_ms(j, sample->system_ns));
        JSON_U64(j, "peak_bytes", sample->peak_bytes);
        JSON_MEMBER_IF(sample->peak_is_ours, j, "peak_is_upper_bound", json_bool(j, true));
        json_close(j, '}');
    }
    json_close(j, ']');
}
