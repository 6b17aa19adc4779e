/* Every key of a scene file: what it may hold, its default, its unit. One table drives validation, its messages, and
 * the tables of docs/scene-file.md. In the order of that page. */
#include <string.h>

#include "base/text/member_rows.h"
#include "scene/document.h"
#include "visviva/joint.h"
#include "world/settings/members.h"

#define BITS(path, fallback, summary) INTEGER(path, fallback, 0, 9007199254740991.0, summary)

/* Rows that several things have. */
#define PLACE(path)                                                                                          \
    OBJECT(path ".place", "as it is", "position of the rest shape: translate + R (scale x), R = Rx Ry Rz"),  \
        { ROW(path ".place.scale", "number or 3 numbers", "", "1", "scale"), .kind = VV_KEY_SCALE, .min = 0, \
          .max = 1e6, .above = true },                                                                       \
        VECTOR(path ".place.rotate", "deg", "[0, 0, 0]", "angles about x, y, z"),                            \
        VECTOR(path ".place.translate", "m", "[0, 0, 0]", "shift")
#define FILTER(path)                                                                                  \
    OBJECT(path ".filter", "touches everything", "what it collides with, and which queries find it"), \
        BITS(path ".filter.category", "1", "bits: what it is"),                                       \
        BITS(path ".filter.mask", "all", "bits: the categories that it touches"),                     \
        INTEGER(path ".filter.group", "0", -2147483648.0, 2147483647,                                 \
                "two with the same group, other than 0, always (above 0) or never (below 0) touch, whatever the bits")
#define COPIES(path, fallback, summary)                                                           \
    OBJECT(path ".copies", fallback, summary),                                                    \
        { ROW(path ".copies.count", "3 whole numbers", "", "required", "how many along x, y, z"), \
          .kind = VV_KEY_VECTOR, .min = 1, .max = 1e4, .required = true },                        \
        VECTOR(path ".copies.step", "m", "[0, 0, 0]", "from one to the next along x, y, z; the first is at place")
#define MOTION(path, fallback, summary)                                                                              \
    OBJECT(path ".motion", fallback, summary),                                                                       \
        VECTOR(path ".motion.velocity", "m/s", "[0, 0, 0]", "velocity of the shift"),                                \
        NUMBER(path ".motion.angular", "deg/s", "0", -1e9, 1e9,                                                      \
               "speed of the turn about the axis through about, in DEGREES per second"),                             \
        VECTOR(path ".motion.about", "m", "[0, 0, 0]", "a point on the axis; waypoints turn about it too"),          \
        VECTOR(path ".motion.axis", "", "[0, 0, 0]", "direction of the axis; required with angular"),                \
        NUMBER(path ".motion.start", "s", "0", 0, 1e9, "when the motion begins"),                                    \
        NUMBER(path ".motion.end", "s", "never", 0, 1e9, "when the motion ends; from then on nodes are held"),       \
        { ROW(path ".motion.waypoints", "list of objects", "", "none",                                               \
              "shifts and turns at given times, linear in between unless smooth"),                                   \
          .kind = VV_KEY_LIST },                                                                                     \
        { ROW(path ".motion.waypoints[].time", "number", "s", "required", "when; ascending"), .kind = VV_KEY_NUMBER, \
          .min = 0, .max = 1e9, .required = true },                                                                  \
        VECTOR(path ".motion.waypoints[].offset", "m", "[0, 0, 0]", "shift at that time"),                           \
        VECTOR(path ".motion.waypoints[].turn", "deg", "[0, 0, 0]", "angles about x, y, z at that time"),            \
        BOOLEAN(path ".motion.smooth", "false", "between waypoints by 3 u^2 - 2 u^3, at rest at each")

static const vv_key_row first[] = {
    { ROW("visviva", "whole number", "", "required", "version of this vocabulary: 1"), .kind = VV_KEY_INTEGER, .min = 1,
      .max = 1, .required = true },
    TEXT("name", "the file's name", "the scene's name in pictures and reports"),
    TEXT("description", "none", "a few words for the reader"),
    TEXT("extends", "none",
         "another scene file to start from: values here replace or add to its values, lists as a whole"),

    OBJECT("time", "defaults", "steps and length of the run"),
};

static const vv_key_row of_run[] = {
    NUMBER("time.end", "s", "10", 0, 1e7, "the time at the end of the run"),
    INTEGER("time.record_every", "1", 1, 1000000000, "steps of time.step between recorded frames"),
    INTEGER("time.substeps", "1", 1, 100000,
            "steps of the run in one time.step: each is time.step / substeps long and has its row in the ledger; "
            "frames stay where they are"),

    { ROW("gravity_keys", "list of [time, factor]", "s", "1 all the time", "factors of gravity, which is a load then"),
      .kind = VV_KEY_KEYS, .min = -1e18, .max = 1e18 },
    BOOLEAN("gravity_smooth", "false", "between gravity's keys by 3 u^2 - 2 u^3; else linear"),
    OBJECT("integrator", "defaults", "time integration and energy policy"),
};

static const vv_key_row solver[] = {
    OBJECT("solver", "defaults", "the method that minimises each step's objective"),
};

static const vv_key_row contact[] = {
    OBJECT("contact", "barrier where there are obstacles or several bodies, else none", "contact and friction"),
};

static const vv_key_row pairs[] = {
    { ROW("contact.pairs[].between", "2 names", "", "required",
          "the two, with all their copies; the same name twice: with itself, and its copies with each other"),
      .kind = VV_KEY_BETWEEN, .required = true },
    { ROW("contact.pairs[].friction", "number", "", "required", "Coulomb coefficient"), .kind = VV_KEY_NUMBER, .min = 0,
      .max = VV_MOST_FRICTION, .required = true },

    { ROW("materials", "object", "", "none", "materials by name, for bodies to share"), .kind = VV_KEY_MAP },
    TEXT("materials.NAME.like", "none", "another material's name: start from its values"),
};

static const vv_key_row things[] = {
    { ROW("bodies", "list of objects", "", "required", "what moves"), .kind = VV_KEY_LIST, .required = true },
    TEXT("bodies[].name", "body, body-2, ...", "unique name"),
    TEXT("bodies[].color", "one of eight, in turn", "colour in pictures, reports and exports: #rrggbb"),
    { ROW("bodies[].material", "name, object or list", "", "defaults",
          "a name from materials, or an object with the keys of one; a list: the first is the body's own, the others "
          "are further energies "
          "on the same mesh"),
      .kind = VV_KEY_MATERIAL },
    { ROW("bodies[].materials", "object", "", "none",
          "in place of material: one for each region of a mesh of tets, by the name of its group (a physical volume of "
          "Gmsh, a reference of MEDIT, an element set of Abaqus), as in {\"core\": \"steel\", \"coat\": \"rubber\"}; "
          "each tet is in one of them"),
      .kind = VV_KEY_REGIONS },
    { ROW("bodies[].mesh", "object", "", "required", "file, points, or a generator with its parameters"),
      .kind = VV_KEY_OBJECT, .required = true },
    { ROW("bodies[].mesh.file", "path or list of paths", "", "none",
          "mesh file, relative to the scene file's folder, or else by its name in $VISVIVA_MESHES; from a list, the "
          "first that exists"),
      .kind = VV_KEY_FILES },
    BOOLEAN("bodies[].mesh.fill", "false",
            "fills the closed surface of the file with tets; its small holes are closed first"),
    POSITIVE("bodies[].mesh.edge", "m", "a thirtieth of the diagonal, or less", 1e9,
             "with fill: edge length of the tets, in the file's units (before place.scale)"),
    INTEGER("bodies[].mesh.order", "1", 1, 2,
            "2: tets of ten nodes, which bend and are nearly incompressible without locking: a node more on each edge"),
    { ROW("bodies[].mesh.onto", "path", "", "none",
          "with order 2: the surface that the file's linear tets stand for, where middles of edges are put"),
      .kind = VV_KEY_TEXT },
    { ROW("bodies[].mesh.points", "list of 3 numbers", "m", "none",
          "instead of a file or a generator: the positions of the vertices"),
      .kind = VV_KEY_POINTS, .min = -1e9, .max = 1e9 },
    { ROW("bodies[].mesh.edges", "list of 2 whole numbers", "", "none: free points",
          "with points: pairs joined by an edge, counted from 0"),
      .kind = VV_KEY_PAIRS, .min = 0, .max = 2147483646 },
    { ROW("bodies[].mesh.GENERATOR", "object", "", "none", "a generated mesh: its parameters (table below)"),
      .kind = VV_KEY_TYPED, .typed = vv_scene_generator },
    OBJECT("bodies[].surface", "none",
           "a finer surface that the tets carry, in the mesh's own coordinates: drawn and exported in place of their "
           "boundary; "
           "either file, or a generator"),
    BOOLEAN("bodies[].surface.collides", "false", "the surface collides in place of the tets' boundary"),
    { ROW("bodies[].surface.file", "path or list of paths", "", "none", "as for mesh"), .kind = VV_KEY_FILES },
    { ROW("bodies[].surface.GENERATOR", "object", "", "none", "as for mesh; the surface is its boundary"),
      .kind = VV_KEY_TYPED, .typed = vv_scene_generator },
    PLACE("bodies[]"),
    COPIES("bodies[]", "one body", "a grid of equal bodies: NAME 1, NAME 2, ..."),
    NUMBER("bodies[].friction", "", "contact.friction", 0, VV_MOST_FRICTION, "Coulomb coefficient of its surface"),
    FILTER("bodies[]"),
    NUMBER("bodies[].thickness", "m", "0", 0, 1e3,
           "contact keeps others away from the surface by half of it; also the thickness of shells and rods whose "
           "material has none"),
    { ROW("bodies[].triangle_thickness", "numbers or path", "m", "none",
          "thickness of shells at each triangle of the mesh, in its order; a path names a text file with one number a "
          "line, "
          "# begins a comment"),
      .kind = VV_KEY_LISTED, .min = 0, .max = 1e9, .above = true },
    { ROW("bodies[].triangle_stiffness", "numbers or path", "", "none",
          "factors of shells' Young's modulus, in the same form"),
      .kind = VV_KEY_LISTED, .min = 0, .max = 1e9, .above = true },
    OBJECT("bodies[].rest_angles", "none",
           "angles at which edges between two triangles have no bending, for materials such as hinge and midedge; "
           "edges that are not named "
           "keep the mesh's, or 0 where the material is flat"),
    { ROW("bodies[].rest_angles.file", "path or list of paths", "", "required",
          "a text: for each edge a line with its two vertices, counted from 0, and the "
          "angle in degrees, positive for a ridge seen from the side of the normals; # begins a comment"),
      .kind = VV_KEY_FILES, .required = true },
    BOOLEAN("bodies[].self_contact", "true, false after start random or collapsed", "the body collides with itself"),
    OBJECT("bodies[].velocity", "at rest", "velocity at the start; for other velocities see start"),
    VECTOR("bodies[].velocity.linear", "m/s", "[0, 0, 0]", "the same for all nodes"),
    VECTOR("bodies[].velocity.angular", "rad/s", "[0, 0, 0]",
           "rotation about an axis through about: axis times speed, in RADIANS per second"),
    VECTOR("bodies[].velocity.about", "m", "the centre of mass", "a point on the axis"),
    { ROW("bodies[].start", "list of objects", "", "none",
          "initial states, applied one after the other, before velocity"),
      .kind = VV_KEY_LIST },
    { ROW("bodies[].start[].file", "path or list of paths", "", "none",
          "positions and velocities of all nodes: a CSV file with x,y,z,vx,vy,vz for each node"),
      .kind = VV_KEY_FILES },
    { ROW("bodies[].start[].positions", "list of 3 numbers", "m", "none", "positions of all nodes, in place of a file"),
      .kind = VV_KEY_POINTS, .min = -1e9, .max = 1e9 },
    { ROW("bodies[].start[].velocities", "list of 3 numbers", "m/s", "at rest", "with positions: of the same nodes"),
      .kind = VV_KEY_POINTS, .min = -1e9, .max = 1e9 },
    { ROW("bodies[].start[].STATE", "object", "", "none", "one initial state: its parameters (table below)"),
      .kind = VV_KEY_TYPED, .typed = vv_scene_state },
    { ROW("bodies[].attach", "list of objects", "", "none", "nodes that are held, moved or pushed"),
      .kind = VV_KEY_LIST },
    { ROW("bodies[].attach[].where", "object", "", "required", "region of the placed rest shape"),
      .kind = VV_KEY_OBJECT, .required = true },
    { ROW("bodies[].attach[].where.box", "2 corners", "m", "none", "nodes in the box"), .kind = VV_KEY_CORNERS,
      .min = -1e9, .max = 1e9 },
    { ROW("bodies[].attach[].where.percent", "2 corners", "%", "none",
          "nodes in a part of the body's bounding box, 0 to 100"),
      .kind = VV_KEY_CORNERS, .min = -1000, .max = 1000 },
    OBJECT("bodies[].attach[].where.sphere", "none", "nodes in a ball"),
    { ROW("bodies[].attach[].where.sphere.center", "3 numbers", "m", "required", "centre"), .kind = VV_KEY_VECTOR,
      .min = -1e9, .max = 1e9, .required = true },
    { ROW("bodies[].attach[].where.sphere.radius", "number", "m", "required", "radius"), .kind = VV_KEY_NUMBER,
      .min = 0, .max = 1e9, .above = true, .required = true },
    OBJECT("bodies[].attach[].where.half_space", "none", "nodes on the side of a plane to which the normal points"),
    { ROW("bodies[].attach[].where.half_space.point", "3 numbers", "m", "required", "a point on the plane"),
      .kind = VV_KEY_VECTOR, .min = -1e9, .max = 1e9, .required = true },
    { ROW("bodies[].attach[].where.half_space.normal", "3 numbers", "", "required", "any length but 0"),
      .kind = VV_KEY_VECTOR, .min = -1e9, .max = 1e9, .required = true },
    TEXT("bodies[].attach[].where.group", "none",
         "a group of the mesh file (Gmsh's physical groups, Abaqus' sets): its vertices; loads act on its triangles"),
    { ROW("bodies[].attach[].where.vertices", "whole numbers", "", "none", "mesh vertices, counted from 0"),
      .kind = VV_KEY_INDICES, .min = 0, .max = 2147483646 },
    BOOLEAN("bodies[].attach[].where.all", "false", "every node"),
    BOOLEAN("bodies[].attach[].where.surface", "false",
            "only nodes of the surface; without another region, all of these"),
    BOOLEAN("bodies[].attach[].where.rim", "false",
            "only nodes on the rim of a shell (edges of one triangle) or at the ends of lines; without another region, "
            "all of these"),
    BOOLEAN("bodies[].attach[].clamp", "false",
            "also hold the slope of a shell and the twist of a rod, along edges with both ends attached; only for the "
            "models midedge and rod"),
    WORD("bodies[].attach[].kind", "fixed", "fixed spring push potential roller symmetry force traction pressure",
         "fixed: nodes follow the motion; spring: springs pull them towards it; push: they are free, but pushed by "
         "mass times "
         "acceleration from motion.start to motion.end; potential: each feels an analytic potential; roller: held "
         "along normal, following the motion, and free across; symmetry: the same, also of the slope of a shell and "
         "the twist of a "
         "rod; force: free, and loaded by a force that is shared by mass; traction, pressure: free, and loaded on "
         "the triangles of the surface that have all corners in the region"),
    WORD("bodies[].attach[].axes", "xyz", "xyz xy xz yz x y z",
         "for kind fixed: the axes along which nodes follow the motion; they are free along the others"),
    { ROW("bodies[].attach[].normal", "3 numbers", "", "required for rollers and symmetry",
          "the direction along which nodes are held, that of the plane that they keep to; it does not turn with the "
          "motion"),
      .kind = VV_KEY_VECTOR, .min = -1e9, .max = 1e9 },
    VECTOR("bodies[].attach[].force", "N", "required for forces", "of all nodes together"),
    VECTOR("bodies[].attach[].traction", "Pa", "required for tractions", "force per area"),
    NUMBER("bodies[].attach[].pressure", "Pa", "required for pressures", -1e18, 1e18,
           "against the normals of the triangles: into a solid"),
    BOOLEAN("bodies[].attach[].follow", "false",
            "for tractions and pressures: by the triangles' current area and orientation; else as at rest"),
    { ROW("bodies[].attach[].keys", "list of [time, factor]", "s", "1 all the time",
          "for pushes, forces, tractions and pressures: factors in time"),
      .kind = VV_KEY_KEYS, .min = -1e18, .max = 1e18 },
    BOOLEAN("bodies[].attach[].smooth", "false", "between keys by 3 u^2 - 2 u^3; else linear"),
    NUMBER("bodies[].attach[].release", "s", "never", -1e9, 1e9,
           "it ends with the first step that begins then or later"),
    VECTOR("bodies[].attach[].acceleration", "m/s2", "required for pushes",
           "of each node, beside gravity, if nothing held it"),
    POSITIVE("bodies[].attach[].stiffness", "N/m", "required for springs", 1e15, "stiffness of each node's spring"),
    OBJECT("bodies[].attach[].potential", "required for potentials", "exactly one potential"),
    { ROW("bodies[].attach[].potential.POTENTIAL", "object", "", "none", "a potential: its parameters (table below)"),
      .kind = VV_KEY_TYPED, .typed = vv_scene_potential },
    MOTION("bodies[].attach[]", "held in place", "rigid motion of the attached nodes"),

    { ROW("obstacles", "list of objects", "", "none", "what bodies bounce off"), .kind = VV_KEY_LIST },
    TEXT("obstacles[].name", "none; obstacle-N with a mesh or a motion",
         "name; names of bodies and of obstacles with a mesh or a motion must differ"),
    NUMBER("obstacles[].friction", "", "contact.friction", 0, VV_MOST_FRICTION, "Coulomb coefficient"),
    FILTER("obstacles[]"),
    { ROW("obstacles[].OBSTACLE", "object", "", "this or mesh", "one obstacle: its parameters (table below)"),
      .kind = VV_KEY_TYPED, .typed = vv_scene_obstacle },
    OBJECT("obstacles[].heights", "required with heightfield",
           "the samples of a heightfield, 2 to 8193 along each direction: one of file, values, hills"),
    { ROW("obstacles[].heights.file", "path or list of paths", "", "none",
          "a grey picture (PGM, 8 or 16 bits; black 0, white 1), its top row at the lowest z; or text, a row of "
          "numbers per line"),
      .kind = VV_KEY_FILES },
    { ROW("obstacles[].heights.values", "numbers", "", "none", "the heights, those along x next to each other"),
      .kind = VV_KEY_NUMBERS, .min = -1e6, .max = 1e6 },
    OBJECT("obstacles[].heights.hills", "none", "hills by a seed, 0 to 1 high"),
    INTEGER("obstacles[].heights.hills.seed", "0", 0, 9e15, "which hills"),
    NUMBER("obstacles[].heights.hills.across", "", "4", 0.01, 1000, "number of the largest hills along x"),
    NUMBER("obstacles[].heights.hills.rough", "", "0.35", 0, 1,
           "height of smaller hills, each half as wide as those before"),
    { ROW("obstacles[].heights.samples", "2 whole numbers", "", "with hills: [65, 65]",
          "number of samples along x and z; required with values"),
      .kind = VV_KEY_PAIR, .min = 2, .max = 8193 },
    OBJECT("obstacles[].solid", "required with level-set",
           "the solid whose distance is sampled; either file, or a generator"),
    { ROW("obstacles[].solid.file", "path or list of paths", "", "none", "a closed surface, or a mesh with tets"),
      .kind = VV_KEY_FILES },
    { ROW("obstacles[].solid.GENERATOR", "object", "", "none", "as for bodies"), .kind = VV_KEY_TYPED,
      .typed = vv_scene_generator },
    POSITIVE("obstacles[].solid.scale", "", "1", 1e9, "factor by which it is enlarged"),
    POSITIVE("obstacles[].solid.spacing", "m", "a 40th of its longest edge", 1e6,
             "distance between samples; parts thinner than two of these are lost"),
    POSITIVE("obstacles[].solid.margin", "m", "2 spacings", 1e6, "distance beyond the solid covered by samples"),
    OBJECT("obstacles[].mesh", "none", "an obstacle of any mesh; either file, or a generator"),
    { ROW("obstacles[].mesh.file", "path or list of paths", "", "none", "as for bodies"), .kind = VV_KEY_FILES },
    { ROW("obstacles[].mesh.GENERATOR", "object", "", "none", "as for bodies"), .kind = VV_KEY_TYPED,
      .typed = vv_scene_generator },
    PLACE("obstacles[]"),
    COPIES("obstacles[]", "one obstacle",
           "a grid of equal obstacles: NAME 1, NAME 2, ...; motion.about moves with each"),
    MOTION("obstacles[]", "stands still", "rigid motion of the obstacle; {}: at rest until the host moves it"),
    OBJECT("obstacles[].motion.follow", "the mesh keeps its shape",
           "for an obstacle with a mesh: a sequence of shapes, which motion moves"),
    { ROW("obstacles[].motion.follow.files", "path or list of paths", "", "required",
          "meshes of the same vertices and elements; in a path, %d or %04d stands for the number"),
      .kind = VV_KEY_FILES, .required = true },
    INTEGER("obstacles[].motion.follow.first", "0", 0, 1e9, "with %d: the first number"),
    INTEGER("obstacles[].motion.follow.count", "all files that follow each other", 1, 1e6, "with %d: how many"),
    NUMBER("obstacles[].motion.follow.start", "s", "0", -1e9, 1e9, "when it has the first shape"),
    POSITIVE("obstacles[].motion.follow.interval", "s", "time.step", 1e9, "from one shape to the next"),
    { ROW("obstacles[].motion.follow.times", "numbers", "s", "start and interval", "of each shape; ascending"),
      .kind = VV_KEY_NUMBERS, .min = -1e9, .max = 1e9 },
    NUMBER("obstacles[].thickness", "m", "0", 0, 1e3,
           "for an obstacle with a mesh: contact keeps others away from its surface by half of it"),

    { ROW("joints", "list of objects", "", "none", "joints between bodies, or between a body and a place"),
      .kind = VV_KEY_LIST },
    { ROW("joints[].kind", "name", "", "required", "which, as in the section on joints"), .kind = VV_KEY_NAME,
      .names = vvJointKindInfo, .required = true },
    { ROW("joints[].between", "2 names", "", "required",
          "the two bodies, copies as NAME 1, NAME 2, ...; \"world\": places that do not move"),
      .kind = VV_KEY_BETWEEN, .required = true },
    { ROW("joints[].at", "3 numbers", "m", "required",
          "its place in the placed rest shapes; for a distance: its end on the first body"),
      .kind = VV_KEY_VECTOR, .min = -1e9, .max = 1e9, .required = true },
    VECTOR("joints[].to", "m", "required for a distance", "a distance's end on the second body"),
    VECTOR("joints[].axis", "", "required for hinge, slider", "direction of the axis; any length but 0"),
    { ROW("joints[].limits", "2 numbers", "deg; m", "none",
          "range of a hinge's angle (within -180 to 180), a slider's travel or a distance; 0 is the initial angle or "
          "place, for a distance zero length"),
      .kind = VV_KEY_PAIR, .min = -1e9, .max = 1e9 },
    POSITIVE("joints[].stiffness", "N/m", "100 m/h^2", 1e15, "stiffness; m: mass of the heavier body, h: time.step"),
    POSITIVE("joints[].reach", "m", "a quarter of the smaller body", 1e9,
             "half the length of the axis that it holds; radius held by a fixed joint"),
    OBJECT("joints[].motor", "none", "of a hinge or a slider"),
    NUMBER("joints[].motor.speed", "deg/s; m/s", "0", -1e9, 1e9,
           "of the second body against the first; hinges in DEGREES per second"),
    { ROW("joints[].motor.force", "number", "N m; N", "required", "its greatest force or torque"),
      .kind = VV_KEY_NUMBER, .min = 0, .max = 1e18, .required = true },
    POSITIVE("joints[].break_force", "N", "never", 1e18, "it breaks after a step in which it has more"),
    POSITIVE("joints[].break_torque", "N m", "never", 1e18, "the same for its torque about its place"),
    BOOLEAN("joints[].collide", "false", "whether the two bodies collide with each other"),
};

/* The whole table: rows of this file, and those of settings (world/settings/members.h). */
#define ROWS(list)                             \
    {                                          \
        list, NULL, sizeof list / sizeof *list \
    }
#define MEMBERS(list)                 \
    {                                 \
        NULL, &vv_##list##_members, 0 \
    }
static const struct {
    const vv_key_row *rows;
    const vv_members *members;
    int count;
} parts[] = { ROWS(first),   MEMBERS(world),   ROWS(of_run),  MEMBERS(integrator), ROWS(solver),      MEMBERS(solver),
              ROWS(contact), MEMBERS(contact), MEMBERS(pair), ROWS(pairs),         MEMBERS(material), ROWS(things) };
enum { PARTS = sizeof parts / sizeof *parts };

/* Settings that scenes say in another way have no path; parameters of schemes and policies have tables of their own. */
static bool is_hidden(const vv_key_row *row) { return !*row->key.path || row->kind == VV_KEY_SETTING; }

const vv_key_row *vv_scene_next(vv_scene_cursor *at)
{
    while (at->part < PARTS) {
        const vv_members *members = parts[at->part].members;
        if (at->row >= (members ? members->count : parts[at->part].count)) {
            at->part++, at->row = 0;
            continue;
        }
        const int i = at->row++;
        const vv_key_row *row = members ? &members->row[i].row : &parts[at->part].rows[i];
        if (!is_hidden(row))
            return row;
    }
    return NULL;
}

const vvSceneKey *vvSceneKeyInfo(int index)
{
    vv_scene_cursor at = { 0 };
    const vv_key_row *row = index < 0 ? NULL : vv_scene_next(&at);
    while (row && index-- > 0)
        row = vv_scene_next(&at);
    return row ? &row->key : NULL;
}

/* Whether `path` is the pattern of a direct member of `pattern`; *name: the member's name in the table. */
static bool is_member(const char *path, const char *pattern, const char **name)
{
    size_t n = strlen(pattern);
    if (n > 0) {
        if (strncmp(path, pattern, n) != 0 || path[n] != '.')
            return false;
        path += n + 1;
    }
    *name = path;
    return strpbrk(path, ".[") == NULL;
}

/* A parameter of a scheme or a policy is a key of the integrator: *typed is that one parameter. */
static const vv_key_row *find_setting(const char *name, vv_typed *typed)
{
    const vv_member *row = vv_integrator_members.row;
    while (row->row.kind != VV_KEY_SETTING)
        row++;
    for (int i = 0; vv_scene_method(i, typed); i++)
        for (int p = 0; p < typed->paramCount; p++)
            if (strcmp(typed->params[p].name, name) == 0) {
                *typed = (vv_typed){ typed->info, 1, typed->params + p };
                return &row->row;
            }
    return NULL;
}

const vv_key_row *vv_scene_find(const char *pattern, const char *name, vv_typed *typed)
{
    vv_scene_cursor at = { 0 };
    for (const vv_key_row *row; (row = vv_scene_next(&at));) {
        const char *member;
        if (!is_member(row->key.path, pattern, &member))
            continue;
        if (row->kind == VV_KEY_TYPED ? vv_typed_find(row->typed, name, typed) : strcmp(member, name) == 0)
            return row;
    }
    return strcmp(pattern, "integrator") == 0 ? find_setting(name, typed) : NULL;
}

static int depth(const char *path)
{
    int dots = 0;
    for (; *path; path++)
        dots += *path == '.';
    return dots;
}

bool vv_scene_elsewhere(const char *name, char out[VV_WORDS_GUIDE])
{
    enum { MOST = 3 };
    char list[VV_WORDS_GUIDE - 16] = "";
    int count = 0, highest = 0;
    vv_typed typed;
    vv_scene_cursor at = { 0 };
    for (const vv_key_row *row; (row = vv_scene_next(&at));) {
        const char *path = row->key.path, *dot = strrchr(path, '.');
        if (!dot || strcmp(dot + 1, name) != 0 || (count && depth(path) > highest))
            continue;
        if (count && depth(path) < highest)
            count = 0;
        highest = depth(path);
        size_t n = count++ ? strlen(list) : 0;
        snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", path);
    }
    if (!count && find_setting(name, &typed))
        count = snprintf(list, sizeof list, "integrator.%s", name) > 0;
    if (count == 0 || count > MOST)
        return false;
    snprintf(out, VV_WORDS_GUIDE, "; there %s %s", count == 1 ? "is" : "are", list);
    return true;
}
