#!/usr/bin/env bash
# A closed surface as a body: mentioned where it becomes springs, filled where the scene says so; and what visviva new makes of surfaces
# with holes, open ones, and rooms.
. "$(dirname "$0")/program.sh"
# ring NAME STEPS CONDITION: a torus of quads; those for which the awk condition holds (i: around, j: across) are left out
ring() {
    awk -v n="$2" -v m=$(($2 / 2)) "BEGIN { pi = atan2(0, -1)
        for (i = 0; i < n; i++) for (j = 0; j < m; j++) { r = 0.12 + 0.05 * cos(2 * pi * j / m)
            print \"v\", r * cos(2 * pi * i / n), r * sin(2 * pi * i / n), 0.05 * sin(2 * pi * j / m) }
        for (i = 0; i < n; i++) for (j = 0; j < m; j++) if (!(${3:-0})) { I = m * ((i + 1) % n) + 1; J = (j + 1) % m
            print \"f\", m * i + j + 1, I + j, I + J, m * i + J + 1 } }" > "$1"
}
# blocks NAME X0 Y0 Z0 X1 Y1 Z1 ...: blocks side by side, each by two of its corners
blocks() {
    local name=$1
    shift
    for ((i = 0; $# >= 6; i += 8)); do
        for z in "$3" "$6"; do for y in "$2" "$5"; do for x in "$1" "$4"; do echo "v $x $y $z"; done; done; done
        for quad in '1 3 4 2' '5 6 8 7' '1 2 6 5' '3 7 8 4' '1 5 7 3' '2 4 8 6'; do
            for k in $quad; do echo $((i + k)); done | paste -sd ' ' | sed 's/^/f /'
        done
        shift 6
    done > "$name"
}
ring ring.obj 48
ring holes.obj 48 'i == 3 && (j == 4 || j == 5) || i == 20 && j == 2'
ring open.obj 48 'i < 20'
scene() { echo "{ \"visviva\": 1, \"integrator\": { \"ground_energy\": \"none\" }, \"time\": { \"end\": 0.05 }, \"bodies\": [ { \"name\": \"ring\", \"mesh\": $1,
    \"place\": { \"translate\": [0, 0.3, 0] } } ], \"obstacles\": [ { \"plane\": {} } ] }"; }

# without "fill" check and run warn, once, with what to write
scene '{ "file": "ring.obj" }' > skin.json
for command in "check" "run -o skin.vtkhdf"; do
    expect 0 'warning: bodies[0].mesh: ring.obj is a closed surface without tets' ${command%% *} skin.json ${command#"${command%% *}"}
    says '"fill": true beside "file" fills it with tets'
    [ "$(grep -c 'warning:' <<<"$said")" -eq 1 ] || fail "not one warning: $said"
done
expect 0 '0 tets, 2304 triangles' check skin.json --set bodies.0.material.model=hooke
grep -q warning <<<"$said" && fail "a skin that was meant: $said"
expect 0 '0 tets, 2304 triangles' check skin.json --set bodies.0.mesh.fill=false
grep -q warning <<<"$said" && fail "a skin that was said: $said"
expect 0 'holes.obj is a closed surface (but for 2 small holes) without tets' check skin.json --set "bodies[0].mesh.file=holes.obj"
expect 0 '0 tets' check skin.json --set "bodies[0].mesh.file=open.obj"
grep -q warning <<<"$said" && fail "an open sheet: $said"
# with it
scene '{ "file": "ring.obj", "fill": true, "edge": 0.02 }' > solid.json
expect 0 'filled ring.obj with' check solid.json
says 'of edge 0.02 (in the file'"'"'s units)'
grep -q warning <<<"$said" && fail "a filled surface: $said"
expect 0 'numerical error' run solid.json -o solid.vtkhdf
expect 0 'body "ring": ' info solid.vtkhdf
grep -q ' 0 tets' <<<"$said" && fail "no tets in the run: $said"
"$VISVIVA" export solid.vtkhdf -q -f csv -o whole.csv
expect 0 '' run solid.json -q --until 0.02 -o parts.vtkhdf # a run that is resumed fills it again, alike
expect 0 '' run parts.vtkhdf -q --resume --until 0.05
"$VISVIVA" export parts.vtkhdf -q -f csv -o parts.csv
cmp whole.csv parts.csv || fail "a resumed run differs"
expect 0 'closed 2 holes of holes.obj' check skin.json --set bodies.0.mesh.fill=true --set bodies.0.mesh.file=holes.obj
expect 2 'bodies[0].mesh: ' check skin.json --set bodies.0.mesh.fill=true --set bodies.0.mesh.file=open.obj
says 'open.obj: the surface bounds no volume: 48 open edges, the first at (-0.1472, 0.085, 0) m; visviva mesh SURFACE --check --bad FAULTS.obj shows where'
# long work has a line of progress and ends with Ctrl-C
scene '{ "file": "ring.obj", "fill": true, "edge": 0.0016 }' > fine.json
: > log
"$VISVIVA" run fine.json -o fine.vtkhdf >> log 2>&1 < /dev/null &
pid=$!
for _ in $(seq 600); do grep -q 'run: filling ring.obj with tets: ' log && break; kill -0 $pid 2> /dev/null || fail "filled too fast: $(cat log)"; sleep 0.1; done
grep -qE '^run: filling ring.obj with tets: [0-9]+%, .* left' log || fail "no progress: $(cat log)"
kill -TERM $pid
code=0; wait $pid || code=$?
[ $code -eq 130 ] || fail "interrupted: exit code $code ($(cat log))"
grep -q 'visviva: interrupted' log && [ ! -e fine.vtkhdf ] || fail "interrupted: $(cat log)"

# new: small holes are closed, and it says so
expect 0 'closed 2 holes: 6 triangles, the widest hole 31.11 mm wide' new holes.obj --with lattice --edge 0.03
expect 0 'free of penetration' check holes.json
expect 2 'holes.json exists; choose another name with -o, or overwrite it with --force' new holes.obj --with lattice
touch -d '2000-01-01' holes.json holes.msh
expect 0 'scene holes.json' new holes.obj --with lattice --edge 0.025 --force
[ holes.json -nt whole.csv ] && [ holes.msh -nt whole.csv ] || fail "--force overwrote nothing"
expect 2 '10 edges with one triangle only' new holes.obj -o x.json --close-holes 0 --force --with lattice
expect 2 '6 edges with one triangle only' new holes.obj -o x.json --close-holes 0.03 --force --with lattice
says '1 hole left open: at least 31.11 mm wide'
expect 2 'the 48 faulty triangles are in bad.obj' new open.obj --bad bad.obj --with lattice
[ "$(grep -c '^f' bad.obj)" -eq 48 ] || fail "bad.obj"
[ ! -e open.json ] && [ ! -e open.msh ] && [ ! -e x.json ] || fail "something was written after a refusal"
cp holes.msh own.msh
expect 2 'a scene ends in .json' new own.msh -o own.txt
expect 2 'is the model itself' new own.msh -o own.msh --force
# new: a box that carries an open surface, and a room
expect 0 'a box of ' new open.obj --box --room
says 'the room is 700 mm wide'
expect 0 'obstacles: 6' check open.json
expect 0 'no surfaces intersect in the recorded frames' run open.json --until 0.5 --set integrator.ground_energy=none --summary open.summary
"$VISVIVA" export out/open.vtkhdf -q -o frame.obj --frames 4
[ "$(cat frame*.obj | grep -c '^f')" -ge "$(grep -c '^f' open.obj)" ] || fail "the carried surface is not shown"
expect 2 '--box is for surfaces' new own.msh --box
expect 0 'mesh boxed.msh: a box of ' new ring.obj --box -o boxed.json # beside tets that fill the model
expect 2 'cannot be combined with it' new open.obj --box --with lattice -o y.json
expect 0 'scene ring.json' new ring.obj --with lattice --edge 0.03 --room --height 2
grep -q '"ceiling", "plane": { "point": \[0, 5' ring.json || fail "the ceiling: $(grep ceiling ring.json)"
expect 0 'free of penetration' check ring.json --set bodies.0.velocity.linear=[3,3,2]

# new: a proposed edge that is too large for the model, a strip or a limb thinner than its tets, is made smaller by itself
blocks strip.obj 0 0 0 0.3 0.02 0.002
blocks foil.obj 0 0 0 0.3 0.02 0.0001
blocks limb.obj 0 0 0 0.008 0.008 0.008 0.009 0.003 0.003 0.2 0.0042 0.0042
blocks hair.obj 0 0 0 0.008 0.008 0.008 0.009 0.003 0.003 0.2 0.00301 0.00301
expect 0 'are too large for the model: trying finer ones (1 of at most 3)' new strip.obj --with lattice
expect 0 'free of penetration' check strip.json
expect 2 'trying finer ones (3 of at most 3)' new foil.obj --with lattice
says 'no tet of edge 0.00108'
[ "$(grep -c visviva: <<<"$said")" -eq 1 ] || fail "not one error: $said"
expect 2 'no tet of edge 0.004' new foil.obj --with lattice --edge 0.004
grep -q 'trying finer' <<<"$said" && fail "another edge than the given one: $said"
expect 2 'the tets are too large for the model' new limb.obj --with lattice --carry-surface --edge 0.002
grep -q 'trying finer' <<<"$said" && fail "another edge than the given one: $said"
expect 0 'trying finer ones (1 of at most 3)' new limb.obj --with lattice --carry-surface
says "the tets carry the model's own surface"
expect 0 'free of penetration' check limb.json
expect 2 'cannot carry its surface; choose a smaller --edge' new hair.obj --with lattice --carry-surface
[ "$(grep -c 'trying finer' <<<"$said")" -eq 3 ] && [ "$(grep -c visviva: <<<"$said")" -eq 1 ] || fail "not three tries, one error: $said"
[ ! -e hair.json ] && [ ! -e hair.msh ] && [ ! -e foil.msh ] || fail "something was written after a refusal"

# mesh: what was turned over, and edges of more than two triangles
awk '/^f/ && n++ < 10 { print $1, $5, $4, $3, $2; next } 1' ring.obj > turned.obj
expect 0 'repaired while reading: 20 triangles reversed' mesh turned.obj --check
expect 0 'repaired while reading: 20 triangles reversed' info turned.obj
{ cat ring.obj; echo 'v 0.5 0 0'; echo 'f 1 2 1153'; } > fin.obj
expect 0 'not a manifold: 1 edge with more than two triangles' info fin.obj
expect 2 '1 edge with more than two triangles' mesh fin.obj --check
says 'or let a box carry it (visviva new --box)'
expect 0 'scene fin.json' new fin.obj --box
expect 0 'closed 2 holes' mesh holes.obj --close-holes 0.05 --check
expect 2 'close small holes (--close-holes)' mesh holes.obj --check
echo "$test_name: ok"
