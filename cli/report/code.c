/* Whole numbers as what is left after prediction: in time from one or two frames before, in space as the mean of what
 * neighbours with smaller numbers had left. web/report/data.js reads it. */
#include "cli.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* How a part of a frame is predicted: from so many frames before, and from neighbours or not. */
enum { BEFORE = 3, NEIGHBOURS = 4 };

typedef struct coder {
    const vv_report_shape *shape;
    const int32_t *values; /* of the frame, and of the two before it */
    const int32_t *before[2];
    int32_t *left[2]; /* a part's, components after each other: of this attempt, and of the best one */
} coder;

/* (2 sum + count) / (2 count), rounded down: the same in the page, for numbers of both signs. */
static int32_t mean(int64_t sum, int64_t count)
{
    const int64_t a = 2 * sum + count, b = 2 * count;
    return (int32_t)(a >= 0 ? a / b : -((b - 1 - a) / b));
}

static int32_t predicted(const coder *c, int way, size_t i)
{
    switch (way & BEFORE) {
    case 0: return 0;
    case 1: return c->before[0][i];
    default: return 2 * c->before[0][i] - c->before[1][i];
    }
}

/* Bits that the number takes, about. */
static int bits_of(int32_t r)
{
    const uint32_t size = (uint32_t)(r < 0 ? -(int64_t)r : r);
    return size ? 32 - __builtin_clz(size) : 0;
}

/* What one component of a part has left this way, in out[vertex - first]; returns about how many bits that takes. */
static int64_t leave(const coder *c, const vv_report_part *part, size_t offset, int way, int32_t *change, int32_t *out)
{
    const vv_report_shape *s = c->shape;
    int64_t bits = 0;
    for (int i = 0; i < part->vertexCount; i++) {
        const int v = part->firstVertex + i, from = s->linkStart[v], to = s->linkStart[v + 1];
        int32_t left = c->values[offset + (size_t)v] - predicted(c, way, offset + (size_t)v);
        change[v] = left;
        if ((way & NEIGHBOURS) && to > from) {
            int64_t sum = 0;
            for (int k = from; k < to; k++)
                sum += change[s->links[k]];
            left -= mean(sum, to - from);
        }
        out[i] = left;
        bits += bits_of(left);
    }
    return bits;
}

/* The best way for a part of a frame; c->left[1] has what it leaves. */
static int choose(coder *c, const vv_report_part *part, int frame, int components, int32_t *change)
{
    static const int ways[] = { NEIGHBOURS, 1 | NEIGHBOURS, 2 | NEIGHBOURS, 1, 2 };
    const size_t n = (size_t)c->shape->vertexCount, count = (size_t)part->vertexCount;
    int64_t least = INT64_MAX;
    int best = NEIGHBOURS;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        if ((ways[w] & BEFORE) > frame || (frame > 0 && (ways[w] & BEFORE) == 0))
            continue;
        int64_t bits = 0;
        for (int k = 0; k < components; k++)
            bits += leave(c, part, (size_t)k * n, ways[w], change, c->left[0] + (size_t)k * count);
        if (bits >= least)
            continue;
        int32_t *swap = c->left[0];
        c->left[0] = c->left[1];
        c->left[1] = swap;
        least = bits;
        best = ways[w];
    }
    return best;
}

/* The sign in the lowest bit; a byte, or 255 and 32 bits elsewhere. */
static void put_number(int32_t left, unsigned char *byte, vv_report_buffer *large)
{
    const uint32_t z = left < 0 ? ((uint32_t) - (int64_t)left << 1) - 1 : (uint32_t)left << 1;
    *byte = z < 255 ? (unsigned char)z : 255;
    if (z >= 255) {
        const unsigned char bytes[4] = { (unsigned char)z, (unsigned char)(z >> 8), (unsigned char)(z >> 16),
                                         (unsigned char)(z >> 24) };
        vv_report_put(large, bytes, 4);
    }
}

static void code_frame(coder *c, int frame, int components, int32_t *change, unsigned char *ways, unsigned char *bytes,
                       vv_report_buffer *large)
{
    const vv_report_shape *s = c->shape;
    for (int p = 0; p < s->partCount; p++) {
        const vv_report_part *part = &s->parts[p];
        ways[p] = (unsigned char)choose(c, part, frame, components, change);
        for (int k = 0; k < components; k++)
            for (int i = 0; i < part->vertexCount; i++)
                put_number(c->left[1][k * part->vertexCount + i], bytes++, large);
    }
}

bool vv_report_code(const vv_report_shape *shape, const int32_t *values, int frames, int stride, int components,
                    vv_report_buffer *out)
{
    const size_t numbers = (size_t)shape->vertexCount * (size_t)components, parts = (size_t)shape->partCount;
    const int kept = (frames + stride - 1) / stride;
    int32_t *room = malloc((2 * numbers + (size_t)shape->vertexCount + 1) * sizeof *room);
    unsigned char *ways = malloc((size_t)kept * parts + 1), *bytes = malloc((size_t)kept * numbers + 1);
    vv_report_buffer large = { 0 };
    bool good = room && ways && bytes;
    coder c = { .shape = shape };
    for (int f = 0; good && f < kept; f++) {
        const size_t step = (size_t)stride * numbers;
        c.values = values + (size_t)f * step;
        c.before[0] = f > 0 ? c.values - step : NULL;
        c.before[1] = f > 1 ? c.before[0] - step : NULL;
        c.left[0] = room, c.left[1] = room + numbers;
        code_frame(&c, f, components, room + 2 * numbers, ways + (size_t)f * parts, bytes + (size_t)f * numbers,
                   &large);
    }
    if (good) {
        vv_report_put(out, ways, (size_t)kept * parts);
        vv_report_put(out, bytes, (size_t)kept * numbers);
        vv_report_put(out, large.bytes, large.size);
    }
    good = good && !large.failed && !out->failed;
    vv_report_free(&large);
    free(room);
    free(ways);
    free(bytes);
    return good;
}
