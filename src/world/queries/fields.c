/* Fields of bodies, by one table: a row describes a field and has the function that computes it (field.h). */
#include "base/error.h"
#include "base/vec.h"
#include "energy/tets/point.h"
#include "mesh/macro.h"
#include "mesh/tet10.h"
#include "visviva/field.h"
#include "world/bodies/regions.h"
#include "world/queries/forces.h"
#include "world/queries/resultants.h"

#include <string.h>

/* A tet in its present shape. */
typedef struct point {
    double f[9], j, density; /* F, det F, J/m^3 */
    double stress[9];        /* Cauchy's, Pa */
    const double *mean_j;    /* of its macro-cell; NULL: no material has mean dilatation */
} point;

/* What has fields of a sort. */
typedef struct carrier {
    const char *word; /* NULL: every body */
    bool (*is)(const vv_body *body);
} carrier;

typedef struct row {
    vvField type;
    const carrier *of;
    void (*of_tet)(const point *at, double *out); /* VV_FIELD_TETS, else of all items: */
    vvStatus (*of_body)(vvWorld *w, const vv_body *body, double *out, vvError *error);
    bool directed; /* of edges: it changes its sign with an edge's direction */
} row;

/* ---- of tets ---- */

static void put_symmetric(const double m[9], double *out)
{
    static const int at[6] = { 0, 4, 8, 1, 5, 2 };
    for (int k = 0; k < 6; k++)
        out[k] = 0.5 * (m[at[k]] + m[3 * (at[k] % 3) + at[k] / 3]);
}

static void stress(const point *at, double *out) { put_symmetric(at->stress, out); }

static void von_mises(const point *at, double *out)
{
    double s[6];
    put_symmetric(at->stress, s);
    const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    *out = sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

static void principal(const point *at, double *out)
{
    double s[6], w[3], v[9];
    put_symmetric(at->stress, s);
    vv_eigen_symmetric((double[9]){ s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2] }, w, v);
    for (int k = 0; k < 3; k++)
        out[k] = w[2 - k];
}

static void strain(const point *at, double *out)
{
    double g[9];
    for (int i = 0; i < 9; i++) {
        const double *a = at->f + i / 3, *b = at->f + i % 3;
        g[i] = 0.5 * (a[0] * b[0] + a[3] * b[3] + a[6] * b[6] - (i % 4 == 0));
    }
    put_symmetric(g, out);
}

static void density(const point *at, double *out) { *out = at->density; }
static void det_f(const point *at, double *out) { *out = at->j; }

/* F of a tet between its placed rest shape and now; the rest volume. False: it had none. */
static bool find_f(const vvWorld *w, const int *tet, double f[9], double *volume)
{
    double rest[9], now[9], inverse[9];
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) {
            const size_t to = 3 * (size_t)tet[a + 1] + (size_t)k, from = 3 * (size_t)tet[0] + (size_t)k;
            rest[3 * k + a] = w->rest[to] - w->rest[from];
            now[3 * k + a] = w->state.q[to] - w->state.q[from];
        }
    *volume = vv_inverse(rest, inverse) / 6;
    vv_matmul(now, inverse, f);
    return *volume != 0;
}

/* From its F, of all of the body's materials that act on the element. */
static bool fill_point(const vv_body *b, int element, point *at)
{
    double sum[9] = { 0 };
    bool any = false;
    for (int m = 0; m < b->material_count; m++) {
        double psi, p[9];
        if (!vv_material_acts(b, m, element) || !vv_tet_point(b->materials + m, at->f, at->mean_j, &psi, p))
            continue;
        any = true;
        at->density += psi;
        for (int k = 0; k < 9; k++)
            sum[k] += p[k];
    }
    at->j = vv_det(at->f);
    for (int i = 0; i < 9; i++) /* P F^T / J */
        for (int k = 0; k < 3; k++)
            at->stress[i] += sum[3 * (i / 3) + k] * at->f[3 * (i % 3) + k] / at->j;
    return any;
}

/* mean: of find_means. */
static void find_point(const vvWorld *w, const vv_body *b, int tet, const double *mean, point *at, double *volume)
{
    *at = (point){ .mean_j = mean ? mean + tet : NULL };
    if (find_f(w, b->tets + 4 * (size_t)tet, at->f, volume))
        fill_point(b, tet, at);
}

/* The mean J of the macro-cells of some tets; element: what each is of the body (NULL: counted alike). */
static vvStatus add_means(const vvWorld *w, int count, const int *tets, const int *element, double *mean,
                          vvError *error)
{
    const size_t n = (size_t)count;
    int cells, *macro = vv_alloc(n, sizeof *macro);
    double *sums = vv_alloc(2 * n, sizeof *sums); /* of each macro-cell: of V J, of V */
    vvStatus status =
        macro && sums ? vv_macro_cells(count, tets, macro, &cells, error) : vv_fail_memory(error, "a field");
    for (size_t t = 0; status == VV_OK && t < n; t++) {
        double f[9], volume;
        find_f(w, tets + 4 * t, f, &volume);
        sums[2 * macro[t]] += volume * vv_det(f);
        sums[2 * macro[t] + 1] += volume;
    }
    for (size_t t = 0; status == VV_OK && t < n; t++)
        mean[element ? (size_t)element[t] : t] = sums[2 * macro[t]] / sums[2 * macro[t] + 1];
    vv_free(macro);
    vv_free(sums);
    return status;
}

/* The mean J of each tet's macro-cell, where a material has mean dilatation; NULL where none has. */
static vvStatus find_means(const vvWorld *w, const vv_body *b, double **mean, vvError *error)
{
    bool any = false;
    *mean = NULL;
    for (int m = 0; m < b->material_count; m++)
        any = any || b->materials[m].kind->mean;
    if (!any)
        return VV_OK;
    *mean = vv_alloc((size_t)b->tet_count, sizeof **mean);
    if (!*mean)
        return vv_fail_memory(error, "a field");
    const vv_regions *r = &b->regions;
    if (!r->of)
        return add_means(w, b->tet_count, b->tets, NULL, *mean, error);
    vvStatus status = VV_OK;
    for (int m = 0; status == VV_OK && m < b->material_count; m++)
        if (b->materials[m].kind->mean)
            status = add_means(w, r->start[m + 1] - r->start[m], r->tets + 4 * (size_t)r->start[m],
                               r->element + r->start[m], *mean, error);
    return status;
}

/* At the four points of a tet of order 2; its rest volume. */
static double find_points(const vvWorld *w, const vv_body *b, int element, point at[4])
{
    const int *nodes = b->tets10 + 10 * (size_t)element;
    double volume = 0;
    for (int q = 0; q < VV_TET10_POINTS; q++) {
        double l[4], rest[9], now[9], inverse[9];
        vv_tet10_point(q, l);
        vv_tet10_edges(w->rest, nodes, l, rest);
        vv_tet10_edges(w->state.q, nodes, l, now);
        volume += vv_inverse(rest, inverse) / 6 / VV_TET10_POINTS;
        at[q] = (point){ .density = 0 };
        vv_matmul(now, inverse, at[q].f);
        fill_point(b, element, at + q);
    }
    return volume;
}

/* What is linear and at the four points as there, at l. */
static void extrapolate(const point at[4], const double l[4], point *out)
{
    *out = (point){ .density = 0 };
    for (int q = 0; q < VV_TET10_POINTS; q++) {
        const double by = (l[q] - VV_TET10_FAR) / (VV_TET10_NEAR - VV_TET10_FAR);
        out->j += by * at[q].j, out->density += by * at[q].density;
        for (int i = 0; i < 9; i++)
            out->f[i] += by * at[q].f[i], out->stress[i] += by * at[q].stress[i];
    }
}

/* l += by times the coordinates of the element's node that is n. */
static void add_node(const int nodes[10], int n, double by, double l[4])
{
    for (int i = 0; i < 10; i++)
        if (nodes[i] == n) {
            l[i < 4 ? i : vv_tet10_ends[i - 4][0]] += 0.5 * by;
            l[i < 4 ? i : vv_tet10_ends[i - 4][1]] += 0.5 * by;
            return;
        }
}

static bool has_tets(const vv_body *b)
{
    double psi, p[9], identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    bool any = false;
    for (int m = 0; m < b->material_count; m++)
        any = any || vv_tet_point(b->materials + m, identity, NULL, &psi, p);
    return any && b->tet_count > 0;
}

/* The linear tets that the element is cut into, in their middles. */
static void find_subtets(const vvWorld *w, const vv_body *b, const row *r, int element, double *out)
{
    const int *nodes = b->tets10 + 10 * (size_t)element;
    point four[4], at;
    find_points(w, b, element, four);
    for (int t = VV_TET10_SUBTETS * element; t < VV_TET10_SUBTETS * (element + 1); t++) {
        double l[4] = { 0 };
        for (int c = 0; c < 4; c++)
            add_node(nodes, b->tets[4 * t + c], 0.25, l);
        extrapolate(four, l, &at);
        r->of_tet(&at, out + (size_t)r->type.components * (size_t)t);
    }
}

static vvStatus find_tets(const vvWorld *w, const vv_body *b, const row *r, double *out, vvError *error)
{
    double *mean;
    for (int t = 0; t < b->tet10_count; t++)
        find_subtets(w, b, r, t, out);
    if (b->tet10_count)
        return VV_OK;
    vvStatus status = find_means(w, b, &mean, error);
    for (int t = 0; status == VV_OK && t < b->tet_count; t++) {
        point at;
        double volume;
        find_point(w, b, t, mean, &at, &volume);
        r->of_tet(&at, out + (size_t)r->type.components * (size_t)t);
    }
    vv_free(mean);
    return status;
}

/* Adds values of an element to those of its nodes: of order 2 as extrapolated to each. */
static void add_element(const vvWorld *w, const vv_body *b, const row *r, int element, const double *mean,
                        double *weight, double *out)
{
    const size_t n = (size_t)r->type.components;
    const int *nodes = b->tet10_count ? b->tets10 + 10 * (size_t)element : b->tets + 4 * element;
    point four[4], at;
    double volume, value[6];
    if (b->tet10_count)
        volume = find_points(w, b, element, four);
    else
        find_point(w, b, element, mean, &at, &volume);
    for (int c = 0; c < (b->tet10_count ? 10 : 4); c++) {
        const size_t v = (size_t)(nodes[c] - b->first);
        double l[4] = { 0 };
        if (b->tet10_count) {
            add_node(nodes, nodes[c], 1, l);
            extrapolate(four, l, &at);
        }
        r->of_tet(&at, value);
        weight[v] += volume;
        for (size_t k = 0; k < n; k++)
            out[n * v + k] += volume * value[k];
    }
}

/* By the rest volumes of a vertex's tets; 0 at one that has none. */
static vvStatus average_tets(const vvWorld *w, const vv_body *b, const row *r, double *out, vvError *error)
{
    const size_t n = (size_t)r->type.components;
    double *weight = vv_alloc((size_t)b->vertex_count, sizeof *weight), *mean = NULL;
    vvStatus status = weight ? find_means(w, b, &mean, error) : vv_fail_memory(error, "a field");
    if (status == VV_OK)
        memset(out, 0, n * (size_t)b->vertex_count * sizeof *out);
    for (int t = 0; status == VV_OK && t < (b->tet10_count ? b->tet10_count : b->tet_count); t++)
        add_element(w, b, r, t, mean, weight, out);
    for (size_t v = 0; status == VV_OK && v < (size_t)b->vertex_count; v++)
        for (size_t k = 0; k < n && weight[v] > 0; k++)
            out[n * v + k] /= weight[v];
    vv_free(weight);
    vv_free(mean);
    return status;
}

/* ---- of nodes ---- */

static vvStatus displacement(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    (void)error;
    for (size_t i = 0; i < 3 * (size_t)b->vertex_count; i++)
        out[i] = w->state.q[3 * (size_t)b->first + i] - w->rest[3 * (size_t)b->first + i];
    return VV_OK;
}

/* out += the term's forces at the body's vertices. */
static vvStatus reaction(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    vvStatus status = vv_body_force(w, b, VV_FORCE_SUPPORT, out, error);
    return status == VV_OK ? vv_add_body_force(w, b, VV_FORCE_ATTACHMENT, out, error) : status;
}

static vvStatus load(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    return vv_body_force(w, b, VV_FORCE_LOAD, out, error);
}

static vvStatus friction_force(vvWorld *w, const vv_body *b, double *out, vvError *error)
{
    return vv_body_force(w, b, VV_FORCE_FRICTION, out, error);
}

/* ---- of edges and triangles, at vertices ---- */

static int count_of(const vv_body *b, vvFieldPlace place)
{
    const int counts[] = { [VV_FIELD_NODES] = b->vertex_count,
                           [VV_FIELD_TETS] = b->tet_count,
                           [VV_FIELD_EDGES] = b->edge_count,
                           [VV_FIELD_TRIANGLES] = b->triangle_count,
                           [VV_FIELD_SURFACE] = b->skin.vertex_count };
    return counts[place];
}

/* A vertex's edges: how many begin there and end there, and how many have been seen. */
typedef struct meeting {
    int ends[2], seen;
} meeting;

/* Which sign an edge's value counts with at its end. Where all run into a vertex, or all out of it, as where a ring
 * closes, one does as it is, the others the other way round: as moments have it (sections.c), before is towards the
 * vertex below or, of several, the highest. */
static double sign_at(const row *r, int end, meeting *at)
{
    const bool kept = at->seen == (end ? at->ends[1] - 1 : 0);
    at->seen++;
    return !r->directed || at->ends[1 - end] > 0 || kept ? 1 : -1;
}

/* By lengths or areas at rest. */
static void average_cells(const vvWorld *w, const vv_body *b, const row *r, const double *value, double *weight,
                          meeting *at, double *out)
{
    const bool edges = r->type.place == VV_FIELD_EDGES;
    const size_t n = (size_t)r->type.components, corners = edges ? 2 : 3;
    const int *cells = edges ? b->edges : b->triangles;
    for (size_t i = 0; i < (size_t)count_of(b, r->type.place); i++) {
        const int *c = cells + corners * i;
        const double size = edges ? vv_edge_length(w->rest, c[0], c[1]) : vv_triangle_area(w->rest, c);
        for (size_t k = 0; k < corners; k++) {
            const size_t v = (size_t)(c[k] - b->first);
            const double by = edges ? size * sign_at(r, (int)k, at + v) : size;
            weight[v] += size;
            for (size_t m = 0; m < n; m++)
                out[n * v + m] += by * value[n * i + m];
        }
    }
    for (size_t v = 0; v < (size_t)b->vertex_count; v++)
        for (size_t k = 0; k < n && weight[v] > 0; k++)
            out[n * v + k] /= weight[v];
}

static vvStatus average(vvWorld *w, const vv_body *b, const row *r, double *out, vvError *error)
{
    const size_t n = (size_t)r->type.components, vertices = (size_t)b->vertex_count;
    if (r->type.place == VV_FIELD_TETS)
        return average_tets(w, b, r, out, error);
    double *value = vv_alloc(n * (size_t)count_of(b, r->type.place), sizeof *value),
           *weight = vv_alloc(vertices, sizeof *weight);
    meeting *at = vv_alloc(vertices, sizeof *at);
    vvStatus status = value && weight && at ? r->of_body(w, b, value, error) : vv_fail_memory(error, "a field");
    memset(out, 0, n * vertices * sizeof *out);
    for (size_t i = 0; status == VV_OK && i < 2 * (size_t)b->edge_count; i++)
        at[b->edges[i] - b->first].ends[i % 2]++;
    if (status == VV_OK)
        average_cells(w, b, r, value, weight, at, out);
    vv_free(value);
    vv_free(weight);
    vv_free(at);
    return status;
}

/* ---- the table ---- */

static bool is_any(const vv_body *b)
{
    (void)b;
    return true;
}

static const carrier solids = { "tets", has_tets }, all = { NULL, is_any },
                     strings = { "rods and springs", vv_is_strung }, rods = { "rods that bend", vv_has_bent_rods },
                     sheets = { "shells that stretch", vv_is_stretched },
                     plates = { "shells that bend", vv_has_bent_shells },
                     thick = { "shells that have a thickness", vv_has_skins },
                     skins = { "surfaces that are carried and collide", vv_carries_contact };

/* clang-format off */
static const row table[] = {
    { { { "stress", "Cauchy stress" }, "Pa", 6, VV_FIELD_TETS }, &solids, stress, NULL, false },
    { { { "von-mises", "von Mises' equivalent stress" }, "Pa", 1, VV_FIELD_TETS }, &solids, von_mises, NULL, false },
    { { { "principal", "principal stresses, the largest first" }, "Pa", 3, VV_FIELD_TETS }, &solids, principal, NULL,
      false },
    { { { "strain", "Green strain" }, "", 6, VV_FIELD_TETS }, &solids, strain, NULL, false },
    { { { "energy-density", "elastic energy by volume at rest" }, "J/m3", 1, VV_FIELD_TETS }, &solids, density, NULL,
      false },
    { { { "det-f", "volume by that at rest, det F" }, "", 1, VV_FIELD_TETS }, &solids, det_f, NULL, false },
    { { { "displacement", "displacement from the placed rest shape" }, "m", 3, VV_FIELD_NODES }, &all, NULL,
      displacement, false },
    { { { "reaction", "forces of attachments on nodes" }, "N", 3, VV_FIELD_NODES }, &all, NULL, reaction, false },
    { { { "load", "pushes, forces, tractions and pressures" }, "N", 3, VV_FIELD_NODES }, &all, NULL, load, false },
    { { { "contact-force", "normal forces of contact" }, "N", 3, VV_FIELD_NODES }, &all, NULL, vv_contact_force,
      false },
    { { { "friction-force", "of friction within the solve" }, "N", 3, VV_FIELD_NODES }, &all, NULL, friction_force,
      false },
    { { { "contact-pressure", "contact force by area" }, "Pa", 1, VV_FIELD_NODES }, &all, NULL, vv_contact_pressure,
      false },
    { { { "section-force", "rods' and springs' force across an edge" }, "N", 3, VV_FIELD_EDGES }, &strings, NULL,
      vv_section_force, true },
    { { { "axial-force", "rods' and springs' force along an edge: pulls are positive" }, "N", 1, VV_FIELD_EDGES },
      &strings, NULL, vv_axial_force, false },
    { { { "shear-force", "rods' shear force across an edge" }, "N", 1, VV_FIELD_EDGES }, &strings, NULL, vv_shear_force,
      false },
    { { { "section-moment", "rods' moment at a vertex" }, "N m", 3, VV_FIELD_NODES }, &rods, NULL, vv_section_moment,
      false },
    { { { "bending-moment", "rods' bending moment" }, "N m", 1, VV_FIELD_NODES }, &rods, NULL, vv_bending_moment,
      false },
    { { { "torque", "rods' torque" }, "N m", 1, VV_FIELD_NODES }, &rods, NULL, vv_torque, false },
    { { { "membrane-force", "shells' force in their plane per length" }, "N/m", 6, VV_FIELD_TRIANGLES }, &sheets, NULL,
      vv_membrane_force, false },
    { { { "plate-moment", "shells' bending moment by length" }, "N m/m", 6, VV_FIELD_TRIANGLES }, &plates, NULL,
      vv_plate_moment, false },
    { { { "top-stress", "shells' stress on the side of their normals" }, "Pa", 6, VV_FIELD_TRIANGLES }, &thick, NULL,
      vv_top_stress, false },
    { { { "bottom-stress", "shells' stress on the other side" }, "Pa", 6, VV_FIELD_TRIANGLES }, &thick, NULL,
      vv_bottom_stress, false },
    { { { "skin-von-mises", "von Mises' stress of shells, of the side where it is larger" }, "Pa", 1,
        VV_FIELD_TRIANGLES }, &thick, NULL, vv_skin_von_mises, false },
    { { { "surface-force", "contact's normal forces on a carried surface" }, "N", 3, VV_FIELD_SURFACE }, &skins, NULL,
      vv_surface_force, false },
    { { { "surface-pressure", "contact's pressure on a carried surface" }, "Pa", 1, VV_FIELD_SURFACE }, &skins, NULL,
      vv_surface_pressure, false },
};
/* clang-format on */
enum { FIELDS = sizeof table / sizeof *table };

const vvField *vvFieldInfo(int index) { return index >= 0 && index < FIELDS ? &table[index].type : NULL; }

static const vvInfo *info_at(int index) { return index >= 0 && index < FIELDS ? &table[index].type.info : NULL; }

static vvStatus find_field(vvWorld *w, vvBodyId id, const char *name, bool at_nodes, double *values, int capacity,
                           int *count, vvError *error)
{
    int i = 0, b = vv_body_index(w, id);
    while (name && i < FIELDS && strcmp(table[i].type.info.name, name) != 0)
        i++;
    if (!name || i == FIELDS)
        return vv_fail_unknown(error, "field", name, info_at);
    if (b < 0)
        return vv_fail(error, VV_ERROR_INPUT, "vvBodyField: no such body");
    const row *r = table + i;
    const vv_body *body = w->bodies + b;
    if (!r->of->is(body))
        return vv_fail(error, VV_ERROR_UNSUPPORTED, "field \"%s\" is one of %s, and body \"%s\" has none%s", name,
                       r->of->word, body->name, r->of == &skins ? "" : " that are elastic");
    const bool nodes = (at_nodes && r->type.place != VV_FIELD_SURFACE) || r->type.place == VV_FIELD_NODES;
    const int wanted = r->type.components * (nodes ? body->vertex_count : count_of(body, r->type.place));
    if (count)
        *count = wanted;
    if (!values || capacity < wanted)
        return !values || capacity == 0
                   ? VV_OK
                   : vv_fail(error, VV_ERROR_INPUT,
                             "vvBodyField: field \"%s\" of body \"%s\" has %d numbers; there is room for %d", name,
                             body->name, wanted, capacity);
    vvStatus status = vv_world_bake(w, error);
    if (status != VV_OK)
        return status;
    if (nodes && r->type.place != VV_FIELD_NODES)
        return average(w, body, r, values, error);
    return r->of_body ? r->of_body(w, body, values, error) : find_tets(w, body, r, values, error);
}

vvStatus vvBodyField(vvWorld *w, vvBodyId id, const char *field, bool atNodes, double *values, int capacity, int *count,
                     vvError *error)
{
    VV_WORLD_CALL(w, error, find_field(w, id, field, atNodes, values, capacity, count, error));
}
