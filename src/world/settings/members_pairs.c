/* Friction per pair of bodies as one setting, contact.pairs (world/settings/members.h): a list of the world's. */
#include "base/error.h"
#include "base/text/number.h"
#include "base/text/text.h"
#include "world/settings/members.h"
#include "world/settings/bytes.h"
#include "world/world.h"

static bool same_pairs(const void *one, const void *other)
{
    const vvWorld *a = one, *b = other;
    bool same = a->friction_count == b->friction_count;
    for (size_t i = 0; same && i < a->friction_count; i++) {
        const vv_body_friction *p = a->frictions + i, *q = b->frictions + i;
        same = p->a == q->a && p->b == q->b && p->mu == q->mu;
    }
    return same;
}

/* Each pair is checked when it is set. */
static vvStatus check_pairs(const vv_key_row *row, const void *def, vvError *error)
{
    (void)row, (void)def, (void)error;
    return VV_OK;
}

/* [{"between": ["a", "b"], "friction": 0.3}, ...] */
static void say_pairs(const void *before, const void *def, bool json, vvSettingFunction *say, void *user)
{
    const vvWorld *w = def;
    char names[2][VV_JSON_LETTER * sizeof w->bodies->name + 3], mu[VV_NUMBER_LENGTH];
    const size_t room = (w->friction_count + 1) * (sizeof names + sizeof mu + 64);
    char *text = before && same_pairs(before, def) ? NULL : vv_alloc(room, 1);
    size_t used = 0;
    for (size_t i = 0; text && json && i < w->friction_count; i++) {
        const vv_body_friction *p = w->frictions + i;
        vv_format_double(mu, p->mu);
        used += (size_t)vv_print(text + used, room - used, "%s{\"between\": [%s, %s], \"friction\": %s}",
                                 i ? ", " : "[", vv_json_text(w->bodies[p->a].name, names[0]),
                                 vv_json_text(w->bodies[p->b].name, names[1]), mu);
    }
    if (text)
        vv_print(text + used, room - used, !json ? "changed" : w->friction_count > 0 ? "]" : "[]");
    if (text)
        say(user, "contact.pairs", text);
    vv_free(text);
}

static void put_pairs(vv_pen *p, const void *def)
{
    const vvWorld *w = def;
    for (size_t i = 0; i < w->friction_count; i++)
        vv_put_numbers(p, (double[]){ w->frictions[i].a, w->frictions[i].b, w->frictions[i].mu }, 3);
}

static vvStatus take_pairs(vv_eye *e, void *def, vvError *error)
{
    vvWorld *w = def;
    w->friction_count = 0;
    while (e->left >= 3 * sizeof(double)) {
        double a = vv_take_number(e), b = vv_take_number(e), mu = vv_take_number(e);
        if (!(a >= 0 && a <= b && b < (double)w->body_count && mu >= 0 && mu <= VV_MOST_FRICTION))
            return vv_fail(error, VV_ERROR_INPUT, "the saved friction of pairs is damaged");
        if (!vv_grow((void **)&w->frictions, &w->friction_capacity, w->friction_count + 1, sizeof *w->frictions))
            return vv_fail_memory(error, "a pair's friction");
        w->frictions[w->friction_count++] = (vv_body_friction){ (int)a, (int)b, mu };
    }
    return VV_OK;
}

const vv_member_ops vv_pairs_ops = { same_pairs, check_pairs, say_pairs, put_pairs, take_pairs };
