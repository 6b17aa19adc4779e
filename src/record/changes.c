/* Where a run went on with other settings: /visviva/change_rows (the last ledger row before), /visviva/change_texts (what changed, in a few
 * words). A run that never did has neither; nor have files of older versions. */
#include "base/memory.h"
#include "record/reader.h"
#include "record/writer.h"

#include <string.h>

static const char rows_path[] = "/visviva/change_rows", texts_path[] = "/visviva/change_texts";

/* A change more than these is not worth a file. */
enum { MOST_CHANGES = 10000 };

typedef struct changes {
    int64_t count;
    int64_t *rows;
    char *texts; /* VV_RUN_STATUS_ROOM bytes each, ended by a zero */
} changes;

static void release(changes *c)
{
    vv_free(c->rows);
    vv_free(c->texts);
    *c = (changes){ 0 };
}

/* ---- writing ---- */

static int64_t count_in(hid_t file)
{
    hid_t set = vv_hdf_exists(file, rows_path) && vv_hdf_exists(file, texts_path) ? H5Dopen2(file, rows_path, H5P_DEFAULT) : -1;
    hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    int64_t count = space >= 0 ? (int64_t)H5Sget_simple_extent_npoints(space) : 0;
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return count > 0 && count <= MOST_CHANGES ? count : 0;
}

static bool read_all(hid_t file, const char *path, hid_t type, void *data)
{
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    bool ok = set >= 0 && vv_hdf_read(set, type, data);
    if (set >= 0)
        H5Dclose(set);
    return ok;
}

/* Those of the file, with room for one more. */
static bool gather(hid_t file, hid_t text, changes *c)
{
    int64_t count = count_in(file);
    *c = (changes){ .count = count, .rows = vv_alloc((size_t)count + 1, sizeof *c->rows),
                    .texts = vv_alloc((size_t)count + 1, VV_RUN_STATUS_ROOM) };
    return c->rows && c->texts && (count == 0 || (read_all(file, rows_path, H5T_NATIVE_INT64, c->rows) && read_all(file, texts_path, text, c->texts)));
}

static char *text_at(const changes *c, int64_t i) { return c->texts + i * VV_RUN_STATUS_ROOM; }

/* Leaves out those beyond the rows that the run keeps. */
static void keep(changes *c, int64_t rows)
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

/* A second change at the same row joins the first. What does not fit is left out, whole characters of UTF-8. */
static void add(changes *c, int64_t row, const char *text)
{
    if (c->count == 0 || c->rows[c->count - 1] != row) {
        c->rows[c->count] = row;
        memset(text_at(c, c->count++), 0, VV_RUN_STATUS_ROOM);
    }
    char *to = text_at(c, c->count - 1);
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

bool vv_writer_changes(hid_t from, hid_t to, int64_t rows, const char *change)
{
    changes c = { 0 };
    hid_t text = vv_hdf_text_type(VV_RUN_STATUS_ROOM);
    bool ok = text >= 0 && gather(from, text, &c);
    if (ok) {
        keep(&c, rows);
        if (change && *change)
            add(&c, rows - 1, change);
        const hsize_t count = (hsize_t)c.count;
        ok = count == 0 || (vv_hdf_write(to, rows_path, H5T_NATIVE_INT64, 1, &count, c.rows) && vv_hdf_write(to, texts_path, text, 1, &count, c.texts));
    }
    if (text >= 0)
        H5Tclose(text);
    release(&c);
    return ok;
}

/* ---- reading ---- */

vvStatus vv_reader_changes(vvRun *run, vvError *error)
{
    if (!vv_hdf_exists(run->file, rows_path) || !vv_hdf_exists(run->file, texts_path))
        return VV_OK;
    const vv_want rows = { rows_path, 1, 0, H5T_INTEGER }, texts = { texts_path, 1, 0, H5T_STRING };
    int64_t count = 0, named = 0;
    hid_t text = vv_hdf_text_type(VV_RUN_STATUS_ROOM);
    run->change_rows = vv_reader_fixed(run, &rows, H5T_NATIVE_INT64, sizeof *run->change_rows, &count, error);
    run->change_texts = run->change_rows && text >= 0 ? vv_reader_fixed(run, &texts, text, VV_RUN_STATUS_ROOM, &named, error) : NULL;
    if (text >= 0)
        H5Tclose(text);
    if (!run->change_rows || !run->change_texts)
        return error ? error->status : VV_ERROR_INPUT;
    if (named != count || count > MOST_CHANGES)
        return vv_reader_broken(run, texts_path, "does not fit its rows", error);
    for (int64_t i = 0; i < count; i++) {
        run->change_texts[(i + 1) * VV_RUN_STATUS_ROOM - 1] = 0;
        /* a run that is being resumed may have been cut off before its new rows were counted */
        if (run->change_rows[i] < 0 || run->change_rows[i] >= run->rows)
            return vv_reader_broken(run, rows_path, "names a row that is not there", error);
    }
    run->change_count = (int)count;
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
