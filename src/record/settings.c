/* What setters of the world change while it is recorded: noted with each step, written with each frame (lines.c says
 * how). */
#include "visviva/settings.h"
#include "base/error.h"
#include "record/writer.h"

vvStatus vv_writer_renew_facts(vvRunWriter *w, const vvWorld *world, vvError *error)
{
    const int bodies = (int)w->sizes.bodies;
    if (!vv_writer_facts(w->file, world) || !vv_writer_touching(w->file, world, bodies, false) ||
        !vv_writer_bending(w->file, world, bodies, false) || !vv_writer_made_by(w->file, world, false) ||
        H5Fflush(w->file, H5F_SCOPE_LOCAL) < 0)
        return vv_writer_fail(w, error, "the facts of the world");
    return VV_OK;
}

int64_t vv_writer_row_before(const vvRunWriter *w, int64_t step)
{
    int64_t i = w->pending.count - 1;
    while (i >= 0 && w->pending.ledger[i].step > step)
        i--;
    int64_t row = w->rows + i;
    return row > 0 ? row : 0;
}

vvStatus vv_writer_note_changes(vvRunWriter *w, const vvWorld *world, vvError *error)
{
    uint32_t now = vvWorldSettingsRevision(world);
    for (; w->revision != now; w->revision++) {
        vvSettingChange change;
        if (!vvWorldSettingChange(world, w->revision + 1, &change)) /* too many at once: the older ones are forgotten */
            continue;
        if (!vv_writer_add_line(w, VV_LINES_CHANGES, vv_writer_row_before(w, change.step), change.text))
            return vv_fail_memory(error, "the changes of a run");
        w->outdated = true;
    }
    return VV_OK;
}

static vvStatus put_kind(vvRunWriter *w, vv_lines_kind which, vvError *error)
{
    if (w->lines[which].count == 0 || vv_writer_put_in_place(w, which))
        return VV_OK;
    w->line_room[which] = vv_writer_more_lines(w, which);
    vvStatus status = vv_writer_rebuild(w, w->frames, w->rows, w->room, NULL, error);
    w->line_room[which] = 0;
    return status;
}

vvStatus vv_writer_put_lines(vvRunWriter *w, const vvWorld *world, vvError *error)
{
    vvStatus status = VV_OK;
    bool any = false;
    for (int k = 0; status == VV_OK && k < VV_LINES_COUNT; k++) {
        any = any || w->lines[k].count > 0;
        status = put_kind(w, (vv_lines_kind)k, error); /* a rebuild may have put the others, too */
    }
    if (status != VV_OK)
        return status;
    vv_writer_lines_are_put(w, w->rows);
    if (w->outdated)
        status = vv_writer_renew_facts(w, world, error);
    else if (any && H5Fflush(w->file, H5F_SCOPE_LOCAL) < 0)
        status = vv_writer_fail(w, error, "the notes");
    if (status == VV_OK)
        w->outdated = false;
    return status;
}
