/* Where a run went on with other settings: /visviva/change_rows (the last ledger row before), /visviva/change_texts
 * (what changed, in a few words). A run that never did has neither; nor have files of older versions. While a run is
 * written there may be room for changes to come: there the row is below 0. */
#include "base/memory.h"
#include "record/reader.h"
#include "record/writer.h"

#include <string.h>

static const char rows_path[] = "/visviva/change_rows", texts_path[] = "/visviva/change_texts";

/* Changes beyond these are left out. */
enum { MOST_CHANGES = 10000 };

static void release(vv_changes *c)
{
    vv_free(c->rows);
    vv_free(c->texts);
    *c = (vv_changes){ 0 };
}

/* ---- writing ---- */

static const vv_want rows_wanted = { rows_path, 1, 0, H5T_INTEGER }, texts_wanted = { texts_path, 1, 0, H5T_STRING };

static int64_t count_in(hid_t file)
{
    vv_hdf_shape shape = { 0 };
    bool there = vv_hdf_exists(file, rows_path) && vv_hdf_exists(file, texts_path);
    hid_t set = there ? vv_hdf_open_set(file, &rows_wanted, &shape) : -1;
    if (set >= 0)
        H5Dclose(set);
    return shape.dims[0] <= MOST_CHANGES ? (int64_t)shape.dims[0] : 0;
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

static bool reserve(vv_changes *c, int64_t count)
{
    return vv_grow((void **)&c->rows, &c->row_room, (size_t)count, sizeof *c->rows) &&
           vv_grow((void **)&c->texts, &c->text_room, (size_t)count, VV_RUN_STATUS_ROOM);
}

/* Those of the file, with room for `more` of them; *room: how many the file has room for. */
static bool gather(hid_t file, hid_t text, int64_t more, vv_changes *c, int64_t *room)
{
    *room = count_in(file);
    *c = (vv_changes){ 0 };
    const size_t count = (size_t)*room;
    if (!reserve(c, *room + more) ||
        (count > 0 && !(read_all(file, &rows_wanted, H5T_NATIVE_INT64, c->rows, count * sizeof *c->rows) &&
                        read_all(file, &texts_wanted, text, c->texts, count * VV_RUN_STATUS_ROOM))))
        return false;
    while (c->count < *room && c->rows[c->count] >= 0)
        c->count++;
    return true;
}

static char *text_at(const vv_changes *c, int64_t i) { return c->texts + i * VV_RUN_STATUS_ROOM; }

/* Leaves out those beyond the rows that the run keeps. */
static void keep(vv_changes *c, int64_t rows)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < c->count; i++) {
        if (c->rows[i] >= rows)
            continue;
        c->rows[kept] = c->rows[i];
        memmove(text_at(c, kept), text_at(c, i), VV_RUN_STATUS_ROOM);
        kept++;
    }
    c->count = kept;
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

/* A second change at the same row joins the first. What does not fit is left out, whole characters of UTF-8. */
static void add(vv_changes *c, int64_t row, const char *text)
{
    if (c->count == 0 || c->rows[c->count - 1] != row) {
        c->rows[c->count] = row;
        memset(text_at(c, c->count++), 0, VV_RUN_STATUS_ROOM);
    }
    char *to = text_at(c, c->count - 1);
    if (says(to, text))
        return;
    size_t used = strnlen(to, VV_RUN_STATUS_ROOM - 1), n = strlen(text), room = VV_RUN_STATUS_ROOM - 1 - used;
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

/* Those of rows that the file has: a run that is cut off must not name others. */
static void add_noted(vv_changes *c, const vv_changes *noted, int64_t rows)
{
    for (int64_t i = 0; i < noted->count && c->count < MOST_CHANGES; i++)
        if (noted->rows[i] < rows)
            add(c, noted->rows[i], text_at(noted, i));
}

void vv_writer_changes_are_put(vvRunWriter *w, int64_t rows)
{
    vv_changes *c = &w->changes;
    int64_t kept = 0;
    for (int64_t i = 0; i < c->count; i++)
        if (c->rows[i] >= rows) {
            c->rows[kept] = c->rows[i];
            memmove(text_at(c, kept++), text_at(c, i), VV_RUN_STATUS_ROOM);
        }
    c->count = kept;
}

/* Room that is not used yet. */
static void blank(vv_changes *c, int64_t room)
{
    for (int64_t i = c->count; i < room; i++) {
        c->rows[i] = -1;
        memset(text_at(c, i), 0, VV_RUN_STATUS_ROOM);
    }
}

bool vv_writer_copy_changes(const vvRunWriter *w, hid_t to, int64_t rows)
{
    vv_changes c = { 0 };
    int64_t room;
    hid_t text = vv_hdf_text_type(VV_RUN_STATUS_ROOM);
    bool ok = text >= 0 && gather(w->file, text, w->changes.count + 1 + w->change_room, &c, &room);
    if (ok) {
        keep(&c, rows);
        if (w->change && *w->change)
            add(&c, rows - 1, w->change);
        add_noted(&c, &w->changes, rows);
        room = w->exact ? 0 : room > w->change_room ? room : w->change_room;
        room = room > c.count ? room : c.count;
        blank(&c, room);
        const hsize_t count = (hsize_t)room;
        ok = count == 0 || (vv_hdf_write(to, rows_path, H5T_NATIVE_INT64, 1, &count, c.rows) &&
                            vv_hdf_write(to, texts_path, text, 1, &count, c.texts));
    }
    if (text >= 0)
        H5Tclose(text);
    release(&c);
    return ok;
}

/* ---- while a run is written ---- */

bool vv_writer_add_change(vvRunWriter *w, int64_t row, const char *text)
{
    if (!reserve(&w->changes, w->changes.count + 1))
        return false;
    add(&w->changes, row, text);
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
static bool put_in_place(vvRunWriter *w, hid_t text)
{
    vv_changes c = { 0 };
    int64_t room;
    bool ok = gather(w->file, text, w->changes.count + 1, &c, &room);
    int64_t first = c.count > 0 ? c.count - 1 : 0;
    if (ok)
        add_noted(&c, &w->changes, w->rows);
    const int64_t count = c.count - first;
    ok = ok && room > 0 && c.count <= room &&
         put_from(w->file, &texts_wanted, text, first, count, text_at(&c, first), VV_RUN_STATUS_ROOM) &&
         put_from(w->file, &rows_wanted, H5T_NATIVE_INT64, first, count, c.rows + first, sizeof *c.rows);
    release(&c);
    return ok;
}

bool vv_writer_put_in_place(vvRunWriter *w)
{
    hid_t text = vv_hdf_text_type(VV_RUN_STATUS_ROOM);
    bool put = text >= 0 && put_in_place(w, text);
    if (text >= 0)
        H5Tclose(text);
    return put;
}

int64_t vv_writer_more_changes(const vvRunWriter *w)
{
    enum { LEAST = 16 };
    int64_t room = 2 * (count_in(w->file) + w->changes.count);
    return room < LEAST ? LEAST : room < MOST_CHANGES ? room : MOST_CHANGES;
}

/* ---- reading ---- */

vvStatus vv_reader_changes(vvRun *run, vvError *error)
{
    if (!vv_hdf_exists(run->file, rows_path) || !vv_hdf_exists(run->file, texts_path))
        return VV_OK;
    int64_t count = 0, named = 0;
    hid_t text = vv_hdf_text_type(VV_RUN_STATUS_ROOM);
    run->change_rows = vv_reader_fixed(run, &rows_wanted, H5T_NATIVE_INT64, sizeof *run->change_rows, &count, error);
    if (run->change_rows && text >= 0)
        run->change_texts = vv_reader_fixed(run, &texts_wanted, text, VV_RUN_STATUS_ROOM, &named, error);
    if (text >= 0)
        H5Tclose(text);
    if (!run->change_rows || !run->change_texts)
        return error ? error->status : VV_ERROR_INPUT;
    if (named != count || count > MOST_CHANGES)
        return vv_reader_broken(run, texts_path, "does not fit its rows", error);
    int used = 0;
    for (; used < count && run->change_rows[used] >= 0; used++) { /* behind them there may be room for more */
        run->change_texts[(used + 1) * VV_RUN_STATUS_ROOM - 1] = 0;
        if (run->change_rows[used] >= run->rows)
            return vv_reader_broken(run, rows_path, "names a row that is not there", error);
    }
    run->change_count = used;
    return VV_OK;
}

int vvRunChangeCount(const vvRun *run) { return run ? run->change_count : 0; }

const char *vvRunChange(const vvRun *run, int index, int *row)
{
    if (!run || index < 0 || index >= run->change_count)
        return NULL;
    if (row)
        *row = (int)run->change_rows[index];
    return run->change_texts + (size_t)index * VV_RUN_STATUS_ROOM;
}
