/* The energies of spring attachments and drags: one batch of those that come and go, one of the others. */
#include "base/error.h"
#include "energy/points/simple.h"
#include "world/world.h"

#include <string.h>

/* Room for as many nodes as spring attachments have. */
typedef struct batch {
    int springs, nodes;
    double *stiffness, *weight;
    int *corners, *node;
} batch;

static bool allocate(const vvWorld *w, batch *b)
{
    size_t room = 0;
    for (size_t a = 0; a < w->attach_count; a++)
        room += vv_attach_is(w->attaches + a, VV_ATTACH_SPRING) ? (size_t)w->attaches[a].count : 0;
    *b = (batch){ .stiffness = vv_alloc(room, sizeof *b->stiffness),
                  .weight = vv_alloc(room, sizeof *b->weight),
                  .corners = vv_alloc(room, sizeof *b->corners),
                  .node = vv_alloc(room, sizeof *b->node) };
    return b->stiffness && b->weight && b->corners && b->node;
}

static void free_batch(batch *b)
{
    vv_free(b->stiffness);
    vv_free(b->weight);
    vv_free(b->corners);
    vv_free(b->node);
}

/* One spring from a point that several nodes carry, or one from each node. */
static void gather(const vv_attach *a, batch *b)
{
    for (int i = 0; i < vv_attach_places(a); i++) {
        b->stiffness[b->springs] = a->stiffness;
        b->corners[b->springs++] = a->weights ? a->count : 1;
    }
    for (int i = 0; i < a->count; i++) {
        b->node[b->nodes] = a->nodes[i];
        b->weight[b->nodes++] = a->weights ? a->weights[i] : 1;
    }
}

/* The energy of the loose ones or the others. It stays where its springs are the same, so that solvers keep what they
 * have made of it. */
static vvStatus put_batch(vvWorld *w, bool loose, vvError *error)
{
    const int most = vv_attach_most_loose(w), place = loose ? VV_PLACE_LOOSE : VV_PLACE_SOFT;
    vv_energy *old = w->energy_at[place], *e = NULL;
    batch b;
    vvStatus status = allocate(w, &b) ? VV_OK : vv_fail_memory(error, "attachments");
    for (size_t a = 0; status == VV_OK && a < w->attach_count; a++)
        if (vv_attach_is(w->attaches + a, VV_ATTACH_SPRING) && vv_attach_is_loose(w->attaches + a, most) == loose)
            gather(w->attaches + a, &b);
    const vv_springs_of_points springs = { b.springs, b.stiffness, b.corners, b.node, b.weight };
    const bool same = status == VV_OK && (old ? vv_attachment_is_of(old, &springs) : b.springs == 0);
    if (status == VV_OK && !same && b.springs > 0)
        status = vv_attachment_create(&springs, w->body_of, &e, error);
    if (e && loose)
        vv_attachment_loosen(e);
    if (status == VV_OK && !same)
        status = vv_world_put_energy(w, place, e, error);
    free_batch(&b);
    return status;
}

vvStatus vv_world_put_springs(vvWorld *w, vvError *error)
{
    vvStatus status = put_batch(w, false, error);
    return status == VV_OK ? put_batch(w, true, error) : status;
}
