/* Carried surfaces: a finer surface that moves with a body's tets (vvMeshEmbed), drawn and exported instead of their
 * own boundary and, if the body says so, colliding instead of it. Its nodes are counted from the body's first node,
 * so that they stay valid when the body moves in the arrays. */
#include "base/error.h"
#include "base/vec.h"
#include "world/world.h"

#include <string.h>

void vv_skin_free(vv_skin *skin)
{
    vv_free(skin->triangles);
    vv_free(skin->nodes);
    vv_free(skin->weights);
    vv_free(skin->uvs);
    *skin = (vv_skin){ 0 };
}

/* With a copy of the texture coordinates, unless these are NULL. */
static bool allocate(vv_skin *s, int vertices, int triangles, const double *uvs)
{
    *s = (vv_skin){ vertices,
                    triangles,
                    vv_alloc(3 * (size_t)triangles, sizeof(int)),
                    vv_alloc(4 * (size_t)vertices, sizeof(int)),
                    vv_alloc(4 * (size_t)vertices, sizeof(double)),
                    NULL };
    if (uvs)
        s->uvs = vv_alloc_copy(uvs, 6 * (size_t)triangles, sizeof *s->uvs);
    if (s->triangles && s->nodes && s->weights && (s->uvs || !uvs))
        return true;
    vv_skin_free(s);
    return false;
}

vvStatus vv_skin_copy(const vv_skin *from, vv_skin *to, vvError *error)
{
    *to = (vv_skin){ 0 };
    if (from->vertex_count == 0)
        return VV_OK;
    if (!allocate(to, from->vertex_count, from->triangle_count, from->uvs))
        return vv_fail_memory(error, "a carried surface");
    memcpy(to->triangles, from->triangles, 3 * (size_t)from->triangle_count * sizeof *to->triangles);
    memcpy(to->nodes, from->nodes, 4 * (size_t)from->vertex_count * sizeof *to->nodes);
    memcpy(to->weights, from->weights, 4 * (size_t)from->vertex_count * sizeof *to->weights);
    to->outside = from->outside;
    return VV_OK;
}

double vv_skin_diagonal(const vvMesh *m)
{
    double lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY }, d[3];
    for (size_t i = 0; i < (size_t)m->vertexCount; i++)
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], m->positions[3 * i + k]);
            hi[k] = fmax(hi[k], m->positions[3 * i + k]);
        }
    vv_sub(hi, lo, d);
    return vv_norm(d);
}

/* A surface whose size or place differs from the body's would be torn by weights that extrapolate far, as neighbours
 * belong to different tets. Not so with a single tet: its four nodes move all of space by one affine map, however far
 * away. */
enum { MOST_PERCENT_OUTSIDE = 10 };

vvStatus vv_skin_build(const vvMesh *body, const vvMesh *surface, vv_skin *skin, vvError *error)
{
    vvEmbedNotes notes;
    *skin = (vv_skin){ 0 };
    if (body->tetCount <= 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "surface: only a body of tetrahedra can carry a surface; this one's mesh has none");
    if (surface->vertexCount <= 0 || surface->triangleCount <= 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "surface: the mesh has %d vertices and %d triangles; it must have some of both",
                       surface->vertexCount, surface->triangleCount);
    if (!surface->positions || !surface->triangles)
        return vv_fail(error, VV_ERROR_INPUT,
                       "surface: the mesh has vertices and triangles, but an array of theirs is NULL");
    for (int i = 0; i < 3 * surface->triangleCount; i++)
        if (surface->triangles[i] < 0 || surface->triangles[i] >= surface->vertexCount)
            return vv_fail(error, VV_ERROR_INPUT, "surface: triangle %d names vertex %d; there are %d", i / 3,
                           surface->triangles[i], surface->vertexCount);
    for (int i = 0; surface->uvs && i < 6 * surface->triangleCount; i++)
        if (!isfinite(surface->uvs[i]))
            return vv_fail(error, VV_ERROR_INPUT, "surface: triangle %d has a texture coordinate that is not finite",
                           i / 6);
    if (!allocate(skin, surface->vertexCount, surface->triangleCount, surface->uvs))
        return vv_fail_memory(error, "a carried surface");
    memcpy(skin->triangles, surface->triangles, 3 * (size_t)surface->triangleCount * sizeof *skin->triangles);
    vvStatus status = vvMeshEmbed(body, surface, skin->nodes, skin->weights, &notes, error);
    double most = 0.01 * MOST_PERCENT_OUTSIDE * vv_skin_diagonal(body);
    if (status == VV_OK && body->tetCount > 1 && notes.farthest > most) {
        const double *x = surface->positions + 3 * (size_t)notes.farthestVertex;
        status =
            vv_fail(error, VV_ERROR_INPUT,
                    "surface: vertex %d at (%g, %g, %g) lies %g m outside the tets; at most %g m (%d%% "
                    "of the body's diagonal) is allowed: the surface must have the same coordinates as the body's mesh",
                    notes.farthestVertex, x[0], x[1], x[2], notes.farthest, most, MOST_PERCENT_OUTSIDE);
    }
    skin->outside = notes.farthest;
    if (status != VV_OK)
        vv_skin_free(skin);
    return status;
}

void vv_skin_position(const vv_skin *skin, int v, const double *q, double x[3])
{
    const int *n = skin->nodes + 4 * (size_t)v;
    const double *w = skin->weights + 4 * (size_t)v;
    for (int k = 0; k < 3; k++)
        x[k] = w[0] * q[3 * n[0] + k] + w[1] * q[3 * n[1] + k] + w[2] * q[3 * n[2] + k] + w[3] * q[3 * n[3] + k];
}

void vv_skin_positions(const vv_skin *skin, const double *q, double *x)
{
    for (int v = 0; v < skin->vertex_count; v++)
        vv_skin_position(skin, v, q, x + 3 * (size_t)v);
}

bool vvBodySurfaceCollides(const vvWorld *world, vvBodyId id)
{
    int b = vv_body_read(world, id);
    return b >= 0 && world->bodies[b].surface_collides;
}

void vvBodyGetSurface(const vvWorld *world, vvBodyId id, vvBodySurface *surface)
{
    int b = vv_body_read(world, id);
    if (surface)
        *surface = (vvBodySurface){ 0 };
    if (b < 0 || !surface)
        return;
    const vv_skin *s = &world->bodies[b].skin;
    *surface = (vvBodySurface){ s->vertex_count, s->triangle_count, s->triangles, s->nodes, s->weights };
}

const double *vvBodyUvs(const vvWorld *world, vvBodyId id)
{
    int b = vv_body_read(world, id);
    if (b < 0)
        return NULL;
    const vv_body *body = world->bodies + b;
    return body->skin.vertex_count > 0 ? body->skin.uvs : body->uvs;
}

static vvStatus surface_positions(const vvWorld *world, vvBodyId id, const double *node_positions, double *positions,
                                  vvError *error)
{
    int b = vv_body_index(world, id);
    if (b < 0)
        return vv_fail(error, VV_ERROR_INPUT, "surface positions: no such body");
    const vv_body *body = world->bodies + b;
    if (body->skin.vertex_count == 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "surface positions: body \"%s\" carries no surface; give vvBodyDef.surface", body->name);
    if (!positions)
        return vv_fail(error, VV_ERROR_INPUT, "surface positions: no array to write to");
    vv_skin_positions(&body->skin,
                      (node_positions ? node_positions : vvWorldPositions(world)) + 3 * (size_t)body->first, positions);
    return VV_OK;
}

vvStatus vvBodySurfacePositions(const vvWorld *world, vvBodyId id, const double *node_positions, double *positions,
                                vvError *error)
{
    VV_WORLD_CALL(world, error, surface_positions(world, id, node_positions, positions, error));
}
