/* The scenes that come with the program, by name: "visviva run critter-drop"; warnings about a scene's settings. */
#include "cli.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { FOLDERS = 3, MOST_SCENES = 256 };

/* Where scenes may be: here, installed beside the program, in the checkout that it was built in. NULL past the end. */
static const char *folder(int index, char out[4096])
{
    static const char *const places[FOLDERS] = { "scenes", "/../share/visviva/scenes", "/../scenes" };
    char program[3800];
    if (index == 0)
        return places[0];
    ssize_t n = index < FOLDERS ? readlink("/proc/self/exe", program, sizeof program - 1) : -1;
    if (n <= 0)
        return NULL;
    program[n] = 0;
    char *slash = strrchr(program, '/');
    if (!slash)
        return NULL;
    *slash = 0;
    snprintf(out, 4096, "%s%s", program, places[index]);
    return out;
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The scenes of a folder, without ".json", sorted: how many. Free each. */
static int list_folder(const char *path, char *names[MOST_SCENES])
{
    int count = 0;
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir)) && count < MOST_SCENES;) {
        size_t n = strlen(entry->d_name);
        if (n < 6 || strcmp(entry->d_name + n - 5, ".json") != 0)
            continue;
        char *name = strndup(entry->d_name, n - 5);
        if (name)
            names[count++] = name;
    }
    if (dir)
        closedir(dir);
    qsort(names, (size_t)count, sizeof *names, compare_names);
    return count;
}

/* "a, b, c", as many as fit. */
static void join(char *const *names, int count, char *out, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < count && used + strlen(names[i]) + 8 < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", names[i]);
}

static int no_scene(const char *name)
{
    char *names[MOST_SCENES], place[4096], hint[VV_HINT], all[900] = "none was found";
    int count = 0;
    for (int f = 0; f < FOLDERS && !count; f++)
        if (folder(f, place))
            count = list_folder(folder(f, place), names);
    vv_cli_hint(hint, name, (const char *const *)names, count);
    join(names, count, all, sizeof all);
    vv_cli_wrong("there is no file %s and no scene of that name%s (the scenes are: %s)", name, hint, all);
    for (int i = 0; i < count; i++)
        free(names[i]);
    return VV_EXIT_WRONG;
}

int vv_cli_find_scene(const char **path, char room[VV_SCENE_ROOM])
{
    char place[4096];
    const char *name = *path;
    if (strchr(name, '/') || access(name, F_OK) == 0)
        return VV_CLI_GO; /* what is wrong with a file that is there, is said by whoever opens it */
    snprintf(room, VV_SCENE_ROOM, "%s.json", name);
    if (access(room, R_OK) == 0) {
        *path = room;
        return VV_CLI_GO;
    }
    for (int f = 0; f < FOLDERS; f++) {
        const char *at = folder(f, place);
        for (int ending = 0; at && ending < 2; ending++) {
            snprintf(room, VV_SCENE_ROOM, "%s/%s%s", at, name, ending ? "" : ".json");
            if (access(room, R_OK) == 0) {
                *path = room;
                return VV_CLI_GO;
            }
        }
    }
    return strchr(name, '.') ? VV_CLI_GO : no_scene(name); /* "absent.json": was meant as a file */
}

int vv_cli_want_scene(const char **path, char room[VV_SCENE_ROOM])
{
    static const char *const meshes[] = { ".obj",  ".stl",   ".ply",  ".msh", ".vtk",  ".vtu",  ".vtp",  ".off", ".inp",
                                          ".mesh", ".meshb", ".node", ".ele", ".face", ".edge", ".gltf", ".glb" };
    const char *ending = vv_cli_ending(*path);
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        if (strcasecmp(ending, meshes[i]) == 0)
            return vv_cli_wrong("%s is a mesh, not a scene: visviva new %s makes a scene from it", *path, *path);
    return vv_cli_find_scene(path, room);
}

/* ---- what a world's settings may do ---- */

static void warn_of_push(vvWorld *world)
{
    static const double high = 10; /* activation distances: bodies at rest on each other have less than one each */
    const vvWorldDef *def = vvWorldGetDef(world);
    const double *masses = vvWorldMasses(world), *g = def->gravity;
    double weight = 0;
    char energy[VV_TEXT], lift[VV_TEXT], gap[VV_TEXT];
    vvLedgerRow row;
    vvError ignored;
    if (!vv_cli_has_contact(def) || vvWorldLedger(world, &row, &ignored) || !(row.contact > 0))
        return;
    for (int i = 0; i < vvWorldNodeCount(world); i++)
        weight += masses[i];
    weight *= sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (!(weight > 0) || row.contact <= high * def->contact.distance * weight)
        return;
    vv_cli_warn("bodies start so close to each other or to obstacles that contact throws them apart: its %s at the "
                "start could lift all of them "
                "by %s. Leave contact.distance, %s, between them, or make it smaller",
                vv_text_quantity(energy, row.contact, "J"), vv_text_quantity(lift, row.contact / weight, "m"),
                vv_text_quantity(gap, def->contact.distance, "m"));
}

static void warn_of_tolerance(const vvWorldDef *def)
{
    if (vv_cli_has_contact(def) && def->solver.tolerance * def->timeStep > def->contact.distance)
        vv_cli_warn(
            "a step of solver.tolerance (m/s) times h is longer than contact.distance: choose a smaller tolerance");
}

/* The scheme or policy that has the parameter; *used: it is one of those in use. NULL: none has it. */
static const char *owner_of(const char *name, const vvIntegratorDef *def, bool *used)
{
    const char *owner = NULL;
    int count;
    *used = false;
    for (int policies = 0; policies < 2; policies++)
        for (int i = 0; policies ? vvPolicyInfo(i) != NULL : vvSchemeInfo(i) != NULL; i++) {
            const vvInfo *info = policies ? vvPolicyInfo(i) : vvSchemeInfo(i);
            const vvParam *params = policies ? vvPolicyParams(i, &count) : vvSchemeParams(i, &count);
            for (int p = 0; p < count; p++)
                if (strcmp(params[p].name, name) == 0) {
                    owner = info->name;
                    *used = *used || strcmp(info->name, policies ? def->policy : def->scheme) == 0;
                }
        }
    return owner;
}

static void warn_of_sets(const vv_option_list *sets, const vvWorldDef *def)
{
    static const char group[] = "integrator.";
    for (int i = 0; i < sets->count; i++) {
        char name[64];
        bool used;
        if (strncmp(sets->values[i], group, sizeof group - 1) != 0)
            continue;
        const char *from = sets->values[i] + sizeof group - 1;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(from, ".[="), from);
        const char *owner = owner_of(name, &def->integrator, &used);
        if (owner && !used)
            vv_cli_warn("--set %s changes nothing: it is a parameter of \"%s\"; in use are %s and policy %s",
                        sets->values[i], owner, def->integrator.scheme, def->integrator.policy);
    }
}

void vv_cli_warn_of_settings(const vv_option_list *sets, vvWorld *world, bool at_start)
{
    warn_of_tolerance(vvWorldGetDef(world));
    warn_of_sets(sets, vvWorldGetDef(world));
    if (at_start)
        warn_of_push(world);
}

/* ---- for visviva list ---- */

static void show(const char *place, const char *name, void (*visit)(void *user, const vvInfo *info), void *user)
{
    char path[4500];
    snprintf(path, sizeof path, "%s/%s.json", place, name);
    json_t *root = json_load_file(path, 0, NULL);
    const char *what = json_string_value(json_object_get(root, "description"));
    if (!what)
        what = json_string_value(json_object_get(root, "name"));
    visit(user, &(vvInfo){ .name = name, .summary = what ? what : "" });
    json_decref(root);
}

void vv_cli_each_scene(void (*visit)(void *user, const vvInfo *info), void *user)
{
    char *names[MOST_SCENES], place[4096];
    int count = 0;
    for (int f = 0; f < FOLDERS && !count; f++) {
        const char *at = folder(f, place);
        count = at ? list_folder(at, names) : 0;
        for (int i = 0; i < count; i++) {
            show(at, names[i], visit, user);
            free(names[i]);
        }
    }
}
