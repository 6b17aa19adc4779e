/* What the lists of visviva list have in common, whether printed or as JSON. */
#ifndef VV_CLI_LIST_H
#define VV_CLI_LIST_H

#include "json.h"

/* A thing with parameters. */
typedef struct vv_listed {
    const vvInfo *info;
    const vvParam *params;
    int count;
} vv_listed;
typedef bool vv_listed_get(int index, vv_listed *row); /* false past the end */
bool vv_listed_scheme(int index, vv_listed *row);

/* Arrays of objects. */
json_t *vv_json_names(const vvInfo *(*get)(int));
json_t *vv_json_things(vv_listed_get *get);
json_t *vv_json_schemes(void);
json_t *vv_json_contact(void);
json_t *vv_json_keys(void);
json_t *vv_json_scenes(void);

#endif
