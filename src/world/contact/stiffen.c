/* A run that adapts the stiffness of contact (theory §5.11): doubled where gaps become too small, and booked as
 * work. */
#include "world/settings/settings.h"

static const double TOO_CLOSE = 0.05; /* of the activation distance */
enum { STEPS = 2, MOST_DOUBLINGS = 7 };

/* By that factor; also of contacts that sleep, which stay in H. */
static void change(vvWorld *w, double factor)
{
    for (size_t b = 0; b < w->body_count; b++)
        w->state.body_sleep[b].contact *= factor;
    vv_world_apply_stiffness(w);
    vv_world_regard_ground(w);
    vv_stepper_book_change(w->stepper);
}

void vv_world_stiffen(vvWorld *w, vv_unstiffened *before)
{
    vv_stiffening *s = &w->stiffening;
    *before = (vv_unstiffened){ .was = *s, .user_work = w->state.ledger.user_work, .row = w->state.ledger.row };
    if (!w->contact || !w->def.contact.adaptStiffness)
        return;
    if (s->base != w->def.contact.stiffness)
        *s = (vv_stiffening){ .base = w->def.contact.stiffness };
    if (s->close < STEPS || s->doublings >= MOST_DOUBLINGS)
        return;
    s->doublings++;
    s->close = 0;
    before->changed = true;
    change(w, 2);
}

void vv_world_unstiffen(vvWorld *w, const vv_unstiffened *before)
{
    w->stiffening = before->was;
    if (!before->changed)
        return;
    change(w, 0.5);
    w->state.ledger.user_work = before->user_work;
    w->state.ledger.row = before->row;
}

void vv_world_watch_gaps(vvWorld *w, const vv_unstiffened *before)
{
    vv_stiffening *s = &w->stiffening;
    if (!w->contact || !w->def.contact.adaptStiffness)
        return;
    if (before->changed) {
        vv_world_note_setting(w, "contact.stiffness=%.6g, adapted", vv_world_stiffness(w));
        vv_world_log(w, VV_LOG_INFO,
                     "step %lld (t = %g s): contact.stiffness is %.3g Pa now: gaps were below %g of contact.distance",
                     (long long)w->state.clock.step, vv_world_time(w), vv_world_stiffness(w), TOO_CLOSE);
    }
    s->close = vv_contact_closeness(w->contact, w->state.q) < TOO_CLOSE ? s->close + 1 : 0;
}
