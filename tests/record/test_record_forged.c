/* Run files forged through HDF5: each data set, group and attribute of a real run in turn is of another shape or type,
 * lies in another file, is packed, a link, or holds numbers that mean nothing. Opening, reading, exporting and resuming
 * end in data or in one message, within 20 s and 2 GB; nothing of another file of the machine gets into what is
 * written, and nothing is written there.
 *   test_record_forged forge RUN FORGED SECRET OTHER PATH KIND    makes one such file for tests of the program */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forging.h"
#include "read_all.h"
#include "size.h"
#include "visviva/visviva.h"

#define FOLDER VV_BUILD_DIR "/test_record_forged_files"
static const char good[] = FOLDER "/good.vtkhdf", bad[] = FOLDER "/bad.vtkhdf", branch[] = FOLDER "/new.vtkhdf";

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
            vvRunAddNote(writer, "warning: a note", error) != VV_OK || vvRunAddFrame(writer, world, error) != VV_OK)
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

/* ---- reading all there is ---- */

enum { OPEN_REFUSED = 1, BRANCH_REFUSED = 2, RESUME_REFUSED = 4, NO_MESSAGE = 8 };

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
        code = read_frames(run) && read_rows(run) && export_all(run, FOLDER "/exported") ? 0 : NO_MESSAGE;
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
            signal(signals[k], SIG_DFL); /* cmocka's handlers would continue with the parent's tests */
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
    secret = FOLDER "/secret.txt", other = FOLDER "/secret.h5";
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
    list_parts(good);
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
        { "/visviva/note_texts", COLUMNS },
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
        { "/VTKHDF/Types", LINKED, "or refers to other files: refused; a run file holds all of its data itself" },
        { "/VTKHDF/PointData", LINKED, "or refers to other files: refused; a run file holds all of its data itself" },
        { "/VTKHDF/Types", SOFT, " is a link: refused" },
        { "/VTKHDF/Types", MISSING, " is missing" },
        { "/VTKHDF/Types", GROUP, " is not a data set" },
        { "/VTKHDF/Types", STRING, " has elements of another type (texts; whole numbers are right)" },
        { "/VTKHDF/Types", REFERENCE, " has elements of a type that does not occur in run files" },
        { "/visviva/contact_stiffness_body", CHARACTERS, " has elements of a type that does not occur in run files" },
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
        /* a group with a link to another file is in HDF5's newer layout, of which no part is looked at */
        if (cases[i].k == LINKED)
            snprintf(words, sizeof words, "%s", cases[i].words);
        else
            snprintf(words, sizeof words, "/bad.vtkhdf: %s%s", cases[i].path, cases[i].words);
        if (!strstr(error.message, words))
            fail_msg("%s\nlacks: %s", error.message, words);
    }
    vvWorldDestroy(world);
}

/* A part that files of older versions lack may be missing beside another one. */
static void test_half_missing(void **state)
{
    (void)state;
    char text[4096];
    vvError error = { 0 };
    vvRunWriter *writer;
    vvResumeDef def = vvDefaultResumeDef();
    def.output = branch;
    vvWorld *world = make_world(text, sizeof text);
    const part p = { .path = "/visviva/contact_stiffness_body", .type = H5O_TYPE_DATASET };
    assert_true(forge(good, bad, &p, MISSING));
    if (vvRunResume(bad, world, &def, &writer, &error) != VV_OK)
        fail_msg("%s", error.message);
    assert_int_equal(vvRunClose(writer, "done", &error), VV_OK);
    vvWorldDestroy(world);
}

/* What cannot be read while a run is copied is the old file's fault, not that of the new one. */
static void test_unreadable_part(void **state)
{
    (void)state;
    char text[4096];
    vvWorld *world = make_world(text, sizeof text);
    struct stat info;
    assert_int_equal(stat(good, &info), 0);
    char *data = malloc((size_t)info.st_size);
    FILE *f = fopen(good, "rb");
    assert_int_equal(fread(data, 1, (size_t)info.st_size, f), info.st_size);
    fclose(f);
    int trees = 0, tried_here = 0, copied = 0;
    const int every = sized(7, 3, 1);
    for (size_t at = 0; at + 4 <= (size_t)info.st_size; at += 4) {
        vvError error = { 0 };
        vvRunWriter *writer;
        vvResumeDef def = vvDefaultResumeDef();
        def.output = branch;
        if (memcmp(data + at, "TREE", 4) != 0)
            continue;
        if (trees++ % every != 0)
            continue;
        memcpy(data + at, "EERT", 4), tried_here++;
        f = fopen(bad, "wb");
        assert_int_equal(fwrite(data, 1, (size_t)info.st_size, f), info.st_size);
        fclose(f);
        memcpy(data + at, "TREE", 4);
        if (vvRunResume(bad, world, &def, &writer, &error) == VV_OK)
            copied++, vvRunClose(writer, "done", &error);
        else if (error.status != VV_ERROR_INPUT || !strstr(error.message, "/bad.vtkhdf"))
            fail_msg("a tree at %zu: %s", at, error.message);
    }
    print_message("%d of %d trees damaged, %d runs went on\n", tried_here, trees, copied);
    assert_true(tried_here > 1 && copied < tried_here);
    free(data);
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
        cmocka_unit_test(test_forged_files), cmocka_unit_test(test_worst_ones),      cmocka_unit_test(test_messages),
        cmocka_unit_test(test_half_missing), cmocka_unit_test(test_unreadable_part), cmocka_unit_test(test_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
