// What was measured, and on what.
#include "lab/identity.h"

#include "base/clock.h"
#include "lab/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define VERSION_LIMIT_NS  INT64_C(5000000000)
#define VERSION_OUT_BYTES 4096

#define CHANGED "-dirty" // behind a revision: see meson.build

static void keep(char *to, size_t room, struct slice text)
{
    text = slice_trim(text);
    size_t n = text.n < room - 1 ? text.n : room - 1;
    if (n > 0) {
        memcpy(to, text.p, n);
    }
    to[n] = '\0';
}

// --- a program ---

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool identity_find(const char *name, char out[PATH_MAX])
{
    if (strchr(name, '/')) {
        return is_program(name) && snprintf(out, PATH_MAX, "%s", name) < PATH_MAX;
    }
    const char *list = getenv("PATH");
    struct slice rest = slice_str(list ? list : "/bin:/usr/bin"), folder; // as glibc does
    bool more = name[0] != '\0';
    while (more) {
        more = slice_cut(rest, ':', &folder, &rest);
        int n = snprintf(out, PATH_MAX, "%.*s/%s", folder.n > 0 ? (int)folder.n : 1,
                         folder.n > 0 ? folder.p : ".", name);
        if (n > 0 && n < PATH_MAX && is_program(out)) {
            return true;
        }
    }
    return false;
}

static void take_version(struct identity_program *p, struct slice said)
{
    struct slice line, rest = said, word, value;
    while (slice_line(&rest, &line)) {
        if (p->version[0] == '\0') {
            keep(p->version, sizeof p->version, line);
        } else if (!slice_cut(line, ' ', &word, &value)) {
            continue;
        } else if (slice_eq(word, SLICE("revision"))) {
            keep(p->revision, sizeof p->revision, value);
        } else if (slice_eq(word, SLICE("built"))) {
            slice_cut(value, ' ', &word, &value); // "by"
            keep(p->built_by, sizeof p->built_by, value);
        } else if (slice_eq(word, SLICE("flags"))) {
            keep(p->flags, sizeof p->flags, value);
        }
    }
    size_t n = strlen(p->revision), tail = sizeof CHANGED - 1;
    if (n > tail && strcmp(p->revision + n - tail, CHANGED) == 0) {
        p->revision[n - tail] = '\0';
        p->is_changed = true;
    }
}

void identity_of_program(struct identity_program *p, const char *name, const volatile bool *stop)
{
    char found[PATH_MAX];
    *p = (struct identity_program){0};
    if (!identity_find(name, found) || !realpath(found, p->path)) {
        p->path[0] = '\0';
        return;
    }
    p->sha256 = sha256_of_path(p->path, stop);
    // By its own name: some programs are many.
    const char *const words[] = {name, "--version"};
    const struct child_options options = {
        .time_limit_ns = VERSION_LIMIT_NS, .out_bytes = VERSION_OUT_BYTES, .stop = stop};
    struct command command;
    struct child_result r;
    command_of(&command, words, 2);
    if (child_run(&command, &options, &r) == 0) {
        if (r.end == CHILD_EXITED && r.status == 0) {
            take_version(p, r.out);
        }
        child_fini(&r);
    }
    command_fini(&command);
}

// --- the machine ---

// The beginning of a small file of the kernel, in `text`.
static struct slice read_small(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, room) : -1;
    if (fd >= 0) {
        close(fd);
    }
    return slice_of(text, n > 0 ? (size_t)n : 0);
}

// The value of the first line "name : value".
static struct slice value_of(struct slice rest, struct slice wanted)
{
    struct slice line, name, value;
    while (slice_line(&rest, &line)) {
        if (slice_cut(line, ':', &name, &value) && slice_eq(slice_trim(name), wanted)) {
            return slice_trim(value);
        }
    }
    return slice_of(NULL, 0);
}

void identity_of_machine(struct identity_machine *m)
{
    char text[4096];
    struct utsname name;
    uint64_t kb = 0;
    *m = (struct identity_machine){.utc_ns = clock_realtime_ns(),
                                   .cpus_online = child_cpus_online(),
                                   .cpus_allowed = child_cpus_allowed()};
    struct slice cpuinfo = read_small("/proc/cpuinfo", text, sizeof text);
    keep(m->cpu, sizeof m->cpu, value_of(cpuinfo, SLICE("model name")));
    keep(m->mhz, sizeof m->mhz, value_of(cpuinfo, SLICE("cpu MHz")));
    keep(m->governor, sizeof m->governor,
         read_small("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", text, sizeof text));
    struct slice total =
        value_of(read_small("/proc/meminfo", text, sizeof text), SLICE("MemTotal"));
    if (slice_u64(slice_of(total.p, slice_find(total, ' ')), UINT64_MAX / 1024, &kb)) {
        m->memory_bytes = kb * 1024;
    }
    if (uname(&name) == 0) {
        snprintf(m->kernel, sizeof m->kernel, "%s %s %s", name.sysname, name.release, name.machine);
    }
}

// --- the corpus ---

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

// Adds up what a folder holds. Returns 0 or an errno.
static int measure_folder(struct identity_corpus *c, const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_shown, NULL);
    if (count < 0) {
        return errno;
    }
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < count; i++) {
        struct stat st;
        if (fstatat(folder, entries[i]->d_name, &st, 0) == 0 && S_ISREG(st.st_mode)) {
            c->files++;
            c->bytes += (uint64_t)st.st_size;
        }
        free(entries[i]);
    }
    free(entries);
    if (folder >= 0) {
        close(folder);
    }
    return c->files > 0 ? 0 : ENOENT;
}

int identity_of_corpus(struct identity_corpus *c, const char *path, const volatile bool *stop)
{
    struct stat st;
    int error = 0;
    *c = (struct identity_corpus){.path = path};
    if (stat(path, &st) != 0) {
        return errno;
    }
    if (S_ISDIR(st.st_mode)) {
        c->is_folder = true;
        error = measure_folder(c, path);
    } else if (S_ISREG(st.st_mode)) {
        c->files = 1;
        c->bytes = (uint64_t)st.st_size;
    } else {
        error = EINVAL;
    }
    if (error == 0) {
        c->sha256 = sha256_of_path(path, stop);
    }
    return error;
}
