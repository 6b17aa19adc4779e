/* Text and bytes that grow; deflated and in base 64, as the browser's DecompressionStream and atob read them. */
#include "cli.h"
#include "report/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#ifdef VV_HAVE_ZLIB
#include <zlib.h>
#endif

void vv_report_free(vv_report_buffer *b)
{
    free(b->bytes);
    *b = (vv_report_buffer){ 0 };
}

static bool make_room(vv_report_buffer *b, size_t size)
{
    if (b->failed || b->room - b->size > size) /* one more: for a zero at the end */
        return !b->failed;
    const size_t room = 2 * (b->size + size) + 4096;
    unsigned char *bytes = realloc(b->bytes, room);
    b->failed = !bytes;
    if (bytes)
        b->bytes = bytes, b->room = room;
    return !b->failed;
}

void vv_report_put(vv_report_buffer *b, const void *bytes, size_t size)
{
    if (size == 0 || !make_room(b, size))
        return;
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    b->bytes[b->size] = 0;
}

void vv_report_raw(vv_report_buffer *b, const char *text) { vv_report_put(b, text, strlen(text)); }

void vv_report_format(vv_report_buffer *b, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (length >= (int)sizeof text) /* the caller's fault: long texts go through vv_report_escaped */
        b->failed = true;
    else if (length > 0)
        vv_report_put(b, text, (size_t)length);
}

void vv_report_escaped(vv_report_buffer *b, const char *text)
{
    const bool whole = vv_cli_is_utf8(text);
    for (const char *p = text; *p; p++) {
        const unsigned char c = (unsigned char)*p;
        switch (c) {
        case '&': vv_report_raw(b, "&amp;"); break;
        case '<': vv_report_raw(b, "&lt;"); break;
        case '>': vv_report_raw(b, "&gt;"); break;
        case '"': vv_report_raw(b, "&quot;"); break;
        case '\'': vv_report_raw(b, "&#39;"); break;
        default:
            if ((c < 32 && c != '\n' && c != '\t') || c == 127 || (c > 127 && !whole))
                vv_report_raw(b, "?");
            else
                vv_report_put(b, p, 1);
        }
    }
}

void vv_report_planes(vv_report_buffer *b, const uint32_t *numbers, size_t count)
{
    if (!make_room(b, 4 * count))
        return;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 4; k++)
            b->bytes[b->size + k * count + i] = (unsigned char)(numbers[i] >> 8 * k);
    b->size += 4 * count;
}

/* ---- deflated, in base 64 ---- */

#ifdef VV_HAVE_ZLIB
/* `numbers`: what prediction left over, which hardly repeats but for zeros: a search for more takes most of the time
 * and ends up larger (of 9,200,000 coordinates 3.6 s and 3.12 MB, without it 0.1 s and 2.94 MB). */
static unsigned char *deflated(const void *bytes, size_t size, bool numbers, size_t *length)
{
    z_stream z = { 0 };
    unsigned char *out = NULL;
    if (size > UINT32_MAX || deflateInit2(&z, 9, Z_DEFLATED, 15, 9, numbers ? Z_RLE : Z_DEFAULT_STRATEGY) != Z_OK)
        return NULL;
    const size_t room = deflateBound(&z, size);
    if (room <= UINT32_MAX && (out = malloc(room))) {
        z.next_in = (z_const Bytef *)bytes, z.avail_in = (uInt)size;
        z.next_out = out, z.avail_out = (uInt)room;
        if (deflate(&z, Z_FINISH) != Z_STREAM_END) {
            free(out);
            out = NULL;
        }
    }
    *length = z.total_out;
    deflateEnd(&z);
    return out;
}
#else
static unsigned char *deflated(const void *bytes, size_t size, bool numbers, size_t *length)
{
    (void)bytes, (void)size, (void)numbers, (void)length;
    return NULL;
}
#endif

static void put_base64(vv_report_buffer *b, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!make_room(b, (size + 2) / 3 * 4))
        return;
    char *out = (char *)b->bytes + b->size;
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const unsigned bits =
            (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
        *out++ = digits[bits >> 18];
        *out++ = digits[bits >> 12 & 63];
        *out++ = left > 1 ? digits[bits >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[bits & 63] : '=';
    }
    b->size = (size_t)(out - (char *)b->bytes);
    *out = 0;
}

void vv_report_block(vv_report_buffer *page, const char *id, const void *bytes, size_t size, bool numbers)
{
    size_t length = 0;
    unsigned char *packed = deflated(bytes, size, numbers, &length);
    page->failed = page->failed || !packed;
    vv_report_format(page, "<script type=\"text/plain\" id=\"%s\">", id);
    put_base64(page, packed, length);
    vv_report_raw(page, "</script>\n");
    free(packed);
}
