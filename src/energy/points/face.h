/* Faces on which a pressure acts: triangles, and faces of order 2, of six nodes: corners 0 to 2, then the middles of
 * the sides 01, 12, 20 (theory §4.18). */
#ifndef VV_ENERGY_POINTS_FACE_H
#define VV_ENERGY_POINTS_FACE_H

enum { VV_FACE_NODES = 6 };

/* The volume between a face and the origin is a cubic of its nodes: the sum over some triples of
 * weight x_a . (x_b x x_c) / 6. */
typedef struct vv_face {
    int nodes, triples;
    const signed char (*triple)[3];
    const double *weight;
} vv_face;
extern const vv_face vv_face_flat, vv_face_order2;

/* Where the nodes of a face of order 2 are among the twelve of its four triangles: those of corner 0, (0, 01, 20), of
 * corner 1, (01, 1, 12), of corner 2, (20, 12, 2), and the one between them, (01, 12, 20). */
extern const signed char vv_face_within[VV_FACE_NODES];

/* out[node] += scale times the gradient of 6 times the volume; at: the nodes seen from the origin. */
void vv_face_gradient(const vv_face *face, double (*at)[3], double scale, double (*out)[3]);
/* out[node] += scale times the integral of N_node dA, less the gradient of the volume between the face and the apex. It
 * is of the face's sides, and those of two faces at one cancel. */
void vv_face_rim(const vv_face *face, double (*x)[3], const double *apex, double scale, double (*out)[3]);
/* out[node] = the integral of N_node dA over a face of order 2, m^2 along its normals. */
void vv_face_area(double (*x)[3], double (*out)[3]);

#endif
