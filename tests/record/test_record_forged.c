/* Run files forged through HDF5: each data set, group and attribute of a real run in turn is of another shape or type,
 * lies in another file, is packed, a link, or holds numbers that mean nothing. Opening, reading, exporting and resuming
 * end in data or in one message, within 20 s and 2 GB; nothing of another file of the machine gets into what is
 * written, and nothing is written there.
 *   test_record_forged forge RUN FORGED SECRET OTHER PATH KIND    makes one such file for tests of the program
 * layer: record */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "size.h"
#include "visviva/visviva.h"

#define FOLDER VV_BUILD_DIR "/test_record_forged_files"
static const char good[] = FOLDER "/good.vtkhdf", bad[] = FOLDER "/bad.vtkhdf", branch[] = FOLDER "/new.vtkhdf",
                  word[] = "SECRET-CONTENT";
static const char *secret = FOLDER "/secret.txt", *other = FOLDER "/secret.h5";

/* A soft box, a shell with directors, an affine ball, on a plane and hills. */
static const char scene_text[] =
    "{ 'visviva': 1, 'name': 'forged', 'time': { 'step': '1/120' }, 'contact': { 'model': 'barrier' },"
    "  'integrator': { 'ground_energy': 'none' },"
    "  'materials': { 'card': { 'model': 'stvk-membrane', 'young': 1e6, 'thickness': 1e-3 },"
    "                 'bending': { 'like': 'card', 'model': 'midedge' } },"
    "  'bodies': ["
    "    { 'name': 'box', 'mesh': { 'box': { 'size': [0.1, 0.1, 0.1], 'cells': [1, 1, 1] } },"
    "      'place': { 'translate': [0, 0.06, 0] } },"
    "    { 'name': 'sheet', 'material': ['card', 'bending'], 'mesh': { 'sheet': { 'size': [0.1, 0.1], 'edge': 0.05 } },"
    "      'place': { 'translate': [0.3, 0.05, 0] } },"
    "    { 'name': 'ball', 'material': { 'model': 'affine', 'young': 1e7 },"
    "      'mesh': { 'ball': { 'radius': 0.03, 'cells': 2 } }, 'place': { 'translate': [-0.3, 0.06, 0] } } ],"
    "  'obstacles': [ { 'plane': {} },"
    "    { 'heightfield': { 'size': [1, 1], 'height': 0.01 },"
    "      'heights': { 'values': [0, 1, 1, 0], 'samples': [2, 2] } } ] }";

static vvWorld *make_world(char *text, size_t room)
{
    vvError error = { 0 };
    vvScene *scene;
    vvWorld *world = NULL;
    snprintf(text, room, "%s", scene_text);
    for (char *p = text; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    if (vvSceneParse(text, "forged.json", FOLDER, NULL, 0, &scene, &error) == VV_OK) {
        vvSceneCreateWorld(scene, 1, &world, &error);
        vvSceneDestroy(scene);
    }
    if (!world)
        fprintf(stderr, "no world: %s\n", error.message);
    return world;
}

static bool go_on(vvRunWriter *writer, vvWorld *world, int frames, vvError *error)
{
    vvStepReport report;
    for (int i = 0; i < frames; i++)
        if (vvWorldStep(world, &report, error) != VV_OK || vvRunAddStep(writer, world, &report, error) != VV_OK ||
            vvRunAddFrame(writer, world, error) != VV_OK)
            return false;
    return true;
}

/* A run of ten frames that went on with another setting and was cut off, so that it goes on in place, in the room that
 * it has. In a process of its own, as worlds start threads, and as that is how a run is cut off. */
static int make_run(const char *path, const char *name)
{
    char text[4096];
    vvError error = { 0 };
    vvRunWriter *writer;
    vvWorld *world = make_world(text, sizeof text);
    bool ok = world && vvWorldBake(world, &error) == VV_OK &&
              vvRunCreate(path, world, name, text, &writer, &error) == VV_OK && go_on(writer, world, 8, &error) &&
              vvRunClose(writer, "done", &error) == VV_OK;
    vvResumeDef def = vvDefaultResumeDef();
    def.change = "gravity=[0,-5,0]";
    ok = ok && vvRunResume(path, world, &def, &writer, &error) == VV_OK && go_on(writer, world, 1, &error);
    if (!ok)
        fprintf(stderr, "no run: %s\n", error.message);
    return ok ? 0 : 1;
}

/* ---- what the file has ---- */

typedef struct part {
    char path[100], name[50]; /* name: of an attribute */
    H5O_type_t type;          /* H5O_TYPE_UNKNOWN: an attribute */
} part;
static part parts[200];
static int part_count;

static herr_t note_attribute(hid_t object, const char *name, const H5A_info_t *info, void *path)
{
    (void)object, (void)info;
    part *p = parts + part_count++;
    snprintf(p->path, sizeof p->path, "%s", (const char *)path);
    snprintf(p->name, sizeof p->name, "%s", name);
    p->type = H5O_TYPE_UNKNOWN;
    return 0;
}

static herr_t note_object(hid_t file, const char *name, const H5O_info_t *info, void *user)
{
    (void)user;
    if (strcmp(name, ".") == 0)
        return 0;
    part *p = parts + part_count++;
    snprintf(p->path, sizeof p->path, "/%s", name);
    p->type = info->type;
    hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, note_attribute, p->path);
    H5Oclose(object);
    return 0;
}

static void list_parts(void)
{
    hid_t file = H5Fopen(good, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    part_count = 0;
    assert_true(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, note_object, NULL, H5O_INFO_BASIC) >= 0);
    H5Fclose(file);
}

/* ---- forging ---- */

enum { MUST_REFUSE = 1, OF_GROUPS = 2, OF_ATTRIBUTES = 4, IF_NAMED = 8 /* not for each part: a large file */ };
typedef enum kind {
    COLUMNS,
    RANK,
    SCALAR,
    NULL_SPACE,
    STRING,
    LONG_STRING,
    SEQUENCE,
    SWAPPED,
    COMPOUND,
    REFERENCE,
    ODD,
    NARROW,
    FEWER,
    MORE,
    HUGE,
    SPARSE,
    MISSING,
    GROUP,
    SOFT,
    DANGLING,
    LINKED,
    EXTERNAL,
    VIRTUAL,
    PACKED,
    FILTERED,
    MINUS_ONE,
    LARGEST,
    NOT_A_NUMBER,
    KINDS
} kind;
static const struct {
    const char *name;
    int flags;
} kinds[KINDS] = {
    [COLUMNS] = { "columns", OF_ATTRIBUTES },
    [RANK] = { "rank", OF_ATTRIBUTES },
    [SCALAR] = { "scalar", 0 },
    [NULL_SPACE] = { "null space", MUST_REFUSE | OF_ATTRIBUTES },
    [STRING] = { "string", OF_ATTRIBUTES },
    [LONG_STRING] = { "variable string", MUST_REFUSE | OF_ATTRIBUTES },
    [SEQUENCE] = { "sequence", MUST_REFUSE | OF_ATTRIBUTES },
    [SWAPPED] = { "swapped", 0 },
    [COMPOUND] = { "compound", MUST_REFUSE | OF_ATTRIBUTES },
    [REFERENCE] = { "reference", MUST_REFUSE | OF_ATTRIBUTES },
    [ODD] = { "odd bits", MUST_REFUSE | OF_ATTRIBUTES },
    [NARROW] = { "narrow", 0 },
    [FEWER] = { "fewer rows", 0 },
    [MORE] = { "more rows", 0 },
    [HUGE] = { "huge", MUST_REFUSE },
    [SPARSE] = { "sparse", MUST_REFUSE | IF_NAMED },
    [MISSING] = { "missing", OF_GROUPS | OF_ATTRIBUTES },
    [GROUP] = { "group", MUST_REFUSE },
    [SOFT] = { "soft link", MUST_REFUSE | OF_GROUPS },
    [DANGLING] = { "soft link to nothing", MUST_REFUSE | OF_GROUPS },
    [LINKED] = { "external link", MUST_REFUSE | OF_GROUPS },
    [EXTERNAL] = { "external", MUST_REFUSE },
    [VIRTUAL] = { "virtual", MUST_REFUSE },
    [PACKED] = { "packed", MUST_REFUSE },
    [FILTERED] = { "filter of a plugin", MUST_REFUSE },
    [MINUS_ONE] = { "-1", OF_ATTRIBUTES },
    [LARGEST] = { "largest", OF_ATTRIBUTES },
    [NOT_A_NUMBER] = { "nan", 0 },
};

/* The type that takes the place of `type`; itself, or -1 where the kind means nothing for it. */
static hid_t other_type(kind k, hid_t type)
{
    bool number = H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT;
    hid_t made = H5Tcopy(type), text;
    switch (k) {
    case STRING: return H5Tset_size(made = H5Tcopy(H5T_C_S1), 8) < 0 ? -1 : made;
    case LONG_STRING: return H5Tset_size(made = H5Tcopy(H5T_C_S1), H5T_VARIABLE) < 0 ? -1 : made;
    case SEQUENCE: return H5Tvlen_create(H5T_NATIVE_INT);
    case SWAPPED: return number && H5Tset_order(made, H5T_ORDER_BE) >= 0 ? made : -1;
    case REFERENCE: return H5Tcopy(H5T_STD_REF_OBJ);
    case ODD: return H5Tset_precision(made = H5Tcopy(H5T_NATIVE_INT), 17) < 0 ? -1 : made;
    case NARROW: return H5Tcopy(H5T_NATIVE_SCHAR);
    case COMPOUND:
        made = H5Tcreate(H5T_COMPOUND, 24), text = other_type(LONG_STRING, type);
        H5Tinsert(made, "step", 0, H5T_NATIVE_INT64), H5Tinsert(made, "text", 8, text);
        return made;
    default: return made;
    }
}

static hid_t other_space(kind k, hid_t space)
{
    hsize_t dims[H5S_MAX_RANK] = { 1, 1, 1 };
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    switch (k) {
    case COLUMNS: dims[rank < 2 ? 1 : rank - 1] = 100000; return H5Screate_simple(rank < 2 ? 2 : rank, dims, NULL);
    case RANK: dims[rank] = 1; return H5Screate_simple(rank + 1, dims, NULL);
    case SCALAR: return rank == 0 ? -1 : H5Screate(H5S_SCALAR);
    case NULL_SPACE: return H5Screate(H5S_NULL);
    case FEWER: return rank == 0 || dims[0] == 0 ? -1 : (dims[0] /= 2, H5Screate_simple(rank, dims, NULL));
    case MORE: return rank == 0 ? -1 : (dims[0] += 7, H5Screate_simple(rank, dims, NULL));
    case SPARSE: dims[0] = (hsize_t)1 << 29; return H5Screate_simple(rank < 1 ? 1 : rank, dims, NULL);
    case HUGE: dims[0] = (hsize_t)1 << 33; return H5Screate_simple(rank < 1 ? 1 : rank, dims, NULL);
    case GROUP: return -1;
    default: return rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, dims, NULL);
    }
}

/* How the data set is stored; false: it cannot be so. */
static bool store(kind k, hid_t list, hid_t space, const char *path)
{
    hsize_t dims[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    H5Pset_fill_time(list, H5D_FILL_TIME_IFSET);
    for (int i = 0; i < rank; i++)
        chunk[i] = dims[i] == 0 ? 1 : dims[i] < 1000 ? dims[i] : 1000;
    switch (k) {
    case SPARSE: H5Pset_fill_time(list, H5D_FILL_TIME_NEVER); return H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0;
    case COLUMNS: return H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0; /* as large as it says */
    case HUGE: return H5Pset_chunk(list, rank, chunk) >= 0;
    case PACKED: return rank > 0 && dims[0] > 0 && H5Pset_chunk(list, rank, chunk) >= 0 && H5Pset_deflate(list, 1) >= 0;
    case FILTERED:
        return rank > 0 && H5Pset_chunk(list, rank, chunk) >= 0 &&
               H5Pset_filter(list, 32015, H5Z_FLAG_OPTIONAL, 0, NULL) >= 0;
    case EXTERNAL: return H5Pset_external(list, secret, 0, H5F_UNLIMITED) >= 0;
    case VIRTUAL: return rank > 0 && H5Pset_virtual(list, space, other, path, space) >= 0;
    default: return true;
    }
}

static void fill(kind k, hid_t set, hid_t type, hid_t space)
{
    hssize_t count = H5Sget_simple_extent_npoints(space);
    size_t bytes = H5Tget_size(type) * (size_t)(count > 0 ? count : 0);
    unsigned char *data = malloc(bytes + 8);
    memset(data, k == LARGEST ? 0x7f : 0xff, bytes + 8);
    for (size_t i = 3; k == LARGEST && i < bytes; i += 4) /* 2^31-1 in all integers of 32 bits */
        memset(data + i - 3, 0xff, 3);
    for (size_t i = 0; k == NOT_A_NUMBER && i + 8 <= bytes; i += 8)
        *(double *)(void *)(data + i) = __builtin_nan("");
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    free(data);
}

static void copy_data(hid_t old, hid_t set, hid_t type)
{
    hid_t space = H5Dget_space(old);
    void *data = malloc(8 + (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type));
    if (H5Dread(old, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0)
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    free(data);
    H5Sclose(space);
}

static bool forge_set(hid_t file, const char *path, kind k)
{
    hid_t old = H5Dopen2(file, path, H5P_DEFAULT), was = H5Dget_type(old), had = H5Dget_space(old);
    hid_t type = other_type(k, was), space = other_space(k, had), list = H5Pcreate(H5P_DATASET_CREATE), set = -1;
    if (type >= 0 && space >= 0 && store(k, list, space, path)) {
        H5Ldelete(file, path, H5P_DEFAULT);
        set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    }
    if (set >= 0 && k >= MINUS_ONE)
        fill(k, set, type, space);
    else if (set >= 0 && (k == SWAPPED || k == RANK || k == PACKED)) /* as many numbers as before */
        copy_data(old, set, was);
    if (set >= 0)
        H5Dclose(set);
    H5Pclose(list), H5Dclose(old), H5Tclose(was), H5Sclose(had);
    return set >= 0;
}

static bool forge_attribute(hid_t file, const part *p, kind k)
{
    hid_t object = H5Oopen(file, p->path, H5P_DEFAULT), old = H5Aopen(object, p->name, H5P_DEFAULT);
    hid_t was = H5Aget_type(old), had = H5Aget_space(old), type = other_type(k, was), space = -1, made = -1;
    hsize_t many = 1000; /* what an attribute has room for */
    space = k == COLUMNS ? H5Screate_simple(1, &many, NULL) : other_space(k, had);
    H5Aclose(old);
    H5Adelete(object, p->name);
    if (k != MISSING && type >= 0 && space >= 0)
        made = H5Acreate2(object, p->name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (made >= 0 && k >= MINUS_ONE && H5Tget_class(was) == H5T_INTEGER && H5Sget_simple_extent_npoints(had) == 1)
        H5Awrite(made, H5T_NATIVE_INT, k == MINUS_ONE ? &(int){ -1 } : &(int){ INT32_MAX });
    if (made >= 0)
        H5Aclose(made);
    H5Oclose(object), H5Tclose(was), H5Sclose(had);
    return made >= 0 || k == MISSING;
}

static void copy_file(const char *from, const char *to)
{
    char buffer[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
        assert_int_equal(fwrite(buffer, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* Makes `bad`; false: the kind means nothing for the part. */
static bool forge(const char *from, const char *to, const part *p, kind k)
{
    copy_file(from, to);
    hid_t file = H5Fopen(to, H5F_ACC_RDWR, H5P_DEFAULT);
    bool made = true;
    if (p->type == H5O_TYPE_UNKNOWN) {
        made = (kinds[k].flags & OF_ATTRIBUTES) && forge_attribute(file, p, k);
    } else if (p->type == H5O_TYPE_GROUP && !(kinds[k].flags & OF_GROUPS)) {
        made = false;
    } else if (k == MISSING || k == GROUP || k == SOFT || k == DANGLING || k == LINKED) {
        H5Lmove(file, p->path, file, "/moved", H5P_DEFAULT, H5P_DEFAULT);
        if (k == GROUP)
            H5Gclose(H5Gcreate2(file, p->path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        else if (k == SOFT || k == DANGLING)
            H5Lcreate_soft(k == SOFT ? "/moved" : "/nowhere", file, p->path, H5P_DEFAULT, H5P_DEFAULT);
        else if (k == LINKED)
            H5Lcreate_external(other, p->path, file, p->path, H5P_DEFAULT, H5P_DEFAULT);
    } else {
        made = forge_set(file, p->path, k);
    }
    H5Fclose(file);
    return made;
}

/* ---- reading all there is ---- */

enum { OPEN_REFUSED = 1, BRANCH_REFUSED = 2, RESUME_REFUSED = 4, NO_MESSAGE = 8 };

static bool told(vvStatus status, const vvError *error)
{
    return status == VV_OK || (error->message[0] && !strstr(error->message, word));
}

static bool read_frames(const vvRun *run)
{
    vvError error = { 0 };
    size_t vertices = (size_t)vvRunVertexCount(run);
    double *x = calloc(3 * vertices, 8), *v = calloc(3 * vertices, 8);
    int triangles = 0, edges = 0, found;
    bool ok = true;
    for (int b = 0; b < vvRunBodyCount(run); b++)
        triangles += vvRunGetBody(run, b)->triangleCount, edges += vvRunGetBody(run, b)->edgeCount;
    double *of_triangles = calloc((size_t)triangles + 1, 8), *of_edges = calloc((size_t)edges + 1, 8);
    for (int f = 0; x && v && f < vvRunFrameCount(run) && f < 20; f++) {
        ok = told(vvRunReadFrame(run, f, x, v, &error), &error) &&
             told(vvRunReadStateVelocities(run, f, v, &error), &error) &&
             told(vvRunCurvature(run, x, v, &error), &error) &&
             told(vvRunBendingEnergy(run, x, of_triangles, of_edges, &error), &error) &&
             told(vvRunFindIntersections(run, f, NULL, 0, &found, &error), &error) && ok;
        vvRunCarry(run, 3, x);
    }
    free(x), free(v), free(of_triangles), free(of_edges);
    return ok;
}

static bool read_rows(const vvRun *run)
{
    vvError error = { 0 };
    vvLedgerRow row;
    double phases[VV_PHASE_COUNT], *energies = calloc((size_t)vvRunBodyCount(run), 8);
    vvVisible *visible = calloc((size_t)vvRunBodyCount(run), sizeof *visible);
    bool ok = true;
    for (int r = 0; r < vvRunRowCount(run) && r < 20; r++)
        ok = told(vvRunReadRows(run, r, 1, &row, &error), &error) &&
             told(vvRunReadBodyEnergies(run, r, 1, energies, &error), &error) &&
             told(vvRunReadBodyVisible(run, r, 1, visible, &error), &error) &&
             (r == 0 || told(vvRunReadPhases(run, r - 1, 1, phases, &error), &error)) && ok;
    for (int i = 0; i < vvRunChangeCount(run); i++)
        ok = vvRunChange(run, i, NULL) && ok;
    for (int o = 0; o < vvRunObstacleCount(run); o++) {
        vvMesh mesh = { 0 };
        ok = told(vvRunObstacleMesh(run, o, 1, &mesh, &error), &error) && ok;
        vvMeshDestroy(&mesh);
    }
    free(energies), free(visible);
    return ok;
}

static bool export_all(const vvRun *run)
{
    bool ok = true;
    for (int i = 0; vvExportFormatInfo(i); i++) {
        vvError error = { 0 };
        vvExportDef def = vvDefaultExportDef();
        def.format = vvExportFormatInfo(i)->name, def.lastFrame = 1;
        ok = told(vvRunExport(run, &def, FOLDER "/exported", &error), &error) && ok;
    }
    return ok;
}

static int resume_forged(const char *output)
{
    char text[4096];
    vvError error = { 0 };
    vvRunWriter *writer;
    vvResumeDef def = vvDefaultResumeDef();
    def.output = output;
    vvWorld *world = make_world(text, sizeof text);
    int code = 0, refused = output ? BRANCH_REFUSED : RESUME_REFUSED;
    if (vvRunResume(bad, world, &def, &writer, &error) != VV_OK)
        code = refused | (told(VV_ERROR_INPUT, &error) ? 0 : NO_MESSAGE);
    else {
        go_on(writer, world, 1, &error);
        vvRunClose(writer, "done", &error);
    }
    if (code && getenv("VV_SAY"))
        fprintf(stderr, "%s\n", error.message);
    vvWorldDestroy(world);
    return code;
}

static int use(void)
{
    vvError error = { 0 };
    vvRun *run;
    int code = 0;
    if (vvRunOpen(bad, &run, &error) != VV_OK)
        code = OPEN_REFUSED | (told(VV_ERROR_INPUT, &error) ? 0 : NO_MESSAGE);
    else {
        code = read_frames(run) && read_rows(run) && export_all(run) ? 0 : NO_MESSAGE;
        vvRunFree(run);
    }
    if (code && getenv("VV_SAY"))
        fprintf(stderr, "%s\n", error.message);
    code |= resume_forged(branch);
    return code | resume_forged(NULL);
}

/* ---- trying ---- */

static pid_t begin_child(void)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
            signal(signals[k], SIG_DFL); /* cmocka's handlers would go on with the parent's tests */
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        alarm(20);
    }
    return child;
}

static bool tells_secret(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    static char data[1 << 20];
    bool found = false;
    size_t kept = 0;
    for (size_t n; !found && (n = fread(data + kept, 1, sizeof data - kept, f)) > 0;) {
        const size_t there = kept + n, edge = strlen(word) - 1; /* it may lie across two pieces */
        found = memmem(data, there, word, strlen(word)) != NULL;
        kept = there < edge ? there : edge;
        memmove(data, data + there - kept, kept);
    }
    fclose(f);
    return found;
}

static void write_secret(void)
{
    FILE *f = fopen(secret, "wb");
    for (int i = 0; i < 30000; i++)
        fprintf(f, "%s %d\n", word, i);
    fclose(f);
}

/* A hash of a file: whether it has changed. */
static uint64_t mark(const char *path)
{
    uint64_t sum = 1469598103934665603u;
    FILE *f = fopen(path, "rb");
    for (int c; f && (c = fgetc(f)) != EOF;)
        sum = (sum ^ (uint64_t)c) * 1099511628211u;
    if (f)
        fclose(f);
    return sum;
}

static uint64_t secret_mark, other_mark;

static const char *complaint(int status, const struct rusage *used, const part *p, kind k)
{
    static char text[100];
    if (WIFSIGNALED(status))
        return snprintf(text, sizeof text, "ended with signal %d", WTERMSIG(status)), text;
    if (WEXITSTATUS(status) >= 2 * NO_MESSAGE)
        return snprintf(text, sizeof text, "exit code %d", WEXITSTATUS(status)), text;
    if (WEXITSTATUS(status) & NO_MESSAGE)
        return "an error without a message, or with the secret in it";
    if (!sanitized() && used->ru_maxrss > 2 << 20)
        return snprintf(text, sizeof text, "took %ld kB", used->ru_maxrss), text;
    if (mark(secret) != secret_mark || mark(other) != other_mark)
        return "another file was written to";
    if (k != SPARSE && (tells_secret(branch) || tells_secret(bad) || tells_secret(FOLDER "/new.xdmf")))
        return "the secret was copied";
    bool must = (kinds[k].flags & MUST_REFUSE) && p->type != H5O_TYPE_UNKNOWN;
    if (must && (WEXITSTATUS(status) & (BRANCH_REFUSED | RESUME_REFUSED)) != (BRANCH_REFUSED | RESUME_REFUSED))
        return "resumed";
    return NULL;
}

static int tried, refused, wrong;

static void try(const part *p, kind k, bool named)
{
    int status;
    struct rusage used;
    unlink(branch);
    if (((kinds[k].flags & IF_NAMED) && !named) || !forge(good, bad, p, k))
        return;
    pid_t child = begin_child();
    if (child == 0)
        _exit(use());
    assert_int_equal(wait4(child, &status, 0, &used), child);
    tried++;
    refused += WIFEXITED(status) && (WEXITSTATUS(status) & BRANCH_REFUSED);
    const char *what = complaint(status, &used, p, k);
    if (!what)
        return;
    wrong++;
    secret_mark = mark(secret), other_mark = mark(other);
    print_message("%s%s%s, %s: %s\n", p->path, p->name[0] ? " @" : "", p->name, kinds[k].name, what);
}

static void prepare(void)
{
    mkdir(FOLDER, 0777);
    for (int i = 0; i < 2; i++) {
        int status;
        pid_t child = begin_child();
        if (child == 0)
            _exit(make_run(i ? other : good, i ? word : "forged"));
        waitpid(child, &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    write_secret();
    secret_mark = mark(secret), other_mark = mark(other);
    list_parts();
}

static void test_forged_files(void **state)
{
    (void)state;
    prepare();
    const int stride = sized(40, 5, 1), turn = sized_begin(stride);
    int sets = 0;
    for (int i = 0, n = 0; i < part_count; i++) {
        sets += parts[i].type == H5O_TYPE_DATASET;
        for (int k = 0; k < KINDS; k++, n++)
            if (n % stride == turn)
                try(parts + i, (kind)k, false);
    }
    print_message("%d data sets, %d parts; %d forged files, %d refused, %d wrong\n", sets, part_count, tried, refused,
                  wrong);
    assert_true(sets > 60 && tried > 20 && refused > tried / 3);
    assert_int_equal(wrong, 0);
}

/* Which of them once did harm. */
static void test_worst_ones(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        kind k;
    } worst[] = {
        { "/VTKHDF/Steps/PartOffsets", COLUMNS },
        { "/VTKHDF/Steps/CellOffsets", COLUMNS },
        { "/VTKHDF/Steps/ConnectivityIdOffsets", COLUMNS },
        { "/VTKHDF/Types", EXTERNAL },
        { "/VTKHDF/Types", VIRTUAL },
        { "/VTKHDF/Steps/Values", EXTERNAL },
        { "/VTKHDF/Steps/PartOffsets", EXTERNAL },
        { "/visviva/status", EXTERNAL },
        { "/visviva/change_texts", COLUMNS },
        { "/visviva/obstacle_values", SPARSE },
        { "/VTKHDF/Connectivity", SPARSE },
        { "/visviva/tets", SPARSE },
        { "/visviva", LINKED },
        { "/VTKHDF/PointData", LINKED },
    };
    for (size_t w = 0; w < sizeof worst / sizeof *worst; w++)
        for (int i = 0; i < part_count; i++)
            if (strcmp(parts[i].path, worst[w].path) == 0 && parts[i].type != H5O_TYPE_UNKNOWN)
                try(parts + i, worst[w].k, true);
    for (int i = 0; i < part_count; i++)
        if (strcmp(parts[i].name, "NSteps") == 0)
            try(parts + i, COLUMNS, true);
    assert_int_equal(wrong, 0);
}

/* What the user reads: the file, the part of it, what was found, what is allowed. */
static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        kind k;
        const char *words;
    } cases[] = {
        { "/VTKHDF/Connectivity", SPARSE, " is larger than a run can be" },
        { "/VTKHDF/Types", EXTERNAL,
          " is stored in another file (\"" FOLDER "/secret.txt\"): refused; "
          "a run file holds all of its data itself" },
        { "/VTKHDF/Types", VIRTUAL, " is a view of other data sets" },
        { "/VTKHDF/Types", PACKED, " is compressed" },
        { "/VTKHDF/Types", LINKED, " is a link to another file (\"" FOLDER "/secret.h5\")" },
        { "/VTKHDF/PointData", LINKED, " is a link to another file (\"" FOLDER "/secret.h5\")" },
        { "/VTKHDF/Types", SOFT, " is a link: refused" },
        { "/VTKHDF/Types", MISSING, " is missing" },
        { "/VTKHDF/Types", GROUP, " is not a data set" },
        { "/VTKHDF/Types", STRING, " has elements of another type (texts; whole numbers are right)" },
        { "/VTKHDF/Types", REFERENCE, " has elements of a type that no run file has" },
        { "/VTKHDF/Steps/PartOffsets", COLUMNS, " has 2 dimensions; 1 is right" },
        { "/VTKHDF/Steps/CellOffsets", COLUMNS, " has 100000 columns; 1 is right" },
        { "/VTKHDF/Steps/CellOffsets", HUGE, " says that it is larger than the whole file" },
        { "/VTKHDF/Steps/CellOffsets", FEWER, " is shorter than the run (9 rows of 10)" },
    };
    char text[4096];
    vvWorld *world = make_world(text, sizeof text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        part p = { .type = strcmp(cases[i].path, "/VTKHDF/PointData") == 0 ? H5O_TYPE_GROUP : H5O_TYPE_DATASET };
        snprintf(p.path, sizeof p.path, "%s", cases[i].path);
        assert_true(forge(good, bad, &p, cases[i].k));
        vvError error = { 0 };
        vvRunWriter *writer;
        vvResumeDef def = vvDefaultResumeDef();
        def.output = branch;
        assert_int_equal(vvRunResume(bad, world, &def, &writer, &error), VV_ERROR_INPUT);
        char words[400];
        snprintf(words, sizeof words, "/bad.vtkhdf: %s%s", cases[i].path, cases[i].words);
        if (!strstr(error.message, words))
            fail_msg("%s\nlacks: %s", error.message, words);
    }
    vvWorldDestroy(world);
}

/* A file that says that it is one of several (HDF5's "family"). */
static void test_family(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvRun *run;
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_family(list, 1 << 20, H5P_DEFAULT);
    hid_t file = H5Fcreate(FOLDER "/family%d.h5", H5F_ACC_TRUNC, H5P_DEFAULT, list);
    H5Gclose(H5Gcreate2(file, "/visviva", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    H5Pclose(list);
    assert_int_equal(vvRunOpen(FOLDER "/family0.h5", &run, &error), VV_ERROR_INPUT);
    assert_true(strstr(error.message, "family0.h5 cannot be opened") != NULL);
}

static int forge_one(char **argv)
{
    part p = { .type = H5O_TYPE_DATASET };
    snprintf(p.path, sizeof p.path, "%s", argv[6]);
    secret = argv[4], other = argv[5];
    for (int k = 0; k < KINDS; k++)
        if (strcmp(kinds[k].name, argv[7]) == 0)
            return forge(argv[2], argv[3], &p, (kind)k) ? 0 : 1;
    return 1;
}

int main(int argc, char **argv)
{
    if (argc == 8)
        return forge_one(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forged_files),
        cmocka_unit_test(test_worst_ones),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
