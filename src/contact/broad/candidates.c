/* The candidate list: kept while motions stay within its margin, else rebuilt. */
#include "contact/broad/patches.h"

#include "base/error.h"

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
static void choose_margin(vv_broad *b)
{
    if (b->good && b->served < FEW)
        b->margin *= b->needed <= 1 ? 1.5 : 0.75;
    else if (b->served > MANY)
        b->margin *= 0.75;
    double most = 0;
    for (int i = 0; i < b->surface->body_count; i++)
        most = b->bodies[i].cap > most ? b->bodies[i].cap : most;
    b->margin = b->margin < most ? b->margin : most;
    b->margin = b->margin > 0.015625 * b->activation ? b->margin : 0.015625 * b->activation;
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
        b->served++;
        return VV_OK;
    }
    choose_margin(b);
    vv_candidates_forget(candidates);
    b->builds++;
    candidates->builds++;
    bool fits = b->patches || !worthwhile(b) || vv_patches_make(b, par);
    vv_broad_move(b, par, way);
    if (fits && b->patches) {
        vv_patches_fit(b, par);
        vv_patches_choose_margins(b);
    }
    fits = fits && vv_broad_frames(b, par);
    if (fits)
        vv_broad_refit(b, par);
    if (!fits || !vv_broad_plan(b) || !vv_broad_search(b, par, most, candidates))
        return vv_for_stopped(par) ? vv_fail_cancelled(error) : vv_fail_memory(error, "the candidates of contact");
    candidates->crowded = most > 0 && candidates->found > most;
    b->good = !candidates->crowded;
    b->served = 1;
    return VV_OK;
}
