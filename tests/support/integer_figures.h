/* Points, segments and triangles with whole coordinates: whether they meet, without rounding. What the exact tests of
 * surfaces are compared with. */
#ifndef VV_INTEGER_FIGURES_H
#define VV_INTEGER_FIGURES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef int64_t point[3];

static inline void minus(const point a, const point b, point c)
{
    for (int k = 0; k < 3; k++)
        c[k] = a[k] - b[k];
}

static inline void cross(const point a, const point b, point c)
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static inline int64_t dot(const point a, const point b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline bool separates(const point axis, int m, point *p, int n, point *q)
{
    int64_t low[2] = { INT64_MAX, INT64_MAX }, high[2] = { INT64_MIN, INT64_MIN };
    for (int i = 0; i < m + n; i++) {
        int64_t d = i < m ? dot(axis, p[i]) : dot(axis, q[i - m]);
        int of = i >= m;
        low[of] = d < low[of] ? d : low[of];
        high[of] = d > high[of] ? d : high[of];
    }
    return high[0] < low[1] || high[1] < low[0];
}

/* Convex hulls of m and n points, 3 at most, of any dimension: differences of the points, their products, and the
 * products of these with the differences hold an axis that separates them wherever there is one. */
static inline bool figures_meet(int m, point *p, int n, point *q)
{
    point all[6], d[15], normal, axis;
    int count = 0;
    for (int i = 0; i < m + n; i++)
        memcpy(all[i], i < m ? p[i] : q[i - m], sizeof(point));
    for (int i = 0; i < m + n; i++)
        for (int j = 0; j < i; j++)
            minus(all[i], all[j], d[count++]);
    for (int i = 0; i < count; i++)
        if (separates(d[i], m, p, n, q))
            return false;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            cross(d[i], d[j], normal);
            if (separates(normal, m, p, n, q))
                return false;
            for (int k = 0; k < count; k++) {
                cross(normal, d[k], axis);
                if (separates(axis, m, p, n, q))
                    return false;
            }
        }
    return true;
}

static inline bool is_flat(point p[3])
{
    point u, v, n;
    minus(p[1], p[0], u);
    minus(p[2], p[0], v);
    cross(u, v, n);
    return dot(n, n) == 0;
}

/* Triangles of which corner 0 (shared: 1), or 0 and 1 (shared: 2), stand at the same vertices, beyond these: cones,
 * of which one is made long enough to meet the other's far edge; or folded flat onto each other. Moves q. */
static inline bool meet_beyond(int shared, point p[3], point q[3])
{
    if (shared == 1) {
        for (int i = 1; i < 3; i++)
            for (int k = 0; k < 3; k++)
                q[i][k] = q[0][k] + 1000 * (q[i][k] - q[0][k]);
        return figures_meet(2, p + 1, 3, q);
    }
    point u, v, w, a, b;
    minus(p[1], p[0], u);
    minus(p[2], p[0], v);
    minus(q[2], q[0], w);
    cross(u, v, a);
    cross(u, w, b);
    return dot(a, w) == 0 && dot(a, b) > 0;
}

#endif
