/* The debug drawing: walks through the world and calls the host's functions. */
#include "visviva/draw.h"
#include "visviva/mesh.h"
#include "base/error.h"
#include "base/text/range.h"
#include "base/memory.h"
#include "base/vec.h"
#include "world/world.h"

#include <string.h>

enum colour {
    BODY = 0x5b8ff9,
    FIXED_BODY = 0x8d99ae,
    WIRE = 0x2b3a55,
    GROUND = 0x9a8c7c,
    CONTACT = 0xe63946,
    HELD = 0xf4a261,
    PULL = 0xe9c46a,
    JOINT = 0xb388eb,
    BOX = 0x43aa8b,
    NAME = 0xffffff
};

vvDraw vvDefaultDraw(void)
{
    return (vvDraw){ .what = VV_DRAW_ALL & ~(unsigned)VV_DRAW_NAMES,
                     .filter = vvDefaultFilter(),
                     .internalValue = VV_MADE_BY_DEFAULT };
}

typedef struct pencil {
    const vvDraw *d;
    const vvWorld *w;
    const double *q; /* node positions */
    uint32_t colour; /* of triangles in hand */
    bool fill, wire;
} pencil;

static void segment(const pencil *p, const double a[3], const double b[3], uint32_t colour)
{
    if (p->d->segment)
        p->d->segment(p->d->user, a, b, colour);
}

static void point(const pencil *p, const double at[3], double size, uint32_t colour)
{
    if (p->d->point)
        p->d->point(p->d->user, at, size, colour);
}

static void fill(const pencil *p, const double t[9])
{
    double a[3], b[3], n[3];
    if (!p->d->triangle)
        return;
    vv_sub(t + 3, t, a);
    vv_sub(t + 6, t, b);
    vv_cross(a, b, n);
    double length = vv_norm(n);
    for (int k = 0; k < 3; k++)
        n[k] = length > 0 ? n[k] / length : 0;
    p->d->triangle(p->d->user, t, n, p->colour);
}

/* ---- bodies ---- */

/* inner: each edge belongs to two triangles, which run through it in opposite directions. */
static void draw_triangles(const pencil *p, const double *x, const int *triangles, int count, bool inner)
{
    for (int i = 0; i < count; i++) {
        const int *v = triangles + 3 * (size_t)i;
        double t[9];
        for (int k = 0; k < 3; k++)
            memcpy(t + 3 * k, x + 3 * (size_t)v[k], 3 * sizeof *t);
        if (p->fill)
            fill(p, t);
        for (int k = 0; p->wire && k < 3; k++)
            if (!inner || v[k] < v[(k + 1) % 3])
                segment(p, t + 3 * k, t + 3 * ((k + 1) % 3), WIRE);
    }
}

static vvStatus draw_skin(const pencil *p, const vv_body *b, vvError *error)
{
    double *x = vv_alloc(3 * (size_t)b->skin.vertex_count, sizeof *x);
    if (!x)
        return vv_fail_memory(error, "a picture of a carried surface");
    vv_skin_positions(&b->skin, p->q + 3 * (size_t)b->first, x);
    draw_triangles(p, x, b->skin.triangles, b->skin.triangle_count, false);
    vv_free(x);
    return VV_OK;
}

/* Edges without triangles are a surface of their own. */
static void draw_edges(const pencil *p, const vv_body *b)
{
    bool wire = b->triangle_count > 0;
    for (int e = 0; e < b->edge_count && (wire ? p->wire : p->fill || p->wire); e++)
        segment(p, p->q + 3 * (size_t)b->edges[2 * e], p->q + 3 * (size_t)b->edges[2 * e + 1], wire ? WIRE : p->colour);
}

static vvStatus draw_body(pencil *p, const vv_body *b, vvError *error)
{
    p->colour = b->frame ? GROUND : b->kinematic ? FIXED_BODY : BODY;
    p->fill = p->d->what & (b->frame ? VV_DRAW_OBSTACLES : VV_DRAW_SURFACES);
    p->wire = p->d->what & VV_DRAW_EDGES && (p->fill || !b->frame);
    if (b->skin.vertex_count > 0)
        return p->fill || p->wire ? draw_skin(p, b, error) : VV_OK;
    bool solid = b->tet_count > 0;
    pencil surface = *p;
    surface.wire = p->wire && solid;
    draw_triangles(&surface, p->q, b->triangles, b->triangle_count, true);
    if (!solid)
        draw_edges(p, b);
    for (int i = 0; p->fill && i < b->point_count; i++)
        point(p, p->q + 3 * (size_t)b->points[i], b->thickness, p->colour);
    return VV_OK;
}

static void draw_box(const pencil *p, const double low[3], const double high[3])
{
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < 4; i++) {
            double a[3], b[3];
            int u = (axis + 1) % 3, v = (axis + 2) % 3;
            a[u] = b[u] = i & 1 ? high[u] : low[u];
            a[v] = b[v] = i & 2 ? high[v] : low[v];
            a[axis] = low[axis], b[axis] = high[axis];
            segment(p, a, b, BOX);
        }
}

static void draw_outline(const pencil *p, int body)
{
    double low[3], high[3], middle[3];
    vv_body_bounds(p->w, body, p->q, low, high);
    if (p->d->what & VV_DRAW_BOUNDS && !p->w->bodies[body].frame)
        draw_box(p, low, high);
    for (int k = 0; k < 3; k++)
        middle[k] = 0.5 * (low[k] + high[k]);
    if (p->d->what & VV_DRAW_NAMES && p->d->text)
        p->d->text(p->d->user, middle, p->w->bodies[body].name, NAME);
}

/* ---- obstacles ---- */

/* The middle of all bodies, and how large they are together. */
static double find_scene(const pencil *p, double middle[3])
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, size[3];
    for (int b = 0; b < (int)p->w->body_count; b++) {
        double l[3], h[3];
        if (p->w->bodies[b].frame)
            continue;
        vv_body_bounds(p->w, b, p->q, l, h);
        for (int k = 0; k < 3; k++)
            low[k] = fmin(low[k], l[k]), high[k] = fmax(high[k], h[k]);
    }
    bool any = low[0] <= high[0];
    for (int k = 0; k < 3; k++)
        middle[k] = any ? 0.5 * (low[k] + high[k]) : 0;
    vv_sub(high, low, size);
    double length = any ? vv_norm(size) : 0;
    return length > 0 ? length : 1;
}

/* Whether the obstacle goes on for ever: then what is drawn of it depends on a size. */
static bool is_endless(const vv_obstacle *o)
{
    if (o->ops->field)
        return false;
    double one[VV_OBSTACLE_VALUES] = { 0 }, two[VV_OBSTACLE_VALUES] = { 0 }, turn[9];
    o->ops->drawn(o->shape, 1, one, turn);
    o->ops->drawn(o->shape, 2, two, turn);
    return memcmp(one, two, sizeof one) != 0;
}

/* One that stands still; of one without an end, a part around `at`, on its surface. */
static vvStatus fill_obstacle(const pencil *p, const vv_obstacle *o, double size, const double at[3], vvError *error)
{
    vvMesh mesh = { 0 };
    vvStatus status = vv_obstacle_mesh(o, size, &mesh, error);
    for (int i = 0; status == VV_OK && is_endless(o) && i < 3 * mesh.vertexCount; i++)
        mesh.positions[i] += at[i % 3] - o->values[i % 3];
    if (status == VV_OK)
        draw_triangles(p, mesh.positions, mesh.triangles, mesh.triangleCount, false);
    vvMeshDestroy(&mesh);
    return status;
}

/* Those that move are drawn as the bodies that carry them. */
static vvStatus draw_obstacles(pencil *p, vvError *error)
{
    double middle[3], size = find_scene(p, middle);
    vvStatus status = VV_OK;
    p->colour = GROUND;
    p->fill = p->d->what & VV_DRAW_OBSTACLES;
    p->wire = p->fill && (p->d->what & VV_DRAW_EDGES);
    for (size_t i = 0; status == VV_OK && i < p->w->obstacle_count; i++) {
        const vv_obstacle *o = p->w->obstacles + i;
        double n[3], at[3];
        if (!vvFiltersTouch(&o->filter, &p->d->filter))
            continue;
        double gap = vv_obstacle_distance(o, middle, n, NULL);
        for (int k = 0; k < 3; k++) /* where it is nearest to the bodies */
            at[k] = middle[k] - gap * n[k];
        if (p->fill && o->body1 == 0)
            status = fill_obstacle(p, o, p->d->extent > 0 ? 2 * p->d->extent : 4 * size, at, error);
        if (status == VV_OK && p->d->what & VV_DRAW_NAMES && p->d->text && o->name[0] && o->body1 == 0)
            p->d->text(p->d->user, at, o->name, NAME);
    }
    return status;
}

/* ---- contacts, attachments and joints ---- */

static bool is_drawn(const pencil *p, const vvContactPoint *c)
{
    int a = vv_body_index(p->w, c->side.body), b = vv_body_index(p->w, c->other.body),
        o = vv_obstacle_index(p->w, c->obstacle);
    return (a >= 0 && vvFiltersTouch(&p->w->bodies[a].filter, &p->d->filter)) ||
           (b >= 0 && vvFiltersTouch(&p->w->bodies[b].filter, &p->d->filter)) ||
           (o >= 0 && vvFiltersTouch(&p->w->obstacles[o].filter, &p->d->filter));
}

static void draw_contacts(const pencil *p, const vvContactPoint *points, int count)
{
    for (int i = 0; i < count; i++) {
        const vvContactPoint *c = points + i;
        double end[3], length = p->d->forceScale > 0 ? p->d->forceScale * c->force : 20 * p->w->def.contact.distance;
        if (!is_drawn(p, c))
            continue;
        for (int k = 0; k < 3; k++)
            end[k] = c->point[k] + length * c->normal[k];
        point(p, c->point, 0, CONTACT);
        segment(p, c->point, end, CONTACT);
    }
}

static void draw_attachment(const pencil *p, const vv_attach *a)
{
    for (int i = 0; i < vv_attach_places(a); i++) {
        double x[3], target[3];
        vv_attach_point(a, i, p->q, x);
        point(p, x, 0, a->kind == VV_ATTACH_FIXED || a->kind == VV_ATTACH_ROLLER ? HELD : PULL);
        if (a->kind != VV_ATTACH_SPRING)
            continue;
        vv_attach_position(p->w, a, i, vv_world_time(p->w), target);
        segment(p, x, target, PULL);
    }
}

static bool joins_drawn(const pencil *p, const vv_joint *j)
{
    bool drawn = false;
    for (int side = 0; side < 2; side++)
        drawn = drawn || (j->body[side] >= 0 && vvFiltersTouch(&p->w->bodies[j->body[side]].filter, &p->d->filter));
    return drawn;
}

static void draw_joint(const pencil *p, const vv_joint *j)
{
    double at[2][3], axis[VV_LINK_MOST], end[2][3];
    if (j->state.broken || !joins_drawn(p, j))
        return;
    for (int side = 0; side < 2; side++) {
        vv_joint_point_at(j->at + side, p->q, at[side]);
        point(p, at[side], 0, JOINT);
    }
    segment(p, at[0], at[1], JOINT);
    if (!j->kind->axis)
        return;
    vv_link_at(j->link + j->measured, p->q, 3, axis); /* its first vector */
    for (int k = 0; k < 3; k++)
        end[0][k] = at[0][k] - 0.5 * axis[k], end[1][k] = at[0][k] + 0.5 * axis[k];
    segment(p, end[0], end[1], JOINT);
}

/* ---- all ---- */

static vvStatus check(const vvDraw *d, vvError *error)
{
    if (!d)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldDraw needs a vvDraw, found NULL");
    vvStatus status = vv_check_made(d->internalValue, "vvDraw", "vvWorldDraw: the definition", error);
    if (status == VV_OK)
        status = vv_check_made(d->filter.internalValue, "vvFilter", "vvDraw.filter", error);
    if (status == VV_OK)
        status = vv_range_check(&(vv_range){ 0, 1e9, .unit = "m" }, d->extent, "vvDraw.extent", error);
    if (status == VV_OK)
        status = vv_range_check(&(vv_range){ 0, 1e9, .unit = "m/N" }, d->forceScale, "vvDraw.forceScale", error);
    if (status == VV_OK && d->what & ~(unsigned)VV_DRAW_ALL)
        status = vv_fail(error, VV_ERROR_INPUT, "vvDraw.what is %u; it must be a sum of vvDrawWhat, at most %d",
                         d->what, VV_DRAW_ALL);
    return status;
}

static vvStatus draw(vvWorld *w, const vvDraw *d, vvError *error)
{
    vvStatus status = check(d, error);
    const vvContactPoint *points = NULL;
    int count = 0;
    if (status == VV_OK && d->what & VV_DRAW_CONTACTS && (d->point || d->segment))
        status = vv_world_contact_points(w, &points, &count, error);
    if (status != VV_OK)
        return status;
    pencil p = { .d = d, .w = w, .q = d->positions ? d->positions : w->state.q };
    for (int b = 0; status == VV_OK && b < (int)w->body_count; b++) {
        if (!vvFiltersTouch(&w->bodies[b].filter, &d->filter))
            continue;
        status = draw_body(&p, w->bodies + b, error);
        if (d->what & (VV_DRAW_BOUNDS | VV_DRAW_NAMES))
            draw_outline(&p, b);
    }
    if (status == VV_OK)
        status = draw_obstacles(&p, error);
    if (status != VV_OK)
        return status;
    for (size_t a = 0; d->what & VV_DRAW_ATTACHMENTS && a < w->attach_count; a++)
        if (!w->attaches[a].whole && !w->attaches[a].released &&
            vvFiltersTouch(&w->bodies[w->attaches[a].body].filter, &d->filter))
            draw_attachment(&p, w->attaches + a);
    for (size_t j = 0; d->what & VV_DRAW_JOINTS && j < w->joint_count; j++)
        draw_joint(&p, w->joints + j);
    draw_contacts(&p, points, count);
    return VV_OK;
}

vvStatus vvWorldDraw(vvWorld *w, const vvDraw *d, vvError *error) { VV_WORLD_CALL(w, error, draw(w, d, error)); }
