/* What may touch what in a run: /visviva/contact (contact.model), /visviva/self_contact (1: the body collides with
 * itself), /visviva/filters (category and mask of each body) and /visviva/groups, as the world last created or
 * resumed had them. And /visviva/joined, where there are some: pairs of bodies that a joint keeps from colliding. */
#include "base/memory.h"
#include "record/reader.h"
#include "record/writer.h"
#include "visviva/joint.h"

#include <math.h>

enum { MODEL, SELF, FILTERS, GROUPS };
const char *const vv_touching_paths[VV_TOUCHING_PATHS] = { "/visviva/contact", "/visviva/self_contact",
                                                           "/visviva/filters", "/visviva/groups" };

const char vv_joined_path[] = "/visviva/joined";

/* ---- writing ---- */

typedef struct gathered {
    int32_t *self, *group;
    uint64_t *bits; /* 2 per body */
} gathered;

static bool gather(const vvWorld *world, int bodies, gathered *g)
{
    size_t n = (size_t)bodies;
    *g = (gathered){ vv_alloc(n, sizeof *g->self), vv_alloc(n, sizeof *g->group), vv_alloc(2 * n, sizeof *g->bits) };
    if (!g->self || !g->group || !g->bits)
        return false;
    for (int b = 0; b < bodies; b++) {
        vvBodyId id = vvWorldBody(world, b);
        vvFilter filter = vvBodyFilter(world, id);
        g->self[b] = vvBodySelfContact(world, id);
        g->group[b] = filter.group;
        g->bits[2 * b] = filter.category, g->bits[2 * b + 1] = filter.mask;
    }
    return true;
}

static bool write_gathered(hid_t file, const gathered *g, int bodies)
{
    const hsize_t count[2] = { (hsize_t)bodies, 2 };
    return vv_hdf_write_text(file, vv_touching_paths[MODEL], "", VV_RUN_WORD_ROOM) &&
           vv_hdf_write(file, vv_touching_paths[SELF], H5T_NATIVE_INT32, 1, count, g->self) &&
           vv_hdf_write(file, vv_touching_paths[FILTERS], H5T_NATIVE_UINT64, 2, count, g->bits) &&
           vv_hdf_write(file, vv_touching_paths[GROUPS], H5T_NATIVE_INT32, 1, count, g->group);
}

static bool rewrite_gathered(hid_t file, const gathered *g, int bodies)
{
    size_t n = (size_t)bodies;
    return vv_hdf_rewrite(file, vv_touching_paths[SELF], H5T_NATIVE_INT32, n, g->self) &&
           vv_hdf_rewrite(file, vv_touching_paths[FILTERS], H5T_NATIVE_UINT64, 2 * n, g->bits) &&
           vv_hdf_rewrite(file, vv_touching_paths[GROUPS], H5T_NATIVE_INT32, n, g->group);
}

/* Where each body is in the world's order: joints name them by their ids. */
static int index_of(const vvWorld *world, int bodies, vvBodyId id)
{
    for (int b = 0; b < bodies; b++) {
        const vvBodyId at = vvWorldBody(world, b);
        if (at.index1 == id.index1 && at.generation == id.generation)
            return b;
    }
    return -1;
}

static bool write_joined(hid_t file, const vvWorld *world, int bodies)
{
    const int joints = vvWorldJointCount(world);
    int32_t *pairs = vv_alloc(2 * (size_t)joints, sizeof *pairs);
    hsize_t count[2] = { 0, 2 };
    for (int j = 0; pairs && j < joints; j++) {
        vvBodyId of[2];
        vvJointBodies(world, vvWorldJoint(world, j), of);
        const int a = index_of(world, bodies, of[0]), b = index_of(world, bodies, of[1]);
        if (a < 0 || b < 0 || !isnan(vvWorldFriction(world, of[0], of[1])))
            continue;
        pairs[2 * count[0]] = a, pairs[2 * count[0] + 1] = b;
        count[0]++;
    }
    const bool ok = pairs && (count[0] == 0 || vv_hdf_write(file, vv_joined_path, H5T_NATIVE_INT32, 2, count, pairs));
    vv_free(pairs);
    return ok;
}

bool vv_writer_touching(hid_t file, const vvWorld *world, int bodies, bool fresh)
{
    gathered g;
    bool there = true;
    for (int i = 0; !fresh && i < VV_TOUCHING_PATHS; i++)
        there = there && vv_hdf_exists(file, vv_touching_paths[i]);
    if (!there) /* a file of an older version stays as it is */
        return true;
    bool ok =
        gather(world, bodies, &g) && (fresh ? write_gathered(file, &g, bodies) : rewrite_gathered(file, &g, bodies)) &&
        vv_hdf_rewrite_text(file, vv_touching_paths[MODEL], vvWorldGetDef(world)->contact.model, VV_RUN_WORD_ROOM) &&
        (!fresh || write_joined(file, world, bodies));
    vv_free(g.self);
    vv_free(g.group);
    vv_free(g.bits);
    return ok;
}

/* ---- reading ---- */

static vvStatus hand_out(vvRun *run, const int32_t *self, const uint64_t *bits, const int32_t *group)
{
    for (int64_t b = 0; b < run->sizes.bodies; b++) {
        run->bodies[b].selfContact = self[b] != 0;
        vvFilter *filter = &run->bodies[b].filter;
        *filter = vvDefaultFilter();
        filter->category = bits[2 * b], filter->mask = bits[2 * b + 1], filter->group = group[b];
    }
    run->knows_touching = true;
    return VV_OK;
}

/* Files of older versions, and runs without joints, have none. */
static vvStatus read_joined(vvRun *run, vvError *error)
{
    const vv_want want = { vv_joined_path, 2, 2, H5T_INTEGER };
    if (!vv_hdf_exists(run->file, vv_joined_path))
        return VV_OK;
    run->joined = vv_reader_fixed(run, &want, H5T_NATIVE_INT32, 2 * sizeof *run->joined, &run->joined_count, error);
    for (int64_t i = 0; run->joined && i < 2 * run->joined_count; i++)
        if (run->joined[i] < 0 || run->joined[i] >= run->sizes.bodies)
            return vv_reader_broken(run, vv_joined_path, "names a nonexistent body", error);
    return run->joined ? VV_OK : VV_ERROR_INPUT;
}

vvStatus vv_reader_touching(vvRun *run, vvError *error)
{
    for (int i = 0; i < VV_TOUCHING_PATHS; i++)
        if (!vv_hdf_exists(run->file, vv_touching_paths[i]))
            return VV_OK;
    const vv_want want[] = { [SELF] = { vv_touching_paths[SELF], 1, 0, H5T_INTEGER },
                             [FILTERS] = { vv_touching_paths[FILTERS], 2, 2, H5T_INTEGER },
                             [GROUPS] = { vv_touching_paths[GROUPS], 1, 0, H5T_INTEGER } };
    int64_t rows[GROUPS + 1] = { 0 };
    int32_t *self = vv_reader_fixed(run, want + SELF, H5T_NATIVE_INT32, sizeof *self, rows + SELF, error),
            *group = NULL;
    uint64_t *bits = NULL;
    if (self)
        bits = vv_reader_fixed(run, want + FILTERS, H5T_NATIVE_UINT64, 2 * sizeof *bits, rows + FILTERS, error);
    if (bits)
        group = vv_reader_fixed(run, want + GROUPS, H5T_NATIVE_INT32, sizeof *group, rows + GROUPS, error);
    vvStatus status = group ? VV_OK : VV_ERROR_INPUT;
    for (int i = SELF; status == VV_OK && i <= GROUPS; i++)
        if (rows[i] != run->sizes.bodies)
            status = vv_reader_broken(run, vv_touching_paths[i], "does not fit the bodies", error);
    if (status == VV_OK)
        status = hand_out(run, self, bits, group);
    if (status == VV_OK)
        status = read_joined(run, error);
    vv_free(self);
    vv_free(bits);
    vv_free(group);
    return status;
}
