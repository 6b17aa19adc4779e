/* Bodies of tets with a material for each region: what each weighs. */
#include "cli.h"
#include "json.h"

#include <stdio.h>

typedef struct region {
    vvMaterialDef material;
    int tets;
    double volume;
} region;

static double tet_volume(const vvMesh *mesh, int tet)
{
    const int *v = mesh->tets + 4 * (size_t)tet;
    double d[3][3];
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            d[a][k] = mesh->positions[3 * (size_t)v[a + 1] + (size_t)k] - mesh->positions[3 * (size_t)v[0] + (size_t)k];
    return (d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
            d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0])) /
           6;
}

/* False: there is none of that index. Of order 2 the volume is that of the tets which are drawn. */
static bool find_region(const vvWorld *world, vvBodyId body, const vvMesh *mesh, int index, region *r)
{
    vvBodyElements e;
    vvBodyGetElements(world, body, &e);
    const int per = e.tet10Count ? 8 : 1;
    *r = (region){ .tets = 0 };
    if (!e.tetMaterials || !vvBodyGetMaterial(world, body, index, &r->material))
        return false;
    for (int t = 0; t < mesh->tetCount; t++)
        if (e.tetMaterials[t / per] == index)
            r->tets += t % per == 0, r->volume += tet_volume(mesh, t);
    return true;
}

void vv_cli_print_regions(const vvWorld *world, vvBodyId body, const vvMesh *mesh)
{
    region r;
    for (int m = 0; find_region(world, body, mesh, m, &r); m++)
        printf("    material %d, %s: %d tets, %.4g m3, %.4g kg\n", m, r.material.model, r.tets, r.volume,
               r.volume * r.material.density);
}

json_t *vv_json_regions(const vvWorld *world, vvBodyId body, const vvMesh *mesh)
{
    json_t *list = json_array();
    region r;
    for (int m = 0; find_region(world, body, mesh, m, &r); m++)
        json_array_append_new(list, json_pack("{s:s, s:i, s:f, s:f}", "model", r.material.model, "tets", r.tets,
                                              "volume", r.volume, "mass", r.volume * r.material.density));
    return list;
}
