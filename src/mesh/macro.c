/* Macro-cells of tets (theory §4.20): groups of tets that meet at faces, by topology alone.
 *
 * First, five or six tets that follow each other in the mesh and make up a hexahedral cell, with eight corners and
 * twelve outer faces, as generators of grids write them. The other tets are taken in breadth-first order: a macro-cell
 * grows from one to six tets, each time by that neighbour which adds no node before one which adds a node, then by the
 * one with the fewest neighbours left, then by the first. Those of less than five tets are handed to neighbours that
 * have less than eight; where these are full, they stay. */
#include "mesh/macro.h"

#include "base/memory.h"
#include "mesh/mesh.h"

#include <string.h>

enum { USUAL = 6, LEAST = 5 };

typedef struct maker {
    int count; /* tets */
    const int *tets;
    int *next;  /* tet x 4: across the face opposite to a corner; -1: none */
    int *macro; /* -1: not yet */
    int *size;  /* tets in each macro-cell */
    int macros;
    int *queue, reached; /* tets beside macro-cells, once each */
    char *queued;
} maker;

static const int *corners_of(const maker *m, int tet) { return m->tets + 4 * (size_t)tet; }

static int next_of(const maker *m, int tet, int face) { return m->next[4 * (size_t)tet + (size_t)face]; }

static bool has_node(const int *list, int count, int node)
{
    for (int i = 0; i < count; i++)
        if (list[i] == node)
            return true;
    return false;
}

/* ---- neighbours ------------------------------------------------------------------------------------------------- */

static void write_faces(const maker *m, int least, int *faces)
{
    for (size_t t = 0; t < (size_t)m->count; t++)
        for (int f = 0; f < 4; f++) {
            int *to = faces + 3 * (4 * t + (size_t)f), count = 0;
            for (int c = 0; c < 4; c++) {
                int at = count;
                if (c == f)
                    continue;
                for (; at > 0 && to[at - 1] > m->tets[4 * t + (size_t)c] - least; at--)
                    to[at] = to[at - 1];
                to[at] = m->tets[4 * t + (size_t)c] - least;
                count++;
            }
        }
}

static vvStatus find_neighbours(maker *m, vvError *error)
{
    const size_t n = 4 * (size_t)m->count;
    int least = m->tets[0], most = least, *faces = vv_alloc(3 * n, sizeof *faces), *order = vv_alloc(n, sizeof *order);
    for (size_t i = 0; i < n; i++) {
        least = m->tets[i] < least ? m->tets[i] : least;
        most = m->tets[i] > most ? m->tets[i] : most;
    }
    bool done = faces && order;
    if (done) {
        write_faces(m, least, faces);
        done = vv_sort_tuples(faces, 3, (int)n, most - least + 1, order);
    }
    for (size_t i = 0; i < n; i++)
        m->next[i] = -1;
    for (size_t i = 0; done && i + 1 < n; i++)
        if (!memcmp(faces + 3 * (size_t)order[i], faces + 3 * (size_t)order[i + 1], 3 * sizeof *faces)) {
            m->next[order[i]] = order[i + 1] / 4;
            m->next[order[i + 1]] = order[i] / 4;
            i++;
        }
    vv_free(faces);
    vv_free(order);
    return done ? VV_OK : vv_fail_memory(error, "macro-cells");
}

/* ---- cells of a grid -------------------------------------------------------------------------------------------- */

/* Whether the n tets from `first` on hang together, with eight nodes and twelve faces of one of them alone. */
static bool is_cell(const maker *m, int first, int n)
{
    int nodes[8], count = 0, outer = 0, list[USUAL], reached = 1;
    bool seen[USUAL] = { true };
    if (first + n > m->count)
        return false;
    for (int i = 0; i < 4 * n; i++)
        if (!has_node(nodes, count, corners_of(m, first)[i])) {
            if (count == 8)
                return false;
            nodes[count++] = corners_of(m, first)[i];
        }
    list[0] = 0;
    for (int i = 0; i < reached; i++)
        for (int f = 0; f < 4; f++) {
            const int other = next_of(m, first + list[i], f) - first;
            if (other < 0 || other >= n)
                outer++;
            else if (!seen[other])
                seen[other] = true, list[reached++] = other;
        }
    return count == 8 && reached == n && outer == 12;
}

static void take_cells(maker *m)
{
    for (int t = 0; t < m->count;) {
        const int n = is_cell(m, t, 6) ? 6 : is_cell(m, t, 5) ? 5 : 0;
        for (int i = 0; i < n; i++)
            m->macro[t + i] = m->macros;
        if (n > 0)
            m->size[m->macros++] = n;
        t += n > 0 ? n : 1;
    }
}

/* ---- others ----------------------------------------------------------------------------------------------------- */

static int free_neighbours(const maker *m, int tet)
{
    int count = 0;
    for (int f = 0; f < 4; f++)
        count += next_of(m, tet, f) >= 0 && m->macro[next_of(m, tet, f)] < 0;
    return count;
}

/* The tet that the macro-cell of these grows by; -1: none is left beside it. */
static int best_neighbour(const maker *m, const int *tets, int size)
{
    int best = -1, best_nodes = 0, best_free = 0, nodes[4 * USUAL];
    for (int i = 0; i < 4 * size; i++)
        nodes[i] = corners_of(m, tets[i / 4])[i % 4];
    for (int i = 0; i < size; i++)
        for (int f = 0; f < 4; f++) {
            const int other = next_of(m, tets[i], f);
            int shared = 0;
            if (other < 0 || m->macro[other] >= 0)
                continue;
            for (int c = 0; c < 4; c++)
                shared += has_node(nodes, 4 * size, corners_of(m, other)[c]);
            const int left = free_neighbours(m, other);
            if (best < 0 || shared > best_nodes ||
                (shared == best_nodes && (left < best_free || (left == best_free && other < best))))
                best = other, best_nodes = shared, best_free = left;
        }
    return best;
}

static void grow(maker *m, int seed)
{
    int tets[USUAL], size = 0;
    for (int t = seed; t >= 0; t = size < USUAL ? best_neighbour(m, tets, size) : -1) {
        m->macro[t] = m->macros;
        tets[size++] = t;
    }
    m->size[m->macros++] = size;
    for (int i = 0; i < 4 * size; i++) {
        const int other = next_of(m, tets[i / 4], i % 4);
        if (other >= 0 && m->macro[other] < 0 && !m->queued[other])
            m->queued[other] = 1, m->queue[m->reached++] = other;
    }
}

static void grow_all(maker *m)
{
    for (int t = 0, from = 0; t < m->count; t++) {
        if (m->macro[t] < 0)
            grow(m, t);
        for (; from < m->reached; from++)
            if (m->macro[m->queue[from]] < 0)
                grow(m, m->queue[from]);
    }
}

/* ---- small ones ------------------------------------------------------------------------------------------------- */

/* The smallest macro-cell beside a tet that has room and is not its own; -1: none. */
static int room_beside(const maker *m, int tet, int own)
{
    int best = -1;
    for (int f = 0; f < 4; f++) {
        const int other = next_of(m, tet, f), macro = other < 0 ? own : m->macro[other];
        if (macro != own && m->size[macro] < VV_MACRO_TETS && (best < 0 || m->size[macro] < m->size[best]))
            best = macro;
    }
    return best;
}

/* Hands all tets of a macro-cell to others, or none. */
static void hand_out(maker *m, int macro, const int *tets, int size)
{
    int left = size;
    for (bool moved = true; moved && left > 0;) {
        moved = false;
        for (int i = 0; i < size; i++) {
            const int to = m->macro[tets[i]] == macro ? room_beside(m, tets[i], macro) : -1;
            if (to >= 0)
                m->macro[tets[i]] = to, m->size[to]++, left--, moved = true;
        }
    }
    for (int i = 0; left > 0 && i < size; i++)
        if (m->macro[tets[i]] != macro)
            m->size[m->macro[tets[i]]]--, m->macro[tets[i]] = macro;
    if (left == 0)
        m->size[macro] = 0;
}

/* Its tets are near its first one in the walk: of less than five, at most three faces away. */
static int members_of(const maker *m, int first, int tets[LEAST])
{
    int size = 1;
    tets[0] = first;
    for (int i = 0; i < size; i++)
        for (int f = 0; f < 4 && size < LEAST; f++) {
            const int other = next_of(m, tets[i], f);
            if (other >= 0 && m->macro[other] == m->macro[first] && !has_node(tets, size, other))
                tets[size++] = other;
        }
    return size;
}

static void hand_out_small(maker *m)
{
    int tets[LEAST];
    for (int t = 0; t < m->count; t++)
        if (m->size[m->macro[t]] < LEAST)
            hand_out(m, m->macro[t], tets, members_of(m, t, tets));
}

/* In the order of their first tets, without those that are empty; `size` becomes their new numbers. */
static int number(maker *m)
{
    int count = 0;
    for (int i = 0; i < m->macros; i++)
        m->size[i] = -1;
    for (int t = 0; t < m->count; t++) {
        int *to = m->size + m->macro[t];
        *to = *to < 0 ? count++ : *to;
        m->macro[t] = *to;
    }
    return count;
}

vvStatus vv_macro_cells(int tet_count, const int *tets, int *macro, int *count, vvError *error)
{
    const size_t n = (size_t)tet_count;
    maker m = { .count = tet_count, .tets = tets, .macro = macro };
    *count = 0;
    if (tet_count == 0)
        return VV_OK;
    m.next = vv_alloc(4 * n, sizeof *m.next);
    m.size = vv_alloc(n, sizeof *m.size);
    m.queue = vv_alloc(n, sizeof *m.queue);
    m.queued = vv_alloc(n, sizeof *m.queued);
    for (int t = 0; t < tet_count; t++)
        macro[t] = -1;
    vvStatus status =
        m.next && m.size && m.queue && m.queued ? find_neighbours(&m, error) : vv_fail_memory(error, "macro-cells");
    if (status == VV_OK) {
        take_cells(&m);
        grow_all(&m);
        hand_out_small(&m);
        *count = number(&m);
    }
    vv_free(m.next);
    vv_free(m.size);
    vv_free(m.queue);
    vv_free(m.queued);
    return status;
}
