#!/usr/bin/env bash
# Bodies that intersect at the start: run, check and settle refuse it (2), list where, and write a mesh that shows it.
. "$(dirname "$0")/program.sh"

cat > scene.json <<END
{ "visviva": 1, "name": "scene", "time": { "step": 0.01, "end": 0.05 },
  "integrator": { "ground_energy": "none" }, "materials": { "m": { "model": "neo-hookean", "young": 1e5 } },
  "bodies": [ { "name": "far", "material": "m", "mesh": $box, "place": { "translate": [9, 0, 0] } },
              { "name": "row", "material": "m", "mesh": $box, "copies": { "count": [2, 1, 1], "step": [0.3, 0, 0] } },
              { "name": "lid", "material": "m", "mesh": $box, "place": { "translate": [0.32, 0.09, 0.01] } } ],
  "obstacles": [ { "plane": { "point": [0, -1, 0] } },
                 { "name": "hook", "mesh": { "box": { "size": [0.1, 0.1, 0.1], "cells": [1, 1, 1] } }, "place": { "translate": [9, 0.5, 0.01] },
                   "motion": { "waypoints": [ { "time": 0, "offset": [0, -0.44, 0.02] } ] } } ] }
END

expect 2 'scene.json: bodies intersect, in ' check scene.json
says '"far" (bodies[0]) with "hook" (obstacles[1]): '
says '"row 2" (bodies[1], copy 2) with "lid" (bodies[2]): '
says '"row 2" triangle ('
says 'out/scene-intersections.ply shows them in red'
mv out/scene-intersections.ply check.ply

# the same from run and settle; the mesh stands where the run would
expect 2 'bodies intersect' run scene.json -q
! grep -q '"row 1"' <<<"$said" || fail "a body that intersects nothing is listed: $said"
cmp check.ply out/scene-intersections.ply
[ ! -e out/scene.vtkhdf ] || fail "a run was written"
expect 2 'deep/er/x-intersections.ply shows' run scene.json -q -o deep/er/x.vtkhdf
cmp check.ply deep/er/x-intersections.ply
expect 2 'mine.ply shows' check scene.json -o mine.ply
cmp check.ply mine.ply
cp scene.json kept.json
expect 2 'scene.json exists and is not a PLY file' check scene.json -o scene.json
cmp scene.json kept.json
expect 2 'bodies intersect' settle scene.json
# no mesh where it cannot be written: the exit code and the list are the same
expect 2 'cannot make the folder' run scene.json -q -o /proc/none/x.vtkhdf
says '"far" (bodies[0]) with "hook"'

expect 0 "204 triangles" info check.ply
# the mesh: all triangles, red ones stand in corners of their own where the list says
awk '
    $1 == "element" && $2 == "vertex" { vertices = $3 }
    $1 == "element" && $2 == "face" { faces = $3 }
    $1 == "end_header" { body = 1; next }
    body && seen < vertices { red[seen] = ($4 == 230 && $5 == 20 && $6 == 20); who[seen] = $7; y[seen++] = $2; next }
    body && list < faces {
        list++
        is = ($5 == 230 && $6 == 20 && $7 == 20)
        for (k = 2; k <= 4; k++) {
            if (red[$k] != is) { print "a vertex and its face differ"; exit 1 }
            if (is) used[$k]++
        }
        if (is) hit[who[$2]]++
    }
    END {
        for (v in used) if (used[v] != 1) { print "a red vertex is shared"; exit 1 }
        if (seen != vertices || list != faces || faces != 4 * 48 + 12) { print "counts differ"; exit 1 }
        if (!hit[0] || hit[1] || !hit[2] || !hit[3] || !hit[4]) { print "the wrong bodies are red"; exit 1 }
    }' check.ply || fail "the mesh is wrong"

# too near by thickness, and in an obstacle: listed the same way, with places of the scene, and shown
apart='bodies[2].place.translate=[0.32,0.13,0]'
far='obstacles[1].motion.waypoints[0].offset=[0,0,0]'
expect 2 'scene.json: bodies "row 2" and "lid" start ' check scene.json --set "$apart" --set "$far" --set 'bodies[2].thickness=0.08' -o near.ply
says '"row 2" (bodies[1], copy 2) with "lid" (bodies[2]): '
grep -q '^    "row 2" .*, "lid" .*: 10 mm too near$' <<<"$said" || fail "no pair in: $said"
says 'near.ply shows them in red'
expect 0 '204 triangles' info near.ply
awk '$1 == "end_header" { body = 1 } body && NF == 7 && $5 == 230 && $6 == 20 { red++ } END { exit red < 16 || red > 96 }' near.ply ||
    fail "the wrong triangles of near.ply are red"
expect 2 'starts inside obstacle 0 (plane)' run scene.json --set "$apart" --set "$far" --set 'obstacles[0].plane.point=[0,-0.04,0]' -q -o in.vtkhdf
says '"far" (bodies[0]) with plane (obstacles[0]): 9 vertices'
grep -q '^    "far" vertex [0-9]* at (.*, -0.05, .*): 10 mm deep$' <<<"$said" || fail "no vertex in: $said"
says 'in-intersections.ply shows them in red'

# free points: vertices alone, all of them red here
cat > grains.json <<END
{ "visviva": 1, "bodies": [ { "name": "sand", "mesh": { "grains": { "count": [3, 3, 3] } }, "thickness": 0.02 } ],
  "contact": {}, "gravity": [0, 0, 0] }
END
expect 2 'body "sand" starts ' check grains.json
says '"sand" (bodies[0]) with itself: '
[ "$(grep -c ' 230 20 20 0 [0-9]*$' out/grains-intersections.ply)" -eq 27 ] || fail "not 27 red points"

# what collides by a surface that it carries: told in that one's vertices, and shown by it
cat > carried.json <<END
{ "visviva": 1, "gravity": [0, 0, 0],
  "bodies": [ { "name": "fine", "mesh": { "ball": { "radius": 0.045, "cells": 2 } },
                "surface": { "ball": { "radius": 0.05, "cells": 5 }, "collides": true } },
              { "name": "cube", "mesh": $box, "place": { "translate": [0.098, 0, 0] } } ] }
END
expect 2 'bodies intersect' check carried.json
says '    "fine" surface triangle ('
expect 0 '548 triangles' info out/carried-intersections.ply # 20 x 5 x 5 and 48
expect 0 'free of penetration' check carried.json --set bodies[0].surface.collides=false
expect 2 '"fine" surface vertex ' check carried.json --set 'bodies[1].place.translate=[1,0,0]' --set 'obstacles=[{"plane":{"point":[0,-0.048,0]}}]'

# apart, or not to touch: a good start
expect 0 'free of penetration and intersection' check scene.json --set 'bodies[2].place.translate=[0.32,0.2,0]' \
    --set 'obstacles[1].motion.waypoints[0].offset=[0,0,0]'
expect 0 'free of penetration' check scene.json --set 'bodies[2].filter.mask=0' --set 'bodies[0].filter.mask=0'
expect 0 'nothing can collide' check scene.json --set contact.model=none --set 'obstacles=[]'
echo "$test_name: ok"
