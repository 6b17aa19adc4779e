#!/usr/bin/env bash
# scripts/first-hour on a model and scenes: what works, what is refused, what fails and what is silent each has its line and exit code.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[ -x "${VISVIVA:-}" ] || { echo "test_first_hour: skipped, no program in \$VISVIVA"; exit 77; }
VISVIVA=$(realpath "$VISVIVA")
export VISVIVA
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "test_first_hour: $*" >&2; exit 1; }
# hour CODE ARGUMENTS...: the exit code; what is said goes to $said
hour() {
    local want=$1 code=0
    shift
    said=$("$root/scripts/first-hour" --here --only "$@" 2>&1) || code=$?
    [ $code -eq "$want" ] || fail "exit code $code, not $want, of $*: $said"
}
has() { grep -qE -- "$1" <<<"$said" || fail "no \"$1\" in: $said"; }

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' > closed.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' > open.obj
cat > fine.json <<'JSON'
{ "visviva": 1, "time": { "step": "1/60", "end": 0.1 }, "integrator": { "ground_energy": "none" },
  "bodies": [ { "mesh": { "box": { "cells": [1, 1, 1] } } } ] }
JSON
echo '{ "visviva": 1, "bodys": [] }' > wrong.json

hour 0 --silence 1000 closed.obj open.obj fine.json wrong.json
has 'closed.obj: tets and a scene$'
has 'it.json: a picture$'
has 'open.obj: tets and a scene: refused'
has 'fine.json: run$'
has 'wrong.json: check: refused'
has 'bodys'
! grep -q 'wrong.json: run' <<<"$said" || fail "a scene that is refused is not run: $said"
has 'nothing failed'
[ -z "$(ls "$work" | grep -v -E '\.(obj|json)$')" ] || fail "left behind: $(ls "$work")"

hour 1 --silence 0 fine.json
has 'SILENT'
has 'look at: '

printf '#!/bin/sh\necho broken >&2\nexit 1\n' > program
chmod +x program
VISVIVA=$work/program hour 1 --silence 1000 fine.json
has 'check: FAILED, exit code 1'
has 'broken'
