/* The barrier of analytic obstacles, one node at a time: what block descent asks for (energy/nodes.h). Second derivatives are those of the
 * projected Hessian. Moves end where the step filter would end them, so that nothing is passed however few sweeps there are. */
#include "base/vec.h"
#include "contact/barrier.h"
#include "contact/vertex_nodes.h"

/* The frame of obstacle o where the batch has its nodes, in *own; NULL: it stands still. False: it is flat there. */
static bool frame_at(const vv_barrier_def *def, int o, const double *x, vv_frame *own, const vv_frame **out)
{
    const vv_frame *frame = vv_contact_frame(def, o);
    double q[12];
    *out = NULL;
    if (!frame)
        return true;
    *own = *frame;
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++)
            q[3 * i + k] = x[4 * ((size_t)frame->node + i) + k];
    own->node = 0;
    const bool solid = vv_frame_place(own, q);
    own->node = frame->node;
    *out = own;
    return solid;
}

static vvStatus prepare(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    return vv_vertex_items_create(vv_barrier_def_of(e)->vertices, order, data, error);
}

static void blocks(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const vv_barrier_def *def = vv_barrier_def_of(e);
    const vv_node_items *items = data;
    for (int o = 0; o < def->obstacle_count; o++) {
        vv_frame own;
        const vv_frame *frame;
        frame_at(def, o, b->x, &own, &frame);
        for (int j = b->begin; j < b->end; j++)
            for (int i = items->start[j]; i < items->start[j + 1]; i++) {
                const vv_vertex_place p = vv_vertex_place_of(def->vertices, items, b, i);
                double n[3], f[3], g[3], h[9];
                if (!vv_contact_touches(def, p.vertex, o))
                    continue;
                const double d = vv_contact_gap_in(def, p.vertex, o, frame, p.x, NULL, NULL);
                if (!(d > 0 && d < def->distance))
                    continue;
                vv_contact_gap_in(def, p.vertex, o, frame, p.x, n, NULL);
                vv_barrier(d / def->distance, f);
                const double force = p.weight * def->stiffness * def->vertices->area[p.vertex];
                for (int k = 0; k < 3; k++) {
                    g[k] = force * f[1] * n[k];
                    for (int l = 0; l < 3; l++)
                        h[3 * k + l] = p.weight * force * f[2] / def->distance * n[k] * n[l];
                }
                vv_node_add(b, j, items->lane[i], g, h);
            }
    }
}

static void values(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const vv_barrier_def *def = vv_barrier_def_of(e);
    const vv_node_items *items = data;
    for (int o = 0; o < def->obstacle_count; o++) {
        vv_frame own;
        const vv_frame *frame;
        const bool solid = frame_at(def, o, b->x, &own, &frame);
        for (int j = b->begin; j < b->end; j++)
            for (int i = items->start[j]; i < items->start[j + 1]; i++) {
                const vv_vertex_place p = vv_vertex_place_of(def->vertices, items, b, i);
                double f[3], *to = b->values + 8 * (j - b->begin) + items->lane[i];
                if (!vv_contact_touches(def, p.vertex, o))
                    continue;
                const double d = solid ? vv_contact_gap_in(def, p.vertex, o, frame, p.x, NULL, NULL) : 0;
                if (!(d > 0)) {
                    *to = INFINITY;
                } else if (d < def->distance) {
                    vv_barrier(d / def->distance, f);
                    *to += b->value * def->stiffness * def->distance * def->vertices->area[p.vertex] * f[0];
                }
            }
    }
}

static void limits(const vv_energy *e, const void *data, const vv_node_batch *b)
{
    const vv_barrier_def *def = vv_barrier_def_of(e);
    const vv_node_items *items = data;
    for (int o = 0; o < def->obstacle_count; o++) {
        vv_frame own;
        const vv_frame *frame;
        frame_at(def, o, b->x, &own, &frame);
        for (int j = b->begin; j < b->end; j++)
            for (int i = items->start[j]; i < items->start[j + 1]; i++) {
                const vv_vertex_place p = vv_vertex_place_of(def->vertices, items, b, i);
                const double *move = b->moves + 24 * (ptrdiff_t)(j - b->begin) + items->lane[i];
                double *limit = b->limits + 8 * (j - b->begin) + items->lane[i], way[3];
                if (!vv_contact_touches(def, p.vertex, o))
                    continue;
                for (int k = 0; k < 3; k++)
                    way[k] = b->reach * p.weight * move[8 * k];
                *limit = vv_barrier_free_part(def, p.vertex, o, frame, p.x, way, *limit);
            }
    }
}

const vv_node_ops vv_barrier_node_ops = { prepare, NULL, blocks, values, limits };
