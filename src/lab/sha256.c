// SHA-256 by a library that is loaded late.
#include "lab/sha256.h"

#include "lab/aside.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARY "libcrypto.so.3"

// Not smaller: a system call must cost next to nothing. Not larger: it stays in a core's cache.
#define BUFFER_BYTES (256u * 1024)

#define DIGEST_BYTES 32u

// What is used of the library.
struct evp {
    EVP_MD_CTX *(*context_new)(void);
    void (*context_free)(EVP_MD_CTX *context);
    const EVP_MD *(*sha256)(void);
    int (*init)(EVP_MD_CTX *context, const EVP_MD *type, ENGINE *engine);
    int (*update)(EVP_MD_CTX *context, const void *p, size_t n);
    int (*final)(EVP_MD_CTX *context, unsigned char *out, unsigned *n);
};

struct hasher {
    struct evp evp;
    struct sha256 *answer;
};

// --- the library ---

// An object pointer is a function pointer on every system that has dlsym (POSIX), but not in C.
static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool load(struct evp *evp)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    return library && find(library, "EVP_MD_CTX_new", &evp->context_new) &&
           find(library, "EVP_MD_CTX_free", &evp->context_free) &&
           find(library, "EVP_sha256", &evp->sha256) &&
           find(library, "EVP_DigestInit_ex", &evp->init) &&
           find(library, "EVP_DigestUpdate", &evp->update) &&
           find(library, "EVP_DigestFinal_ex", &evp->final);
}

static EVP_MD_CTX *begin(struct hasher *h)
{
    EVP_MD_CTX *context = h->evp.context_new();
    if (context && h->evp.init(context, h->evp.sha256(), NULL) == 1) {
        return context;
    }
    h->evp.context_free(context);
    h->answer->end = SHA256_NO_LIBRARY;
    return NULL;
}

static void end(struct hasher *h, EVP_MD_CTX *context, char hex[SHA256_HEX_BYTES])
{
    unsigned char digest[DIGEST_BYTES];
    h->evp.final(context, digest, NULL);
    h->evp.context_free(context);
    for (size_t i = 0; i < DIGEST_BYTES; i++) {
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
}

// --- files and folders ---

static bool unreadable(struct hasher *h)
{
    h->answer->end = SHA256_UNREADABLE;
    h->answer->error = errno;
    return false;
}

static bool hash_fd(struct hasher *h, int fd, char hex[SHA256_HEX_BYTES])
{
    static char buffer[BUFFER_BYTES];
    EVP_MD_CTX *context = begin(h);
    if (!context) {
        return false;
    }
    for (;;) {
        ssize_t got = read(fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            bool is_whole = got == 0 || unreadable(h);
            h->answer->files += is_whole;
            end(h, context, hex);
            return is_whole;
        }
        h->evp.update(context, buffer, (size_t)got);
        h->answer->bytes += (size_t)got;
    }
}

// `folder`: a descriptor that the path starts from.
static bool hash_file(struct hasher *h, int folder, const char *path, char hex[SHA256_HEX_BYTES])
{
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return unreadable(h);
    }
    bool good = hash_fd(h, fd, hex);
    close(fd);
    return good;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

// Adds the line of one entry to the list; what is no regular file has none.
static bool add_entry(struct hasher *h, EVP_MD_CTX *list, int folder, const char *name)
{
    struct stat st;
    char hex[SHA256_HEX_BYTES];
    if (fstatat(folder, name, &st, 0) != 0 || !S_ISREG(st.st_mode)) {
        return true;
    }
    if (!hash_file(h, folder, name, hex)) {
        return false;
    }
    h->evp.update(list, hex, SHA256_HEX_BYTES - 1);
    h->evp.update(list, "  ", 2);
    h->evp.update(list, name, strlen(name));
    h->evp.update(list, "\n", 1);
    return true;
}

static void hash_folder(struct hasher *h, int folder, const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_shown, by_bytes);
    EVP_MD_CTX *list = count < 0 ? NULL : begin(h);
    if (count < 0) {
        unreadable(h);
        return;
    }
    bool good = list != NULL;
    for (int i = 0; i < count; i++) {
        good = good && add_entry(h, list, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (list) {
        end(h, list, h->answer->hex);
    }
}

static void work(void *context, void *answer)
{
    const char *path = context;
    struct hasher h = {.answer = answer};
    struct stat st;
    if (!load(&h.evp)) {
        h.answer->end = SHA256_NO_LIBRARY;
        return;
    }
    h.answer->end = SHA256_KNOWN;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a FIFO is told, not waited for
    if (fd < 0 || fstat(fd, &st) != 0) {
        unreadable(&h);
    } else if (S_ISDIR(st.st_mode)) {
        hash_folder(&h, fd, path);
    } else if (S_ISREG(st.st_mode)) {
        hash_fd(&h, fd, h.answer->hex);
    } else {
        errno = EINVAL; // a device or a pipe has no end, or is not the same a second time
        unreadable(&h);
    }
}

struct sha256 sha256_of_path(const char *path, const volatile bool *stop)
{
    struct sha256 answer = {.end = SHA256_INTERRUPTED};
    if (!aside_run(work, (void *)(uintptr_t)path, &answer, sizeof answer, stop) &&
        !(stop && *stop)) {
        answer.end = SHA256_UNREADABLE; // it has died
        answer.error = errno;
    }
    if (answer.end != SHA256_KNOWN) {
        answer.hex[0] = '\0';
    }
    return answer;
}

const char *sha256_why_not(const struct sha256 *s)
{
    switch (s->end) {
    case SHA256_KNOWN:
        return NULL;
    case SHA256_NO_LIBRARY:
        return "not known: " LIBRARY " (Debian: libssl3) cannot be loaded";
    case SHA256_UNREADABLE:
        return "not known: it cannot be read";
    case SHA256_INTERRUPTED:
        return "not known: interrupted";
    }
    return NULL;
}
