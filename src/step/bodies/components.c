/* Which nodes the elastic energies hold together. */
#include "step/bodies/components.h"

#include "base/error.h"
#include "base/groups.h"
#include "base/memory.h"

void vv_components_free(vv_components *p)
{
    vv_free(p->component);
    vv_free(p->node);
    vv_free(p->of);
    *p = (vv_components){ 0 };
}

/* of[node] = the lowest node that it is joined to; prescribed nodes too. */
static vvStatus join(const vv_system *s, int *of, vvError *error)
{
    vv_pattern pattern = { .n = s->nodes };
    for (int i = 0; i < s->nodes; i++)
        of[i] = i; /* also the numbering that the energies are asked for their couplings in */
    int *self = vv_alloc((size_t)s->nodes, sizeof *self);
    for (int i = 0; self && i < s->nodes; i++)
        self[i] = i;
    for (int i = 0; self && i < s->energies; i++)
        if (s->energy[i]->ops->row != VV_ROW_CONTACT)
            vv_energy_holds(s->energy[i], self, &pattern);
    for (size_t i = 0; i < pattern.count; i++)
        vv_groups_join(of, pattern.couplings[i][0], pattern.couplings[i][1]);
    vvStatus status = self && !pattern.failed ? VV_OK : vv_fail_memory(error, "what holds together");
    vv_pattern_free(&pattern);
    vv_free(self);
    return status;
}

/* Numbers the groups that have a free node; of[node] becomes the component. */
static void number(const vv_system *s, vv_components *p, int *number_of)
{
    for (int i = 0; i < s->nodes; i++)
        number_of[i] = -1;
    for (int i = 0; i < s->nodes; i++) {
        int lowest = vv_groups_find(p->of, i);
        if (s->unknown[i] >= 0 && number_of[lowest] < 0)
            number_of[lowest] = p->count++;
    }
    for (int i = s->nodes - 1; i >= 0; i--) /* a group's lowest node is read by all others: it comes last */
        p->of[i] = number_of[vv_groups_find(p->of, i)];
}

static void list(const vv_system *s, vv_components *p)
{
    for (int i = 0; i < s->nodes; i++)
        if (p->of[i] >= 0) {
            p->component[p->of[i]].end++; /* how many, for now */
            p->component[p->of[i]].fixed =
                p->component[p->of[i]].fixed || s->unknown[i] < 0 || vv_rail_of(s->rails, (size_t)i);
        }
    for (int k = 0, at = 0; k < p->count; k++) {
        p->component[k].begin = at;
        at += p->component[k].end;
        p->component[k].end = p->component[k].begin;
        p->component[k].lead = -1;
    }
    for (int i = 0; i < s->nodes; i++) {
        if (p->of[i] < 0)
            continue;
        vv_component *c = p->component + p->of[i];
        p->node[c->end++] = i;
        if (c->lead < 0 && s->unknown[i] >= 0)
            c->lead = i;
    }
}

vvStatus vv_components_find(const vv_system *s, vv_components *p, vvError *error)
{
    size_t n = (size_t)s->nodes;
    *p = (vv_components){ .of = vv_alloc(n, sizeof *p->of), .node = vv_alloc(n, sizeof *p->node) };
    if (!p->of || !p->node) {
        vv_components_free(p);
        return vv_fail_memory(error, "what holds together");
    }
    vvStatus status = join(s, p->of, error);
    if (status == VV_OK) {
        number(s, p, p->node);
        p->component = vv_alloc((size_t)p->count, sizeof *p->component);
        if (p->component)
            list(s, p);
        else
            status = vv_fail_memory(error, "what holds together");
    }
    if (status != VV_OK)
        vv_components_free(p);
    return status;
}
