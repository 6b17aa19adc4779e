/* What MEDIT's text (.mesh) and binary (.meshb) files share: keywords, checks, adding vertices and elements.
 *
 * Rule: Vertices, Edges, Triangles and Tetrahedra are read; all other elements are refused by name, unless their count
 * is 0; data about the mesh (corners, ridges, normals, solutions) is skipped; words that are not MEDIT's
 * are refused, as a misspelt Tetrahedra would otherwise yield a different mesh. */
#ifndef VV_MESH_FORMAT_MEDIT_H
#define VV_MESH_FORMAT_MEDIT_H

#include "mesh/builder.h"
#include "mesh/format/source.h"

typedef enum vv_medit_kind {
    VV_MEDIT_UNKNOWN,
    VV_MEDIT_VERSION, /* MeshVersionFormatted */
    VV_MEDIT_DIMENSION,
    VV_MEDIT_PRECISION, /* FloatingPointPrecision */
    VV_MEDIT_VERTICES,
    VV_MEDIT_ELEMENTS,
    VV_MEDIT_REFUSED, /* elements of other kinds */
    VV_MEDIT_SKIPPED, /* numbers */
    VV_MEDIT_TEXT,    /* a quoted text, or a count and that many lines */
    VV_MEDIT_END
} vv_medit_kind;

typedef struct vv_medit_keyword {
    const char *name;
    vv_medit_kind kind;
    int code; /* in binary files; 0: text only */
    int size; /* vertex numbers per element; numbers per skipped entry, 0 if programs differ */
} vv_medit_keyword;

/* By name (case does not matter) or by binary code; kind VV_MEDIT_UNKNOWN if there is none. */
vv_medit_keyword vv_medit_by_name(vv_word word);
vv_medit_keyword vv_medit_by_code(int code);
/* The table's keyword closest to a misspelt word, NULL if none is close. */
const char *vv_medit_nearest(vv_word word);

enum { VV_MEDIT_MOST = 10 }; /* vertices of an element that is read */

typedef struct vv_medit {
    vv_source *source;
    vv_builder *builder;
    int64_t version;
    int dimension;                                  /* 0: not yet known */
    bool has_vertices, has_elements[VV_MEDIT_MOST]; /* by their number of vertices; 10 of them count as 0 */
} vv_medit;

vvStatus vv_medit_check_version(vv_medit *m, int64_t version);
vvStatus vv_medit_set_dimension(vv_medit *m, int64_t dimension);
/* A section with this many entries begins, each of at least `least` bytes: refuses repeated sections, elements that
 * are not read, and counts that the file cannot hold. */
vvStatus vv_medit_begin(vv_medit *m, vv_medit_keyword keyword, int64_t count, int64_t least);
/* Tets of one reference become the group "volume N". */
vvStatus vv_medit_add_element(vv_medit *m, vv_medit_keyword keyword, const int64_t *numbers, int64_t reference, int at);
/* Checks at the end of the file: there are vertices, and elements name no others. Where all tets have one reference
 * they are no group. */
vvStatus vv_medit_finish(vv_medit *m);

/* For writing: the kinds of elements in the file, in this order: tets or triangles, edges. */
enum { VV_MEDIT_KINDS = 2 };
typedef struct vv_medit_section {
    const char *name;
    int code, corners, count;
    const int *indices;
} vv_medit_section;
vvStatus vv_medit_sections(const vvMesh *mesh, vv_medit_section sections[VV_MEDIT_KINDS], vvError *error);

#endif
