/* Fields of a run: the world that is made again from the scene in the run file, and extremes in words. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the run's scene becomes: nothing is solved for that a look at it does not need. */
static const char *const overrides[] = { "integrator.ground_energy=0" };

int vv_cli_world_of_run(const char *path, const vvRun *run, vvWorld **world)
{
    vvScene *scene = NULL;
    vvError error = { 0 };
    *world = NULL;
    if (!vvRunSceneText(run)[0])
        return vv_cli_wrong("%s: the run holds no scene, which its fields need", path);
    vvStatus status =
        vvSceneParse(vvRunSceneText(run), path, ".", overrides, sizeof overrides / sizeof *overrides, &scene, &error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(scene, 0, world, &error);
    vvSceneDestroy(scene);
    return status == VV_OK ? VV_CLI_GO : vv_cli_error(&error);
}

double vv_cli_field_size(const vvField *f, const double *value)
{
    double most = value[0];
    if (f->components == 3 && f->place != VV_FIELD_TETS)
        return sqrt(value[0] * value[0] + value[1] * value[1] + value[2] * value[2]);
    for (int k = 1; f->components == 6 && k < 6; k++)
        most = fabs(value[k]) > fabs(most) ? value[k] : most;
    return most;
}

const char *const vv_cli_field_owners = "stress and strain are of solids of tets, forces and moments of sections of "
                                        "rods, those of membranes and plates of shells";

bool vv_cli_has_field(vvWorld *world, const vvField *field)
{
    vvError error;
    bool some = false;
    for (int b = 0; b < vvWorldBodyCount(world); b++) {
        int count = 0;
        some = (vvBodyField(world, vvWorldBody(world, b), field->info.name, true, NULL, 0, &count, &error) == VV_OK &&
                count > 0) ||
               some;
    }
    return some;
}

/* What an item is called, and its corners: place by place. */
static const struct {
    const char *word;
    int corners;
} items[] = { [VV_FIELD_NODES] = { "vertex", 1 },
              [VV_FIELD_TETS] = { "tet", 4 },
              [VV_FIELD_EDGES] = { "edge", 2 },
              [VV_FIELD_TRIANGLES] = { "triangle", 3 },
              [VV_FIELD_SURFACE] = { "vertex", 1 } };

/* Where a vertex of the carried surface is, m. */
static void place_on_surface(const vvWorld *world, vvBodyId body, int vertex, double x[3])
{
    vvError error;
    vvBodySurface surface;
    vvBodyGetSurface(world, body, &surface);
    double *all = malloc(3 * ((size_t)surface.vertexCount + 1) * sizeof *all);
    const bool good = all && vvBodySurfacePositions(world, body, NULL, all, &error) == VV_OK;
    for (int k = 0; k < 3; k++)
        x[k] = good ? all[3 * vertex + k] : NAN;
    free(all);
}

/* Where the item is, m: its middle. */
static void place_of(const vvWorld *world, vvBodyId body, const vvField *f, int item, double x[3])
{
    vvBodyElements e;
    int first = 0;
    if (f->place == VV_FIELD_SURFACE) {
        place_on_surface(world, body, item, x);
        return;
    }
    vvBodyGetElements(world, body, &e);
    vvBodyNodes(world, body, &first, NULL);
    const int *const cells[] = {
        [VV_FIELD_TETS] = e.tets, [VV_FIELD_EDGES] = e.edges, [VV_FIELD_TRIANGLES] = e.triangles
    };
    const int corners = items[f->place].corners;
    for (int k = 0; k < 3; k++) {
        x[k] = 0;
        for (int c = 0; c < corners; c++) {
            const int node = f->place == VV_FIELD_NODES ? first + item : cells[f->place][corners * item + c];
            x[k] += vvWorldPositions(world)[3 * node + k] / corners;
        }
    }
}

/* Of one body, at its first place of the run's vertices. */
static vvStatus take_body(vvWorld *world, int b, const vvRun *run, const vvField *field, double *values, vvError *error)
{
    const vvBodyId body = vvWorldBody(world, b);
    const vvRunBody *of = vvRunGetBody(run, b);
    const bool surface = field->place == VV_FIELD_SURFACE;
    const int first = surface ? of->firstVertex : of->firstNode, most = surface ? of->vertexCount : of->nodeCount;
    int count = 0;
    vvStatus status = vvBodyField(world, body, field->info.name, true, NULL, 0, &count, error);
    if (status == VV_ERROR_UNSUPPORTED || (status == VV_OK && count == 0))
        return VV_OK;
    double *found = status == VV_OK ? malloc((size_t)count * sizeof *found) : NULL;
    if (status == VV_OK && !found)
        return VV_ERROR_MEMORY;
    if (status == VV_OK)
        status = vvBodyField(world, body, field->info.name, true, found, count, NULL, error);
    for (int i = 0; status == VV_OK && i < count / field->components && i < most; i++)
        values[first + i] = vv_cli_field_size(field, found + field->components * i);
    free(found);
    return status;
}

vvStatus vv_cli_run_field(const vvRun *run, vvWorld *world, const vvField *field, double *values, vvError *error)
{
    vvStatus status = VV_OK;
    memset(values, 0, (size_t)vvRunVertexCount(run) * sizeof *values);
    for (int b = 0; status == VV_OK && b < vvRunBodyCount(run); b++)
        status = take_body(world, b, run, field, values, error);
    if (status == VV_OK && field->place != VV_FIELD_SURFACE)
        vvRunCarry(run, 1, values);
    return status;
}

/* Forces on nodes: their sum is what the body bears. */
static void print_sum(const vvField *f, const char *body, const double *values, int count)
{
    double sum[3] = { 0 };
    for (int i = 0; i < count; i++)
        sum[i % 3] += values[i];
    printf("  %s of %s in all: (%.6g, %.6g, %.6g) N\n", f->info.name, body, sum[0], sum[1], sum[2]);
}

static vvStatus print_body(vvWorld *world, vvBodyId body, const vvField *f, vvError *error)
{
    int count = 0, least = 0, most = 0;
    vvStatus status = vvBodyField(world, body, f->info.name, false, NULL, 0, &count, error);
    if (status == VV_ERROR_UNSUPPORTED || (status == VV_OK && count == 0))
        return VV_OK;
    double *values = status == VV_OK ? malloc((size_t)count * sizeof *values) : NULL, x[3];
    if (status == VV_OK && !values)
        return VV_ERROR_MEMORY;
    if (status == VV_OK)
        status = vvBodyField(world, body, f->info.name, false, values, count, NULL, error);
    for (int i = 0; status == VV_OK && i < count / f->components; i++) {
        least = vv_cli_field_size(f, values + f->components * i) < vv_cli_field_size(f, values + f->components * least)
                    ? i
                    : least;
        most = vv_cli_field_size(f, values + f->components * i) > vv_cli_field_size(f, values + f->components * most)
                   ? i
                   : most;
    }
    if (status == VV_OK) {
        place_of(world, body, f, most, x);
        printf("  %s of %s: %.6g to %.6g%s%s, largest in %s %d at (%.4g, %.4g, %.4g) m\n", f->info.name,
               vvBodyName(world, body), vv_cli_field_size(f, values + f->components * least),
               vv_cli_field_size(f, values + f->components * most), *f->unit ? " " : "", f->unit, items[f->place].word,
               most, x[0], x[1], x[2]);
        if ((f->place == VV_FIELD_NODES || f->place == VV_FIELD_SURFACE) && f->components == 3 &&
            strcmp(f->unit, "N") == 0)
            print_sum(f, vvBodyName(world, body), values, count);
    }
    free(values);
    return status;
}

static vvStatus print_reactions(vvWorld *world, vvError *error)
{
    for (int a = 0; a < vvWorldAttachmentCount(world); a++) {
        static const char *const words[] = { "fixed",  "spring", "push",     "potential",
                                             "roller", "force",  "traction", "pressure" };
        const vvAttachSummary s = vvWorldAttachment(world, a);
        double f[3], m[3];
        vvStatus status = vvAttachReaction(world, s.attach, f, m, error);
        if (status == VV_ERROR_UNSUPPORTED)
            continue;
        if (status != VV_OK)
            return status;
        printf("  attachment %d of %s, %s, %d nodes: (%.6g, %.6g, %.6g) N, about the origin (%.6g, %.6g, %.6g) N m%s\n",
               a, vvBodyName(world, s.body), words[s.kind], s.nodeCount, f[0], f[1], f[2], m[0], m[1], m[2],
               s.released ? ", released" : "");
    }
    return VV_OK;
}

static const char *name_of(const vvWorld *world, vvBodyId body)
{
    return body.index1 ? vvBodyName(world, body) : "the world";
}

static vvStatus print_joints(vvWorld *world, vvError *error)
{
    for (int j = 0; j < vvWorldJointCount(world); j++) {
        const vvJointId joint = vvWorldJoint(world, j);
        vvBodyId bodies[2];
        vvJointState s;
        vvJointBodies(world, joint, bodies);
        vvStatus status = vvJointGetState(world, joint, &s, error);
        if (status != VV_OK)
            return status;
        printf("  joint %d, %s of %s and %s: (%.6g, %.6g, %.6g) N, (%.6g, %.6g, %.6g) N m on %s at (%.4g, %.4g, %.4g) "
               "m%s\n",
               j, vvJointKind(world, joint), name_of(world, bodies[0]), name_of(world, bodies[1]), s.force[0],
               s.force[1], s.force[2], s.torque[0], s.torque[1], s.torque[2], name_of(world, bodies[1]), s.points[1][0],
               s.points[1][1], s.points[1][2], s.broken ? ", broken" : "");
    }
    return VV_OK;
}

const vvField *vv_cli_field(const char *word)
{
    const char *words[64];
    char hint[VV_HINT];
    int count = 0;
    for (int i = 0; vvFieldInfo(i); i++) {
        if (strcmp(vvFieldInfo(i)->info.name, word) == 0)
            return vvFieldInfo(i);
        if (count < 64)
            words[count++] = vvFieldInfo(i)->info.name;
    }
    vv_cli_wrong("there is no field \"%s\"%s", word, vv_cli_hint(hint, word, words, count));
    return NULL;
}

/* How far contact presses a body in, m: the most by which a vertex with a force on it is off the body's nearest rigid
 * motion, along the force; 0 where nothing presses. */
static double pressed_in(vvWorld *world, vvBodyId body)
{
    vvError error;
    vvTransform t;
    int count = 0, first = 0;
    double deepest = 0, largest = 0, *force = NULL;
    if (vvBodyField(world, body, "contact-force", false, NULL, 0, &count, &error) == VV_OK && count > 0)
        force = malloc((size_t)count * sizeof *force);
    const bool good = force && vvBodyField(world, body, "contact-force", false, force, count, NULL, &error) == VV_OK &&
                      vvBodyTransform(world, body, NULL, &t, &error) == VV_OK;
    vvBodyNodes(world, body, &first, NULL);
    for (int i = 0; good && i < count; i++)
        largest = fmax(largest, fabs(force[i]));
    for (int i = 0; good && largest > 0 && i + 2 < count; i += 3) {
        const double *f = force + i, *x = vvWorldPositions(world) + 3 * first + i,
                     *rest = vvWorldRestPositions(world) + 3 * first + i;
        const double size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
        double depth = 0;
        for (int k = 0; k < 3; k++) {
            const double *r = t.rotation + 3 * k;
            depth += f[k] * (x[k] - r[0] * rest[0] - r[1] * rest[1] - r[2] * rest[2] - t.translation[k]);
        }
        if (size > 1e-3 * largest)
            deepest = fmax(deepest, depth / size);
    }
    free(force);
    return deepest;
}

/* How far contact presses bodies in, by vvBodyId.index1, each with what it touches: where a stiff body presses a soft
 * one in, that counts for both. NULL: out of memory. */
static double *all_pressed_in(vvWorld *world)
{
    vvError error;
    const vvContactPoint *points = NULL;
    int last = 0, count = 0;
    double largest = 0;
    for (int b = 0; b < vvWorldBodyCount(world); b++)
        last = vvWorldBody(world, b).index1 > last ? vvWorldBody(world, b).index1 : last;
    double *depth = calloc(2 * ((size_t)last + 1), sizeof *depth), *least = depth ? depth + last + 1 : NULL;
    if (!depth)
        return NULL;
    for (int b = 0; b < vvWorldBodyCount(world); b++) {
        const vvBodyId body = vvWorldBody(world, b); /* rigid ones are never pressed in */
        if (!vvBodyIsKinematic(world, body) && !vvBodyIsAffine(world, body))
            depth[body.index1] = pressed_in(world, body);
        least[body.index1] = INFINITY;
    }
    if (vvWorldContactPoints(world, &points, &count, &error) != VV_OK) /* the list is valid until the next call */
        count = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, points[i].force);
    for (int i = 0; i < count; i++) {
        const int a = points[i].side.body.index1, b = points[i].other.body.index1;
        if (points[i].force <= 1e-3 * largest)
            continue;
        least[a] = fmin(least[a], depth[b]);
        least[b] = fmin(least[b], depth[a]);
    }
    for (int k = 1; k <= last; k++)
        depth[k] += depth[k] > 0 && least[k] < INFINITY ? least[k] : 0;
    return depth;
}

/* A barrier acts from a distance on: what it is compressed by counts beside what presses in the body itself, as
 * docs/engineers.md shows. Where nothing is held or loaded forces are weights, which are right. */
static void warn_of_distance(vvWorld *world, const vvRun *run)
{
    static const double enough = 10, fits = 0.02;
    const vvContactModel *model = vvContactModelFind(vvRunContactModel(run));
    vvRunLengths lengths;
    if (!model || model->obstacles != VV_CONTACT_BARRIER || !vvRunGetLengths(run, &lengths) ||
        vvWorldAttachmentCount(world) == 0)
        return;
    double *depths = all_pressed_in(world);
    for (int b = 0; depths && b < vvWorldBodyCount(world); b++) {
        const vvBodyId body = vvWorldBody(world, b);
        const double depth = depths[body.index1];
        if (depth > 0 && depth < enough * lengths.distance)
            vv_cli_warn("contact indents \"%s\" by %.2g m, %.2g times contact.distance (%.2g m): below ten times, "
                        "forces are too large for the indentation, or the indentation too small for the forces, by "
                        "several percent up to twice; contact.distance %.1g m fits",
                        vvBodyName(world, body), depth, depth / lengths.distance, lengths.distance, fits * depth);
    }
    free(depths);
}

int vv_cli_print_fields(const char *path, const vvRun *run, const char *fields)
{
    vvError error = { 0 };
    vvWorld *world = NULL;
    char word[64];
    const int frame = vvRunFrameCount(run) - 1;
    int code = vv_cli_world_of_run(path, run, &world);
    vvStatus status = code == VV_CLI_GO ? vvRunLoadFrame(run, frame, world, &error) : VV_OK;
    if (code == VV_CLI_GO && status == VV_OK)
        printf("fields at frame %d, t = %.6g s\n", frame, vvRunFrameTime(run, frame));
    for (const char *at = fields; code == VV_CLI_GO && status == VV_OK && at;) {
        const size_t length = strcspn(at, ",");
        const vvField *field;
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
        if (!(field = vv_cli_field(word)))
            code = VV_EXIT_WRONG;
        else if (!vv_cli_has_field(world, field))
            printf("  %s: no body of the run has that field; %s\n", word, vv_cli_field_owners);
        for (int b = 0; field && status == VV_OK && b < vvWorldBodyCount(world); b++)
            status = print_body(world, vvWorldBody(world, b), field, &error);
        at = at[length] ? at + length + 1 : NULL;
    }
    if (code == VV_CLI_GO && status == VV_OK)
        status = print_reactions(world, &error);
    if (code == VV_CLI_GO && status == VV_OK)
        status = print_joints(world, &error);
    if (code == VV_CLI_GO && status == VV_OK && strstr(fields, "contact-"))
        warn_of_distance(world, run);
    vvWorldDestroy(world);
    return code != VV_CLI_GO ? code : status == VV_OK ? VV_CLI_GO : vv_cli_error(&error);
}
