/* How much a test tries. VV_TEST_SIZE in the environment says it: "quick" (./test --quick, and the sanitizers' part
 * of ./test), "full" (./test --full), or neither: what continuous integration runs. */
#ifndef VV_TEST_SIZE_H
#define VV_TEST_SIZE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline int sized(int quick, int normal, int full)
{
    const char *size = getenv("VV_TEST_SIZE");
    return size && strcmp(size, "quick") == 0 ? quick : size && strcmp(size, "full") == 0 ? full : normal;
}

/* Where a test that tries one of `stride` cases begins: another turn, another case. VV_TEST_TURN in the environment
 * repeats one; without it the day tells. */
static inline int sized_begin(int stride)
{
    const char *given = getenv("VV_TEST_TURN");
    long turn = given ? atol(given) : (long)(time(NULL) / 86400);
    static int said;
    if (stride > 1 && !said++)
        printf("some of all cases: VV_TEST_TURN=%ld\n", turn);
    return (int)(turn % stride);
}

/* In a build with the address sanitizer, which takes ten times as long: enough to run each line. */
static inline bool sanitized(void)
{
#ifdef __SANITIZE_ADDRESS__
    return sized(1, 1, 0);
#else
    return false;
#endif
}

/* First in a test of numbers alone, whose code shorter tests run under the sanitizers. */
#define NUMBERS_ONLY()   \
    do {                 \
        if (sanitized()) \
            skip();      \
    } while (0)

#endif
