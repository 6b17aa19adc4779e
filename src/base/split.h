/* Things cut in two by where their centres are, for trees of boxes. */
#ifndef VV_BASE_SPLIT_H
#define VV_BASE_SPLIT_H

typedef struct vv_split_entry {
    double centre[3]; /* finite */
    int item;         /* no two the same */
} vv_split_entry;

/* The axis along which the centres are spread most; count > 0. */
int vv_split_axis(const vv_split_entry *entries, int count);
/* Puts the entries so that along the axis those before `middle` come before those from it on; which these are does not depend on
 * their order, as where centres are equal the items decide. */
void vv_split_at(vv_split_entry *entries, int count, int middle, int axis);

#endif
