/* Runs are kept, and taken again while the scene, the files that it reads and the program are the same: each has a
 * name that is made of all of that, and its figures beside the run file. */
#include "reproduce/reproduce.h"

#include "child.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct hash {
    uint64_t a, b;
} hash; /* FNV-1a, and one with another start */

static void add(hash *h, const void *data, size_t size)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++) {
        h->a = (h->a ^ p[i]) * 0x100000001b3u;
        h->b = (h->b ^ p[i]) * 0x100000001b3u;
        h->b ^= h->b >> 29;
    }
}

static bool add_file(hash *h, const char *path)
{
    static const size_t size = 1 << 16;
    unsigned char *block = malloc(size);
    FILE *file = block ? fopen(path, "rb") : NULL;
    for (size_t got; file && (got = fread(block, 1, size, file)) > 0;)
        add(h, block, got);
    bool good = file != NULL;
    if (file)
        fclose(file);
    free(block);
    return good;
}

/* Texts of a scene that are absolute paths of files: meshes. */
static void add_files(hash *h, json_t *node)
{
    const char *key;
    json_t *value;
    size_t index;
    struct stat about;
    json_array_foreach(node, index, value) add_files(h, value);
    json_object_foreach(node, key, value) add_files(h, value);
    if (json_is_string(node) && json_string_value(node)[0] == '/' && stat(json_string_value(node), &about) == 0 &&
        S_ISREG(about.st_mode))
        add_file(h, json_string_value(node));
}

/* The last line that a command prints; "": none. */
static void line_of(const vv_repro *r, const char *const *argv, char *out, size_t size)
{
    char log[4200];
    vv_child child;
    out[0] = 0;
    snprintf(log, sizeof log, "%.4000s/runs/commit.log", r->folder);
    if (vv_child_exists(argv[0]) && vv_child_start(&child, argv, argv[0], log)) {
        if (vv_child_wait(&child, 20) == VV_CHILD_GOOD)
            vv_child_said(&child, out, size);
        remove(log);
    }
}

static void processor(char *out, size_t size)
{
    char line[300];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(out, size, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value) {
            snprintf(out, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

/* What runs that begin now are made by. */
static json_t *made(const vv_repro *r)
{
    char commit[200], machine[200], date[32];
    const char *folder = r->paperCount ? r->papers[0].folder : ".";
    const char *const argv[] = { "git", "-C", folder, "describe", "--always", "--dirty", "--abbrev=12", NULL };
    const time_t now = time(NULL);
    line_of(r, argv, commit, sizeof commit);
    processor(machine, sizeof machine);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    return json_pack("{s:s, s:s, s:s, s:s}", "version", vvVersion(), "commit", commit[0] ? commit : "unknown",
                     "machine", machine, "date", date);
}

int vv_repro_keep_begin(vv_repro *r)
{
    hash h = { 0xcbf29ce484222325u, 0x9ae16a3b2f90404fu };
    if (!add_file(&h, "/proc/self/exe"))
        add(&h, vvVersion(), strlen(vvVersion()));
    r->program[0] = h.a;
    r->program[1] = h.b;
    r->made = made(r);
    return r->made ? VV_CLI_GO : vv_repro_memory();
}

/* The newest of the kept figures of this scene, whatever program made them: its name without ".json". */
static bool newest(const vv_repro *r, const char *scene, char key[80])
{
    char folder[4200], path[4500];
    time_t best = 0;
    struct stat about;
    snprintf(folder, sizeof folder, "%.4000s/runs", r->folder);
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        size_t n = strlen(entry->d_name);
        snprintf(path, sizeof path, "%s/%.250s", folder, entry->d_name);
        if (strncmp(entry->d_name, scene, strlen(scene)) == 0 && n > 5 && n < 80 &&
            strcmp(entry->d_name + n - 5, ".json") == 0 && stat(path, &about) == 0 && about.st_mtime >= best) {
            best = about.st_mtime;
            snprintf(key, 80, "%.*s", (int)(n - 5), entry->d_name);
        }
    }
    if (dir)
        closedir(dir);
    return best != 0;
}

int vv_repro_keep_name(const vv_repro *r, vv_repro_run *run)
{
    hash h = { 0xcbf29ce484222325u, 0x9ae16a3b2f90404fu };
    char scene_key[40];
    json_t *scene = json_loads(run->plan.scene, 0, NULL);
    add(&h, run->plan.scene, strlen(run->plan.scene));
    add_files(&h, scene);
    json_decref(scene);
    if (run->kind->work) { /* what is no run of a scene is made of more than the scene */
        char *spec = json_dumps(run->spec, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
        add(&h, spec ? spec : "", strlen(spec ? spec : ""));
        free(spec);
    }
    snprintf(scene_key, sizeof scene_key, "%016" PRIx64 "%08" PRIx32, h.a, (uint32_t)h.b);
    if (!r->judge || !newest(r, scene_key, run->key))
        snprintf(run->key, sizeof run->key, "%s-%016" PRIx64, scene_key, r->program[0] ^ r->program[1]);
    snprintf(run->path, sizeof run->path, "%.4000s/runs/%s.vtkhdf", r->folder, run->key);
    snprintf(run->kept, sizeof run->kept, "%.4000s/runs/%s.json", r->folder, run->key);
    return vv_cli_make_folders(run->path) ? VV_CLI_GO : VV_EXIT_FAILED;
}

bool vv_repro_keep_figures(const vv_repro *r, vv_repro_run *run)
{
    json_t *figures = r->again ? NULL : json_load_file(run->kept, 0, NULL);
    if (!json_is_string(json_object_get(figures, "status"))) {
        json_decref(figures);
        return false;
    }
    run->figures = figures;
    return true;
}

bool vv_repro_keep_find(const vv_repro *r, vv_repro_run *run)
{
    return access(run->path, R_OK) == 0 && vv_repro_keep_figures(r, run);
}

bool vv_repro_run_rows(vv_repro_run *run, char why[VV_REPRO_WHY])
{
    vvError error = { 0 };
    if (run->rows)
        return true;
    if (!run->file && vvRunOpen(run->path, &run->file, &error) != VV_OK) {
        snprintf(why, VV_REPRO_WHY, "%.390s", error.message);
        return false;
    }
    run->rowCount = vvRunRowCount(run->file);
    run->rows = calloc((size_t)run->rowCount + 1, sizeof *run->rows);
    if (!run->rows || vvRunReadRows(run->file, 0, run->rowCount, run->rows, &error) != VV_OK) {
        snprintf(why, VV_REPRO_WHY, "%.390s", run->rows ? error.message : "out of memory");
        free(run->rows);
        run->rows = NULL;
        return false;
    }
    return true;
}

double vv_repro_run_energy(vv_repro_run *run, double *ground, char why[VV_REPRO_WHY])
{
    if (!vv_repro_run_rows(run, why))
        return NAN;
    *ground = isfinite(run->rows[0].groundEnergy) ? run->rows[0].groundEnergy : 0;
    double energy = run->rows[0].total - *ground;
    if (energy > 0)
        return energy;
    return vv_repro_none(
        why,
        "the energy at the start is %.3g J, of which nothing can be a multiple; \"integrator.ground_energy\": \"auto\" "
        "measures it from that at rest",
        energy);
}
