#!/usr/bin/env bash
# scripts/make-completion: bash offers each command, each option, lists, formats, scenes and scene keys, and files with spaces; zsh
# can read its file.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -x "${VISVIVA:-}" ] || { echo "test_completion: skipped, no program in \$VISVIVA"; exit 77; }
fail() { echo "test_completion: $*" >&2; exit 1; }
sh "$root/scripts/make-completion" "$VISVIVA" "$work/made"
ln -s "$VISVIVA" "$work/visviva"
PATH=$work:$PATH
. "$work/made/visviva"
mkdir "$work/here" && cd "$work/here"
touch "a run.vtkhdf" critters.json

# complete WORDS...: what is offered for the last word, one a line
complete_words() {
    COMP_WORDS=("${program:-visviva}" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _visviva || true
    printf '%s\n' "${COMPREPLY[@]}"
}
offers() { # offers WORD WORDS...
    local word=$1
    shift
    complete_words "$@" | grep -xF -- "$word" >/dev/null || fail "no $word for: visviva $*"
}
lacks() {
    local word=$1
    shift
    ! complete_words "$@" | grep -xF -- "$word" >/dev/null || fail "$word for: visviva $*"
}

for command in $("$VISVIVA" --help | awk '/^  [a-z]/ && $1 != "visviva" { print $1 }'); do
    offers "$command" "${command:0:2}"
    for option in $("$VISVIVA" "$command" --help | sed -nE 's/^  (-., )?(--[a-z-]+).*/\2/p'); do
        offers "$option" "$command" "${option%?}"
    done
done
lacks run c
lacks --resume check --
offers -o run -
offers schemes list sch
offers scenes list scenes
offers usda export drop.vtkhdf --format u
offers critter-drop run cri
offers critters.json run cri
lacks critter-drop run -o cri
offers "a run.vtkhdf" plot a
(PATH=/usr/bin:/bin program=$VISVIVA; offers critter-drop run cri) # of a build that is not installed
offers time.end= run critter-drop --set time.e
offers bodies.0.place.translate= check x --set bodies.0.place.t
offers materials. run x --set mat
if command -v zsh >/dev/null; then
    zsh -n "$work/made/_visviva" || fail "zsh cannot read its file"
fi
echo "test_completion: ok"
