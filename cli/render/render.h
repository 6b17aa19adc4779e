/* Drawing a run's frames: stage (what stands there) + camera (from where) -> painter (offscreen OpenGL) -> image.
 *
 * Notation: `up` is against gravity; colours in here are linear, not sRGB; lengths in metres. Geometry handed to OpenGL
 * is single precision relative to the camera's `focus`, so that scenes far from the origin keep their shape. */
#ifndef VV_CLI_RENDER_RENDER_H
#define VV_CLI_RENDER_RENDER_H

#include "render/image.h"
#include "visviva/visviva.h"

/* ---- geometry ---- */

typedef struct vv_vertex {
    float position[3], normal[3];
    float colour[4]; /* linear; the fourth is gloss: 1 for bodies, 0 for matt things */
} vv_vertex;

typedef struct vv_indices {
    int first, count;
} vv_indices;

typedef struct vv_geometry {
    vv_vertex *vertices;
    unsigned *indices; /* triangles */
    int vertexCount, indexCount, vertexRoom, indexRoom;
    /* Of surfaces: [0] as they are drawn, [1] in a coarser form where there is one (else the same). All indices from
     * `rest` on are of other things, which are closed. */
    vv_indices solid[2], thin[2];
    int rest;
    bool failed; /* no memory at some append; what is there is whole */
} vv_geometry;

void vv_geometry_clear(vv_geometry *geometry); /* keeps the memory */
void vv_geometry_destroy(vv_geometry *geometry);
/* Room for more; returns the index of the first new vertex, -1 without memory. */
int vv_geometry_append(vv_geometry *geometry, int vertices, int indices);
/* A capsule from a to b with `sides` sides; round ends when `caps`. */
void vv_geometry_tube(vv_geometry *g, const double a[3], const double b[3], double radius, int sides, bool caps,
                      const float colour[4]);
/* A ball of so many rings (at most 40) between its poles. */
void vv_geometry_ball(vv_geometry *g, const double centre[3], double radius, int rings, const float colour[4]);
/* Obstacle of a named type with its values, positions relative to `origin`. False, and nothing is drawn: of planes,
 * and of types that are known here by their surfaces only. */
bool vv_geometry_obstacle(vv_geometry *g, const char *type, const double *values, const double origin[3],
                          const float colour[4]);

/* Triangles, shaded smoothly over the vertices that they share. */
void vv_geometry_mesh(vv_geometry *g, const vvMesh *mesh, const double origin[3], const float colour[4]);

/* ---- small vectors ---- */

static inline double vv_dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline void vv_cross3(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}
/* Scales to length 1; a vector without length becomes (0, 1, 0). */
void vv_unit3(double a[3]);
/* R = Rx Ry Rz of degrees, row-major: how obstacles are turned. */
void vv_turn3(const double degrees[3], double r[9]);

/* ---- surfaces: triangles with smooth normals and creases ---- */

/* One render vertex per node and smooth patch around it. Coarse meshes get rounder outlines: the middle of every edge
 * that is not a crease becomes a vertex too, `edgeCount` of them behind the others, and each triangle four. */
typedef struct vv_drawn_surface {
    int vertexCount, indexCount, edgeCount;
    int *node;         /* run node of each render vertex */
    int *body;         /* body of each render vertex */
    int *edges;        /* edgeCount x 2: render vertices */
    bool *curved;      /* false: a crease, whose middle stays on the straight line */
    unsigned *indices; /* into render vertices */
    unsigned *fine;    /* 4 x indexCount: into render vertices and edge middles; NULL: not refined */
    int bodyCount;
    int *first;   /* bodyCount + 1: each body's first index; the bodies' triangles are in order */
    bool *closed; /* a body: its triangles close around it, all the same way round */
    int rimCount;
    struct vv_rim *rim; /* sides with a triangle on one side only */
} vv_drawn_surface;
/* Of one: its render vertices, with the triangle on their left, and the number of its middle among `edges` (only if
 * refined). */
typedef struct vv_rim {
    int ends[2], middle;
} vv_rim;
/* Edges that fold by more than `crease` degrees in `positions` stay sharp. False, with a message, without memory. */
bool vv_surface_build(vv_drawn_surface *surface, const vvRun *run, const double *positions, double crease);
void vv_surface_destroy(vv_drawn_surface *surface);
/* Mean folding angle (radians) over the edges in `positions`: how crumpled the shape is. */
double vv_surface_roughness(const vvRun *run, const double *positions);

/* ---- stage ---- */

typedef enum vv_colouring {
    VV_COLOUR_BODY,
    VV_COLOUR_VELOCITY,
    VV_COLOUR_STRAIN,
    VV_COLOUR_CURVATURE,
    VV_COLOUR_BENDING,
    VV_COLOUR_FIELD /* and the following numbers: vvFieldInfo(0), (1), ... */
} vv_colouring;
/* The word for it, what it is, and its unit; of the number past the last one name is NULL. */
typedef struct vv_colour_words {
    const char *name, *quantity, *unit;
} vv_colour_words;
vv_colour_words vv_colouring_words(vv_colouring colouring);

typedef struct vv_plane {
    double point[3], normal[3];
} vv_plane;

/* Why a body is left out of a picture (limits.h). */
typedef enum vv_absence { VV_PRESENT, VV_NOT_NUMBERS, VV_BURST, VV_AWAY } vv_absence;
typedef struct vv_body_box vv_body_box;
typedef struct vv_limits vv_limits;

/* In which of the frames that were drawn a body, or points of it, was left out. */
typedef struct vv_absent_log {
    int frames;         /* how many */
    double first, last; /* s */
    vv_absence why;     /* at first */
    double figure;      /* the largest: m away, or of the burst body's size */
    int points;         /* of free points: the most at a time; else 0 */
    bool drawn;         /* there was nothing else to see: it was drawn all the same */
} vv_absent_log;

typedef struct vv_render_stage {
    const vvRun *run;
    double up[3];
    bool hasGround;
    vv_plane ground; /* the plane that faces up most */
    vv_plane *walls; /* the other planes */
    int wallCount;
    vv_drawn_surface surface;
    double *reference; /* node positions that strain is measured against */
    double *positions, *velocities;
    double *field; /* a value a node, for the colouring; else NULL */
    vv_colouring colouring;
    vvWorld *world;    /* in which fields are found; NULL: none is asked for */
    bool given;        /* `field` is filled in by whoever shows */
    int frame;         /* whose positions are there; -1: of no frame */
    double fieldMax;   /* value of the palette's end */
    double tubeRadius; /* of edges without thickness */
    /* m: about what a pixel shows: shells are not drawn thick, and tubes not thinner than it; 0: unknown */
    double pixel;
    unsigned char *framed;         /* a vertex: 1 where the camera must see it */
    unsigned char *held;           /* a node: 1 where it never moves, while others of its body do */
    double *radius;                /* a vertex: of the ball that a free point is drawn as, else 0 */
    bool *solid;                   /* a body: its far side cannot be seen in this frame */
    bool coarse;                   /* the surface as it was simulated, not rounded */
    double bend;                   /* m: how far rounding moves the edges' middles, root mean square */
    vv_geometry bodies, obstacles; /* relative to `origin` */
    double origin[3];
    double low[3], high[3];  /* box of the present frame's bodies, without those that are left out */
    double centre[3];        /* of those of them that the camera must see */
    bool anything;           /* some coordinates are numbers */
    const vv_limits *limits; /* the framing's, which outlives the stage's frames; NULL: nothing is left out */
    vv_body_box *boxes;      /* of the present frame's bodies */
    vv_absence *absent;
    bool *hidden;          /* a body: not drawn */
    bool withoutObstacles; /* those with a mesh are not drawn, from the next frame on that is set */
    double middle[3];      /* that distances are measured from */
    vv_absent_log *log;    /* a body */
} vv_render_stage;

bool vv_stage_open(vv_render_stage *stage, const vvRun *run);
void vv_stage_close(vv_render_stage *stage);
/* Colours by a field; fieldMax 0: measured over the run (a high percentile). */
bool vv_stage_colour(vv_render_stage *stage, vv_colouring colouring, double fieldMax);
/* The same for several runs, on one scale: the largest that one would have by itself. */
bool vv_stages_colour(vv_render_stage *const *stages, int count, vv_colouring colouring, double fieldMax);
/* "body", "velocity", "strain", "curvature", "bending", or a field's name (vvFieldInfo). False, with a message. */
bool vv_colouring_parse(const char *text, vv_colouring *colouring);
/* Colours by values of all vertices that whoever shows puts into stage->field; fieldMax is its business, too. */
bool vv_stage_give(vv_render_stage *stage, vv_colouring colouring);
/* What a scale should reach for the values that are there, by their 98th percentile: all bodies but obstacles. */
double vv_stage_measure(const vv_render_stage *stage);
/* The colouring by a field. */
vv_colouring vv_colouring_of(const vvField *field);
/* Where relative coordinates start; builds the obstacles. */
void vv_stage_set_origin(vv_render_stage *stage, const double origin[3]);
/* Reads the frame and builds its geometry (frame.c), without bodies that are left out. */
bool vv_stage_set_frame(vv_render_stage *stage, int frame);
/* The same of positions and velocities (NULL: 0) of all vertices that the run does not hold, at this time (s). */
bool vv_stage_show(vv_render_stage *stage, const double *positions, const double *velocities, double time);
/* Positions (and velocities, may be NULL) of all vertices in the frame. False, with a message. */
bool vv_stage_read(const vv_render_stage *stage, int frame, double *positions, double *velocities);
/* Says on stderr which bodies were left out of the frames that were set, when and why. */
void vv_stage_report_absent(const vv_render_stage *stage);

struct vv_camera;
/* How large a pixel is for this camera in a picture of this height, from the next frame on that is set. */
void vv_stage_see(vv_render_stage *stage, const struct vv_camera *camera, int height);
/* Whether a body is a shell that is drawn with its thickness; adds all of these to the frame's geometry (shells.c). */
bool vv_shell_is_thick(const vv_render_stage *stage, int body);
bool vv_shells_build(vv_render_stage *stage);

/* Fills stage->field for the frame that is there, or the positions that are shown. False, with a message. */
bool vv_stage_field(vv_render_stage *stage);
/* Fills field (a value a node) from positions and velocities: speed in m/s, the largest stretch |sigma - 1|, the
 * curvature of shells and rods in 1/m, or their bending energy in J/m^2 or J/m. Stretch is from the rest positions,
 * or from `reference` in runs of older versions. */
bool vv_field_compute(const vvRun *run, vv_colouring colouring, const double *reference, const double *positions,
                      const double *velocities, double *field);
/* `own`: 0xrrggbb; -1: by the index. */
void vv_palette_body(int index, int own, float rgb[4]);
void vv_palette_field(double t, float rgb[4]);         /* t from 0 to 1 */
void vv_palette_bytes(double t, unsigned char rgb[3]); /* the same in sRGB */
void vv_linear_colour(unsigned hex, float rgb[4]);     /* 0xrrggbb in sRGB */

/* ---- camera ---- */

typedef struct vv_view {
    double azimuth, elevation; /* degrees; NaN: chosen */
    double zoom;               /* 1: everything just fits; more: a narrower field of view from the same place */
    double fov;                /* degrees, vertical */
    bool follow;               /* the camera goes with the bodies' middle */
    bool fixedEye;             /* eye and target below instead of a direction */
    double eye[3], target[3];
    /* degrees: where the key light stands, seen from the camera's side; above the horizon */
    double keyAzimuth, keyElevation;
} vv_view;
vv_view vv_default_view(void);
/* Set what options say (view.c); a text that is NULL changes nothing. False, with a message. "AZ,EL" or, with `zoom`,
 * "AZ,EL[,ZOOM]", or "auto"; of the lamp "AZ,EL"; "X,Y,Z" both, or neither. */
bool vv_view_parse_camera(vv_view *view, const char *text, bool zoom);
bool vv_view_parse_light(vv_view *view, const char *text);
bool vv_view_parse_place(vv_view *view, const char *eye, const char *target);

typedef struct vv_camera {
    double eye[3], right[3], up[3], back[3], focus[3];
    double tanX, tanY; /* half the picture's size at distance 1 */
    double size;       /* of what is looked at, m */
    double near, far;
    double keyAzimuth, keyElevation; /* degrees: where the key light stands, seen from the camera's side */
} vv_camera;

/* What the frames of one or several runs need to be seen whole. */
typedef struct vv_framing vv_framing;
/* Reads the runs' frames (in steps, when there are very many), and gives the stages their limits. The framing must
 * outlive the stages' frames. NULL, with a message. */
vv_framing *vv_framing_measure(vv_render_stage *const *stages, int count, const vv_view *view);
void vv_framing_destroy(vv_framing *framing);
/* Half the diagonal of all that the camera must see, m. */
double vv_framing_size(const vv_framing *framing);
/* The camera goes with the bodies. */
bool vv_framing_follows(const vv_framing *framing);
/* Width / height that the content asks for. */
double vv_framing_aspect(const vv_framing *framing);
/* The camera for a picture of this aspect; `stage` (may be NULL): a view that follows looks at its present frame. */
void vv_framing_camera(const vv_framing *framing, double aspect, const vv_render_stage *stage, vv_camera *camera);
/* Whether any part of a body or obstacle that is drawn lies inside the picture, which is so many pixels high; planes
 * do not count, nor bodies that are too far away to be seen. */
bool vv_camera_sees(const vv_camera *camera, const vv_render_stage *stage, int height);
/* Pixel (from the top left corner) where the point is seen in a picture of this size. */
void vv_camera_project(const vv_camera *camera, const double point[3], int width, int height, double pixel[2]);

/* ---- painter ---- */

typedef struct vv_painter vv_painter;
enum { VV_MOST_QUALITY = 64 };
/* quality: so many times every edge is drawn, shifted by parts of a pixel, and so many points has the key light: 8, 16,
 * 32; 0 is a draft, with hard shadows and edges. NULL, with a message that names packages where OpenGL cannot start. */
vv_painter *vv_painter_create(int width, int height, int quality);
void vv_painter_destroy(vv_painter *painter);
/* The picture must have the painter's size. `wire`: shows the triangles' edges. */
bool vv_painter_paint(vv_painter *painter, const vv_render_stage *stage, const vv_camera *camera, bool wire,
                      vv_image *image);
/* The same in two halves, so that the next frame can be read and built while this one is drawn: after the first the
 * stage may change, and the second waits for the picture. */
bool vv_painter_begin(vv_painter *painter, const vv_render_stage *stage, const vv_camera *camera, bool wire);
bool vv_painter_end(vv_painter *painter, vv_image *image);
/* Of the last picture: how much of each pixel bodies and obstacles cover, 0 to 255 (width x height, rows from the
 * top). */
bool vv_painter_cover(vv_painter *painter, unsigned char *cover);
/* What draws: "llvmpipe (LLVM 15.0.6, 256 bits)". */
const char *vv_painter_device(const vv_painter *painter);

/* ---- several runs side by side (tiles.c): one camera, a picture of the same size for each ---- */

enum { VV_MOST_TILES = 7 };
typedef struct vv_tiles {
    int count, width, height;
    bool wire;
    vv_render_stage stages[VV_MOST_TILES];
    vv_framing *framing;
    vv_painter *painter;
    vv_image images[VV_MOST_TILES];
    int shown[VV_MOST_TILES]; /* the frame that the image shows; -1: none */
    int ready[VV_MOST_TILES]; /* the frame that stands in the stage; -1: none */
} vv_tiles;

/* Opens the stages, colours them on one scale (fieldMax 0: measured) and finds the camera. False, with a message. The
 * runs stay the caller's. Close in any case. */
bool vv_tiles_open(vv_tiles *tiles, const vvRun *const *runs, int count, const vv_view *view, vv_colouring colouring,
                   double fieldMax);
void vv_tiles_close(vv_tiles *tiles);
/* Sets the size of each picture, before anything else below. */
bool vv_tiles_size(vv_tiles *tiles, int width, int height);
/* True if in any of these frames (count x runs) anything is seen; else, with a message that says where everything is,
 * false. path: the first run's, for that. */
bool vv_tiles_see(vv_tiles *tiles, const char *path, const int *frames, int count);
/* Starts OpenGL. False, with a message. */
bool vv_tiles_start(vv_tiles *tiles, int quality);
/* Copies a run's image to (x, y); pale, where the run has ended before the others. */
void vv_tiles_paste(const vv_tiles *tiles, int run, vv_image *picture, int x, int y, bool pale);
/* Draws the images whose frame (one a run) is not shown yet. `next` (may be NULL): what will be drawn after this; it
 * is read while this is being drawn. */
bool vv_tiles_paint(vv_tiles *tiles, const int *frames, const int *next);
/* Says on stderr what was left out. */
void vv_tiles_report(const vv_tiles *tiles);

/* ---- the command's parts ---- */

/* "3", "0:100", "0:100:5", "0,7,9", also negative counts from the end. A malloc'ed list, or NULL with a message. */
int *vv_frames_parse(const char *text, int frameCount, int *count);
int vv_frame_at_time(const vvRun *run, double time);
/* "1280x720". */
bool vv_size_parse(const char *text, int *width, int *height);

/* Frames to a film through ffmpeg; the path's ending decides: .mp4 (H.264, even sides) or .gif. A draft is encoded
 * quickly. */
typedef struct vv_film vv_film;
bool vv_film_is_path(const char *path); /* true for these endings */
vv_film *vv_film_open(const char *path, int width, int height, double fps, bool draft);
/* Copies the picture; it is encoded while others are drawn. */
bool vv_film_add(vv_film *film, const vv_image *image);
/* Ends the film; false, with a message, when ffmpeg failed. Without `keep` nothing is left. */
bool vv_film_close(vv_film *film, bool keep);

#endif
