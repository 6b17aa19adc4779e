#!/usr/bin/env bash
# visviva info: what is no plain file is refused at once, messages stay on one line, nothing of a mesh goes silently.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -x "${VISVIVA:-}" ] || { echo "test_info: skipped, no program in \$VISVIVA"; exit 77; }
cd "$work"
fail() { echo "test_info: $*" >&2; exit 1; }
# run CODE WORDS FILE: the exit code and what is said
run() {
    local want=$1 words=$2 code=0
    said=$(timeout 60 "$VISVIVA" info "$3" 2>&1 < /dev/null) || code=$?
    [ $code -eq "$want" ] || fail "exit code $code, not $want, for $3 ($said)"
    grep -qF -- "$words" <<<"$said" || fail "no \"$words\" in what was said of $3: $said"
    [ "$want" -eq 0 ] || [ "$(wc -l <<<"$said")" -eq 1 ] || fail "more than one line for $3: $said"
}

# a pipe that nobody writes to must not be waited for
mkfifo pipe.obj
run 2 "pipe.obj: is not a regular file" pipe.obj
run 2 "is not a regular file" /dev/null
mkdir folder.msh
run 2 "folder.msh: is a directory" folder.msh
odd=$'two\nlines \e[31m.obj'
: > "$odd"
run 2 "two?lines ?[31m.obj: the file is empty" "$odd"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' > "$odd"
run 0 "3 vertices, 0 tets, 1 triangles" "$odd"

nodes='MeshVersionFormatted 2\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n5 0 0 0\n'
printf "${nodes}Tetrahedra\n1\n1 2 3 4 0\nTriangles\n1\n1 2 5 0\n" > apart.mesh
run 2 "apart.mesh:15: triangle 0 stands apart from the tets: it has a corner at (5, 0, 0)" apart.mesh
printf "${nodes}Tetrahedra\n2\n1 2 3 4 0\n2 3 4 5 0\nTriangles\n1\n2 3 4 0\n" > between.mesh
run 0 "dropped while reading: 1 triangles between the tets" between.mesh

printf 'ply\nformat ascii 1.0\nelement vertex 5\nproperty int x\nproperty int y\nproperty int z\nelement face 1\nproperty list uchar int vertex_indices\nelement tet 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n5 0 0\n3 0 1 4\n4 0 1 2 3\n' > apart.ply
run 2 "apart.ply:17: triangle 0 stands apart from the tets" apart.ply

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 1 2 3\np 2 4\n' > stray.obj
run 0 "dropped while reading: 2 points beside other elements" stray.obj
printf 'v 0 0 0\nv 1 0 0\np 1 2\n' > points.obj
run 0 "2 vertices, 0 tets, 0 triangles, 0 edges, 2 points, 2 components" points.obj

facet() { echo "facet normal 0 0 0 outer loop vertex $1 vertex $2 vertex $3 endloop endfacet"; }
{ echo solid; facet "0 0 0" "0 2 0" "2 0 0"; facet "0 0 0" "2 0 0" "1 0 0"; facet "0 0 0" "1 0 0" "0 0 2"
  facet "1 0 0" "2 0 0" "0 0 2"; facet "0 0 0" "0 0 2" "0 2 0"; facet "2 0 0" "0 2 0" "0 0 2"; echo endsolid; } > needle.stl
run 0 "repaired while reading: 1 triangles with their corners on one line" needle.stl
! grep -q open <<<"$said" || fail "the mended surface is open: $said"
