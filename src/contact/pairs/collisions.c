/* The object for contact between surfaces: creation, positions of its vertices, room for its candidates. */
#include "contact/pairs/collisions.h"
#include "contact/penetration/penetration.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Candidates kept at a time, per vertex and edge, some 100 bytes each. Where bodies lie on each other there are 5 to
 * 10 within a small step. */
enum { EACH = 32 };

vvStatus vv_collisions_create(const vv_collisions_def *def, vv_collisions **out, vvError *error)
{
    vv_collisions *c = vv_alloc(1, sizeof *c);
    *out = NULL;
    if (!c)
        return vv_fail_memory(error, "contact between bodies");
    c->def = *def;
    c->limit_kind = -1;
    c->expected = 1;
    c->most = EACH * ((int64_t)def->surface->vertices->count + def->surface->edge_count);
    size_t n = 3 * ((size_t)def->surface->vertices->count + (size_t)def->surface->vertices->inner);
    c->x = vv_alloc(n, sizeof *c->x);
    c->dx = vv_alloc(n, sizeof *c->dx);
    c->first = vv_alloc((size_t)def->surface->vertices->count + 1, sizeof *c->first);
    vvStatus status = c->x && c->dx && c->first ? VV_OK : vv_fail_memory(error, "contact between bodies");
    if (status == VV_OK && !def->penetrates)
        status = vv_candidates_create(def->surface, def->distance, &c->candidates, error);
    if (status != VV_OK) {
        vv_collisions_destroy(c);
        return status;
    }
    *out = c;
    return VV_OK;
}

void vv_collisions_destroy(vv_collisions *c)
{
    if (!c)
        return;
    if (!c->def.penetrates)
        vv_candidates_free(&c->candidates);
    vv_penetration_destroy(c->penetration);
    vv_free(c->x);
    vv_free(c->dx);
    vv_free(c->pairs);
    vv_free(c->sorted);
    vv_free((void *)c->first);
    vv_free(c->chunks);
    vv_free(c->hit);
    vv_free(c->slot);
    vv_free(c);
}

void vv_collisions_points(const vv_collisions *c, const int vertex[4], double x[4][3])
{
    for (int i = 0; i < 4; i++)
        if (vertex[i] >= 0)
            memcpy(x[i], c->x + 3 * (size_t)vertex[i], sizeof x[i]);
}

bool vv_collisions_cover(vv_collisions *c, const vv_parallel *par, const vv_way *way, int64_t most)
{
    vvError ignored;
    bool ok = vv_candidates_cover_way(&c->candidates, par, way, most, &ignored) == VV_OK;
    c->cancelled = c->cancelled || vv_for_stopped(par);
    c->failed = c->failed || !ok;
    return ok;
}
