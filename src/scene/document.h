/* Internals of scenes: how a scene file becomes a world: text -> JSON (parse.c), overrides (override.c), every value
 * against the key table (keys.c, validate.c), rules between values (rules.c), and then the world (build.c, body.c).
 *
 * Two kinds of path: `where` is the path in this scene, "bodies[2].attach[0].kind", for messages; `pattern` is the
 * table's, "bodies[].attach[].kind". */
#ifndef VV_SCENE_DOCUMENT_H
#define VV_SCENE_DOCUMENT_H

#include <jansson.h>

#include "base/text/names.h"
#include "base/text/text.h"
#include "visviva/scene.h"
#include "world/settings/members.h"

enum { VV_SCENE_PATH = 320 };

/* ---- the key table ---- */

/* Generators, initial states, obstacles, potentials, and schemes and policies. */
typedef struct vv_typed {
    const vvInfo *info;
    int paramCount;
    const vvParam *params;
} vv_typed;
bool vv_scene_generator(int index, vv_typed *typed);
bool vv_scene_state(int index, vv_typed *typed);
bool vv_scene_obstacle(int index, vv_typed *typed);
bool vv_scene_potential(int index, vv_typed *typed);
bool vv_scene_method(int index, vv_typed *typed); /* schemes and policies */
bool vv_typed_find(vv_typed_get *get, const char *name, vv_typed *typed);
int vv_typed_size(const vv_typed *typed); /* numbers in all parameters */

/* The rows, one after the other, from a cursor that begins as zero; NULL past the end. */
typedef struct vv_scene_cursor {
    int part, row;
} vv_scene_cursor;
const vv_key_row *vv_scene_next(vv_scene_cursor *cursor);
/* The row of member `name` of the object at `pattern` ("" for the scene); for a VV_KEY_TYPED name that key's row,
 * with *typed filled in. NULL: there is no such key. */
const vv_key_row *vv_scene_find(const char *pattern, const char *name, vv_typed *typed);

/* The default of a list of numbers, for the document at `root`, where the document does not have it; NULL: there is
 * none. (defaults.c) */
json_t *vv_scene_default_list(const json_t *root, const char *pattern, const char *name);
/* Where else there are keys of that name, those on the highest level: "; there is integrator.policy". False: nowhere,
 * or in many places. */
enum { VV_WORDS_GUIDE = 192 };
bool vv_scene_elsewhere(const char *name, char out[VV_WORDS_GUIDE]);

/* ---- a document ---- */

/* A body, or an obstacle that is one (pairs.c). */
typedef struct vv_scene_thing {
    const char *list, *name; /* name NULL: it has none */
    size_t index;
    const json_t *entry;
    bool shape;       /* an obstacle without a mesh */
    int first, count; /* the bodies of the world that it makes */
} vv_scene_thing;

typedef struct vv_document {
    json_t *root;
    const char *name; /* the file, for messages */
    vvError *error;
    char failed[VV_SCENE_PATH]; /* where the last content error was */
    const vvHost *host;         /* while a world is made: its log; else NULL */
    vvWatch watch;
    /* bodies and obstacles that are bodies, and those with a name by it: since vv_scene_check_names */
    vv_scene_thing *things;
    int thing_count;
    vv_names names;
} vv_document;

/* Sets the error "NAME: WHERE: ..." and returns VV_ERROR_INPUT. */
vvStatus vv_scene_fail(vv_document *doc, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Candidates for "allowed: ...; did you mean ...?" */
typedef struct vv_words {
    const char *wrong;
    char list[640], nearest[64];
    int best, count;
    bool key; /* they are keys */
} vv_words;
void vv_words_add(vv_words *words, const char *candidate);
/* Adds the words of a text, separated by spaces. */
void vv_words_split(vv_words *words, const char *text);
/* "; did you mean "x"?" or "". */
const char *vv_words_hint(const vv_words *words, char out[96]);
/* The same; but for a word of other programs, such as IPC's "dhat", it says what that is called here (foreign.c), and
 * for a `key` that is in the wrong place, where it belongs. */
const char *vv_words_guide(const vv_words *words, char out[VV_WORDS_GUIDE]);

/* Describes a value for "found ...": `the text "abc"`. Control characters become '?'. */
const char *vv_scene_describe(const json_t *value, char out[96]);
const char *vv_scene_printable(const char *text, char out[80]);
/* "where.name" and "where[index]", cut off at the end if too long. */
void vv_scene_child(char out[VV_SCENE_PATH], const char *where, const char *name);
void vv_scene_item(char out[VV_SCENE_PATH], const char *where, size_t index);

/* ---- values; each leaves the target unchanged if the key is absent ---- */

/* A number or a fraction in quotes; false if it is neither, or not finite. */
bool vv_scene_number(const json_t *value, double *number);
/* "0.1%" as a part of 1; false if it is none. */
bool vv_scene_percentage(const json_t *value, double *part);
void vv_read_number(const json_t *object, const char *key, double *target);
void vv_read_integer(const json_t *object, const char *key, int *target);
/* Bits given as a whole number. */
void vv_read_filter(const json_t *object, const char *key, vvFilter *target);
void vv_read_boolean(const json_t *object, const char *key, bool *target);
void vv_read_text(const json_t *object, const char *key, const char **target);
/* Up to `size` numbers; one number fills all. */
void vv_scene_numbers(const json_t *value, double *target, int size);
void vv_read_numbers(const json_t *object, const char *key, double *target, int size);

/* Settings (scene/settings.c): the value of one below the object that `path` names in the table ("" for the scene,
 * "materials.NAME"), NULL: there is none. Reads those that there are into the struct; *keys (vv_free it) receives decay
 * times. Writes those that differ from `fallback` (NULL: all) into a scene, and removes the others from it; false: out
 * of memory. */
const json_t *vv_member_value(const json_t *object, const char *path, const vv_member *member);
vvStatus vv_read_members(vv_document *doc, const json_t *object, const char *path, const vv_members *members, void *def,
                         vvKey **keys);
bool vv_write_members(json_t *root, const vv_members *members, const void *fallback, const void *def);

/* ---- the stages; each sets the error if it fails ---- */

/* Reads a file, and the files it extends, into one object. Mesh paths become absolute. */
vvStatus vv_scene_read_file(const char *path, json_t **root, vvError *error);
vvStatus vv_scene_read_text(const char *text, size_t size, const char *name, const char *folder, json_t **root,
                            vvError *error);
/* Makes relative mesh paths absolute, starting at `folder`. */
vvStatus vv_scene_anchor_meshes(json_t *root, const char *folder, vvError *error);
vvStatus vv_scene_override(vv_document *doc, const char *assignment);
/* Whether an override affects the place `where`: then the message names it. */
bool vv_scene_override_reaches(const char *assignment, const char *where);
/* Refuses an override of a material that no body uses: it would change nothing. For a valid scene. */
vvStatus vv_scene_override_used(vv_document *doc, const char *assignment);
vvStatus vv_scene_validate(vv_document *doc);
vvStatus vv_scene_check_rules(vv_document *doc);
/* Picks the first file of each list that can be read, of bodies, their starts and obstacles, and writes it into the
 * document. */
vvStatus vv_scene_choose_files(vv_document *doc);
/* bodies[].materials, of whose names those of the mesh's groups are: *tet_materials (vv_free it) is of each tet, as
 * vvBodyDef.tetMaterials. mesh NULL: the materials alone are read. */
vvStatus vv_scene_regions(vv_document *doc, const char *where, const json_t *value, const vvMesh *mesh,
                          vvMaterialDef *material, vvMaterialDef **more, int *more_count, int **tet_materials);
/* A body's materials: a name, an object, or a list of them, of which the first counts as `material`; *more (vv_free
 * it): the others. */
vvStatus vv_scene_materials(vv_document *doc, const char *where, const json_t *value, vvMaterialDef *material,
                            vvMaterialDef **more, int *more_count);
/* The material of a body or of the table, based on the material named by "like". `value`: a name or an object. */
vvStatus vv_scene_material(vv_document *doc, const char *where, const json_t *value, vvMaterialDef *material);
/* The rules between values of all materials of the table. */
vvStatus vv_scene_check_materials(vv_document *doc);
/* Parameters of a typed object one after the other, defaults where absent: vv_typed_size() values. */
void vv_scene_values(const json_t *object, const vv_typed *typed, double *values);
/* The same as settings, one a parameter; returns how many. Names are the table's. */
int vv_scene_settings(const vv_typed *typed, const double *values, vvSetting *settings);
/* The single typed member of an object (validated: there is exactly one), as its name, value and type. */
const char *vv_scene_typed_member(const json_t *object, const char *pattern, const json_t **value, vv_typed *typed);

/* Positions and velocities of `count` nodes x 3 from and to a CSV file. */
vvStatus vv_scene_read_state(const char *path, int count, double *x, double *v, vvError *error);
vvStatus vv_scene_write_state(const char *path, int count, const double *x, const double *v, vvError *error);

vvStatus vv_scene_build_body(vv_document *doc, vvWorld *world, size_t index);
/* gravity.c: *keys (vv_free it) receives a load's keys. */
vvStatus vv_scene_read_keys(vv_document *doc, const json_t *source, vvAttachDef *def, vvKey **keys);
bool vv_scene_gravity_has_keys(const vv_document *doc); /* then it is a load, not the world's */
vvStatus vv_scene_build_gravity(vv_document *doc, vvWorld *world);
vvStatus vv_scene_build_obstacle(vv_document *doc, vvWorld *world, size_t index);
bool vv_scene_is_mesh_obstacle(const json_t *obstacle);
/* Obstacles with a mesh, and those that move, are bodies of the world, after the scene's bodies. */
bool vv_scene_is_body_obstacle(const json_t *obstacle);

/* Parts common to bodies and obstacles. `pattern`: of the object that holds the mesh, "bodies[].mesh". */
vvStatus vv_scene_make_mesh(vv_document *doc, const json_t *source, const char *pattern, const char *where,
                            vvMesh *mesh, vvMeshNotes *notes);
/* The numbers of each triangle of the body's mesh (triangles.c), of which `notes` tell how it was read; vv_free them.
 * NULL: there are none. */
vvStatus vv_scene_triangle_numbers(vv_document *doc, const json_t *body, const char *where, const char *key,
                                   const vvMesh *mesh, const vvMeshNotes *notes, double **numbers);
/* A mesh of points and edges that stand in the scene (points.c). */
bool vv_scene_is_points(const json_t *mesh);
vvStatus vv_scene_check_points(vv_document *doc, const json_t *mesh, const char *where);
vvStatus vv_scene_make_points(vv_document *doc, const json_t *source, const char *where, vvMesh *mesh);
/* A body's mesh with "fill": true; `source`: the object that holds the mesh. Replaces the surface by tets;
 * *filled, the caller's then, is the surface. */
vvStatus vv_scene_fill(vv_document *doc, const json_t *source, const char *where, vvMesh *mesh, vvMesh *filled);
/* A body's mesh with "order": 2 (order.c). Raises the mesh, its middles on the file in "onto", else on the surface
 * `filled` that the tets fill (empty: none); and says what stayed straight. */
bool vv_scene_is_order2(const json_t *mesh);
/* Says that elements of higher order lost their middles; of order 2, where other tets have four nodes, warns of it. */
void vv_scene_tell_straightened(vv_document *doc, const json_t *source, const char *where, const vvMeshNotes *notes);
vvStatus vv_scene_raise(vv_document *doc, const json_t *from, const char *where, const vvMesh *filled, vvMesh *mesh);
/* A generated mesh of either order. */
vvStatus vv_scene_generate(vv_document *doc, const char *where, const char *name, const vvSetting *settings, int count,
                           bool order2, vvMesh *mesh);
/* To the host's log, if there is one. */
void vv_scene_tell(const vv_document *doc, vvLogLevel level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Warns of a closed surface that becomes springs, unless the body's material names a model. */
void vv_scene_warn_of_skin(vv_document *doc, const json_t *source, const char *where, const vvMesh *mesh,
                           const char *model);
void vv_scene_read_place(const json_t *source, vvBodyDef *def);
/* *points (vv_free it) receives the motion's waypoints. */
vvStatus vv_scene_read_motion(vv_document *doc, const json_t *source, vvMotionDef *motion, vvWaypoint **points);
/* The shapes of motion.follow (follow.c): read, and checked to be of the same connectivity as `mesh`; vv_free both
 * arrays. None: count is 0. */
vvStatus vv_scene_read_follow(vv_document *doc, const json_t *motion, const char *where, const vvMesh *mesh,
                              vvFollowDef *follow);
vvStatus vv_scene_check_follow(vv_document *doc, const json_t *follow, const char *where);
/* An obstacle's mesh file: of tets only the boundary, with the vertices that it uses. */
vvStatus vv_scene_to_surface(vv_document *doc, const char *where, vvMesh *mesh);
/* Puts "FILE: WHERE: " before the error. */
vvStatus vv_scene_prefix(vv_document *doc, const char *where);

/* How many bodies or obstacles an entry of the scene's lists makes; of one of them, counted from 0, where it stands
 * beside the first (m), and its name: "NAME 5", without copies NAME, "" if there is none. */
int vv_scene_copies(const json_t *entry);
void vv_scene_copy_shift(const json_t *entry, int copy, double shift[3]);
enum { VV_COPY_NAME = 256 };
const char *vv_scene_copy_name(const json_t *entry, const char *name, int copy, char out[VV_COPY_NAME]);
/* Names of bodies and of obstacles that are bodies (pairs.c): lists them, and checks that names are unique; whether one
 * of them has `name`; checks that contact.pairs refers to some; sets the friction of pairs. */
vvStatus vv_scene_check_names(vv_document *doc);
void vv_scene_forget_names(vv_document *doc);
bool vv_scene_has_name(const vv_document *doc, const char *name);
vvStatus vv_scene_check_pairs(vv_document *doc);
vvStatus vv_scene_build_pairs(vv_document *doc, vvWorld *world);
/* Joints (joints.c): the rules between their keys; the world's, once it has its bodies. */
vvStatus vv_scene_check_joints(vv_document *doc);
vvStatus vv_scene_build_joints(vv_document *doc, vvWorld *world);
/* Which entry makes the world's body of that number: "bodies[2]", "bodies[2], copy 5", "obstacles[0]". */
bool vv_scene_body_path(const json_t *root, int body, char *path, size_t size);
vvStatus vv_scene_build(vv_document *doc, int threads, const vvHost *host, vvWorld **world);
vvSceneTime vv_scene_time(const json_t *root);
/* Whether there is contact: as contact.model says; without it: whether anything could touch. */
bool vv_scene_has_contact(const json_t *root);

const json_t *vv_scene_root(const vvScene *scene);

/* json_loadb in any locale. */
json_t *vv_scene_read_json(const char *text, size_t size, size_t flags, json_error_t *problem);
/* The document as text, numbers as short as possible without losing a bit; NULL: out of memory. vv_free it. */
char *vv_scene_text(const json_t *root);

#endif
