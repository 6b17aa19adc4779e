/* The points as a table, a line each, and the methods nearest to truth for their cost. */
#include "compare/cost.h"

#include <math.h>
#include <string.h>

enum { NAME = 28, MESSAGE = 110 }; /* MESSAGE: of an error; the CSV has all of it */

static void put_number(double value, int width, const char *format)
{
    char text[64] = "-";
    if (isfinite(value))
        snprintf(text, sizeof text, format, value);
    printf(" %*s", width, text);
}

/* Visible energy is shown as one number. */
static void print_point(const vv_cost_point *p)
{
    char step[48];
    printf("  %-*.*s %8s", NAME - 2, NAME - 2, p->method, vv_study_step_text(p->step, step));
    put_number(p->error, 8, "%.3f");
    put_number(p->low, 8, "%.3f");
    put_number(p->high, 8, "%.3f");
    put_number(p->parts[VV_COST_PATH], 8, "%.3f");
    put_number(p->parts[VV_COST_ELASTIC], 8, "%.3f");
    put_number(p->parts[VV_COST_FRICTION], 8, "%.3f");
    put_number(p->parts[VV_COST_CENTRE] + p->parts[VV_COST_ROTATION] + p->parts[VV_COST_DEFORMATION], 8, "%.3f");
    put_number(p->newton, 9, "%.0f");
    put_number(p->processor, 9, "%.3g");
    put_number(p->memory, 7, "%.0f");
    if (strcmp(p->status, "done") != 0)
        printf("  %.*s%s", MESSAGE, p->status, strlen(p->status) > MESSAGE ? "..." : "");
    putchar('\n');
}

/* All of its starts reached the end, and no other such point has both a smaller error and fewer iterations. */
static bool is_nearest(const vv_cost *c, const vv_cost_point *p)
{
    for (int i = 0; i < c->methods->count * c->stepCount; i++) {
        const vv_cost_point *other = &c->points[i];
        if (other->done == other->starts && isfinite(other->error) && other->newton <= p->newton &&
            other->error <= p->error && (other->newton < p->newton || other->error < p->error))
            return false;
    }
    return p->done == p->starts && isfinite(p->error);
}

static void print_nearest(const vv_cost *c)
{
    const vv_cost_point *last = NULL;
    char step[48];
    printf("nearest to truth for their Newton iterations:\n");
    for (;;) {
        const vv_cost_point *next = NULL;
        for (int i = 0; i < c->methods->count * c->stepCount; i++) {
            const vv_cost_point *p = &c->points[i];
            if (is_nearest(c, p) && (!last || p->newton > last->newton) && (!next || p->newton < next->newton))
                next = p;
        }
        if (!next)
            return;
        printf("  %-*.*s %8s %8.3f %9.0f\n", NAME - 2, NAME - 2, next->method, vv_study_step_text(next->step, step),
               next->error, next->newton);
        last = next;
    }
}

void vv_cost_print(const vv_cost *c)
{
    const vv_cost_point *first = &c->points[0];
    char frame[48];
    printf("%s, to t = %g s, sampled every %s s or, where that is longer, every step; %d start%s\n", first->scene,
           c->end, vv_study_step_text(c->frame, frame), first->starts, first->starts == 1 ? "" : "s");
    printf("  %-*s %8s %8s %8s %8s %8s %8s %8s %8s %9s %9s %7s\n", NAME - 2, "", "step", "error", "least", "most",
           "path", "elastic", "friction", "visible", "Newton", "s", "MB");
    for (int i = 0; i < c->methods->count * c->stepCount; i++)
        print_point(&c->points[i]);
    if (isfinite(c->truth.known.total))
        printf("truth itself, for a single start: %.3f\n", c->truth.known.total);
    print_nearest(c);
}
