/* visviva report: runs as one HTML page. What is drawn (shape) and how it moves (motion), as whole numbers that are
 * predicted from each other (code), packed as text (buffer) into the page of web/report (page). */
#ifndef VV_CLI_REPORT_REPORT_H
#define VV_CLI_REPORT_REPORT_H

#include <jansson.h>
#include <stdint.h>

#include "cli.h"
#include "render/render.h"
#include "write_report.h"

/* ---- text and bytes that grow (buffer.c) ---- */

typedef struct vv_report_buffer {
    unsigned char *bytes;
    size_t size, room;
    bool failed; /* no memory at some point; what is there is whole up to then */
} vv_report_buffer;
void vv_report_free(vv_report_buffer *buffer);
void vv_report_put(vv_report_buffer *buffer, const void *bytes, size_t size);
/* As it is: of our own text only. */
void vv_report_raw(vv_report_buffer *buffer, const char *text);
void vv_report_format(vv_report_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Anybody's text: what HTML takes for its own is escaped, and bytes that are no UTF-8 become "?". */
void vv_report_escaped(vv_report_buffer *buffer, const char *text);
/* A script element that holds the bytes, deflated (zlib's format) and in base 64; `numbers`: of vv_report_code. */
void vv_report_block(vv_report_buffer *page, const char *id, const void *bytes, size_t size, bool numbers);
/* 32-bit numbers byte by byte: the lowest bytes of all, then the next ones. */
void vv_report_planes(vv_report_buffer *buffer, const uint32_t *numbers, size_t count);

/* ---- what is drawn (shape.c) ---- */

/* A body as it is drawn: ranges of the shape's lists. */
typedef struct vv_report_part {
    int body; /* of the run */
    int firstVertex, vertexCount, firstTriangle, triangleCount, firstEdge, edgeCount;
    bool points;   /* each vertex is a ball of its own */
    double radius; /* m: of edges and points; 0: a surface */
} vv_report_part;

/* Vertices stand in an order in which most follow a neighbour. */
typedef struct vv_report_shape {
    int vertexCount, triangleCount, edgeCount, partCount;
    int *vertices; /* the run's, of each */
    int *triangles, *edges;
    vv_report_part *parts;
    int *stands; /* a vertex of the run: the one that is there for it; NULL: all are there */
    int *linkStart,
        *links; /* of each vertex, the neighbours with smaller numbers; as often as triangles have the side */
} vv_report_shape;
/* `stage` is open on the run; of each surface about this part of its vertices (1: all). False, with a message, without
 * memory. */
bool vv_report_shape_make(vv_report_shape *shape, const vv_render_stage *stage, double part);
void vv_report_shape_free(vv_report_shape *shape);
/* Leaves about `wanted` vertices of a surface: `triangles` (3 numbers of its vertices each) become fewer, and stands[v]
 * is the vertex that is there for v, itself if it is left. `vertices`: of each the number in `positions`. False without
 * memory. */
bool vv_report_simplify(const double *positions, const int *vertices, int vertexCount, int *triangles,
                        int *triangleCount, int wanted, int *stands);
/* Adds the page's lists of triangles and edges. */
void vv_report_shape_pack(const vv_report_shape *shape, vv_report_buffer *out);

/* ---- how it moves (motion.c) ---- */

typedef struct vv_report_field {
    char name[64], title[96], unit[24];
    double least, most, largest; /* the scale, where most values are; the largest value of all */
    float *numbers;              /* frames x vertices, until `values` are made of them */
    int32_t *values;             /* frames x vertices: from `least`, 0, to `most`, VV_REPORT_LEVELS */
} vv_report_field;
enum { VV_REPORT_LEVELS = 127, VV_REPORT_FIELDS = 8 };

typedef struct vv_report_motion {
    int frameCount; /* the first so many of the run: the next one cannot be shown (`why`) */
    char why[240];  /* ""; why frames are left out at the end */
    double low[3], step, diagonal;
    double seenLow[3], seenHigh[3]; /* the box of what the camera must see */
    double error;                   /* m: the largest distance from the run's positions */
    int32_t *values;                /* frames x 3 x vertices, in steps from `low` */
    vv_report_field fields[VV_REPORT_FIELDS];
    int fieldCount;
} vv_report_motion;
/* Reads all frames; no position is off by more than `error` of the box's diagonal. `path` and `fields` (names with
 * commas between): for what the scene has to be made again for. Returns VV_CLI_GO, or a code after a message. */
int vv_report_motion_read(vv_report_motion *motion, vv_render_stage *stage, const vv_report_shape *shape, double error,
                          const char *path, const char *fields, vv_progress *progress);
void vv_report_motion_free(vv_report_motion *motion);
/* The motion of the vertices of `fewer`, which was made of the same run as `shape`. False without memory. */
bool vv_report_motion_pick(const vv_report_motion *motion, const vv_report_shape *shape, const vv_report_shape *fewer,
                           vv_report_motion *picked);
/* m: how far at most, in every `stride`-th frame, the vertices that are not in `fewer` are from its surface. NaN
 * without memory. */
double vv_report_off_surface(const vv_report_motion *motion, const vv_report_shape *shape, const vv_report_shape *fewer,
                             int stride);

/* ---- prediction (code.c) ---- */

/* Adds frames x components x vertices of whole numbers, every `stride`-th frame of them, as what is left after
 * prediction: a byte a part and frame that says how it was predicted, a byte a number, and 32 bits for each number
 * that needs more than a byte. False without memory. */
bool vv_report_code(const vv_report_shape *shape, const int32_t *values, int frames, int stride, int components,
                    vv_report_buffer *out);

/* ---- the page (page.c, text.c, facts.c) ---- */

typedef struct vv_report_run {
    const char *path;
    char label[200], stem[160];
    vvRun *run;
    bool drawn; /* there are frames, and the stage is open */
    vv_render_stage stage;
    vv_report_shape shape;
    vv_report_motion motion;
    int stride;      /* every so many-th frame is in the page */
    int vertexCount; /* drawn vertices of the run, of which `shape` may have fewer */
    double off;      /* m: how far the others are from its surface at most */
    vvLedgerRow *rows;
    int rowCount;
    vv_report_buffer csv;
} vv_report_run;

enum { VV_REPORT_RUNS = VV_MOST_TILES };
typedef struct vv_report {
    vv_report_run runs[VV_REPORT_RUNS];
    int count;
} vv_report;

/* The scenes' names; the tables and warnings: what is read without a script. */
void vv_report_heading(vv_report_buffer *out, const vv_report *report);
/* Of each run that failed that it did, at the head of the page. */
void vv_report_alarm(vv_report_buffer *out, const vv_report *report);
void vv_report_text(vv_report_buffer *out, const vv_report *report);
/* What the script needs to know, as JSON; NULL without memory. */
json_t *vv_report_facts(const vv_report *report);
/* The whole page. */
void vv_report_page(vv_report_buffer *out, const vv_report *report);

/* The whole page, no larger than `size` bytes: with fewer frames, then with fewer vertices. VV_CLI_GO, or an exit code
 * after a message. */
int vv_report_fit(vv_report *report, double size, vv_report_buffer *page);

/* ---- the command ---- */

#endif
