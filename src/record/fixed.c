/* The part of a run file that is written once: mesh, bodies, obstacles, scene, facts. */
#include "record/writer.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "record/cells.h"

static bool vector(hid_t file, const char *path, hid_t type, int64_t rows, int64_t columns, const void *data)
{
    const hsize_t dims[2] = { (hsize_t)rows, (hsize_t)columns };
    return vv_hdf_write(file, path, type, columns ? 2 : 1, dims, data);
}

static bool one(hid_t file, const char *path, int64_t value)
{
    return vector(file, path, H5T_NATIVE_INT64, 1, 0, &value);
}

/* ---- bodies: one table, and the elements of all bodies one after the other ---- */

typedef struct vv_elements {
    vv_body_row *rows;
    vv_cell_source *sources;
    int *tets, *triangles, *edges;
    int64_t tet_count, triangle_count, edge_count;
} vv_elements;

static void free_elements(vv_elements *e)
{
    vv_free(e->rows);
    vv_free(e->sources);
    vv_free(e->tets);
    vv_free(e->triangles);
    vv_free(e->edges);
}

static void survey_body(const vvWorld *world, int index, vv_elements *e)
{
    vvBodyId id = vvWorldBody(world, index);
    vv_cell_source *s = &e->sources[index];
    vv_body_row *row = &e->rows[index];
    vvBodyElements el;
    vvBodyGetElements(world, id, &el);
    vvBodyNodes(world, id, &s->first_node, &s->node_count);
    s->node_count -= el.directorCount;
    s->tet_count = el.tetCount, s->triangle_count = el.triangleCount, s->edge_count = el.edgeCount;
    s->tets = el.tets, s->triangles = el.triangles, s->edges = el.edges;
    const char *name = vvBodyName(world, id);
    snprintf(row->name, sizeof row->name, "%s", name ? name : "");
    row->first_node = s->first_node, row->node_count = s->node_count;
    row->first_tet = e->tet_count, row->tet_count = s->tet_count;
    row->first_triangle = e->triangle_count, row->triangle_count = s->triangle_count;
    row->first_edge = e->edge_count, row->edge_count = s->edge_count;
    e->tet_count += s->tet_count;
    e->triangle_count += s->triangle_count;
    e->edge_count += s->edge_count;
}

static void append(int *all, int64_t first, const int *part, int count, int width)
{
    if (count > 0)
        memcpy(all + first * width, part, (size_t)count * (size_t)width * sizeof *all);
}

static bool gather_elements(const vvWorld *world, int bodies, vv_elements *e)
{
    *e = (vv_elements){ 0 };
    e->rows = vv_alloc((size_t)bodies, sizeof *e->rows);
    e->sources = vv_alloc((size_t)bodies, sizeof *e->sources);
    if (!e->rows || !e->sources)
        return false;
    for (int b = 0; b < bodies; b++)
        survey_body(world, b, e);
    e->tets = vv_alloc((size_t)e->tet_count * 4, sizeof *e->tets);
    e->triangles = vv_alloc((size_t)e->triangle_count * 3, sizeof *e->triangles);
    e->edges = vv_alloc((size_t)e->edge_count * 2, sizeof *e->edges);
    if (!e->tets || !e->triangles || !e->edges)
        return false;
    for (int b = 0; b < bodies; b++) {
        append(e->tets, e->rows[b].first_tet, e->sources[b].tets, e->sources[b].tet_count, 4);
        append(e->triangles, e->rows[b].first_triangle, e->sources[b].triangles, e->sources[b].triangle_count, 3);
        append(e->edges, e->rows[b].first_edge, e->sources[b].edges, e->sources[b].edge_count, 2);
    }
    return true;
}

static bool write_elements(hid_t file, const vv_elements *e, int bodies)
{
    const hsize_t count = (hsize_t)bodies;
    hid_t memory = vv_memory_type(VV_TYPE_BODY);
    bool ok = memory >= 0 && vv_hdf_write(file, "/visviva/bodies", memory, 1, &count, e->rows);
    if (memory >= 0)
        H5Tclose(memory);
    return ok && vector(file, "/visviva/tets", H5T_NATIVE_INT, e->tet_count, 4, e->tets) &&
           vector(file, "/visviva/triangles", H5T_NATIVE_INT, e->triangle_count, 3, e->triangles) &&
           vector(file, "/visviva/edges", H5T_NATIVE_INT, e->edge_count, 2, e->edges);
}

static bool write_cells(hid_t file, const vv_cells *c, int64_t nodes)
{
    return one(file, "/VTKHDF/NumberOfPoints", nodes) && one(file, "/VTKHDF/NumberOfCells", c->count) &&
           one(file, "/VTKHDF/NumberOfConnectivityIds", c->connectivity_count) &&
           vector(file, "/VTKHDF/Connectivity", H5T_NATIVE_INT64, c->connectivity_count, 0, c->connectivity) &&
           vector(file, "/VTKHDF/Offsets", H5T_NATIVE_INT64, c->count + 1, 0, c->offsets) &&
           vector(file, "/VTKHDF/Types", H5T_NATIVE_UINT8, c->count, 0, c->types) &&
           vector(file, "/VTKHDF/CellData/body", H5T_NATIVE_INT32, c->count, 0, c->body) &&
           vector(file, "/visviva/cells", H5T_NATIVE_INT32, c->mixed_count, 0, c->mixed);
}

/* ---- obstacles ---- */

/* Those that move are among the bodies. */
static bool stands_still(const vvWorld *world, int obstacle)
{
    return vvObstacleBody(world, vvWorldObstacleAt(world, obstacle)).index1 == 0;
}

static bool write_obstacles(hid_t file, const vvWorld *world)
{
    int all_count = vvWorldObstacleCount(world), count = 0, n = 0;
    int64_t total = 0;
    const double *values;
    for (int i = 0; i < all_count; i++)
        if (stands_still(world, i)) {
            vvWorldObstacle(world, i, &values, &n);
            total += n;
            count++;
        }
    char *types = vv_alloc((size_t)count, VV_RUN_WORD_ROOM);
    int32_t *counts = vv_alloc((size_t)count, sizeof *counts);
    double *all = vv_alloc((size_t)total, sizeof *all);
    hid_t word = vv_hdf_text_type(VV_RUN_WORD_ROOM);
    bool ok = types && counts && all && word >= 0;
    total = count = 0;
    for (int i = 0; ok && i < all_count; i++) {
        if (!stands_still(world, i))
            continue;
        const char *type = vvWorldObstacle(world, i, &values, &n);
        snprintf(types + count * VV_RUN_WORD_ROOM, VV_RUN_WORD_ROOM, "%s", type);
        counts[count++] = n;
        if (n > 0)
            memcpy(all + total, values, (size_t)n * sizeof *all);
        total += n;
    }
    ok = ok && vector(file, "/visviva/obstacle_types", word, count, 0, types) &&
         vector(file, "/visviva/obstacle_value_counts", H5T_NATIVE_INT32, count, 0, counts) &&
         vector(file, "/visviva/obstacle_values", H5T_NATIVE_DOUBLE, total, 0, all);
    if (word >= 0)
        H5Tclose(word);
    vv_free(types);
    vv_free(counts);
    vv_free(all);
    return ok;
}

/* ---- facts ---- */

/* A file of an older version stays as it is. */
static bool write_stiffness(hid_t file, const vvWorld *world)
{
    vvStiffness s;
    vvWorldGetStiffness(world, &s);
    const double numbers[5] = { s.now, s.start, s.chosen, s.weight, s.area };
    return !vv_hdf_exists(file, vv_stiffness_path) || !vv_hdf_exists(file, vv_stiffest_path) ||
           (vv_hdf_rewrite(file, vv_stiffness_path, H5T_NATIVE_DOUBLE, 5, numbers) &&
            vv_hdf_rewrite_text(file, vv_stiffest_path, s.body, VV_RUN_NAME_ROOM));
}

bool vv_writer_facts(hid_t file, const vvWorld *world)
{
    const vvWorldDef *def = vvWorldGetDef(world);
    const double lengths[4] = { vvWorldLength(world), def->contact.distance, def->solver.tolerance,
                                def->contact.frictionSpeed };
    bool older = !vv_hdf_exists(file, vv_lengths_path); /* a file of an older version stays as it is */
    return (older || vv_hdf_rewrite(file, vv_lengths_path, H5T_NATIVE_DOUBLE, 4, lengths)) &&
           write_stiffness(file, world) &&
           vv_hdf_rewrite(file, "/visviva/time_step", H5T_NATIVE_DOUBLE, 1, &def->timeStep) &&
           vv_hdf_rewrite(file, "/visviva/gravity", H5T_NATIVE_DOUBLE, 3, def->gravity) &&
           vv_hdf_rewrite_text(file, "/visviva/scheme", def->integrator.scheme, VV_RUN_WORD_ROOM) &&
           vv_hdf_rewrite_text(file, "/visviva/policy", def->integrator.policy, VV_RUN_WORD_ROOM);
}

static bool write_phase_names(hid_t file)
{
    char names[VV_PHASE_COUNT * VV_RUN_WORD_ROOM] = { 0 };
    hid_t word = vv_hdf_text_type(VV_RUN_WORD_ROOM);
    for (int i = 0; i < VV_PHASE_COUNT; i++)
        snprintf(names + i * VV_RUN_WORD_ROOM, VV_RUN_WORD_ROOM, "%s", vvPhaseName((vvPhase)i));
    bool ok = word >= 0 && vector(file, "/visviva/phase_names", word, VV_PHASE_COUNT, 0, names);
    if (word >= 0)
        H5Tclose(word);
    return ok;
}

static bool write_facts(hid_t file, const vvWorld *world, const char *sceneName, const char *sceneText)
{
    const double none[5] = { 0 };
    return vv_hdf_write_text(file, "/visviva/scene_name", sceneName ? sceneName : "", VV_RUN_STATUS_ROOM) &&
           vv_hdf_write_text(file, "/visviva/scene", sceneText ? sceneText : "", sceneText ? strlen(sceneText) : 0) &&
           vv_hdf_write_text(file, "/visviva/status", "running", VV_RUN_STATUS_ROOM) &&
           vv_hdf_write_text(file, "/visviva/scheme", "", VV_RUN_WORD_ROOM) &&
           vv_hdf_write_text(file, "/visviva/policy", "", VV_RUN_WORD_ROOM) &&
           vv_hdf_write(file, "/visviva/time_step", H5T_NATIVE_DOUBLE, 0, NULL, none) &&
           vector(file, "/visviva/gravity", H5T_NATIVE_DOUBLE, 3, 0, none) &&
           vector(file, vv_lengths_path, H5T_NATIVE_DOUBLE, 4, 0, none) &&
           vector(file, vv_stiffness_path, H5T_NATIVE_DOUBLE, 5, 0, none) &&
           vv_hdf_write_text(file, vv_stiffest_path, "", VV_RUN_NAME_ROOM) && vv_writer_facts(file, world) &&
           write_phase_names(file);
}

vvStatus vv_writer_fixed(vvRunWriter *w, const vvWorld *world, const char *sceneName, const char *sceneText,
                         vvError *error)
{
    vv_elements e;
    vv_cells cells = { 0 };
    int bodies = (int)w->sizes.bodies;
    vvStatus status = VV_OK;
    if (!gather_elements(world, bodies, &e))
        status = vv_fail_memory(error, "the meshes of a run file");
    if (status == VV_OK)
        status = vv_cells_build(e.sources, bodies, &cells, error);
    if (status == VV_OK &&
        !(write_elements(w->file, &e, bodies) && write_cells(w->file, &cells, w->sizes.nodes) &&
          write_obstacles(w->file, world) && vv_writer_samples(w->file, world) &&
          vv_writer_surfaces(w->file, world, bodies) && vv_writer_kinematic(w->file, world, bodies) &&
          vv_writer_thickness(w->file, world, bodies) && vv_writer_directors(w->file, world, bodies) &&
          vv_writer_drawn(w->file, world, bodies) && vv_writer_touching(w->file, world, bodies, true) &&
          vv_writer_bending(w->file, world, bodies, true) && vv_writer_made_by(w->file, world, true) &&
          vv_writer_room_for_notes(w->file) && write_facts(w->file, world, sceneName, sceneText)))
        status = vv_writer_fail(w, error, "the meshes and the scene");
    w->cell_count = cells.count;
    w->mixed_count = cells.mixed_count;
    vv_cells_free(&cells);
    free_elements(&e);
    return status;
}
