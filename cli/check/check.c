/* visviva check: everything about a scene that is known before the first step; for a run, whether surfaces
 * intersect. */
#include "json.h"

#include <stdlib.h>
#include <string.h>

typedef struct check_options {
    const char *scene, *mesh;
    char found[VV_SCENE_ROOM];
    vv_option_list sets;
    int threads;
    bool as_json, strict;
} check_options;

typedef struct scene_check {
    check_options o;
    vvScene *scene;
    vvWorld *world;
    json_t *json; /* NULL: not asked for */
    bool making;  /* the scene is being made into a world */
} scene_check;

static int read_options(check_options *o, int argc, char **argv)
{
    const vv_option options[] = {
        { "--set", 0, VV_OPTION_LIST, &o->sets, "PATH=VALUE", "overrides a value of the scene; may be repeated", 0, 0 },
        { "--threads", 0, VV_OPTION_INTEGER, &o->threads, "N", "0: as many as there are cores", 0, 1024 },
        { "--output", 'o', VV_OPTION_TEXT, &o->mesh, "FILE",
          "the mesh of the intersecting surfaces; default: out/NAME-intersections.ply", 0, 0 },
        { "--json", 0, VV_OPTION_FLAG, &o->as_json, NULL, "prints the findings as JSON (docs/json.md)", 0, 0 },
        { "--strict", 0, VV_OPTION_FLAG, &o->strict, NULL, "a warning makes the exit code 1", 0, 0 },
        { .name = NULL },
    };
    const vv_command_line line = {
        .usage = "SCENE|RUN [options]",
        .summary = "Validates a scene and describes it: mesh quality of each body, whether the start is free of "
                   "penetration and\n"
                   "inversion, and the energies at the start. If bodies intersect, it lists them and writes a mesh "
                   "that shows where,\n"
                   "in red.\n"
                   "For a run file it tests every frame: exactly that no surfaces intersect, and that all positions "
                   "are finite.\n"
                   "Exit codes: 0 no faults, 1 a frame of the run has faults (with --strict: or a warning), 2 wrong "
                   "options or input.",
        .examples = "  visviva check bouncing-ball\n"
                    "  visviva check out/bouncing-ball.vtkhdf\n"
                    "  visviva check critter-drop --json\n"
                    "  visviva check suspended-armadillo --set bodies[0].mesh.file=armadillo.msh",
        .options = options,
        .least = 1,
        .most = 1,
    };
    int count;
    *o = (check_options){ .threads = 0 };
    int code = vv_cli_parse(&line, argc, argv, &o->scene, &count);
    return code;
}

/* ---- bodies ---- */

/* What distinguishes one body's mesh from another's, wherever they are placed. */
typedef struct shape {
    /* held: springs of attachments. Of an obstacle the mass is 0 */
    int nodes, tets, triangles, edges, springs, held, directors;
    double mass, volume, area;
    const char *type; /* of a moving obstacle without a mesh; NULL: of others */
} shape;

static bool same_shape(const shape *a, const shape *b)
{
    return a->type == b->type && a->nodes == b->nodes && a->tets == b->tets && a->triangles == b->triangles &&
           a->edges == b->edges && a->springs == b->springs && a->held == b->held && a->directors == b->directors &&
           fabs(a->mass - b->mass) <= 1e-9 * a->mass && fabs(a->volume - b->volume) <= 1e-9 * fabs(a->volume) &&
           fabs(a->area - b->area) <= 1e-9 * a->area;
}

static void print_equal(const vvWorld *world, int first, int last)
{
    if (last > first)
        printf("    with the same mesh: \"%s\"", vvBodyName(world, vvWorldBody(world, first + 1)));
    if (last > first + 1)
        printf(" to \"%s\" (%d bodies)", vvBodyName(world, vvWorldBody(world, last)), last - first);
    if (last > first)
        putchar('\n');
}

static void add_setting(void *object, const char *key, const char *json)
{
    json_object_set_new(object, key, json_loads(json, JSON_DECODE_ANY, NULL));
}

static void add_body(json_t *list, const scene_check *c, const vvWorld *world, int index, const vvMesh *mesh,
                     const vvMeshQuality *q, double mass)
{
    char path[128];
    vvBodyId body = vvWorldBody(world, index);
    vvSceneBodyPath(c->scene, index, path, sizeof path);
    json_t *object = json_pack("{s:s, s:s, s:b}", "name", vvBodyName(world, body), "path", path, "obstacle",
                               vvBodyIsKinematic(world, body));
    json_object_set_new(object, "mass", vvBodyIsKinematic(world, body) ? json_null() : vv_json_number(mass));
    vv_json_add_mesh(object, mesh, q);
    json_object_set_new(object, "affine", json_boolean(vvBodyIsAffine(world, body)));
    if (vvBodyIsAffine(world, body)) {
        vv_cli_solid solid;
        vv_cli_find_solid(world, body, mesh, &solid);
        json_object_set_new(object, "volume", vv_json_number(solid.volume));
        json_object_set_new(object, "centre", vv_json_vector(solid.centre));
        json_object_set_new(object, "inertia", vv_json_vector(solid.inertia));
    }
    vvBodyElements elements;
    vvBodyGetElements(world, body, &elements);
    json_object_set_new(object, "springs", json_integer(elements.springCount));
    json_object_set_new(object, "directors", json_integer(elements.directorCount));
    json_object_set_new(object, "attachment_springs", json_integer(elements.attachmentSpringCount));
    if (elements.tetMaterials)
        json_object_set_new(object, "materials", vv_json_regions(world, body, mesh));
    json_t *settings = json_object();
    vvBodyEachSetting(world, body, add_setting, settings);
    json_object_set_new(object, "settings", settings);
    json_array_append_new(list, object);
}

/* The type of the moving obstacle whose frame the body is; NULL: it is none. */
static const char *moving_type(const vvWorld *world, int index)
{
    int count = vvBodyIsKinematic(world, vvWorldBody(world, index)) ? vvWorldObstacleCount(world) : 0;
    for (int i = 0; i < count; i++)
        if (vvObstacleBody(world, vvWorldObstacleAt(world, i)).index1 == vvWorldBody(world, index).index1)
            return vvWorldObstacle(world, i, NULL, NULL);
    return NULL;
}

/* What an affine body is, but for its name. */
static void print_affine(const vvWorld *world, vvBodyId body, const vvMesh *mesh, double mass)
{
    vv_cli_solid s;
    vv_cli_find_solid(world, body, mesh, &s);
    printf("affine, %d vertices and %d triangles on four nodes, %.4g kg\n", mesh->vertexCount, mesh->triangleCount,
           mass);
    printf("    volume %.4g m3, centre of mass (%.4g, %.4g, %.4g) m, moments of inertia about it (%.4g, %.4g, %.4g) kg "
           "m2\n",
           s.volume, s.centre[0], s.centre[1], s.centre[2], s.inertia[0], s.inertia[1], s.inertia[2]);
}

/* What stands for a body's mesh, and how good it is. */
static void print_mesh(const vvWorld *world, int index, const vvMesh *mesh, const vvMeshQuality *q, const shape *now)
{
    bool obstacle = vvBodyIsKinematic(world, vvWorldBody(world, index));
    printf("  %s \"%s\": ", obstacle ? "obstacle" : "body", vvBodyName(world, vvWorldBody(world, index)));
    if (now->type) {
        printf("a %s that moves\n", now->type);
        return;
    }
    if (vvBodyIsAffine(world, vvWorldBody(world, index))) {
        print_affine(world, vvWorldBody(world, index), mesh, now->mass);
        vv_cli_print_quality(stdout, mesh, q);
        return;
    }
    printf("%d nodes, %d tets, %d triangles, %d edges", mesh->vertexCount, mesh->tetCount, mesh->triangleCount,
           mesh->edgeCount);
    if (mesh->pointCount)
        printf(", %d points", mesh->pointCount);
    if (!obstacle)
        printf(", %.4g kg", now->mass);
    if (now->springs > 0)
        printf("\n    %d springs", now->springs + now->held);
    if (now->springs > 0 && now->held > 0)
        printf(", %d of them attachments", now->held);
    putchar('\n');
    if (now->directors > 0)
        printf("    %d directors, a further node for each edge\n", now->directors);
    vv_cli_print_regions(world, vvWorldBody(world, index), mesh);
    vv_cli_print_quality(stdout, mesh, q);
}

/* Bodies like the one before are only counted; *group is the first of these. */
static void print_body(const scene_check *c, const vvWorld *world, int index, shape *last, int *group)
{
    vvMesh mesh;
    vvMeshQuality q;
    const double *mass = vvWorldMasses(world);
    int first, count;
    double total = 0;
    vvBodyNodes(world, vvWorldBody(world, index), &first, &count);
    for (int i = 0; i < count; i++)
        total += mass[first + i];
    if (vv_cli_body_mesh(world, vvWorldBody(world, index), &mesh)) {
        vvMeshMeasure(&mesh, &q);
        if (c->json)
            add_body(json_object_get(c->json, "bodies"), c, world, index, &mesh, &q, total);
        vvBodyElements elements;
        vvBodyGetElements(world, vvWorldBody(world, index), &elements);
        shape now = { mesh.vertexCount,
                      mesh.tetCount,
                      mesh.triangleCount,
                      mesh.edgeCount,
                      elements.springCount,
                      elements.attachmentSpringCount,
                      elements.directorCount,
                      total,
                      q.volume,
                      q.area,
                      moving_type(world, index) };
        if (index == 0 || !same_shape(&now, last)) {
            print_equal(world, *group, index - 1);
            print_mesh(world, index, &mesh, &q, &now);
            *group = index;
        }
        *last = now;
    }
    vv_cli_body_mesh_free(&mesh);
}

/* The scene's text without its initial states; NULL: no memory. */
static char *text_at_rest(const vvScene *scene, bool *same)
{
    json_t *root = json_loads(vvSceneText(scene), 0, NULL), *body;
    size_t i;
    *same = root != NULL;
    json_array_foreach(json_object_get(root, "bodies"), i, body)
    {
        bool start = json_object_del(body, "start") == 0, velocity = json_object_del(body, "velocity") == 0;
        *same = *same && !start && !velocity;
    }
    char *text = root ? json_dumps(root, JSON_REAL_PRECISION(17)) : NULL;
    json_decref(root);
    return text;
}

/* Describes the meshes as placed, at rest. */
static vvStatus print_bodies(const scene_check *c, vvError *error)
{
    vvScene *scene = NULL;
    vvWorld *world = NULL;
    bool same;
    char *text = text_at_rest(c->scene, &same);
    vvStatus status = text ? VV_OK : VV_ERROR_MEMORY;
    if (status == VV_OK && !same)
        status = vvSceneParse(text, c->o.scene, NULL, NULL, 0, &scene, error);
    if (status == VV_OK && !same)
        status = vvSceneCreateWorld(scene, c->o.threads, &world, error);
    const vvWorld *shown = same ? c->world : world;
    shape last = { 0 };
    int count = status != VV_OK ? 0 : vvWorldBodyCount(shown), group = 0;
    for (int i = 0; i < count; i++)
        print_body(c, shown, i, &last, &group);
    print_equal(shown, group, count - 1);
    vvWorldDestroy(world);
    vvSceneDestroy(scene);
    free(text);
    return status;
}

/* ---- the start ---- */

/* Those with a mesh are bodies; those that move are both, and count once. */
static int count_obstacles(const vvWorld *world)
{
    int count = vvWorldObstacleCount(world);
    for (int i = 0; i < vvWorldBodyCount(world); i++)
        count += vvBodyIsKinematic(world, vvWorldBody(world, i));
    for (int i = 0; i < vvWorldObstacleCount(world); i++)
        count -= vvBodyIsValid(world, vvObstacleBody(world, vvWorldObstacleAt(world, i)));
    return count;
}

/* Settings as they are in use, behind a word of the report. */
typedef struct shown {
    const vvIntegratorDef *parameters; /* those of its scheme and policy; NULL: those of the contact model alone */
    int count;
} shown;

static bool is_shown(const shown *s, const char *key)
{
    const char *name = strrchr(key, '.');
    if (!s->parameters)
        return strncmp(key, "contact.", 8) == 0 && name > key + 7;
    for (int i = 0; i < s->parameters->settingCount; i++)
        if (strncmp(key, "integrator.", 11) == 0 && strcmp(s->parameters->settings[i].name, name + 1) == 0)
            return true;
    return false;
}

static void print_setting(void *user, const char *key, const char *json)
{
    shown *s = user;
    char *end;
    const double number = strtod(json, &end);
    if (!is_shown(s, key))
        return;
    printf("%s%s ", s->count++ > 0 ? ", " : " (", strrchr(key, '.') + 1);
    if (*end)
        printf("%.*s", (int)(*json == '"' ? strlen(json) - 2 : strlen(json)), *json == '"' ? json + 1 : json);
    else
        printf("%.6g", number);
}

static void print_settings(const vvWorld *world, const vvIntegratorDef *parameters)
{
    shown s = { parameters, 0 };
    vvWorldEachSetting(world, print_setting, &s);
    if (s.count > 0)
        putchar(')');
}

static const double NOTABLE = 0.01; /* of S */

static void print_start(vvWorld *world, const vvLedgerRow *row)
{
    char text[VV_TEXT];
    const vvWorldDef *def = vvWorldGetDef(world);
    const struct {
        const char *name;
        double energy;
    } parts[] = { { "kinetic", row->kinetic }, { "elastic", row->elastic },        { "gravity", row->gravity },
                  { "contact", row->contact }, { "attachments", row->attachment }, { "joints", row->joint },
                  { "total H", row->total } };
    const vvContactModel *model = vvContactModelFind(def->contact.model);
    const bool contact = vv_cli_has_contact(def), barrier = contact && vv_cli_has_barrier(world);
    const bool hard = model->bodies == VV_CONTACT_FORCE;
    vvStiffness stiffness;
    vvWorldGetStiffness(world, &stiffness);
    printf("  obstacles: %d; contact: %s", count_obstacles(world), def->contact.model);
    print_settings(world, NULL);
    if (barrier)
        printf("%s below %s, %.4g Pa",
               model->obstacles == VV_CONTACT_FORCE ? "; between surfaces of bodies the barrier" : "",
               vv_text_quantity(text, def->contact.distance, "m"), stiffness.now);
    if (barrier && def->contact.frictionSpeed > 0) /* chosen where anything has friction */
        fputs("; ", stdout), vv_cli_print_slow(stdout, world);
    putchar('\n');
    vv_cli_print_lengths(
        &(vvRunLengths){ vvWorldLength(world), barrier ? def->contact.distance : 0, def->solver.tolerance, 0 });
    if (barrier && stiffness.chosen)
        vv_cli_print_stiffness(&stiffness);
    vv_cli_print_start_gap(stdout, "  ", world);
    vv_cli_print_friction(world);
    printf("  integrator: %s, policy %s", def->integrator.scheme, def->integrator.policy);
    print_settings(world, &def->integrator);
    printf(", h = %.6g s; solver: %s, %s\n", def->timeStep, def->solver.method, def->solver.linear);
    printf("  energies at the start:");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        printf("%s %s %s", i ? "," : "", parts[i].name, vv_text_quantity(text, parts[i].energy, "J"));
    printf("\n  ground level: %s", isfinite(row->groundEnergy) ? vv_text_quantity(text, row->groundEnergy, "J")
                                   : def->integrator.groundMode == VV_GROUND_AUTO ? "not needed, so not solved for"
                                                                                  : "none");
    printf("; scale S: %s\n", vv_text_quantity(text, row->scale, "J"));
    if (isfinite(row->minGap))
        printf(row->minGap < 0 ? "  deepest penetration: %s\n" : "  smallest gap: %s\n",
               vv_text_quantity(text, fabs(row->minGap), "m"));
    if (barrier && row->contact > NOTABLE * row->scale && !(row->minGap < 0))
        printf(
            "  contact holds %s, %.3g%% of S: something starts closer than contact.distance and will be pushed away\n",
            vv_text_quantity(text, row->contact, "J"), 100 * row->contact / row->scale);
    puts(!contact             ? "  nothing can collide"
         : !(row->minGap < 0) ? "  the start is free of penetration and intersection"
         : hard               ? "  penetrating bodies are pushed out"
         : barrier ? "  no surfaces intersect at the start; springs push penetrating vertices out of obstacles"
                   : "  springs push penetrating vertices out of obstacles");
}

/* The settings whose keys begin so, by the rest of the key. */
static json_t *settings_of(json_t *settings, const char *path)
{
    json_t *object = json_object(), *value;
    const char *key;
    json_object_foreach(settings, key, value)
    {
        const char *name = key + strlen(path);
        if (strncmp(key, path, strlen(path)) == 0 && !strchr(name, '.'))
            json_object_set(object, name, value);
    }
    return object;
}

/* Parameters of the scheme and the policy: lists of numbers, or words. */
static json_t *parameters_json(json_t *settings, const vvIntegratorDef *d)
{
    json_t *object = json_object();
    char key[96];
    for (int i = 0; i < d->settingCount; i++) {
        snprintf(key, sizeof key, "integrator.%s", d->settings[i].name);
        json_t *value = json_object_get(settings, key);
        bool whole = json_is_array(value) || json_is_string(value);
        json_object_set_new(object, d->settings[i].name, whole ? json_incref(value) : json_pack("[O]", value));
    }
    return object;
}

/* The barrier's values are null where only springs act, and those of springs where there are none. */
static json_t *contact_json(json_t *settings, bool barrier)
{
    static const char *const of_barrier[] = { "distance", "stiffness", "friction_speed" };
    json_t *contact = settings_of(settings, "contact."), *springs = settings_of(settings, "contact.springs.");
    for (int i = 0; i < 3 && !barrier; i++)
        json_object_set_new(contact, of_barrier[i], json_null());
    json_object_set_new(contact, "springs", json_object_size(springs) > 0 ? json_incref(springs) : json_null());
    json_decref(springs);
    return contact;
}

static void add_start(json_t *json, vvWorld *world, const vvLedgerRow *row)
{
    const vvWorldDef *def = vvWorldGetDef(world);
    const bool barrier = vv_cli_has_barrier(world);
    json_object_set_new(json, "obstacles", json_integer(count_obstacles(world)));
    json_t *settings = json_object();
    vvWorldEachSetting(world, add_setting, settings);
    json_object_set_new(json, "contact", contact_json(settings, barrier));
    json_object_set_new(json, "friction", vv_json_friction(world));
    json_t *integrator = settings_of(settings, "integrator.");
    json_object_set_new(integrator, "settings", parameters_json(settings, &def->integrator));
    json_object_set_new(json, "integrator", integrator);
    json_object_set_new(json, "solver", settings_of(settings, "solver."));
    json_object_set_new(json, "settings", settings);
    vvStiffness stiffness;
    json_object_set_new(json, "stiffness",
                        vvWorldGetStiffness(world, &stiffness) && barrier ? vv_json_stiffness(&stiffness)
                                                                          : json_null());
    vvStartGap gap;
    json_object_set_new(json, "start_gap",
                        vvWorldGetStartGap(world, &gap)
                            ? json_pack("{s:[s,s], s:f, s:f, s:i}", "between", gap.names[0], gap.names[1], "gap",
                                        gap.gap, "acts_below", gap.activation, "pairs", (int)gap.count)
                            : json_null());
    json_object_set_new(json, "length", vv_json_number(vvWorldLength(world)));
    json_object_set_new(json, "energy", vv_json_energies(row));
    json_object_set_new(json, "ground", vv_json_number(row->groundEnergy));
    json_object_set_new(json, "scale", vv_json_number(row->scale));
    json_object_set_new(json, "min_gap", vv_json_number(row->minGap));
}

static int start_error(const check_options *o, const vvScene *scene, vvWorld *world, const vvError *error)
{
    char name[256], mesh[400];
    vv_cli_stem(o->scene, name, sizeof name);
    snprintf(mesh, sizeof mesh, "out/%s-intersections.ply", name);
    return vv_cli_start_error(o->scene, scene, world, o->mesh ? o->mesh : mesh, error);
}

/* Notes while the scene becomes a world; warnings at any time. */
static void print_note(void *user, vvLogLevel level, const char *message)
{
    const scene_check *c = user;
    if (level == VV_LOG_WARNING)
        vv_cli_warn("%s", message);
    if (!c->making || level == VV_LOG_WARNING)
        return;
    printf("note: %s\n", message);
    if (c->json)
        json_array_append_new(json_object_get(c->json, "notes"), json_string(message));
}

static void begin(const scene_check *c)
{
    vvSceneTime time = vvSceneGetTime(c->scene);
    double steps = ceil((time.end - time.begin) / time.step - 1e-9);
    printf("%s: %.0f steps of %.6g s to t = %.6g s, a frame every %d\n", vvSceneName(c->scene), steps, time.step,
           time.end, time.recordEvery);
    if (c->json)
        json_object_set_new(c->json, "time",
                            json_pack("{s:f, s:f, s:f, s:i, s:I}", "step", time.step, "begin", time.begin, "end",
                                      time.end, "record_every", time.recordEvery, "steps", (json_int_t)steps));
}

static int check_scene(scene_check *c)
{
    const vvHost host = { .log = { print_note, c } };
    const check_options *o = &c->o;
    vvError error = { 0 };
    vvLedgerRow row;
    c->making = true;
    vv_cli_phase("check: reading %s", o->scene);
    vvStatus status = vvSceneLoad(o->scene, o->sets.values, o->sets.count, &c->scene, &error);
    if (status == VV_OK && c->json)
        json_object_set_new(c->json, "name", json_string(vvSceneName(c->scene)));
    vv_following following = { .command = "check" };
    vvWatch watch = vv_cli_watch(&following);
    vvSceneSetWatch(c->scene, &watch);
    if (status == VV_OK)
        status = vvSceneCreateHostedWorld(c->scene, o->threads, &host, &c->world, &error);
    vvSceneSetWatch(c->scene, NULL);
    vv_following_finish(&following);
    c->making = false;
    if (status == VV_OK) {
        vvWorldSetCancel(c->world, vv_cli_cancel, NULL);
        begin(c);
        status = print_bodies(c, &error);
        fflush(stdout);
    }
    bool baked = status == VV_OK; /* messages of failures from here on do not name the file */
    vv_cli_phase("check: testing the start");
    if (status == VV_OK)
        status = vvWorldBake(c->world, &error);
    vv_cli_phase(NULL);
    if (status == VV_OK)
        status = vvWorldLedger(c->world, &row, &error);
    if (status == VV_CANCELLED)
        return vv_cli_error(&error);
    if (status != VV_OK)
        return baked ? start_error(o, c->scene, c->world, &error) : vv_cli_error(&error);
    print_start(c->world, &row);
    vv_cli_warn_of_settings(&o->sets, c->world, true);
    if (c->json)
        add_start(c->json, c->world, &row);
    return VV_EXIT_OK;
}

static int check_any(scene_check *c)
{
    int code = vv_cli_want_scene(&c->o.scene, c->o.found);
    if (code != VV_CLI_GO)
        return code;
    if (vv_cli_is_run_file(c->o.scene))
        return c->o.sets.count ? vv_cli_wrong("%s is a run file; --set is for scenes", c->o.scene)
                               : vv_cli_check_run(c->o.scene, c->o.mesh, c->json);
    if (c->json) {
        json_object_set_new(c->json, "kind", json_string("scene"));
        json_object_set_new(c->json, "bodies", json_array());
        json_object_set_new(c->json, "notes", json_array());
    }
    return check_scene(c);
}

int vv_cli_check(int argc, char **argv)
{
    scene_check c = { 0 };
    int code = read_options(&c.o, argc, argv);
    if (code != VV_CLI_GO)
        return code;
    vv_cli_catch_interrupt();
    if (c.o.as_json) {
        c.json = json_object();
        vv_json_begin();
    }
    code = vv_cli_strict(c.o.strict, check_any(&c));
    if (c.o.as_json)
        vv_json_end(c.json, code);
    vvWorldDestroy(c.world);
    vvSceneDestroy(c.scene);
    return code;
}
