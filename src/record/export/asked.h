/* Fields that an export was asked for: arrays over a run's cells or vertices, of a world in the state of a frame. */
#ifndef VV_RECORD_EXPORT_ASKED_H
#define VV_RECORD_EXPORT_ASKED_H

#include "record/cells.h"
#include "record/export/export.h"
#include "visviva/field.h"

enum { VV_ASKED_MOST = 24 };

typedef struct vv_asked_field {
    const vvField *field;
    bool nodes; /* values are of vertices */
    char name[48];
    double *values; /* components for each, NaN where a body has no such field */
} vv_asked_field;

typedef struct vv_asked {
    int count;
    vv_asked_field item[VV_ASKED_MOST];
    double *room;
    int room_count;
} vv_asked;

/* What job->def->fields names. VV_ERROR_INPUT: a word that is none. Free it in any case. */
vvStatus vv_asked_make(vv_asked *asked, const vv_export_job *job, const vv_cells *cells, vvError *error);
/* The world's fields at a frame; the world is there then. */
vvStatus vv_asked_find(vv_asked *asked, const vv_export_job *job, int frame, const vv_cells *cells, vvError *error);
void vv_asked_free(vv_asked *asked);
/* The first of a body's vertices, among the run's, that have the field. */
size_t vv_asked_first(const vvField *field, const vvRunBody *body);
/* How large a value is: of vectors their length, of stress and strain the largest component, of principal values the
 * first. */
double vv_asked_size(const vvField *field, const double *value);

#endif
