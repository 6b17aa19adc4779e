/* Hashes of a world's structure: they identify a structure, in this world or another (FNV-1a, 64 bits, over
 * words). */
#include "world/bodies/regions.h"
#include "world/settings/members.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t word) { return (hash ^ word) * 1099511628211u; }

static uint64_t mix_int(uint64_t hash, int64_t value) { return mix(hash, (uint64_t)value); }

static uint64_t mix_numbers(uint64_t hash, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        double value = values[i] + 0; /* no -0 */
        memcpy(&word, &value, sizeof word);
        hash = mix(hash, word);
    }
    return hash;
}

static uint64_t mix_number(uint64_t hash, double value) { return mix_numbers(hash, &value, 1); }

static uint64_t mix_list(uint64_t hash, const int *list, int count, int from)
{
    hash = mix_int(hash, count);
    for (int i = 0; i < count; i++)
        hash = mix_int(hash, list[i] - from);
    return hash;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = mix(hash, (unsigned char)*text);
    return mix(hash, 0);
}

/* FNV carries low bits into the upper ones, but not the reverse. */
static uint64_t finish(uint64_t hash)
{
    hash ^= hash >> 32;
    return hash ? hash : 1;
}

enum { EMPTY = 0x5eed };

static uint64_t mix_topology(uint64_t hash, const vvWorld *w)
{
    for (size_t i = 0; i < w->body_count; i++) {
        const vv_body *b = w->bodies + i;
        hash = mix_int(hash, b->count);
        if (b->vertex_count < b->count) /* hashes of worlds without directors stay as they were */
            hash = mix_int(hash, b->vertex_count);
        hash = mix_list(hash, b->tets, 4 * b->tet_count, b->first);
        hash = mix_list(hash, b->triangles, 3 * b->triangle_count, b->first);
        hash = mix_list(hash, b->edges, 2 * b->edge_count, b->first);
        if (b->tet10_count) /* hashes of worlds of order 1 stay as they were */
            hash = mix_list(hash, b->tets10, 10 * b->tet10_count, b->first);
        if (b->regions.of) /* likewise */
            hash = mix_list(hash, b->regions.of, vv_body_tets(b), 0);
        if (b->point_count) /* hashes of worlds without points stay as they were */
            hash = mix_list(hash, b->points, b->point_count, b->first);
        if (b->bend_count) /* likewise */
            hash = mix_list(hash, b->bends, 2 * b->bend_count, b->first);
    }
    return hash;
}

static uint64_t mix_attachments(uint64_t hash, const vvWorld *w, bool drags)
{
    for (size_t i = 0; i < w->attach_count; i++) {
        if (w->attaches[i].dragged && !drags)
            continue;
        hash = mix_int(hash, w->attaches[i].kind);
        if (w->attaches[i].ways) /* hashes of worlds without rollers stay as they were */
            hash = mix_numbers(hash, w->attaches[i].way[0], 3 * (size_t)w->attaches[i].ways);
        hash = mix_list(hash, w->attaches[i].nodes, w->attaches[i].count, 0);
        if (w->attaches[i].weights) /* hashes of worlds without stay as they were */
            hash = mix_numbers(hash, w->attaches[i].weights, (size_t)w->attaches[i].count);
    }
    return hash;
}

uint64_t vv_topology_hash(const vvWorld *w) { return finish(mix_topology(EMPTY, w)); }

uint64_t vv_attachments_hash(const vvWorld *w) { return finish(mix_attachments(EMPTY, w, true)); }

/* With which of them are broken, and their motors. */
static uint64_t mix_joints(uint64_t hash, const vvWorld *w)
{
    for (size_t j = 0; j < w->joint_count; j++) {
        const vv_joint *joint = w->joints + j;
        hash = mix_text(mix_list(hash, joint->body, 2, 0), joint->kind->info.name);
        hash = mix_int(mix_numbers(hash, (double[]){ joint->break_force, joint->break_torque }, 2), joint->collide);
        for (int i = 0; i < joint->link_count; i++) {
            const vv_link *l = joint->link + i;
            hash = mix_list(mix_list(hash, l->node, l->nodes, 0), &l->first, 1, 0);
            for (int v = 0; v < vv_link_vectors(l->form); v++)
                hash = mix_numbers(mix_numbers(hash, l->weight[v], (size_t)l->nodes), l->offset[v], 3);
            hash = mix_numbers(hash, (double[]){ l->stiffness, l->low, l->high }, 3);
        }
        hash = /* a motor's target moves, and no equilibrium has one */
            mix_number(mix_int(hash, joint->state.broken != 0), joint->state.most);
    }
    return hash;
}

/* Which joints these are. How stiff they are, their motors and when they break may differ: what has become of one,
 * broken or how far its motor has come, is still its own. */
uint64_t vv_joints_hash(const vvWorld *w)
{
    uint64_t hash = EMPTY;
    for (size_t j = 0; j < w->joint_count; j++)
        hash = mix_text(mix_list(hash, w->joints[j].body, 2, 0), w->joints[j].kind->info.name);
    return finish(hash);
}

static uint64_t mix_motion(uint64_t hash, const vvMotionDef *m)
{
    hash = mix_numbers(hash, m->about, 3);
    hash = mix_numbers(hash, m->axis, 3);
    hash = mix_numbers(hash, m->linearVelocity, 3);
    hash = mix_numbers(hash, (double[]){ m->angularVelocity, m->startTime, m->endTime }, 3);
    for (int i = 0; i < m->waypointCount; i++) {
        hash = mix_number(hash, m->waypoints[i].time);
        hash = mix_numbers(hash, m->waypoints[i].offset, 3);
        hash = mix_numbers(hash, m->waypoints[i].turn, 3);
    }
    return m->smooth ? mix_number(hash, 1) : hash;
}

static uint64_t mix_materials(uint64_t hash, const vv_body *b)
{
    const vv_material none = { .def.model = "" }; /* of a kinematic body */
    if (b->material_count > 1)                    /* hashes of worlds without further materials stay as they were */
        hash = mix_int(hash, b->material_count);
    for (int i = 0; i == 0 || i < b->material_count; i++) {
        const vv_material *m = b->material_count ? b->materials + i : &none;
        hash = mix_text(hash, m->def.model);
        hash = mix_numbers(hash, (double[]){ m->mu, m->lambda, m->def.springStiffness, m->def.bendStiffness }, 4);
        if (m->kind && m->kind->mean) /* likewise */
            hash = mix_int(hash, 1);
        if (m->kind && m->kind->rule)
            hash = mix_int(hash, m->kind->rule + 1);
        if (m->kind && m->kind->thick)
            hash = mix_numbers(hash,
                               (double[]){ m->def.strainLimit, m->def.thickness > 0 ? m->def.thickness : b->thickness,
                                           m->def.flat, m->def.restTwist, m->def.prestrain },
                               5);
    }
    for (int i = 0; i < 2; i++) { /* hashes of worlds without stay as they were */
        const double *numbers = i ? b->triangle_stiffness : b->triangle_thickness;
        if (numbers)
            hash = mix_numbers(mix_int(hash, i), numbers, (size_t)b->triangle_count);
    }
    return hash;
}

static uint64_t mix_skin(uint64_t hash, const vv_skin *s)
{
    hash = mix_list(hash, s->triangles, 3 * s->triangle_count, 0);
    hash = mix_list(hash, s->nodes, 4 * s->vertex_count, 0);
    return mix_numbers(hash, s->weights, 4 * (size_t)s->vertex_count);
}

/* The settings on which the static equilibrium depends; those of contact as far as the model reads them. */
static uint64_t mix_members(uint64_t hash, const vv_members *members, const void *def, const char *model)
{
    for (int i = 0; i < members->count; i++) {
        const vv_member *f = members->row + i;
        const vv_member_class kind = vv_member_kind(f);
        if (!f->ground || (*model && !vv_member_is_of_model(f, model)))
            continue;
        if (kind == VV_MEMBER_NAME)
            hash = mix_text(hash, *vv_member_name(f, def));
        else if (kind == VV_MEMBER_VECTOR)
            hash = mix_numbers(hash, vv_member_vector(f, def), 3);
        else if (kind == VV_MEMBER_NUMBER)
            hash = mix_number(hash, vv_member_number(f, def));
    }
    return hash;
}

/* Where contact acts nearer than elsewhere, as bodies begin there with less of a gap. */
static uint64_t mix_gaps(uint64_t hash, const vvWorld *w)
{
    const vv_contact *c = w->contact;
    for (size_t i = 0; c && c->def.follow && i < c->surface.gap_count; i++)
        hash = mix_number(mix_int(mix_int(hash, c->surface.gaps[i].a), c->surface.gaps[i].b), c->surface.gaps[i].gap);
    return c && c->obstacle_distance && c->obstacle_gap
               ? mix_numbers(hash, c->obstacle_gap, w->body_count * w->obstacle_count)
               : hash;
}

uint64_t vv_structure_hash(const vvWorld *w)
{
    uint64_t hash = mix_attachments(mix_topology(EMPTY, w), w, false);
    for (size_t i = 0; i < w->body_count; i++) {
        const vv_body *b = w->bodies + i;
        hash = mix_materials(hash, b);
        for (int h = 0; b->hinge_angles && h < b->hinge_count; h++) /* likewise */
            hash = isnan(b->hinge_angles[h]) ? mix_int(hash, -1) : mix_number(hash, b->hinge_angles[h]);
        if (b->solid_volume > 0) /* likewise */
            hash = mix_number(hash, b->solid_volume);
        hash = mix_number(mix_int(mix_int(hash, b->kinematic), b->self_contact), b->thickness);
        hash = mix(mix(mix_int(hash, b->filter.group), b->filter.category), b->filter.mask);
        if (b->surface_collides) /* hashes of worlds without stay as they were */
            hash = mix_skin(hash, &b->skin);
    }
    hash = mix_numbers(hash, w->rest, 3 * (size_t)w->nodes);
    hash = mix_numbers(hash, w->mass, (size_t)w->nodes);
    for (size_t i = 0; i < w->obstacle_count; i++) {
        const vv_obstacle *o = w->obstacles + i;
        hash = mix_text(hash, o->ops->type.info.name);
        hash = mix_numbers(hash, o->values, (size_t)vv_obstacle_value_count(o->ops));
        if (o->field) {
            hash = mix_list(hash, o->field->counts, o->ops->field->dimensions, 0);
            hash = mix_numbers(hash, o->field->samples, vv_field_count(o->field));
        }
        hash = mix(mix(mix_int(hash, o->filter.group), o->filter.category), o->filter.mask);
        if (o->body1 > 0) /* hashes of worlds without stay as they were */
            hash = mix_int(hash, o->body1);
    }
    for (size_t i = 0; i < w->attach_count; i++) {
        const vv_attach *a = w->attaches + i;
        if (a->dragged)
            continue;
        hash = mix_number(hash, a->stiffness);
        if (a->kind == VV_ATTACH_PUSH) /* hashes of worlds without stay as they were */
            hash = mix_numbers(hash, a->acceleration, 3);
        if (vv_attach_loads(a) && a->kind != VV_ATTACH_PUSH)
            hash = mix_int(mix_number(mix_numbers(hash, a->load.vector, 3), a->load.pressure), a->load.follows);
        for (int k = 0; k < a->load.key_count; k++)
            hash = mix_numbers(mix_int(hash, a->load.smooth), (double[]){ a->load.keys[k].time, a->load.keys[k].value },
                               2);
        if (isfinite(a->release))
            hash = mix_int(mix_number(hash, a->release), a->released);
        if (a->kind == VV_ATTACH_POTENTIAL)
            hash = mix_numbers(mix_text(hash, vv_potential_name(&a->potential)), a->potential.values,
                               (size_t)vv_potential_value_count(&a->potential));
        hash = mix_numbers(hash, a->anchor, 3 * (size_t)a->count);
        hash = mix_motion(hash, &a->motion);
        hash = mix_numbers(hash, a->shape_times, (size_t)a->shape_count); /* nothing where there are none */
        hash = mix_numbers(hash, a->shapes, 3 * (size_t)a->shape_count * (size_t)a->count);
    }
    hash = mix_gaps(mix_joints(hash, w), w);
    vvContactDef contact = w->def.contact;
    contact.stiffness = vv_world_stiffness(w);
    hash = mix_members(hash, &vv_world_members, &w->def, "");
    return finish(mix_members(hash, &vv_contact_members, &contact, contact.model));
}

uint64_t vv_bytes_hash(const void *bytes, size_t size)
{
    const char *p = bytes;
    uint64_t hash = EMPTY, word = 0;
    for (; size >= sizeof word; p += sizeof word, size -= sizeof word) {
        memcpy(&word, p, sizeof word);
        hash = mix(hash, word);
        hash ^= hash >> 32; /* else the upper bits of a word would affect few bits of the hash */
    }
    word = 0;
    if (size)
        memcpy(&word, p, size);
    return finish(mix(hash, word));
}
