/* Run files forged through HDF5: each part of one (data set, group, attribute) in turn is of another shape or type,
 * lies in another file, is packed, a link, or holds numbers that mean nothing. For the test of the library and for
 * experiments/campaign/forge.c. */
#ifndef FORGING_H
#define FORGING_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a forged part points to: a text and another run. */
static const char *secret, *other;
static uint64_t forge_seed = 1;

/* A forger that cannot forge proves nothing. */
static void forge_needs(bool held, const char *what)
{
    if (held)
        return;
    fprintf(stderr, "forging failed: %s\n", what);
    abort();
}

/* ---- what the file has ---- */

enum { MOST_PARTS = 300 };
typedef struct part {
    char path[100], name[50]; /* name: of an attribute */
    H5O_type_t type;          /* H5O_TYPE_UNKNOWN: an attribute */
} part;
static part parts[MOST_PARTS];
static int part_count;

static herr_t note_attribute(hid_t object, const char *name, const H5A_info_t *info, void *path)
{
    (void)object, (void)info;
    forge_needs(part_count < MOST_PARTS, "more parts than there is room for");
    part *p = parts + part_count++;
    snprintf(p->path, sizeof p->path, "%s", (const char *)path);
    snprintf(p->name, sizeof p->name, "%s", name);
    p->type = H5O_TYPE_UNKNOWN;
    return 0;
}

static herr_t note_object(hid_t file, const char *name, const H5O_info_t *info, void *user)
{
    (void)user;
    if (strcmp(name, ".") == 0)
        return 0;
    forge_needs(part_count < MOST_PARTS, "more parts than there is room for");
    part *p = parts + part_count++;
    snprintf(p->path, sizeof p->path, "/%s", name);
    p->type = info->type;
    hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, note_attribute, p->path);
    H5Oclose(object);
    return 0;
}

static void list_parts(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    forge_needs(file >= 0, path);
    part_count = 0;
    forge_needs(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, note_object, NULL, H5O_INFO_BASIC) >= 0, path);
    H5Fclose(file);
}

/* ---- forging ---- */

enum { MUST_REFUSE = 1, OF_GROUPS = 2, OF_ATTRIBUTES = 4, IF_NAMED = 8 /* not for each part: a large file */ };
typedef enum kind {
    COLUMNS,
    RANK,
    SCALAR,
    EMPTY,
    NULL_SPACE,
    STRING,
    LONG_STRING,
    SEQUENCE,
    SWAPPED,
    CHARACTERS,
    COMPOUND,
    REFERENCE,
    ODD,
    NARROW,
    FEWER,
    MORE,
    HUGE,
    SPARSE,
    MISSING,
    GROUP,
    SOFT,
    DANGLING,
    LINKED,
    EXTERNAL,
    VIRTUAL,
    PACKED,
    FILTERED,
    MINUS_ONE,
    LARGEST,
    NOT_A_NUMBER,
    VAST,
    RANDOM,
    KINDS
} kind;
static const struct {
    const char *name;
    int flags;
} kinds[KINDS] = {
    [COLUMNS] = { "columns", OF_ATTRIBUTES },
    [RANK] = { "rank", OF_ATTRIBUTES },
    [SCALAR] = { "scalar", OF_ATTRIBUTES },
    [EMPTY] = { "empty", OF_ATTRIBUTES },
    [NULL_SPACE] = { "null space", MUST_REFUSE | OF_ATTRIBUTES },
    [STRING] = { "string", OF_ATTRIBUTES },
    [LONG_STRING] = { "variable string", MUST_REFUSE | OF_ATTRIBUTES },
    [SEQUENCE] = { "sequence", MUST_REFUSE | OF_ATTRIBUTES },
    [SWAPPED] = { "swapped", OF_ATTRIBUTES },
    [CHARACTERS] = { "utf-8", 0 },
    [COMPOUND] = { "compound", MUST_REFUSE | OF_ATTRIBUTES },
    [REFERENCE] = { "reference", MUST_REFUSE | OF_ATTRIBUTES },
    [ODD] = { "odd bits", MUST_REFUSE | OF_ATTRIBUTES },
    [NARROW] = { "narrow", 0 },
    [FEWER] = { "fewer rows", 0 },
    [MORE] = { "more rows", 0 },
    [HUGE] = { "huge", MUST_REFUSE },
    [SPARSE] = { "sparse", MUST_REFUSE | IF_NAMED },
    [MISSING] = { "missing", OF_GROUPS | OF_ATTRIBUTES },
    [GROUP] = { "group", MUST_REFUSE },
    [SOFT] = { "soft link", MUST_REFUSE | OF_GROUPS },
    [DANGLING] = { "soft link to nothing", MUST_REFUSE | OF_GROUPS },
    [LINKED] = { "external link", MUST_REFUSE | OF_GROUPS },
    [EXTERNAL] = { "external", MUST_REFUSE },
    [VIRTUAL] = { "virtual", MUST_REFUSE },
    [PACKED] = { "packed", MUST_REFUSE },
    [FILTERED] = { "filter of a plugin", MUST_REFUSE },
    [MINUS_ONE] = { "-1", OF_ATTRIBUTES },
    [LARGEST] = { "largest", OF_ATTRIBUTES },
    [NOT_A_NUMBER] = { "nan", 0 },
    [VAST] = { "1e300", 0 },
    [RANDOM] = { "random bytes", OF_ATTRIBUTES },
};

/* The type that takes the place of `type`; itself, or -1 where the kind means nothing for it. */
static hid_t other_type(kind k, hid_t type)
{
    bool number = H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT;
    hid_t made = H5Tcopy(type), text;
    switch (k) {
    case STRING: return H5Tset_size(made = H5Tcopy(H5T_C_S1), 8) < 0 ? -1 : made;
    case LONG_STRING: return H5Tset_size(made = H5Tcopy(H5T_C_S1), H5T_VARIABLE) < 0 ? -1 : made;
    case SEQUENCE: return H5Tvlen_create(H5T_NATIVE_INT);
    case SWAPPED: return number && H5Tset_order(made, H5T_ORDER_BE) >= 0 ? made : -1;
    case CHARACTERS: return H5Tget_class(type) == H5T_STRING && H5Tset_cset(made, H5T_CSET_UTF8) >= 0 ? made : -1;
    case REFERENCE: return H5Tcopy(H5T_STD_REF_OBJ);
    case ODD: return H5Tset_precision(made = H5Tcopy(H5T_NATIVE_INT), 17) < 0 ? -1 : made;
    case NARROW: return H5Tcopy(H5T_NATIVE_SCHAR);
    case COMPOUND:
        made = H5Tcreate(H5T_COMPOUND, 24), text = other_type(LONG_STRING, type);
        H5Tinsert(made, "step", 0, H5T_NATIVE_INT64), H5Tinsert(made, "text", 8, text);
        return made;
    default: return made;
    }
}

static hid_t other_space(kind k, hid_t space)
{
    hsize_t dims[H5S_MAX_RANK] = { 1, 1, 1 };
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    switch (k) {
    case COLUMNS: dims[rank < 2 ? 1 : rank - 1] = 100000; return H5Screate_simple(rank < 2 ? 2 : rank, dims, NULL);
    case RANK: dims[rank] = 1; return H5Screate_simple(rank + 1, dims, NULL);
    case SCALAR: return rank == 0 ? -1 : H5Screate(H5S_SCALAR);
    case EMPTY: return rank == 0 ? -1 : (dims[0] = 0, H5Screate_simple(rank, dims, NULL));
    case NULL_SPACE: return H5Screate(H5S_NULL);
    case FEWER: return rank == 0 || dims[0] == 0 ? -1 : (dims[0] /= 2, H5Screate_simple(rank, dims, NULL));
    case MORE: return rank == 0 ? -1 : (dims[0] += 7, H5Screate_simple(rank, dims, NULL));
    case SPARSE: dims[0] = (hsize_t)1 << 29; return H5Screate_simple(rank < 1 ? 1 : rank, dims, NULL);
    case HUGE: dims[0] = (hsize_t)1 << 33; return H5Screate_simple(rank < 1 ? 1 : rank, dims, NULL);
    case GROUP: return -1;
    default: return rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, dims, NULL);
    }
}

/* How the data set is stored; false: it cannot be so. */
static bool store(kind k, hid_t list, hid_t space, const char *path)
{
    hsize_t dims[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    H5Pset_fill_time(list, H5D_FILL_TIME_IFSET);
    for (int i = 0; i < rank; i++)
        chunk[i] = dims[i] == 0 ? 1 : dims[i] < 1000 ? dims[i] : 1000;
    switch (k) {
    case SPARSE: H5Pset_fill_time(list, H5D_FILL_TIME_NEVER); return H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0;
    case COLUMNS: return H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0; /* as large as it says */
    case HUGE: return H5Pset_chunk(list, rank, chunk) >= 0;
    case PACKED: return rank > 0 && dims[0] > 0 && H5Pset_chunk(list, rank, chunk) >= 0 && H5Pset_deflate(list, 1) >= 0;
    case FILTERED:
        return rank > 0 && H5Pset_chunk(list, rank, chunk) >= 0 &&
               H5Pset_filter(list, 32015, H5Z_FLAG_OPTIONAL, 0, NULL) >= 0;
    case EXTERNAL: return H5Pset_external(list, secret, 0, H5F_UNLIMITED) >= 0;
    case VIRTUAL: return rank > 0 && H5Pset_virtual(list, space, other, path, space) >= 0;
    default: return true;
    }
}

/* So many elements of the type. */
static unsigned char *senseless(kind k, hid_t type, hssize_t count)
{
    const size_t size = H5Tget_size(type), bytes = size * (size_t)(count > 0 ? count : 0);
    const size_t word = H5Tget_class(type) == H5T_INTEGER && size == 8 ? 8 : 4;
    unsigned char *data = malloc(bytes + 8);
    const double real = k == VAST ? 1e300 : __builtin_nan("");
    memset(data, 0xff, bytes + 8);
    for (size_t i = 0; k == LARGEST && i < bytes; i += word) /* 2^31-1 in whole numbers of 32 and of 64 bits */
        memcpy(data + i, &(int64_t){ INT32_MAX }, word);
    for (size_t i = 0; (k == NOT_A_NUMBER || k == VAST) && i + 8 <= bytes; i += 8)
        memcpy(data + i, &real, 8);
    for (size_t i = 0; k == RANDOM && i < bytes; i++) {
        forge_seed = forge_seed * 6364136223846793005u + 1442695040888963407u;
        data[i] = (unsigned char)(forge_seed >> 33);
    }
    return data;
}

static void fill(kind k, hid_t set, hid_t type, hid_t space)
{
    hssize_t count = H5Sget_simple_extent_npoints(space);
    unsigned char *data = senseless(k, type, count);
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    free(data);
}

static void copy_data(hid_t old, hid_t set, hid_t type)
{
    hid_t space = H5Dget_space(old);
    void *data = malloc(8 + (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type));
    if (H5Dread(old, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0)
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    free(data);
    H5Sclose(space);
}

static bool forge_set(hid_t file, const char *path, kind k)
{
    hid_t old = H5Dopen2(file, path, H5P_DEFAULT), was = H5Dget_type(old), had = H5Dget_space(old);
    hid_t type = other_type(k, was), space = other_space(k, had), list = H5Pcreate(H5P_DATASET_CREATE), set = -1;
    if (type >= 0 && space >= 0 && store(k, list, space, path)) {
        H5Ldelete(file, path, H5P_DEFAULT);
        set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    }
    if (set >= 0 && k >= MINUS_ONE)
        fill(k, set, type, space);
    else if (set >= 0 && (k == SWAPPED || k == RANK || k == PACKED)) /* as many numbers as before */
        copy_data(old, set, was);
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(list), H5Dclose(old), H5Tclose(was), H5Sclose(had);
    return set >= 0;
}

static bool forge_attribute(hid_t file, const part *p, kind k)
{
    hid_t object = H5Oopen(file, p->path, H5P_DEFAULT), old = H5Aopen(object, p->name, H5P_DEFAULT);
    hid_t was = H5Aget_type(old), had = H5Aget_space(old), type = other_type(k, was), space = -1, made = -1;
    hsize_t many = 1000; /* what an attribute has room for */
    space = k == COLUMNS ? H5Screate_simple(1, &many, NULL) : other_space(k, had);
    H5Aclose(old);
    H5Adelete(object, p->name);
    if (k != MISSING && type >= 0 && space >= 0)
        made = H5Acreate2(object, p->name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (made >= 0 && k >= MINUS_ONE) {
        unsigned char *data = senseless(k, was, H5Sget_simple_extent_npoints(had));
        H5Awrite(made, was, data);
        free(data);
    }
    if (made >= 0)
        H5Aclose(made);
    H5Oclose(object), H5Tclose(was), H5Sclose(had);
    return made >= 0 || k == MISSING;
}

static void copy_file(const char *from, const char *to)
{
    char buffer[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    forge_needs(in && out, to);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
        forge_needs(fwrite(buffer, 1, n, out) == n, to);
    fclose(in);
    forge_needs(fclose(out) == 0, to);
}

/* Makes a forged copy; false: the kind means nothing for the part. */
static bool forge(const char *from, const char *to, const part *p, kind k)
{
    copy_file(from, to);
    hid_t file = H5Fopen(to, H5F_ACC_RDWR, H5P_DEFAULT);
    bool made = true;
    if (p->type == H5O_TYPE_UNKNOWN) {
        made = (kinds[k].flags & OF_ATTRIBUTES) && forge_attribute(file, p, k);
    } else if (p->type == H5O_TYPE_GROUP && !(kinds[k].flags & OF_GROUPS)) {
        made = false;
    } else if (k == MISSING || k == GROUP || k == SOFT || k == DANGLING || k == LINKED) {
        H5Lmove(file, p->path, file, "/moved", H5P_DEFAULT, H5P_DEFAULT);
        if (k == GROUP)
            H5Gclose(H5Gcreate2(file, p->path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        else if (k == SOFT || k == DANGLING)
            H5Lcreate_soft(k == SOFT ? "/moved" : "/nowhere", file, p->path, H5P_DEFAULT, H5P_DEFAULT);
        else if (k == LINKED)
            H5Lcreate_external(other, p->path, file, p->path, H5P_DEFAULT, H5P_DEFAULT);
    } else {
        made = forge_set(file, p->path, k);
    }
    H5Fclose(file);
    return made;
}

#endif
