/* Reads numbers of the types that headers declare. */
#include "mesh/format/scalar.h"

#include "base/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool vv_scalar_find(const vv_scalar_name *names, vv_word word, vv_scalar *kind)
{
    for (; names->name; names++)
        if (strlen(names->name) == (size_t)word.length &&
            vv_same_letters(names->name, word.text, (size_t)word.length)) {
            *kind = names->kind;
            return true;
        }
    return false;
}

void vv_scalar_list(const vv_scalar_name *names, char *out, size_t size)
{
    size_t length = 0;
    out[0] = 0;
    for (int i = 0; names[i].name && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, i ? ", %s" : "%s", names[i].name);
}

int vv_scalar_size(vv_scalar kind)
{
    static const int sizes[] = { 1, 1, 2, 2, 4, 4, 8, 8, 4, 8 };
    return sizes[kind];
}

bool vv_scalar_is_float(vv_scalar kind) { return kind == VV_FLOAT32 || kind == VV_FLOAT64; }

typedef union vv_bits {
    char bytes[8];
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
} vv_bits;

static vv_bits load(const char *bytes, vv_scalar kind, bool swapped)
{
    vv_bits bits = { { 0 } };
    int size = vv_scalar_size(kind);
    for (int i = 0; i < size; i++)
        bits.bytes[i] = bytes[swapped ? size - 1 - i : i];
    return bits;
}

int64_t vv_scalar_int(const char *bytes, vv_scalar kind, bool swapped)
{
    vv_bits b = load(bytes, kind, swapped);
    switch (kind) {
    case VV_INT8: return b.i8;
    case VV_UINT8: return b.u8;
    case VV_INT16: return b.i16;
    case VV_UINT16: return b.u16;
    case VV_INT32: return b.i32;
    case VV_UINT32: return b.u32;
    case VV_UINT64: return b.u64 > INT64_MAX ? INT64_MAX : (int64_t)b.u64;
    default: return b.i64;
    }
}

double vv_scalar_double(const char *bytes, vv_scalar kind, bool swapped)
{
    vv_bits b = load(bytes, kind, swapped);
    switch (kind) {
    case VV_FLOAT32: return (double)b.f32;
    case VV_FLOAT64: return b.f64;
    case VV_UINT64: return (double)b.u64;
    default: return (double)vv_scalar_int(bytes, kind, swapped);
    }
}

static vvStatus need_bytes(vv_source *s, vv_scalar kind, const char *what)
{
    if (s->end - s->p >= vv_scalar_size(kind))
        return VV_OK;
    return vv_source_fail(s, "the file ends where %s is needed", what);
}

vvStatus vv_read_double(vv_source *s, vv_scalar kind, const char *what, double *value)
{
    if (!s->binary)
        return vv_text_double(s, what, value);
    vvStatus status = need_bytes(s, kind, what);
    if (status != VV_OK)
        return status;
    *value = vv_scalar_double(s->p, kind, s->swapped);
    if (!isfinite(*value))
        return vv_source_fail(s, "found %g where %s, a finite number, is needed", *value, what);
    s->p += vv_scalar_size(kind);
    return VV_OK;
}

vvStatus vv_read_int(vv_source *s, vv_scalar kind, const char *what, int64_t *value)
{
    if (!s->binary)
        return vv_text_int(s, what, value);
    vvStatus status = need_bytes(s, kind, what);
    if (status != VV_OK)
        return status;
    *value = vv_scalar_int(s->p, kind, s->swapped);
    s->p += vv_scalar_size(kind);
    return VV_OK;
}
