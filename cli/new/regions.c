/* visviva new: a mesh of tets with several groups of them, such as physical volumes, gets a material for each, all
 * alike: which groups these are. */
#include "new/new.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_REGIONS = 64, SHOWN = 8 };

/* The length of what names of one array have in common, "material 3" and "material 7": all but the last word. */
static size_t family(const char *name)
{
    const char *blank = strrchr(name, ' ');
    return blank ? (size_t)(blank - name) : strlen(name);
}

static bool may_be_region(const vvMesh *mesh, int g)
{
    return mesh->groups[g].tetCount > 0 && mesh->groups[g].tetCount < mesh->tetCount;
}

/* Chooses the groups of one family, or without `like` all; true if each tet is in one of them. of[]: the region of
 * each tet. */
static bool choose(const vvMesh *mesh, const char *like, const char **names, int *count, int *of)
{
    const size_t length = like ? family(like) : 0;
    int64_t tets = 0;
    vvError unsaid;
    *count = 0;
    for (int g = 0; g < mesh->groupCount; g++) {
        const char *name = mesh->groups[g].name;
        if (!may_be_region(mesh, g) || (like && (family(name) != length || strncmp(name, like, length) != 0)))
            continue;
        if (*count == MOST_REGIONS || !vv_cli_is_utf8(name))
            return false;
        names[(*count)++] = name;
        tets += mesh->groups[g].tetCount;
    }
    return *count > 1 && tets == mesh->tetCount && vvMeshTetRegions(mesh, names, *count, of, &unsaid) == VV_OK;
}

static bool find(const vvMesh *mesh, const char **names, int *count, int *of)
{
    bool found = choose(mesh, NULL, names, count, of);
    for (int g = 0; !found && g < mesh->groupCount; g++)
        if (may_be_region(mesh, g))
            found = choose(mesh, mesh->groups[g].name, names, count, of);
    return found;
}

/* Whether tets of different regions share vertices. */
static bool are_joined(const vvMesh *mesh, const int *of, bool *joined)
{
    int *region = malloc(((size_t)mesh->vertexCount + 1) * sizeof *region);
    *joined = false;
    for (int v = 0; region && v < mesh->vertexCount; v++)
        region[v] = -1;
    for (int i = 0; region && i < 4 * mesh->tetCount; i++) {
        int *at = region + mesh->tets[i];
        *joined = *joined || (*at >= 0 && *at != of[i / 4]);
        *at = of[i / 4];
    }
    free(region);
    return region;
}

static void say_undivided(const vvMesh *mesh)
{
    int count = 0;
    for (int g = 0; g < mesh->groupCount; g++)
        count += may_be_region(mesh, g);
    if (count == 0)
        return;
    printf("    %d groups of tets (visviva info lists them), of which no choice has each tet in one: the body has one "
           "material;\n    \"materials\" of a body takes groups that have\n",
           count);
}

int vv_new_find_regions(const vvMesh *mesh, vv_new_regions *regions)
{
    const char **names = malloc(MOST_REGIONS * sizeof *names);
    int *of = malloc(((size_t)mesh->tetCount + 1) * sizeof *of), count = 0;
    bool good = names && of;
    if (good && find(mesh, names, &count, of)) {
        regions->names = calloc((size_t)count, sizeof *regions->names);
        good = regions->names && are_joined(mesh, of, &regions->joined);
        for (int i = 0; good && i < count; i++)
            snprintf(regions->names[i], sizeof regions->names[i], "%s", names[i]);
        regions->count = good ? count : 0;
    } else if (good)
        say_undivided(mesh);
    free(names);
    free(of);
    if (good)
        return VV_CLI_GO;
    vv_cli_wrong("no memory for the groups of the mesh");
    return VV_EXIT_FAILED;
}

void vv_new_print_regions(const vv_new_regions *regions)
{
    printf("    %d groups of tets, each with a material of its own, which are alike so far:", regions->count);
    for (int i = 0; i < regions->count && i < SHOWN; i++)
        printf("%s \"%s\"", i ? "," : "", regions->names[i]);
    puts(regions->count > SHOWN ? ", ...; see \"materials\" in the scene" : "; see \"materials\" in the scene");
}
