/* The candidate list: kept while motions stay within its margin; else what bodies that left theirs have in it is
 * searched for anew. */
#include "contact/broad/patches.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

vvStatus vv_candidates_create(const vv_surface *surface, double activation, vv_candidates *candidates, vvError *error)
{
    *candidates = (vv_candidates){ 0 };
    return vv_broad_create(surface, activation, &candidates->broad, error);
}

void vv_candidates_free(vv_candidates *candidates)
{
    vv_broad_free(candidates->broad);
    vv_free(candidates->list);
    vv_free(candidates->plane);
    *candidates = (vv_candidates){ 0 };
}

void vv_candidates_forget(vv_candidates *candidates)
{
    memset(candidates->start, 0, sizeof candidates->start);
    candidates->broad->good = false;
}

/* A wide margin makes the list long and every user of it slow; a narrow one is soon exceeded. A list that serves a few
 * motions costs about as much to build as to use. Where the motions leave the widest margin behind, width is of no
 * use. */
enum { FEW = 4, MANY = 16 };
enum { PLENTY = 4 }; /* stencils a vertex */
static void choose_margin(const vv_broad *b, vv_broad_body *body)
{
    const double least = 0.015625 * b->activation;
    if (body->served > MANY)
        body->wide *= 0.75;
    else if (b->good && body->served < FEW && !(body->away <= 1))
        body->wide *= body->away * body->margin <= body->cap ? 1.5 : 0.75;
    body->wide = fmax(fmin(body->wide, body->cap), least);
}

/* Which bodies are to be searched for anew: those that left their margins, and with them those that have not for long;
 * all, where these are most. False: all. */
enum { LONG = 64 };
static bool choose_stale(vv_broad *b, const vv_parallel *par, const vv_way *way, bool all)
{
    int64_t stale = 0;
    if (!all)
        vv_broad_find_stale(b, par, way);
    for (int i = 0; i < b->surface->body_count && !all; i++) {
        vv_broad_body *body = b->bodies + i;
        body->stale = body->stale || body->served > LONG;
        stale += body->stale ? b->surface->bodies[i].vertex_count : 0;
    }
    all = all || 2 * stale > b->surface->vertices->count;
    for (int i = 0; i < b->surface->body_count; i++) {
        vv_broad_body *body = b->bodies + i;
        body->stale = body->stale || all;
        if (body->stale)
            choose_margin(b, body), body->served = 0;
    }
    return !all;
}

/* Drops the candidates of bodies that are stale. */
static void drop_stale(vv_candidates *candidates)
{
    const vv_broad *b = candidates->broad;
    const int *body = b->surface->vertices->body;
    int kept = 0;
    for (int kind = 0, i = 0; kind < 4; kind++) {
        const int end = candidates->start[kind + 1], last = vv_stencil_points((vv_stencil)kind) - 1;
        candidates->start[kind] = kept;
        for (; i < end; i++) {
            const int *v = candidates->list[i].vertex;
            if (b->bodies[body[v[0]]].stale || b->bodies[body[v[last]]].stale)
                continue;
            if (kept < i) {
                candidates->list[kept] = candidates->list[i];
                memcpy(candidates->plane[kept], candidates->plane[i], sizeof candidates->plane[kept]);
            }
            kept++;
        }
    }
    candidates->start[4] = kept;
}

/* Whether the last search looked at so many stencils within bodies that patches pay. */
static bool worthwhile(const vv_broad *b) { return b->own > PLENTY * (int64_t)b->surface->vertices->count; }

vvStatus vv_candidates_cover(vv_candidates *candidates, const vv_parallel *par, const double *q, const double *p,
                             vvError *error)
{
    return vv_candidates_cover_way(candidates, par, &(vv_way){ q, p, 0, 1, false }, 0, error);
}

vvStatus vv_candidates_cover_way(vv_candidates *candidates, const vv_parallel *par, const vv_way *way, int64_t most,
                                 vvError *error)
{
    vv_broad *b = candidates->broad;
    b->covers++;
    candidates->crowded = false;
    if (b->good && vv_broad_covers(b, par, way)) {
        for (int i = 0; i < b->surface->body_count; i++)
            b->bodies[i].served++;
        return VV_OK;
    }
    const bool patches = !b->patches && worthwhile(b), some = choose_stale(b, par, way, !b->good || patches);
    b->good = false;
    b->builds++;
    candidates->builds++;
    if (some)
        drop_stale(candidates);
    else
        memset(candidates->start, 0, sizeof candidates->start), b->slack = 0;
    bool fits = !patches || vv_patches_make(b, par);
    vv_broad_move(b, par, way);
    if (fits && b->patches) {
        vv_patches_fit(b, par);
        vv_patches_choose_margins(b);
    }
    fits = fits && vv_broad_frames(b, par);
    if (fits)
        vv_broad_refit(b, par);
    if (!fits || !vv_broad_plan(b) || !vv_broad_search(b, par, most, candidates)) {
        vv_candidates_forget(candidates);
        return vv_for_stopped(par) ? vv_fail_cancelled(error) : vv_fail_memory(error, "the candidates of contact");
    }
    candidates->crowded = most > 0 && candidates->found > most;
    b->good = !candidates->crowded;
    if (candidates->crowded)
        vv_candidates_forget(candidates);
    for (int i = 0; i < b->surface->body_count; i++)
        b->bodies[i].served++;
    return VV_OK;
}
