/* Integers and floats of all the sizes that mesh files hold, as bytes of either order or as text. */
#ifndef VV_MESH_FORMAT_SCALAR_H
#define VV_MESH_FORMAT_SCALAR_H

#include "mesh/format/source.h"

typedef enum vv_scalar {
    VV_INT8,
    VV_UINT8,
    VV_INT16,
    VV_UINT16,
    VV_INT32,
    VV_UINT32,
    VV_INT64,
    VV_UINT64,
    VV_FLOAT32,
    VV_FLOAT64
} vv_scalar;

/* A file format's name for a type; tables of these end in a row without a name. */
typedef struct vv_scalar_name {
    const char *name;
    vv_scalar kind;
} vv_scalar_name;
/* Looks the word up in the table, ignoring case. */
bool vv_scalar_find(const vv_scalar_name *names, vv_word word, vv_scalar *kind);
/* "char, uchar, ...": the names of the table. */
void vv_scalar_list(const vv_scalar_name *names, char *out, size_t size);

int vv_scalar_size(vv_scalar kind);
bool vv_scalar_is_float(vv_scalar kind);
/* `swapped`: the bytes are in the other order than this machine's. */
double vv_scalar_double(const char *bytes, vv_scalar kind, bool swapped);
/* For integer types; 2^63 and above become 2^63 - 1. */
int64_t vv_scalar_int(const char *bytes, vv_scalar kind, bool swapped);

/* The next number of a source: bytes of this type if the source is binary, else the next word of the line. */
vvStatus vv_read_double(vv_source *source, vv_scalar kind, const char *what, double *value);
vvStatus vv_read_int(vv_source *source, vv_scalar kind, const char *what, int64_t *value);

#endif
