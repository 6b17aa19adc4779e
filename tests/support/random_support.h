/* What tests at random share: numbers that are the same every time, and a check that says which case failed. Include
 * after cmocka.h. */
#ifndef VV_RANDOM_SUPPORT_H
#define VV_RANDOM_SUPPORT_H

#include <stdint.h>

static uint64_t random_state = 11; /* a test may begin elsewhere */

static inline uint64_t random_bits(void) /* xorshift64 */
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static inline double uniform(void) { return (double)(random_bits() >> 11) * 0x1p-53; } /* in [0, 1) */
static inline double within(double low, double high) { return low + (high - low) * uniform(); }

#define CHECK(condition, ...)                      \
    do {                                           \
        if (!(condition))                          \
            fail_msg(#condition ": " __VA_ARGS__); \
    } while (0)

#endif
