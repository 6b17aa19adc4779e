/* What the targets of libFuzzer share. Each takes the bytes of an input as what a stranger may give: it ends in data or
 * in one message. The library has MOST_BYTES of memory for an input, so that one that asks for much is refused soon. */
#ifndef CAMPAIGN_FUZZ_H
#define CAMPAIGN_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "visviva/visviva.h"

enum { MOST_BYTES = 64 << 20 };
static size_t fuzz_bytes;

/* What does not hold ends the program, and libFuzzer keeps the input. */
static inline void holds(bool it, const char *what, const char *found)
{
    if (it)
        return;
    fprintf(stderr, "fuzz: %s: %s\n", what, found);
    abort();
}

static void *fuzz_allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    if (bytes > MOST_BYTES - fuzz_bytes)
        return NULL;
    fuzz_bytes += bytes;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void fuzz_release(void *user, void *block, size_t bytes)
{
    (void)user;
    fuzz_bytes -= bytes;
    free(block);
}

static const vvAllocator fuzz_memory = { fuzz_allocate, fuzz_release, NULL };

/* Where the files of scenes are looked for. */
static inline const char *empty_folder(void)
{
    static const char path[] = "/tmp/visviva-fuzz-empty";
    mkdir(path, 0700);
    return path;
}

/* The message is one that can be shown. */
static inline void holds_message(const vvError *error)
{
    const size_t length = strnlen(error->message, sizeof error->message);
    holds(length > 0 && length < sizeof error->message, "no message, or one without an end", "");
    for (const char *c = error->message; *c; c++)
        holds((unsigned char)*c >= 32 && *c != 127, "a message with control characters", error->message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
