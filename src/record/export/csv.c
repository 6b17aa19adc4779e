/* The ledger as a table: one line per step, a header line with units, elastic and visible energies of each body at
 * the end. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text/number.h"
#include "record/export/asked.h"
#include "record/layout.h"
#include "visviva/joint.h"

enum { ROWS_AT_ONCE = 1024 };

/* A name in CSV's form (RFC 4180): quoted, quotes doubled. */
static void quoted(FILE *f, const char *prefix, const char *name, const char *unit)
{
    fprintf(f, "\"%s", prefix);
    for (; *name; name++) {
        if (*name == '"')
            fputc('"', f);
        fputc(*name, f);
    }
    fprintf(f, " [%s]\"", unit);
}

/* In the order of vvVisible. */
static const char *const parts[] = { "visible of ", "visible centre of ", "visible rotation of ",
                                     "visible deformation of " };
enum { PARTS = sizeof parts / sizeof *parts };

static void header(FILE *f, const vvRun *run)
{
    const vv_member *m;
    for (int i = 0; (m = vv_ledger_member(i)); i++)
        fprintf(f, m->unit[0] ? "%s%s [%s]" : "%s%s", i ? "," : "", m->name, m->unit);
    for (int b = 0; b < vvRunBodyCount(run); b++) {
        fputc(',', f);
        quoted(f, "elastic of ", vvRunGetBody(run, b)->name, "J");
    }
    for (int b = 0; b < vvRunBodyCount(run); b++)
        for (size_t i = 0; i < PARTS; i++) {
            fputc(',', f);
            quoted(f, parts[i], vvRunGetBody(run, b)->name, "J");
        }
    fputc('\n', f);
}

static void number(FILE *f, double value)
{
    char text[VV_NUMBER_LENGTH];
    if (isfinite(value))
        fwrite(text, 1, (size_t)vv_format_double(text, value), f);
    else
        fputs(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf", f);
}

static void line(FILE *f, const vvLedgerRow *row, const double *energies, const vvVisible *visible, int bodies)
{
    const vv_member *m;
    for (int i = 0; (m = vv_ledger_member(i)); i++) {
        const char *field = (const char *)row + m->offset;
        if (i)
            fputc(',', f);
        if (m->kind == 'd')
            number(f, *(const double *)(const void *)field);
        else if (m->kind == 'l')
            fprintf(f, "%lld", (long long)*(const int64_t *)(const void *)field);
        else
            fprintf(f, "%d", *(const int *)(const void *)field);
    }
    for (int b = 0; b < bodies; b++) {
        fputc(',', f);
        number(f, energies[b]);
    }
    for (int b = 0; b < bodies; b++) {
        const double values[PARTS] = { visible[b].total, visible[b].centre, visible[b].rotation,
                                       visible[b].deformation };
        for (size_t i = 0; i < PARTS; i++) {
            fputc(',', f);
            number(f, values[i]);
        }
    }
    fputc('\n', f);
}

/* All rows between the frames, or with every > 1 those of the frames. */
static bool wanted(const vv_export_job *job, int64_t step, int *frame)
{
    if (job->every == 1)
        return true;
    while (*frame < job->last && vvRunFrameStep(job->run, *frame) < step)
        *frame += job->every;
    return *frame <= job->last && vvRunFrameStep(job->run, *frame) == step;
}

/* Room for ROWS_AT_ONCE rows. */
typedef struct slab {
    vvLedgerRow *rows;
    double *energies; /* of each body */
    vvVisible *visible;
} slab;

static vvStatus read_slab(const vvRun *run, int first, int count, slab *s, vvError *error)
{
    vvStatus status = vvRunReadRows(run, first, count, s->rows, error);
    if (status == VV_OK)
        status = vvRunReadBodyEnergies(run, first, count, s->energies, error);
    return status == VV_OK ? vvRunReadBodyVisible(run, first, count, s->visible, error) : status;
}

static vvStatus lines(FILE *f, const vv_export_job *job, slab *s, vvError *error)
{
    const vvRun *run = job->run;
    int bodies = vvRunBodyCount(run), all = vvRunRowCount(run), frame = job->first, done = 0;
    /* including the steps after the last frame */
    bool to_end = job->last == vvRunFrameCount(run) - 1 && job->every == 1;
    int64_t from = vvRunFrameStep(run, job->first), to = to_end ? INT64_MAX : vvRunFrameStep(run, job->last);
    for (int first = 0; first < all; first += ROWS_AT_ONCE) {
        int count = all - first < ROWS_AT_ONCE ? all - first : ROWS_AT_ONCE;
        vvStatus status = read_slab(run, first, count, s, error);
        if (status != VV_OK)
            return status;
        for (int i = 0; i < count; i++) {
            const vvLedgerRow *row = s->rows + i;
            size_t at = (size_t)i * (size_t)bodies;
            if (row->step >= from && row->step <= to && wanted(job, row->step, &frame))
                line(f, row, s->energies + at, s->visible + at, bodies);
        }
        int now = (int)((int64_t)job->count * (first + count) / all);
        if (now > done && (status = vv_export_progress(job, done = now, error)) != VV_OK)
            return status;
    }
    return VV_OK;
}

/* ---- with fields: a line a frame ---- */

/* Forces on nodes: of a body their sum is what it bears. */
static bool adds_up(const vvField *f)
{
    return (f->place == VV_FIELD_NODES || f->place == VV_FIELD_SURFACE) && f->components == 3 &&
           strcmp(f->unit, "N") == 0;
}

/* What a joint does to its second body; the moment about its place there. */
static void joint_header(FILE *f, const vvWorld *world)
{
    for (int j = 0; j < vvWorldJointCount(world); j++) {
        vvBodyId bodies[2];
        vvJointBodies(world, vvWorldJoint(world, j), bodies);
        for (int k = 0; k < 6; k++) {
            char text[96];
            snprintf(text, sizeof text, "%s %c of joint %d on ", k < 3 ? "force" : "moment", 'x' + k % 3, j);
            fputc(',', f);
            quoted(f, text, bodies[1].index1 ? vvBodyName(world, bodies[1]) : "the world", k < 3 ? "N" : "N m");
        }
    }
}

static vvStatus joint_cells(FILE *f, vvWorld *world, vvError *error)
{
    for (int j = 0; j < vvWorldJointCount(world); j++) {
        vvJointState s;
        vvStatus status = vvJointGetState(world, vvWorldJoint(world, j), &s, error);
        if (status != VV_OK)
            return status;
        for (int k = 0; k < 6; k++) {
            fputc(',', f);
            number(f, k < 3 ? s.force[k] : s.torque[k - 3]);
        }
    }
    return VV_OK;
}

static void field_header(FILE *f, const vv_export_job *job, const vv_asked *asked)
{
    char text[96];
    fputs("frame,time [s]", f);
    for (int b = 0; b < vvRunBodyCount(job->run); b++)
        for (int i = 0; i < asked->count; i++) {
            snprintf(text, sizeof text, "largest %s of ", asked->item[i].name);
            fputc(',', f);
            quoted(f, text, vvRunGetBody(job->run, b)->name, asked->item[i].field->unit);
            for (int k = 0; k < 3 && adds_up(asked->item[i].field); k++) {
                snprintf(text, sizeof text, "sum %c of %s of ", 'x' + k, asked->item[i].name);
                fputc(',', f);
                quoted(f, text, vvRunGetBody(job->run, b)->name, asked->item[i].field->unit);
            }
        }
    for (int a = 0; a < vvWorldAttachmentCount(job->def->world); a++)
        for (int k = 0; k < 3; k++) {
            const vvBodyId body = vvWorldAttachment(job->def->world, a).body;
            snprintf(text, sizeof text, "reaction %c of attachment %d on ", 'x' + k, a);
            fputc(',', f);
            quoted(f, text, vvBodyName(job->def->world, body), "N");
        }
    joint_header(f, job->def->world);
    fputc('\n', f);
}

/* Of a body's values the largest by size; NaN: it has none. */
static double largest(const vv_export_job *job, const vv_asked_field *f, const vv_cells *cells, int body)
{
    const vvRunBody *b = vvRunGetBody(job->run, body);
    const size_t n = (size_t)f->field->components;
    double most = NAN;
    const bool surface = f->field->place == VV_FIELD_SURFACE;
    size_t from = vv_asked_first(f->field, b), end = from + (size_t)(surface ? b->vertexCount : b->nodeCount);
    if (!f->nodes) {
        for (from = 0; from < (size_t)cells->count && cells->body[from] < body;)
            from++;
        for (end = from; end < (size_t)cells->count && cells->body[end] == body;)
            end++;
    }
    for (size_t i = from; i < end; i++) {
        const double size = vv_asked_size(f->field, f->values + n * i);
        most = isnan(most) || fabs(size) > fabs(most) ? size : most; /* cells without the field have none */
    }
    return most;
}

static void sums(FILE *f, const vv_export_job *job, const vv_asked_field *of, int body)
{
    const vvRunBody *b = vvRunGetBody(job->run, body);
    const int first = (int)vv_asked_first(of->field, b),
              count = of->field->place == VV_FIELD_SURFACE ? b->vertexCount : b->nodeCount;
    double sum[3] = { 0 };
    for (int i = first; i < first + count; i++)
        for (int k = 0; k < 3; k++)
            sum[k] += of->values[3 * (size_t)i + (size_t)k];
    for (int k = 0; k < 3; k++) {
        fputc(',', f);
        number(f, sum[k]);
    }
}

static vvStatus field_line(FILE *f, const vv_export_job *job, vv_asked *asked, const vv_cells *cells, int frame,
                           vvError *error)
{
    vvStatus status = vv_asked_find(asked, job, frame, cells, error);
    if (status != VV_OK)
        return status;
    fprintf(f, "%d,", frame);
    number(f, vvRunFrameTime(job->run, frame));
    for (int b = 0; b < vvRunBodyCount(job->run); b++)
        for (int i = 0; i < asked->count; i++) {
            fputc(',', f);
            number(f, largest(job, asked->item + i, cells, b));
            if (adds_up(asked->item[i].field))
                sums(f, job, asked->item + i, b);
        }
    for (int a = 0; a < vvWorldAttachmentCount(job->def->world); a++) {
        double force[3] = { NAN, NAN, NAN };
        status = vvAttachReaction(job->def->world, vvWorldAttachment(job->def->world, a).attach, force, NULL, error);
        if (status != VV_OK && status != VV_ERROR_UNSUPPORTED)
            return status;
        for (int k = 0; k < 3; k++) {
            fputc(',', f);
            number(f, force[k]);
        }
    }
    status = joint_cells(f, job->def->world, error);
    fputc('\n', f);
    return status;
}

/* Of the run's bodies what fields are of. */
static vvStatus gather_cells(const vvRun *run, vv_cells *cells, vvError *error)
{
    const int bodies = vvRunBodyCount(run);
    vv_cell_source *sources = vv_alloc((size_t)bodies, sizeof *sources);
    if (!sources)
        return vv_fail_memory(error, "an export");
    for (int b = 0; b < bodies; b++) {
        const vvRunBody *body = vvRunGetBody(run, b);
        sources[b] = (vv_cell_source){ body->firstNode, body->nodeCount, body->tetCount,  body->triangleCount,
                                       body->edgeCount, body->tets,      body->triangles, body->edges };
    }
    vvStatus status = vv_cells_build(sources, bodies, cells, error);
    vv_free(sources);
    return status;
}

static vvStatus write_fields(const vv_export_job *job, vvError *error)
{
    vv_asked asked = { .count = 0 };
    vv_cells cells = { .count = 0 };
    vv_export_file file;
    vvStatus status = gather_cells(job->run, &cells, error);
    if (status == VV_OK)
        status = vv_asked_make(&asked, job, &cells, error);
    if (status == VV_OK)
        status = vv_export_begin(&file, job->path, error);
    if (status == VV_OK) {
        field_header(file.file, job, &asked);
        for (int i = 0; status == VV_OK && i < job->count; i++) {
            status = field_line(file.file, job, &asked, &cells, vv_export_frame(job, i), error);
            if (status == VV_OK)
                status = vv_export_progress(job, i + 1, error);
        }
        status = vv_export_end(&file, status, error);
    }
    vv_asked_free(&asked);
    vv_cells_free(&cells);
    return status;
}

static vvStatus write_csv(const vv_export_job *job, vvError *error)
{
    if (job->def->fields)
        return write_fields(job, error);
    size_t values = (size_t)vvRunBodyCount(job->run) * ROWS_AT_ONCE;
    slab s = { vv_alloc(ROWS_AT_ONCE, sizeof *s.rows), vv_alloc(values, sizeof *s.energies),
               vv_alloc(values, sizeof *s.visible) };
    vvStatus status = s.rows && s.energies && s.visible ? VV_OK : vv_fail_memory(error, "an export");
    vv_export_file file;
    if (status == VV_OK)
        status = vv_export_begin(&file, job->path, error);
    if (status == VV_OK) {
        header(file.file, job->run);
        status = vv_export_end(&file, lines(file.file, job, &s, error), error);
    }
    vv_free(s.rows);
    vv_free(s.energies);
    vv_free(s.visible);
    return status;
}

const vv_exporter vv_export_csv = {
    { "csv", "the ledger as a table, a line a step, units in the header (spreadsheets, pandas, gnuplot)" },
    write_csv,
    VV_EXPORT_FIELDS
};
