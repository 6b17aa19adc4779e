/* How much a test tries. VV_TEST_SIZE in the environment says it: "quick" (./test --quick, and all that the sanitizers run),
 * "full" (./test --full), or neither: what continuous integration runs. */
#ifndef VV_TEST_SIZE_H
#define VV_TEST_SIZE_H

#include <stdlib.h>
#include <string.h>

static inline int sized(int quick, int normal, int full)
{
    const char *size = getenv("VV_TEST_SIZE");
    return size && strcmp(size, "quick") == 0 ? quick : size && strcmp(size, "full") == 0 ? full : normal;
}

#endif
