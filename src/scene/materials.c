/* Materials of a scene: those of its table and those of its bodies, each based on the one named by "like". */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "energy/elements.h"
#include "scene/document.h"

enum { LONGEST_CHAIN = 64 };

static vvStatus unknown_material(vv_document *doc, const char *where, const char *name)
{
    char hint[96], shown[80];
    const char *key;
    json_t *value;
    vv_words words = { .wrong = name };
    json_object_foreach(json_object_get(doc->root, "materials"), key, value) vv_words_add(&words, key);
    return vv_scene_fail(doc, where, "there is no material \"%s\"; there are: %s%s", vv_scene_printable(name, shown),
                         words.count ? words.list : "none", vv_words_hint(&words, hint));
}

/* Follows "like" from a material until it ends, or so often that it must be cyclic. */
static vvStatus check_chain(vv_document *doc, const char *where, const json_t *material)
{
    const json_t *all = json_object_get(doc->root, "materials"), *at = material;
    char place[VV_SCENE_PATH];
    vv_scene_child(place, where, "like");
    for (int steps = 0; steps < LONGEST_CHAIN; steps++) {
        const char *name = json_string_value(json_object_get(at, "like"));
        if (!name)
            return VV_OK;
        at = json_object_get(all, name);
        if (!at)
            return unknown_material(doc, place, name);
    }
    return vv_scene_fail(doc, place, "materials are \"like\" each other in a circle; break it");
}

static vvStatus check_material_numbers(vv_document *doc, const char *where, const json_t *object, bool lame_below)
{
    bool elastic = json_object_get(object, "young") || json_object_get(object, "poisson");
    bool mu = json_object_get(object, "mu") != NULL, lambda = json_object_get(object, "lambda") != NULL;
    const json_t *damping = json_object_get(object, "damping");
    double rate = 0, per_step = 0;
    if (elastic && (mu || lambda))
        return vv_scene_fail(doc, where, "found both young, poisson and mu, lambda; give one pair");
    if (mu != lambda && !lame_below)
        return vv_scene_fail(doc, where, "found %s alone; mu and lambda go together", mu ? "mu" : "lambda");
    if (json_object_get(object, "density") && json_object_get(object, "mass"))
        return vv_scene_fail(doc, where, "found both density and mass; give one");
    vv_read_number(damping, "momentum_rate", &rate);
    vv_read_number(damping, "momentum_per_step", &per_step);
    if (rate > 0 && per_step > 0)
        return vv_scene_fail(doc, where, "damping: found both momentum_rate and momentum_per_step; give one");
    return VV_OK;
}

static void apply_material(vv_document *doc, const json_t *object, vvMaterialDef *material)
{
    const json_t *damping = json_object_get(object, "damping");
    if (json_object_get(object, "young") || json_object_get(object, "poisson"))
        material->lame = false;
    if (json_object_get(object, "mu") || json_object_get(object, "lambda"))
        material->lame = true;
    if (json_object_get(object, "density"))
        material->totalMass = 0;
    if (json_object_get(damping, "momentum_rate"))
        material->damping.momentumPerStep = 0;
    if (json_object_get(damping, "momentum_per_step"))
        material->damping.momentumRate = 0;
    vv_read_members(doc, object, "materials.NAME", &vv_material_members, material, NULL);
}

vvStatus vv_scene_material(vv_document *doc, const char *where, const json_t *value, vvMaterialDef *material)
{
    const json_t *all = json_object_get(doc->root, "materials"), *chain[LONGEST_CHAIN + 1];
    int count = 0;
    bool named_young = false;
    if (json_is_string(value)) {
        const json_t *named = json_object_get(all, json_string_value(value));
        if (!named)
            return unknown_material(doc, where, json_string_value(value));
        value = named;
    }
    vvStatus status = check_chain(doc, where, value);
    for (const json_t *at = value; status == VV_OK && at;
         at = json_object_get(all, json_string_value(json_object_get(at, "like")))) {
        chain[count++] = at;
        if (!json_object_get(at, "like"))
            break;
    }
    for (int i = count - 1; i >= 0 && status == VV_OK; i--) {
        status = check_material_numbers(doc, where, chain[i], material->lame);
        apply_material(doc, chain[i], material);
        named_young = named_young || json_object_get(chain[i], "young");
    }
    if (material->model && !named_young && !material->lame)
        material->young = vvDefaultMaterialOf(material->model).young;
    if (status == VV_OK && vv_check_moduli(material, doc->error) != VV_OK)
        return vv_scene_prefix(doc, where);
    return status;
}

vvStatus vv_scene_materials(vv_document *doc, const char *where, const json_t *value, vvMaterialDef *material,
                            vvMaterialDef **more, int *more_count)
{
    if (!json_is_array(value))
        return value ? vv_scene_material(doc, where, value, material) : VV_OK;
    vvMaterialDef *list = vv_alloc(json_array_size(value) - 1, sizeof *list);
    vvStatus status = list ? VV_OK : vv_fail_memory(doc->error, "materials");
    for (size_t i = 0; status == VV_OK && i < json_array_size(value); i++) {
        vvMaterialDef *to = i == 0 ? material : list + i - 1;
        char item[VV_SCENE_PATH];
        vv_scene_item(item, where, i);
        if (i > 0) { /* a default would be the first one's model again, or one not meant for this mesh */
            *to = vvDefaultMaterialDef();
            to->model = NULL;
        }
        status = vv_scene_material(doc, item, json_array_get(value, i), to);
        if (status == VV_OK && !to->model)
            status = vv_scene_fail(doc, item,
                                   "names no model; the materials after the first need one (visviva list materials)");
    }
    if (status != VV_OK) {
        vv_free(list);
        return status;
    }
    *more = list;
    *more_count = (int)json_array_size(value) - 1;
    return VV_OK;
}

static vvStatus find_regions(vv_document *doc, const char *where, const json_t *value, const vvMesh *mesh,
                             int **tet_materials)
{
    const size_t tets = (size_t)(mesh->tet10Count ? mesh->tet10Count : mesh->tetCount);
    const char **names = vv_alloc(json_object_size(value), sizeof *names), *key;
    int *found = vv_alloc(tets, sizeof *found), count = 0;
    json_t *material;
    if (names)
        json_object_foreach((json_t *)(uintptr_t)value, key, material) names[count++] = key;
    vvStatus status = names && found ? VV_OK : vv_fail_memory(doc->error, "regions of a body");
    if (status == VV_OK && vvMeshTetRegions(mesh, names, count, found, doc->error))
        status = vv_scene_prefix(doc, where);
    vv_free(names);
    if (status == VV_OK)
        *tet_materials = found;
    else
        vv_free(found);
    return status;
}

vvStatus vv_scene_regions(vv_document *doc, const char *where, const json_t *value, const vvMesh *mesh,
                          vvMaterialDef *material, vvMaterialDef **more, int *more_count, int **tet_materials)
{
    const char *key;
    json_t *one;
    vvMaterialDef *list = vv_alloc(json_object_size(value) - 1, sizeof *list);
    vvStatus status = list ? VV_OK : vv_fail_memory(doc->error, "materials");
    int count = 0;
    json_object_foreach((json_t *)(uintptr_t)value, key, one)
    {
        char place[VV_SCENE_PATH];
        if (status != VV_OK)
            break;
        vvMaterialDef *to = count == 0 ? material : list + count - 1;
        count++;
        *to = vvDefaultMaterialDef();
        vv_scene_child(place, where, key);
        status = vv_scene_material(doc, place, one, to);
    }
    if (status == VV_OK && mesh)
        status = find_regions(doc, where, value, mesh, tet_materials);
    if (status != VV_OK) {
        vv_free(list);
        return status;
    }
    *more = list, *more_count = count - 1;
    return VV_OK;
}

vvStatus vv_scene_check_materials(vv_document *doc)
{
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(doc->root, "materials"), key, value)
    {
        char where[VV_SCENE_PATH];
        vvMaterialDef material = vvDefaultMaterialDef();
        vv_scene_child(where, "materials", key);
        vvStatus status = vv_scene_material(doc, where, value, &material);
        if (status != VV_OK)
            return status;
    }
    return VV_OK;
}
