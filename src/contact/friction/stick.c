/* What friction remembers of contacts that stick. */
#include "contact/friction/stick.h"

#include "base/memory.h"

#include <string.h>

bool vv_stick_create(vv_stick *s, const vv_vertices *vertices, int bodies)
{
    *s = (vv_stick){ .vertices = vertices };
    s->of_body = vv_alloc((size_t)bodies, sizeof *s->of_body);
    s->sum = vv_alloc((size_t)vertices->count, sizeof *s->sum);
    s->weight = vv_alloc((size_t)vertices->count, sizeof *s->weight);
    return s->of_body && s->sum && s->weight;
}

void vv_stick_free(vv_stick *s)
{
    vv_free(s->of_body);
    vv_free(s->sum);
    vv_free(s->weight);
    *s = (vv_stick){ 0 };
}

static double *of(const vv_stick *s, int v)
{
    return s->of_body[s->vertices->body[v]] + 3 * (size_t)s->vertices->label[v];
}

void vv_stick_add(const vv_stick *s, int v, double weight, double u[3])
{
    const double *d = of(s, v);
    for (int k = 0; k < 3; k++)
        u[k] += weight * d[k] / s->h;
}

void vv_stick_begin(vv_stick *s)
{
    memset(s->sum, 0, (size_t)s->vertices->count * sizeof *s->sum);
    memset(s->weight, 0, (size_t)s->vertices->count * sizeof *s->weight);
}

void vv_stick_give(vv_stick *s, int v, double weight, const double d[3])
{
    for (int k = 0; k < 3; k++)
        s->sum[v][k] += weight * d[k];
    s->weight[v] += weight;
}

void vv_stick_end(vv_stick *s)
{
    for (int v = 0; v < s->vertices->count; v++)
        for (int k = 0; k < 3; k++)
            of(s, v)[k] = s->weight[v] > 0 ? s->sum[v][k] / s->weight[v] : 0;
}

size_t vv_stick_bytes(const vv_stick *s) { return 3 * sizeof(double) * (size_t)s->vertices->count; }

void vv_stick_save(const vv_stick *s, void *to)
{
    for (int v = 0; v < s->vertices->count; v++)
        memcpy((char *)to + 3 * sizeof(double) * (size_t)v, of(s, v), 3 * sizeof(double));
}

void vv_stick_load(vv_stick *s, const void *from)
{
    for (int v = 0; v < s->vertices->count; v++)
        memcpy(of(s, v), (const char *)from + 3 * sizeof(double) * (size_t)v, 3 * sizeof(double));
}
