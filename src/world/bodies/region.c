/* Regions: which nodes of a body the user means. Tests the placed rest shape. */
#include "base/error.h"
#include "base/vec.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

static bool inside_box(const double x[3], const double a[3], const double b[3], double slack)
{
    for (int k = 0; k < 3; k++)
        if (x[k] < fmin(a[k], b[k]) - slack || x[k] > fmax(a[k], b[k]) + slack)
            return false;
    return true;
}

static bool ascends(const vvRegion *r)
{
    for (int i = 1; r->list && i < r->listCount; i++)
        if (r->list[i] <= r->list[i - 1])
            return false;
    return true;
}

static bool listed(const vvRegion *r, bool ascending, int index)
{
    int low = 0, high = r->list ? r->listCount : 0;
    while (ascending && high - low > 1) {
        int middle = low + (high - low) / 2;
        if (r->list[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    for (int i = low; i < high; i++)
        if (r->list[i] == index)
            return true;
    return false;
}

typedef struct test {
    const vvRegion *region;
    bool ascending; /* its list is */
    double lo[3], hi[3], slack;
} test;

static bool inside(const test *t, const double x[3], int index)
{
    const vvRegion *r = t->region;
    double d[3], a[3], b[3];
    switch (r->kind) {
    case VV_REGION_ALL: return true;
    case VV_REGION_BOX: return inside_box(x, r->a, r->b, t->slack);
    case VV_REGION_SPHERE: vv_sub(x, r->a, d); return vv_norm(d) <= r->radius + t->slack;
    case VV_REGION_HALF_SPACE: vv_sub(x, r->a, d); return vv_dot(d, r->b) >= -t->slack * vv_norm(r->b);
    case VV_REGION_PERCENT:
        for (int k = 0; k < 3; k++) {
            a[k] = t->lo[k] + 0.01 * r->a[k] * (t->hi[k] - t->lo[k]);
            b[k] = t->lo[k] + 0.01 * r->b[k] * (t->hi[k] - t->lo[k]);
        }
        return inside_box(x, a, b, t->slack);
    case VV_REGION_VERTICES: return listed(r, t->ascending, index);
    }
    return false;
}

static void take_in(test *t, const double x[3])
{
    for (int k = 0; k < 3; k++) {
        t->lo[k] = fmin(t->lo[k], x[k]);
        t->hi[k] = fmax(t->hi[k], x[k]);
    }
}

/* A region's boundary counts as inside, whatever the rounding of the placement. */
static void measure(test *t)
{
    double size[3];
    vv_sub(t->hi, t->lo, size);
    t->slack = 1e-9 * vv_norm(size);
}

/* Whether it holds all of what an affine body carries. Its nodes move together: they are held all four, or none. */
static bool holds_solid(const vvWorld *world, const vv_body *body, test *t)
{
    const double *rest = world->rest + 3 * (size_t)body->first;
    double x[3];
    for (int v = 0; v < body->skin.vertex_count; v++) {
        vv_skin_position(&body->skin, v, rest, x);
        take_in(t, x);
    }
    measure(t);
    for (int v = 0; v < body->skin.vertex_count; v++) {
        vv_skin_position(&body->skin, v, rest, x);
        if (!inside(t, x, v))
            return false;
    }
    return !t->region->rimOnly;
}

vvStatus vvRegionOfGroup(const vvMesh *mesh, const char *name, vvRegion *region, vvError *error)
{
    char names[512] = "";
    vv_error_clear(error);
    if (!mesh || !name || !region)
        return vv_fail(error, VV_ERROR_INPUT, "vvRegionOfGroup needs a mesh, a name and a region, found NULL");
    const vvMeshGroup *group = vvMeshFindGroup(mesh, name);
    for (int g = 0; g < mesh->groupCount && strlen(names) < sizeof names - 1; g++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s\"%s\"", g ? ", " : "", mesh->groups[g].name);
    if (!group)
        return vv_fail(error, VV_ERROR_INPUT, "the mesh has no group \"%s\"; it has %s", name,
                       mesh->groupCount ? names : "none (Gmsh's physical groups are groups)");
    *region = (vvRegion){ .kind = VV_REGION_VERTICES,
                          .list = group->vertices,
                          .listCount = group->vertexCount,
                          .triangles = group->triangleCount ? group->triangles : NULL,
                          .triangleCount = group->triangleCount };
    return VV_OK;
}

int vvBodySelect(const vvWorld *world, vvBodyId id, const vvRegion *region, int *nodes, int capacity)
{
    int b = vv_body_read(world, id), count = 0;
    if (b < 0 || !region)
        return 0;
    const vv_body *body = world->bodies + b;
    test t = { region,
               region->kind == VV_REGION_VERTICES && ascends(region),
               { INFINITY, INFINITY, INFINITY },
               { -INFINITY, -INFINITY, -INFINITY },
               0 };
    bool whole = body->solid_volume > 0 && region->kind != VV_REGION_VERTICES;
    if (whole && !holds_solid(world, body, &t))
        return 0;
    for (int i = body->first; !whole && i < body->first + body->vertex_count; i++)
        take_in(&t, world->rest + 3 * (size_t)i);
    measure(&t);
    for (int i = body->first; i < body->first + body->vertex_count; i++) {
        if (!whole && !inside(&t, world->rest + 3 * (size_t)i, i - body->first))
            continue;
        if (!whole && region->surfaceOnly && !body->surface[i - body->first])
            continue;
        if (region->rimOnly && !(body->surface[i - body->first] & VV_ON_RIM))
            continue;
        if (nodes && count < capacity)
            nodes[count] = i;
        count++;
    }
    return count;
}
