/* What a scene of the stream may be made of. Each field of a plan has draws of its own, in a fixed order, so that a
 * plan may lose a body, cells or steps and stay what it was. */
#include "plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <visviva/visviva.h>

/* ---- what there is ---- */

typedef enum kind { SOLID, SHEET, LINE } kind;

typedef enum shape { BOX, BALL, DIE, CYLINDER, TORUS, CLOTH, WEAVE, DISK, CHAIN, SHAPES } shape;
static const kind kind_of[SHAPES] = { SOLID, SOLID, SOLID, SOLID, SOLID, SHEET, SHEET, SHEET, LINE };

/* `first` without its Young's modulus; `second`: what bends, or NULL. */
static const struct material {
    kind kind;
    bool young;
    const char *first, *second;
} materials[] = {
    { SOLID, true, "\"model\": \"fixed-corotated\", \"density\": 1000", NULL },
    { SOLID, true, "\"model\": \"neo-hookean\", \"density\": 1000", NULL },
    { SOLID, true, "\"model\": \"stable-neo-hookean\", \"density\": 1000", NULL },
    { SOLID, true, "\"model\": \"stvk\", \"density\": 1000", NULL },
    { SOLID, true, "\"model\": \"arap\", \"density\": 1000", NULL },
    { SOLID, true, "\"model\": \"corotated\", \"density\": 1000", NULL },
    { SOLID, false, "\"model\": \"affine\", \"density\": 1000", NULL },
    { SHEET, true, "\"model\": \"stvk-membrane\", \"density\": 400, \"thickness\": 0.001", "hinge" },
    { SHEET, true, "\"model\": \"neo-hookean-membrane\", \"density\": 400, \"thickness\": 0.001", "midedge" },
    { SHEET, false, "\"model\": \"hooke\", \"mass\": 0.05, \"stiffness\": 50, \"bend_stiffness\": 5", NULL },
    { LINE, true, "\"model\": \"rod-stretch\", \"density\": 1000, \"thickness\": 0.006", "rod-bending" },
    { LINE, true, "\"model\": \"rod-stretch\", \"density\": 1000, \"thickness\": 0.006", "rod" },
};
enum { MATERIALS = sizeof materials / sizeof *materials };

static const char *const obstacles[] = {
    NULL,
    "{\"sphere\": {\"center\": [0, 0.02, 0], \"radius\": 0.12}}",
    "{\"box\": {\"center\": [0.1, 0.06, 0], \"size\": [0.2, 0.12, 0.3], \"rotate\": [0, 30, 10]}}",
    "{\"capsule\": {\"center\": [0, 0.1, 0], \"axis\": [1, 0, 0.3], \"radius\": 0.05, \"height\": 0.4}}",
    "{\"torus\": {\"center\": [0, 0.08, 0], \"radius\": 0.2, \"tube\": 0.05}}",
    "{\"cylinder\": {\"center\": [0, 0.05, 0], \"radius\": 0.1, \"height\": 0.2}}",
    "{\"heightfield\": {\"center\": [0, 0.05, 0], \"size\": [1.2, 1.2]}, \"heights\": {\"samples\": [4, 4], "
    "\"values\": [0, 0.08, 0, 0.05, 0.05, 0, 0.1, 0, 0, 0.06, 0.02, 0.09, 0.07, 0, 0.05, 0]}}",
};
enum { OBSTACLES = sizeof obstacles / sizeof *obstacles };

int plan_count(const plan *p)
{
    int n = 0;
    for (int b = 0; b < PLAN_BODIES; b++)
        n += p->body[b].there;
    return n;
}

/* ---- drawing ---- */

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double between(uint64_t *s, double low, double high)
{
    return low + (high - low) * (double)(next(s) >> 11) * 0x1p-53;
}

static int below(uint64_t *s, int count) { return (int)(next(s) % (uint64_t)count); }

/* One in two has the usual one; usual NULL: none is. */
static const char *any(uint64_t *s, const vvInfo *(*info)(int), const char *usual)
{
    int count = 0;
    while (info(count))
        count++;
    const char *name = info(below(s, count))->name;
    return next(s) % 2 && usual ? usual : name;
}

static void draw_methods(plan *p, uint64_t *s)
{
    p->scheme = any(s, vvSchemeInfo, "backward-euler");
    p->policy = any(s, vvPolicyInfo, NULL);
    p->solver = any(s, vvSolverInfo, "newton");
    p->contact = any(s, vvContactModelInfo, "barrier");
    p->budget = below(s, 4) == 0 ? 1 + below(s, 8) : 0;
}

/* Each stands in a cell of its own, 0.3 m wide, and at most 0.26 m across. */
static plan_body draw_body(uint64_t *s, int cell)
{
    plan_body b = { .there = true, .shape = below(s, SHAPES), .material = below(s, MATERIALS) };
    while (materials[b.material].kind != kind_of[b.shape])
        b.material = (b.material + 1) % MATERIALS;
    b.size = between(s, 0.05, 0.14);
    b.cells = 1 + below(s, 2);
    for (int k = 0; k < 3; k++) {
        b.turn[k] = between(s, -180, 180);
        b.velocity[k] = between(s, -1, 1);
        b.spin[k] = between(s, -5, 5);
    }
    const double speed = below(s, 4) == 0 ? 10 : 1;
    for (int k = 0; k < 3; k++)
        b.velocity[k] *= speed;
    b.young = (double[]){ 1e3, 1e4, 1e5, 1e6, 1e7 }[below(s, 5)];
    b.at[0] = (cell % 2 ? 0.2 : -0.2) + between(s, -0.02, 0.02);
    b.at[1] = 0.4 + 0.3 * (cell / 4);
    b.at[2] = (cell / 2 % 2 ? 0.2 : -0.2) + between(s, -0.02, 0.02);
    return b;
}

plan plan_draw(uint64_t seed, int attempt)
{
    uint64_t s = seed;
    plan p = { .seed = seed };
    p.h = 1 / (double[]){ 30, 60, 120, 240 }[below(&s, 4)];
    p.steps = 20 + below(&s, 60);
    p.friction = (double[]){ 0, 0.2, 0.5, 1 }[below(&s, 4)];
    p.gravity = below(&s, 8) ? -9.81 : 0;
    p.obstacle = below(&s, 2) ? 0 : below(&s, OBSTACLES);
    const int count = 1 + below(&s, PLAN_BODIES), first = below(&s, 8);
    for (int b = 0; b < PLAN_BODIES; b++) {
        p.body[b] = draw_body(&s, (first + b) % 8);
        p.body[b].there = b < count;
    }
    uint64_t methods = next(&s) + (uint64_t)attempt * 977;
    draw_methods(&p, &methods);
    return p;
}

/* ---- text ---- */

typedef struct out {
    char *text;
    size_t length;
} out;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
put(out *o, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    o->length += (size_t)vsnprintf(o->text + o->length, PLAN_TEXT - o->length, format, list);
    va_end(list);
}

static void put_mesh(out *o, const plan_body *b)
{
    const double a = b->size;
    const int n = b->cells;
    switch ((shape)b->shape) {
    case BOX: put(o, "{\"box\": {\"size\": [%g, %g, %g], \"cells\": [%d, %d, %d]}}", a, a, a, n, n, n); break;
    case BALL: put(o, "{\"ball\": {\"radius\": %g, \"cells\": %d}}", a / 2, n); break;
    case DIE: put(o, "{\"die\": {\"size\": %g, \"rounding\": %g, \"cells\": %d}}", a, a / 5, n + 1); break;
    case CYLINDER:
        put(o, "{\"cylinder\": {\"radius\": %g, \"height\": %g, \"cells\": [%d, %d]}}", a / 2, a, n, n);
        break;
    case TORUS:
        put(o, "{\"torus\": {\"radius\": %g, \"tube\": %g, \"cells\": [1, %d]}}", a / 2, a / 5, 6 + 2 * n);
        break;
    case CLOTH:
    case WEAVE:
        put(o, "{\"%s\": {\"size\": [%g, %g], \"cells\": [%d, %d]}}", b->shape == CLOTH ? "cloth" : "weave", 1.2 * a,
            1.2 * a, 2 + 2 * n, 2 + 2 * n);
        break;
    case DISK: put(o, "{\"disk\": {\"radius\": %g, \"cells\": %d}}", 0.6 * a, 1 + n); break;
    default: put(o, "{\"chain\": {\"length\": %g, \"nodes\": %d}}", 1.8 * a, 4 + 4 * n);
    }
}

static void put_materials(out *o, const plan *p)
{
    const char *comma = "";
    put(o, " \"materials\": {");
    for (int b = 0; b < PLAN_BODIES; b++) {
        const struct material *m = materials + p->body[b].material;
        if (!p->body[b].there)
            continue;
        put(o, "%s\n  \"m%d\": {%s", comma, b, m->first);
        if (m->young)
            put(o, ", \"young\": %g", p->body[b].young * (m->kind == SOLID ? 1 : 10));
        put(o, "}");
        if (m->second)
            put(o, ",\n  \"n%d\": {\"like\": \"m%d\", \"model\": \"%s\"}", b, b, m->second);
        comma = ",";
    }
    put(o, "},\n");
}

static void put_bodies(out *o, const plan *p)
{
    const char *comma = "";
    put(o, " \"bodies\": [");
    for (int i = 0; i < PLAN_BODIES; i++) {
        const plan_body *b = p->body + i;
        const struct material *m = materials + b->material;
        if (!b->there)
            continue;
        put(o, "%s\n  {\"name\": \"b%d\", \"material\": ", comma, i);
        put(o, m->second ? "[\"m%d\", \"n%d\"]" : "\"m%d\"", i, i);
        put(o, ", \"mesh\": ");
        put_mesh(o, b);
        put(o, ",\n   \"place\": {\"rotate\": [%.3f, %.3f, %.3f], \"translate\": [%.4f, %.4f, %.4f]}", b->turn[0],
            b->turn[1], b->turn[2], b->at[0], b->at[1], b->at[2]);
        put(o, ",\n   \"velocity\": {\"linear\": [%.4f, %.4f, %.4f], \"angular\": [%.4f, %.4f, %.4f]}", b->velocity[0],
            b->velocity[1], b->velocity[2], b->spin[0], b->spin[1], b->spin[2]);
        if (kind_of[b->shape] == LINE)
            put(o, ", \"thickness\": 0.006");
        put(o, "}");
        comma = ",";
    }
    put(o, "],\n");
}

/* A room of six walls, and what stands in it. */
static void put_obstacles(out *o, const plan *p)
{
    const double r = PLAN_ROOM;
    put(o, " \"obstacles\": [{\"plane\": {}},\n");
    put(o, "  {\"plane\": {\"point\": [0, %g, 0], \"normal\": [0, -1, 0]}},\n", PLAN_HIGH);
    for (int side = 0; side < 4; side++) {
        const int sign = side % 2 ? 1 : -1, x = side < 2 ? sign : 0, z = side < 2 ? 0 : sign;
        put(o, "  {\"plane\": {\"point\": [%g, 0, %g], \"normal\": [%d, 0, %d]}}%s", r * x, r * z, -x, -z,
            side < 3 ? ",\n" : "");
    }
    if (p->obstacle)
        put(o, ",\n  %s", obstacles[p->obstacle]);
    put(o, "]");
}

void plan_write(const plan *p, char text[PLAN_TEXT])
{
    out o = { text, 0 };
    put(&o, "{\"visviva\": 1, \"name\": \"stream-%llu\",\n", (unsigned long long)p->seed);
    put(&o, " \"time\": {\"step\": %.17g, \"end\": %.17g},\n \"gravity\": [0, %g, 0],\n", p->h, p->h * p->steps,
        p->gravity);
    put(&o, " \"integrator\": {\"scheme\": \"%s\", \"policy\": \"%s\", \"ground_energy\": \"none\"},\n", p->scheme,
        p->policy);
    put(&o, " \"solver\": {\"method\": \"%s\"", p->solver);
    if (p->budget)
        put(&o, ", \"budget\": %d", p->budget);
    put(&o, "},\n \"contact\": {\"model\": \"%s\", \"friction\": %g},\n", p->contact, p->friction);
    put_materials(&o, p);
    put_bodies(&o, p);
    put_obstacles(&o, p);
    put(&o, "}\n");
}
