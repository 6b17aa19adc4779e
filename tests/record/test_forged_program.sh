#!/usr/bin/env bash
# The program and run files that were made to do harm: each subcommand ends with 2 and says what is wrong, or with 0 if it
# needs nothing of the part that is wrong; nothing of another file of the machine comes out.
. "$(dirname "$0")/../program/program.sh"
forger=$VV_BUILD_DIR/test_record_forged
[ -x "$forger" ] || { echo "$test_name: skipped, no $forger"; exit 77; }
cat > box.json <<END
{ "visviva": 1, "name": "a box", "time": { "step": "1/60", "end": 0.15 }, "integrator": { "ground_energy": "none" },
  "bodies": [ { "mesh": $box, "place": { "translate": [0, 0.06, 0] } } ], "obstacles": [ { "plane": {} } ] }
END
expect 0 '' run box.json -q -o good.vtkhdf
expect 0 '' run box.json -q -o other.vtkhdf
printf 'SECRET-CONTENT\n%.0s' {1..3000} > secret.txt
cp secret.txt kept.txt
forge() { "$forger" forge good.vtkhdf bad.vtkhdf "$work/secret.txt" "$work/other.vtkhdf" "$1" "$2" || fail "cannot forge $*"; }
silent() {
    case "$*" in *external*|*virtual*)
        ! grep -qa SECRET-CONTENT bad.vtkhdf $(ls -d new* 2>/dev/null | grep -v /) || fail "the secret came out: $*" ;;
    esac
    cmp -s secret.txt kept.txt || fail "another file was written to: $*"
}
all=("info bad.vtkhdf" "check bad.vtkhdf" "export bad.vtkhdf -q -f csv -o new.csv" "export bad.vtkhdf -q -f vtu -o new.pvd"
     "render bad.vtkhdf --frame 0 -o new.png" "plot bad.vtkhdf -o new.svg" "compare bad.vtkhdf --with none"
     "report bad.vtkhdf -q -o new.html"
     "run box.json -o bad.vtkhdf" "run bad.vtkhdf -q --resume --until 0.2 -o new.vtkhdf"
     "run bad.vtkhdf -q --resume --until 0.2")

# what every subcommand needs
kinds=(external 'external link' columns) needed=(/VTKHDF/Points) copied=(/VTKHDF/Types /VTKHDF/Steps/PartOffsets)
if [ "${VV_TEST_SIZE:-}" != quick ]; then
    kinds+=(virtual 'soft link' huge packed 'variable string' compound group) needed+=(/visviva/scene /visviva/ledger)
    copied+=(/VTKHDF/Steps/CellOffsets /VTKHDF/Steps/Values /visviva/phase_names)
fi
for kind in "${kinds[@]}"; do
    for path in "${needed[@]}"; do
        [ "$path $kind" != '/visviva/scene virtual' ] || continue # a single text cannot be one
        [ "$path $kind" != '/visviva/scene packed' ] || continue
        forge $path "$kind"
        for command in "${all[@]}"; do
            expect 2 'bad.vtkhdf' $command
            silent "$path $kind: $command"
        done
    done
done

# what only going on needs: it is refused, and the rest does its work or refuses it, too
for path in "${copied[@]}"; do
    for kind in "${kinds[@]}"; do
        forge $path "$kind"
        if [ "$kind" = 'external link' ]; then # larger groups that have one are in a layout that is refused as a whole
            expect 2 'a run file holds all of its data itself' run bad.vtkhdf -q --resume --until 0.2
            silent "$path $kind"
            continue
        fi
        expect 2 "bad.vtkhdf: $path " run bad.vtkhdf -q --resume --until 0.2 -o new.vtkhdf
        expect 2 "bad.vtkhdf: $path " run bad.vtkhdf -q --resume --until 0.2
        expect 0 'a box' info bad.vtkhdf
        silent "$path $kind"
    done
done
forge /VTKHDF/Types external
expect 2 "/VTKHDF/Types is stored in another file (\"$work/secret.txt\"): refused; a run file holds all of its data itself" \
    run bad.vtkhdf -q --resume --until 0.2 -o new.vtkhdf
[ ! -e new.vtkhdf ] && [ ! -e new.vtkhdf.part ] || fail "something was written"

# numbers that cannot be drawn, nor written in single precision: the messages name the file
forge /VTKHDF/Points 1e300
expect 2 'bad.vtkhdf: there is nothing to see: bodies are up to 1e+300 m away' render bad.vtkhdf --frame 0 -o new.png
expect 2 'bad.vtkhdf: frame 0, body' export bad.vtkhdf -q -f obj -o new.obj
expect 0 '' report bad.vtkhdf -q -o far.html
grep -q 'frames from t = 0 s on are left out: .* is more than 1e12 m away' far.html || fail "a report of what is 1e300 m away"
forge /VTKHDF/Points nan
expect 2 'bad.vtkhdf: there is nothing to see: no coordinates of the bodies are numbers' render bad.vtkhdf --frame 0 -o new.png
