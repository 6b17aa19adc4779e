/* The table of contact models. */
#include "contact/models.h"

#include "contact/springs/constraint.h"

#include <string.h>

static vv_obstacle_force springs(const vvContactDef *d)
{
    return (vv_obstacle_force){ vv_repulsion_form_find(d->springs.form), d->springs.stiffness, d->springs.perVertex };
}

static vv_obstacle_force penalty(const vvContactDef *d)
{
    return (vv_obstacle_force){ vv_repulsion_form_find("penalty"), d->penalty.stiffness, d->penalty.perVertex };
}

static bool constraint_after(const vvContactDef *d)
{
    return strcmp(d->constraint.when, vv_constraint_when(0)->name) != 0;
}

_Static_assert(VV_PRESSES_OBSTACLES == 64, "as stated by the last of these requirements");
static const vvInfo needs[VV_CONTACT_NEEDS] = {
    { "exact-distances", "obstacles whose distances are exact" },
    { "solid-bodies", "in each pair of bodies that may touch, one of tets, and no kinematic surface without them" },
    { "no-flat-bodies", "no flat body that may touch other bodies" },
    { "vertices-are-nodes", "that each vertex that may touch an obstacle is a node of its own" },
    { "bounding-solver", "a solver, and a fallback, that keep positions within bounds" },
    { "end-forces", "a scheme whose step ends at the minimum of one objective, with the forces there" },
    { "steady-policy", "a policy that does not change the end of a step" },
    { "few-obstacles", "at most 64 obstacles" },
};

static const vv_contact_model rows[] = {
    { { { "barrier", "IPC barrier: nothing penetrates" },
        VV_CONTACT_BARRIER,
        VV_CONTACT_BARRIER,
        "",
        VV_NEED_EXACT | VV_NEED_THICK } },
    { { { "springs", "repulsion springs against obstacles, IPC barrier between bodies" },
        VV_CONTACT_FORCE,
        VV_CONTACT_BARRIER,
        "springs",
        VV_NEED_THICK | VV_NEED_FEW },
      springs },
    { { { "penalty", "penalties on the depth of vertices in obstacles and in other bodies" },
        VV_CONTACT_FORCE,
        VV_CONTACT_FORCE,
        "penalty",
        VV_NEED_SOLID | VV_NEED_FEW },
      penalty },
    { { { "constraint", "obstacles bound positions exactly; penalties between bodies" },
        VV_CONTACT_BOUND,
        VV_CONTACT_FORCE,
        "penalty constraint",
        VV_NEED_EXACT | VV_NEED_SOLID | VV_NEED_NODES | VV_NEED_FEW | VV_NEEDS_OF_METHODS },
      .bound = vv_constraint_create,
      .after = constraint_after },
    { { { "none", "no contact" }, VV_CONTACT_NONE, VV_CONTACT_NONE, "" } },
#if defined(VV_MORE_CONTACT_MODELS) /* of a test that adds some */
    VV_MORE_CONTACT_MODELS
#endif
};

const vv_contact_model *vv_contact_model_at(int index)
{
    return index >= 0 && index < (int)(sizeof rows / sizeof *rows) ? rows + index : NULL;
}

const vv_contact_model *vv_contact_model_find(const char *name)
{
    const vv_contact_model *row;
    for (int i = 0; (row = vv_contact_model_at(i)); i++)
        if (strcmp(row->type.info.name, name) == 0)
            return row;
    return NULL;
}

const vvInfo *vvContactNeedInfo(int index) { return index >= 0 && index < VV_CONTACT_NEEDS ? needs + index : NULL; }

const vvInfo *vvContactModelInfo(int index)
{
    const vv_contact_model *row = vv_contact_model_at(index);
    return row ? &row->type.info : NULL;
}

const vvContactModel *vvContactModelFind(const char *name)
{
    const vv_contact_model *row = name ? vv_contact_model_find(name) : NULL;
    return row ? &row->type : NULL;
}

bool vv_contact_model_reads(const vv_contact_model *model, const char *part, size_t length)
{
    for (const char *word = model->type.parts; *word;) {
        const size_t n = strcspn(word, " ");
        if (n == length && memcmp(word, part, n) == 0)
            return true;
        word += n + strspn(word + n, " ");
    }
    return false;
}

const vvInfo *vv_friction_when(int index)
{
    static const vvInfo whens[] = {
        { "auto", "within solves that iterate until they converge, else after" },
        { "solve", "within the solve, like the barrier's" },
        { "after", "on velocities, after the solve, as in the papers" },
    };
    return index >= 0 && index < (int)(sizeof whens / sizeof *whens) ? whens + index : NULL;
}

int vv_friction_when_of(const vvContactDef *def)
{
    int k = VV_FRICTION_AFTER;
    while (k > 0 && strcmp(def->frictionWhen, vv_friction_when(k)->name) != 0)
        k--;
    return k;
}
