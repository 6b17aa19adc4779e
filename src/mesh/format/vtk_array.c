/* The values of a DataArray: text; or bytes in base64 or raw, plain or in blocks compressed by zlib. */
#include "mesh/format/vtk_xml.h"

#include "base/memory.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef VV_HAVE_ZLIB
#include <zlib.h>
#endif

/* All arrays of a file together may take this many bytes per byte of the file, and this many more: enough for any
 * mesh, and a limit for files made to expand without bound. */
enum { MOST_UNFOLDING = 200, UNFOLDING_ROOM = 1 << 26 };

typedef struct array {
    vv_xml_file *file;
    const vv_xml_array *row;
    const char *what; /* one of its values, for messages */
} array;

/* ---- bytes of an array, in any encoding -------------------------------------------------------------------------- */

typedef struct stream {
    const char *p, *end;
    bool base64;
    unsigned char group[3]; /* decoded and not yet read: the last `left` of `size` */
    int size, left;
} stream;

static vvStatus refuse(const array *a, const char *what)
{
    vv_source_go(a->file->source, a->row->tag_line);
    return vv_source_fail(a->file->source, "this array: %s", what);
}

static vvStatus open_stream(const array *a, stream *s)
{
    vv_xml_file *f = a->file;
    *s = (stream){ .p = a->row->begin, .end = a->row->end, .base64 = true };
    if (a->row->encoding == VV_XML_BASE64)
        return VV_OK;
    if (!f->appended)
        return refuse(a, "its values should be in <AppendedData>, which the file lacks");
    if (a->row->offset > f->appended_end - f->appended) {
        char text[128];
        snprintf(text, sizeof text, "its offset is %" PRId64 ", but <AppendedData> has %td bytes", a->row->offset,
                 f->appended_end - f->appended);
        return refuse(a, text);
    }
    *s = (stream){ .p = f->appended + a->row->offset, .end = f->appended_end, .base64 = f->appended_base64 };
    return VV_OK;
}

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The next four characters, which give three bytes, or fewer if they end in '='. More may follow that: headers are
 * encoded separately. */
static bool decode_group(stream *s)
{
    uint32_t bits = 0;
    int digits = 0, count = 0;
    while (count < 4 && s->p < s->end) {
        char c = *s->p++;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
            continue;
        int digit = base64_digit(c);
        if (digit < 0 && (c != '=' || count < 2))
            return false;
        if (digit >= 0 && digits != count)
            return false;
        digits += digit >= 0;
        bits = bits << 6 | (uint32_t)(digit >= 0 ? digit : 0);
        count++;
    }
    if (count < 4)
        return false;
    for (int i = 0; i < 3; i++)
        s->group[i] = (unsigned char)(bits >> (16 - 8 * i));
    s->size = s->left = digits - 1;
    return true;
}

static bool read_bytes(stream *s, void *to, size_t size)
{
    unsigned char *out = to;
    if (!size)
        return true;
    if (!s->base64) {
        if ((size_t)(s->end - s->p) < size)
            return false;
        memcpy(out, s->p, size);
        s->p += size;
        return true;
    }
    while (size) {
        if (!s->left && !decode_group(s))
            return false;
        for (; s->left && size; size--)
            *out++ = s->group[s->size - s->left--];
    }
    return true;
}

/* Upper bound of the bytes left. */
static size_t room_of(const stream *s)
{
    size_t characters = (size_t)(s->end - s->p);
    return s->base64 ? characters / 4 * 3 + (size_t)s->left : characters;
}

/* A number of a header, UInt32 or UInt64. */
static bool read_length(const array *a, stream *s, int64_t *value)
{
    char bytes[8];
    vv_scalar kind = a->file->wide ? VV_UINT64 : VV_UINT32;
    if (!read_bytes(s, bytes, (size_t)vv_scalar_size(kind)))
        return false;
    *value = vv_scalar_int(bytes, kind, a->file->swapped);
    return true;
}

static vvStatus cut_short(const array *a, const stream *s)
{
    return refuse(a, s->base64 ? "its base64 text is broken or ends too early"
                               : "<AppendedData> ends before the array does");
}

/* Room for `size` more bytes, if in reasonable proportion to the file. */
static vvStatus make_room(const array *a, vv_list *bytes, size_t size)
{
    vv_xml_file *f = a->file;
    if (f->decoded + size > UNFOLDING_ROOM + MOST_UNFOLDING * f->source->size)
        return refuse(a, "its blocks expand to much more than a mesh of this file's size can have");
    f->decoded += size;
    if (vv_grow(&bytes->data, &bytes->capacity, bytes->count + size, 1))
        return VV_OK;
    return vv_source_short(f->source, "an array");
}

/* The length in bytes, then the bytes. */
static vvStatus read_plain(const array *a, stream *s, vv_list *bytes)
{
    int64_t length;
    if (room_of(s) == 0)
        return VV_OK; /* an array without values */
    if (!read_length(a, s, &length) || (uint64_t)length > room_of(s))
        return cut_short(a, s);
    vvStatus status = make_room(a, bytes, (size_t)length);
    if (status == VV_OK && !read_bytes(s, bytes->data, (size_t)length))
        status = cut_short(a, s);
    bytes->count = status != VV_OK ? 0 : (size_t)length;
    return status;
}

/* ---- compressed blocks ------------------------------------------------------------------------------------------- */

#ifdef VV_HAVE_ZLIB

/* zlib cannot compress by more than this factor. */
enum { MOST_DEFLATION = 1040, BLOCK_ROOM = 1 << 16 };

static void *take(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return vv_alloc(count, size);
}

static void give(void *opaque, void *p)
{
    (void)opaque;
    vv_free(p);
}

static vvStatus inflate_block(const array *a, vv_list *packed, size_t size, vv_list *bytes)
{
    z_stream z = { .next_in = packed->data,
                   .avail_in = (unsigned)packed->count,
                   .zalloc = take,
                   .zfree = give,
                   .next_out = (unsigned char *)bytes->data + bytes->count,
                   .avail_out = (unsigned)size };
    int result = inflateInit(&z);
    if (result == Z_OK) {
        result = inflate(&z, Z_FINISH);
        inflateEnd(&z);
    }
    if (result == Z_MEM_ERROR)
        return vv_source_short(a->file->source, "an array");
    if (result != Z_STREAM_END || z.avail_out)
        return refuse(a, "a block is not zlib data of the announced size");
    bytes->count += size;
    return VV_OK;
}

static vvStatus read_block(const array *a, stream *s, int64_t packed_size, int64_t size, vv_list *bytes)
{
    vv_list packed = { 0 };
    if ((uint64_t)packed_size > room_of(s))
        return cut_short(a, s);
    if (size > packed_size * MOST_DEFLATION + BLOCK_ROOM || size > INT32_MAX)
        return refuse(a, "the announced size of a block is more than zlib could have packed");
    vvStatus status = make_room(a, bytes, (size_t)size);
    if (status == VV_OK && !vv_grow(&packed.data, &packed.capacity, (size_t)packed_size, 1))
        status = vv_source_short(a->file->source, "an array");
    if (status == VV_OK && !read_bytes(s, packed.data, (size_t)packed_size))
        status = cut_short(a, s);
    packed.count = (size_t)packed_size;
    if (status == VV_OK)
        status = inflate_block(a, &packed, (size_t)size, bytes);
    vv_list_free(&packed);
    return status;
}

/* Number of blocks, bytes per block, bytes of the last one if it is shorter; packed sizes; the blocks. */
static vvStatus read_blocks(const array *a, stream *s, vv_list *bytes)
{
    int64_t blocks, size, last, packed;
    if (room_of(s) == 0)
        return VV_OK;
    if (!read_length(a, s, &blocks))
        return cut_short(a, s);
    if (blocks == 0)
        return VV_OK;
    if (!read_length(a, s, &size) || !read_length(a, s, &last) ||
        (uint64_t)blocks > room_of(s) / (a->file->wide ? 8 : 4))
        return cut_short(a, s);
    stream sizes = *s;
    for (int64_t i = 0; i < blocks; i++)
        if (!read_length(a, s, &packed))
            return cut_short(a, s);
    vvStatus status = VV_OK;
    for (int64_t i = 0; status == VV_OK && i < blocks; i++) {
        read_length(a, &sizes, &packed);
        status = read_block(a, s, packed, i == blocks - 1 && last ? last : size, bytes);
    }
    return status;
}

#else

static vvStatus read_blocks(const array *a, stream *s, vv_list *bytes)
{
    (void)s, (void)bytes;
    return vv_fail(a->file->source->error, VV_ERROR_UNSUPPORTED,
                   "%s:%d: this array is compressed, and this build lacks the library zlib; save the file without "
                   "compression, or build visviva again with zlib (Debian: zlib1g-dev)",
                   a->file->source->shown, a->row->tag_line);
}

#endif

/* ---- values ------------------------------------------------------------------------------------------------------ */

static vvStatus decode(const array *a, vv_list *bytes)
{
    const char *compressor = a->file->compressor;
    stream s;
    vvStatus status = open_stream(a, &s);
    if (status != VV_OK)
        return status;
    if (!*compressor)
        return read_plain(a, &s, bytes);
    if (strcmp(compressor, "vtkZLibDataCompressor") == 0)
        return read_blocks(a, &s, bytes);
    char text[160];
    snprintf(text, sizeof text,
             "it is compressed by %s, which is not read here; save the file with "
             "vtkZLibDataCompressor or without compression",
             compressor);
    return refuse(a, text);
}

static vvStatus push(const array *a, vv_list *list, const void *item, size_t size)
{
    if (vv_list_push(list, item, size))
        return VV_OK;
    return vv_source_short(a->file->source, "an array");
}

static vvStatus read_text(const array *a, bool whole, vv_list *values, vv_list *lines)
{
    vv_source *s = a->file->source, before = *s;
    vvStatus status = VV_OK;
    s->p = a->row->begin;
    s->end = a->row->end;
    s->line = a->row->line;
    for (vv_text_skip_blank(s); status == VV_OK && s->p < s->end; vv_text_skip_blank(s)) {
        double x;
        int64_t n;
        status = whole ? vv_text_int(s, a->what, &n) : vv_text_double(s, a->what, &x);
        if (status == VV_OK)
            status = whole ? push(a, values, &n, sizeof n) : push(a, values, &x, sizeof x);
        if (status == VV_OK && lines)
            status = push(a, lines, &s->line, sizeof s->line);
    }
    if (status == VV_OK)
        *s = before;
    return status;
}

static vvStatus read_binary(const array *a, bool whole, vv_list *values)
{
    vv_list bytes = { 0 };
    size_t size = (size_t)vv_scalar_size(a->row->kind);
    vvStatus status = decode(a, &bytes);
    if (status == VV_OK && bytes.count % size)
        status = refuse(a, "its number of bytes is not a multiple of the size of its type");
    const char *p = bytes.data;
    for (size_t i = 0; status == VV_OK && i < bytes.count / size; i++, p += size) {
        int64_t n = whole ? vv_scalar_int(p, a->row->kind, a->file->swapped) : 0;
        double x = whole ? 0 : vv_scalar_double(p, a->row->kind, a->file->swapped);
        status = whole ? push(a, values, &n, sizeof n) : push(a, values, &x, sizeof x);
        if (status == VV_OK && !isfinite(x)) {
            char text[96];
            vv_print(text, sizeof text, "value %zu is %g; finite numbers are needed", i, x);
            status = refuse(a, text);
        }
    }
    vv_list_free(&bytes);
    return status;
}

static vvStatus read_values(const array *a, bool whole, vv_list *values, vv_list *lines)
{
    return a->row->encoding == VV_XML_ASCII ? read_text(a, whole, values, lines) : read_binary(a, whole, values);
}

vvStatus vv_xml_doubles(vv_xml_file *file, const vv_xml_array *row, const char *what, vv_list *values, vv_list *lines)
{
    array a = { file, row, what };
    return read_values(&a, false, values, lines);
}

vvStatus vv_xml_ints(vv_xml_file *file, const vv_xml_array *row, const char *what, vv_list *values, vv_list *lines)
{
    array a = { file, row, what };
    return read_values(&a, true, values, lines);
}

/* ---- where appended data lie ---- */

static const char *find_last(const char *begin, const char *end, const char *text)
{
    size_t length = strlen(text);
    for (const char *p = end - length; p >= begin; p--)
        if (memcmp(p, text, length) == 0)
            return p;
    return NULL;
}

vvStatus vv_xml_bound_appended(vv_xml_file *f)
{
    vv_source *s = f->source;
    const char *end = s->data + s->size, *root = find_last(f->appended, end, "</VTKFile");
    const char *close = root ? find_last(f->appended, root, "</AppendedData") : NULL;
    if (f->appended[-2] == '/')
        close = f->appended;
    if (!close)
        return vv_source_fail(s,
                              "the file ends within <AppendedData>, which begins here: %s is missing; is it cut off?",
                              root ? "</AppendedData>" : "</VTKFile>");
    while (f->appended < close && strchr(" \t\r\n", *f->appended) && *f->appended)
        f->appended++;
    if (f->appended < close && *f->appended != '_')
        return vv_source_fail(s, "<AppendedData> does not begin with '_'");
    f->appended += f->appended < close;
    f->appended_end = close;
    return VV_OK;
}
