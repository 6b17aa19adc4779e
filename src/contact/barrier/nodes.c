/* The barrier of analytic obstacles, one node at a time, for block descent (energy/nodes.h). Second derivatives are
 * those of the projected Hessian. Moves end where the step filter would end them, so that nothing passes through
 * however few the sweeps. */
#include "base/vec.h"
#include "contact/barrier/barrier.h"
#include "contact/barrier/vertex_nodes.h"

static vvStatus prepare(const vv_energy *e, const vv_node_order *order, void **data, vvError *error)
{
    return vv_vertex_items_create(vv_barrier_def_of(e)->vertices, order, data, error);
}

/* A vertex and an obstacle that may touch, and where what is found of them goes: the lane of group j. */
typedef struct visit {
    const vv_barrier_def *def;
    const vv_node_batch *b;
    vv_vertex_place p;
    int obstacle, j, lane;
    bool solid;            /* the obstacle's frame is not flat */
    const vv_frame *frame; /* NULL: it stands still */
} visit;

static void each(const vv_energy *e, const void *data, const vv_node_batch *b, void (*fn)(const visit *v))
{
    const vv_node_items *items = data;
    visit v = { .def = vv_barrier_def_of(e), .b = b };
    for (v.obstacle = 0; v.obstacle < v.def->obstacle_count; v.obstacle++) {
        vv_frame own;
        v.frame = vv_contact_frame_at(v.def, v.obstacle, 1, b->x, NULL, &own, &v.solid);
        for (v.j = b->begin; v.j < b->end; v.j++)
            for (int i = items->start[v.j]; i < items->start[v.j + 1]; i++) {
                if (vv_vertex_again(b, items, i))
                    continue;
                v.p = vv_vertex_place_of(v.def->vertices, items, b, i), v.lane = items->lane[i];
                if (vv_contact_touches(v.def, v.p.vertex, v.obstacle))
                    fn(&v);
            }
    }
}

static void add_block(const visit *v)
{
    const vv_barrier_def *def = v->def;
    double g[3], h[9];
    vv_barrier_sum b;
    if (!vv_barrier_at(def, v->p.vertex, v->obstacle, v->frame, v->p.x, VV_SUM_PROJECTED, &b) || !(b.value < INFINITY))
        return;
    const double force = v->p.weight * vv_contact_stiffness(def, v->p.vertex) * def->vertices->area[v->p.vertex];
    for (int k = 0; k < 3; k++) {
        g[k] = force * b.slope * b.n[k];
        for (int l = 0; l < 3; l++)
            h[3 * k + l] = v->p.weight * force * b.block[3 * k + l];
    }
    vv_vertex_add(def->vertices, v->b, v->j, v->lane, v->p.vertex, g, h);
}

static void add_value(const visit *v)
{
    const vv_barrier_def *def = v->def;
    vv_barrier_sum b;
    double *to = v->b->values + 8 * (v->j - v->b->begin) + v->lane;
    if (!v->solid)
        *to = INFINITY;
    else if (vv_barrier_at(def, v->p.vertex, v->obstacle, v->frame, v->p.x, VV_SUM_VALUE, &b))
        *to = b.value < INFINITY ? *to + v->b->value * vv_contact_stiffness(def, v->p.vertex) *
                                             vv_contact_distance(def, v->p.vertex, v->obstacle) *
                                             def->vertices->area[v->p.vertex] * b.value
                                 : INFINITY;
}

static void lower_limit(const visit *v)
{
    const vv_node_batch *b = v->b;
    double *limit = b->limits + 8 * (v->j - b->begin) + v->lane, way[3];
    vv_vertex_way(v->def->vertices, b, v->j, v->lane, &v->p, way);
    *limit = vv_barrier_free_part(v->def, v->p.vertex, v->obstacle, v->frame, v->p.x, way, *limit);
}

static void blocks(const vv_energy *e, const void *data, const vv_node_batch *b) { each(e, data, b, add_block); }
static void values(const vv_energy *e, const void *data, const vv_node_batch *b) { each(e, data, b, add_value); }
static void limits(const vv_energy *e, const void *data, const vv_node_batch *b) { each(e, data, b, lower_limit); }

const vv_node_ops vv_barrier_node_ops = { prepare, NULL, blocks, values, limits };
