/* visviva new: makes a ready-to-run scene from your own model, with values chosen from its size.
 *
 * With H the body's height, g gravity and rho the density: Young's modulus E = 60 rho g H. Standing, the body is then
 * pressed together by about 1 % of its height; falling from H / 2 by some 15 %. Slender parts bend more. The time a
 * fall from H takes goes into some 30 steps; contact acts below a tenth of the surface's edge, or 0.5 % of H. With
 * --affine the body is nearly rigid: E = 1000 rho g H, at least 1e8 Pa. */
#include "new/new.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ipc/ipc.h"

/* rigid: Pa */
static const double gravity = VV_NEW_GRAVITY, density = VV_NEW_DENSITY, frames_a_second = VV_NEW_FRAMES, rigid = 1e8;

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static void folder_of(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, size, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (slash == path)
        snprintf(out, size, "/");
}

bool vv_new_name_in_scene(const char *file, const char *scene, char out[4096])
{
    char here[4096], there[4096], full[PATH_MAX];
    folder_of(file, here, sizeof here);
    folder_of(scene, there, sizeof there);
    const char *slash = strrchr(file, '/');
    if (vv_cli_same_file(here, there))
        return snprintf(out, 4096, "%s", slash ? slash + 1 : file) < 4096;
    return realpath(file, full) && snprintf(out, 4096, "%s", full) < 4096;
}

/* ---- proposing --------------------------------------------------------------------------------------------------- */

/* Rounded to so many digits. */
static double rounded(double value, int digits)
{
    double unit = pow(10, floor(log10(value)) + 1 - digits);
    return unit > 0 && isfinite(unit) ? round(value / unit) * unit : value;
}

/* The same, but never above the value. */
static double rounded_down(double value, int digits)
{
    double near = rounded(value, digits), unit = pow(10, floor(log10(value)) + 1 - digits);
    return near > value * (1 + 1e-12) ? near - unit : near;
}

/* The nearest of 30, 60, 120, ...: a whole number of steps a frame. */
static int propose_rate(double height)
{
    double wanted = 18 / sqrt(height / gravity);
    int rate = (int)frames_a_second;
    while (1.4 * rate < wanted && rate < 1000000)
        rate *= 2;
    return rate;
}

static int propose(const vv_new_options *o, const vvMesh *mesh, vv_proposal *p)
{
    vvMeshQuality q;
    int up = p->z_up ? 2 : 1;
    vvMeshMeasure(mesh, &q);
    double height = q.boundsMax[up] - q.boundsMin[up];
    for (int k = 0; o->cloth && k < 3; k++) /* cloth may lie flat */
        height = fmax(height, q.boundsMax[k] - q.boundsMin[k]);
    if (!(height > 0))
        return vv_cli_wrong("%s has no height along %c; --up %c?", o->model, p->z_up ? 'z' : 'y', p->z_up ? 'y' : 'z');
    p->scale = o->height > 0 ? o->height / height : o->metres;
    p->height = height * p->scale;
    p->young = rounded((o->affine ? VV_NEW_STIFFNESS : VV_NEW_SOFTNESS) * density * gravity * p->height, 2);
    if (o->affine)
        p->young = fmax(p->young, rigid);
    p->thickness = rounded(p->height / 2000, 1);
    p->ball = rounded(0.2 * p->height, 2);
    if (o->cloth)
        p->young = rounded(VV_NEW_STRETCH * VV_NEW_CLOTH * gravity * p->height, 2);
    p->distance = rounded_down(fmin(0.1 * q.meanEdge * p->scale, 0.005 * p->height), 1);
    if (o->cloth)
        p->distance = rounded_down(fmin(p->distance, 3 * p->thickness), 1);
    p->tolerance = rounded(0.005 * sqrt(gravity * p->height), 1);
    p->steps_a_second = propose_rate(p->height);
    p->record_every = p->steps_a_second / (int)frames_a_second;
    p->end = fmax(2, ceil(12 * sqrt(p->height / gravity)));
    /* turned by -90 degrees about x, z points up and y to the front */
    double low[3] = { q.boundsMin[0], q.boundsMin[up], p->z_up ? -q.boundsMax[1] : q.boundsMin[2] };
    double high[3] = { q.boundsMax[0], q.boundsMax[up], p->z_up ? -q.boundsMin[1] : q.boundsMax[2] };
    for (int k = 0; k < 3; k += 2)
        p->translate[k] = 0.0 - 0.5 * (low[k] + high[k]) * p->scale; /* 0, not -0 */
    p->translate[1] = (o->cloth ? 2.2 * p->ball : 0.5 * p->height) - low[1] * p->scale;
    if (o->room) {
        p->room[0] = rounded(p->scale * fmax(high[1] - low[1], fmax(high[0] - low[0], high[2] - low[2])), 2);
        p->room[1] = rounded(2.5 * p->height, 2);
    }
    return VV_CLI_GO;
}

/* ---- trying ------------------------------------------------------------------------------------------------------ */

/* What keeps the proposed scene from running, in words for someone who does not know the scene yet. */
static int refuse_scene(const char *path, vv_proposal *p, const vvError *error)
{
    p->too_large = p->surface[0] && strstr(error->message, "outside the tets");
    if (p->collides && !p->too_large) /* it is tried without */
        return VV_EXIT_WRONG;
    if (p->too_large && (p->may_retry || p->wrapped))
        return VV_EXIT_WRONG;
    if (p->too_large)
        return vv_cli_wrong(
            "the tets are too large for the model: parts of it are far outside them (see the mesh above), so they "
            "cannot carry its surface; choose a smaller --edge%s",
            p->edge_given ? ", or leave it out"
            : p->too_many ? " (the next finer ones would be more than a million)"
                          : "");
    size_t n = strlen(path); /* a file that is gone in a moment */
    bool named = strncmp(error->message, path, n) == 0 && error->message[n] == ':';
    vvError shown = *error;
    snprintf(shown.message, sizeof shown.message, "the proposed scene cannot run: %.900s",
             error->message + (named ? n + 2 : 0));
    return vv_cli_error(&shown);
}

vvStatus vv_new_start_scene(const char *path, const char *const *sets, int count, vvScene **scene, vvWorld **world,
                            vvError *error)
{
    *scene = NULL;
    *world = NULL;
    vvStatus status = vvSceneLoad(path, sets, count, scene, error);
    if (status == VV_OK)
        status = vvSceneCreateWorld(*scene, 0, world, error);
    if (status == VV_OK)
        vvWorldSetCancel(*world, vv_cli_cancel, NULL);
    return status != VV_OK ? status : vvWorldBake(*world, error);
}

/* The scene must load, and its start be free of penetration. Finds the ground level. */
static int try_scene(const char *path, vv_proposal *p)
{
    vvScene *scene;
    vvWorld *world;
    vvLedgerRow row;
    vvError error;
    const char *quick[] = { "integrator.ground_energy=none" }; /* solving for it takes long, and is no check */
    vvStatus status = vv_new_start_scene(path, quick, 1, &scene, &world, &error);
    if (status == VV_OK)
        status = vvWorldLedger(world, &row, &error);
    if (status == VV_OK)
        status =
            p->cloth ? VV_OK : vv_new_ground_level(world, &p->ground, &error); /* cloth folds as it comes to rest */
    vvWorldDestroy(world);
    vvSceneDestroy(scene);
    return status != VV_OK ? refuse_scene(path, p, &error) : VV_CLI_GO;
}

enum { MOST_COLLIDING = 20000 }; /* triangles of a carried surface: with 21,000 a step took twice as long */

static int deliver(const char *output, const char *name, vv_proposal *p, bool force)
{
    char part[4096 + 16];
    snprintf(part, sizeof part, "%s.part.json", output);
    if (!vv_new_write_scene(part, name, p)) {
        vv_cli_wrong("cannot write %s: does its folder exist, and may you write to it?", output);
        remove(part);
        return VV_EXIT_FAILED;
    }
    int code = try_scene(part, p);
    if (code == VV_CLI_GO && !vv_new_write_scene(part, name, p)) { /* with its ground level */
        vv_cli_wrong("cannot write %s: is the disk full?", output);
        code = VV_EXIT_FAILED;
    }
    /* a link fails where a file is: nothing is overwritten even if it came just now */
    if (code == VV_CLI_GO && (force || link(part, output) != 0) &&
        ((!force && access(output, F_OK) == 0) || rename(part, output) != 0)) {
        vv_cli_wrong("cannot write %s", output);
        code = VV_EXIT_FAILED;
    }
    remove(part);
    return code;
}

/* What is shown collides, where the cost allows it and the start does. */
static int deliver_scene(const char *output, const char *name, vv_proposal *p, bool force)
{
    p->collides = p->surface[0] && p->shown > 0 && p->shown <= MOST_COLLIDING;
    int code = deliver(output, name, p, force);
    if (code == VV_CLI_GO || !p->collides || p->too_large)
        return code;
    p->collides = false;
    return deliver(output, name, p, force);
}

/* With a body for each part of the model. A scene that then cannot run, as where parts touch, is tried with one body.
 */
static int deliver_parts(const vv_new_options *o, const vvMesh *mesh, const char *name, vv_proposal *p)
{
    char stem[300];
    vv_cli_stem(o->model, stem, sizeof stem);
    p->parts = (vv_new_parts){ .scene = o->output, .stem = stem, .force = o->force, .wanted = p->shells };
    int code = vv_new_split(mesh, o->model, p->surface[0], &p->parts);
    if (code == VV_CLI_GO)
        code = deliver_scene(o->output, name, p, o->force);
    else
        return code;
    if (p->parts.count == 0)
        return code;
    if (code == VV_CLI_GO && p->made[0])
        remove(p->made); /* the parts have files of their own */
    if (code == VV_CLI_GO || p->too_large)
        return code;
    vv_new_parts_free(&p->parts, false);
    puts("    the model's parts as bodies of their own: not possible; trying one body");
    return deliver_scene(o->output, name, p, o->force);
}

/* Proposes a scene around the tets, tries it, and writes it. */
static int make_scene(const vv_new_options *o, const vvMesh *tets, vv_proposal *p)
{
    char name[300];
    fflush(stdout); /* in a pipe: before lines about what takes long */
    int code = propose(o, tets, p);
    vv_cli_stem(o->output, name, sizeof name);
    vv_new_parts_free(&p->parts, false); /* of the try before */
    if (code != VV_CLI_GO)
        return code;
    return o->one || o->box || p->hollow || p->regions.joined ? deliver_scene(o->output, name, p, o->force)
                                                              : deliver_parts(o, tets, name, p);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

int vv_new_name_tets(const vv_new_options *o, char file[4096])
{
    char stem[300];
    const char *slash = strrchr(o->output, '/');
    vv_cli_stem(o->box ? o->output : o->model, stem, sizeof stem);
    snprintf(file, 4096, "%.*s%s.msh", slash ? (int)(slash + 1 - o->output) : 0, o->output, stem);
    if (vv_cli_same_file(file, o->model))
        return vv_cli_wrong(
            "%s is the model itself, and the tets would be written there; rename it, or choose another folder with -o",
            file);
    if (!o->force && access(file, F_OK) == 0)
        return vv_cli_wrong("%s exists, and the tets would be written there. Make a scene from it with visviva new %s, "
                            "overwrite it with "
                            "--force, or move it away",
                            file, file);
    return VV_CLI_GO;
}

/* Fills the surface once. *tets is empty after a failure. What one try had to carry, finer ones carry, too. */
static int fill_model(const vv_new_options *o, vv_meshing *m, const char *file, vv_proposal *p, vvMesh *tets)
{
    vvError error;
    *tets = (vvMesh){ 0 };
    int code = vv_cli_mesh_surface(m, file);
    if (code != VV_CLI_GO)
        return code;
    snprintf(p->made, sizeof p->made, "%s", file);
    if (m->filled.bridged > VV_FILL_SHEET) {
        remove(file);
        return vv_cli_wrong(
            "%s is open: %.0f%% of the surface of a solid around it would have to be invented. visviva new --cloth "
            "makes it cloth, --box lets a box of tets carry it, and visviva mesh --with wrap makes that solid anyway",
            o->model, 100 * m->filled.bridged);
    }
    bool replaced = m->treatment == VV_SURFACE_REPLACED && (m->mean_edge < m->edge || m->filled.wrapped);
    p->wrapped = m->filled.wrapped;
    p->shown = m->surface->triangleCount;
    if (!vv_new_name_in_scene(file, o->output, p->mesh) ||
        ((replaced || o->carry) && !vv_new_name_in_scene(o->model, o->output, p->surface)) ||
        (o->order == 2 && !vv_new_name_in_scene(o->model, o->output, p->onto)))
        return vv_cli_wrong("the path of %s is too long", file);
    return vvMeshRead(file, tets, NULL, &error) ? vv_cli_error(&error) : VV_CLI_GO;
}

enum { FINER_TRIES = 3, MOST_TETS = 1000000, MOST_CELLS = 3000000 }; /* of a proposed edge that turns out too large */
static const double finer = 0.7;

/* Of a lattice around the surface. */
static double count_cells(const vvMesh *surface, double edge)
{
    vvMeshQuality q;
    double cells = 1;
    vvMeshMeasure(surface, &q);
    for (int k = 0; k < 3; k++)
        cells *= (q.boundsMax[k] - q.boundsMin[k]) / edge + 3;
    return cells;
}

/* Fills the surface and makes a scene from it; `left` further tries may follow. *again: one should, and nothing was
 * said. */
static int try_edge(const vv_new_options *o, vv_meshing *m, const char *file, int left, vv_proposal *p, bool *again)
{
    vvMesh tets;
    p->too_large = false;
    m->may_retry = left > 0 && count_cells(m->surface, finer * m->edge) < MOST_CELLS;
    int code = fill_model(o, m, file, p, &tets);
    p->too_many = tets.tetCount > finer * finer * finer * MOST_TETS;
    p->may_retry = m->may_retry && !p->too_many;
    p->may_retry = p->may_retry && !p->wrapped;
    if (code == VV_CLI_GO)
        code = make_scene(o, &tets, p);
    if (p->wrapped && p->too_large) {
        puts("    parts of the model lie far outside of the wrap, so that pictures show the wrap's own surface");
        p->surface[0] = '\0', p->too_large = false;
        code = make_scene(o, &tets, p);
    }
    *again = (m->may_retry && m->too_large) || (p->may_retry && p->too_large);
    vvMeshDestroy(&tets);
    return code;
}

static bool wraps(const char *with) { return strcmp(with, vv_mesher_name(VV_FILLER_WRAP)) == 0; }

/* A proposed edge that is too large for the model is made smaller, a few times. */
static int scene_of_surface(const vv_new_options *o, vv_proposal *p)
{
    vvMesh surface;
    vvSurfaceCheck check;
    char file[4096], text[VV_TEXT];
    int code = vv_new_name_tets(o, file);
    if (code != VV_CLI_GO)
        return code;
    const vv_surface_source from = { .path = o->model,
                                     .bad = o->bad,
                                     .holes = o->holes,
                                     .wrap = !o->keep && (!o->with || wraps(o->with)),
                                     .placed = true };
    code = vv_cli_read_surface(&from, &surface, &check);
    if (code == VV_CLI_GO && o->no_cavities && check.cavityCount)
        code = vv_cli_drop_cavities(&surface, &check);
    p->shells = code != VV_CLI_GO ? 0 : check.sound ? check.partCount - check.cavityCount : 1;
    vv_meshing m = { .path = o->model,
                     .surface = &surface,
                     .check = &check,
                     .with = o->with,
                     .keep = o->keep,
                     .limit = 3600,
                     .proposed = o->edge <= 0 };
    m.edge = m.proposed ? vvMeshProposeEdge(&surface) : o->edge;
    bool again = code == VV_CLI_GO;
    for (int left = m.proposed ? FINER_TRIES : 0; again; left--) {
        code = try_edge(o, &m, file, left, p, &again);
        if (!again)
            break;
        printf("tets of %s are too large for the model: trying finer ones (%d of at most %d)\n",
               vv_text_quantity(text, m.edge, "m"), FINER_TRIES - left + 1, FINER_TRIES);
        m.proposed = false; /* the library's own finer ones were not enough */
        m.with = m.filler == VV_FILLER_LATTICE ? "lattice" : o->with;
        m.edge *= finer;
    }
    vvSurfaceCheckDestroy(&check);
    vvMeshDestroy(&surface);
    return code;
}

/* Tets, or a box of them; a surface that is to be filled comes without. */
static int read_model(const vv_new_options *o, vv_proposal *p, vvMesh *mesh)
{
    vvError error;
    vvMeshNotes notes;
    vv_cli_phase("new: reading %s", o->model);
    if (vvMeshRead(o->model, mesh, &notes, &error)) {
        int code = vv_cli_error(&error);
        if (strcmp(vv_cli_ending(o->model), ".txt") == 0)
            vv_cli_warn("if %s is an input file of IPC: visviva new --from-ipc %s", o->model, o->model);
        return code;
    }
    if (!mesh->tetCount && o->box)
        return mesh->triangleCount ? vv_new_box_model(o, p, mesh)
                                   : vv_cli_wrong("%s holds no triangles, so there is no surface to carry", o->model);
    if (o->cloth)
        return mesh->tetCount ? vv_cli_wrong("--cloth is for surfaces; %s has tets", o->model)
                              : vv_new_cloth_model(o, p, mesh);
    if (!mesh->tetCount)
        return o->affine ? vv_new_closed_model(o, p, mesh) : VV_CLI_GO;
    if (o->box)
        return vv_cli_wrong("--box is for surfaces; %s has tets", o->model);
    if (o->carry) {
        vvMeshDestroy(mesh);
        return vv_cli_wrong("--carry-surface is for surfaces; %s has tets", o->model);
    }
    printf("mesh %s: %d nodes, %d tets\n", o->model, mesh->vertexCount, mesh->tetCount);
    if (o->order == 2)
        notes.straightened = 0; /* they stay as they are */
    vv_cli_print_mended(stdout, &notes, true);
    const int code = o->affine ? VV_CLI_GO : vv_new_find_regions(mesh, &p->regions);
    if (code != VV_CLI_GO)
        return code;
    return vv_new_name_in_scene(o->model, o->output, p->mesh) ? VV_CLI_GO
                                                              : vv_cli_wrong("the path of %s is too long", o->model);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

int vv_cli_new(int argc, char **argv)
{
    vv_new_options o;
    vvMesh mesh = { 0 };
    int code = vv_new_read_options(&o, argc, argv);
    if (code != VV_CLI_GO)
        return code;
    vv_cli_catch_interrupt();
    if (o.ipc)
        return vv_ipc_convert(o.model, o.output, o.force);
    vv_proposal p = { .z_up = o.up[0] == 'z',
                      .edge_given = o.edge > 0,
                      .affine = o.affine,
                      .cloth = o.cloth,
                      .ground = NAN,
                      .order = o.order };
    code = read_model(&o, &p, &mesh);
    if (code == VV_CLI_GO)
        code = mesh.tetCount || o.affine || o.cloth ? make_scene(&o, &mesh, &p) : scene_of_surface(&o, &p);
    if (code == VV_CLI_GO)
        vv_new_print(o.output, o.height > 0 || o.metres != 1, &p);
    else if (p.made[0] && !o.force)
        remove(p.made);
    vv_new_parts_free(&p.parts, code == VV_CLI_GO);
    free(p.regions.names);
    vvMeshDestroy(&mesh);
    return code == VV_CLI_GO ? VV_EXIT_OK : code;
}
