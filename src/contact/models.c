/* The table of contact models. */
#include "contact/models.h"

#include "contact/constraint.h"

#include <string.h>

static vv_obstacle_force springs(const vvContactDef *d)
{
    return (vv_obstacle_force){ vv_repulsion_form_find(d->springs.form), d->springs.stiffness, d->springs.perVertex };
}

static vv_obstacle_force penalty(const vvContactDef *d)
{
    return (vv_obstacle_force){ vv_repulsion_form_find("penalty"), d->penalty.stiffness, d->penalty.perVertex };
}

static vv_obstacle_force constraint(const vvContactDef *d)
{
    (void)d;
    return (vv_obstacle_force){ &vv_repulsion_constraint, 0, false };
}

static bool constraint_after(const vvContactDef *d)
{
    return strcmp(d->constraint.when, vv_constraint_when(0)->name) != 0;
}

static const vv_contact_model rows[] = {
    { { { "barrier", "IPC barrier: nothing penetrates" }, VV_CONTACT_BARRIER, VV_CONTACT_BARRIER, "" } },
    { { { "springs", "repulsion springs against obstacles, IPC barrier between bodies" },
        VV_CONTACT_FORCE,
        VV_CONTACT_BARRIER,
        "springs" },
      springs },
    { { { "penalty", "penalties on how deep vertices are, in obstacles and in other bodies" },
        VV_CONTACT_FORCE,
        VV_CONTACT_FORCE,
        "penalty" },
      penalty },
    { { { "constraint", "obstacles bound positions, exactly; penalties between bodies" },
        VV_CONTACT_BOUND,
        VV_CONTACT_FORCE,
        "penalty constraint" },
      constraint,
      constraint_after },
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
