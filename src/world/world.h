/* Internals of a world: what the user created (the structure), its state, and the stepper made from both ("baking").
 *
 * Structure and state belong to the world and outlive what is baked. A change of structure only discards the baked part
 * (vv_world_changed); the next step, or whoever needs it, bakes again. So a failed baking loses nothing. */
#ifndef VV_WORLD_WORLD_H
#define VV_WORLD_WORLD_H

#include "base/text/names.h"
#include "contact/contact.h"
#include "energy/elements.h"
#include "energy/points/potential.h"
#include "solve/constant/forest.h"
#include "step/policies/policy.h"
#include "step/stepper.h"
#include "visviva/contact.h"
#include "visviva/world.h"
#include "world/costs.h"
#include "world/attachments/attach.h"
#include "world/settings/chosen.h"
#include "world/ids.h"
#include "world/joints/joint.h"
#include "world/parts.h"

#include <stdatomic.h>

/* What the stepper's solvers have learned, kept across baking (world/changed.c). */
typedef struct vv_solver_memory {
    bool valid;
    size_t size, capacity;                    /* bytes */
    unsigned char *data;                      /* of a baked world: allocated */
    char name[sizeof((vv_learned *)0)->name]; /* of the solvers: under another name the bytes mean something else */
} vv_solver_memory;

/* A static equilibrium's energy, and the (hash of the) structure it belongs to. */
typedef struct vv_known_ground {
    uint64_t structure; /* 0: none */
    double energy;      /* J; NaN: there is none */
} vv_known_ground;

typedef struct vv_frozen vv_frozen; /* a copy of the structure that snapshots share (world/saved/frozen.h) */

/* What rollers hold of nodes (world/attachments/rails.c). */
typedef struct vv_world_rails {
    vv_rails rails;
    int *ways;   /* per rail: along how many directions it is held, */
    double *way; /* 9 numbers: the directions, unit vectors at right angles, */
    /* 4 numbers: where it is held along each, as last asked for, m, and how many of them have been found; and room
     * for as many */
    double *at;
} vv_world_rails;

enum { VV_SETTING_NOTES = 32, VV_SETTING_WORDS = 192 };
typedef struct vv_setting_note { /* see vvWorldSettingChange */
    int64_t step;
    char text[VV_SETTING_WORDS];
} vv_setting_note;

/* Of steps with sleep (world/sleep/). */
typedef struct vv_sleep_room {
    double *ahead;       /* node space, m: where nodes may be at the step's end */
    double (*box)[6];    /* per body: low, high, m */
    double *share;       /* per body, J */
    int *group;          /* per body */
    unsigned char *mark; /* per body */
    size_t node_capacity, box_capacity, share_capacity, group_capacity, mark_capacity;
    bool woken; /* by the step just tried */
    bool waits; /* some are to fall asleep, but the host cancelled meanwhile: the next step begins with it */
} vv_sleep_room;

typedef struct vv_bytes { /* a block that grows */
    char *data;
    size_t size, capacity;
} vv_bytes;

typedef struct vv_touches {
    vvContactPair *list;
    size_t count, capacity;
} vv_touches;
typedef struct vv_events { /* see world/contact/events.c */
    vv_touches touching, next, began, ended;
    bool failed;   /* memory was too short to compare */
    bool reloaded; /* `touching` must be found anew before it is used */
    vvContactPoint *points;
    size_t point_capacity;
    double *impulses; /* of `touching`, where they were asked for */
    uint64_t stepped; /* the world's count of moves when the last step had ended; 0: a state was loaded since */
    size_t impulse_capacity;
} vv_events;

/* The places of a world's energies, in the order of the system's sums. Those of elements follow VV_PLACE_ELASTIC, in
 * the order of vv_element_kind_at; among the dissipations their Rayleigh damping stands there. */
enum vv_place {
    VV_PLACE_GRAVITY,
    VV_PLACE_ELASTIC,
    VV_PLACE_SOFT = VV_PLACE_ELASTIC + 64, /* spring attachments of many nodes, */
    VV_PLACE_LOOSE,                        /* hands, and spring attachments of few nodes */
    VV_PLACE_POTENTIAL,                    /* attachments with a potential */
    VV_PLACE_JOINT,                        /* joints between bodies */
    VV_PLACE_EXTERNAL,                     /* the host's forces */
    VV_PLACE_OBSTACLES,
    VV_PLACE_PAIRS,     /* contact; friction */
    VV_PLACE_REPULSION, /* contact springs against obstacles */
    VV_PLACE_DRAG,
    VV_PLACES
};

/* Parts of what is baked that a change has made out of date. */
enum vv_stale {
    VV_STALE_SPRINGS = 1,  /* spring attachments */
    VV_STALE_ELASTIC = 2,  /* materials, with Rayleigh damping */
    VV_STALE_CONTACT = 4,  /* what touches what, and how hard */
    VV_STALE_FRICTION = 8, /* coefficients */
    VV_STALE_DAMPING = 16, /* drag, and damping after the solve */
    VV_STALE_STEPPER = 32, /* scheme, policy, solver */
    VV_STALE_GRAVITY = 64,
    VV_STALE_RAYLEIGH = 128,
    VV_STALE_THREADS = 256,     /* solvers, which keep what they have learned */
    VV_STALE_POTENTIALS = 1024, /* attachments with a potential */
    VV_STALE_LOADS = 2048,      /* pressures that follow */
    VV_STALE_OBSTACLES = 4096,  /* those that stand still: contact has none now */
    VV_STALE_BOOKS = 512        /* nothing, but the start is to be computed again, or the change to be booked */
};

struct vvWorld {
    vvWorldDef def; /* strings point into the tables, keys are owned */
    vvKey *keys;
    vvSetting *settings;
    vvAllocator allocator; /* the thread's while a public function works on this world: vv_memory_use */
    vv_parallel par;
    bool solves_fall_short; /* the last one did not converge: already reported */
    bool is_inverted;       /* after the last step: already reported */
    bool shortfall_warned, rubbing_warned, inversion_warned, distance_warned, gaps_told, depth_warned, friction_told,
        springs_told, locking_told, way_told;
    int limits;              /* steps in a row that ended at the limit of iterations */
    int unbalanced;          /* looks in a row at solves whose budget was too small */
    double gains;            /* energy out of nothing, in parts of S: summed over the steps in a row with much of it */
    int losses;              /* steps in a row with much energy lost */
    double swings;           /* steps with much numerical error of either sign, less half of those without */
    const char *last_linear; /* solver of the last step that had one */
    bool busy;               /* a public function works on this world: world/call.c */
    vv_stop stop;            /* what a call on this world heeds */

    vv_body *bodies;
    size_t body_count, body_capacity;
    vv_obstacle *obstacles;
    size_t obstacle_count, obstacle_capacity;
    vv_attach *attaches;
    size_t attach_count, attach_capacity;
    vv_mode_request *modes;
    size_t mode_count, mode_capacity;
    vv_body_friction *frictions; /* ascending by a, then b */
    size_t friction_count, friction_capacity;
    vv_joint *joints;
    size_t joint_count, joint_capacity;
    vv_names names; /* of the first bodies: of all after one has been added, of none after one has gone */
    vv_ids body_ids, obstacle_ids, attach_ids, joint_ids;

    /* per node: structure; the state's vectors grow and close up with them */
    int nodes;
    size_t node_capacity;
    double *rest, *mass;
    double *placed;       /* where bodies begin, as gaps are measured (world/contact/starting_places.c) */
    unsigned char *fixed; /* 1: in a fixed attachment */
    vv_state state;

    uint64_t random;
    bool started;   /* the ledger has its first row */
    bool restoring; /* a saved state is about to be loaded: the start needs no ground level */
    bool settled;   /* since the last step, and nothing has been placed since (world/contact/starting_places.c) */
    bool unbooked;  /* something has changed since H was last computed */
    vv_given_lengths given; /* `def` has what they are in metres */
    vv_lengths lengths;
    vv_stiffness stiffness;
    vv_stiffening stiffening;
    uint32_t revision; /* see vvWorldRevision */
    vv_solver_memory memory;
    double ahead;         /* s: of the host's time, for which no step was made yet */
    vv_forest_store kept; /* factors of bodies that were baked before */
    vv_known_ground ground;
    uint32_t settings_revision; /* see vvWorldSettingsRevision */
    vv_setting_note *notes;     /* VV_SETTING_NOTES of them, a ring */
    vv_bytes made;              /* what setters have changed, as it was before (world/settings/records.c) */
    double *edit;               /* between vvWorldBeginEdit and vvWorldEndEdit: x and v before */
    vv_frozen *frozen;          /* copy of the present structure, once a snapshot was taken */

    vv_sleep_room sleep; /* memory to find who sleeps */

    /* from baking */
    bool baked;
    bool torn;      /* of a baked world: joints broke, or are whole again, since what holds together was found */
    unsigned stale; /* vv_stale: what of a baked world must be made again before the next step */
    /* bits of vv_element_kind_at: whose, with VV_STALE_ELASTIC and VV_STALE_RAYLEIGH */
    uint64_t stale_kinds, stale_rayleigh;
    bool learned;                  /* steps were tried since: what the solvers have learned is newer than `memory` */
    int *unknown, *node, *body_of; /* body_of: node -> body */
    int *clump;                    /* see vv_system.clump */
    vv_world_rails rails;          /* nodes that rollers hold */
    vv_contact *contact;           /* NULL: none */
    /* per body: with which it stands together (world/contact/stiffness.c), and the kappa that these ask for, Pa */
    int *together;
    double *asked;
    double *small_area; /* per body, m^2: of a small vertex, but not of a sliver (world/contact/stiffness.c) */
    double *drag_rate;
    int *body_start; /* body_count + 1: the first node of each body; the nodes */
    vv_energy *energy_at[VV_PLACES], *dissipation_at[VV_PLACES]; /* vv_place: what the system has of each, or NULL */
    vv_system system;
    vv_rigid_damping *damping; /* one row per body that has some */
    int damping_count;
    vv_stepper *stepper;
    double settle_seconds; /* spent on the ground level since the last report */
    uint64_t moved;        /* incremented whenever positions change: what is derived from them is then out of date */
    struct vv_body_trees *trees; /* for queries, one per body (world/queries/trees.c); NULL before the first */
    size_t tree_count;
    vv_events events;
    vv_costs costs;
};

/* world/call.c */
typedef struct vv_call {
    vvWorld *world;
    vvAllocator outer;
} vv_call;
/* Begins what a public function does: clears *error, and takes the world for itself. False, with VV_ERROR_INPUT and a
 * message, if there is no world, or another call works on it. */
bool vv_world_enter(vv_call *call, const vvWorld *world, const char *function, vvError *error);
/* Ends it; returns `status`. */
vvStatus vv_world_leave(const vv_call *call, vvStatus status);
/* The whole body of a public function: `work`, a call of what it does, after entering. */
#define VV_WORLD_CALL(world, error, work) \
    vv_call call;                         \
    return vv_world_enter(&call, world, __func__, error) ? vv_world_leave(&call, work) : VV_ERROR_INPUT
/* For public functions without a status: whether there is a world, and no other call works on it; */
bool vv_world_idle(const vvWorld *world);
/* and for getters, which may be called meanwhile: whether there is a world that can be read. */
bool vv_world_readable(const vvWorld *world);

/* world/nodes.c: the arrays per node. All grow or none does. */
bool vv_nodes_reserve(vvWorld *world, size_t need);
void vv_nodes_remove(vvWorld *world, int first, int count);
void vv_nodes_free(vvWorld *world);

/* world/bodies/body.c */
void vv_body_free(vv_body *body);
/* Index of an obstacle, or -1. */
static inline int vv_obstacle_index(const vvWorld *world, vvObstacleId id)
{
    return vv_ids_find(&world->obstacle_ids, id.index1, id.generation);
}
/* Index of an existing body or -1; for getters, also -1 if the world cannot be read. */
int vv_body_index(const vvWorld *world, vvBodyId id);
int vv_body_read(const vvWorld *world, vvBodyId id);
/* Copies the body's own arrays, for a frozen copy of the structure; false: out of memory (free what is there). */
bool vv_body_copy(const vv_body *from, vv_body *to);
/* Adds the lumped masses of its first material to those of its nodes, which are 0. The arrays are those that its
 * indices refer to. */
vvStatus vv_body_set_mass(const vv_body *body, const double *rest, double *mass, vvError *error);
/* The body's cells with one of its materials. */
vv_element_part vv_body_part(const vvWorld *world, int body, int material);
int vv_body_find(const vvWorld *world, const char *name); /* the body of that name; -1: there is none */
/* Of a checked one; order2: for a body of tets of order 2. */
vv_material vv_make_material(const vvMaterialDef *def, bool order2);
/* Shifts the node indices of its elements by `by`. */
void vv_body_shift(vv_body *body, int by);

/* As vvWorldAddBody, for within other calls. */
vvStatus vv_world_add_body(vvWorld *world, const vvBodyDef *def, vvBodyId *id, vvError *error);
/* world/structure.c: removes the body and all that is its own. */
void vv_world_drop_body(vvWorld *world, int body);

/* world/contact/obstacle.c: where an obstacle that moves is now. */
vv_frame vv_obstacle_frame(const vvWorld *world, const vv_obstacle *obstacle);

/* world/settings/friction_pairs.c: Coulomb coefficient between bodies (indices; a == b: with itself). */
double vv_world_friction(const vvWorld *world, int a, int b);
/* Removes the body's entries; later bodies move down. */
void vv_friction_drop(vvWorld *world, int body);

/* world/state.c: marks bodies as put in place, not moved there by a step. */
void vv_world_mark_placed(vvWorld *world, int first, int count);

/* world/changed.c */
/* Fails while an edit is open: VV_ERROR_INPUT with a message. */
vvStatus vv_world_open(const vvWorld *world, const char *what, vvError *error);
/* The structure was changed: discards what is baked and frozen, keeps the state. */
void vv_world_changed(vvWorld *world);
/* The same where sleeping bodies are not concerned, or those that are were woken (world/sleep/sleep.h): otherwise all
 * wake. */
void vv_world_changed_apart(vvWorld *world);
void vv_world_part_changed_apart(vvWorld *world, unsigned stale);
/* Only parts (vv_stale) were changed: they are made again, and the change is booked. */
void vv_world_part_changed(vvWorld *world, unsigned stale);
/* Settings of the definition were changed: those parts are made again, and the change is booked. What snapshots share
 * stays. */
void vv_world_setting_changed(vvWorld *world, unsigned stale);
/* Positions or velocities were overwritten: another start or, after the first step, work of the next row. */
void vv_world_state_changed(vvWorld *world);

/* whether there may be friction: contact, and a coefficient above 0 anywhere */
bool vv_world_slides(const vvWorld *world);

/* world/attachments/rails.c: what rollers hold. Made with the unknowns, and given to the system. */
vvStatus vv_world_make_rails(vvWorld *world, vvError *error);
void vv_world_free_rails(vvWorld *world);
/* Puts the nodes to where they are held at `time`; others, and the rest of their places, stay. */
void vv_world_put_on_rails(const vvWorld *world, double time, double *q);
/* Of bodies that have not stepped yet, with the velocities. */
void vv_world_start_on_rails(vvWorld *world);
/* Methods that do not take them: VV_ERROR_UNSUPPORTED, by name. */
vvStatus vv_world_refuse_rails(const vvWorld *world, vvError *error);
/* The part of a support's force on a node that one of its rollers gives: along its own directions. */
void vv_world_split_support(const vvWorld *world, const vv_attach *attach, int node, const double force[3],
                            double part[3]);
/* The name of the first body of which a roller holds a node; NULL: there is none. */
const char *vv_world_on_rails(const vvWorld *world);

/* world/attachments/potentials.c: the energy of all attachments with a potential, or of those that are wells; NULL
 * without any. */
vvStatus vv_world_potentials(const vvWorld *world, bool walls, vv_energy **out, vvError *error);
/* world/ready.c: vvWorldBake, for within other calls. */
vvStatus vv_world_bake(vvWorld *world, vvError *error);
/* The same file: after positions were overwritten or restored, where contact alone is stale for that: bakes at once, so
 * that hosts need not. What goes wrong there the next baking reports. */
void vv_world_catch_up(vvWorld *world);
/* Back to the state before baking, even from a half-finished one. */
void vv_world_unbake(vvWorld *world);
/* What the solvers of the world have learned, or will once it is baked with so many nodes. */
vv_learned vv_world_learned(const vvWorld *world, int nodes);
/* Room for it in world->memory; false: out of memory, nothing is lost. */
bool vv_world_reserve_memory(vvWorld *world, int nodes);
bool vv_world_reserve_memory_of(vvWorld *world, const vvWorldDef *def, int nodes); /* of a world with that definition */
/* Copies it into world->memory, and back; what no longer fits is dropped. */
void vv_world_keep_memory(vvWorld *world);
void vv_world_recall_memory(vvWorld *world);
/* For a baked world: resets the solvers to what they were when made. */
void vv_world_unlearn(vvWorld *world);
/* world/places.c: puts an energy, or a dissipation, or none (NULL), in place of what is there, which is destroyed; on
 * failure the new one is. */
vvStatus vv_world_put_energy(vvWorld *world, int place, vv_energy *e, vvError *error);
vvStatus vv_world_put_dissipation(vvWorld *world, int place, vv_energy *e, vvError *error);
/* world/attachments/springs.c: puts the energies of spring attachments and drags. */
vvStatus vv_world_put_springs(vvWorld *world, vvError *error);
/* world/bake.c: builds everything that a step needs from the structure; unbake after a failure. */
vvStatus vv_world_build(vvWorld *world, vvError *error);
/* world/unknowns.c: its beginning. Bodies that sleep are left out. */
vvStatus vv_world_number_unknowns(vvWorld *world, vvError *error);
/* world/bake.c again. Gravity in a baked world, or one that is being baked. */
vvStatus vv_world_put_gravity(vvWorld *world, const double gravity[3], vvError *error);
/* Makes contact anew, for other places; unbake after a failure. */
vvStatus vv_world_remake_contact(vvWorld *world, vvError *error);
/* Before obstacles that stand still come or go, of which `left` will be there: where it can, only what knows of
 * obstacles is rebuilt (world/contact/obstacles_anew.c). */
void vv_world_obstacles_changed(vvWorld *world, size_t left);
/* Finds anew what holds together in a baked world; unbake after a failure. */
vvStatus vv_world_regroup(vvWorld *world, vvError *error);
/* Makes anew what is stale of a baked world; unbake after a failure. */
vvStatus vv_world_renew(vvWorld *world, vvError *error);

/* world/attachments/motion.c */
typedef struct vv_pose { /* x = about + turn (x0 - about) + shift */
    bool turned;
    double turn[9], shift[3];
} vv_pose;
vv_pose vv_motion_pose(const vvMotionDef *motion, double time);
void vv_pose_apply(const vv_pose *pose, const vvMotionDef *motion, const double rest[3], double x[3]);
void vv_motion_position(const vvMotionDef *motion, double time, const double rest[3], double x[3]);
/* The position which the motion takes to x at `time`. */
void vv_motion_origin(const vvMotionDef *motion, double time, const double x[3], double rest[3]);
/* By how much it turns from one time to another, deg: at most, where it turns about several axes. */
double vv_motion_turn(const vvMotionDef *motion, double from, double to);
vvStatus vv_motion_check(const vvMotionDef *motion, vvError *error);

/* world/bodies/follow.c: places `count` positions of the mesh's coordinates as the definition says. */
void vv_body_place(const vvBodyDef *def, const double *positions, int count, double *placed);
/* The shapes of a kinematic body, as placed by its definition, go into its attachment; none if it follows none. */
vvStatus vv_follow_check(const vvBodyDef *def, const char *name, vvError *error);
vvStatus vv_follow_take(const vvBodyDef *def, vv_attach *attach, vvError *error);
bool vv_follow_copy(const vv_attach *from, vv_attach *to);
/* Node i of the attachment at `time`, before its motion is applied. */
void vv_follow_at(const vv_attach *attach, int i, double time, double x[3]);

/* world/bodies/measure.c: the box around its nodes at q (of the world) and the surface that it carries; of free points,
 * their balls. */
/* world/contact/together.c. group[body]: the first of the bodies with which it stands together. False: no memory. */
bool vv_world_find_together(const vvWorld *world, int *group);
void vv_body_bounds(const vvWorld *world, int body, const double *q, double low[3], double high[3]);
/* world/contact/points.c: the points into world->events.points; of a world that is baked, or about to be. */
vvStatus vv_world_find_points(vvWorld *world, size_t *count, vvError *error);
/* world/contact/contact_events.c: as vvWorldContactPoints. */
vvStatus vv_world_contact_points(vvWorld *world, const vvContactPoint **points, int *count, vvError *error);

/* world/bodies/skin.c */
double vv_skin_diagonal(const vvMesh *mesh); /* m, of the box around it */
vvStatus vv_skin_build(const vvMesh *body, const vvMesh *surface, vv_skin *skin, vvError *error);
vvStatus vv_skin_copy(const vv_skin *from, vv_skin *to, vvError *error);
void vv_skin_free(vv_skin *skin);
/* Position of its vertex v, or of all, with the body's nodes at q. */
void vv_skin_position(const vv_skin *skin, int v, const double *q, double x[3]);
void vv_skin_positions(const vv_skin *skin, const double *q, double *x);

/* world/bodies/check.c */
/* The definition and those in it are there and come from their vvDefault...Def(). */
vvStatus vv_body_check_made(const vvBodyDef *def, vvError *error);
vvStatus vv_body_check_materials(const vvBodyDef *def, vvError *error);
vvStatus vv_body_check_triangle_numbers(const vvBodyDef *def, vvError *error);
vvStatus vv_body_check_mesh(const vvMesh *mesh, vvError *error);
vvStatus vv_body_check_placement(const vvBodyDef *def, vvError *error);

/* world/bodies/initial.c: positions or velocities of bodies from `first` on were overwritten, and with them what
 * initial states that wait for baking would add. */
void vv_initial_overwritten(vvWorld *world, int first, int count, bool positions, bool velocities);

/* world/contact/collide.c: contact of everything now in the world. */
vvStatus vv_world_make_contact(const vvWorld *world, bool mesh_only, vv_contact **out, vvError *error);
vvStatus vv_world_set_obstacles(vvWorld *world, vvError *error); /* those of now, in the contact that there is */
/* world/contact/fits.c: VV_ERROR_UNSUPPORTED where the world is not what its contact model needs, among these needs (a
 * bit each). All but VV_NEED_EXACT can be asked once there is
 * contact. */
vvStatus vv_world_suits(const vvWorld *world, unsigned needs, vvError *error);
/* The same file: whether friction of what presses or overlaps acts within the solve (contact.friction_when). */
bool vv_world_rubs_inside(const vvWorld *world);
bool vv_body_is_flat(const vv_body *body); /* it lives in a plane, which is level */
/* world/settings/integrator_check.c: VV_OK, or why the policy does not work where bodies meet something. */
vvStatus vv_world_refuse_policy(const vvWorld *w, vvError *error);
/* A hash of which kinematic bodies keep their shape: not those that follow shapes or that the host moves node by
 * node. */
uint64_t vv_world_rigid_bodies(const vvWorld *world);
/* The contact of a baked world, if it is that of everything now in the world; else NULL, as in a world without
 * contact. */
static inline const vv_contact_model *vv_world_model(const vvWorld *world)
{
    return vv_contact_model_find(world->def.contact.model);
}
static inline vv_contact *vv_world_contact_now(const vvWorld *world)
{
    return world->stale & (VV_STALE_CONTACT | VV_STALE_OBSTACLES) ? NULL : world->contact;
}
/* Coefficients of friction in the contact of a baked world, from its definition and its bodies. */
void vv_world_refresh_friction(vvWorld *world);
/* Checks that every vertex of a triangle or edge has an area, as a kinematic body has no mass to reveal it. rest: of
 * the body. */
vvStatus vv_check_lengths(const vv_body *body, const double *rest, vvError *error);
/* Checks that every triangle of a carried surface that collides has an area. */
vvStatus vv_check_surface(const vv_body *body, const double *rest, vvError *error);

/* world/feasible.c: whether positions q are allowed: energies finite, no intersections. VV_ERROR_INPUT with what is
 * wrong. */
vvStatus vv_world_check_allowed(vvWorld *world, const double *q, vvError *error);
/* The same, and whether anything could move on from there. Where a run has come to it may be that nothing can. */
vvStatus vv_world_check_positions(vvWorld *world, const double *q, vvError *error);
/* As vvWorldStartPositions. */
void vv_world_start_positions(const vvWorld *world, double *q);
/* The same without a message. */
vvStatus vv_world_feasible(vvWorld *world, const double *q, bool *feasible, vvError *error);

/* world/contact/starting_places.c: takes in where bodies begin that have not stepped yet; whether any of it is new. */
bool vv_world_take_places(vvWorld *world);
/* world/resting.c: at the start, which of the bodies that a host has set are at rest; makes contact anew if any are. */
vvStatus vv_world_find_resting(vvWorld *world, vvError *error);
/* A mark of these places, and of since when who stands there. */
uint64_t vv_world_places(const vvWorld *world);
/* Whether contact of a baked world was made with other ones. */
bool vv_world_places_differ(const vvWorld *world);

/* world/contact/events.c */
void vv_events_unbake(vvWorld *world); /* keeps what touched */
void vv_events_free(vvWorld *world);
vvStatus vv_events_before_step(vvWorld *world, vvError *error);
void vv_events_after_step(vvWorld *world);
/* A saved state was loaded: no events, and what touches in it counts as known. */
void vv_events_reload(vvWorld *world);
void vv_events_back(vvWorld *world, const vv_events *before); /* undoes that: the lists are still there */
/* Like vv_events_reload if what touches is known; events.touching has room for it. */
void vv_events_recall(vvWorld *world, const vvContactPair *touching, size_t count);

/* world/random.c: uniform in [0, 1), a fixed sequence for each seed. */
double vv_random(uint64_t *state);

/* world/hooks.c */
vv_scene_hooks vv_world_hooks(vvWorld *world);
/* Positions of all prescribed nodes at `time` into q. */
void vv_world_prescribed(const vvWorld *world, double time, double *q);
/* Moves the targets of spring attachments to their positions at `time`. */
void vv_world_place_springs(vvWorld *world, double time);
/* world/bake.c: makes the contact springs that stand again where they were made. */
void vv_world_place_repulsion(vvWorld *world);
/* Vertices of these bodies have no contact springs any more: they were put elsewhere. */
void vv_world_forget_springs(vvWorld *world, int body, int bodies);
void vv_world_forget_sticking(vvWorld *world, int body, int bodies); /* contact/friction/stick.h */

/* world/queries/stall.c: the hook `explain`. */
void vv_world_explain(void *world, const vv_objective *o, const double *q, const double *target,
                      const vv_solve_stats *stats, vv_explanation *out);

/* world/log.c */
void vv_world_log(const vvWorld *world, vvLogLevel level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* kinetic: J, before the step */
void vv_world_log_step(vvWorld *world, const vvStepReport *report, double kinetic);

/* world/advice/advice.c: warns where the activation distance does not suit the meshes. */
void vv_world_advise_distance(vvWorld *world);
void vv_world_advise_springs(vvWorld *world);                     /* where springs and scheme do not go together */
double vv_rounded_down(double x);                                 /* x > 0, to one significant digit */
void vv_world_advise_depth(vvWorld *world);                       /* after a step */
vvStatus vv_world_advise_locking(vvWorld *world, vvError *error); /* world/advice/locking.c */
/* world/advice/fit.c: says once, as a warning, where an activation distance that is given makes a press fit of what
 * begins with a gap. Of a world that is about to start. */
vvStatus vv_world_advise_fits(vvWorld *world, vvError *error);
/* world/advice/friction.c: says once, as a warning, with which methods friction is not what it should be. */
void vv_world_advise_friction(vvWorld *world);
/* world/contact/fits.c: whether anything has friction; whether solves have friction in them */
bool vv_world_any_friction(const vvWorld *world);
bool vv_world_rubs(const vvWorld *world);

/* world/cancel.c: whether the host cancels; asked by the stepper's options. */
bool vv_world_cancelled(void *world);
vvStatus vv_world_check_cancelled(vvWorld *world, vvError *error);

/* world/come_in.c: feasibility of the start, ground energy, first ledger row. */
vvStatus vv_world_start(vvWorld *world, vvError *error);
/* After a change during a run: brings in what is new; the rest goes on. */
vvStatus vv_world_rejoin(vvWorld *world, vvError *error);
/* world/start.c: the start for a world that was started and is still baked, but whose state was overwritten. The ground
 * energy stays. */
void vv_world_start_again(vvWorld *world);
/* Before a step: computes the ground energy if a decay needs it and it is unknown for the present structure. */
vvStatus vv_world_want_ground(vvWorld *world, vvError *error);
bool vv_world_lacks_ground(const vvWorld *world); /* whether it would be computed */
/* Sets the ground energy for the present structure: as given, as known, or NaN. */
void vv_world_regard_ground(vvWorld *world);
/* The body's gravity energy at the present positions, J. */
double vv_world_gravity_of(const vvWorld *world, const vv_body *body);
/* A body added to a running world, or put elsewhere, gets the past of a free flight, for two-step schemes. */
void vv_world_invent_past(vvWorld *world, int body);
/* World time, s. */
static inline double vv_world_time(const vvWorld *world)
{
    return vv_clock_time(&world->state.clock, world->def.timeStep, 0);
}

/* world/saved/fingerprint.c: hashes, never 0. Of elements, of attached nodes, of joints without their states, of
 * everything that a ground energy depends on. */
uint64_t vv_topology_hash(const vvWorld *world);
uint64_t vv_attachments_hash(const vvWorld *world);
uint64_t vv_joints_hash(const vvWorld *world);
uint64_t vv_bytes_hash(const void *bytes, size_t size);
uint64_t vv_structure_hash(const vvWorld *world);

/* world/saved/state_bytes.c: the state as one block of bytes, in any world; its size depends on the structure. The
 * parts stand one after the other. */
typedef enum vv_state_part {
    VV_PART_CORE,
    VV_PART_POLICY,
    VV_PART_SOLVERS,
    VV_PART_ATTACHMENTS,
    VV_PART_JOINTS,
    VV_PART_OBSTACLES
} vv_state_part;
size_t vv_state_part_size(const vvWorld *world, vv_state_part part);
void vv_state_part_load(vvWorld *world, vv_state_part part, const void *from);
/* world/saved/state_check.c: VV_ERROR_INPUT if what was loaded cannot have been saved; says which part. */
vvStatus vv_state_check(const vvWorld *world, vvError *error);
size_t vv_state_size(const vvWorld *world);
void vv_state_save(vvWorld *world, void *to);
void vv_state_load(vvWorld *world, const void *from);

/* world/saved/pieces.c */
void vv_frozen_release(vv_frozen *frozen); /* NULL is fine */
/* The structure is no longer the one that snapshots share. Whatever changes a part of it calls this, directly or
 * through vv_world_changed. */
void vv_world_unshare(vvWorld *world);

#endif
