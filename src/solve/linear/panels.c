/* Cuts a supernodal factor into panels. */
#include "solve/linear/panels.h"

#include "base/memory.h"

void vv_panels_free(vv_panels *p)
{
    vv_free(p->panel);
    vv_free(p->row);
    vv_free(p->value);
    vv_free(p->corner);
    *p = (vv_panels){ 0 };
}

static int width_at(int left) { return left < VV_PANEL_WIDTH ? left : VV_PANEL_WIDTH; }

static size_t groups_of(int rows) { return ((size_t)rows + VV_PANEL_ROWS - 1) / VV_PANEL_ROWS; }

/* Room for all panels. */
static bool reserve(vv_panels *p, const vv_supernodes *l)
{
    size_t panels = 0, rows = 0, values = 0, corners = 0;
    for (int k = 0; k < l->count; k++) {
        int columns = l->super[k + 1] - l->super[k], all = l->pi[k + 1] - l->pi[k];
        for (int first = 0, width; first < columns; first += width) {
            width = width_at(columns - first);
            size_t padded = VV_PANEL_ROWS * groups_of(all - first - width);
            panels++;
            rows += padded;
            values += padded * (size_t)width;
            corners += (size_t)width * (size_t)width;
        }
    }
    return vv_grow((void **)&p->panel, &p->panel_capacity, panels, sizeof *p->panel) &&
           vv_grow((void **)&p->row, &p->row_capacity, rows, sizeof *p->row) &&
           vv_grow((void **)&p->value, &p->value_capacity, values, sizeof *p->value) &&
           vv_grow((void **)&p->corner, &p->corner_capacity, corners, sizeof *p->corner);
}

/* The columns `first` to `first + width` of a supernode with values x and rows s. */
static void pack(vv_panels *p, const vv_factor_panel *a, const int *s, const double *x, int all, int first)
{
    for (int j = 0; j < a->width; j++)
        for (int i = 0; i < a->width; i++) {
            double value = i < j ? 0 : x[(size_t)(first + j) * (size_t)all + (size_t)(first + i)];
            p->corner[a->corner + (size_t)(a->width * j + i)] = i == j ? 1 / value : value;
        }
    int below = first + a->width;
    for (size_t g = 0; g < a->groups; g++)
        for (int r = 0; r < VV_PANEL_ROWS; r++) {
            int from = below + (int)g * VV_PANEL_ROWS + r;
            double *to = p->value + a->value + (g * (size_t)a->width) * VV_PANEL_ROWS + r;
            p->row[a->row + g * VV_PANEL_ROWS + (size_t)r] = from < all ? s[from] : p->n;
            for (int j = 0; j < a->width; j++)
                to[j * VV_PANEL_ROWS] = from < all ? x[(size_t)(first + j) * (size_t)all + (size_t)from] : 0;
        }
}

bool vv_panels_pack(vv_panels *p, const vv_supernodes *l)
{
    vv_factor_panel a = { 0 };
    p->n = l->n;
    p->count = 0;
    if (!reserve(p, l))
        return false;
    for (int k = 0; k < l->count; k++) {
        int columns = l->super[k + 1] - l->super[k], all = l->pi[k + 1] - l->pi[k];
        for (int first = 0; first < columns; first += a.width) {
            a.width = width_at(columns - first);
            a.column = l->super[k] + first;
            a.groups = groups_of(all - first - a.width);
            pack(p, &a, l->s + l->pi[k], l->x + l->px[k], all, first);
            p->panel[p->count++] = a;
            a.row += VV_PANEL_ROWS * a.groups;
            a.value += VV_PANEL_ROWS * a.groups * (size_t)a.width;
            a.corner += (size_t)a.width * (size_t)a.width;
        }
    }
    return true;
}
