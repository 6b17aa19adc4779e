/* Filling a surface with tets: TetGen or Gmsh as a child process in a private folder, or the library's own lattice.
 *
 * The other programs see the surface moved to the origin and scaled to a size of about one (by a power of two), as
 * their tolerances are absolute in places. */
#include "mesh/mesher.h"

#include "child.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct frame {
    double origin[3], scale; /* theirs = (ours - origin) scale */
} frame;

typedef struct job {
    const vv_meshing *m;
    vv_treatment treatment;
    frame frame;
    char folder[4096];
} job;

/* ---- which ------------------------------------------------------------------------------------------------------- */

enum { GMSH_PARTS = 200 };

static bool may_gmsh(const vv_meshing *m) { return m->check->sound && m->check->partCount <= GMSH_PARTS; }
static bool may_tetgen(const vv_meshing *m) { return m->check->sound; }
static bool may_lattice(const vv_meshing *m) { return m->check->sound && !m->keep; }
static bool may_wrap(const vv_meshing *m) { return !m->keep; }

static const struct {
    const char *name, *title;
    bool program; /* another one, to be installed */
    bool (*may)(const vv_meshing *m);
    const char *cannot; /* why it may not */
} fillers[VV_FILLERS] = {
    { "tetgen", "TetGen", true, may_tetgen, "needs a surface that bounds a volume" },
    { "gmsh", "Gmsh", true, may_gmsh, "needs a surface that bounds a volume, of at most 200 parts" },
    { "lattice", "the lattice", false, may_lattice,
      "needs a surface that bounds a volume, and makes one of its own (no --keep-surface)" },
    { "wrap", "a wrap", false, may_wrap, "makes a surface of its own (no --keep-surface)" },
};

const char *vv_mesher_name(vv_filler filler) { return fillers[filler].name; }
const char *vv_mesher_title(vv_filler filler) { return fillers[filler].title; }

/* Triangles much finer than the tets are replaced; much coarser ones may be cut. */
static bool is_fine(const vv_meshing *m) { return m->mean_edge < 0.5 * m->edge; }
static bool is_coarse(const vv_meshing *m) { return m->mean_edge > 2 * m->edge; }

static bool is_installed(int i) { return !fillers[i].program || vv_child_exists(fillers[i].name); }

static int choose_named(const vv_meshing *m, vv_filler *filler)
{
    for (int i = 0; i < VV_FILLERS; i++) {
        if (strcmp(m->with, fillers[i].name) != 0)
            continue;
        *filler = (vv_filler)i;
        if (!fillers[i].may(m))
            return vv_cli_wrong("%s: --with %s %s", m->path, fillers[i].name, fillers[i].cannot);
        if (is_installed(i))
            return VV_CLI_GO;
        return vv_cli_wrong("%s is not installed; it comes with the package %s (apt-get install %s)", fillers[i].title,
                            fillers[i].name, fillers[i].name);
    }
    return vv_cli_wrong("--with %s: allowed are tetgen, gmsh, lattice and wrap", m->with);
}

/* Whether the filler suits where none is named: a wrap is for what bounds no volume, and a lattice comes first for fine
 * surfaces, last for others. */
static bool suits(const vv_meshing *m, int i, bool last)
{
    if (!fillers[i].may(m) || !is_installed(i) || (m->tried & 1u << i))
        return false;
    if (i == VV_FILLER_WRAP)
        return !m->check->sound;
    return i != VV_FILLER_LATTICE || last || is_fine(m);
}

int vv_mesher_choose(vv_meshing *m, vv_filler *filler)
{
    if (m->with)
        return choose_named(m, filler);
    for (int last = 0; last < 2; last++)
        for (int i = is_fine(m) ? VV_FILLER_LATTICE : 0, n = 0; n < VV_FILLERS; n++, i = (i + 1) % VV_FILLERS)
            if (suits(m, i, last)) {
                *filler = (vv_filler)i;
                return VV_CLI_GO;
            }
    return vv_cli_wrong(
        "neither TetGen nor Gmsh can keep this surface, or neither is installed; they come with the packages "
        "tetgen and gmsh (apt-get install tetgen). Without --keep-surface a lattice fills it");
}

bool vv_mesher_has_next(const vv_meshing *m, vv_filler filler)
{
    bool next = false;
    for (int i = 0; !m->with && i < VV_FILLERS; i++)
        next = next || (i != (int)filler && suits(m, i, true));
    return next;
}

vv_treatment vv_mesher_treatment(const vv_meshing *m, vv_filler filler)
{
    if (!fillers[filler].program)
        return VV_SURFACE_REPLACED;
    if (m->keep || (filler == VV_FILLER_GMSH && m->check->partCount > 1))
        return VV_SURFACE_KEPT;
    if (filler == VV_FILLER_GMSH) /* it makes patches of the triangles, bounded by sharp edges, and meshes these */
        return is_fine(m) || is_coarse(m) ? VV_SURFACE_REPLACED : VV_SURFACE_KEPT;
    return is_coarse(m) ? VV_SURFACE_CUT : VV_SURFACE_KEPT;
}

/* ---- files in the private folder --------------------------------------------------------------------------------- */

static FILE *open_file(const job *j, const char *name)
{
    char path[4096 + 64];
    snprintf(path, sizeof path, "%s/%s", j->folder, name);
    FILE *file = fopen(path, "wb");
    if (!file)
        vv_cli_wrong("cannot write %s (the variable TMPDIR can name another place)", path);
    return file;
}

static bool close_file(FILE *file)
{
    bool good = !ferror(file);
    good = fclose(file) == 0 && good;
    if (!good)
        vv_cli_wrong(
            "cannot write a temporary file in full: is the disk full? (the variable TMPDIR can name another place)");
    return good;
}

static frame frame_of(const vvMesh *surface)
{
    vvMeshQuality q;
    frame f = { .scale = 1 };
    double size = 0;
    int exponent;
    vvMeshMeasure(surface, &q);
    for (int k = 0; k < 3; k++) {
        f.origin[k] = q.boundsMin[k];
        size = fmax(size, q.boundsMax[k] - q.boundsMin[k]);
    }
    frexp(size, &exponent);
    f.scale = ldexp(1, -exponent);
    return f;
}

/* Not "%.17g": a host may have set another decimal point. This program sets none. */
static void put_point(FILE *file, const frame *f, const double x[3])
{
    for (int k = 0; k < 3; k++)
        fprintf(file, " %.17g", (x[k] - f->origin[k]) * f->scale);
    fputc('\n', file);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static int run_program(job *j, const char *const *argv, const char *title)
{
    char log[4096 + 64], said[700], text[VV_TEXT];
    vv_child child;
    snprintf(log, sizeof log, "%.4090s/log.txt", j->folder);
    if (strlen(log) >= 4096)
        return vv_cli_wrong("the path of the temporary folder is too long");
    if (!vv_child_start_worker(&child, argv, argv[0], log))
        return VV_EXIT_FAILED;
    vv_cli_phase("mesh: %s fills the surface (Ctrl-C stops it)", title);
    vv_child_end end = vv_child_wait(&child, j->m->limit);
    vv_cli_phase("mesh: reading and testing the tets");
    vv_child_said(&child, said, sizeof said);
    switch (end) {
    case VV_CHILD_GOOD: return VV_CLI_GO;
    case VV_CHILD_INTERRUPTED: vv_cli_wrong("interrupted; nothing was written"); return VV_EXIT_INTERRUPTED;
    case VV_CHILD_LATE:
        vv_cli_wrong("%s was not finished after %s and was stopped; try a larger --edge, another filler (--with), or a "
                     "larger --timeout",
                     title, vv_text_duration(text, j->m->limit));
        return VV_EXIT_FAILED;
    case VV_CHILD_FAILED: break;
    }
    if (j->m->has_next)
        vv_cli_warn("%s: %s could not fill the surface%s%s", j->m->path, title, said[0] ? ". It said: " : "", said);
    else
        vv_cli_wrong("%s: %s could not fill the surface; try --with %s, or --with lattice%s%s", j->m->path, title,
                     strcmp(argv[0], "gmsh") == 0 ? "tetgen, or --keep-surface" : "gmsh", said[0] ? ". It said: " : "",
                     said);
    return VV_EXIT_FAILED;
}

/* Reads the result, back in the coordinates of the surface. */
static int read_result(const job *j, const char *name, const char *title, vvMesh *tets)
{
    char path[4096 + 64];
    vvError error;
    snprintf(path, sizeof path, "%s/%s", j->folder, name);
    if (access(path, R_OK) != 0) {
        vv_cli_wrong("%s: %s ended without an error but wrote no mesh", j->m->path, title);
        return VV_EXIT_FAILED;
    }
    if (vvMeshRead(path, tets, NULL, &error)) {
        vv_cli_wrong("%s: the mesh that %s made cannot be used: %.600s", j->m->path, title, error.message);
        return VV_EXIT_FAILED;
    }
    for (int i = 0; i < 3 * tets->vertexCount; i++)
        tets->positions[i] = tets->positions[i] / j->frame.scale + j->frame.origin[i % 3];
    return VV_CLI_GO;
}

/* ---- TetGen: a .smesh with a point in each cavity ---------------------------------------------------------------- */

static bool write_smesh(const job *j)
{
    const vvMesh *s = j->m->surface;
    const vvSurfaceCheck *c = j->m->check;
    FILE *file = open_file(j, "body.smesh");
    if (!file)
        return false;
    fprintf(file, "%d 3 0 0\n", s->vertexCount);
    for (int v = 0; v < s->vertexCount; v++) {
        fprintf(file, "%d", v);
        put_point(file, &j->frame, s->positions + 3 * (size_t)v);
    }
    fprintf(file, "%d 0\n", s->triangleCount);
    for (int t = 0; t < s->triangleCount; t++)
        fprintf(file, "3 %d %d %d\n", s->triangles[3 * t], s->triangles[3 * t + 1], s->triangles[3 * t + 2]);
    fprintf(file, "%d\n", c->cavityCount);
    for (int i = 0, hole = 0; i < c->partCount; i++)
        if (c->parts[i].depth % 2) {
            fprintf(file, "%d", hole++);
            put_point(file, &j->frame, c->parts[i].inside);
        }
    fputs("0\n", file);
    return close_file(file);
}

/* Largest volume: that of tets with edges somewhat above `edge`, as most come out smaller. */
static int fill_with_tetgen(job *j, vvMesh *tets)
{
    char switches[96], input[4096 + 64];
    double edge = j->m->edge * j->frame.scale;
    if (!write_smesh(j))
        return VV_EXIT_FAILED;
    snprintf(switches, sizeof switches, "-pzFQ%sq1.414/10a%.15f", j->treatment == VV_SURFACE_KEPT ? "Y" : "",
             fmax(0.28 * edge * edge * edge, 1e-15));
    snprintf(input, sizeof input, "%s/body.smesh", j->folder);
    const char *const argv[] = { "tetgen", switches, input, NULL };
    int code = run_program(j, argv, "TetGen");
    return code == VV_CLI_GO ? read_result(j, "body.1.ele", "TetGen", tets) : code;
}

/* ---- Gmsh: an STL a part, and a script --------------------------------------------------------------------------- */

static bool write_stl(const job *j, int part)
{
    char name[32];
    const vvMesh *s = j->m->surface;
    snprintf(name, sizeof name, "part%d.stl", part);
    FILE *file = open_file(j, name);
    if (!file)
        return false;
    fprintf(file, "solid part%d\n", part);
    for (int t = 0; t < s->triangleCount; t++) {
        if (j->m->check->partOf[t] != part)
            continue;
        fputs("facet normal 0 0 0\nouter loop\n", file);
        for (int k = 0; k < 3; k++) {
            fputs("vertex", file);
            put_point(file, &j->frame, s->positions + 3 * (size_t)s->triangles[3 * t + k]);
        }
        fputs("endloop\nendfacet\n", file);
    }
    fputs("endsolid\n", file);
    return close_file(file);
}

/* A volume for each part that bounds material from outside, less the cavities right inside it. */
static void put_volumes(FILE *file, const vvSurfaceCheck *c)
{
    for (int i = 0; i < c->partCount; i++)
        fprintf(file, "Surface Loop(%d) = {%d};\n", i + 1, i + 1);
    for (int i = 0; i < c->partCount; i++) {
        if (c->parts[i].depth % 2)
            continue;
        fprintf(file, "Volume(%d) = {%d", i + 1, i + 1);
        for (int k = 0; k < c->partCount; k++)
            if (c->parts[k].parent == i && c->parts[k].depth == c->parts[i].depth + 1)
                fprintf(file, ", %d", k + 1);
        fputs("};\n", file);
    }
}

static bool write_geo(const job *j)
{
    const vvSurfaceCheck *c = j->m->check;
    FILE *file = NULL;
    for (int i = 0; i < c->partCount; i++)
        if (!write_stl(j, i))
            return false;
    if (!(file = open_file(j, "body.geo")))
        return false;
    for (int i = 0; i < c->partCount; i++)
        fprintf(file, "Merge \"part%d.stl\";\n", i);
    if (j->treatment == VV_SURFACE_KEPT)
        put_volumes(file, c);
    else
        fputs("ClassifySurfaces{40*Pi/180, 1, 1, Pi};\nCreateGeometry;\n"
              "Surface Loop(1) = Surface{:};\nVolume(1) = {1};\n",
              file);
    double edge = j->m->edge * j->frame.scale;
    fprintf(file, "Mesh.MeshSizeMin = %.17g;\nMesh.MeshSizeMax = %.17g;\nMesh.MeshSizeExtendFromBoundary = 0;\n", edge,
            edge);
    return close_file(file);
}

static int fill_with_gmsh(job *j, vvMesh *tets)
{
    char input[4096 + 64], output[4096 + 64];
    if (!write_geo(j))
        return VV_EXIT_FAILED;
    snprintf(input, sizeof input, "%s/body.geo", j->folder);
    snprintf(output, sizeof output, "%s/body.msh", j->folder);
    const char *const argv[] = { "gmsh", "-3", "-format", "msh2", "-o", output, input, NULL };
    int code = run_program(j, argv, "Gmsh");
    return code == VV_CLI_GO ? read_result(j, "body.msh", "Gmsh", tets) : code;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int fill_with_lattice(vv_meshing *m, vvMesh *tets)
{
    vvError error;
    vv_following following = { .command = "mesh" };
    vvFillDef def = vvDefaultFillDef();
    def.edge = m->proposed ? 0 : m->edge, def.watch = vv_cli_watch(&following), def.what = "filling", def.wrap = true;
    vvStatus status = vvMeshFillWith(m->surface, &def, tets, &m->filled, &error);
    vv_following_finish(&following);
    if (status == VV_CANCELLED)
        return VV_CLI_GO; /* reported by the caller */
    m->edge = m->filled.tries ? m->filled.edge : m->edge;
    m->too_large = status == VV_ERROR_INPUT && m->filled.tries;
    if (m->too_large && m->may_retry)
        return VV_EXIT_WRONG;
    if (status == VV_ERROR_INPUT && m->filled.wrapped && !m->filled.tries)
        return vv_cli_wrong("%s: %s. visviva new --cloth makes cloth of it", m->path, error.message);
    return status != VV_OK ? vv_cli_error_in(m->path, &error) : VV_CLI_GO;
}

/* A wrong fill (a cavity filled, a part left out) must not pass for a mesh. */
static int check_volume(const vv_meshing *m, vv_treatment treatment, const vvMesh *tets)
{
    vvMeshQuality q;
    double off = treatment == VV_SURFACE_REPLACED ? 0.5 : 1e-3;
    vvMeshMeasure(tets, &q);
    if (!m->check->sound) /* then the library has compared them */
        return VV_CLI_GO;
    if (tets->tetCount && fabs(q.volume - m->check->volume) <= off * m->check->volume)
        return VV_CLI_GO;
    vv_cli_wrong("%s: the tets (%d) fill %.4g m3 but the surface bounds %.4g m3; try %s", m->path, tets->tetCount,
                 q.volume, m->check->volume,
                 treatment == VV_SURFACE_REPLACED
                     ? "a smaller --edge: its parts are thinner than that; or --keep-surface"
                     : "another filler (--with tetgen, gmsh or lattice)");
    return VV_EXIT_FAILED;
}

int vv_mesher_fill(vv_meshing *m, vv_filler filler, vvMesh *tets)
{
    job j = { .m = m, .treatment = vv_mesher_treatment(m, filler) };
    int code;
    *tets = (vvMesh){ 0 };
    m->too_large = false;
    m->filled = (vvFillNotes){ 0 };
    m->has_next = vv_mesher_has_next(m, filler);
    if (!fillers[filler].program) {
        code = fill_with_lattice(m, tets);
    } else {
        j.frame = frame_of(m->surface);
        if (!vv_temporary_folder(j.folder))
            return VV_EXIT_FAILED;
        code = filler == VV_FILLER_TETGEN ? fill_with_tetgen(&j, tets) : fill_with_gmsh(&j, tets);
        vv_temporary_remove(j.folder);
    }
    if (code == VV_CLI_GO && vv_cli_interrupted()) {
        vv_cli_wrong("interrupted; nothing was written");
        code = VV_EXIT_INTERRUPTED;
    }
    if (code == VV_CLI_GO)
        code = check_volume(m, j.treatment, tets);
    if (code != VV_CLI_GO)
        vvMeshDestroy(tets);
    return code;
}
