/* Definitions, creation and destruction of a world. */
#include "base/error.h"
#include "base/text/range.h"
#include "base/vec.h"
#include "step/policies/policy.h"
#include "world/settings/members.h"
#include "world/settings/settings.h"
#include "world/queries/trees.h"
#include "world/sleep/sleep.h"

#include <stdio.h>
#include <string.h>

vvWorldDef vvDefaultWorldDef(void)
{
    vvWorldDef def = { .internalValue = VV_MADE_BY_DEFAULT };
    for (int i = 0; i < VV_DEF_PARTS; i++)
        vv_members_default(vv_def_parts[i].members, (char *)&def + vv_def_parts[i].at);
    return def;
}

static vvStatus check_host(const vvHost *host, vvError *error)
{
    vvStatus status = vv_memory_check(&host->allocator, error);
    if (status == VV_OK && host->tasks.run)
        status = vv_range_check(&(vv_range){ 1, 1024, .integer = true, .unit = "" }, host->tasks.workers,
                                "host.tasks.workers", error);
    return status;
}

/* The threads that run the world's loops: the host's, or a pool. */
static bool start_threads(vvWorld *world)
{
    const vvWorldDef *d = &world->def;
    world->par.tasks = d->host.tasks;
    world->par.stop = &world->stop;
    if (d->host.tasks.run) {
        world->par.threads = d->host.tasks.workers;
        return true;
    }
    return vv_parallel_start(&world->par, d->threads > 0 ? d->threads : vv_core_count());
}

static vvStatus create(const vvWorldDef *def, vvWorld **out, vvError *error)
{
    vvWorld *world = vv_alloc(1, sizeof *world);
    vv_setting_note *notes = vv_alloc(VV_SETTING_NOTES, sizeof *notes);
    vv_kept_def kept;
    bool ok = vv_def_keep(def, &kept) && notes;
    if (world)
        world->def = *def;
    const vv_policy_ops *policy = vv_policy_find(def->integrator.policy);
    if (!world || !ok || !vv_policy_memory_make(policy->memory, policy->body_memory, 0, &world->state.policy) ||
        !start_threads(world)) {
        if (world)
            vv_state_free(&world->state);
        vv_free(world);
        vv_free(notes);
        vv_def_release(&kept);
        return vv_fail_memory(error, "a world");
    }
    world->allocator = vv_memory_in_use();
    vv_world_take_def(world, &kept);
    world->notes = notes;
    world->state.clock.time_base = def->startTime;
    world->random = def->seed;
    *out = world;
    return VV_OK;
}

vvStatus vvWorldCreate(const vvWorldDef *def, vvWorld **out, vvError *error)
{
    vv_error_clear(error);
    if (!def || !out)
        return vv_fail(error, VV_ERROR_INPUT,
                       "vvWorldCreate needs a definition and a pointer for the world, found NULL");
    *out = NULL;
    vvWorldDef d = *def;
    vvStatus status = vv_check_made(d.internalValue, "vvWorldDef", "vvWorldCreate: the definition", error);
    if (status == VV_OK)
        status = vv_members_check(&vv_world_members, &d, error);
    if (status == VV_OK)
        status = vv_check_threads(d.threads, error);
    if (status == VV_OK)
        status = check_host(&d.host, error);
    if (status == VV_OK)
        status = vv_def_check_integrator(&d.integrator, error);
    if (status == VV_OK)
        status = vv_members_check(&vv_solver_members, &d.solver, error);
    if (status == VV_OK)
        status = vv_members_check(&vv_contact_members, &d.contact, error);
    if (status != VV_OK)
        return status;
    vvAllocator outer = vv_memory_use(d.host.allocator.allocate ? d.host.allocator : vv_memory_in_use());
    status = create(&d, out, error);
    vv_memory_use(outer);
    return status;
}

void vvWorldDestroy(vvWorld *world)
{
    if (!vv_world_idle(world))
        return;
    vv_world_unbake(world);
    vv_events_free(world);
    for (size_t i = 0; i < world->body_count; i++)
        vv_body_free(world->bodies + i);
    for (size_t i = 0; i < world->attach_count; i++)
        vv_attach_free(world->attaches + i);
    for (size_t i = 0; i < world->obstacle_count; i++)
        vv_field_release(world->obstacles[i].field);
    vv_frozen_release(world->frozen);
    vv_names_free(&world->names);
    vv_ids_free(&world->body_ids);
    vv_ids_free(&world->obstacle_ids);
    vv_ids_free(&world->attach_ids);
    vv_ids_free(&world->joint_ids);
    vv_nodes_free(world);
    vv_costs_free(world);
    vv_state_free(&world->state);
    vv_free(world->memory.data);
    vv_forest_store_free(&world->kept);
    vv_free(world->edit);
    vv_sleep_free(world);
    vv_free(world->bodies);
    vv_free(world->attaches);
    vv_free(world->obstacles);
    vv_free(world->joints);
    vv_free(world->modes);
    vv_free(world->frictions);
    vv_free(world->keys);
    vv_free(world->settings);
    vv_free(world->made.data);
    vv_free(world->notes);
    vv_pool_destroy(world->par.pool);
    vv_free(world);
}

const vvWorldDef *vvWorldGetDef(const vvWorld *world) { return vv_world_readable(world) ? &world->def : NULL; }
