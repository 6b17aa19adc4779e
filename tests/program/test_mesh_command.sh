#!/usr/bin/env bash
# visviva mesh and visviva new: verdicts on surfaces, filling by what is installed and by stand-ins, scenes that run.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -x "${VISVIVA:-}" ] || { echo "test_mesh_command: skipped, no program in \$VISVIVA"; exit 77; }
export TMPDIR="$work/tmp"
mkdir "$TMPDIR" "$work/odd 'name; \$x"
cd "$work/odd 'name; \$x"
fail() { echo "test_mesh_command: $*" >&2; exit 1; }
# run CODE WORDS COMMAND...: the exit code and what is said
run() {
    local want=$1 words=$2 code=0
    shift 2
    said=$("$@" 2>&1) || code=$?
    [ $code -eq "$want" ] || fail "exit code $code, not $want, of: $* ($said)"
    grep -qF -- "$words" <<<"$said" || fail "no \"$words\" in what $* said: $said"
    [ -z "$(ls -A "$TMPDIR")" ] || fail "$* left $(ls -A "$TMPDIR")"
}
none="$work/none"; mkdir "$none" # a PATH without any program

cube() { # cube X Y Z SIZE FIRST
    for z in 0 1; do for c in "0 0" "1 0" "1 1" "0 1"; do set -- "$1" "$2" "$3" "$4" "$5" $c
        echo "v $(($1 + $6 * $4)) $(($2 + $7 * $4)) $(($3 + z * $4))"; done; done
    for f in "4 3 2 1" "5 6 7 8" "1 2 6 5" "2 3 7 6" "3 4 8 7" "4 1 5 8"; do
        set -- "$1" "$2" "$3" "$4" "$5" $f
        echo "f $(($6 + $5)) $(($7 + $5)) $(($8 + $5)) $(($9 + $5))"; done
}
cube 0 0 0 12 0 > cube.obj
{ cube 0 0 0 12 0; cube 3 3 3 6 8; } > hollow.obj
{ cube 0 0 0 12 0; cube 20 0 0 12 8; } > two.obj
{ cube 0 0 0 12 0; cube 3 3 3 12 8; } > crossing.obj
{ cube 0 0 0 12 0; cube 12 3 3 4 8; } > touching.obj
sed '$d' cube.obj > open.obj
printf 'v 0 0 0\nv 1 0 0\nl 1 2\n' > line.obj

# verdicts; nothing is written
run 0 "closed, no triangles cross; its volume is 1728 m3" "$VISVIVA" mesh cube.obj --check
run 2 "4 edges with one triangle only (a hole), the first from (" "$VISVIVA" mesh open.obj -o x.msh
run 2 "pairs of triangles that cross, the first is" "$VISVIVA" mesh crossing.obj -o x.msh
run 2 "(corners (12, 0, 0)" "$VISVIVA" mesh touching.obj -o x.msh
run 2 "no triangles, so there is no surface" "$VISVIVA" mesh line.obj -o x.msh
run 2 "cannot be opened" "$VISVIVA" mesh nowhere.obj -o x.msh
run 2 "-o BODY.msh" "$VISVIVA" mesh cube.obj
run 2 "is the surface itself" "$VISVIVA" mesh cube.obj -o cube.obj
run 2 ".msh" "$VISVIVA" mesh cube.obj -o x.obj
run 2 ".msh" "$VISVIVA" mesh cube.obj -o x
run 2 "out of range" "$VISVIVA" mesh cube.obj -o x.msh --edge -1
run 2 "tetgen, gmsh, lattice and wrap" "$VISVIVA" mesh cube.obj -o x.msh --with magic
[ ! -e x.msh ] || fail "x.msh was written after a refusal"
run 2 "faulty triangles are in bad.obj" "$VISVIVA" mesh crossing.obj --check --bad bad.obj
[ "$(grep -c '^f' bad.obj)" -gt 3 ] || fail "bad.obj holds the triangles that cross"
[ "$(grep -c '^f' bad.obj)" -lt 24 ] || fail "bad.obj holds no others"

# the lattice needs nothing else
run 0 "tets" env PATH="$none" "$VISVIVA" mesh cube.obj -o cube.msh --edge 2 --with lattice
run 0 "mesh:" "$VISVIVA" info cube.msh
run 2 "already holds tets" "$VISVIVA" mesh cube.msh -o x.msh
run 0 "without 1 cavity" "$VISVIVA" mesh hollow.obj -o hollow.msh --edge 1.5 --with lattice
run 0 "12 triangles around 1728 m3" "$VISVIVA" mesh hollow.obj -o full.msh --edge 2 --with lattice --no-cavities
run 0 "2 separate parts" "$VISVIVA" mesh two.obj -o two.msh --edge 2 --with lattice
rm hollow.msh
awk '/^v/ { $4 /= 50 } 1' cube.obj > plate.obj
run 0 "again with" "$VISVIVA" mesh plate.obj -o plate.msh --with lattice
run 2 "smaller edge" "$VISVIVA" mesh cube.obj -o x.msh --edge 100 --with lattice
run 0 "neither TetGen nor Gmsh is installed" env PATH="$none" "$VISVIVA" mesh cube.obj -o none.msh
run 2 "packages tetgen and gmsh" env PATH="$none" "$VISVIVA" mesh cube.obj -o x.msh --keep-surface
run 2 "package gmsh" env PATH="$none" "$VISVIVA" mesh cube.obj -o x.msh --with gmsh
run 2 "--keep-surface" "$VISVIVA" mesh cube.obj -o x.msh --keep-surface --with lattice

# stand-ins for a filler: one that fails, one that lies, one that hangs, one that makes something else
fake="$work/fake"; mkdir "$fake"
stand_in() { printf '#!/bin/bash\n%s\n' "$1" > "$fake/tetgen"; chmod +x "$fake/tetgen"; }
with_fake() { run "$1" "$2" env PATH="$fake:$PATH" "$VISVIVA" mesh "${@:3}" -o x.msh --with tetgen; }
stand_in 'echo "no luck today"; exit 3'
with_fake 1 "no luck today" cube.obj
stand_in 'exit 0'
with_fake 1 "wrote no mesh" cube.obj
stand_in 'echo rubbish > "${!#%.smesh}.1.ele"'
with_fake 1 "cannot be used" cube.obj
stand_in 'b=${!#%.smesh}.1; printf "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n" > $b.node; printf "1 4 0\n0 0 1 2 3\n" > $b.ele'
with_fake 1 "but the surface bounds 1728 m3" cube.obj
stand_in 'sleep 300 & echo $! > '"$work"'/sleeper; sleep 300'
with_fake 1 "was stopped" cube.obj --timeout 0.5
state=$(sed 's/.*) //' "/proc/$(cat "$work/sleeper")/stat" 2>/dev/null) || state=gone
[[ "$state" == gone || "$state" == Z* ]] || fail "what a filler started lives on after it was stopped"
PATH="$fake:$PATH" "$VISVIVA" mesh cube.obj -o x.msh --with tetgen > log 2>&1 &
pid=$!
for _ in $(seq 100); do grep -q "filling with" log && [ -n "$(ls -A "$TMPDIR")" ] && break; sleep 0.1; done
sleep 0.3
kill -TERM $pid
code=0; wait $pid || code=$?
[ $code -eq 130 ] || fail "interrupted: exit code $code, not 130 ($(cat log))"
grep -q interrupted log || fail "interrupted: said"
[ -z "$(ls -A "$TMPDIR")" ] || fail "interrupted: left $(ls -A "$TMPDIR")"
[ ! -e x.msh ] || fail "a mesh was written by a filler that failed"
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked; chmod 555 locked
    run 2 "cannot write" "$VISVIVA" mesh cube.obj -o locked/x.msh --with lattice
    chmod 755 locked
fi
run 2 "cannot write" "$VISVIVA" mesh cube.obj -o cube.obj/x.msh --with lattice

# scenes
run 0 "Young's modulus" env PATH="$none" "$VISVIVA" new cube.obj --with lattice --edge 3 --height 0.2 -o "sc enes/cube.json"
[ -e "sc enes/cube.msh" ] || fail "new: the tets are beside the scene"
run 2 "exists" "$VISVIVA" new cube.obj -o "sc enes/cube.json"
run 2 "exists" "$VISVIVA" new cube.obj -o "sc enes/other.json"
run 0 "free of penetration" "$VISVIVA" check "sc enes/cube.json"
run 0 "numerical error" "$VISVIVA" run "sc enes/cube.json" -o cube.vtkhdf --until 0.3
# the scene carries its ground level, what settle finds
carried=$(sed -n 's/.*"ground_energy": \([-0-9.e]*\).*/\1/p' "sc enes/cube.json")
run 0 "ground_energy=" "$VISVIVA" settle "sc enes/cube.json"
awk -v a="$carried" -v b="$(sed -n 's/.*ground_energy=//p' <<<"$said")" 'BEGIN { exit !(a < 0 && (a - b) ^ 2 < 1e-8 * a ^ 2) }' \
    || fail "new: the ground level is $carried J, not as settle says: $said"
run 0 "the body is 12 m high" "$VISVIVA" new two.msh --up z --one-body
cube 0 0 0 120 0 > large.obj
run 0 "is 12 mm high (scaled)" env PATH="$none" "$VISVIVA" new cube.obj --unit mm --with lattice --edge 3 -o unit.json --force
run 2 "m, cm, mm, in or ft" "$VISVIVA" new cube.obj --unit furlong -o x.json --force
run 2 "leave one out" "$VISVIVA" new cube.obj --unit mm --height 1 -o x.json --force
run 0 "millimetres or centimetres" "$VISVIVA" new large.obj --with lattice --edge 20
grep -q '"file": "two.msh"' two.json || fail "new: a mesh in the scene's folder goes by its name"
run 0 "free of penetration" "$VISVIVA" check two.json
run 2 "y or z" "$VISVIVA" new two.msh --up x -o x.json
run 0 "visviva run tens.json" "$VISVIVA" new two.msh --order 2 --one-body -o tens.json
grep -q '"file": "two.msh", "order": 2' tens.json || fail "new: --order 2 is not in the scene"
run 0 "free of penetration" "$VISVIVA" check tens.json
run 2 "leave one out" "$VISVIVA" new two.msh --order 2 --affine -o x.json
run 2 "1 to 2" "$VISVIVA" new two.msh --order 3 -o x.json
# tets too large for a part of the model: said in these words, and nothing is left in the way of the next try
{ cube 0 0 0 12 0; cube 40 0 0 1 8; } > crumb.obj
run 2 "choose a smaller --edge" "$VISVIVA" new crumb.obj --with lattice --carry-surface --edge 6
[ ! -e crumb.msh ] && [ ! -e crumb.json ] || fail "new: a refused scene leaves files"
run 0 "visviva run crumb.json" "$VISVIVA" new crumb.obj --one-body --with lattice --carry-surface --edge 0.7
cp cube.obj $'b\xe4r.obj' && run 2 "UTF-8" "$VISVIVA" new $'b\xe4r.obj'
cp cube.obj "bär.obj" && run 0 "scene bär.json" "$VISVIVA" new "bär.obj" --with lattice --edge 3
run 2 "the surface bounds no volume" "$VISVIVA" new open.obj --keep-surface
run 2 "the surface bounds no volume" "$VISVIVA" new open.obj --with lattice
run 2 "cannot be opened" "$VISVIVA" new nowhere.obj
# a surface that bounds no volume is wrapped by itself, and what is no solid is told so
{ cube 0 0 0 4 0; cube 2 1 1 4 8; } > knot.obj
run 0 "so it is wrapped" env PATH="$none" "$VISVIVA" new knot.obj --edge 0.5
run 0 "free of penetration" "$VISVIVA" check knot.json
run 0 "bridges gaps" "$VISVIVA" mesh knot.obj -o crossed.msh --edge 0.5 --with wrap
run 2 "no --keep-surface" "$VISVIVA" mesh knot.obj -o x.msh --with wrap --keep-surface
run 0 "the body is the wrap's surface" "$VISVIVA" new knot.obj --affine --force
printf 'v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 2 0 0\nv 2 0 1\nf 1 3 2\nf 1 4 3\nf 2 6 5\nf 2 3 6\n' > sheet.obj
run 2 "visviva new --cloth makes cloth of it" "$VISVIVA" new sheet.obj
run 0 "falls onto a ball" "$VISVIVA" new sheet.obj --cloth
run 0 "free of penetration" "$VISVIVA" check sheet.json
run 2 "cannot be combined with it" "$VISVIVA" new sheet.obj --cloth --affine -o x.json
[ ! -e open.json ] && [ ! -e x.json ] && [ ! -e nowhere.json ] || fail "new: no scene after a refusal"

# the real ones, where they are
filled=0
for filler in tetgen gmsh; do
    command -v $filler > /dev/null || continue
    filled=1
    run 0 "100% of the surface's volume" "$VISVIVA" mesh cube.obj -o "$filler.msh" --edge 4 --with $filler
    run 0 "100% of the surface's volume" "$VISVIVA" mesh hollow.obj -o "h $filler.msh" --edge 4 --with $filler --keep-surface
    run 0 "100% of the surface's volume" "$VISVIVA" mesh two.obj -o "t$filler.msh" --edge 4 --with $filler --keep-surface
    run 0 "1512 m3" "$VISVIVA" info "h $filler.msh"
    run 0 "2 components" "$VISVIVA" info "t$filler.msh"
    run 0 "Young's modulus" "$VISVIVA" new hollow.obj --with $filler --keep-surface --height 0.3 --edge 4 -o "$filler.json"
    rm "hollow.msh"
done
[ $filled -eq 1 ] || { echo "test_mesh_command: skipped in part, neither tetgen nor gmsh is installed"; exit 77; }
echo "test_mesh_command: ok"
