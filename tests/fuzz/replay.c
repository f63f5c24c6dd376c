// The main of a fuzz target without libFuzzer: feeds every file of the named folders to it, so that
// the ordinary tests replay what fuzzing has found.
#include <dirent.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

// The input stands in a block of exactly its size, so that AddressSanitizer sees the first byte
// read past it.
static int feed_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    struct stat st;
    if (fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode)) {
        fclose(file);
        return 0;
    }
    size_t n = (size_t)st.st_size;
    uint8_t *bytes = malloc(n ? n : 1);
    if (!bytes || fread(bytes, 1, n, file) != n) {
        fprintf(stderr, "%s: cannot be read\n", path);
        free(bytes);
        fclose(file);
        return -1;
    }
    fclose(file);
    // Said first: an input that ends the program is then the last line.
    printf("# %s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(bytes, n);
    free(bytes);
    return 1;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int feed_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, by_name);
    if (count < 0) {
        perror(folder);
        return -1;
    }
    int fed = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        free(entries[i]);
        if (fed < 0 || length < 0 || (size_t)length >= sizeof path) {
            continue;
        }
        int one = feed_file(path);
        fed = one < 0 ? -1 : fed + one;
    }
    free(entries);
    return fed;
}

int main(int argc, char **argv)
{
    int total = 0;
    for (int i = 1; i < argc; i++) {
        int fed = feed_folder(argv[i]);
        if (fed < 0) {
            return 1;
        }
        total += fed;
    }
    printf("%d inputs replayed\n", total);
    return total > 0 ? 0 : 1; // a target without a corpus proves nothing
}
