/* --json: what check, info, list and mesh find, as one JSON object on stdout (docs/json.md). */
#ifndef VV_CLI_JSON_H
#define VV_CLI_JSON_H

#include <jansson.h>
#include <math.h>

#include "cli.h"

/* JSON has no infinities: what was never measured is null. */
static inline json_t *vv_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }
json_t *vv_json_vector(const double v[3]);

/* From here on what is printed for people goes nowhere; stderr stays. */
void vv_json_begin(void);
/* Restores stdout and prints the object, with "ok", "error" and "warnings" from what was said on stderr. Takes
 * ownership of `root` (NULL: nothing could be found out). Returns `code`. */
int vv_json_end(json_t *root, int code);

/* Keys that describe a mesh: sizes and quality. */
void vv_json_add_mesh(json_t *object, const vvMesh *mesh, const vvMeshQuality *quality);
json_t *vv_json_energies(const vvLedgerRow *row);
/* The coefficients of the pairs that may touch, with the first pairs of each (cli/check/friction.c). */
json_t *vv_json_friction(const vvWorld *world);
/* What vv_cli_print_regions prints; empty: nothing (cli/check/regions.c). */
json_t *vv_json_regions(const vvWorld *world, vvBodyId body, const vvMesh *mesh);
json_t *vv_json_stiffness(const vvStiffness *stiffness);

#endif
