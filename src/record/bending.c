/* How the bodies of a run resist bending, so that the energy of it can be shown (bending_energy.c): a row for each
 * material of theirs that does. /visviva/bending_models, the rows' materials; /visviva/bending_rows, their bodies,
 * and how many stiffnesses of single triangles each has (0, or one for each triangle); /visviva/bending_stiffness,
 * four numbers a row: N m of shells, N m^2 of rods (NaN where triangles have their own), Poisson's ratio, 1 where the
 * rest shape is flat, the twist at rest (rad/m); /visviva/bending_triangles, the stiffnesses of single triangles, N
 * m, row by row; /visviva/rest_angle_edges (run nodes) and /visviva/rest_angles (rad), what was given for edges. None
 * is there where nothing resists bending.
 *
 * They are those of the world as it was last created or resumed, or as its host has set it since. All NaN if it has
 * other rows since then. */
#include "record/bending.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "record/writer.h"
#include "visviva/settings.h"

enum { MODELS, ROWS, NUMBERS, TRIANGLES, EDGES, ANGLES };
enum { STIFFNESS, POISSON, FLAT, TWIST, NUMBER_COUNT };
const char *const vv_bending_paths[VV_BENDING_PATHS] = { "/visviva/bending_models",    "/visviva/bending_rows",
                                                         "/visviva/bending_stiffness", "/visviva/bending_triangles",
                                                         "/visviva/rest_angle_edges",  "/visviva/rest_angles" };

/* ---- writing ---- */

typedef struct gathered {
    int64_t rows, triangles, angles;
    char *models;
    int32_t *counts; /* 2 a row */
    double *numbers, *of_triangle;
    int *edges;
    double *angle;
    vvRestAngle *given; /* of one body */
} gathered;

static void free_gathered(gathered *g)
{
    vv_free(g->models);
    vv_free(g->counts);
    vv_free(g->numbers);
    vv_free(g->of_triangle);
    vv_free(g->edges);
    vv_free(g->angle);
    vv_free(g->given);
}

/* Counts, and once there is room notes, a row. */
static void gather_row(const vvWorld *w, vvBodyId id, int body, int material, gathered *g)
{
    vvBodyBending bending;
    vvMaterialDef m;
    if (!vvBodyGetBending(w, id, material, &bending, NULL) || !vvBodyGetMaterial(w, id, material, &m))
        return;
    const int count = bending.varies ? bending.triangleCount : 0;
    if (g->numbers) {
        double *to = g->numbers + NUMBER_COUNT * g->rows;
        snprintf(g->models + VV_RUN_WORD_ROOM * g->rows, VV_RUN_WORD_ROOM, "%s", m.model);
        g->counts[2 * g->rows] = body, g->counts[2 * g->rows + 1] = count;
        to[STIFFNESS] = bending.stiffness, to[POISSON] = bending.poisson, to[FLAT] = m.flat, to[TWIST] = m.restTwist;
        if (count > 0)
            vvBodyGetBending(w, id, material, &bending, g->of_triangle + g->triangles);
    }
    g->rows++;
    g->triangles += count;
}

static void gather_angles(const vvWorld *w, vvBodyId id, gathered *g)
{
    const int count = vvBodyGetRestAngles(w, id, NULL, 0);
    int first, nodes;
    if (g->angle && count > 0) {
        vvBodyNodes(w, id, &first, &nodes);
        vvBodyGetRestAngles(w, id, g->given, count);
        for (int i = 0; i < count; i++) {
            g->edges[2 * (g->angles + i)] = first + g->given[i].a,
                                      g->edges[2 * (g->angles + i) + 1] = first + g->given[i].b;
            g->angle[g->angles + i] = g->given[i].angle;
        }
    }
    g->angles += count;
}

static void gather_all(const vvWorld *w, int bodies, gathered *g)
{
    g->rows = g->triangles = g->angles = 0;
    for (int b = 0; b < bodies; b++) {
        const vvBodyId id = vvWorldBody(w, b);
        for (int m = 0; m < vvBodyMaterialCount(w, id); m++)
            gather_row(w, id, b, m, g);
        gather_angles(w, id, g);
    }
}

static bool gather(const vvWorld *w, int bodies, gathered *g)
{
    *g = (gathered){ 0 };
    gather_all(w, bodies, g);
    g->models = vv_alloc((size_t)g->rows, VV_RUN_WORD_ROOM);
    g->counts = vv_alloc(2 * (size_t)g->rows, sizeof *g->counts);
    g->of_triangle = vv_alloc((size_t)g->triangles, sizeof *g->of_triangle);
    g->edges = vv_alloc(2 * (size_t)g->angles, sizeof *g->edges);
    g->angle = vv_alloc((size_t)g->angles, sizeof *g->angle);
    g->given = vv_alloc((size_t)g->angles, sizeof *g->given);
    g->numbers = vv_alloc(NUMBER_COUNT * (size_t)g->rows, sizeof *g->numbers);
    bool ok = g->models && g->counts && g->of_triangle && g->edges && g->angle && g->given && g->numbers;
    if (ok)
        gather_all(w, bodies, g);
    return ok;
}

static bool write_gathered(hid_t file, const gathered *g)
{
    const hsize_t rows[2] = { (hsize_t)g->rows, 2 }, numbers[2] = { (hsize_t)g->rows, NUMBER_COUNT },
                  triangles = (hsize_t)g->triangles, edges[2] = { (hsize_t)g->angles, 2 };
    hid_t word = vv_hdf_text_type(VV_RUN_WORD_ROOM);
    bool ok = word >= 0 && vv_hdf_write(file, vv_bending_paths[MODELS], word, 1, rows, g->models) &&
              vv_hdf_write(file, vv_bending_paths[ROWS], H5T_NATIVE_INT32, 2, rows, g->counts) &&
              vv_hdf_write(file, vv_bending_paths[NUMBERS], H5T_NATIVE_DOUBLE, 2, numbers, g->numbers) &&
              vv_hdf_write(file, vv_bending_paths[TRIANGLES], H5T_NATIVE_DOUBLE, 1, &triangles, g->of_triangle) &&
              vv_hdf_write(file, vv_bending_paths[EDGES], H5T_NATIVE_INT, 2, edges, g->edges) &&
              vv_hdf_write(file, vv_bending_paths[ANGLES], H5T_NATIVE_DOUBLE, 1, edges, g->angle);
    if (word >= 0)
        H5Tclose(word);
    return ok;
}

static int64_t rows_of(hid_t file, int path)
{
    vv_hdf_shape shape;
    const vv_want any = { vv_bending_paths[path], VV_HDF_ANY, 0, H5T_NO_CLASS };
    hid_t set = vv_hdf_open_set(file, &any, &shape);
    if (set < 0)
        return -1;
    H5Oclose(set);
    return shape.rank > 0 ? (int64_t)shape.dims[0] : -1;
}

/* The room in a file is what it was made with. Where that does not fit, nothing is known from here on. */
static bool rewrite_gathered(hid_t file, gathered *g)
{
    const int64_t rows = rows_of(file, NUMBERS);
    if (rows != g->rows || rows_of(file, TRIANGLES) != g->triangles || rows_of(file, ANGLES) != g->angles) {
        double *nothing = rows > 0 ? vv_alloc(NUMBER_COUNT * (size_t)rows, sizeof *nothing) : NULL;
        for (int64_t i = 0; nothing && i < NUMBER_COUNT * rows; i++)
            nothing[i] = NAN;
        bool ok = rows == 0 || (nothing && vv_hdf_rewrite(file, vv_bending_paths[NUMBERS], H5T_NATIVE_DOUBLE,
                                                          NUMBER_COUNT * (size_t)rows, nothing));
        vv_free(nothing);
        return ok;
    }
    hid_t word = vv_hdf_text_type(VV_RUN_WORD_ROOM);
    const size_t n = (size_t)rows;
    bool ok =
        word >= 0 && vv_hdf_rewrite(file, vv_bending_paths[MODELS], word, n, g->models) &&
        vv_hdf_rewrite(file, vv_bending_paths[ROWS], H5T_NATIVE_INT32, 2 * n, g->counts) &&
        vv_hdf_rewrite(file, vv_bending_paths[NUMBERS], H5T_NATIVE_DOUBLE, NUMBER_COUNT * n, g->numbers) &&
        vv_hdf_rewrite(file, vv_bending_paths[TRIANGLES], H5T_NATIVE_DOUBLE, (size_t)g->triangles, g->of_triangle) &&
        vv_hdf_rewrite(file, vv_bending_paths[EDGES], H5T_NATIVE_INT, 2 * (size_t)g->angles, g->edges) &&
        vv_hdf_rewrite(file, vv_bending_paths[ANGLES], H5T_NATIVE_DOUBLE, (size_t)g->angles, g->angle);
    if (word >= 0)
        H5Tclose(word);
    return ok;
}

bool vv_writer_bending(hid_t file, const vvWorld *world, int bodies, bool fresh)
{
    gathered g;
    for (int i = 0; !fresh && i < VV_BENDING_PATHS; i++)
        if (!vv_hdf_exists(file, vv_bending_paths[i])) /* a file of an older version stays as it is */
            return true;
    bool ok =
        gather(world, bodies, &g) && (!fresh ? rewrite_gathered(file, &g) : g.rows == 0 || write_gathered(file, &g));
    free_gathered(&g);
    return ok;
}

/* ---- reading ---- */

void vv_run_bending_free(vv_run_bending *b)
{
    if (!b)
        return;
    vv_free(b->rows);
    vv_free(b->models);
    vv_free(b->triangles);
    vv_free(b->angle_edges);
    vv_free(b->angles);
    vv_free(b);
}

typedef struct raw {
    int32_t *counts;
    double *numbers;
    int64_t rows, numbers_rows, models, triangles, edges, angles;
} raw;

static vvStatus read_sets(const vvRun *run, vv_run_bending *b, raw *r, vvError *error)
{
    const vv_want want[] = { [MODELS] = { vv_bending_paths[MODELS], 1, 0, H5T_STRING },
                             [ROWS] = { vv_bending_paths[ROWS], 2, 2, H5T_INTEGER },
                             [NUMBERS] = { vv_bending_paths[NUMBERS], 2, NUMBER_COUNT, H5T_FLOAT },
                             [TRIANGLES] = { vv_bending_paths[TRIANGLES], 1, 0, H5T_FLOAT },
                             [EDGES] = { vv_bending_paths[EDGES], 2, 2, H5T_INTEGER },
                             [ANGLES] = { vv_bending_paths[ANGLES], 1, 0, H5T_FLOAT } };
    hid_t word = vv_hdf_text_type(VV_RUN_WORD_ROOM);
    b->models = vv_reader_fixed(run, want + MODELS, word, VV_RUN_WORD_ROOM, &r->models, error);
    H5Tclose(word);
    if (b->models)
        r->counts = vv_reader_fixed(run, want + ROWS, H5T_NATIVE_INT32, 2 * sizeof *r->counts, &r->rows, error);
    if (r->counts)
        r->numbers = vv_reader_fixed(run, want + NUMBERS, H5T_NATIVE_DOUBLE, NUMBER_COUNT * sizeof *r->numbers,
                                     &r->numbers_rows, error);
    if (r->numbers)
        b->triangles =
            vv_reader_fixed(run, want + TRIANGLES, H5T_NATIVE_DOUBLE, sizeof *b->triangles, &r->triangles, error);
    if (b->triangles)
        b->angle_edges =
            vv_reader_fixed(run, want + EDGES, H5T_NATIVE_INT, 2 * sizeof *b->angle_edges, &r->edges, error);
    if (b->angle_edges)
        b->angles = vv_reader_fixed(run, want + ANGLES, H5T_NATIVE_DOUBLE, sizeof *b->angles, &r->angles, error);
    if (!b->angles)
        return VV_ERROR_INPUT;
    if (r->models != r->rows || r->numbers_rows != r->rows)
        return vv_reader_broken(run, vv_bending_paths[NUMBERS], "does not fit the materials", error);
    if (r->edges != r->angles)
        return vv_reader_broken(run, vv_bending_paths[ANGLES], "does not fit the edges", error);
    return VV_OK;
}

static bool is_stiffness(double value) { return value >= 0 && value < 1e300; }

/* What one row says; *known: it says something. */
static vvStatus take_row(const vvRun *run, const vv_run_bending *b, const raw *r, int64_t i, int64_t *triangle,
                         vv_bending_row *row, bool *known, vvError *error)
{
    const double *n = r->numbers + NUMBER_COUNT * i;
    const int32_t body = r->counts[2 * i], own = r->counts[2 * i + 1];
    char *model = b->models + VV_RUN_WORD_ROOM * i;
    model[VV_RUN_WORD_ROOM - 1] = 0;
    if (body < 0 || body >= run->sizes.bodies)
        return vv_reader_broken(run, vv_bending_paths[ROWS], "names a nonexistent body", error);
    if (own != 0 && (own != run->bodies[body].triangleCount || own > r->triangles - *triangle))
        return vv_reader_broken(run, vv_bending_paths[ROWS], "does not fit the triangles", error);
    *row = (vv_bending_row){
        body, model, n[STIFFNESS], n[POISSON], n[TWIST], n[FLAT] != 0, own ? b->triangles + *triangle : NULL
    };
    *known = !isnan(n[POISSON]);
    for (int32_t t = 0; t < own; t++)
        if (!is_stiffness(row->triangles[t]))
            return vv_reader_broken(run, vv_bending_paths[TRIANGLES], "holds a value that is not a stiffness", error);
    *triangle += own;
    if (*known &&
        !((own || is_stiffness(n[STIFFNESS])) && n[POISSON] > -1 && n[POISSON] <= 0.5 && fabs(n[TWIST]) <= 1e9))
        return vv_reader_broken(run, vv_bending_paths[NUMBERS], "holds values that are impossible for a material",
                                error);
    return VV_OK;
}

static vvStatus take_rows(const vvRun *run, vv_run_bending *b, const raw *r, vvError *error)
{
    int64_t triangle = 0;
    b->rows = vv_alloc((size_t)r->rows, sizeof *b->rows);
    if (!b->rows)
        return vv_fail_memory(error, vv_bending_paths[ROWS]);
    for (int64_t i = 0; i < r->rows; i++) {
        bool known = false;
        vvStatus status = take_row(run, b, r, i, &triangle, b->rows + b->count, &known, error);
        if (status != VV_OK)
            return status;
        b->count += known;
    }
    if (triangle != r->triangles)
        return vv_reader_broken(run, vv_bending_paths[TRIANGLES], "does not fit the triangles", error);
    for (int64_t i = 0; i < 2 * r->angles; i++)
        if (b->angle_edges[i] < 0 || b->angle_edges[i] >= run->sizes.nodes || !(fabs(b->angles[i / 2]) < 3.15))
            return vv_reader_broken(run, vv_bending_paths[ANGLES], "has an invalid angle, or one of nonexistent nodes",
                                    error);
    b->angle_count = (int)r->angles;
    return VV_OK;
}

vvStatus vv_reader_bending(vvRun *run, vvError *error)
{
    raw r = { 0 };
    for (int i = 0; i < VV_BENDING_PATHS; i++)
        if (!vv_hdf_exists(run->file, vv_bending_paths[i]))
            return VV_OK;
    run->bending = vv_alloc(1, sizeof *run->bending);
    if (!run->bending)
        return vv_fail_memory(error, vv_bending_paths[ROWS]);
    vvStatus status = read_sets(run, run->bending, &r, error);
    if (status == VV_OK)
        status = take_rows(run, run->bending, &r, error);
    vv_free(r.counts);
    vv_free(r.numbers);
    return status;
}
