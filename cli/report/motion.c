/* How the drawn vertices move, and what colours them: read frame by frame, as whole numbers of steps of which none is
 * off by more than was asked. */
#include "cli.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double far_away = 1000;    /* start's diagonals: what is further away would make all else one point */
static const double farthest = 1e12;    /* m: at the start */
static const double margin = 0.999999;  /* of the step, for rounding */
static const double scale_part = 0.995; /* of the values lie on a field's scale */
enum { SAMPLES = 200000 };

typedef struct reader {
    vv_render_stage *stage;
    const vv_report_shape *shape;
    vv_report_motion *motion;
    const vvField *asked[VV_REPORT_FIELDS]; /* NULL: the colouring of that number */
    vv_colouring colouring[VV_REPORT_FIELDS];
    vvWorld *world; /* of the run's scene, for `asked` */
    vv_progress *progress;
    double done;
} reader;

/* ---- fields by name ---- */

/* What a run's positions and velocities say by themselves; all others are found by the scene. */
static const struct {
    const char *name, *title, *unit;
    vv_colouring colouring;
} own_fields[] = {
    { "speed", "speed", "m/s", VV_COLOUR_VELOCITY },
    { "strain", "strain", "", VV_COLOUR_STRAIN },
    { "curvature", "curvature", "1/m", VV_COLOUR_CURVATURE },
    { "bending", "bending energy", "J/m\xc2\xb2", VV_COLOUR_BENDING },
};
enum { OWN_FIELDS = sizeof own_fields / sizeof *own_fields };

static int add_field(reader *r, const char *name)
{
    vv_report_motion *m = r->motion;
    if (m->fieldCount == VV_REPORT_FIELDS)
        return vv_cli_wrong("--fields: at most %d fields fit into a report", VV_REPORT_FIELDS);
    vv_report_field *f = &m->fields[m->fieldCount];
    for (int i = 0; i < OWN_FIELDS; i++)
        if (strcmp(own_fields[i].name, name) == 0) {
            snprintf(f->name, sizeof f->name, "%s", name);
            snprintf(f->title, sizeof f->title, "%s", own_fields[i].title);
            snprintf(f->unit, sizeof f->unit, "%s", own_fields[i].unit);
            r->colouring[m->fieldCount] = own_fields[i].colouring;
            r->asked[m->fieldCount++] = NULL;
            if (own_fields[i].colouring == VV_COLOUR_BENDING && !vvRunKnowsBending(r->stage->run))
                return vv_cli_wrong("--fields: bending: nothing in the run resists bending, or its file is of an older "
                                    "version");
            return VV_CLI_GO;
        }
    const vvField *field = vv_cli_field(name);
    if (!field)
        return VV_EXIT_WRONG;
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->title, sizeof f->title, "%s", name);
    for (char *p = f->title; *p; p++)
        *p = *p == '-' ? ' ' : *p;
    snprintf(f->unit, sizeof f->unit, "%s", field->unit);
    r->asked[m->fieldCount++] = field;
    return VV_CLI_GO;
}

static int add_fields(reader *r, const char *path, const char *names)
{
    bool world = false;
    int code = VV_CLI_GO;
    for (const char *at = names; code == VV_CLI_GO && at;) {
        char word[64];
        const size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
        if ((code = add_field(r, word)) == VV_CLI_GO)
            world = world || r->asked[r->motion->fieldCount - 1];
        at = at[length] ? at + length + 1 : NULL;
    }
    if (code == VV_CLI_GO && world)
        code = vv_cli_world_of_run(path, r->stage->run, &r->world);
    return code;
}

/* ---- the box ---- */

static void grow(double low[3], double high[3], const double *x)
{
    for (int k = 0; k < 3; k++) {
        low[k] = fmin(low[k], x[k]);
        high[k] = fmax(high[k], x[k]);
    }
}

static double distance(const double a[3], const double b[3])
{
    const double d[3] = { a[0] - b[0], a[1] - b[1], a[2] - b[2] };
    return sqrt(vv_dot3(d, d));
}

/* Why a frame cannot be shown; "" if it can. */
static void look_at(const reader *r, int frame, const double low[3], double reach, char *why, size_t size)
{
    const vv_report_shape *s = r->shape;
    for (int p = 0; p < s->partCount; p++)
        for (int i = 0; i < s->parts[p].vertexCount; i++) {
            const double *x = r->stage->positions + 3 * (size_t)s->vertices[s->parts[p].firstVertex + i];
            const bool number = isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
            if (number && distance(x, low) <= reach)
                continue;
            snprintf(why, size, "frames from t = %.6g s on are left out: \"%.60s\" %s",
                     vvRunFrameTime(r->stage->run, frame), vvRunGetBody(r->stage->run, s->parts[p].body)->name,
                     !number      ? "has non-finite positions"
                     : frame == 0 ? "is more than 1e12 m away"
                                  : "is a thousand times further away than the start is large");
            return;
        }
    why[0] = 0;
}

static bool advance(reader *r)
{
    char detail[64];
    snprintf(detail, sizeof detail, "%d frames", vvRunFrameCount(r->stage->run));
    vv_progress_update(r->progress, ++r->done, detail);
    return !vv_cli_interrupted();
}

static void grow_by_frame(const reader *r, double low[3], double high[3])
{
    vv_report_motion *m = r->motion;
    const vv_report_shape *s = r->shape;
    for (int p = 0; p < s->partCount; p++)
        for (int i = 0; i < s->parts[p].vertexCount; i++) {
            const double *x = r->stage->positions + 3 * (size_t)s->vertices[s->parts[p].firstVertex + i];
            grow(low, high, x);
            if (r->stage->framed[s->vertices[s->parts[p].firstVertex + i]])
                grow(m->seenLow, m->seenHigh, x);
        }
}

/* The box of all frames that can be shown, and how many these are. */
static int find_box(reader *r)
{
    vv_report_motion *m = r->motion;
    const int frames = vvRunFrameCount(r->stage->run);
    double low[3], high[3], reach = farthest, start[3] = { 0, 0, 0 };
    for (int k = 0; k < 3; k++) {
        low[k] = m->seenLow[k] = INFINITY;
        high[k] = m->seenHigh[k] = -INFINITY;
    }
    for (m->frameCount = 0; m->frameCount < frames; m->frameCount++) {
        if (!vv_stage_read(r->stage, m->frameCount, r->stage->positions, NULL))
            return VV_EXIT_FAILED;
        look_at(r, m->frameCount, start, reach, m->why, sizeof m->why);
        if (m->why[0])
            break;
        grow_by_frame(r, low, high);
        if (m->frameCount == 0) {
            memcpy(start, low, sizeof start);
            reach = far_away * fmax(distance(low, high), 1e-6);
        }
        if (!advance(r))
            return VV_EXIT_INTERRUPTED;
    }
    m->diagonal = m->frameCount && r->shape->vertexCount ? distance(low, high) : 0;
    for (int k = 0; k < 3; k++) {
        m->low[k] = isfinite(low[k]) ? low[k] : 0;
        m->seenLow[k] = isfinite(m->seenLow[k]) ? m->seenLow[k] : m->low[k];
        m->seenHigh[k] = isfinite(m->seenHigh[k]) ? m->seenHigh[k] : isfinite(high[k]) ? high[k] : 0;
    }
    return VV_CLI_GO;
}

/* ---- frames ---- */

static void quantise(reader *r, int frame)
{
    vv_report_motion *m = r->motion;
    const size_t n = (size_t)r->shape->vertexCount;
    int32_t *to = m->values + 3 * n * (size_t)frame;
    for (size_t v = 0; v < n; v++) {
        const double *x = r->stage->positions + 3 * (size_t)r->shape->vertices[v];
        double back[3];
        for (size_t k = 0; k < 3; k++) {
            to[k * n + v] = (int32_t)lround((x[k] - m->low[k]) / m->step);
            back[k] = m->low[k] + m->step * to[k * n + v];
        }
        m->error = fmax(m->error, distance(x, back));
    }
}

static bool take_field(reader *r, int index, int frame, double *values)
{
    vvError error = { 0 };
    const size_t n = (size_t)r->shape->vertexCount;
    float *to = r->motion->fields[index].numbers + n * (size_t)frame;
    if (!r->asked[index]) {
        if (!vv_field_compute(r->stage->run, r->colouring[index], r->stage->reference, r->stage->positions,
                              r->stage->velocities, values))
            return false;
    } else if (vv_cli_run_field(r->stage->run, r->world, r->asked[index], values, &error) != VV_OK) {
        vv_cli_error(&error);
        return false;
    }
    for (size_t v = 0; v < n; v++)
        to[v] = (float)values[r->shape->vertices[v]];
    return true;
}

static bool read_frame(reader *r, int frame, double *values)
{
    vvError error = { 0 };
    bool good = vv_stage_read(r->stage, frame, r->stage->positions, r->stage->velocities);
    if (good && r->world && vvRunLoadFrame(r->stage->run, frame, r->world, &error) != VV_OK) {
        vv_cli_error(&error);
        good = false;
    }
    if (good)
        quantise(r, frame);
    for (int i = 0; good && i < r->motion->fieldCount; i++)
        good = take_field(r, i, frame, values);
    return good;
}

/* ---- a field's scale ---- */

static bool choose_scale(vv_report_field *f, size_t count)
{
    const size_t every = count / SAMPLES + 1, taken = (count + every - 1) / every;
    double *sample = malloc((taken + 1) * sizeof *sample);
    size_t used = 0;
    if (!sample)
        return false;
    f->largest = 0;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(f->numbers[i]) && fabs((double)f->numbers[i]) > fabs(f->largest))
            f->largest = (double)f->numbers[i];
        if (i % every == 0 && isfinite(f->numbers[i]))
            sample[used++] = (double)f->numbers[i];
    }
    qsort(sample, used, sizeof *sample, vv_by_number);
    if (used > 0) {
        f->least = fmin(0, sample[(size_t)((1 - scale_part) * (double)(used - 1))]);
        f->most = sample[(size_t)(scale_part * (double)(used - 1))];
    }
    if (!(f->most > f->least)) /* nearly all of it is 0 */
        f->most = f->largest > f->least ? f->largest : f->least + 1;
    free(sample);
    return true;
}

static bool finish_field(vv_report_field *f, size_t count)
{
    f->values = malloc((count + 1) * sizeof *f->values);
    if (!f->values || !choose_scale(f, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const double part = ((double)f->numbers[i] - f->least) / (f->most - f->least);
        f->values[i] = isfinite(part) ? (int32_t)lround(VV_REPORT_LEVELS * fmin(1, fmax(0, part))) : 0;
    }
    free(f->numbers);
    f->numbers = NULL;
    return true;
}

/* ---- all of it ---- */

static int read_all(reader *r, double *values)
{
    vv_report_motion *m = r->motion;
    const size_t count = (size_t)m->frameCount * (size_t)r->shape->vertexCount;
    m->values = malloc((3 * count + 1) * sizeof *m->values);
    bool room = m->values && values;
    for (int i = 0; room && i < m->fieldCount; i++)
        room = (m->fields[i].numbers = malloc((count + 1) * sizeof(float))) != NULL;
    for (int f = 0; room && f < m->frameCount; f++) {
        if (!read_frame(r, f, values))
            return VV_EXIT_FAILED;
        if (!advance(r))
            return VV_EXIT_INTERRUPTED;
    }
    for (int i = 0; room && i < m->fieldCount; i++)
        room = finish_field(&m->fields[i], count);
    if (room)
        return VV_CLI_GO;
    vv_cli_wrong("report: no memory for %d frames of %d vertices; export a part of the run, or record fewer frames",
                 m->frameCount, r->shape->vertexCount);
    return VV_EXIT_FAILED;
}

int vv_report_motion_read(vv_report_motion *motion, vv_render_stage *stage, const vv_report_shape *shape, double error,
                          const char *path, const char *fields, vv_progress *progress)
{
    reader r = { .stage = stage, .shape = shape, .motion = motion, .progress = progress };
    *motion = (vv_report_motion){ 0 };
    int code = add_fields(&r, path, fields);
    if (code == VV_CLI_GO)
        code = find_box(&r);
    motion->step = motion->diagonal > 0 ? margin * 2 * error * motion->diagonal / sqrt(3) : 1;
    if (code == VV_CLI_GO) {
        double *values = malloc(((size_t)vvRunVertexCount(stage->run) + 1) * sizeof *values);
        code = read_all(&r, values);
        free(values);
    }
    vvWorldDestroy(r.world);
    return code;
}

void vv_report_motion_free(vv_report_motion *motion)
{
    free(motion->values);
    for (int i = 0; i < motion->fieldCount; i++) {
        free(motion->fields[i].numbers);
        free(motion->fields[i].values);
    }
    *motion = (vv_report_motion){ 0 };
}
