/* The energy of bending of shells and rods in a frame, by cell (theory §4.13): that of the elements themselves, made
 * anew from what the run says of them (bending.c), and handed out to triangles and edges.
 *
 * The energy of a triangle's own element is its own. Two triangles at a hinge are two springs in a row (theory
 * §4.10), which share its energy in inverse proportion to their stiffnesses D l^2/A: by A/D. Two edges at a joint
 * share its energy by their lengths. */
#include "record/bending.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec.h"
#include "energy/shells/edge_search.h"
#include "world/bodies/edges.h"

enum { MOST_KINDS = 8 };

/* Where an element's energy goes; cell -1: nowhere. */
typedef struct place {
    int cell[2];
    double share[2];
} place;

/* Cells: all bodies' triangles, then all their edges. */
struct vv_bending {
    int triangle_count, edge_count, energy_count;
    vv_energy *energies[MOST_KINDS];
    place *places; /* of all elements, energy by energy */
    size_t place_count;
    double *measure, *energy; /* of each cell: m^2 or m, at rest; J */
};

void vv_bending_free(vv_bending *b)
{
    if (!b)
        return;
    for (int i = 0; i < b->energy_count; i++)
        b->energies[i]->ops->destroy(b->energies[i]);
    vv_free(b->places);
    vv_free(b->measure);
    vv_free(b->energy);
    vv_free(b);
}

/* ---- finding cells by their nodes ---- */

typedef struct cell_key {
    int node[3]; /* ascending; -1 comes first, of an edge */
    int cell;
} cell_key;

static void sort_nodes(int a, int b, int c, int node[3])
{
    int low = a < b ? a : b, high = a < b ? b : a;
    node[0] = c < low ? c : low;
    node[2] = c > high ? c : high;
    node[1] = c < low ? low : c > high ? high : c;
}

static int compare_nodes(const void *x, const void *y)
{
    const cell_key *p = x, *q = y;
    for (int k = 0; k < 3; k++)
        if (p->node[k] != q->node[k])
            return p->node[k] < q->node[k] ? -1 : 1;
    return 0;
}

static int compare_keys(const void *x, const void *y)
{
    int order = compare_nodes(x, y);
    return order ? order : ((const cell_key *)x)->cell - ((const cell_key *)y)->cell;
}

typedef struct maker {
    const vvRun *run;
    vv_bending *b;
    cell_key *keys;
    double *stiffness; /* of each triangle, by the material at hand */
    int *first_triangle;
    size_t next;
} maker;

/* -1: there is none. c is -1 for an edge. */
static int cell_of(const maker *m, int a, int b, int c)
{
    cell_key key;
    sort_nodes(a, b, c, key.node);
    const cell_key *found =
        bsearch(&key, m->keys, (size_t)m->b->triangle_count + (size_t)m->b->edge_count, sizeof key, compare_nodes);
    return found ? found->cell : -1;
}

static void list_cells(maker *m)
{
    const double *rest = m->run->rest;
    int triangle = 0, edge = m->b->triangle_count;
    for (int b = 0; b < vvRunBodyCount(m->run); b++) {
        const vvRunBody *body = vvRunGetBody(m->run, b);
        m->first_triangle[b] = triangle;
        for (int t = 0; t < body->triangleCount; t++, triangle++) {
            const int *v = body->triangles + 3 * (size_t)t;
            sort_nodes(v[0], v[1], v[2], m->keys[triangle].node);
            m->keys[triangle].cell = triangle;
            m->b->measure[triangle] = vv_triangle_area(rest, v);
        }
        for (int e = 0; e < body->edgeCount; e++, edge++) {
            const int *v = body->edges + 2 * (size_t)e;
            sort_nodes(v[0], v[1], -1, m->keys[edge].node);
            m->keys[edge].cell = edge;
            m->b->measure[edge] = vv_edge_length(rest, v[0], v[1]);
        }
    }
    qsort(m->keys, (size_t)edge, sizeof *m->keys, compare_keys);
}

/* ---- where elements are ---- */

static void count_element(void *arg, const int *nodes, double value)
{
    (void)nodes, (void)value;
    ++*(size_t *)arg;
}

/* Shares in proportion to the two weights. */
static void put_place(maker *m, int first, int second, double weight, double other)
{
    const bool both = first >= 0 && second >= 0 && weight + other > 0;
    const double share = both ? weight / (weight + other) : first >= 0 ? 1 : 0;
    m->b->places[m->next++] = (place){ { first, second }, { share, 1 - share } };
}

static void place_hinge(void *arg, const int *v, double value)
{
    maker *m = arg;
    const int first = cell_of(m, v[0], v[1], v[2]), second = cell_of(m, v[0], v[1], v[3]);
    double weight[2] = { 0, 0 };
    for (int i = 0; i < 2; i++) {
        const int cell = i ? second : first;
        if (cell >= 0 && m->stiffness[cell] > 0)
            weight[i] = m->b->measure[cell] / m->stiffness[cell];
    }
    put_place(m, first, second, weight[0], weight[1]);
    (void)value;
}

static void place_triangle(void *arg, const int *v, double value)
{
    put_place(arg, cell_of(arg, v[0], v[1], v[2]), -1, 1, 0);
    (void)value;
}

static void place_joint(void *arg, const int *v, double value)
{
    maker *m = arg;
    /* an edge by itself has one twice */
    const int first = cell_of(m, v[0], v[1], -1), second = v[1] == v[2] ? -1 : cell_of(m, v[1], v[2], -1);
    put_place(m, first, second, first < 0 ? 0 : m->b->measure[first], second < 0 ? 0 : m->b->measure[second]);
    (void)value;
}

static vvStatus place_elements(maker *m, const vv_element_kind *kind, vv_energy *e, vvError *error)
{
    size_t count = m->b->place_count;
    e->ops->each(e, m->run->rest, count_element, &count);
    place *more = vv_alloc(count, sizeof *more);
    if (!more)
        return vv_fail_memory(error, "the bending energy of a run");
    if (m->b->place_count > 0)
        memcpy(more, m->b->places, m->b->place_count * sizeof *more);
    vv_free(m->b->places);
    m->b->places = more;
    m->b->place_count = count;
    e->ops->each(e, m->run->rest,
                 kind->cell == VV_CELL_HINGES      ? place_hinge
                 : kind->cell == VV_CELL_TRIANGLES ? place_triangle
                                                   : place_joint,
                 m);
    return VV_OK;
}

/* ---- making the energies ---- */

/* A material with a row's stiffness: of shells that of a plate 1 m thick with the stiffness 1, which its triangles
 * multiply by theirs; of rods that of one so thick that the second moment of its section is 1 m^4. */
static vv_material material_of(const vv_element_kind *kind, const vv_bending_row *row, double *thickness)
{
    const bool curves = kind->cell == VV_CELL_CURVES;
    const double nu = row->poisson, moment = 1 / (64 / 3.14159265358979323846);
    vv_material m = { .kind = kind };
    *thickness = curves ? sqrt(sqrt(1 / moment)) : 1;
    m.def.model = kind->info.name;
    m.def.young = curves ? 1 : 12 * (1 - nu * nu);
    m.def.poisson = nu;
    m.def.flat = row->flat;
    m.def.restTwist = row->rest_twist;
    if (curves) {
        const double one = vv_rod_stiffness(&(vv_element_part){ .material = &m, .thickness = *thickness });
        m.def.young = row->stiffness / one;
    }
    m.mu = m.def.young / (2 * (1 + nu));
    m.lambda = m.def.young * nu / ((1 + nu) * fmax(1 - 2 * nu, 1e-17));
    return m;
}

/* What the parts of one energy refer to. */
typedef struct part_data {
    vv_body body; /* its edges and hinges */
    vv_material material;
    double *stiffness, *angles;
} part_data;

static vvStatus give_angles(const maker *m, const vvRunBody *body, part_data *d, vvError *error)
{
    const vv_run_bending *from = m->run->bending;
    d->angles = vv_alloc((size_t)d->body.hinge_count, sizeof *d->angles);
    if (!d->angles)
        return vv_fail_memory(error, "rest angles");
    for (int i = 0; i < d->body.hinge_count; i++)
        d->angles[i] = NAN;
    for (int i = 0; i < from->angle_count; i++) {
        const int *edge = from->angle_edges + 2 * (size_t)i;
        if (!vv_reader_inside(body, edge, 2))
            continue;
        int hinge = vv_find_hinge(d->body.hinges, d->body.hinge_count, edge[0], edge[1]);
        if (hinge < 0)
            return vv_reader_broken(m->run, "/visviva/rest_angle_edges", "names a nonexistent edge", error);
        d->angles[hinge] = from->angles[i];
    }
    return VV_OK;
}

static vvStatus make_part(maker *m, const vv_element_kind *kind, const vv_bending_row *row, part_data *d,
                          vv_element_part *part, vvError *error)
{
    const vvRunBody *body = vvRunGetBody(m->run, row->body);
    const bool curves = kind->cell == VV_CELL_CURVES;
    double thickness;
    if (body->tetCount > 0 || curves != (body->triangleCount == 0))
        return vv_reader_broken(m->run, "/visviva/bending_rows", "names a body that its material is not made for",
                                error);
    if (!vv_reader_inside(body, body->triangles, 3 * body->triangleCount) ||
        !vv_reader_inside(body, body->edges, 2 * body->edgeCount))
        return vv_reader_broken(m->run, "/visviva/bodies", "has elements with nodes of other bodies", error);
    const vvMesh mesh = { .vertexCount = body->nodeCount,
                          .triangleCount = body->triangleCount,
                          .edgeCount = body->edgeCount,
                          .triangles = (int *)(uintptr_t)body->triangles,
                          .edges = (int *)(uintptr_t)body->edges };
    d->stiffness = vv_alloc((size_t)body->triangleCount, sizeof *d->stiffness);
    if (!d->stiffness || !vv_body_edges(&mesh, &d->body))
        return vv_fail_memory(error, "the bending energy of a run");
    if (kind->directors && body->directorCount != d->body.edge_count)
        return vv_reader_broken(m->run, "/visviva/directors", "does not fit the edges", error);
    for (int t = 0; t < body->triangleCount; t++)
        m->stiffness[m->first_triangle[row->body] + t] = d->stiffness[t] =
            row->triangles ? row->triangles[t] : row->stiffness;
    d->material = material_of(kind, row, &thickness);
    vvStatus status = kind->angles ? give_angles(m, body, d, error) : VV_OK;
    *part = (vv_element_part){ .body = row->body,
                               .material = &d->material,
                               .triangle_count = body->triangleCount,
                               .triangles = body->triangles,
                               .edge_count = d->body.edge_count,
                               .edges = d->body.edges,
                               .hinge_count = d->body.hinge_count,
                               .hinges = d->body.hinges,
                               .thickness = thickness,
                               .triangle_stiffness = d->stiffness,
                               .director = kind->directors ? body->firstNode + body->nodeCount : -1,
                               .hinge_angles = d->angles };
    return status;
}

static vvStatus make_parts(maker *m, const vv_element_kind *kind, part_data *data, vv_element_part *parts, int *count,
                           vvError *error)
{
    const vv_run_bending *from = m->run->bending;
    vvStatus status = VV_OK;
    for (int i = 0; status == VV_OK && i < from->count; i++)
        if (vv_element_kind_find(from->rows[i].model) == kind) {
            status = make_part(m, kind, from->rows + i, data + *count, parts + *count, error);
            ++*count;
        }
    return status;
}

/* One energy for all bodies of a kind, as a world has it. */
static vvStatus add_kind(maker *m, const vv_element_kind *kind, vvError *error)
{
    const size_t rows = (size_t)m->run->bending->count;
    part_data *data = vv_alloc(rows, sizeof *data);
    vv_element_part *parts = vv_alloc(rows, sizeof *parts);
    vv_energy *e = NULL;
    int count = 0;
    vvStatus status = data && parts ? make_parts(m, kind, data, parts, &count, error)
                                    : vv_fail_memory(error, "the bending energy of a run");
    if (status == VV_OK && count > 0) {
        status =
            kind->create(kind, &(vv_element_input){ vvRunNodeCount(m->run), m->run->rest, count, parts }, &e, error);
        if (status != VV_OK)
            vv_fail_prefix(error, "%s, the energy of bending: ", m->run->path);
    }
    if (status == VV_OK && e) {
        m->b->energies[m->b->energy_count++] = e;
        status = place_elements(m, kind, e, error);
    }
    for (int i = 0; i < count; i++) {
        vv_free(data[i].body.edges);
        vv_free(data[i].body.hinges);
        vv_free(data[i].stiffness);
        vv_free(data[i].angles);
    }
    vv_free(data);
    vv_free(parts);
    return status;
}

static vvStatus fill(maker *m, vvError *error)
{
    const vv_run_bending *from = m->run->bending;
    const vv_element_kind *kind;
    vvStatus status = VV_OK;
    for (int i = 0; i < from->count; i++)
        if (!(kind = vv_element_kind_find(from->rows[i].model)) || !kind->bending)
            return vv_fail(error, VV_ERROR_UNSUPPORTED,
                           "%s: body \"%s\" bends by the material \"%s\", which this version of visviva does not have",
                           m->run->path, m->run->bodies[from->rows[i].body].name, from->rows[i].model);
    list_cells(m);
    for (int k = 0; status == VV_OK && (kind = vv_element_kind_at(k)); k++)
        if (kind->bending && m->b->energy_count < MOST_KINDS)
            status = add_kind(m, kind, error);
    return status;
}

vvStatus vv_bending_create(const vvRun *run, vv_bending **out, vvError *error)
{
    *out = NULL;
    if (!vvRunKnowsBending(run))
        return VV_OK;
    maker m = { .run = run, .b = vv_alloc(1, sizeof *m.b) };
    int64_t triangles = 0, edges = 0;
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        triangles += vvRunGetBody(run, b)->triangleCount;
        edges += vvRunGetBody(run, b)->edgeCount;
    }
    const bool fits = triangles + edges <= INT32_MAX; /* bodies of a damaged file may share theirs */
    const size_t cells = fits ? (size_t)(triangles + edges) : 0;
    if (m.b) {
        m.b->triangle_count = (int)triangles, m.b->edge_count = (int)edges;
        m.b->measure = vv_alloc(cells, sizeof *m.b->measure);
        m.b->energy = vv_alloc(cells, sizeof *m.b->energy);
    }
    m.keys = vv_alloc(cells, sizeof *m.keys);
    m.stiffness = vv_alloc((size_t)triangles, sizeof *m.stiffness);
    m.first_triangle = vv_alloc((size_t)vvRunBodyCount(run), sizeof *m.first_triangle);
    vvStatus status = !fits ? vv_reader_broken(run, "/visviva/bodies", "has more elements than there can be", error)
                      : m.b && m.b->measure && m.b->energy && m.keys && m.stiffness && m.first_triangle
                          ? fill(&m, error)
                          : vv_fail_memory(error, "the bending energy of a run");
    vv_free(m.keys);
    vv_free(m.stiffness);
    vv_free(m.first_triangle);
    if (status == VV_OK)
        *out = m.b;
    else
        vv_bending_free(m.b);
    return status;
}

/* ---- frames ---- */

typedef struct summing {
    vv_bending *b;
    size_t next;
} summing;

static void add_element(void *arg, const int *nodes, double value)
{
    summing *s = arg;
    const place *p = s->b->places + s->next++;
    for (int i = 0; i < 2; i++)
        if (p->cell[i] >= 0 && p->share[i] > 0)
            s->b->energy[p->cell[i]] += p->share[i] * value;
    (void)nodes;
}

static void hand_out(const vv_bending *b, int first, int count, double *density)
{
    for (int i = 0; density && i < count; i++)
        density[i] = b->measure[first + i] > 0 ? b->energy[first + i] / b->measure[first + i] : 0;
}

void vv_bending_find(vv_bending *b, const double *positions, double *triangles, double *edges)
{
    summing s = { .b = b };
    memset(b->energy, 0, ((size_t)b->triangle_count + (size_t)b->edge_count) * sizeof *b->energy);
    for (int i = 0; i < b->energy_count; i++)
        b->energies[i]->ops->each(b->energies[i], positions, add_element, &s);
    hand_out(b, 0, b->triangle_count, triangles);
    hand_out(b, b->triangle_count, b->edge_count, edges);
}

bool vvRunKnowsBending(const vvRun *run) { return run && run->rest && run->bending && run->bending->count > 0; }

vvStatus vvRunBendingEnergy(const vvRun *run, const double *positions, double *triangles, double *edges, vvError *error)
{
    vv_error_clear(error);
    if (!run || !positions)
        return vv_fail(error, VV_ERROR_INPUT, "vvRunBendingEnergy needs a run and positions, found NULL");
    if (!vvRunKnowsBending(run))
        return vv_fail(error, VV_ERROR_UNSUPPORTED,
                       "%s has no bending stiffness of its bodies: none resists bending, as shells and rods "
                       "of \"hinge\", \"midedge\", \"rod\" and \"rod-bending\" do, or it is a file of an older version",
                       run->path);
    vv_bending *b;
    vvStatus status = vv_bending_create(run, &b, error);
    if (status == VV_OK)
        vv_bending_find(b, positions, triangles, edges);
    vv_bending_free(b);
    return status;
}
