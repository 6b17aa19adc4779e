/* The state as one block of bytes, for snapshots and saved states. */
#include "world/joints/joints.h"
#include "world/sleep/sleep.h"

#include <string.h>

typedef enum pass { SIZE, SAVE, LOAD } pass;

typedef struct walk {
    pass pass;
    char *at;
    size_t bytes;
} walk;

/* One piece of the state, in place. */
static void visit(walk *k, void *piece, size_t bytes)
{
    if (k->pass == SAVE && bytes)
        memcpy(k->at, piece, bytes);
    else if (k->pass == LOAD && bytes)
        memcpy(piece, k->at, bytes);
    k->at += k->pass == SIZE ? 0 : bytes;
    k->bytes += bytes;
}

static void visit_piece(void *user, void *piece, size_t bytes) { visit(user, piece, bytes); }

/* All but the attachments and the memories of the policy and the solvers. */
static void visit_core(walk *k, vvWorld *w)
{
    vv_state_visit(&w->state, (size_t)w->nodes, w->body_count, visit_piece, k);
    visit(k, w->placed, 3 * (size_t)w->nodes * sizeof *w->placed);
    visit(k, &w->random, sizeof w->random);
    visit(k, &w->started, sizeof w->started);
    visit(k, &w->settled, sizeof w->settled);
    visit(k, &w->unbooked, sizeof w->unbooked);
    visit(k, &w->lengths, sizeof w->lengths);
    visit(k, &w->stiffness, sizeof w->stiffness);
    visit(k, &w->stiffening, sizeof w->stiffening);
    visit(k, &w->ground, sizeof w->ground);
    visit(k, &w->limits, sizeof w->limits);
    visit(k, &w->unbalanced, sizeof w->unbalanced);
    visit(k, &w->gains, sizeof w->gains);
    visit(k, &w->losses, sizeof w->losses);
    visit(k, &w->swings, sizeof w->swings);
    for (size_t b = 0; b < w->body_count; b++) {
        visit(k, &w->bodies[b].stage, sizeof w->bodies[b].stage);
        visit(k, &w->bodies[b].stay, sizeof w->bodies[b].stay);
        visit(k, &w->bodies[b].stiffness_part, sizeof w->bodies[b].stiffness_part);
        visit(k, &w->bodies[b].gravity_start, sizeof w->bodies[b].gravity_start);
        visit(k, w->bodies[b].held, vv_body_label_count(w->bodies + b) * sizeof *w->bodies[b].held);
        visit(k, w->bodies[b].stick, 3 * vv_body_label_count(w->bodies + b) * sizeof *w->bodies[b].stick);
    }
}

static void visit_policy(walk *k, vvWorld *w)
{
    vv_policy_memory_visit(&w->state.policy, w->body_count, visit_piece, k);
}

/* Whether the solvers have learned something, and space for it in either case. When loading, the world must have the
 * space already. */
static void visit_solvers(walk *k, vvWorld *w)
{
    vv_solver_memory *m = &w->memory;
    const vv_learned learned = vv_world_learned(w, w->nodes);
    size_t size = learned.size;
    int64_t valid = m->valid && m->size == size && strcmp(m->name, learned.name) == 0;
    visit(k, &valid, sizeof valid);
    if (k->pass == LOAD) {
        m->valid = valid != 0;
        m->size = size;
        memcpy(m->name, learned.name, sizeof m->name);
    }
    if (valid || k->pass == SIZE) {
        visit(k, m->data, size);
        return;
    }
    if (k->pass == SAVE)
        memset(k->at, 0, size);
    k->at += size;
    k->bytes += size;
}

static void visit_attachments(walk *k, vvWorld *w)
{
    for (size_t a = 0; a < w->attach_count; a++) {
        visit(k, &w->attaches[a].driven, sizeof w->attaches[a].driven);
        if (vv_attach_loads(w->attaches + a))
            visit(k, &w->attaches[a].load.work, sizeof w->attaches[a].load.work);
        visit(k, w->attaches[a].from, 6 * (size_t)w->attaches[a].count * sizeof(double)); /* `to` follows it */
    }
}

static void visit_joints(walk *k, vvWorld *w)
{
    for (size_t j = 0; j < w->joint_count; j++) {
        vv_joint_state *own = &w->joints[j].state, before = *own;
        visit(k, own, sizeof *own);
        if (k->pass != LOAD || (own->given[0] == before.given[0] && own->given[1] == before.given[1]))
            continue;
        own->speed = before.given[0], own->most = before.given[1]; /* the scene has another motor now */
        memcpy(own->given, before.given, sizeof own->given);
        own->target = NAN;
    }
}

static void visit_obstacles(walk *k, vvWorld *w)
{
    for (size_t o = 0; o < w->obstacle_count; o++)
        visit(k, &w->obstacles[o].since, sizeof w->obstacles[o].since);
}

static void (*const visits[])(walk *, vvWorld *) = {
    [VV_PART_CORE] = visit_core,       [VV_PART_POLICY] = visit_policy,
    [VV_PART_SOLVERS] = visit_solvers, [VV_PART_ATTACHMENTS] = visit_attachments,
    [VV_PART_JOINTS] = visit_joints,   [VV_PART_OBSTACLES] = visit_obstacles
};

static void visit_state(walk *k, vvWorld *w)
{
    for (size_t i = 0; i < sizeof visits / sizeof *visits; i++)
        visits[i](k, w);
}

size_t vv_state_part_size(const vvWorld *w, vv_state_part part)
{
    walk k = { .pass = SIZE };
    visits[part](&k, (vvWorld *)(uintptr_t)w); /* only counts bytes */
    return k.bytes;
}

void vv_state_part_load(vvWorld *w, vv_state_part part, const void *from)
{
    visits[part](&(walk){ .pass = LOAD, .at = (char *)(uintptr_t)from }, w);
}

size_t vv_state_size(const vvWorld *w)
{
    walk k = { .pass = SIZE };
    visit_state(&k, (vvWorld *)(uintptr_t)w);
    return k.bytes;
}

void vv_state_save(vvWorld *w, void *to)
{
    walk k = { .pass = SAVE, .at = to };
    vv_world_keep_memory(w);
    visit_state(&k, w);
}

void vv_state_load(vvWorld *w, const void *from)
{
    walk k = { .pass = LOAD, .at = (char *)(uintptr_t)from };
    visit_state(&k, w);
    w->moved++;
    w->sleep.waits = false;
    vv_world_recall_stiffness(w);
    vv_events_reload(w);
    if (!w->started || w->unbooked ||
        vv_sleep_differs(w)) { /* saved before a change was booked: the change must be booked again */
        w->baked = false;      /* so that what was learned since is not kept */
        vv_world_unbake(w);
    }
    if (!w->baked)
        return;
    w->stale |= vv_world_places_differ(w) ? VV_STALE_CONTACT : 0;
    w->learned = false;
    if (!(w->stale & (VV_STALE_STEPPER | VV_STALE_THREADS))) /* else by the one to come */
        vv_world_recall_memory(w);
    vv_stepper_forget(w->stepper);
    vv_world_place_repulsion(w);
    vv_world_place_springs(w, vv_world_time(w));
    vv_world_place_joints(w);
}
