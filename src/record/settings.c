/* What setters of the world change while it is recorded: noted with each step, written with each frame (changes.c
 * says how). */
#include "visviva/settings.h"
#include "base/error.h"
#include "record/writer.h"

vvStatus vv_writer_renew_facts(vvRunWriter *w, const vvWorld *world, vvError *error)
{
    const int bodies = (int)w->sizes.bodies;
    if (!vv_writer_facts(w->file, world) || !vv_writer_touching(w->file, world, bodies, false) ||
        !vv_writer_bending(w->file, world, bodies, false) || H5Fflush(w->file, H5F_SCOPE_LOCAL) < 0)
        return vv_writer_fail(w, error, "the facts of the world");
    return VV_OK;
}

/* The last ledger row, written or pending, of a state with at most so many steps. */
static int64_t row_before(const vvRunWriter *w, int64_t step)
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
        if (!vv_writer_add_change(w, row_before(w, change.step), change.text))
            return vv_fail_memory(error, "the changes of a run");
        w->outdated = true;
    }
    return VV_OK;
}

vvStatus vv_writer_put_changes(vvRunWriter *w, const vvWorld *world, vvError *error)
{
    if (!w->outdated)
        return VV_OK;
    if (w->changes.count > 0 && !vv_writer_put_in_place(w)) { /* a rebuild may have put them */
        w->change_room = vv_writer_more_changes(w);
        vvStatus status = vv_writer_rebuild(w, w->frames, w->rows, w->room, NULL, error);
        w->change_room = 0;
        if (status != VV_OK)
            return status;
    }
    if (w->changes.count > 0)
        vv_writer_changes_are_put(w, w->rows);
    vvStatus status = vv_writer_renew_facts(w, world, error);
    if (status == VV_OK)
        w->outdated = false;
    return status;
}
