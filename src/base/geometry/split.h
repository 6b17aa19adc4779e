/* Divides things in two by the positions of their centres, for trees of boxes. */
#ifndef VV_BASE_GEOMETRY_SPLIT_H
#define VV_BASE_GEOMETRY_SPLIT_H

typedef struct vv_split_entry {
    double centre[3]; /* finite */
    int item;         /* all different */
} vv_split_entry;

/* The axis along which the centres are spread most; count > 0. */
int vv_split_axis(const vv_split_entry *entries, int count);
/* Arranges the entries so that along the axis those before `middle` come before the others; which ones these are does
 * not depend on the input's order, as the items break ties between equal centres. */
void vv_split_at(vv_split_entry *entries, int count, int middle, int axis);

#endif
