/* What Gmsh 2.2 and 4.1 files share: header, sections, node tags, element types.
 *
 * Rule for elements: points (type 15), edges (1), triangles (2) and tets (4) are read, those of higher order by their
 * corners; all others are refused by name. If there are other elements, points are corners of a geometry and are
 * dropped (vvMeshFinish). Physical groups ($PhysicalNames, the elements' tags, in 4.1 $Entities) become groups of the
 * mesh. Other sections are skipped, known or not. */
#ifndef VV_MESH_FORMAT_MSH_H
#define VV_MESH_FORMAT_MSH_H

#include "mesh/builder.h"
#include "mesh/format/source.h"

typedef struct vv_msh {
    vv_source *source;
    vv_builder *builder;
    bool has_nodes, has_elements;
    int64_t first_tag;
    bool consecutive; /* tags so far are first_tag, first_tag + 1, ... */
    vv_list tags;     /* vv_msh_tag; sorted once all nodes are there */
    vv_list names;    /* vv_group_key, of $PhysicalNames */
    vv_list physical; /* vv_msh_physical, of $Entities */
} vv_msh;

/* Content check: `major` 2 or 4, text or binary. Any other msh file is of the same family. */
vv_match vv_msh_match(const char *data, size_t size, int major, bool binary);

/* Reads a whole file; the two functions read what is between "$Nodes" and "$EndNodes" and so on. */
typedef struct vv_msh_parts {
    vvStatus (*nodes)(vv_msh *m);
    vvStatus (*elements)(vv_msh *m);
    vvStatus (*entities)(vv_msh *m); /* NULL: none of that format */
} vv_msh_parts;
vvStatus vv_msh_read(vv_source *source, vv_builder *builder, const vv_msh_parts *parts);

/* Adds a node, at line or byte `at`; the source's cursor is used for messages. */
vvStatus vv_msh_add_node(vv_msh *m, int64_t tag, const double x[3], int at);
/* Number of nodes of an element type that is read; 0, with an error set, for any other. */
enum { VV_MSH_MOST_NODES = 56 };
int vv_msh_type_nodes(vv_msh *m, int64_t tag, int64_t type);
/* `groups`: numbers of the groups that it belongs to. */
vvStatus vv_msh_add_element(vv_msh *m, int64_t tag, int64_t type, const int64_t *nodes, const int *groups,
                            int group_count, int at);
/* Physical groups (msh_groups.c). The section $PhysicalNames; */
vvStatus vv_msh_read_names(vv_msh *m);
/* that an entity belongs to a physical group; */
typedef struct vv_msh_physical {
    int dimension;
    int64_t entity, tag;
} vv_msh_physical;
vvStatus vv_msh_add_physical(vv_msh *m, int dimension, int64_t entity, int64_t tag);
/* the groups of an entity's elements, at most VV_MSH_MOST_GROUPS; */
enum { VV_MSH_MOST_GROUPS = 32 };
vvStatus vv_msh_groups_of(vv_msh *m, int dimension, int64_t entity, int groups[VV_MSH_MOST_GROUPS], int *count);
/* the group of a physical tag: its number; */
vvStatus vv_msh_group(vv_msh *m, int dimension, int64_t tag, int *group);
/* and at the end of the file the names of all groups. */
void vv_msh_name_groups(vv_msh *m);
/* The dimension of an element type that is read. */
int vv_msh_dimension(int64_t type);
/* Refuses a count that the rest of the file cannot hold at `least` bytes each. */
vvStatus vv_msh_check_count(vv_msh *m, int64_t count, int least, const char *what);

/* For writing: the kinds in the file, in this order: points, edges, triangles (of a mesh without tets), tets. */
enum { VV_MSH_KINDS = 4 };
typedef struct vv_msh_kind {
    int type, dimension, corners, count;
    const int *indices;
} vv_msh_kind;
void vv_msh_kinds(const vvMesh *mesh, vv_msh_kind kinds[VV_MSH_KINDS]);

#endif
