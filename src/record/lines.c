/* Texts that belong to ledger rows, two lists: where a run went on with other settings (/visviva/change_rows, the last
 * row before, and /visviva/change_texts, what changed, in a few words), and what was said while it was made
 * (/visviva/note_rows, note_texts: warnings, notes). A run without any has neither; nor have files of older versions.
 * While a run is written there may be room for lines to come: there the row is below 0. */
#include "base/memory.h"
#include "record/reader.h"
#include "record/writer.h"

#include <string.h>

typedef struct kind {
    vv_want rows, texts;
    size_t width; /* bytes of a text */
    int64_t most; /* lines beyond these are left out */
    bool joins;   /* a second line of the same row joins the first; else one that is there already is left out */
} kind;
static const kind kinds[VV_LINES_COUNT] = {
    [VV_LINES_CHANGES] = { { "/visviva/change_rows", 1, 0, H5T_INTEGER },
                           { "/visviva/change_texts", 1, 0, H5T_STRING },
                           VV_RUN_STATUS_ROOM,
                           10000,
                           true },
    [VV_LINES_NOTES] = { { "/visviva/note_rows", 1, 0, H5T_INTEGER },
                         { "/visviva/note_texts", 1, 0, H5T_STRING },
                         VV_RUN_NOTE_ROOM,
                         1000,
                         false },
};
enum { LEAST_ROOM = 16 }; /* lines that a file under way has room for, if it has any */

/* Lines of one kind. */
typedef struct lines {
    vv_lines *of;
    const kind *kind;
} lines;

static char *text_at(lines l, int64_t i) { return l.of->texts + (size_t)i * l.kind->width; }

void vv_lines_free(vv_lines *l)
{
    vv_free(l->rows);
    vv_free(l->texts);
    *l = (vv_lines){ 0 };
}

/* ---- lists in memory ---- */

static bool reserve(lines l, int64_t count)
{
    return vv_grow((void **)&l.of->rows, &l.of->row_room, (size_t)count, sizeof *l.of->rows) &&
           vv_grow((void **)&l.of->texts, &l.of->text_room, (size_t)count, l.kind->width);
}

/* Leaves the lines of rows from `first` on and below `end`. */
static void keep(lines l, int64_t first, int64_t end)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < l.of->count; i++) {
        if (l.of->rows[i] < first || l.of->rows[i] >= end)
            continue;
        l.of->rows[kept] = l.of->rows[i];
        memmove(text_at(l, kept++), text_at(l, i), l.kind->width);
    }
    l.of->count = kept;
}

/* Whether `text` is one of the changes, separated by ", ", that stand there: a host that resumes a run sets again
 * what it had set. */
static bool says(const char *there, const char *text)
{
    size_t n = strlen(text);
    for (const char *at = there; (at = strstr(at, text)); at++)
        if ((at == there || at[-1] == ' ') && (at[n] == 0 || at[n] == ','))
            return true;
    return false;
}

/* Appends to a text of `width` bytes; what does not fit is left out, whole characters of UTF-8. */
static void append(char *to, size_t width, const char *text)
{
    size_t used = strnlen(to, width - 1), n = strlen(text), room = width - 1 - used;
    const char *between = used ? ", " : "";
    if (room <= strlen(between))
        return;
    room -= strlen(between);
    if (n > room)
        for (n = room; n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80; n--)
            ;
    memcpy(to + used, between, strlen(between));
    memcpy(to + used + strlen(between), text, n);
    to[used + strlen(between) + n] = 0;
}

static bool is_there(lines l, const char *text)
{
    for (int64_t i = 0; i < l.of->count; i++)
        if (strncmp(text_at(l, i), text, l.kind->width - 1) == 0)
            return true;
    return false;
}

/* There is room for one more. */
static void add(lines l, int64_t row, const char *text)
{
    const bool joins = l.kind->joins && l.of->count > 0 && l.of->rows[l.of->count - 1] == row;
    if (l.kind->joins ? joins && says(text_at(l, l.of->count - 1), text) : is_there(l, text))
        return;
    if (!joins) {
        l.of->rows[l.of->count] = row;
        memset(text_at(l, l.of->count++), 0, l.kind->width);
    }
    append(text_at(l, l.of->count - 1), l.kind->width, text);
}

/* Those of rows that the file has: a run that is cut off must not name others. */
static void add_noted(lines l, lines noted, int64_t rows)
{
    for (int64_t i = 0; i < noted.of->count && l.of->count < l.kind->most; i++)
        if (noted.of->rows[i] < rows)
            add(l, noted.of->rows[i], text_at(noted, i));
}

/* Room that is not used yet. */
static void blank(lines l, int64_t room)
{
    for (int64_t i = l.of->count; i < room; i++) {
        l.of->rows[i] = -1;
        memset(text_at(l, i), 0, l.kind->width);
    }
}

/* ---- what is in a file ---- */

static int64_t count_in(hid_t file, const kind *k)
{
    vv_hdf_shape shape = { 0 };
    bool there = vv_hdf_exists(file, k->rows.path) && vv_hdf_exists(file, k->texts.path);
    hid_t set = there ? vv_hdf_open_set(file, &k->rows, &shape) : -1;
    if (set >= 0)
        H5Dclose(set);
    return shape.dims[0] <= (hsize_t)k->most ? (int64_t)shape.dims[0] : 0;
}

static bool read_all(hid_t file, const vv_want *want, hid_t type, void *data, size_t room)
{
    vv_hdf_shape shape;
    hid_t set = vv_hdf_open_set(file, want, &shape);
    bool ok = set >= 0 && vv_hdf_read(set, type, data, room);
    if (set >= 0)
        H5Dclose(set);
    return ok;
}

/* Those of the file, with room for `more` of them; *room: how many the file has room for. */
static bool gather(hid_t file, hid_t text, int64_t more, lines l, int64_t *room)
{
    *room = count_in(file, l.kind);
    const size_t count = (size_t)*room;
    if (!reserve(l, *room + more) ||
        (count > 0 && !(read_all(file, &l.kind->rows, H5T_NATIVE_INT64, l.of->rows, count * sizeof *l.of->rows) &&
                        read_all(file, &l.kind->texts, text, l.of->texts, count * l.kind->width))))
        return false;
    while (l.of->count < *room && l.of->rows[l.of->count] >= 0)
        l.of->count++;
    return true;
}

/* ---- writing ---- */

static lines waiting(vvRunWriter *w, vv_lines_kind which) { return (lines){ &w->lines[which], &kinds[which] }; }

static bool copy_kind(vvRunWriter *w, vv_lines_kind which, hid_t to, int64_t rows)
{
    vv_lines own = { 0 };
    lines l = { &own, &kinds[which] }, noted = waiting(w, which);
    int64_t room, more = w->line_room[which];
    hid_t text = vv_hdf_text_type(l.kind->width);
    bool ok = text >= 0 && gather(w->file, text, noted.of->count + 1 + more, l, &room);
    if (ok) {
        keep(l, 0, rows);
        if (which == VV_LINES_CHANGES && w->change && *w->change)
            add(l, rows - 1, w->change);
        add_noted(l, noted, rows);
        room = w->exact ? 0 : room > more ? room : more;
        room = room > own.count ? room : own.count;
        blank(l, room);
        const hsize_t count = (hsize_t)room;
        ok = count == 0 || (vv_hdf_write(to, l.kind->rows.path, H5T_NATIVE_INT64, 1, &count, own.rows) &&
                            vv_hdf_write(to, l.kind->texts.path, text, 1, &count, own.texts));
    }
    if (text >= 0)
        H5Tclose(text);
    vv_lines_free(&own);
    return ok;
}

bool vv_writer_copy_lines(vvRunWriter *w, hid_t to, int64_t rows)
{
    bool ok = true;
    for (int k = 0; ok && k < VV_LINES_COUNT; k++)
        ok = copy_kind(w, (vv_lines_kind)k, to, rows);
    return ok;
}

void vv_writer_lines_are_put(vvRunWriter *w, int64_t rows)
{
    for (int k = 0; k < VV_LINES_COUNT; k++)
        keep(waiting(w, (vv_lines_kind)k), rows, INT64_MAX);
}

bool vv_writer_add_line(vvRunWriter *w, vv_lines_kind which, int64_t row, const char *text)
{
    lines l = waiting(w, which);
    if (!reserve(l, l.of->count + 1))
        return false;
    if (l.of->count < l.kind->most)
        add(l, row, text);
    return true;
}

/* `bytes`: of a row. */
static bool put_from(hid_t file, const vv_want *want, hid_t type, int64_t first, int64_t count, const void *data,
                     size_t bytes)
{
    vv_hdf_shape shape;
    hid_t set = vv_hdf_open_set(file, want, &shape);
    bool ok = set >= 0 && vv_hdf_write_rows(set, type, (hsize_t)first, (hsize_t)count, data, (size_t)count * bytes);
    if (set >= 0)
        H5Dclose(set);
    return ok;
}

/* Into the room that there is: first the texts, then the rows, by which they count. The last one before may have got
 * longer. */
static bool put_in_place(vvRunWriter *w, vv_lines_kind which, hid_t text)
{
    vv_lines own = { 0 };
    lines l = { &own, &kinds[which] }, noted = waiting(w, which);
    int64_t room;
    bool ok = gather(w->file, text, noted.of->count + 1, l, &room);
    const int64_t first = own.count > 0 ? own.count - 1 : 0;
    if (ok)
        add_noted(l, noted, w->rows);
    const int64_t count = own.count - first;
    ok = ok && room > 0 && own.count <= room &&
         put_from(w->file, &l.kind->texts, text, first, count, text_at(l, first), l.kind->width) &&
         put_from(w->file, &l.kind->rows, H5T_NATIVE_INT64, first, count, own.rows + first, sizeof *own.rows);
    vv_lines_free(&own);
    return ok;
}

bool vv_writer_put_in_place(vvRunWriter *w, vv_lines_kind which)
{
    hid_t text = vv_hdf_text_type(kinds[which].width);
    bool put = text >= 0 && put_in_place(w, which, text);
    if (text >= 0)
        H5Tclose(text);
    return put;
}

int64_t vv_writer_more_lines(const vvRunWriter *w, vv_lines_kind which)
{
    const kind *k = &kinds[which];
    int64_t room = 2 * (count_in(w->file, k) + w->lines[which].count);
    return room < LEAST_ROOM ? LEAST_ROOM : room < k->most ? room : k->most;
}

bool vv_writer_room_for_notes(hid_t file)
{
    vv_lines own = { 0 };
    lines l = { &own, &kinds[VV_LINES_NOTES] };
    const hsize_t count = LEAST_ROOM;
    hid_t text = vv_hdf_text_type(l.kind->width);
    bool ok = text >= 0 && reserve(l, LEAST_ROOM);
    if (ok) {
        blank(l, LEAST_ROOM);
        ok = vv_hdf_write(file, l.kind->rows.path, H5T_NATIVE_INT64, 1, &count, own.rows) &&
             vv_hdf_write(file, l.kind->texts.path, text, 1, &count, own.texts);
    }
    if (text >= 0)
        H5Tclose(text);
    vv_lines_free(&own);
    return ok;
}

/* ---- reading ---- */

static vvStatus read_kind(vvRun *run, vv_lines_kind which, vvError *error)
{
    const kind *k = &kinds[which];
    vv_run_lines *l = &run->lines[which];
    if (!vv_hdf_exists(run->file, k->rows.path) || !vv_hdf_exists(run->file, k->texts.path))
        return VV_OK;
    int64_t count = 0, named = 0;
    hid_t text = vv_hdf_text_type(k->width);
    l->rows = vv_reader_fixed(run, &k->rows, H5T_NATIVE_INT64, sizeof *l->rows, &count, error);
    if (l->rows && text >= 0)
        l->texts = vv_reader_fixed(run, &k->texts, text, k->width, &named, error);
    if (text >= 0)
        H5Tclose(text);
    if (!l->rows || !l->texts)
        return error ? error->status : VV_ERROR_INPUT;
    if (named != count || count > k->most)
        return vv_reader_broken(run, k->texts.path, "does not fit its rows", error);
    int used = 0;
    for (; used < count && l->rows[used] >= 0; used++) { /* behind them there may be room for more */
        l->texts[(size_t)(used + 1) * k->width - 1] = 0;
        if (l->rows[used] >= run->rows)
            return vv_reader_broken(run, k->rows.path, "names a nonexistent row", error);
    }
    l->count = used;
    return VV_OK;
}

vvStatus vv_reader_lines(vvRun *run, vvError *error)
{
    vvStatus status = VV_OK;
    for (int k = 0; status == VV_OK && k < VV_LINES_COUNT; k++)
        status = read_kind(run, (vv_lines_kind)k, error);
    return status;
}

static const char *line_of(const vvRun *run, vv_lines_kind which, int index, int *row)
{
    if (!run || index < 0 || index >= run->lines[which].count)
        return NULL;
    if (row)
        *row = (int)run->lines[which].rows[index];
    return run->lines[which].texts + (size_t)index * kinds[which].width;
}

int vvRunChangeCount(const vvRun *run) { return run ? run->lines[VV_LINES_CHANGES].count : 0; }

const char *vvRunChange(const vvRun *run, int index, int *row) { return line_of(run, VV_LINES_CHANGES, index, row); }

int vvRunNoteCount(const vvRun *run) { return run ? run->lines[VV_LINES_NOTES].count : 0; }

const char *vvRunNote(const vvRun *run, int index, int *row) { return line_of(run, VV_LINES_NOTES, index, row); }
