/* Dragging: an attachment that the host moves, by springs or by force. It holds a point, or a few nodes as one: these
 * keep their relative positions, and each node's offset from the dragged one is kept in the attachment's anchor. */
#include "base/error.h"
#include "base/vec.h"
#include "world/attachments/drag.h"

#include <string.h>

vvDragDef vvDefaultDragDef(void)
{
    return (vvDragDef){
        .kind = VV_DRAG_SPRING, .triangle = -1, .edge = -1, .here = true, .internalValue = VV_MADE_BY_DEFAULT
    };
}

vvDragDef vvDragAtHit(const vvRayHit *hit)
{
    vvDragDef def = vvDefaultDragDef();
    if (!hit || hit->body.index1 == 0)
        return def;
    def.body = hit->body, def.vertex = hit->node;
    def.triangle = hit->triangle, def.edge = hit->edge;
    memcpy(def.weights, hit->weights, sizeof def.weights);
    return def;
}

static vv_attach *find(vvWorld *w, vvDragId id)
{
    int a = vv_ids_find(&w->attach_ids, id.index1, id.generation);
    return a >= 0 && w->attaches[a].dragged ? w->attaches + a : NULL;
}

bool vvDragIsValid(const vvWorld *w, vvDragId id) { return vv_world_readable(w) && find((vvWorld *)(uintptr_t)w, id); }

bool vvDragGetPoint(const vvWorld *w, vvDragId id, double point[3])
{
    const vv_attach *a = vv_world_readable(w) ? find((vvWorld *)(uintptr_t)w, id) : NULL;
    for (size_t k = 0; point && k < 3; k++)
        point[k] = 0;
    if (!a || !point)
        return a != NULL;
    int held = 0; /* the node whose offset is none */
    while (!a->weights && held + 1 < a->count && vv_norm(a->anchor + 3 * (size_t)held) > 0)
        held++;
    vv_attach_point(a, held, vvWorldPositions(w), point);
    return true;
}

static bool finite3(const double x[3]) { return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]); }

static vvStatus check(const vvWorld *w, const vvDragDef *def, int body, vvError *error)
{
    const vv_body *b = w->bodies + body;
    if (b->kinematic)
        return vv_fail(error, VV_ERROR_INPUT,
                       "drag: body \"%s\" is kinematic: its motion places it; vvAttachMoveTo moves "
                       "its vvBodyAttachment",
                       b->name);
    if (def->triangle < 0 && def->edge < 0 && (def->vertex < 0 || def->vertex >= b->vertex_count))
        return vv_fail(error, VV_ERROR_INPUT, "drag: vertex %d; body \"%s\" has vertices 0 to %d", def->vertex, b->name,
                       b->vertex_count - 1);
    if (def->kind != VV_DRAG_SPRING && def->kind != VV_DRAG_PRESCRIBED)
        return vv_fail(error, VV_ERROR_INPUT, "drag: kind %d is neither VV_DRAG_SPRING nor VV_DRAG_PRESCRIBED",
                       (int)def->kind);
    if (!(def->radius >= 0 && isfinite(def->radius)))
        return vv_fail(error, VV_ERROR_INPUT, "drag: radius is %g m; it must be 0 or more, and finite", def->radius);
    if (!(def->stiffness >= 0 && isfinite(def->stiffness)))
        return vv_fail(error, VV_ERROR_INPUT, "drag: stiffness is %g N/m; it must be 0 (chosen) or more, and finite",
                       def->stiffness);
    if (!def->here && !finite3(def->target))
        return vv_fail(error, VV_ERROR_INPUT, "drag: target is (%g, %g, %g); it must be finite", def->target[0],
                       def->target[1], def->target[2]);
    return VV_OK;
}

/* What holds a point within an element. */
static vvStatus check_point(const vvDragDef *def, const vv_held *held, vvError *error)
{
    if (held->count > 1 && def->kind == VV_DRAG_PRESCRIBED)
        return vv_fail(error, VV_ERROR_INPUT,
                       "drag: a point between vertices cannot be moved by force (VV_DRAG_PRESCRIBED), only by a spring "
                       "(VV_DRAG_SPRING); or drag a vertex, with triangle and edge -1");
    if (held->count > 1 && def->radius > 0)
        return vv_fail(error, VV_ERROR_INPUT,
                       "drag: radius is %g m, but a point between vertices is held alone: it must be 0; or drag a "
                       "vertex, with triangle and "
                       "edge -1",
                       def->radius);
    return VV_OK;
}

/* The nodes of a point, or the dragged vertex and the body's vertices within the radius of it, at their present
 * positions, that can be moved; fits count of the body. */
static int collect(const vvWorld *w, const vvDragDef *def, const vv_held *held, const vv_body *b, int *list)
{
    const double *x = vvWorldPositions(w) + 3 * (size_t)b->first, *at = x + 3 * (size_t)held->node[0];
    int count = 0;
    if (held->count > 1) {
        memcpy(list, held->node, (size_t)held->count * sizeof *list);
        return held->count;
    }
    for (int i = 0; i < b->vertex_count; i++) {
        double d[3];
        vv_sub(x + 3 * (size_t)i, at, d);
        bool taken = def->kind == VV_DRAG_PRESCRIBED && w->fixed[b->first + i];
        if (!taken && (i == held->node[0] || vv_norm(d) <= def->radius))
            list[count++] = i;
    }
    return count;
}

/* Chosen so that the body's weight (in gravity, or as on Earth without it) stretches the springs by a tenth of the
 * body's diagonal. */
static double chosen_stiffness(const vvWorld *w, const vv_body *b)
{
    double lo[3], hi[3], d[3], mass = 0;
    for (int i = b->first; i < b->first + b->count; i++)
        mass += w->mass[i];
    vv_body_bounds(w, (int)(b - w->bodies), w->rest, lo, hi);
    vv_sub(hi, lo, d);
    double g = vv_norm(w->def.gravity), size = vv_norm(d);
    return 10 * mass * (g > 0 ? g : 9.8) / (size > 0 ? size : 1);
}

static vvStatus grip(vvWorld *w, vvBodyId id, const vvDragDef *def, int body, const vv_held *held, vvDragId *drag,
                     vvError *error)
{
    vvAttachDef attach = vvDefaultAttachDef();
    vvAttachId made;
    int *list = vv_alloc((size_t)w->bodies[body].count, sizeof *list);
    double *weights = held->count > 1 ? vv_alloc_copy(held->weight, (size_t)held->count, sizeof *weights) : NULL;
    vvStatus status = list && (weights || held->count == 1) ? VV_OK : vv_fail_memory(error, "a drag");
    if (status == VV_OK) {
        const int count = collect(w, def, held, w->bodies + body, list);
        attach.where = (vvRegion){ .kind = VV_REGION_VERTICES, .list = list, .listCount = count };
        attach.kind = def->kind == VV_DRAG_SPRING ? VV_ATTACH_SPRING : VV_ATTACH_FIXED;
        attach.stiffness =
            (def->stiffness > 0 ? def->stiffness : chosen_stiffness(w, w->bodies + body)) / (weights ? 1 : count);
        status = vv_world_attach(w, id, &attach, true, &made, error);
    }
    vv_free(list);
    if (status != VV_OK) {
        vv_free(weights);
        return status;
    }
    vv_attach *a = w->attaches + w->attach_count - 1;
    a->weights = weights;
    *drag = (vvDragId){ made.index1, made.generation };
    const double *x = vvWorldPositions(w);
    double at[3];
    if (weights)
        vv_attach_point(a, 0, x, at);
    else
        memcpy(at, x + 3 * (size_t)(w->bodies[body].first + held->node[0]), sizeof at);
    for (int i = 0; i < vv_attach_places(a); i++) {
        const size_t k = 3 * (size_t)i;
        double p[3];
        vv_attach_point(a, i, x, p);
        vv_sub(p, at, a->anchor + k);
        memcpy(a->from + k, p, sizeof p);
        for (size_t c = 0; c < 3; c++)
            a->to[k + c] = def->here ? p[c] : def->target[c] + a->anchor[k + c];
    }
    a->driven = true;
    return VV_OK;
}

static vvStatus start(vvWorld *w, const vvDragDef *def, vvDragId *drag, vvError *error)
{
    if (!def || !drag)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvWorldStartDrag needs a definition and a pointer for the id, found NULL");
    *drag = (vvDragId){ 0, 0 };
    int body = vv_body_index(w, def->body);
    vv_held held;
    if (body < 0)
        return vv_fail(error, VV_ERROR_INPUT, "drag: no such body");
    vvStatus status = vv_check_made(def->internalValue, "vvDragDef", "vvWorldStartDrag: the definition", error);
    if (status == VV_OK)
        status = vv_world_bake(w, error); /* the ground level is that of the world without the drag */
    if (status == VV_OK)
        status = check(w, def, body, error);
    if (status == VV_OK)
        status = vv_drag_hold(w, def, body, &held, error);
    if (status == VV_OK)
        status = check_point(def, &held, error);
    if (status == VV_OK && def->kind == VV_DRAG_PRESCRIBED && w->fixed[w->bodies[body].first + held.node[0]])
        status = vv_fail(error, VV_ERROR_INPUT,
                         "drag: vertex %d of body \"%s\" is held by an attachment or another drag; it cannot "
                         "be moved by force too",
                         held.node[0], w->bodies[body].name);
    return status == VV_OK ? grip(w, def->body, def, body, &held, drag, error) : status;
}

vvStatus vvWorldStartDrag(vvWorld *w, const vvDragDef *def, vvDragId *drag, vvError *error)
{
    VV_WORLD_CALL(w, error, start(w, def, drag, error));
}

static vvStatus move(vvWorld *w, vvDragId id, const double target[3], vvError *error)
{
    vv_attach *a = find(w, id);
    if (!a)
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldMoveDrag: no such drag; it ended, or its body was removed");
    if (!target || !finite3(target))
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldMoveDrag: the target must be three finite numbers");
    vvStatus status = vv_world_open(w, "move a drag", error);
    for (size_t i = 0; status == VV_OK && i < 3 * (size_t)vv_attach_places(a); i++)
        a->to[i] = target[i % 3] + a->anchor[i];
    if (status == VV_OK)
        vv_attach_target_moved(w, a);
    return status;
}

vvStatus vvWorldMoveDrag(vvWorld *w, vvDragId id, const double target[3], vvError *error)
{
    VV_WORLD_CALL(w, error, move(w, id, target, error));
}

static vvStatus end(vvWorld *w, vvDragId id, vvError *error)
{
    if (!find(w, id))
        return vv_fail(error, VV_ERROR_INPUT, "vvWorldEndDrag: no such drag; it ended, or its body was removed");
    vvStatus status = vv_world_open(w, "end a drag", error);
    if (status == VV_OK)
        vv_attach_end(w, vv_ids_find(&w->attach_ids, id.index1, id.generation));
    return status;
}

vvStatus vvWorldEndDrag(vvWorld *w, vvDragId id, vvError *error) { VV_WORLD_CALL(w, error, end(w, id, error)); }
