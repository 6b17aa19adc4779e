#!/usr/bin/env bash
# visviva run: what is there is kept (--force, endings), a run of the start alone, scenes by name, a disk that is full.
scenes=$(cd "$(dirname "$0")/../../scenes" && pwd)
. "$(dirname "$0")/program.sh"
cat > box.json <<END
{ "visviva": 1, "name": "a box", "time": { "step": "1/60", "end": 0.1 }, "integrator": { "ground_energy": "none" },
  "bodies": [ { "material": { "young": 1e5 }, "mesh": $box, "place": { "translate": [0, 0.06, 0] } } ], "obstacles": [ { "plane": {} } ] }
END
first() { "$VISVIVA" export "$1" -q -f csv -o "$1.csv" && cat "$1.csv"; }

# a second run of a scene: told what is there and what to do, before anything is done
expect 0 'numerical error' run box.json
before=$(first out/box.vtkhdf)
expect 2 'out/box.vtkhdf already exists (run of "a box": done, 7 frames, to t = 0.1 s)' run box.json --set time.end=0.2
says '--force overwrites it, -o FILE writes another file, --resume continues it'
[ "$(wc -l <<<"$said")" -eq 1 ] || fail "more than one line: $said"
[ "$(first out/box.vtkhdf)" = "$before" ] || fail "the run was changed"
expect 0 '' run box.json -q -o other.vtkhdf
expect 0 '' run box.json -q --force --until 0.05
expect 0 '4 frames' info out/box.vtkhdf
expect 0 '' run out/box.vtkhdf -q --resume --until 0.1
[ "$(first out/box.vtkhdf)" = "$before" ] || fail "a resumed run differs"
# a branch overwrites no run, either
expect 2 'other.vtkhdf already exists' run out/box.vtkhdf -q --resume --from 2 -o other.vtkhdf
grep -q 'resume' <<<"$said" && fail "--resume was given: $said"
[ "$(first other.vtkhdf)" = "$before" ] || fail "the other run was changed"
expect 0 '' run out/box.vtkhdf -q --resume --from 2 -o other.vtkhdf --force --until 0.15
expect 0 '10 frames' info other.vtkhdf
# what is no run is not overwritten at all
cp box.json own.vtkhdf
expect 2 'is not a run file' run box.json --force -o own.vtkhdf
cmp -s box.json own.vtkhdf || fail "own.vtkhdf was overwritten"
head -c 100 other.vtkhdf > broken.vtkhdf
expect 2 'broken.vtkhdf already exists (is damaged)' run box.json -q -o broken.vtkhdf
expect 0 '' run box.json -q -o broken.vtkhdf --force

# endings
for name in x.txt x.JSON x.obj; do
    expect 2 "-o $name: a run ends in .vtkhdf .hdf .hdf5 .h5, not in ${name#x}" run box.json -o $name
    expect 2 'not in' settle box.json -o $name
    [ ! -e $name ] || fail "$name was written"
done
expect 2 'obj ends in .obj, not in .txt' export other.vtkhdf -f obj -o x.txt
expect 2 'vtu ends in .pvd .vtu, not in .glb' export other.vtkhdf -f vtu -o x.glb
expect 2 'no format has the ending .txt' export other.vtkhdf -o x.txt
expect 2 'did you mean "obj"' export other.vtkhdf -f ibj -o x.txt
expect 2 'ends in .png or .svg' plot other.vtkhdf -o x.txt
expect 2 'use .msh' mesh box.json -o x.txt
expect 2 '.obj, not in .txt' mesh box.json --check --bad x.txt
expect 2 'end in .png' render other.vtkhdf -o x.txt
ls x* 2>/dev/null && fail "something was written"
expect 0 '' run box.json -q -o plain
expect 0 '' run box.json -q -o step-0.5
expect 0 '' export other.vtkhdf -q -f obj -o frame-0.5 --frames 0
expect 2 '--output needs a value: --output FILE' run box.json -o ''
expect 2 '--summary needs a value: --summary FILE, not --quiet' run box.json --summary --quiet
mkdir folder
expect 2 '--summary folder is a folder' run box.json -o summed.vtkhdf --summary folder
[ ! -e summed.vtkhdf ] || fail "a run with a summary that cannot be written"

# the start alone
expect 0 '0 steps' run box.json --until 0 -o start.vtkhdf --summary start.summary
expect 0 'done' info start.vtkhdf
says '1 frame, t = 0 to 0 s'
grep -q '"steps": 0,' start.summary || fail "steps of the start"
expect 0 '' run start.vtkhdf -q --resume --until 0.1
[ "$(first start.vtkhdf)" = "$before" ] || fail "a run that went on from the start differs"

# scenes by name
for command in info "run -q --until 0 -o named.vtkhdf --set" "check --set"; do
    expect 0 '' $command ${command:+$([[ $command == *--set ]] && echo integrator.ground_energy=none)} critter-drop
done
expect 0 'run of "critter drop"' info named.vtkhdf
expect 0 '' run rotating-cube.json -q --until 0 --set integrator.ground_energy=none
expect 0 '1 frame,' info out/rotating-cube.vtkhdf
expect 2 'run of "a box"' run box # without .json: the scene in this folder, of which there is a run
expect 2 'there is no file critter-drp and no scene of that name; did you mean "critter-drop"? (the scenes are: ' run critter-drp
expect 2 'cannot open the scene file absent.json' run absent.json
for command in run check settle truth "compare --with none"; do
    expect 2 'part.stl is a mesh, not a scene: visviva new part.stl makes a scene from it' $command part.stl
done
expect 2 'did you mean "search"? (schemes: ' compare box.json --with serach
for command in plot sheet render "export -f csv"; do # where run put the run of that name
    expect 2 'there is no file box; did you mean out/box.vtkhdf?' $command box
    expect 2 'absent cannot be opened' $command absent
done
expect 2 'cannot open the scene file ./critter-drop' run ./critter-drop
mkdir scenes && sed 's/a box/my own/' box.json > scenes/critter-drop.json # those of the folder come first
expect 0 'scene "my own"' info critter-drop
expect 0 'critter-drop         my own' list scenes
rm -r scenes
expect 0 '  critter-drop         The critter falls' list scenes
[ "$(grep -c '^  ' <<<"$said")" -eq "$(ls "$scenes"/*.json | wc -l)" ] || fail "not all scenes: $said"

# a disk without room: exit code 1, one line, and none of HDF5's
for blocks in 1 4 16 64 1500 3000; do
    (ulimit -f $blocks; expect 1 'File too large' run box.json -q --until 20 -o full-$blocks.vtkhdf; [ "$(wc -l <<<"$said")" -eq 1 ] || fail "not one line: $said")
    [ $blocks -gt 64 ] || [ ! -e full-$blocks.vtkhdf ] || fail "a run without a frame was left"
done
cp out/box.vtkhdf going-on.vtkhdf
(ulimit -f 100; expect 1 'a longer copy of the run (File too large); the run is as it was, 7 complete frames' run going-on.vtkhdf -q --resume --until 40)
[ "$(first going-on.vtkhdf)" = "$before" ] || fail "a run that could not go on was changed"
[ ! -c /dev/full ] || expect 1 'cannot write the summary /dev/full: No space left on device' run box.json -q -o full.vtkhdf --force --summary /dev/full
# joints that break are told, and kept
cat > rope.json <<END
{ "visviva": 1, "name": "a rope", "time": { "step": "1/60", "end": 0.5 }, "integrator": { "scheme": "sdirk2", "ground_energy": "none" }, "contact": { "model": "none" },
  "bodies": [ { "name": "bob", "material": { "young": 1e5 }, "mesh": $box } ],
  "joints": [ { "kind": "distance", "between": ["world", "bob"], "at": [0, 1, 0], "to": [0, 0, 0], "limits": [0, 1], "break_force": 0.1 } ] }
END
expect 0 'joints[0] ("distance" of "world" and "bob") breaks under' run rope.json
expect 0 'joints[0] ("distance" of "world" and "bob") breaks under' info out/rope.vtkhdf
echo "$test_name: ok"
