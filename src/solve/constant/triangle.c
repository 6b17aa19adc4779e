/* One triangle of a symmetric matrix of numbers; see triangle.h. */
#include "solve/constant/triangle.h"

#include "base/error.h"
#include "base/memory.h"

vvStatus vv_triangle_check(int n, const int *start, const int *row, vvError *error)
{
    size_t lower = 0, upper = 0;
    for (int j = 0; j < n; j++) {
        bool diagonal = false;
        for (int k = start[j]; k < start[j + 1]; k++) {
            if (row[k] < 0 || row[k] >= n || (k > start[j] && row[k] <= row[k - 1]))
                return vv_fail(error, VV_ERROR_INPUT,
                               "the matrix's column %d has row %d as entry %d; rows must ascend and be from 0 to %d", j,
                               row[k], k - start[j], n - 1);
            diagonal |= row[k] == j;
            lower += row[k] > j;
            upper += row[k] < j;
        }
        if (!diagonal)
            return vv_fail(error, VV_ERROR_INPUT, "the matrix's column %d has no entry on the diagonal", j);
    }
    if (lower && upper)
        return vv_fail(error, VV_ERROR_INPUT,
                       "the matrix has %zu entries below the diagonal and %zu above it; give one triangle", lower,
                       upper);
    return VV_OK;
}

bool vv_triangle_permute(int n, const int *start, const int *row, const int *column, int *p, int *i, int *place)
{
    int entries = start[n];
    int *head = vv_alloc((size_t)n + 1, sizeof *head), *from = vv_alloc((size_t)entries, sizeof *from);
    int *other = vv_alloc((size_t)entries, sizeof *other);
    bool ok = head && from && other;
    if (ok) { /* row by row, so that columns get their rows in order */
        for (int j = 0; j < n; j++)
            for (int k = start[j]; k < start[j + 1]; k++) {
                int a = column[j], b = column[row[k]];
                head[(a > b ? a : b) + 1]++;
                p[(a > b ? b : a) + 1]++;
            }
        for (int k = 0; k < n; k++) {
            head[k + 1] += head[k];
            p[k + 1] += p[k];
        }
        for (int j = 0; j < n; j++)
            for (int k = start[j]; k < start[j + 1]; k++) {
                int a = column[j], b = column[row[k]], at = head[a > b ? a : b]++;
                from[at] = k;
                other[at] = a > b ? b : a;
            }
        for (int r = n; r > 0; r--)
            head[r] = head[r - 1];
        head[0] = 0;
        for (int r = 0; r < n; r++)
            for (int k = head[r]; k < head[r + 1]; k++) {
                int at = p[other[k]]++;
                i[at] = r;
                if (place)
                    place[from[k]] = at;
            }
        for (int j = n; j > 0; j--)
            p[j] = p[j - 1];
        p[0] = 0;
    }
    vv_free(head);
    vv_free(from);
    vv_free(other);
    return ok;
}
