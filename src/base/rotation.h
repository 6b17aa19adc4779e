/* The rotation nearest to a set of pairs of vectors (Horn 1987), and quaternions. */
#ifndef VV_BASE_ROTATION_H
#define VV_BASE_ROTATION_H

/* s[3 i + j] = sum of m X_i x_j over vectors X before and x after: the unit quaternion (w, x, y, z) that turns the X
 * to the x with the least sum of m |R X - x|^2. It never mirrors. Where several rotations are as good (a straight
 * line may roll), one that turns least. */
void vv_nearest_rotation(const double s[9], double quaternion[4]);
/* Rows of the matrix of a unit quaternion. */
void vv_quaternion_matrix(const double quaternion[4], double rotation[9]);

#endif
