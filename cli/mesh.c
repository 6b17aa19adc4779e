/* visviva mesh: a closed surface filled with tets. */
#include "mesher.h"

#include "child.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what is wrong with a surface -------------------------------------------------------------------------------- */

typedef struct text {
    char data[900];
    size_t used;
} text;

static void add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text *t, const char *format, ...)
{
    va_list args;
    if (t->used >= sizeof t->data - 1)
        return;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->data + t->used, sizeof t->data - t->used, format, args);
    va_end(args);
}

static void add_vertex(text *t, const vvMesh *mesh, int vertex)
{
    const double *x = mesh->positions + 3 * (size_t)vertex;
    add(t, "(%.6g, %.6g, %.6g)", x[0], x[1], x[2]);
}

static void add_triangle(text *t, const vvMesh *mesh, int triangle)
{
    add(t, "%d ", triangle);
    for (int k = 0; k < 3; k++) {
        add(t, k ? ", " : "(corners ");
        add_vertex(t, mesh, mesh->triangles[3 * triangle + k]);
    }
    add(t, ")");
}

static void add_edges(text *t, const vvMesh *mesh, int count, const int first[2], const char *what)
{
    if (!count)
        return;
    add(t, "; %d edge%s %s, the first from ", count, count == 1 ? "" : "s", what);
    add_vertex(t, mesh, first[0]);
    add(t, " to ");
    add_vertex(t, mesh, first[1]);
}

/* Reports all faults in one message: how many of each kind, where the first is, and what to do. */
static void print_faults(const char *path, const vvMesh *mesh, const vvSurfaceCheck *c, const char *bad)
{
    text t = { .used = 0 };
    add_edges(&t, mesh, c->openEdges, c->openEdge[0], "with one triangle only (a hole)");
    add_edges(&t, mesh, c->crowdedEdges, c->crowdedEdge[0], "with more than two triangles");
    add_edges(&t, mesh, c->turnedEdges, c->turnedEdge[0], "between triangles that face opposite ways");
    if (c->flatTriangles) {
        add(&t, "; %d triangle%s without area, the first is ", c->flatTriangles, c->flatTriangles == 1 ? "" : "s");
        add_triangle(&t, mesh, c->flatTriangle[0]);
    }
    if (c->crossings) {
        add(&t, "; %s%d pair%s of triangles that cross, the first is ",
            c->crossings >= VV_SURFACE_MOST_CROSSINGS ? "at least " : "", c->crossings, c->crossings == 1 ? "" : "s");
        add_triangle(&t, mesh, c->crossing[0][0]);
        add(&t, " with ");
        add_triangle(&t, mesh, c->crossing[0][1]);
    }
    vv_cli_wrong(
        "%s: the surface bounds no volume%s. Repair it in the program that made it (Blender: 3D Print Toolbox; "
        "MeshLab: cleaning filters)%s",
        path, t.data, bad ? "" : "; --bad FILE.obj writes these triangles. Triangles count from 0");
}

/* Writes the faulty triangles as a surface of their own. */
static int write_bad(const char *path, const vvMesh *mesh, const vvSurfaceCheck *c)
{
    const int faults = VV_SURFACE_OPEN | VV_SURFACE_CROWDED | VV_SURFACE_TURNED | VV_SURFACE_FLAT | VV_SURFACE_CROSSING;
    vvMesh some = { .vertexCount = mesh->vertexCount, .positions = mesh->positions };
    vvError error;
    some.triangles = malloc(3 * (size_t)mesh->triangleCount * sizeof *some.triangles);
    if (!some.triangles)
        return vv_cli_wrong("out of memory");
    for (int i = 0; i < mesh->triangleCount; i++)
        if (c->marks[i] & faults)
            memcpy(some.triangles + 3 * some.triangleCount++, mesh->triangles + 3 * (size_t)i, 3 * sizeof(int));
    vvStatus status = vvMeshWrite(&some, path, "obj", &error);
    if (!status)
        fprintf(stderr, "visviva: the %d faulty triangles are in %s\n", some.triangleCount, path);
    free(some.triangles);
    return status ? vv_cli_error(&error) : VV_EXIT_WRONG;
}

/* ---- what a sound surface is ------------------------------------------------------------------------------------- */

static void print_surface(const char *path, const vvMesh *mesh, const vvSurfaceCheck *c)
{
    vvMeshQuality q;
    char edge[VV_TEXT];
    vvMeshMeasure(mesh, &q);
    printf("surface %s: %d vertices, %d triangles with edges of %s on average\n", path, mesh->vertexCount,
           mesh->triangleCount, vv_text_quantity(edge, q.meanEdge, "m"));
    printf("    bounds (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) m\n", q.boundsMin[0], q.boundsMin[1], q.boundsMin[2],
           q.boundsMax[0], q.boundsMax[1], q.boundsMax[2]);
    printf("    closed, no triangles cross; its volume is %.4g m3", c->volume);
    if (c->partCount - c->cavityCount > 1)
        printf(" in %d separate parts", c->partCount - c->cavityCount);
    if (c->cavityCount)
        printf(", without %d cavit%s: surfaces inside another one (--no-cavities leaves them out)", c->cavityCount,
               c->cavityCount == 1 ? "y" : "ies");
    putchar('\n');
    if (c->pinchedVertices)
        printf("    the surface touches itself at %d vertices: there the body is connected by points only\n",
               c->pinchedVertices);
    double size = 0;
    for (int k = 0; k < 3; k++)
        size = fmax(size, q.boundsMax[k] - q.boundsMin[k]);
    if (size > 20 || size < 1e-3)
        printf("    its size is %.4g m. Are its lengths in other units (mm, cm)? A scene can scale it (\"place\": { \"scale\": "
               "0.001 }); so does visviva new --height\n",
               size);
}

int vv_cli_read_surface(const char *path, const char *bad, vvMesh *surface, vvSurfaceCheck *check)
{
    vvError error;
    *check = (vvSurfaceCheck){ 0 };
    if (vvMeshRead(path, surface, NULL, &error))
        return vv_cli_error(&error);
    if (surface->tetCount)
        return vv_cli_wrong("%s already holds tets (%d); visviva new makes a scene from it", path, surface->tetCount);
    if (!surface->triangleCount)
        return vv_cli_wrong("%s holds no triangles, so there is no surface to fill", path);
    if (vvMeshCheckSurface(surface, check, &error))
        return vv_cli_error_in(path, &error);
    if (!check->sound) {
        print_faults(path, surface, check, bad);
        return bad ? write_bad(bad, surface, check) : VV_EXIT_WRONG;
    }
    for (int i = 0; i < check->partCount; i++)
        if (!isfinite(check->parts[i].inside[0]) || check->parts[i].volume <= 0)
            return vv_cli_wrong(
                "%s: a part of the surface (of %d triangles) has no volume beyond rounding; remove it", path,
                check->parts[i].triangleCount);
    print_surface(path, surface, check);
    return VV_CLI_GO;
}

int vv_cli_drop_cavities(vvMesh *surface, vvSurfaceCheck *check)
{
    vvError error;
    int kept = 0;
    for (int t = 0; t < surface->triangleCount; t++)
        if (check->parts[check->partOf[t]].depth == 0)
            memmove(surface->triangles + 3 * kept++, surface->triangles + 3 * t, 3 * sizeof(int));
    surface->triangleCount = kept;
    vvSurfaceCheckDestroy(check);
    if (vvMeshFinish(surface, NULL, &error) || vvMeshCheckSurface(surface, check, &error))
        return vv_cli_error(&error);
    printf("    without the parts inside: %d triangles around %.4g m3\n", kept, check->volume);
    return VV_CLI_GO;
}

double vv_cli_propose_edge(const vvMesh *surface)
{
    vvMeshQuality q;
    double square = 0;
    vvMeshMeasure(surface, &q);
    for (int k = 0; k < 3; k++)
        square += pow(q.boundsMax[k] - q.boundsMin[k], 2);
    double edge = sqrt(square) / 30, unit = pow(10, floor(log10(edge)) - 1);
    return round(edge / unit) * unit;
}

/* ---- filling and writing ----------------------------------------------------------------------------------------- */

static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    return dot && (!slash || dot > slash) ? dot : "";
}

/* Writes and reads a mesh of one tet: the format must have tets. */
static bool format_takes_tets(const char *folder, const char *output)
{
    double x[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    int tet[] = { 0, 1, 2, 3 };
    vvMesh one = { .vertexCount = 4, .tetCount = 1, .positions = x, .tets = tet }, back;
    char path[4096 + 64];
    vvError error;
    snprintf(path, sizeof path, "%.4090s/one%.40s", folder, ending_of(output));
    if (vvMeshWrite(&one, path, NULL, &error)) {
        vv_cli_wrong("%s: the ending belongs to no mesh format that can be written; use .msh", output);
        return false;
    }
    bool takes = vvMeshRead(path, &back, NULL, &error) == VV_OK && back.tetCount == 1;
    vvMeshDestroy(&back);
    if (!takes)
        vv_cli_wrong("%s: this format holds no tets; use the ending .msh", output);
    return takes;
}

int vv_cli_check_mesh_output(const char *output)
{
    char folder[4096];
    const char *slash = strrchr(output, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - output) : 1, slash ? output : ".");
    if (access(folder, W_OK) != 0 && errno != ENOENT) /* folders that are not there are made */
        return vv_cli_wrong("cannot write %s: %s", output, strerror(errno));
    if (!vv_temporary_folder(folder))
        return VV_EXIT_FAILED;
    bool good = format_takes_tets(folder, output);
    vv_temporary_remove(folder);
    return good ? VV_CLI_GO : VV_EXIT_WRONG;
}

static int write_whole(const vvMesh *mesh, const char *output)
{
    char folder[4096], path[4096 + 64];
    vvError error;
    if (!vv_temporary_folder(folder))
        return VV_EXIT_FAILED;
    snprintf(path, sizeof path, "%s/body%.40s", folder, ending_of(output));
    int code = vvMeshWrite(mesh, path, NULL, &error) ? vv_cli_error(&error) : VV_CLI_GO;
    if (code == VV_CLI_GO && !vv_file_deliver(path, output))
        code = VV_EXIT_FAILED;
    vv_temporary_remove(folder);
    return code;
}

static int count_components(const vvMesh *mesh)
{
    vvMesh copy;
    vvMeshNotes notes = { 0 };
    if (vvMeshCopy(mesh, &copy, NULL) == VV_OK) {
        vvMeshFinish(&copy, &notes, NULL);
        vvMeshDestroy(&copy);
    }
    return notes.components;
}

typedef struct outcome {
    vvMesh tets;
    vvMeshQuality quality;
    double part;    /* of the surface's volume */
    int components; /* more than the surface has: parts came off */
} outcome;

static bool came_off(const vv_meshing *m, const outcome *r)
{
    return r->components > m->check->partCount - m->check->cavityCount;
}

static void print_outcome(const vv_meshing *m, const outcome *r, const char *output, double began)
{
    char took[VV_TEXT];
    printf("mesh %s: %d nodes, %d tets, %.4g%% of the surface's volume, in %s\n", output, r->tets.vertexCount,
           r->tets.tetCount, 100 * r->part, vv_text_duration(took, vv_cli_seconds() - began));
    vv_cli_print_quality(stdout, &r->tets, &r->quality);
    if (came_off(m, r))
        printf("    %d separate pieces of tets: parts thinner than the edge came off; a smaller --edge keeps them\n",
               r->components);
    if (r->part < 0.9)
        printf("    thin parts were lost; a smaller --edge keeps more of them\n");
}

/* If the lattice loses parts with a proposed edge, the edge is made smaller, a few times. */
static int fill(vv_meshing *m, vv_filler filler, outcome *r)
{
    enum { TRIES = 5 };
    for (int tries = 1;; tries++) {
        bool last = filler != VV_FILLER_LATTICE || !m->proposed || tries == TRIES;
        vv_meshing now = *m;
        now.any_volume = !last;
        int code = vv_mesher_fill(&now, filler, &r->tets);
        if (code != VV_CLI_GO)
            return code;
        vvMeshMeasure(&r->tets, &r->quality);
        r->part = r->quality.volume / m->check->volume;
        r->components = count_components(&r->tets);
        if (last || (!came_off(m, r) && r->part > 0.93))
            return VV_CLI_GO;
        char edge[VV_TEXT];
        vvMeshDestroy(&r->tets);
        m->edge *= 0.75;
        printf("    thin parts are lost with that edge; trying again with %s\n", vv_text_quantity(edge, m->edge, "m"));
        fflush(stdout);
    }
}

int vv_cli_mesh_surface(vv_meshing *m, const char *output)
{
    static const char *const how[] = { "TetGen", "Gmsh", "a lattice" };
    static const char *const what[] = { "the surface's triangles stay", "the surface's triangles are subdivided",
                                        "with a new surface" };
    vv_filler filler;
    vvMeshQuality q;
    outcome r;
    char edge[VV_TEXT];
    double began = vv_cli_seconds();
    vvMeshMeasure(m->surface, &q);
    m->mean_edge = q.meanEdge;
    int code = vv_mesher_choose(m, &filler);
    if (code != VV_CLI_GO)
        return code;
    m->treatment = vv_mesher_treatment(m, filler);
    printf("filling with tets of %s: %s, %s\n", vv_text_quantity(edge, m->edge, "m"), how[filler], what[m->treatment]);
    if (filler == VV_FILLER_LATTICE && !m->with)
        puts("    (its triangles are much finer than these tets; --keep-surface keeps them)");
    fflush(stdout);
    code = fill(m, filler, &r);
    if (code != VV_CLI_GO)
        return code;
    code = write_whole(&r.tets, output);
    if (code == VV_CLI_GO)
        print_outcome(m, &r, output, began);
    vvMeshDestroy(&r.tets);
    return code;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

typedef struct mesh_options {
    const char *input, *output, *bad, *with;
    double edge, timeout;
    bool keep, no_cavities, check_only;
} mesh_options;

static int read_options(mesh_options *o, int argc, char **argv)
{
    const vv_option options[] = {
        { "--output", 'o', VV_OPTION_TEXT, &o->output, "BODY.msh", "where to write the tets", 0, 0 },
        { "--edge", 0, VV_OPTION_NUMBER, &o->edge, "L", "edge length of the tets, m; default: diagonal / 30", 1e-30,
          1e30 },
        { "--keep-surface", 0, VV_OPTION_FLAG, &o->keep, NULL, "the surface's triangles stay exactly as they are", 0,
          0 },
        { "--with", 0, VV_OPTION_TEXT, &o->with, "FILLER", "tetgen, gmsh, or lattice (needs no other program)", 0, 0 },
        { "--no-cavities", 0, VV_OPTION_FLAG, &o->no_cavities, NULL, "leave out surfaces inside another one", 0,
          0 },
        { "--check", 0, VV_OPTION_FLAG, &o->check_only, NULL, "only check the surface", 0, 0 },
        { "--bad", 0, VV_OPTION_TEXT, &o->bad, "FILE.obj", "write the faulty triangles, if there are any", 0, 0 },
        { "--timeout", 0, VV_OPTION_NUMBER, &o->timeout, "S", "end TetGen or Gmsh after this time; default: 3600", 0.1,
          1e9 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "SURFACE -o BODY.msh [options]",
        .summary =
            "Checks that a surface (OBJ, STL, PLY, ...) is closed and does not cross itself, and fills it with tets.\n"
            "If it is much finer than the tets, it is filled by a lattice, which has a new surface. Otherwise TetGen or\n"
            "Gmsh fills it, whichever is installed, and keeps it. A surface inside another one bounds a cavity.\n"
            "Exit codes: 0 done, 1 the filler failed, 2 wrong input, 130 interrupted.",
        .examples = "  visviva mesh bunny.obj -o bunny.msh --edge 0.01\n"
                    "  visviva mesh part.stl -o part.msh --edge 2 --keep-surface --with gmsh\n"
                    "  visviva mesh broken.ply --check --bad faults.obj",
        .options = options,
        .least = 1,
        .most = 1,
    };
    int count;
    *o = (mesh_options){ .timeout = 3600 };
    int code = vv_cli_parse(&line, argc, argv, &o->input, &count);
    if (code == VV_CLI_GO && !o->output && !o->check_only)
        return vv_cli_wrong("mesh: -o BODY.msh is missing: where to write the tets (with --check it is not needed)");
    if (code == VV_CLI_GO && o->output && vv_cli_same_file(o->input, o->output))
        return vv_cli_wrong("%s is the surface itself; choose another name with -o", o->output);
    if (code == VV_CLI_GO && o->bad && vv_cli_check_ending(o->bad, "the file of faulty triangles", ".obj") != VV_CLI_GO)
        return VV_EXIT_WRONG;
    if (code == VV_CLI_GO && o->bad && vv_cli_same_file(o->input, o->bad))
        return vv_cli_wrong("%s is the surface itself; choose another name with --bad", o->bad);
    return code == VV_CLI_GO && o->output ? vv_cli_check_mesh_output(o->output) : code;
}

int vv_cli_mesh(int argc, char **argv)
{
    mesh_options o;
    vvMesh surface;
    vvSurfaceCheck check;
    int code = read_options(&o, argc, argv);
    if (code != VV_CLI_GO)
        return code;
    vv_cli_catch_interrupt();
    code = vv_cli_read_surface(o.input, o.bad, &surface, &check);
    if (code == VV_CLI_GO && o.no_cavities && check.cavityCount)
        code = vv_cli_drop_cavities(&surface, &check);
    if (code == VV_CLI_GO && !o.check_only) {
        vv_meshing m = { .path = o.input,
                         .surface = &surface,
                         .check = &check,
                         .with = o.with,
                         .keep = o.keep,
                         .limit = o.timeout,
                         .proposed = o.edge <= 0,
                         .edge = o.edge > 0 ? o.edge : vv_cli_propose_edge(&surface) };
        code = vv_cli_mesh_surface(&m, o.output);
    }
    vvSurfaceCheckDestroy(&check);
    vvMeshDestroy(&surface);
    return code == VV_CLI_GO ? VV_EXIT_OK : code;
}
