// `sidetone --version`: what this build is.
#include "prog/prog.h"

// Both are made by meson.
#include "prog/build_flags.h"
#include "prog/build_identity.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "an unknown compiler"
#endif

#if defined(__OPTIMIZE__)
#define OPTIMISED "optimised"
#else
#define OPTIMISED "not optimised"
#endif

#if defined(NDEBUG)
#define ASSERTIONS "assertions off"
#else
#define ASSERTIONS "assertions on"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER ", AddressSanitizer"
#else
#define ADDRESS_SANITIZER ""
#endif

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER ", ThreadSanitizer"
#else
#define THREAD_SANITIZER ""
#endif

#if defined(__x86_64__)
#define PROCESSOR "x86-64"
#elif defined(__aarch64__)
#define PROCESSOR "arm64"
#else
#define PROCESSOR "another processor"
#endif

int prog_version(void)
{
    return prog_print("sidetone " SIDETONE_VERSION "\n"
                      "revision " SIDETONE_REVISION "\n"
                      "built by " COMPILER " for " PROCESSOR ", " OPTIMISED
                      ", " ASSERTIONS ADDRESS_SANITIZER THREAD_SANITIZER "\n"
                      "flags " SIDETONE_FLAGS "\n");
}
