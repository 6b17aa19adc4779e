/* The pieces of a world in memory: bodies, attachments, a whole structure; copied, moved, freed. */
#include "base/memory.h"
#include "world/saved/frozen.h"
#include "world/attachments/load.h"
#include "world/bodies/regions.h"

#include <string.h>

void vv_body_free(vv_body *b)
{
    vv_free(b->tets);
    vv_free(b->tets10);
    vv_free(b->triangles);
    vv_free(b->uvs);
    vv_free(b->edges);
    vv_free(b->points);
    vv_free(b->hinges);
    vv_free(b->hinge_angles);
    vv_free(b->bends);
    vv_free(b->triangle_thickness);
    vv_free(b->triangle_stiffness);
    vv_free(b->materials);
    vv_regions_free(&b->regions);
    vv_free(b->surface);
    vv_free(b->held);
    vv_free(b->stick);
    vv_skin_free(&b->skin);
}

static bool copy_triangle_numbers(const vv_body *from, vv_body *to)
{
    size_t n = (size_t)from->triangle_count;
    if (from->triangle_thickness)
        to->triangle_thickness = vv_alloc_copy(from->triangle_thickness, n, sizeof *to->triangle_thickness);
    if (from->triangle_stiffness)
        to->triangle_stiffness = vv_alloc_copy(from->triangle_stiffness, n, sizeof *to->triangle_stiffness);
    return !from->triangle_thickness == !to->triangle_thickness && !from->triangle_stiffness == !to->triangle_stiffness;
}

bool vv_body_copy(const vv_body *from, vv_body *to)
{
    *to = *from;
    to->tets = vv_alloc_copy(from->tets, 4 * (size_t)from->tet_count, sizeof *to->tets);
    to->tets10 = from->tets10 ? vv_alloc_copy(from->tets10, 10 * (size_t)from->tet10_count, sizeof *to->tets10) : NULL;
    to->triangles = vv_alloc_copy(from->triangles, 3 * (size_t)from->triangle_count, sizeof *to->triangles);
    to->uvs = from->uvs ? vv_alloc_copy(from->uvs, 6 * (size_t)from->triangle_count, sizeof *to->uvs) : NULL;
    to->edges = vv_alloc_copy(from->edges, 2 * (size_t)from->edge_count, sizeof *to->edges);
    to->points = vv_alloc_copy(from->points, (size_t)from->point_count, sizeof *to->points);
    to->hinges = vv_alloc_copy(from->hinges, 4 * (size_t)from->hinge_count, sizeof *to->hinges);
    if (from->hinge_angles)
        to->hinge_angles = vv_alloc_copy(from->hinge_angles, (size_t)from->hinge_count, sizeof *to->hinge_angles);
    to->bends = vv_alloc_copy(from->bends, 2 * (size_t)from->bend_count, sizeof *to->bends);
    bool triangles = copy_triangle_numbers(from, to);
    to->materials = vv_alloc_copy(from->materials, (size_t)from->material_count, sizeof *to->materials);
    to->surface = vv_alloc_copy(from->surface, (size_t)from->count, 1);
    to->held = vv_alloc_copy(from->held, vv_body_label_count(from), sizeof *to->held);
    to->stick = vv_alloc_copy(from->stick, 3 * vv_body_label_count(from), sizeof *to->stick);
    bool regions =
        vv_regions_copy(&from->regions, from->tet_count, from->tet10_count, from->material_count, &to->regions);
    bool skin = vv_skin_copy(&from->skin, &to->skin, NULL) == VV_OK;
    return to->tets && to->triangles && to->edges && to->points && to->hinges &&
           (to->hinge_angles || !from->hinge_angles) && to->bends && to->materials && to->surface && to->held &&
           to->stick && skin && regions && triangles && (to->uvs || !from->uvs) && (to->tets10 || !from->tets10);
}

static void shift(int *list, int n, int by)
{
    for (int i = 0; i < n; i++)
        list[i] += by;
}

void vv_body_shift(vv_body *b, int by)
{
    b->first += by;
    shift(b->tets, 4 * b->tet_count, by);
    shift(b->tets10, 10 * b->tet10_count, by);
    if (b->regions.of) {
        shift(b->regions.tets, 4 * b->tet_count, by);
        shift(b->regions.tets10, 10 * b->tet10_count, by);
    }
    shift(b->triangles, 3 * b->triangle_count, by);
    shift(b->edges, 2 * b->edge_count, by);
    shift(b->points, b->point_count, by);
    shift(b->hinges, 4 * b->hinge_count, by);
    shift(b->bends, 2 * b->bend_count, by);
}

void vv_attach_free(vv_attach *a)
{
    vv_free(a->nodes);
    vv_free(a->weights);
    vv_free(a->waypoints);
    vv_free(a->anchor);
    vv_free(a->shape_times);
    vv_free(a->shapes);
    vv_load_free(a);
}

void vv_world_free_structure(vvWorld *w)
{
    for (size_t i = 0; w->bodies && i < w->body_count; i++)
        vv_body_free(w->bodies + i);
    for (size_t i = 0; w->attaches && i < w->attach_count; i++)
        vv_attach_free(w->attaches + i);
    for (size_t i = 0; w->obstacles && i < w->obstacle_count; i++)
        vv_field_release(w->obstacles[i].field);
    vv_free(w->bodies);
    vv_free(w->obstacles);
    vv_free(w->attaches);
    vv_free(w->joints);
    vv_free(w->modes);
    vv_free(w->frictions);
    vv_free(w->state.body_energy);
    vv_free(w->state.body_visible);
    vv_free(w->state.body_course);
    vv_free(w->state.body_sleep);
    vv_free(w->state.policy.bodies);
    vv_ids_free(&w->body_ids);
    vv_ids_free(&w->obstacle_ids);
    vv_ids_free(&w->attach_ids);
    vv_ids_free(&w->joint_ids);
    vv_nodes_free(w);
}

void vv_frozen_release(vv_frozen *f)
{
    if (!f || atomic_fetch_sub(&f->references, 1) > 1)
        return;
    vv_world_free_structure(&f->copy);
    vv_free(f);
}

void vv_world_unshare(vvWorld *w)
{
    vv_frozen_release(w->frozen);
    w->frozen = NULL;
}
