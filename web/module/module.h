/* What visviva.js calls of the library: a world made from a scene, what is drawn of it, a hand. All of it from one
 * thread. In a native build these are plain functions, for tests that compare both. */
#ifndef VV_WEB_MODULE_H
#define VV_WEB_MODULE_H

#include "visviva/visviva.h"

#if defined(__EMSCRIPTEN__)
#include <emscripten.h>
#define WEB_API EMSCRIPTEN_KEEPALIVE
#define WEB_FOLDER "/scene" /* where a scene's files lie */
#else
#define WEB_API
#define WEB_FOLDER "."
#endif

typedef struct web_world web_world;

/* What menus are made of: schemes, policies, solvers, materials, scene keys, the ledger's columns, as JSON. Free it. */
WEB_API char *web_tables(void);

/* NULL: out of memory. */
WEB_API web_world *web_new(void);
WEB_API void web_delete(web_world *w);
/* Of the last call that failed. */
WEB_API const char *web_message(const web_world *w);
/* What the last step has to say; may be "". */
WEB_API const char *web_note(const web_world *w);

/* All of these: 0, or a vvStatus. `overrides`: "path=value", one a line. Files of the scene lie in WEB_FOLDER. A call
 * that fails leaves the world as it was. */
WEB_API int web_open(web_world *w, const char *json, const char *overrides);
WEB_API int web_set(web_world *w, const char *overrides); /* at once, while it runs */
WEB_API int web_step(web_world *w);
/* Loops of this world, and of those opened in its place, run on so many threads, this one included. No result depends
 * on it. Where fewer can be started, it is fewer: see visviva.js. */
WEB_API int web_threads(web_world *w, int threads);
/* The state as a scene, in the file saved.json in WEB_FOLDER. */
WEB_API int web_save(web_world *w);

/* A mesh in WEB_FOLDER: how many tets, triangles, edges and points, its box; JSON. NULL: it cannot be read. */
WEB_API const char *web_mesh(web_world *w, const char *name);

/* The scene with overrides, and the settings in effect ({"key": value}): JSON. Valid until the next call. */
WEB_API const char *web_text(const web_world *w);
WEB_API const char *web_settings(web_world *w);
/* Name, parts, planes: JSON, valid until the next call. */
WEB_API const char *web_shape(web_world *w);

/* Vertices that are drawn (x, y, z each), triangles and edges between them; corners of obstacles that stand still. They
 * stay in place until web_open. */
WEB_API int web_vertex_count(const web_world *w);
WEB_API const float *web_vertices(const web_world *w);
WEB_API int web_triangle_count(const web_world *w);
WEB_API const int *web_triangles(const web_world *w);
WEB_API int web_edge_count(const web_world *w);
WEB_API const int *web_edges(const web_world *w);
WEB_API int web_solid_count(const web_world *w);
WEB_API const float *web_solid(const web_world *w);
WEB_API int web_node_count(const web_world *w);
WEB_API const double *web_nodes(const web_world *w);
WEB_API const double *web_velocities(const web_world *w);

/* The ledger's last row, a number a column. */
WEB_API const double *web_row(web_world *w);
WEB_API double web_time(const web_world *w);
WEB_API double web_time_step(const web_world *w);
WEB_API int web_asleep(const web_world *w); /* how many of its bodies sleep */
WEB_API double web_end(const web_world *w); /* s: the scene's time.end */

/* The hand. 1: it holds something; -1: a failure. `from`, `way`: a ray; `normal`: the plane in which the hand moves. */
WEB_API int web_grab(web_world *w, double x, double y, double z, double dx, double dy, double dz);
WEB_API int web_move(web_world *w, double x, double y, double z, double dx, double dy, double dz, double nx, double ny,
                     double nz);
WEB_API int web_release(web_world *w);
/* grip (3), hand (3), stiffness N/m, its work so far J */
WEB_API const double *web_hand(web_world *w);

#endif
