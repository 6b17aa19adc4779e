/* visviva/world.h: making a world, adding bodies and obstacles, stepping and reading it.
 *
 * SI units throughout: metres, kilograms, seconds, joules, pascals; angles in degrees. Vectors are 3 doubles. A
 * definition struct, and each definition in it, comes from its vvDefault...() or is a copy of one that did. Others are
 * refused (VV_ERROR_INPUT), as they would lack defaults. Strings and arrays in definitions are copied. Only one thread
 * at a time may use a world; different worlds may run in different threads at the same time. host.h says what a world's
 * callbacks may call. */
#ifndef VISVIVA_WORLD_H
#define VISVIVA_WORLD_H

#include "base.h"
#include "host.h"
#include "ledger.h"
#include "material.h"
#include "mesh.h"
#include "world_def.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvWorld vvWorld;
/* An id stays valid while other objects are added and removed; the id of a removed object is never used again. {0, 0}:
 * none. Functions refuse an invalid id with VV_ERROR_INPUT; getters return 0, "" or false. */
typedef struct vvBodyId {
    int32_t index1;      /* index, from 1; 0: none */
    uint32_t generation; /* tells it from earlier objects of that index */
} vvBodyId;
typedef struct vvObstacleId {
    int32_t index1;      /* as in vvBodyId */
    uint32_t generation; /* as in vvBodyId */
} vvObstacleId;
typedef struct vvAttachId {
    int32_t index1;      /* as in vvBodyId */
    uint32_t generation; /* as in vvBodyId */
} vvAttachId;

/* ---- world ------------------------------------------------------------------------------------------------------ */

/* Gravity -9.8 m/s^2 along y, backward Euler at 1/120 s, Newton's method, the barrier. */
VV_API vvWorldDef vvDefaultWorldDef(void);
/* Makes an empty world. *world is NULL on failure. */
VV_API vvStatus vvWorldCreate(const vvWorldDef *def, vvWorld **world, vvError *error);
VV_API void vvWorldDestroy(vvWorld *world); /* NULL is fine; does nothing in a callback of this world */

/* ---- filters: what touches what ------------------------------------------------------------------------------- */

/* Two objects with the same group, other than 0, always touch (group > 0) or never touch (group < 0). Otherwise they
 * touch if each one's mask has a bit of the other's category. */
typedef struct vvFilter {
    uint64_t category;      /* bits: what this is; 1 */
    uint64_t mask;          /* bits: the categories that it touches; all */
    int32_t group;          /* 0: none */
    uint32_t internalValue; /* internal: vvDefaultFilter() sets it */
} vvFilter;

VV_API vvFilter vvDefaultFilter(void); /* touches everything whose own filter allows it */
VV_API bool vvFiltersTouch(const vvFilter *a, const vvFilter *b);

/* ---- scripted motion -------------------------------------------------------------------------------------------- */

/* A rigid motion in time, applied to the nodes' rest positions: x(t) = about + R(t) (x0 - about) + s(t).
 * R turns at angularVelocity (deg/s) about the axis through `about`. s is linearVelocity * t plus the offset of the
 * waypoints (piecewise linear in time; constant before the first and after the last). Motion stops at `endTime`. */
typedef struct vvWaypoint {
    double time;      /* s */
    double offset[3]; /* m */
    double turn[3];   /* deg, R = Rx Ry Rz */
} vvWaypoint;
typedef struct vvMotionDef {
    double about[3], axis[3];    /* m: a point of the axis; its direction, of any length but 0 */
    double angularVelocity;      /* deg/s */
    double linearVelocity[3];    /* m/s */
    double startTime, endTime;   /* s; 0 and infinity */
    const vvWaypoint *waypoints; /* [waypointCount] ascending in time; NULL: none. Copied */
    int waypointCount;           /* length of `waypoints`; 0 */
    bool smooth;                 /* between waypoints: 3 u^2 - 2 u^3, at rest at each; false: linear */
    uint32_t internalValue;      /* internal: vvDefaultMotionDef() sets it */
} vvMotionDef;
VV_API vvMotionDef vvDefaultMotionDef(void); /* stands still; axis (0, 1, 0), from time 0 to infinity */

/* ---- bodies ----------------------------------------------------------------------------------------------------- */

/* Shapes that a kinematic body takes in turn, interpolated linearly; before the first and after the last it keeps
 * these. Its motion (vvBodyDef.motion) moves these shapes, as it moves the mesh of other kinematic bodies. */
typedef struct vvFollowDef {
    int count;           /* 0: none, the body keeps the shape of its mesh */
    const double *times; /* [count] s, times of the world, ascending */
    /* [count x vertices x 3] m, of the mesh's vertices, in the mesh's own coordinates. Copied */
    const double *positions;
} vvFollowDef;

/* The angle at which an edge between two triangles has no bending: 0 flat, positive a ridge seen from the side of the
 * triangles' normals. */
typedef struct vvRestAngle {
    int a, b;     /* the edge's vertices in the mesh, in either order */
    double angle; /* rad, -pi to pi */
} vvRestAngle;

typedef struct vvBodyDef {
    const char *name; /* unique in the world; "" or NULL: one is made */
    const vvMesh
        *mesh; /* finished (vvMeshFinish). With tets: a solid. With points: grains, balls of diameter `thickness` that
                  only contact holds. With triangles: cloth or a shell. With edges alone: springs or a rod */
    vvMaterialDef material; /* what it is made of; vvDefaultMaterialDef() */
    double scale[3];        /* placement: rest = translate + R * (scale * x), R = Rx Ry Rz */
    double rotate[3];       /* degrees about x, y, z: R = Rx Ry Rz */
    double translate[3];    /* m */
    /* Coulomb coefficient of the body's surface, 0 to 100; < 0: none of its own (see vvWorldSetFriction) */
    double friction;
    vvFilter filter;       /* which obstacles and bodies it touches, and which queries find it */
    const vvMesh *surface; /* NULL: none. A finer surface that the tets carry, in the mesh's own coordinates. It is
                              drawn and exported in place of their boundary. Its vertices may lie outside the tets by at
                              most a tenth of the body's diagonal; by any distance if there is only one tet */
    /* the carried surface collides in place of the tets' boundary, which then collides with nothing; false */
    bool surfaceCollides;
    bool kinematic; /* a moving obstacle of any mesh: it follows `motion`, whatever it touches. No mass, no elasticity;
                       the material is ignored. false */
    vvMotionDef motion; /* of a kinematic body: moves its placed rest shape; vvDefaultMotionDef(): no motion */
    vvFollowDef follow; /* of a kinematic body: its shape in time; none */
    double thickness; /* m, 0 or more: contact keeps others at half of it from the surface; 0. It is also the thickness
                         of shells and rods whose material gives none */
    const double *triangleThickness; /* [triangles] NULL: none. m, of each triangle of the mesh, in its order: the
                                        thickness of shells there, for mass too, in place of the material's and the
                                        body's. Contact uses `thickness`. Copied. Not with tets */
    const double *triangleStiffness; /* [triangles] NULL: none. Factors > 0 of shells' Young's modulus there */
    /* the body collides with itself if vvContactDef.self is set too (see vvBodySetSelfContact); true */
    bool selfContact;
    const vvMaterialDef
        *moreMaterials; /* [moreMaterialCount] NULL: none. Further energies on the same mesh, such as bending beside a
                           membrane. Each has a model of its own, different from that of `material` and of the others.
                           Model, stiffnesses and damping.rayleigh apply to its own energy; mass, density and all other
                           damping come from `material`. With tetMaterials it is otherwise. Copied */
    int moreMaterialCount; /* 0 */
    /* [tets] NULL: all materials act on all of the mesh. Which material each tet of the mesh has, of order 2 each of
     * `tets10`: 0 `material`, i moreMaterials[i - 1] (see vvMeshTetRegions). All are of tets then, of any models, alike
     * or not; each gives its tets their mass by `density`, and none has a total mass. Of their damping only rayleigh
     * may differ. Copied */
    const int *tetMaterials;
    const vvRestAngle
        *restAngles;    /* [restAngleCount] NULL: none. Of edges, for materials that bend between triangles: "hinge",
                           "midedge". Other edges have the mesh's, or 0 where the material is `flat`. Each edge once;
                           not on the boundary, nor one with more than two triangles. Copied */
    int restAngleCount; /* 0 */
    void *userData;     /* the host's own, see vvBodySetUserData; NULL */
    uint32_t internalValue; /* internal: vvDefaultBodyDef() sets it */
} vvBodyDef;

/* The default material, unplaced. Set the mesh. */
VV_API vvBodyDef vvDefaultBodyDef(void);
/* Adds a body: before the first step, or at any time between steps. Bodies, obstacles and attachments may be added and
 * removed while a world runs:
 * - The next vvWorldStep, vvWorldBake or other function that needs it rebuilds what depends on them, once for any
 *   number of changes.
 * - What stays keeps its state to the bit. A two-step scheme continues; new bodies get a past of free flight.
 * - The change of H is booked as work in the next row, and the target moves by the same amount; S stays.
 * - If the world cannot continue (a new body stands in an obstacle or is inverted), the function that rebuilds fails,
 *   and its message names the offender. Nothing is lost: remove or move it (vvBodySetState) and continue.
 * - Removing a body shifts the node and element indices of later bodies down. Array pointers are valid until a body is
 *   added or removed; ids stay.
 * - Before the first step nothing is booked: the start is the world as it is then. */
VV_API vvStatus vvWorldAddBody(vvWorld *world, const vvBodyDef *def, vvBodyId *body, vvError *error);
/* Ends the body's attachments too. A world that has been stepped may become empty. */
VV_API vvStatus vvWorldRemoveBody(vvWorld *world, vvBodyId body, vvError *error);
VV_API bool vvBodyIsValid(const vvWorld *world, vvBodyId body);
/* Whether the body is affine: made with the material model "affine" (vvDefaultMaterialOf) from a closed surface, or
 * from the boundary of tets. It is nearly rigid, and its cost is that of its contacts, however many vertices it has:
 * - It has four nodes, at c + S (+-1, +-1, +-1): c is the solid's centre of mass, S the root of its spread, a quarter
 *   of its mass each, so that its kinetic energy, momenta and weight are those of the solid. If the solid is so thin
 *   that a spread is below a thousandth of the largest, that spread is raised to it, and the moment of inertia with it.
 *   The density is that of the solid.
 * - Its mesh is the surface that the nodes carry (vvBodySurface, in the order of the mesh, without vertices inside):
 *   that is drawn, exported, collides and is seen by queries. It does not collide with itself.
 * - It resists changes of shape with the energy E/8 V |F^T F - 1|^2, F its affine map, E the material's `young`, V the
 *   solid's volume.
 * - Regions hold it as a whole, or not at all (vvBodySelect).
 * vvWorldAddBody refuses a surface that is open, faces inwards, passes through itself or bounds no volume; and a
 * surface, further materials or parameters of shells beside it. */
VV_API bool vvBodyIsAffine(const vvWorld *world, vvBodyId body);
/* Whether the body is kinematic (vvBodyDef.kinematic). In arrays, pictures and queries such a body is like any other,
 * with these differences:
 * - Its nodes have mass 0. At the end of each step they are exactly where its motion says; their velocity is the mean
 *   over the step.
 * - Added to a running world, it starts as placed and moves from there.
 * - Its work on what it touches is booked. It touches bodies, never analytic obstacles or other kinematic bodies.
 * - Initial states, vvBodySetState, vvBodyAttach, drags and forces on the whole body are refused (VV_ERROR_INPUT).
 *   Forces on single nodes do not move it; they only do work.
 * - A world may consist of kinematic bodies only. */
VV_API bool vvBodyIsKinematic(const vvWorld *world, vvBodyId body);
/* Sets the Coulomb coefficient (0 to 100) between two bodies, either of which may be kinematic; a == b: of a body with
 * itself. The order of the two does not matter. NaN or below 0 restores the default: sqrt(mu_a mu_b) of the bodies' own
 * coefficients; the only one, if one body has its own; the world's, if none has. The setting ends when either body is
 * removed. Contacts with analytic obstacles use vvObstacleDef.friction instead. May be called at any time between
 * steps; holds from the next step on. */
VV_API vvStatus vvWorldSetFriction(vvWorld *world, vvBodyId a, vvBodyId b, double mu, vvError *error);
/* The coefficient between two bodies, or within one (a == b). NaN: they never touch (filters, a joint that prevents it,
 * both kinematic, no contact, no self-contact), or one does not exist. */
VV_API double vvWorldFriction(const vvWorld *world, vvBodyId a, vvBodyId b);
/* The speed below which friction on a body is smoothed, m/s; between two bodies the lower one counts. It is
 * contact.frictionSpeed where that is given, else 1e-3 of the body's length a second. 0: there is no friction, or no
 * such body. */
VV_API double vvWorldFrictionSpeed(const vvWorld *world, vvBodyId body);
/* Sets vvBodyDef.selfContact from now on: for a body that started "random" or "collapsed", to make it collide with
 * itself from the start or once it is free of itself. If the body passes through itself at that time, baking the world
 * fails. */
VV_API vvStatus vvBodySetSelfContact(vvWorld *world, vvBodyId body, bool on, vvError *error);
/* Whether the body collides with itself, by its own flag and the world's; a kinematic body never does. */
VV_API bool vvBodySelfContact(const vvWorld *world, vvBodyId body);
VV_API double vvBodyThickness(const vvWorld *world, vvBodyId body); /* m; also 0 if there is no such body */
VV_API vvFilter vvBodyFilter(const vvWorld *world, vvBodyId body);  /* all zero: no such body */
/* Increases by one whenever bodies or obstacles are added or removed, or a snapshot with others is restored. */
VV_API uint32_t vvWorldRevision(const vvWorld *world);

/* Bodies in the order in which they were added; arrays with an entry per body have this order. */
VV_API int vvWorldBodyCount(const vvWorld *world);
VV_API vvBodyId vvWorldBody(const vvWorld *world, int index);
VV_API vvBodyId vvWorldFindBody(const vvWorld *world, const char *name); /* of that name; {0, 0}: none */
VV_API const char *vvBodyName(const vvWorld *world, vvBodyId body);
/* The body's nodes are firstNode .. firstNode + count - 1 in the world's arrays: vertices, then directors. Either may
 * be NULL. */
VV_API void vvBodyNodes(const vvWorld *world, vvBodyId body, int *firstNode, int *count);
/* A body's elements, with world node indices; pointers stay valid until bodies are added or removed. */
typedef struct vvBodyElements {
    int tetCount, triangleCount, edgeCount; /* lengths of the arrays below */
    const int *tets, *triangles, *edges; /* [count x 4, 3, 2] world nodes; triangles: the boundary surface, outward */
    int pointCount;                      /* length of `points` */
    const int *points;                   /* [pointCount] world nodes; only in a body of free points */
    int springCount;                     /* springs of its materials, along edges and for bending */
    /* springs of attachments of kind VV_ATTACH_SPRING and of drags: one a node, or one for a dragged point */
    int attachmentSpringCount;
    /* the body's first nodes: the vertices of its mesh, which are drawn, collide and are seen by queries */
    int vertexCount;
    int directorCount; /* the nodes after them: 0 or, where a material needs directors, one for each edge, beside its
                          middle. A director gives the orientation of the shell or rod there; it has mass and moves like
                          any node, but belongs to no shape */
    int tet10Count;    /* of a body of order 2: length of `tets10`; 0: it is linear */
    const int *tets10; /* [tet10Count x 10] world nodes, as vvMesh.tets10; `tets` are eight of each in turn then */
    const int *tetMaterials; /* [tetCount, or tet10Count] as vvBodyDef.tetMaterials; NULL: there are none */
} vvBodyElements;
/* Fills in the elements of a body; of no body all are 0 and NULL. */
VV_API void vvBodyGetElements(const vvWorld *world, vvBodyId body, vvBodyElements *elements);

/* A carried surface. Vertex v is the sum over k < 4 of weights[4 v + k] times the position of the body's node nodes[4 v
 * + k]. A host can evaluate this itself, also on its graphics card. Pointers stay valid until bodies are added or
 * removed. */
typedef struct vvBodySurface {
    int vertexCount, triangleCount; /* 0: the body carries none */
    const int *triangles;           /* [triangleCount x 3] surface vertices */
    const int *nodes;               /* [vertexCount x 4] counted from the body's first node */
    const double *weights;          /* [vertexCount x 4] sum 1 */
} vvBodySurface;
/* Fills in the carried surface of a body; without one all are 0 and NULL. */
VV_API void vvBodyGetSurface(const vvWorld *world, vvBodyId body, vvBodySurface *surface);
/* Texture coordinates of the drawn surface, the carried or the body's own, as in vvMesh.uvs; NULL: none. Valid until
 * bodies are added or removed.
 * Arrays: returns[triangles x 6]. */
VV_API const double *vvBodyUvs(const vvWorld *world, vvBodyId body);
/* The thickness at which a body is drawn, m: its material's if that has one (a rod's diameter), else
 * vvBodyThickness. */
VV_API double vvBodyDrawnThickness(const vvWorld *world, vvBodyId body);
/* Rest positions, nodeCount x 3, m, as the bodies were placed; valid until bodies are added or removed.
 * Arrays: returns[nodeCount x 3]. */
VV_API const double *vvWorldRestPositions(const vvWorld *world);
/* Whether the carried surface collides (vvBodyDef.surfaceCollides). If so, contact points, intersections and ray hits
 * refer to its vertices, not to the body's nodes. */
VV_API bool vvBodySurfaceCollides(const vvWorld *world, vvBodyId body);
/* Writes the positions of the carried surface's vertices (vertexCount x 3, m) for the node positions `nodePositions`
 * (of the world, nodeCount x 3; NULL: the present ones). VV_ERROR_INPUT for a body without a carried surface.
 * Arrays: nodePositions[nodeCount x 3], positions[vertexCount x 3]. */
VV_API vvStatus vvBodySurfacePositions(const vvWorld *world, vvBodyId body, const double *nodePositions,
                                       double *positions, vvError *error);

/* ---- regions: which nodes
 * ----------------------------------------------------------------------------------------- */

typedef enum vvRegionKind {
    VV_REGION_ALL,        /* every vertex */
    VV_REGION_BOX,        /* a = one corner, b = the other (m, in the placed rest shape) */
    VV_REGION_SPHERE,     /* a = centre, radius */
    VV_REGION_HALF_SPACE, /* a = point, b = normal: nodes with (x - a).b >= 0 */
    VV_REGION_PERCENT,    /* a, b = corners in per cent of the body's bounding box, 0 to 100 */
    VV_REGION_VERTICES,   /* list: mesh vertex indices of the body */
} vvRegionKind;
typedef struct vvRegion {
    vvRegionKind kind; /* which of the members below count; VV_REGION_ALL */
    bool surfaceOnly;  /* only nodes on the boundary surface */
    /* only nodes on the rim: of a body of triangles those on edges of one triangle, of lines their ends; solids have
     * none */
    bool rimOnly;
    double a[3], b[3], radius; /* m; see vvRegionKind */
    const int *list;           /* [listCount] vertices of the body's mesh */
    int listCount;             /* length of `list` */
    /* [triangleCount x 3] vertices of the body's mesh: tractions and pressures act on these triangles only. NULL: on
     * those with all corners in the region */
    const int *triangles;
    int triangleCount; /* length of `triangles` / 3 */
} vvRegion;
/* Makes *region a group of a body's mesh, with the group's vertices and its triangles if it has any. It points into the
 * mesh, which must stay valid until the region has been used. VV_ERROR_INPUT names the existing groups. */
VV_API vvStatus vvRegionOfGroup(const vvMesh *mesh, const char *name, vvRegion *region, vvError *error);
/* Writes the world indices of the region's nodes to `nodes` (may be NULL): at most `capacity` of them, in ascending
 * order. Returns how many the region holds. These are vertices, never directors.
 * Arrays: nodes[capacity]. */
VV_API int vvBodySelect(const vvWorld *world, vvBodyId body, const vvRegion *region, int *nodes, int capacity);

/* ---- attachments ---- */

typedef enum vvAttachKind {
    VV_ATTACH_FIXED,     /* prescribed nodes (Dirichlet motion): they follow the motion exactly */
    VV_ATTACH_SPRING,    /* zero-length springs of `stiffness` (N/m per node) pull them to where the motion says */
    VV_ATTACH_PUSH,      /* each node is pushed by its mass times `acceleration`, in the steps that begin from
                            motion.startTime on and before motion.endTime; the rest of the motion must be the default.
                            The work, force times displacement, is booked; prescribed nodes are not affected */
    VV_ATTACH_POTENTIAL, /* each node has the energy of the analytic `potential`, which does not move: the motion must
                            be the default. The energy is in the ledger's column `attachment` */
    VV_ATTACH_ROLLER,    /* nodes follow the motion along `axes` or along `normal`, and are free across: supports along
                            axes, rollers on planes, planes of symmetry. Several on one node all count; of two in one
                            direction, the first; VV_ATTACH_FIXED takes precedence. Baking refuses, by message, the
                            solvers,    policies and schemes that do not support them */
    /* Loads. Like pushes they act in the steps that begin from motion.startTime on and before motion.endTime, times the
       factor of `keys`: its value at the step's end under backward Euler and BDF2, else its mean over the step. Their
       work is booked; vvAttachWork has each one's. */
    VV_ATTACH_FORCE,    /* `load` (N) is shared among the nodes by mass */
    VV_ATTACH_TRACTION, /* `load` (Pa) on the body's triangles that have all corners in the region: with their area at
                           rest or, following, with their present area and orientation */
    VV_ATTACH_PRESSURE  /* `pressure` (Pa) on these triangles, against their normals, hence into a solid: as at rest or,
                           following, as they are now. A following one does the work p dV on a closed surface; not all
                           solvers support it */
} vvAttachKind;
/* Bits of vvAttachDef.axes. */
enum {
    VV_AXIS_X = 1, /* along x */
    VV_AXIS_Y = 2, /* along y */
    VV_AXIS_Z = 4  /* along z */
};
/* An analytic potential of a single node, such as a spring to a centre, or a wall: "harmonic", "spring",
 * "squared-spring", "quartic", "quadratic-wall", "cubic-wall", "barrier-wall". vvPotentialInfo lists them; NULL past
 * the end. */
typedef struct vvPotential {
    vvInfo info;           /* its name and summary */
    int paramCount;        /* length of `params` */
    const vvParam *params; /* [paramCount] what vvAttachDef.settings names */
} vvPotential;
/* The potentials and their parameters. NULL past the end. */
VV_API const vvPotential *vvPotentialInfo(int index);
typedef struct vvAttachDef {
    vvRegion where;            /* which nodes; all */
    vvAttachKind kind;         /* what happens to them; VV_ATTACH_FIXED */
    double stiffness;          /* N/m of each node, VV_ATTACH_SPRING */
    vvMotionDef motion;        /* vvDefaultMotionDef(): held in place */
    double acceleration[3];    /* m/s^2, VV_ATTACH_PUSH: within 1e9; {0, 0, 0} */
    const char *potential;     /* VV_ATTACH_POTENTIAL: its name; NULL for other kinds */
    const vvSetting *settings; /* [settingCount] the potential's parameters; copied. NULL: all have their defaults */
    int settingCount;          /* length of `settings`; 0 */
    unsigned axes;     /* VV_ATTACH_ROLLER: the axes along which nodes are held, VV_AXIS_X ...; 0: see normal; 0 */
    double normal[3];  /* VV_ATTACH_ROLLER without axes: the direction along which they are held, any length but 0; it
                          does not rotate with the motion; {0, 0, 0} */
    double load[3];    /* VV_ATTACH_FORCE: N; VV_ATTACH_TRACTION: Pa; within 1e18; {0, 0, 0} */
    double pressure;   /* VV_ATTACH_PRESSURE: Pa; within 1e18; 0 */
    bool follows;      /* tractions and pressures: false: dead */
    bool smooth;       /* between keys: 3 u^2 - 2 u^3; false: linear */
    const vvKey *keys; /* [keyCount] of pushes and loads: factors in time, ascending; constant before the first and
                          after the last; NULL: 1. Copied */
    int keyCount;      /* length of `keys`; 0 */
    double release;    /* s: from the first step that begins then on, the attachment no longer acts. The energy of
                          stretched springs is booked as (negative) work; infinity: never */
    bool clamp;     /* also attach the directors of edges that have both ends attached (a clamped edge), so that a shell
                       cannot rotate about a held edge, nor a rod twist; false: a hinged edge. Pushes, and a fixed
                       VV_REGION_ALL, always include them */
    void *userData; /* the host's own; NULL */
    uint32_t internalValue; /* internal: vvDefaultAttachDef() sets it */
} vvAttachDef;
/* Holds all nodes of the body in place. */
VV_API vvAttachDef vvDefaultAttachDef(void);
/* Attaches nodes of a body, at any time between steps; `attach` may be NULL. A body that has not moved is attached at
 * its placed rest shape. One that has moved is attached where it is now, and the motion continues from this time, so
 * that nothing jumps. Fails (VV_ERROR_INPUT) if the region contains no node of the body. */
VV_API vvStatus vvBodyAttach(vvWorld *world, vvBodyId body, const vvAttachDef *def, vvAttachId *attach, vvError *error);
/* Ends an attachment: the nodes keep their velocities. The energy of stretched springs is booked as (negative) work. */
VV_API vvStatus vvWorldDetach(vvWorld *world, vvAttachId attach, vvError *error);
VV_API bool vvAttachIsValid(const vvWorld *world, vvAttachId attach);
/* The attachment that moves all nodes of a kinematic body, for vvAttachNodes and vvAttachMoveTo. It lasts as long as
 * the body and cannot be ended. {0, 0} for other bodies. */
VV_API vvAttachId vvBodyAttachment(const vvWorld *world, vvBodyId body);
/* Writes at most `capacity` of the attachment's nodes (world indices, ascending) to `nodes` (may be NULL); returns
 * how many there are.
 * Arrays: nodes[capacity]. */
VV_API int vvAttachNodes(const vvWorld *world, vvAttachId attach, int *nodes, int capacity);
/* Work of a push or a load since it was attached, J; 0 for others. It excludes forces of the host on the same nodes. A
 * saved state includes it. */
VV_API double vvAttachWork(const vvWorld *world, vvAttachId attach);
/* Writes the forces (N, 3 a node, in the order of vvAttachNodes) of a push or a load at the present time and positions,
 * on prescribed nodes too; 0 for others. Returns the number of nodes; writes nothing if `capacity` (nodes) is less.
 * Arrays: forces[capacity x 3]. */
VV_API int vvAttachForces(const vvWorld *world, vvAttachId attach, double *forces, int capacity);
/* The attachments of a world, including those of scenes, in the order in which they were made; without drags and those
 * that move kinematic bodies. */
typedef struct vvAttachSummary {
    vvAttachId attach; /* {0, 0}: there is none of that index */
    vvBodyId body;     /* whose nodes it holds */
    vvAttachKind kind; /* as it was made */
    int nodeCount;     /* as vvAttachNodes says */
    bool released;     /* its release time has passed */
} vvAttachSummary;
VV_API int vvWorldAttachmentCount(const vvWorld *world);                   /* how many there are */
VV_API vvAttachSummary vvWorldAttachment(const vvWorld *world, int index); /* {0, 0} past the end */
/* Lets the host move the attachment. `positions` (m, count x 3, in the order of vvAttachNodes) is where its nodes, or
 * the far ends of its springs, will be at the end of the next step; they move there in a straight line and stay until
 * the next call. Any scripted motion ends. The step fails if fixed nodes are driven into an obstacle.
 * Arrays: positions[count x 3]. */
VV_API vvStatus vvAttachMoveTo(vvWorld *world, vvAttachId attach, const double *positions, vvError *error);

/* ---- initial states ---- */

/* A named initial state: "linear", "angular", "profile", "stretch", "twist", "bend", "random", "collapsed", "mode",
 * "translate". vvInitialStateInfo lists them; NULL past the end.
 *
 * vvBodySetInitialState applies one to a body. It takes parameters by name. Several
 * states act one after the other, in the order of the calls. A body that starts "random" or
 * "collapsed" intersects itself, and does not collide with itself from then on (vvBodySetSelfContact changes that).
 * Allowed only before the body's first step; VV_ERROR_UNSUPPORTED later. */
typedef struct vvInitialState {
    vvInfo info;           /* its name and summary */
    int paramCount;        /* length of `params` */
    const vvParam *params; /* [paramCount] what vvBodySetInitialState takes */
} vvInitialState;
/* The initial states and their parameters. NULL past the end. */
VV_API const vvInitialState *vvInitialStateInfo(int index);
/* Applies an initial state to a body, see above; NULL, 0: its parameters have their defaults. */
VV_API vvStatus vvBodySetInitialState(vvWorld *world, vvBodyId body, const char *state, const vvSetting *settings,
                                      int settingCount, vvError *error);

/* ---- obstacles ---- */

typedef struct vvObstacleType {
    vvInfo info;           /* its name and summary */
    int paramCount;        /* length of `params` */
    const vvParam *params; /* [paramCount] what vvObstacleDef.settings names */
    /* the kind of its samples, "heights" or "distances"; NULL: it has none */
    const char *samples;
} vvObstacleType;
/* "plane", "sphere", "box", "cylinder", "capsule", "torus", "hole", "bowl", "heightfield", "level-set" */
VV_API const vvObstacleType *vvObstacleInfo(int index);
typedef struct vvObstacleDef {
    const char *name;          /* "" or NULL: none; at most 127 bytes */
    const char *type;          /* see vvObstacleInfo */
    const vvSetting *settings; /* [settingCount] the type's parameters; copied. NULL: all have their defaults */
    int settingCount;          /* length of `settings`; 0 */
    const double *samples;     /* [sampleCounts] copied; each within 1e6.
                                * Of "heightfield": the heights, in units of its parameter "height": sampleCounts[0]
                                * along x, times sampleCounts[1] along z, the former next to each other; NULL: 2 x 2
                                * zeros. Of "level-set": signed distances (m), sampleCounts[0] x [1] x [2] along x, y
                                * and z, as in a vvDistanceGrid, whose `origin` and `spacing` are parameters; above 0 at
                                * the grid's border; NULL: a small ball. Of all other types NULL */
    int sampleCounts[3];       /* heights: 2 to 8193 each, the last 0 or 1; distances: 3 to 4097 each; 2^24 in all */
    double friction;           /* < 0: the world's */
    vvFilter filter;           /* which bodies it touches, which queries find it */
    void *userData;            /* the host's own; NULL */
    bool moves;                /* it follows `motion` or the host; false */
    /* the motion of its shape, if it moves; vvDefaultMotionDef(): at rest until the host moves it */
    vvMotionDef motion;
    uint32_t internalValue; /* internal: vvDefaultObstacleDef() sets it */
} vvObstacleDef;
/* No type yet, the world's friction, at rest, touches everything. Set the type. */
VV_API vvObstacleDef vvDefaultObstacleDef(void);
/* Adds an obstacle, before the first step or at any time between steps (see vvWorldAddBody).
 *
 * A moving obstacle is also a kinematic body (vvObstacleBody) with the obstacle's name, or a made-up one: four nodes
 * that carry its frame, and a surface to draw it by, which does not collide itself.
 * - Its motion, work and friction are those of a kinematic body with a mesh. Within a step its points move in straight
 *   lines, in legs of at most 60 degrees if its motion rotates it; if the host rotates it by 168 degrees or more in a
 *   step, the step fails. Friction takes the speed of its surface from the ends of the step: rotate it by well under 90
 *   degrees in one.
 * - vvAttachMoveTo of vvBodyAttachment moves it by the host. The four nodes are its origin (the first parameter of its
 *   type) and the tips of three axes; they must be moved as a rigid body, to a thousandth of each length.
 * - Added to a running world, it starts as given and moves from there. A plane is drawn as a square, of four times the
 *   size of the bodies in the world, or of 2 m. */
VV_API vvStatus vvWorldAddObstacle(vvWorld *world, const vvObstacleDef *def, vvObstacleId *obstacle, vvError *error);
/* Removes an obstacle, and the body of a moving one. */
VV_API vvStatus vvWorldRemoveObstacle(vvWorld *world, vvObstacleId obstacle, vvError *error);
/* The kinematic body of a moving obstacle; {0, 0}: it does not move. Such a body cannot be removed alone. */
VV_API vvBodyId vvObstacleBody(const vvWorld *world, vvObstacleId obstacle);
VV_API bool vvObstacleIsValid(const vvWorld *world, vvObstacleId obstacle);
VV_API const char *vvObstacleName(const vvWorld *world, vvObstacleId obstacle); /* as given; "": none */
/* The coefficient between an obstacle and a body: the obstacle's own, else the body's, else the world's. NaN: they
 * never touch (filters, a kinematic body, no contact), or one does not exist. */
VV_API double vvObstacleFriction(const vvWorld *world, vvObstacleId obstacle, vvBodyId body);
VV_API int vvWorldObstacleCount(const vvWorld *world);
VV_API vvObstacleId vvWorldObstacleAt(const vvWorld *world, int index); /* in the order in which they were added */
/* The first of that name, which is not ""; {0, 0}: none. */
VV_API vvObstacleId vvWorldFindObstacle(const vvWorld *world, const char *name);
/* Returns the type of obstacle `index`, and its values as given, also if it moves (*valueCount of them), for
 * drawing.
 * Arrays: values[valueCount]. */
VV_API const char *vvWorldObstacle(const vvWorld *world, int index, const double **values, int *valueCount);
/* The samples of obstacle `index`, as given, until it is removed, and their counts (may be NULL; the last one of
 * heights is 1); NULL and zeros: it has none.
 * Arrays: returns[counts]. */
VV_API const double *vvWorldObstacleSamples(const vvWorld *world, int index, int counts[3]);

/* ---- stepping ---- */

/* Bakes the world: builds what stepping needs (sparsity, slots, ordering) and checks the state for penetration and
 * inversion. Does nothing if the world is baked and has not changed since. vvWorldStep bakes by itself where needed. */
VV_API vvStatus vvWorldBake(vvWorld *world, vvError *error);
/* Makes one step of length timeStep. On failure the world is unchanged. `report` may be NULL. */
VV_API vvStatus vvWorldStep(vvWorld *world, vvStepReport *report, vvError *error);
/* Makes the steps that fit into `seconds` (0 or more) of the host's time plus the remainder of the call before, at most
 * `most` of them (1 or more). *steps (may be NULL): the number of steps made. *fraction (may be NULL): the remainder,
 * as a fraction of a step, 0 to 1: with it vvWorldInterpolate gives what to draw now, a step behind. A remainder of
 * more than a step after `most` steps is dropped: a world that is slower than its time falls behind. On failure the
 * world is as after the last successful step, and the remaining time is dropped. The remainder is not part of a state:
 * saving, loading and snapshots do not touch it. */
VV_API vvStatus vvWorldAdvance(vvWorld *world, double seconds, int most, int *steps, double *fraction, vvError *error);
/* Finds the static equilibrium under the present loads (pushes too, but not forces of vvWorldApplyForces, which last
 * one step), from the current positions, by backward Euler steps without velocity and with a growing time step (the
 * proximal point method). *energy (may be NULL): E there (J). If `apply`, positions become the equilibrium and
 * velocities zero, as if by vvWorldSetState, but gaps (vvStartGap) stay those from before, as bodies that carry each
 * other are pressed together; otherwise the world's state is unchanged. VV_ERROR_SOLVER, with a message, if no
 * equilibrium is found (nothing stops the fall). */
VV_API vvStatus vvWorldSettle(vvWorld *world, bool apply, double *energy, vvError *error);
/* May be called from any thread. The step, settling, baking or search for contacts in progress returns VV_CANCELLED,
 * and the world is unchanged. If nothing is in progress, or it is already booking its result, the next call does. */
VV_API void vvWorldCancel(vvWorld *world);
/* The same by a callback: `cancel` is called with `user` between solver iterations and in long loops (thousands of
 * times a second), in the calling thread; true cancels. Setting it forgets a wish for the next call. NULL: none. */
VV_API void vvWorldSetCancel(vvWorld *world, bool (*cancel)(void *user), void *user);

/* ---- reading and writing state ---- */

VV_API int vvWorldNodeCount(const vvWorld *world); /* of all bodies, one after the other */
/* Node positions (m) and velocities (m/s), nodeCount x 3; the world's own arrays. The velocities are the state's, with
 * which the next step begins. A policy that corrects velocities may make them differ from the motion, even for a body
 * at rest.
 * Arrays: returns[nodeCount x 3]. */
VV_API const double *vvWorldPositions(const vvWorld *world);
/* The velocities of the state, see vvWorldPositions. Arrays: returns[nodeCount x 3]. */
VV_API const double *vvWorldVelocities(const vvWorld *world);
/* Writes the visible velocities, (q_{n+1} - q_n) / h of the last step (m/s, nodeCount x 3): for motion blur, effects,
 * sounds. Before the first step, and for bodies placed since the last one, they are the state's.
 * Arrays: velocities[nodeCount x 3]. */
VV_API void vvWorldVisibleVelocities(const vvWorld *world, double *velocities);
VV_API const double *vvWorldMasses(
    const vvWorld *world); /* kg, per node; 0 in kinematic bodies. Arrays: returns[nodeCount]. */
/* Overwrites all positions and velocities (either may be NULL).
 * - The change of energy is booked as work by the user; a two-step scheme restarts.
 * - Before the first step nothing is booked: the state then is the start, however it came about (initial states, these
 *   functions, impulses, settling). Row 0, its target (startFraction) and S are those of that state. E_g stays, as the
 *   structure does.
 * - Prescribed nodes stay where their motion has them.
 * - Positions that penetrate or invert are refused (VV_ERROR_INPUT), and the world is unchanged. If the world cannot be
 *   baked yet, positions are checked when it is.
 * Arrays: positions[nodeCount x 3], velocities[nodeCount x 3]. */
VV_API vvStatus vvWorldSetState(vvWorld *world, const double *positions, const double *velocities, vvError *error);
/* The same for one body: arrays of its nodes x 3. The other bodies keep their past; this body gets a past of free
 * flight. If the world has changed since it was baked, positions are checked at the next baking.
 * Arrays: positions[body nodes x 3], velocities[body nodes x 3]. */
VV_API vvStatus vvBodySetState(vvWorld *world, vvBodyId body, const double *positions, const double *velocities,
                               vvError *error);
/* Gives the world's own arrays, to be written in place: nodes x 3 each (either may be NULL). vvWorldEndEdit checks and
 * books as vvWorldSetState does; if it fails, the world is unchanged before vvWorldBeginEdit. Between the two calls the
 * world may only be read; functions that would change it fail.
 * Arrays: positions[nodeCount x 3], velocities[nodeCount x 3]. */
VV_API vvStatus vvWorldBeginEdit(vvWorld *world, double **positions, double **velocities, vvError *error);
VV_API vvStatus vvWorldEndEdit(vvWorld *world, vvError *error);
/* Writes positions between the last two steps, for drawing: nodes x 3, on straight lines, `fraction` from 0 (before the
 * last step) to 1 (now). A body that was added or moved by hand since the last step is at its current position.
 * Arrays: positions[nodeCount x 3]. */
VV_API vvStatus vvWorldInterpolate(const vvWorld *world, double fraction, double *positions, vvError *error);
VV_API double vvWorldTime(const vvWorld *world);
VV_API int64_t vvWorldStepIndex(const vvWorld *world);
/* The definition in use (names resolved, defaults filled in; lengths and speeds that are relative to the world's
 * length are in metres once vvWorldLength knows it). Pointers in it are valid until a setter (settings.h) changes
 * it. */
VV_API const vvWorldDef *vvWorldGetDef(const vvWorld *world);
/* The world's length, m: the diagonal of the box around the rest positions, as placed, of all bodies that are not
 * kinematic (of all, if all are). It is measured when the world is baked for its first step, and then stays, whatever
 * is added or removed. 0: not known yet. */
VV_API double vvWorldLength(const vvWorld *world);
/* The stiffness of contact, and the reason for it: the body that needs the most, its weight, and the area of a small
 * vertex of its surface (0: no body needs more than the least, 1e5 Pa). False, and all 0: there is no contact, or the
 * world is not baked. */
typedef struct vvStiffness {
    double now, start;   /* Pa: in use, and before adaptation */
    bool chosen;         /* chosen by the world, not given */
    double weight, area; /* N, m^2; 0 if it was given */
    const char *body;    /* ""; valid until the world changes */
} vvStiffness;
/* Gets the vvStiffness of this world. */
VV_API bool vvWorldGetStiffness(const vvWorld *world, vvStiffness *stiffness);
/* The closest pair at the start, if closer than contact.distance: two bodies, or a body and an obstacle, at the
 * positions from which they take their first steps. With the default contact.distance, contact acts between such a pair
 * only below their gap, so that a close fit is not a press fit (theory §5.3). False, and all 0: there is none, or the
 * world is not baked with a barrier. */
typedef struct vvStartGap {
    double gap, activation; /* m: the gap at the start, and the activation distance between them */
    const char *names[2];   /* valid until the world changes */
    size_t count;           /* pairs that start closer than contact.distance */
} vvStartGap;
/* Gets the vvStartGap of this world. */
VV_API bool vvWorldGetStartGap(const vvWorld *world, vvStartGap *gap);
/* The last booked row; before the first step row 0: the energies of the start. If the world has changed since the last
 * step, the row shows the new parts with the booked total; the difference is work of the next row. */
VV_API vvStatus vvWorldLedger(vvWorld *world, vvLedgerRow *row, vvError *error);
/* Elastic energy (J) of each body in the last booked row; bodyCount values.
 * Arrays: returns[bodyCount]. */
VV_API const double *vvWorldBodyEnergies(const vvWorld *world);
/* The visible kinetic energy of each body in the last step, bodyCount values; before the first step: of its
 * velocities. A body added since then has 0. Their sums are the four `visible` columns of the last booked row.
 * Arrays: returns[bodyCount]. */
VV_API const vvVisible *vvWorldBodyVisible(const vvWorld *world);
/* The visible kinetic energy of a motion that took `seconds`, from the positions `from` (m, nodeCount x 3) in
 * straight lines to the present ones: of the world, and of each body (bodyCount values). Either may be NULL.
 * Arrays: from[nodeCount x 3], bodies[bodyCount]. */
VV_API vvStatus vvWorldMeasureVisible(const vvWorld *world, const double *from, double seconds, vvVisible *whole,
                                      vvVisible *bodies, vvError *error);
VV_API void vvWorldTotals(const vvWorld *world, vvLedgerTotals *totals);
/* What costs the most, so far; zeros before the world is baked. */
VV_API void vvWorldBottleneck(const vvWorld *world, vvBottleneck *bottleneck);
/* Inverted elements in the current positions. The log warns after a step that starts with none and ends with some. */
VV_API void vvWorldInverted(const vvWorld *world, vvInverted *inverted);

/* A saved state is a block of bytes with everything that a run needs to continue with the same bits: positions,
 * velocities, history, ledger, time, the history of policy and solver, and the settings that setters have changed. Its
 * size depends on bodies, attachments, policy, solver and those settings; it is 0 while the world is not baked or has
 * pending changes.
 *
 * vvWorldLoadState needs a world of the same bodies (elements are compared). A world made from equal definitions
 * continues with the same bits. A world with other settings continues from the same positions and velocities:
 * - If their energy is another now (material, gravity, contact), the change is booked as work with the next step.
 * - Another time step continues from the same time.
 * - Another policy takes the current energy as its target. The history of another policy or solver is dropped; the
 *   world's own start without one.
 * - Other attachments hold their nodes at these positions.
 * - What setters had changed in the saved world (settings.h) is set in this one, too, where this one was made with the
 *   same value as that one; a world made with another value keeps its own.
 * - Positions that the settings forbid, or bytes that no world saved, are refused (VV_ERROR_INPUT), and the world is
 *   unchanged. */
VV_API size_t vvWorldStateSize(const vvWorld *world);
VV_API vvStatus vvWorldSaveState(const vvWorld *world, void *buffer, size_t size, vvError *error);
VV_API vvStatus vvWorldLoadState(vvWorld *world, const void *buffer, size_t size, vvError *error);
/* A hash that is equal for worlds whose attachments and drags hold the same nodes in the same way. Only between such
 * worlds does a state carry over the positions of these. */
VV_API uint64_t vvWorldAttachmentsHash(const vvWorld *world);

/* A snapshot in memory holds everything, bit for bit: state, ledger, bodies, obstacles, attachments, pending forces. It
 * may be taken at any time between steps, also of a world that is not baked. As long as the structure does not change,
 * a snapshot costs only its state: the description of the bodies is copied once and shared. */
typedef struct vvSnapshot vvSnapshot;
/* Takes a snapshot. Destroy it with vvSnapshotDestroy. */
VV_API vvStatus vvWorldSnapshot(vvWorld *world, vvSnapshot **snapshot, vvError *error);
/* Restores a snapshot into the world that it was taken of, or into any other, with the settings of its time (all of
 * vvWorldDef but host and threads). The world continues with the same bits, and ids that were valid then are valid
 * again. If the structure is the same, only state is copied. The snapshot stays usable. On failure the world is
 * unchanged. */
VV_API vvStatus vvWorldRestore(vvWorld *world, const vvSnapshot *snapshot, vvError *error);
VV_API void vvSnapshotDestroy(vvSnapshot *snapshot); /* also after the world was destroyed; NULL is fine */
/* Bytes of the snapshot, including the description that it shares. */
VV_API size_t vvSnapshotBytes(const vvSnapshot *snapshot);

/* ---- the tables ---- */

VV_API const vvInfo *vvSchemeInfo(int index); /* NULL past the end, like all of these. Arrays: None. */
/* Whether a scheme, with default parameters, uses only the forces at the end of its steps, as backward Euler does. The
 * work of moving spring attachments and drags is then the mean of their forces at both ends of the step times their
 * displacement, otherwise that of a jump at the start of the step. */
VV_API bool vvSchemeEndForces(const char *scheme);
VV_API const vvInfo *vvPolicyInfo(int index);
VV_API const vvParam *vvSchemeParams(
    int index, int *count); /* the scheme's parameters; *count: how many. Arrays: returns[count]. */
/* The policy's parameters; *count: how many. Arrays: returns[count]. */
VV_API const vvParam *vvPolicyParams(int index, int *count);
VV_API const vvInfo *vvSolverInfo(int index);
VV_API const vvInfo *vvSolverFallbackInfo(int index); /* what vvSolverDef.fallback may be: "none", and the solvers */
/* The iterations of its solves if vvSolverDef.budget is 0; 0: until convergence */
VV_API int vvSolverBudget(const char *method);
VV_API const vvInfo *vvAccelerationInfo(int index);
VV_API const vvInfo *vvLinearSolverInfo(int index);
VV_API const vvInfo *vvLineSearchInfo(int index);

/* The properties that a scheme declares, and those that the self-check measures on the linear oscillator, in closed
 * form. */
typedef struct vvSchemeCheck {
    int order;                                                 /* declared */
    double measuredOrder;                                      /* from the error's decrease with h */
    bool aStable, lStable, symplectic;                         /* declared: on the oscillator x'' = -x for every h */
    bool measuredAStable, measuredLStable, measuredSymplectic; /* the same, measured */
    bool explicitScheme, twoStep, minimises; /* it solves nothing; it needs two states; it minimises an objective */
} vvSchemeCheck;
/* Measures the scheme of that index (vvSchemeInfo) on the oscillator. */
VV_API vvStatus vvSchemeSelfCheck(int index, vvSchemeCheck *check, vvError *error);

#ifdef __cplusplus
}
#endif
#endif
