/* Hills by a seed: values at the points of a grid, joined by smooth curves, and the same on finer grids. Only sums
 * and products: the same bits everywhere. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/heights.h"

/* A number in [0, 1) for a point of a grid (splitmix64 of its coordinates). */
static double value_at(int64_t seed, int octave, int64_t i, int64_t k)
{
    uint64_t h = (uint64_t)seed * 0x9e3779b97f4a7c15u + (uint64_t)octave * 0xd1342543de82ef95u +
                 (uint64_t)i * 0xbf58476d1ce4e5b9u + (uint64_t)k * 0x94d049bb133111ebu;
    for (int round = 0; round < 2; round++) {
        h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
        h = (h ^ h >> 27) * 0x94d049bb133111ebu;
        h ^= h >> 31;
    }
    return (double)(h >> 11) * 0x1p-53;
}

/* From 0 to 1 with two derivatives that are 0 at both. */
static double ease(double t) { return t * t * t * (t * (6 * t - 15) + 10); }

static double smooth_at(int64_t seed, int octave, double x, double z)
{
    const double i = floor(x), k = floor(z), u = ease(x - i), w = ease(z - k);
    const int64_t a = (int64_t)i, b = (int64_t)k;
    const double near = value_at(seed, octave, a, b) * (1 - u) + value_at(seed, octave, a + 1, b) * u;
    const double far = value_at(seed, octave, a, b + 1) * (1 - u) + value_at(seed, octave, a + 1, b + 1) * u;
    return near * (1 - w) + far * w;
}

vvStatus vv_heights_hills(const int counts[2], double across, double rough, int64_t seed, vv_heights *out,
                          vvError *error)
{
    enum { OCTAVES = 5 };
    const size_t all = (size_t)counts[0] * (size_t)counts[1];
    double low = INFINITY, high = -INFINITY;
    *out = (vv_heights){ vv_alloc(all, sizeof(double)), { counts[0], counts[1] } };
    if (!out->samples)
        return vv_fail_memory(error, "hills");
    for (int k = 0; k < counts[1]; k++)
        for (int i = 0; i < counts[0]; i++) {
            double sum = 0, weight = 1, width = across / (counts[0] - 1);
            for (int o = 0; o < OCTAVES; o++, weight *= rough, width *= 2)
                sum += weight * smooth_at(seed, o, i * width, k * width);
            out->samples[(size_t)k * (size_t)counts[0] + (size_t)i] = sum;
            low = fmin(low, sum);
            high = fmax(high, sum);
        }
    for (size_t i = 0; i < all; i++)
        out->samples[i] = high > low ? (out->samples[i] - low) / (high - low) : 0;
    return VV_OK;
}
