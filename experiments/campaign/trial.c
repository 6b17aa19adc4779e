/* Checks after each step of a scene, and the two runs that must have the same bits. */
#define _POSIX_C_SOURCE 200809L
#include "trial.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <visviva/visviva.h>

const char *const fault_name[FAULTS] = {
    "fine",
    "refused by name",
    "ended by name",
    "blown up and warned of",
    "without a word",
    "not finite",
    "inside out",
    "intersects",
    "left the room",
    "not closed",
    "made energy in silence",
    "other bits on two threads",
    "other bits when resumed",
    "memory grows",
    "hung",
    "crashed",
};

/* ---- what is checked ---- */

typedef struct check {
    int steps;
    trial *t;
    vvWorld *w;
    vvLedgerRow last;
    bool plain, apart, firm; /* no affine bodies; nothing may intersect; nothing gets through a wall */
    int warnings, news;      /* news: of this step */
} check;

static void fail(check *c, fault f, const char *what)
{
    if (c->t->fault != FINE)
        return;
    c->t->fault = f;
    snprintf(c->t->what, sizeof c->t->what, "step %lld: %.300s", (long long)vvWorldStepIndex(c->w), what);
}

static void hear(void *user, vvLogLevel level, const char *message)
{
    check *c = user;
    (void)message;
    c->warnings += level == VV_LOG_WARNING;
    c->news++;
}

static bool all_finite(const double *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static bool far_away(const vvWorld *w)
{
    const double *q = vvWorldPositions(w);
    for (int i = 0; i < 3 * vvWorldNodeCount(w); i++)
        if (!(fabs(q[i]) < 100))
            return true;
    return false;
}

static bool in_room(const double low[3], const double high[3], double in)
{
    return fmin(low[0], low[2]) > -PLAN_ROOM - in && fmax(high[0], high[2]) < PLAN_ROOM + in && low[1] > -in &&
           high[1] < PLAN_HIGH + in;
}

/* Nothing of a shape gets through a barrier. Beyond a bound it may be by what a solve leaves over, but not with its
 * middle; where walls only push, that is as it is, and has to be warned of. (The centre of mass is no measure: that of
 * a rod has directors in it, which are no part of the shape and collide with nothing.) */
static void check_room(check *c)
{
    vvError error = { 0 };
    const double in = c->firm ? 0 : 0.03; /* m */
    for (int b = 0; b < vvWorldBodyCount(c->w) && (c->firm || c->warnings == 0); b++) {
        vvBodyMeasures m;
        if (vvBodyMeasure(c->w, vvWorldBody(c->w, b), &m, &error) != VV_OK)
            fail(c, NOT_FINITE, error.message);
        for (int k = 0; k < 3 && !c->apart; k++)
            m.low[k] = m.high[k] = 0.5 * (m.low[k] + m.high[k]);
        if (!in_room(m.low, m.high, in))
            fail(c, OUTSIDE, vvBodyName(c->w, vvWorldBody(c->w, b)));
    }
}

static double kinetic_of(const vvWorld *w)
{
    const double *m = vvWorldMasses(w), *v = vvWorldVelocities(w);
    double sum = 0;
    for (int i = 0; i < vvWorldNodeCount(w); i++)
        sum += 0.5 * m[i] * (v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]);
    return sum;
}

static void check_ledger(check *c)
{
    vvLedgerRow r = { 0 };
    vvError error = { 0 };
    char text[200];
    if (vvWorldLedger(c->w, &r, &error) != VV_OK) {
        fail(c, NO_WORD, error.message);
        return;
    }
    const double flow = r.work - r.friction - r.damping - r.decay + r.springs + r.error,
                 change = r.total - c->last.total,
                 scale = fmax(r.scale, fmax(fabs(r.total), fabs(c->last.total))) + fabs(r.work) + fabs(r.friction) +
                         fabs(r.damping) + fabs(r.error) + fabs(r.springs);
    const double parts = r.kinetic + r.elastic + r.gravity + r.contact + r.attachment + r.joint;
    if (!isfinite(flow) || !isfinite(r.total))
        fail(c, NOT_FINITE, "the ledger");
    snprintf(text, sizeof text, "H changed by %.17g J, %.17g J are booked, of %.3g", change, flow, scale);
    if (!(fabs(change - flow) <= 1e-12 * scale))
        fail(c, NOT_CLOSED, text);
    snprintf(text, sizeof text, "H is %.17g J, its parts are %.17g", r.total, parts);
    if (!(fabs(parts - r.total) <= 1e-12 * (scale + fabs(r.kinetic) + fabs(r.gravity) + fabs(r.elastic))))
        fail(c, NOT_CLOSED, text);
    const double kinetic = c->plain ? kinetic_of(c->w) : r.kinetic;
    snprintf(text, sizeof text, "kinetic energy %.17g J, of the velocities %.17g", r.kinetic, kinetic);
    if (!(fabs(kinetic - r.kinetic) <= 1e-10 * (fabs(kinetic) + 1e-12 * scale)))
        fail(c, NOT_CLOSED, text);
    snprintf(text, sizeof text, "friction takes %.3g J in a step, of %.3g J that moved", r.friction, c->last.kinetic);
    const double moved = fmax(c->last.kinetic, r.kinetic) + fabs(r.work) + fmax(r.springs, 0);
    if (c->warnings == 0 && !(r.friction > -0.01 * r.scale && r.friction < 2 * moved + 0.1 * r.scale))
        fail(c, MADE, text);
    c->last = r;
}

static void check_positions(check *c)
{
    const int n = 3 * vvWorldNodeCount(c->w);
    vvError error = { 0 };
    if (!all_finite(vvWorldPositions(c->w), n) || !all_finite(vvWorldVelocities(c->w), n))
        fail(c, NOT_FINITE, "positions or velocities");
    vvInverted in;
    vvWorldInverted(c->w, &in);
    if (in.tets > 0 && strcmp(in.model, "neo-hookean") == 0)
        fail(c, INSIDE_OUT, in.body);
    int count = 0;
    if (c->apart && vvWorldFindIntersections(c->w, NULL, 0, &count, &error) != VV_OK)
        fail(c, NO_WORD, error.message);
    if (c->apart && count > 0)
        fail(c, INTERSECTS, "surfaces");
}

/* What did not converge is in the report or in the log. */
static void check_words(check *c, const vvStepReport *r, bool told)
{
    if ((r->end == VV_SOLVE_ITERATION_LIMIT || r->end == VV_SOLVE_STALLED) && !r->note[0] && !r->stall.term[0] && !told)
        fail(c, NO_WORD, "a solve that did not converge");
}

static void check_energy(check *c)
{
    vvLedgerTotals totals;
    vvWorldTotals(c->w, &totals);
    char text[100];
    snprintf(text, sizeof text, "%.3g of S", totals.error / c->last.scale);
    if (c->last.scale > 0 && totals.error > 0.25 * c->last.scale && c->warnings == 0)
        fail(c, MADE, text);
}

/* ---- a run ---- */

static double processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static vvStatus make(const char *text, int threads, check *c, vvWorld **w, vvError *error)
{
    vvScene *scene = NULL;
    vvHost host = { .log = { hear, c } };
    *w = NULL;
    vvStatus status = vvSceneParse(text, "stream", ".", NULL, 0, &scene, error);
    if (status == VV_OK) {
        const vvSceneTime time = vvSceneGetTime(scene);
        c->steps = (int)ceil((time.end - time.begin) / time.step - 1e-9);
    }
    if (status == VV_OK)
        status = vvSceneCreateHostedWorld(scene, threads, &host, w, error);
    if (status == VV_OK)
        status = vvWorldBake(*w, error);
    vvSceneDestroy(scene);
    return status;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void describe(check *c)
{
    const vvContactModel *model = vvContactModelFind(vvWorldGetDef(c->w)->contact.model);
    c->apart = model->bodies == VV_CONTACT_BARRIER;
    c->firm = model->obstacles == VV_CONTACT_BARRIER || model->obstacles == VV_CONTACT_BOUND;
    c->plain = true;
    for (int b = 0; b < vvWorldBodyCount(c->w); b++)
        c->plain = c->plain && !vvBodyIsAffine(c->w, vvWorldBody(c->w, b));
}

/* Of the run on one thread: the state halfway, and the bits at the end. */
typedef struct track {
    void *half;
    size_t half_size;
    uint64_t end;
    bool cholesky; /* its bits depend on threads */
} track;

static uint64_t hash(const vvWorld *w)
{
    const size_t bytes = 3 * (size_t)vvWorldNodeCount(w) * sizeof(double);
    uint64_t h = 14695981039346656037u;
    const unsigned char *part[2] = { (const unsigned char *)vvWorldPositions(w),
                                     (const unsigned char *)vvWorldVelocities(w) };
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < bytes; i++)
            h = (h ^ part[k][i]) * 1099511628211u;
    return h;
}

static void save(check *c, track *way)
{
    vvError error = { 0 };
    way->half_size = vvWorldStateSize(c->w);
    way->half = malloc(way->half_size + 1);
    if (!way->half || vvWorldSaveState(c->w, way->half, way->half_size, &error) != VV_OK)
        fail(c, NOT_RESUMED, error.message);
}

enum { MOST_STEPS = 128 };
static const double MOST_OF_SCENE = 4, MOST_OF_STEP = 60; /* s: a slow scene is left before its end */

static void take_steps(check *c, track *way)
{
    double seconds[MOST_STEPS] = { 0 }, all = 0;
    int done = 0;
    for (int k = 0; k < c->steps && k < MOST_STEPS && c->t->fault == FINE && all < MOST_OF_SCENE; k++) {
        vvStepReport report = { 0 };
        vvError error = { 0 };
        const double begin = processor();
        c->news = 0;
        const vvStatus status = vvWorldStep(c->w, &report, &error);
        const bool told = c->news > 0;
        seconds[done] = processor() - begin;
        all += seconds[done++];
        if (seconds[done - 1] > MOST_OF_STEP)
            fail(c, HUNG, "more than a minute for a step");
        if (status != VV_OK) {
            fail(c, error.message[0] ? ENDED : NO_WORD, error.message);
            done--;
            break;
        }
        way->cholesky = way->cholesky || strcmp(report.linear, "cholesky") == 0;
        if (c->warnings > 0 && (far_away(c->w) || fabs(c->last.total) > 1e6 * c->last.scale)) {
            fail(c, BLOWN_UP, "");
            break;
        }
        check_words(c, &report, told);
        check_positions(c);
        check_ledger(c);
        check_room(c);
        if (k + 1 == c->steps / 2)
            save(c, way);
    }
    if (c->t->fault == FINE)
        check_energy(c);
    c->t->steps = done;
    c->t->worst = 0;
    for (int k = 0; k < done; k++)
        c->t->worst = fmax(c->t->worst, seconds[k]);
    qsort(seconds, (size_t)done, sizeof *seconds, by_size);
    c->t->median = done ? seconds[done / 2] : 0;
    way->end = hash(c->w);
}

/* The end of another run of the same scene. state: where it begins, or NULL. */
static bool same_end(check *c, const char *text, const track *way, int threads, bool resumed)
{
    vvError error = { 0 };
    vvWorld *w;
    check other = *c;
    trial quiet = { 0 };
    other.t = &quiet;
    vvStatus status = make(text, threads, &other, &w, &error);
    if (status == VV_OK && resumed)
        status = vvWorldLoadState(w, way->half, way->half_size, &error);
    for (int k = resumed ? c->steps / 2 : 0; status == VV_OK && k < c->t->steps; k++)
        status = vvWorldStep(w, NULL, &error);
    const bool same = status == VV_OK && hash(w) == way->end;
    vvWorldDestroy(w);
    return same;
}

trial trial_run(const char *text, bool whole)
{
    trial t = { .fault = FINE };
    check c = { .t = &t };
    track way = { 0 };
    vvError error = { 0 };
    const size_t before = mallinfo2().uordblks;
    const vvStatus status = make(text, 1, &c, &c.w, &error);
    if (status != VV_OK) {
        t.fault = error.message[0] ? REFUSED : NO_WORD;
        snprintf(t.what, sizeof t.what, "%.399s", error.message);
    } else {
        describe(&c);
        vvWorldLedger(c.w, &c.last, &error);
        t.nodes = vvWorldNodeCount(c.w);
        take_steps(&c, &way);
        if (whole && t.fault == FINE && !way.cholesky && !same_end(&c, text, &way, 2, false))
            fail(&c, THREADS, "the whole run");
        if (whole && t.fault == FINE && way.half && !same_end(&c, text, &way, 1, true))
            fail(&c, NOT_RESUMED, "from half of its steps");
    }
    t.warnings = c.warnings;
    vvWorldDestroy(c.w);
    free(way.half);
    if (t.fault == FINE && mallinfo2().uordblks > before + ((size_t)1 << 20)) /* libraries keep some for later */
        t.fault = MEMORY;
    return t;
}
