/* visviva mesh: a closed surface filled with tets. */
#include "mesh/mesher.h"

#include "child.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        vv_cli_wrong("%s: no mesh format that can be written has this ending; use .msh", output);
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

int vv_cli_write_mesh(const vvMesh *mesh, const char *output)
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

/* Tips that lie farther outside the tets than this many edges are worth a word. */
static const double far_tip = 2;

static bool came_off(const vv_meshing *m, const outcome *r)
{
    return m->check->sound && r->components > m->check->partCount - m->check->cavityCount;
}

static void print_outcome(const vv_meshing *m, const outcome *r, const char *output, double began)
{
    char took[VV_TEXT];
    printf("mesh %s: %d nodes, %d tets, %.4g%% of the %s volume, in %s\n", output, r->tets.vertexCount,
           r->tets.tetCount, 100 * r->part, m->check->sound ? "surface's" : "wrapped",
           vv_text_duration(took, vv_cli_seconds() - began));
    if (m->filled.wrapped)
        printf("    a wrap: inside is where the surface's winding number is more than a half; %.3g%% of its own "
               "surface bridges "
               "gaps\n",
               100 * m->filled.bridged);
    vv_cli_print_quality(stdout, &r->tets, &r->quality);
    if (came_off(m, r))
        printf("    %d separate pieces of tets: parts thinner than the edge came off; a smaller --edge keeps them\n",
               r->components);
    if (r->part < 0.9 || (m->filled.wrapped && r->part < 0.97))
        printf("    thin parts were lost; a smaller --edge keeps more of them\n");
    else if (m->filled.farthest > far_tip * m->edge)
        printf("    the tips of thin parts were lost, up to %s of them; a smaller --edge keeps more\n",
               vv_text_quantity(took, m->filled.farthest, "m"));
}

static void add_json(const vv_meshing *m, const outcome *r, vv_filler filler, const char *output)
{
    static const char *const treatments[] = { "kept", "cut", "replaced" };
    const bool ours = filler == VV_FILLER_LATTICE || filler == VV_FILLER_WRAP;
    json_t *object = json_pack("{s:s, s:s, s:s, s:f, s:i, s:f, s:i}", "output", output, "with", vv_mesher_name(filler),
                               "surface", treatments[m->treatment], "edge", m->edge, "tries",
                               ours ? m->filled.tries : 1, "part_of_volume", r->part, "pieces", r->components);
    vv_json_add_mesh(object, &r->tets, &r->quality);
    json_object_set_new(object, "farthest_outside", ours ? vv_json_number(m->filled.farthest) : json_null());
    json_object_set_new(object, "bridged", filler == VV_FILLER_WRAP ? vv_json_number(m->filled.bridged) : json_null());
    json_object_set_new(m->json, "fill", object);
}

static int fill(vv_meshing *m, vv_filler filler, outcome *r)
{
    int code = vv_mesher_fill(m, filler, &r->tets);
    if (code != VV_CLI_GO)
        return code;
    vvMeshMeasure(&r->tets, &r->quality);
    r->part = m->filled.wrapped ? m->filled.part : r->quality.volume / m->check->volume;
    r->components = count_components(&r->tets);
    char edge[VV_TEXT];
    if (m->filled.tries > 1)
        printf("    thin parts would be lost with that edge; filled again with %s\n",
               vv_text_quantity(edge, m->edge, "m"));
    return VV_CLI_GO;
}

/* With the filler that suits; where it fails, with the next. */
static int fill_somehow(vv_meshing *m, outcome *r)
{
    static const char *const what[] = { "the surface's triangles stay", "the surface's triangles are subdivided",
                                        "with a new surface" };
    char edge[VV_TEXT];
    for (;;) {
        int code = vv_mesher_choose(m, &m->filler);
        if (code != VV_CLI_GO)
            return code;
        m->treatment = vv_mesher_treatment(m, m->filler);
        printf("filling with tets of %s: %s, %s\n", vv_text_quantity(edge, m->edge, "m"), vv_mesher_title(m->filler),
               what[m->treatment]);
        if (m->filler == VV_FILLER_LATTICE && !m->with && !m->tried)
            puts(m->mean_edge < m->edge
                     ? "    (its triangles are much finer than these tets; --keep-surface keeps them)"
                     : "    (neither TetGen nor Gmsh is installed, which would keep sharp edges: apt-get install "
                       "tetgen)");
        fflush(stdout);
        code = fill(m, m->filler, r);
        if (code != VV_EXIT_FAILED || !m->has_next)
            return code;
        m->tried |= 1u << m->filler;
    }
}

int vv_cli_mesh_surface(vv_meshing *m, const char *output)
{
    vvMeshQuality q;
    outcome r;
    double began = vv_cli_seconds();
    vvMeshMeasure(m->surface, &q);
    m->mean_edge = q.meanEdge;
    int code = fill_somehow(m, &r);
    if (code != VV_CLI_GO)
        return code;
    code = vv_cli_write_mesh(&r.tets, output);
    if (code == VV_CLI_GO)
        print_outcome(m, &r, output, began);
    if (code == VV_CLI_GO && m->json)
        add_json(m, &r, m->filler, output);
    vvMeshDestroy(&r.tets);
    return code;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

typedef struct mesh_options {
    const char *input, *output, *bad, *with;
    double edge, timeout, holes;
    bool keep, no_cavities, check_only, json;
} mesh_options;

static int read_options(mesh_options *o, int argc, char **argv)
{
    const vv_option options[] = {
        { "--output", 'o', VV_OPTION_TEXT, &o->output, "BODY.msh", "where to write the tets", 0, 0 },
        { "--edge", 0, VV_OPTION_NUMBER, &o->edge, "L", "edge length of the tets, m; default: diagonal / 30", 1e-30,
          1e30 },
        { "--keep-surface", 0, VV_OPTION_FLAG, &o->keep, NULL, "keep the surface's triangles exactly as they are", 0,
          0 },
        { "--with", 0, VV_OPTION_TEXT, &o->with, "FILLER",
          "tetgen, gmsh, lattice (needs no other program), or wrap (any surface that encloses something)", 0, 0 },
        { "--no-cavities", 0, VV_OPTION_FLAG, &o->no_cavities, NULL, "leave out surfaces inside another one", 0, 0 },
        { "--check", 0, VV_OPTION_FLAG, &o->check_only, NULL, "only check the surface", 0, 0 },
        { "--bad", 0, VV_OPTION_TEXT, &o->bad, "FILE.obj", "write the faulty triangles, if there are any", 0, 0 },
        { "--close-holes", 0, VV_OPTION_NUMBER, &o->holes, "WIDTH",
          "close holes up to this width first, m; default: none", 0, 1e30 },
        { "--json", 0, VV_OPTION_FLAG, &o->json, NULL, "prints the findings and results as JSON (docs/json.md)", 0, 0 },
        { "--timeout", 0, VV_OPTION_NUMBER, &o->timeout, "S", "end TetGen or Gmsh after this time; default: 3600", 0.1,
          1e9 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "SURFACE -o BODY.msh [options]",
        .summary =
            "Checks that a surface (OBJ, STL, PLY, ...) is closed and does not cross itself, and fills it with tets.\n"
            "If it is much finer than the tets, it is filled by a lattice, which has a new surface. Otherwise TetGen "
            "or\nGmsh fills it, if installed, and keeps it; if one fails, the next is tried. A surface "
            "inside\n"
            "another one bounds a cavity. --with wrap takes surfaces with holes, crossings and loose parts, too.\n"
            "Exit codes: 0 done, 1 the filler failed, 2 wrong input, 130 interrupted.",
        .examples = "  visviva mesh bunny.obj -o bunny.msh --edge 0.01\n"
                    "  visviva mesh part.stl -o part.msh --edge 2 --keep-surface --with gmsh\n"
                    "  visviva mesh broken.ply --check --bad faults.obj\n"
                    "  visviva mesh scan.ply -o scan.msh --close-holes 0.02\n"
                    "  visviva mesh soup.obj -o soup.msh --with wrap",
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

static int mesh_file(const mesh_options *o, json_t *json)
{
    vvMesh surface;
    vvSurfaceCheck check;
    const vv_surface_source from = { .path = o->input,
                                     .bad = o->bad,
                                     .holes = o->holes,
                                     .json = json,
                                     .wrap = !o->check_only && o->with &&
                                             strcmp(o->with, vv_mesher_name(VV_FILLER_WRAP)) == 0 };
    int code = vv_cli_read_surface(&from, &surface, &check);
    if (code == VV_CLI_GO && o->no_cavities && check.cavityCount)
        code = vv_cli_drop_cavities(&surface, &check);
    if (code == VV_CLI_GO && !o->check_only) {
        vv_meshing m = { .path = o->input,
                         .surface = &surface,
                         .check = &check,
                         .with = o->with,
                         .keep = o->keep,
                         .limit = o->timeout,
                         .json = json,
                         .proposed = o->edge <= 0,
                         .edge = o->edge > 0 ? o->edge : vvMeshProposeEdge(&surface) };
        code = vv_cli_mesh_surface(&m, o->output);
    }
    vvSurfaceCheckDestroy(&check);
    vvMeshDestroy(&surface);
    return code == VV_CLI_GO ? VV_EXIT_OK : code;
}

int vv_cli_mesh(int argc, char **argv)
{
    mesh_options o;
    int code = read_options(&o, argc, argv);
    if (code != VV_CLI_GO)
        return code;
    vv_cli_catch_interrupt();
    if (!o.json)
        return mesh_file(&o, NULL);
    json_t *json = json_pack("{s:s, s:s}", "kind", "surface", "file", o.input);
    vv_json_begin();
    return vv_json_end(json, mesh_file(&o, json));
}
