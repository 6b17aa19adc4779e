/* Worlds with contact by repulsion springs. */
#ifndef TESTS_REPULSION_SUPPORT_H
#define TESTS_REPULSION_SUPPORT_H

#include "live_support.h"

static const char *const forms[] = { "one-sided", "bilateral", "cubic", "following" };
enum { FORMS = 4 };

static inline vvWorldDef springs_def(const char *form, const char *scheme, const char *policy)
{
    vvWorldDef d = live_def(scheme, policy);
    d.contact.model = "springs";
    d.contact.springs.form = form;
    d.contact.springs.stiffness = strcmp(form, "cubic") == 0 ? 1e9 : 1e6;
    d.timeStep = 0.01;
    d.solver.tolerance = 1e-6;
    return d;
}

/* A block of 0.2 m, its lower side `height` above a plane. */
static inline vvWorld *drop_of(const vvWorldDef *d, double height, const char *model)
{
    vvWorld *w = new_world(d);
    vvBodyDef body = vvDefaultBodyDef();
    body.material = material(model, 1e6);
    body.translate[1] = 0.1 + height;
    add_box_def(w, (double[]){ 0.2, 0.2, 0.2 }, (int[]){ 2, 2, 2 }, 5, &body);
    obstacle(w, "plane", NULL, -1);
    return w;
}

static inline vvWorld *drop(const vvWorldDef *d, double height) { return drop_of(d, height, "stvk"); }

#endif
