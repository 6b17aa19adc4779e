/* Runs are kept, and taken again while the scene, the files that it reads and the program are the same: each has a
 * name that is made of all of that, and its figures beside the run file. */
#include "reproduce/reproduce.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

void vv_repro_keep_begin(vv_repro *r)
{
    hash h = { 0xcbf29ce484222325u, 0x9ae16a3b2f90404fu };
    if (!add_file(&h, "/proc/self/exe"))
        add(&h, vvVersion(), strlen(vvVersion()));
    r->program[0] = h.a;
    r->program[1] = h.b;
}

int vv_repro_keep_name(const vv_repro *r, vv_repro_run *run)
{
    hash h = { r->program[0], r->program[1] };
    json_t *scene = json_loads(run->plan.scene, 0, NULL);
    add(&h, run->plan.scene, strlen(run->plan.scene));
    add_files(&h, scene);
    json_decref(scene);
    if (run->kind->work) { /* what is no run of a scene is made of more than the scene */
        char *spec = json_dumps(run->spec, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
        add(&h, spec ? spec : "", strlen(spec ? spec : ""));
        free(spec);
    }
    snprintf(run->key, sizeof run->key, "%016" PRIx64 "%016" PRIx64, h.a, h.b);
    snprintf(run->path, sizeof run->path, "%.4000s/runs/%s.vtkhdf", r->folder, run->key);
    snprintf(run->kept, sizeof run->kept, "%.4000s/runs/%s.json", r->folder, run->key);
    return vv_cli_make_folders(run->path) ? VV_CLI_GO : VV_EXIT_FAILED;
}

bool vv_repro_keep_figures(vv_repro_run *run)
{
    json_t *figures = json_load_file(run->kept, 0, NULL);
    if (!json_is_string(json_object_get(figures, "status"))) {
        json_decref(figures);
        return false;
    }
    run->figures = figures;
    return true;
}

bool vv_repro_keep_find(vv_repro_run *run) { return access(run->path, R_OK) == 0 && vv_repro_keep_figures(run); }

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
