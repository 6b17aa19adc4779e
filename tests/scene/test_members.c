/* Every setting of integrator, solver and contact, row by row (world/settings/members.h): set while a world runs, it is
 * noted, in saved states and in extracts; it changes the hash of the structure if the static equilibrium depends on it,
 * and only then; what is out of range, of a wrong type or no number is refused by the API and by scenes alike. And no
 * member of these structs is without a row. */
#include <ctype.h>

#include "live_support.h"
#include "world/settings/members.h"
#include "world/world.h"

#include "visviva/scene.h"
#include "visviva/settings.h"

/* A table, and where its struct is in a world's definition. */
typedef struct table {
    const char *name;
    const vv_members *members;
    size_t at;
} table;
static const table tables[] = {
    { "vvIntegratorDef", &vv_integrator_members, offsetof(vvWorldDef, integrator) },
    { "vvSolverDef", &vv_solver_members, offsetof(vvWorldDef, solver) },
    { "vvContactDef", &vv_contact_members, offsetof(vvWorldDef, contact) },
};
enum { TABLES = sizeof tables / sizeof *tables };

static void *part_of(vvWorldDef *def, const table *t) { return (char *)def + t->at; }

/* The contact model under which a setting counts; "barrier" for those of all. */
static const char *model_for(const vv_member *m)
{
    const vvInfo *info;
    if (strncmp(m->row.key.path, "contact.", 8) == 0)
        for (int i = 0; (info = vvContactModelInfo(i)); i++)
            if (vv_member_is_of_model(m, info->name))
                return info->name;
    return "barrier";
}

static const char scene_text[] = "{ \"visviva\": 1, \"time\": { \"step\": 0.004 }, \"solver\": { \"tolerance\": 1e-4 "
                                 "}, \"contact\": { \"model\": \"%s\" },"
                                 " \"bodies\": [ { \"name\": \"block\", \"mesh\": { \"box\": { \"cells\": [1, 1, 1] } "
                                 "}, \"place\": { \"translate\": [0, 1, 0] } } ],"
                                 " \"obstacles\": [ { \"plane\": {} } ] }";

static vvScene *scene_of(const char *model)
{
    vvError error = { 0 };
    vvScene *scene;
    char text[1024];
    snprintf(text, sizeof text, scene_text, model);
    assert_ok(vvSceneParse(text, "members", ".", NULL, 0, &scene, &error));
    return scene;
}

static vvWorld *world_of(const vvScene *scene)
{
    vvError error = { 0 };
    vvWorld *w;
    assert_ok(vvSceneCreateWorld(scene, 1, &w, &error));
    return w;
}

static vvStatus set(vvWorld *w, const table *t, vvWorldDef *def, vvError *error)
{
    return t == tables       ? vvWorldSetIntegrator(w, &def->integrator, error)
           : t == tables + 1 ? vvWorldSetSolver(w, &def->solver, error)
                             : vvWorldSetContact(w, &def->contact, error);
}

/* Another value of it, in `def`; false: it has no other that this world takes. */
static bool change(vvWorld *w, const table *t, const vv_member *m, vvWorldDef *def)
{
    static const double numbers[] = { 0.3, 2, 0.02, 1e-3, 3e4 };
    const vvInfo *info;
    vvError error;
    void *part = part_of(def, t);
    switch (vv_member_kind(m)) {
    case VV_MEMBER_NUMBER:
        if (m->row.kind == VV_KEY_BOOLEAN) {
            vv_member_set_number(m, part, !vv_member_number(m, part));
            return true;
        }
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            vvWorldDef one = *def;
            vv_member_set_number(m, part_of(&one, t), numbers[i]);
            if (vv_member_same(m, part_of(&one, t), part) ||
                vv_members_check(t->members, part_of(&one, t), NULL) != VV_OK)
                continue;
            *def = one;
            return true;
        }
        return false;
    case VV_MEMBER_NAME:
        for (int i = 0; (info = m->row.names(i)); i++) {
            vvWorldDef one = *def;
            vvWorld *other = NULL;
            *vv_member_name(m, part_of(&one, t)) = info->name;
            if (vv_member_same(m, part_of(&one, t), part) ||
                (m->ground && strcmp(m->row.key.path, "contact.model") == 0 && strcmp(info->name, "springs") != 0))
                continue;
            if (vvWorldCreate(&one, &other, &error) != VV_OK) /* a policy that does not go with the scheme */
                continue;
            vvWorldDestroy(other);
            *def = one;
            return true;
        }
        return false;
    default: (void)w; return false;
    }
}

static void *saved(vvWorld *w, size_t *size)
{
    vvError error = { 0 };
    assert_ok(vvWorldBake(w, &error));
    *size = vvWorldStateSize(w);
    void *buffer = malloc(*size);
    assert_non_null(buffer);
    assert_ok(vvWorldSaveState(w, buffer, *size, &error));
    return buffer;
}

static void is_noted(vvWorld *w, const vv_member *m)
{
    vvSettingChange last;
    char want[128];
    assert_true(vvWorldSettingChange(w, vvWorldSettingsRevision(w), &last));
    snprintf(want, sizeof want, "%s=", m->row.key.path);
    if (!strstr(last.text, want))
        fail_msg("%s was changed, and the note says \"%s\"", m->row.key.path, last.text);
}

/* The world that an extract makes has the same settings. */
static void is_extracted(const vvScene *scene, vvWorld *w, const table *t, const vv_member *m)
{
    const char *const name = "block";
    vvError error = { 0 };
    vvScene *other;
    assert_ok(vvSceneWriteExtract(scene, w, &name, 1, VV_BUILD_DIR "/members-extract.json", &error));
    assert_ok(vvSceneLoad(VV_BUILD_DIR "/members-extract.json", NULL, 0, &other, &error));
    vvWorld *made = world_of(other);
    vvWorldDef now = *vvWorldGetDef(w), then = *vvWorldGetDef(made);
    assert_ok(vvWorldBake(made, &error));
    then = *vvWorldGetDef(made);
    if (t != tables && !vv_member_same(m, part_of(&now, t), part_of(&then, t)))
        fail_msg("%s is another one in the extract", m->row.key.path);
    vvWorldDestroy(made);
    vvSceneDestroy(other);
}

static void try_member(const table *t, const vv_member *m)
{
    vvError error = { 0 };
    vvScene *scene = scene_of(model_for(m));
    vvWorld *w = world_of(scene), *again = world_of(scene);
    steps(w, 2);
    steps(again, 1);
    vvWorldDef def = *vvWorldGetDef(w);
    if (!change(w, t, m, &def))
        fail_msg("no other value of %s was found", m->row.key.path);
    const uint64_t before = vv_structure_hash(w);
    if (set(w, t, &def, &error) != VV_OK)
        fail_msg("%s: %s", m->row.key.path, error.message);
    is_noted(w, m);
    if ((vv_structure_hash(w) != before) != m->ground)
        fail_msg("%s %s the structure's hash", m->row.key.path, m->ground ? "does not change" : "changes");
    def = *vvWorldGetDef(w);
    size_t size;
    void *state = saved(w, &size);
    assert_ok(vvWorldLoadState(again, state, size, &error));
    vvWorldDef loaded = *vvWorldGetDef(again);
    if (!m->unsaved && !vv_member_same(m, part_of(&def, t), part_of(&loaded, t)))
        fail_msg("%s is not in the saved state", m->row.key.path);
    is_extracted(scene, w, t, m);
    free(state);
    vvWorldDestroy(w);
    vvWorldDestroy(again);
    vvSceneDestroy(scene);
}

static void all_are_set_noted_saved_and_extracted(void **state)
{
    (void)state;
    int count = 0;
    for (const table *t = tables; t < tables + TABLES; t++)
        for (int i = 0; i < t->members->count; i++) {
            const vv_member *m = t->members->row + i;
            const vv_member_class kind = vv_member_kind(m);
            if (kind == VV_MEMBER_NUMBER || kind == VV_MEMBER_NAME)
                try_member(t, m), count++;
        }
    print_message("%d settings\n", count);
    assert_true(count > 30);
}

/* Obstacles of a scene whose host has switched contact off are no part of its extract, which would not be read. */
static void extracts_without_contact(void **state)
{
    (void)state;
    const char *const name = "block";
    vvError error = { 0 };
    vvScene *scene = scene_of("barrier"), *other;
    vvWorld *w = world_of(scene);
    vvWorldDef def = *vvWorldGetDef(w);
    def.contact.model = "none";
    assert_ok(vvWorldSetContact(w, &def.contact, &error));
    assert_ok(vvSceneWriteExtract(scene, w, &name, 1, VV_BUILD_DIR "/members-extract.json", &error));
    assert_ok(vvSceneLoad(VV_BUILD_DIR "/members-extract.json", NULL, 0, &other, &error));
    vvSceneDestroy(other);
    vvWorldDestroy(w);
    vvSceneDestroy(scene);
}

/* Numbers that a material does not read are no change of it. */
static void unread_moduli_change_nothing(void **state)
{
    (void)state;
    vvError error = { 0 };
    vvScene *scene = scene_of("barrier");
    vvWorld *w = world_of(scene);
    vvMaterialDef material;
    assert_true(vvBodyGetMaterial(w, vvWorldBody(w, 0), 0, &material));
    const uint32_t revision = vvWorldSettingsRevision(w);
    material.mu = NAN, material.lambda = 3;
    assert_ok(vvBodySetMaterial(w, vvWorldBody(w, 0), 0, &material, &error));
    assert_int_equal(vvWorldSettingsRevision(w), revision);
    vvWorldDestroy(w);
    vvSceneDestroy(scene);
}

/* ---- lists ---- */

typedef struct found {
    const char *want;
    char json[512];
    int count, of_it;
} found;

static void find_setting(void *user, const char *key, const char *json)
{
    found *f = user;
    f->count++;
    if (strcmp(key, f->want) != 0)
        return;
    f->of_it++;
    snprintf(f->json, sizeof f->json, "%s", json);
}

static found told(const vvWorld *w, const char *key)
{
    found f = { .want = key };
    vvWorldEachSetting(w, find_setting, &f);
    return f;
}

/* Each row is told once if it counts under the model; how many that are. */
static int count_told(const vvWorld *w, const char *model)
{
    int count = 0;
    for (int part = 0; part < VV_DEF_PARTS; part++)
        for (int i = 0; i < vv_def_parts[part].members->count; i++) {
            const vv_member *m = vv_def_parts[part].members->row + i;
            if (vv_member_kind(m) == VV_MEMBER_NONE || m->row.kind == VV_KEY_SETTING)
                continue;
            const bool counts = vv_def_parts[part].members != &vv_contact_members || vv_member_is_of_model(m, model);
            if (told(w, m->row.key.path).of_it != counts)
                fail_msg("%s is told %d times under %s", m->row.key.path, !counts, model);
            count += counts;
        }
    return count;
}

/* All settings of the world and its body, as they are in effect; of other contact models none. */
static void each_setting_is_told(void **state)
{
    (void)state;
    vvError error = { 0 };
    const vvInfo *info;
    for (int model = 0; (info = vvContactModelInfo(model)); model++) {
        if (strcmp(info->name, "none") == 0)
            continue;
        vvScene *scene = scene_of(info->name);
        vvWorld *w = world_of(scene);
        assert_ok(vvWorldBake(w, &error));
        const int more = 1 + vvWorldGetDef(w)->integrator.settingCount; /* pairs; parameters */
        assert_int_equal(told(w, "").count, count_told(w, info->name) + more);
        assert_string_equal(told(w, "time.step").json, "0.004");
        assert_string_equal(told(w, "gravity").json, "[0, -9.8, 0]");
        assert_string_equal(told(w, "contact.pairs").json, "[]");
        assert_true(strtod(told(w, "contact.distance").json, NULL) == vvWorldGetDef(w)->contact.distance);
        found young = { .want = "material.young" }, mu = { .want = "material.mu" };
        vvBodyEachSetting(w, vvWorldBody(w, 0), find_setting, &young);
        vvBodyEachSetting(w, vvWorldBody(w, 0), find_setting, &mu);
        assert_true(young.of_it == 1 && strtod(young.json, NULL) == 1e5 && mu.of_it == 0);
        vvWorldDestroy(w);
        vvSceneDestroy(scene);
    }
    vvWorldEachSetting(NULL, find_setting, NULL);
    vvBodyEachSetting(NULL, (vvBodyId){ 0 }, find_setting, NULL);
}

static const char pairs_text[] =
    "{ \"visviva\": 1, \"seed\": 77, \"bodies\": [ { \"name\": \"a\\\"b\", \"mesh\": { \"box\": { \"cells\": [1, 1, 1] "
    "} } }, "
    "{ \"name\": \"c\", \"mesh\": { \"box\": { \"cells\": [1, 1, 1] } }, \"place\": { \"translate\": [5, 0, 0] } } ] }";
static const char of_itself[] = "{\"between\": [\"a\\\"b\", \"a\\\"b\"], \"friction\": 0.5}",
                  of_both[] = "{\"between\": [\"a\\\"b\", \"c\"], \"friction\": 0.25}";

/* Friction of pairs is one setting with one row: told, in saved states and in extracts, which keep those of the bodies
 * that they have. Names may have quotes in them. */
static void friction_of_pairs_is_a_setting(void **state)
{
    (void)state;
    const char *const kept[] = { "a\"b", "c" };
    char lists[3][256];
    vvError error = { 0 };
    vvScene *scene, *other;
    snprintf(lists[1], sizeof lists[1], "[%s]", of_itself);
    snprintf(lists[2], sizeof lists[2], "[%s, %s]", of_itself, of_both);
    assert_ok(vvSceneParse(pairs_text, "pairs", ".", NULL, 0, &scene, &error));
    vvWorld *w = world_of(scene), *again = world_of(scene);
    assert_string_equal(told(w, "seed").json, "77");
    assert_ok(vvWorldSetFriction(w, vvWorldBody(w, 1), vvWorldBody(w, 0), 0.25, &error));
    assert_ok(vvWorldSetFriction(w, vvWorldBody(w, 0), vvWorldBody(w, 0), 0.5, &error));
    assert_string_equal(told(w, "contact.pairs").json, lists[2]);
    expect(vvWorldSetFriction(w, vvWorldBody(w, 0), vvWorldBody(w, 1), 101, &error), VV_ERROR_INPUT, &error,
           "is 101; it must be a number from 0 to 100");
    size_t size;
    void *bytes = saved(w, &size);
    assert_ok(vvWorldLoadState(again, bytes, size, &error));
    free(bytes);
    assert_string_equal(told(again, "contact.pairs").json, lists[2]);
    for (int count = 1; count <= 2; count++) {
        assert_ok(vvSceneWriteExtract(scene, w, kept, count, VV_BUILD_DIR "/members-extract.json", &error));
        assert_ok(vvSceneLoad(VV_BUILD_DIR "/members-extract.json", NULL, 0, &other, &error));
        vvWorld *made = world_of(other);
        assert_string_equal(told(made, "seed").json, "77");
        assert_string_equal(told(made, "contact.pairs").json, lists[count]);
        vvWorldDestroy(made);
        vvSceneDestroy(other);
    }
    vvWorldDestroy(w);
    vvWorldDestroy(again);
    vvSceneDestroy(scene);
    vvWorldDef def = vvDefaultWorldDef();
    def.seed = 10000000000000000u;
    expect(vvWorldCreate(&def, &w, &error), VV_ERROR_INPUT, &error,
           "seed is 1e+16; it must be a whole number from 0 to");
}

/* ---- what is refused ---- */

/* A row about which API and scene are asked: their answers are compared. */
typedef struct asked {
    const table *of; /* NULL: a material */
    const vv_member *m;
} asked;

static const char *const material_of_row = "materials.NAME.";

/* What messages call it: the scene's, and the API's. */
static const char *key_of(const asked *a, bool api, char key[128])
{
    const char *path = a->m->row.key.path;
    snprintf(key, 128, "%s%s",
             a->of ? ""
             : api ? "material."
                   : "materials.a.",
             a->of ? path : path + strlen(material_of_row));
    return key;
}

static void is_named(const asked *a, bool api, const char *value, const vvError *error)
{
    char key[128];
    if (!strstr(error->message, key_of(a, api, key)) || !strstr(error->message, a->m->row.key.unit))
        fail_msg("%s = %s is refused without its name or unit: %s", key, value, error->message);
}

static bool scene_takes(const asked *a, const char *value)
{
    static const char material_text[] =
        "{ \"visviva\": 1, \"materials\": { \"a\": %s }, \"bodies\": [ { \"material\": \"a\", \"mesh\": { "
        "\"box\": { \"cells\": [1, 1, 1] } } } ] }";
    vvScene *scene;
    char text[1400], override[256], key[128];
    const char *const overrides[] = { override };
    vvError error = { 0 };
    const bool lame = strstr(a->m->row.key.path, ".mu") || strstr(a->m->row.key.path, ".lambda");
    snprintf(text, sizeof text, a->of ? scene_text : material_text,
             a->of  ? model_for(a->m)
             : lame ? "{ \"mu\": 1e15, \"lambda\": 0 }"
                    : "{}");
    snprintf(override, sizeof override, "%s=%s", key_of(a, false, key), value);
    vvStatus status = vvSceneParse(text, "members", ".", overrides, 1, &scene, &error);
    if (status != VV_OK && isdigit((unsigned char)*value))
        is_named(a, false, value, &error);
    if (status == VV_OK)
        vvSceneDestroy(scene);
    return status == VV_OK;
}

/* A body of the material, of a mesh and a model for which the number matters. */
static vvStatus add_body_of(vvWorld *w, const vv_member *m, double x, vvError *error)
{
    static const struct {
        const char *key, *model, *mesh;
    } special[] = { { "strain_limit", "stvk-membrane", "cloth" },
                    { "prestrain", "stvk-membrane", "cloth" },
                    { "rest_twist", "rod", "chain" },
                    { "stiffness", "hooke", "cloth" },
                    { "bend_stiffness", "hooke", "cloth" },
                    { "", "fixed-corotated", "box" } };
    const char *key = m->row.key.path + strlen(material_of_row);
    size_t row = 0;
    while (*special[row].key && strcmp(special[row].key, key) != 0)
        row++;
    vvMesh mesh = { 0 };
    vvBodyDef body = vvDefaultBodyDef();
    assert_int_equal(vvMeshGenerate(special[row].mesh, NULL, 0, &mesh, error), VV_OK);
    body.mesh = &mesh, body.thickness = 1e-3, body.material.model = special[row].model;
    body.material.lame = strcmp(key, "mu") == 0 || strcmp(key, "lambda") == 0;
    body.material.mu = 1e15;
    vv_member_set_number(m, &body.material, x);
    vvStatus status = vvWorldAddBody(w, &body, NULL, error);
    vvMeshDestroy(&mesh);
    return status;
}

static bool api_takes(const asked *a, double x)
{
    vvError error = { 0 };
    vvWorld *w = NULL;
    vvWorldDef def = vvDefaultWorldDef();
    char value[64];
    snprintf(value, sizeof value, "%g", x);
    if (a->of)
        vv_member_set_number(a->m, part_of(&def, a->of), x);
    vvStatus status = vvWorldCreate(&def, &w, &error);
    if (status == VV_OK && !a->of)
        status = add_body_of(w, a->m, x, &error);
    if (status != VV_OK)
        is_named(a, true, value, &error);
    vvWorldDestroy(w);
    return status == VV_OK;
}

static void range_is_the_same(const asked *a)
{
    const vv_key_row *row = &a->m->row;
    const bool whole = row->kind == VV_KEY_INTEGER, lambda = strcmp(row->key.path, "materials.NAME.lambda") == 0;
    const double low = row->min, high = row->max, step = whole ? 1 : fmax(1e-6 * fmax(fabs(low), high), 1e-9);
    const double tried[] = { low, high, low - step, high + step, whole ? high - 1 : 0.5 * (low + high) };
    assert_false(scene_takes(a, "[1, 2, 3]") || scene_takes(a, "\"no-such-word\"") || scene_takes(a, "{}"));
    if (row->kind == VV_KEY_BOOLEAN)
        return;
    for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
        char value[64];
        snprintf(value, sizeof value, whole ? "%.0f" : "%.17g", tried[k]);
        const bool unset = row->word ? tried[k] == row->word_value /* in scenes it is the word, or the key is absent */
                                     : !a->of && tried[k] == 0 && a->m->is_read;
        if (unset)
            continue;
        if (api_takes(a, tried[k]) != scene_takes(a, value))
            fail_msg("%s: %s is allowed by one of API and scene alone", row->key.path, value);
        if (!(lambda && k == 0)) /* beyond what any mu allows */
            assert_int_equal(api_takes(a, tried[k]), k == 1 || k == 4 || (k == 0 && (!row->above || row->zero)) ||
                                                         (tried[k] == 0 && row->zero));
    }
    if (!whole)
        assert_false(api_takes(a, NAN) || api_takes(a, INFINITY) || api_takes(a, -INFINITY));
    if (row->zero)
        assert_true(api_takes(a, 0) && scene_takes(a, "0"));
    if (row->word)
        assert_true(scene_takes(a, row->word) && api_takes(a, row->word_value));
}

static void ranges_are_the_same_everywhere(void **state)
{
    (void)state;
    int count = 0;
    for (const table *t = tables; t <= tables + TABLES; t++) {
        const bool of_material = t == tables + TABLES;
        const vv_members *members = of_material ? &vv_material_members : t->members;
        for (int i = 0; i < members->count; i++) {
            const asked a = { of_material ? NULL : t, members->row + i };
            if (vv_member_kind(a.m) == VV_MEMBER_NUMBER && *a.m->row.key.path)
                range_is_the_same(&a), count++;
        }
    }
    print_message("%d settings\n", count);
    assert_true(count > 40);
}

/* The values that the API took and scenes did not. */
static void what_only_the_api_took_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *key, *word;
        double x;
    } rows[] = { { "density", "material.density is 1e+10; it must be a number above 0 to 1e+09 kg/m3", 1e10 },
                 { "young", "material.young is 1e+16; it must be a number above 0 to 1e+15 Pa", 1e16 },
                 { "poisson", "material.poisson is 0.499995; it must be a number from -0.999 to 0.49999", 0.499995 },
                 { "poisson", "material.poisson is -0.9995", -0.9995 },
                 { "mu", "material.mu is 1e+16", 1e16 },
                 { "lambda", "material.lambda is 1e+16", 1e16 },
                 { "lambda", "lambda is -7e+14 Pa with mu 1e+15 Pa; it must be above -2/3 mu", -7e14 },
                 { "mass", "material.mass is 1e+13; it must be a number above 0 to 1e+12 kg", 1e13 } };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int i = 0; i < vv_material_members.count; i++) {
            const vv_member *m = vv_material_members.row + i;
            vvError error = { 0 };
            vvWorldDef def = vvDefaultWorldDef();
            vvWorld *w = new_world(&def);
            if (strcmp(m->row.key.path + (*m->row.key.path ? strlen(material_of_row) : 0), rows[r].key) == 0)
                expect(add_body_of(w, m, rows[r].x, &error), VV_ERROR_INPUT, &error, rows[r].word);
            vvWorldDestroy(w);
        }
    vvError error = { 0 };
    vvWorldDef def = vvDefaultWorldDef();
    vvWorld *w;
    def.integrator.groundMode = (vvGroundMode)7;
    expect(vvWorldCreate(&def, &w, &error), VV_ERROR_INPUT, &error, "integrator.ground_energy: groundMode is 7");
}

/* The case that was found: 200 was "0 to 100", 50 "from 0 to 10". */
static void start_fraction_has_one_range(void **state)
{
    (void)state;
    vvScene *scene;
    vvError error = { 0 };
    const char *const overrides[] = { "integrator.start_fraction=50" };
    char text[1024];
    snprintf(text, sizeof text, scene_text, "barrier");
    expect(vvSceneParse(text, "members", ".", overrides, 1, &scene, &error), VV_ERROR_INPUT, &error, "from 0 to 10");
    vvWorldDef def = vvDefaultWorldDef();
    vvWorld *w;
    def.integrator.startFraction = 50;
    expect(vvWorldCreate(&def, &w, &error), VV_ERROR_INPUT, &error, "from 0 to 10");
}

/* ---- the ground energy ---- */

/* Softer penalties let a block down further: the target of a decay is that of a world that was made with them. */
static void ground_follows_penalties(void **state)
{
    (void)state;
    vvError error = { 0 };
    double energy[3];
    vvScene *scene = scene_of("penalty");
    for (int i = 0; i < 3; i++) {
        vvWorldDef def;
        vvWorld *w = world_of(scene);
        def = *vvWorldGetDef(w);
        def.integrator.policy = "search", def.integrator.decayKeys = &(vvKey){ 0, 2 }, def.integrator.decayKeyCount = 1;
        def.contact.penalty.stiffness = i == 1 ? 1e5 : 1e9;
        assert_ok(vvWorldSetIntegrator(w, &def.integrator, &error));
        assert_ok(vvWorldSetContact(w, &def.contact, &error));
        steps(w, 2);
        def = *vvWorldGetDef(w);
        def.contact.penalty.stiffness = i == 0 ? 1e9 : 1e5;
        assert_ok(vvWorldSetContact(w, &def.contact, &error));
        energy[i] = steps(w, 1).groundEnergy;
        vvWorldDestroy(w);
    }
    print_message("ground energy %g J, softer %g J, softer at run time %g J\n", energy[0], energy[1], energy[2]);
    assert_true(energy[1] < energy[0] - 1e-3 * fabs(energy[0]));
    assert_near(energy[2], energy[1], 1e-6 * fabs(energy[1]));
    vvSceneDestroy(scene);
}

/* ---- no member without a row ---- */

static bool has_row(const vv_members *members, size_t at)
{
    for (int i = 0; i < members->count; i++)
        if (vv_member_kind(members->row + i) != VV_MEMBER_NONE &&
            (members->row[i].at == at || (members->row[i].row.percent && members->row[i].relative == at)))
            return true;
    return false;
}

/* Rows and the members that a row of another kind takes along are as large as the struct, but for gaps between members.
 */
static void covers(const char *name, const vv_members *members, size_t size, const size_t *more, int more_count)
{
    unsigned char seen[1024] = { 0 };
    assert_true(size <= sizeof seen);
    for (int i = 0; i < members->count; i++) {
        const vv_member *m = members->row + i;
        const vv_member_class kind = vv_member_kind(m);
        const size_t bytes = kind == VV_MEMBER_NONE          ? 0
                             : m->row.kind == VV_KEY_BOOLEAN ? sizeof(bool)
                             : m->wide                       ? sizeof(uint64_t)
                             : m->row.kind == VV_KEY_INTEGER ? sizeof(int)
                             : m->row.kind == VV_KEY_GROUND  ? sizeof(vvGroundMode)
                             : kind == VV_MEMBER_VECTOR      ? 3 * sizeof(double)
                                                             : 8;
        memset(seen + m->at, 1, bytes);
        if (m->row.percent)
            memset(seen + m->relative, 1, sizeof(double));
    }
    for (int i = 0; i + 1 < more_count; i += 2)
        memset(seen + more[i], 1, more[i + 1]);
    for (size_t i = 0, gap = 0; i < size; i++) {
        gap = seen[i] ? 0 : gap + 1;
        if (gap >= sizeof(double) || (gap > 0 && i % 8 == 0 && (i + 8 > size || !seen[i])))
            fail_msg("%s: the member at byte %zu has no row", name, i + 1 - gap);
    }
}

static void no_member_is_without_a_row(void **state)
{
    (void)state;
    const size_t lists[] = { offsetof(vvIntegratorDef, settingCount),  sizeof(int),
                             offsetof(vvIntegratorDef, decayKeyCount), sizeof(int),
                             offsetof(vvIntegratorDef, groundEnergy),  sizeof(double) };
    const size_t internal[] = { offsetof(vvMaterialDef, internalValue), sizeof(uint32_t) };
    const size_t others[] = { offsetof(vvWorldDef, integrator),    sizeof(vvIntegratorDef),
                              offsetof(vvWorldDef, solver),        sizeof(vvSolverDef),
                              offsetof(vvWorldDef, contact),       sizeof(vvContactDef),
                              offsetof(vvWorldDef, threads),       sizeof(int),
                              offsetof(vvWorldDef, host),          sizeof(vvHost),
                              offsetof(vvWorldDef, internalValue), sizeof(uint32_t) };
    covers("vvWorldDef", &vv_world_members, sizeof(vvWorldDef), others, 12);
    covers("vvIntegratorDef", &vv_integrator_members, sizeof(vvIntegratorDef), lists, 6);
    covers("vvSolverDef", &vv_solver_members, sizeof(vvSolverDef), NULL, 0);
    covers("vvContactDef", &vv_contact_members, sizeof(vvContactDef), NULL, 0);
    covers("vvMaterialDef", &vv_material_members, sizeof(vvMaterialDef), internal, 2);
    assert_true(has_row(&vv_solver_members, offsetof(vvSolverDef, relativeTolerance)));
    assert_false(has_row(&vv_solver_members, sizeof(vvSolverDef)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_set_noted_saved_and_extracted),
        cmocka_unit_test(extracts_without_contact),
        cmocka_unit_test(unread_moduli_change_nothing),
        cmocka_unit_test(each_setting_is_told),
        cmocka_unit_test(friction_of_pairs_is_a_setting),
        cmocka_unit_test(ranges_are_the_same_everywhere),
        cmocka_unit_test(what_only_the_api_took_is_refused),
        cmocka_unit_test(start_fraction_has_one_range),
        cmocka_unit_test(ground_follows_penalties),
        cmocka_unit_test(no_member_is_without_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
