#!/usr/bin/env bash
# A body of free points through the program: check, run, resume, exports that are points again, a mesh file as a body, a picture.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -x "${VISVIVA:-}" ] || { echo "test_points_program: skipped, no program in \$VISVIVA"; exit 77; }
cd "$work"
fail() { echo "test_points_program: $*" >&2; exit 1; }
has() { grep -qF -- "$1" "$2" || fail "no \"$1\" in $(cat "$2")"; }

cat > sand.json <<'END'
{ "visviva": 1, "name": "sand", "time": { "step": "1/100", "end": 0.2 }, "contact": { "distance": 5e-4, "friction": 0.3 },
  "bodies": [ { "name": "sand", "material": { "density": 7e-4 }, "thickness": 0.008,
      "mesh": { "grains": { "count": [3, 2, 3], "spacing": 0.0095 } }, "place": { "translate": [0, 0.015, 0] } } ],
  "obstacles": [ { "plane": {} } ] }
END
"$VISVIVA" check sand.json > said || { rc=$?; grep -q jansson said && { echo "skipped: a build without scenes"; exit 77; }; exit $rc; }
has '"sand": 18 nodes, 0 tets, 0 triangles, 0 edges, 18 points, 0.0126 kg' said

"$VISVIVA" run sand.json -o sand.vtkhdf --paranoid --summary sand-summary.json > said 2>&1 ||
    { grep -q HDF5 said && { echo "skipped: a build without run files"; exit 77; }; cat said; exit 1; }
"$VISVIVA" info sand.vtkhdf > said
has '"sand": 18 nodes, 0 tets, 0 triangles, 0 edges, 18 points' said
"$VISVIVA" check sand.vtkhdf > /dev/null || fail "check of the run"

# resumed half-way, with two threads: the same last frame
"$VISVIVA" run sand.json --until 0.1 -o half.vtkhdf --quiet
"$VISVIVA" run half.vtkhdf --resume --until 0.2 --threads 2 --quiet
for run in sand half; do
    "$VISVIVA" export $run.vtkhdf --format obj --frames 20 -o $run --quiet
done
cmp sand_000020.obj half_000020.obj || fail "a resumed run ends elsewhere"
"$VISVIVA" export sand.vtkhdf -o sand.usda --quiet
has 'def Points "sand"' sand.usda
has 'float[] widths = [0.008]' sand.usda
"$VISVIVA" export sand.vtkhdf --format ply --frames 20 -o sand --quiet
"$VISVIVA" export sand.vtkhdf --format vtu --frames 20 -o sand.pvd --quiet
for file in sand_000020.obj sand_000020.ply sand*/*.vtu; do
    "$VISVIVA" info "$file" > said 2>&1 || { grep -q expat said && continue; cat said; exit 1; }
    has '18 vertices, 0 tets, 0 triangles, 0 edges, 18 points, 18 components' said
done

# a file of points is a body; the material is "free" unless the scene says otherwise
cp sand_000020.obj points.obj
"$VISVIVA" check sand.json --set 'bodies[0].mesh={"file":"points.obj"}' --set 'bodies[0].place.translate=[0,0.01,0]' > said
has '18 points' said
code=0
"$VISVIVA" check sand.json --set 'bodies[0].material.model=hooke' > said 2>&1 || code=$?
[ $code -eq 2 ] || fail "exit code $code for springs of points"
has 'material model "hooke" is for springs, but the body'"'"'s mesh has nothing but points' said
code=0
"$VISVIVA" check sand.json --set 'bodies[0].mesh.grains.spacing=0.007' > said 2>&1 || code=$?
[ $code -eq 2 ] || fail "exit code $code for points inside each other"
has 'too near itself' said

"$VISVIVA" render sand.vtkhdf --size 64x48 --quality 1 -o sand.png > said 2>&1 ||
    { grep -qE 'EGL|libEGL|without' said && { echo "no picture: no EGL here"; exit 0; }; cat said; exit 1; }
[ "$(wc -c < sand.png)" -gt 500 ] || fail "the picture is empty"
