#!/usr/bin/env bash
# scripts/setup, on made-up machines: stubs of dpkg-query, apt-get, sudo and id stand in for the real ones.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bin=$work/bin
mkdir "$bin"
fail() { echo "test_setup: $*" >&2; [ -f "$work/said" ] && cat "$work/said" >&2; exit 1; }
stub() { printf '#!/bin/bash\n%s\n' "$2" >"$bin/$1"; chmod +x "$bin/$1"; }

cat >"$work/packages.txt" <<'END'
# a comment
[build]
one      # why
two      # why
[run]
[test]
three    # why
END
# "installed" holds the packages that are there; apt-get writes what it was asked to "calls"
stub dpkg-query 'for p in "$@"; do case $p in -*|*{*) continue;; esac
    if grep -qx "$p" '"$work"'/installed; then echo "$p installed"
    elif grep -qx "$p gone" '"$work"'/installed; then echo "$p config-files"
    else echo "no packages found matching $p" >&2; bad=1; fi; done; exit ${bad:-0}'
stub apt-get "echo \"\$*\" >>$work/calls; [ -t 0 ] && exit 9; exit 0"
stub id "cat $work/uid"
stub sudo 'echo "sudo: a password is required" >&2; exit 1'

# setup_on INSTALLED UID SECTIONS...: exit code in $code, output in $work/said, apt-get's calls in $work/calls
setup_on() {
    printf '%s\n' "$1" >"$work/installed"
    echo "$2" >"$work/uid"
    : >"$work/calls"
    shift 2
    code=0
    PATH="$bin:$PATH" VV_PACKAGES="$work/packages.txt" scripts/setup "$@" >"$work/said" 2>&1 </dev/null || code=$?
}

setup_on $'one\ntwo\nthree' 0
[ $code -eq 0 ] && [ ! -s "$work/calls" ] && [ ! -s "$work/said" ] || fail "all is there: must do and say nothing"

setup_on $'one' 0
[ $code -eq 0 ] || fail "root can install"
grep -q '^install .*two three' "$work/calls" || fail "installs what is missing"
grep -q '^install .* -y .*\|^install -y' "$work/calls" || fail "must not ask"
grep -q ' one' "$work/calls" && fail "installs nothing that is there"
head -n 1 "$work/calls" | grep -q '^update' || fail "fetches the lists first"

setup_on $'one\ntwo' 0 build
[ $code -eq 0 ] && [ ! -s "$work/calls" ] || fail "a section alone: the test packages are not wanted"

setup_on $'one\ntwo gone\nthree' 0
grep -q '^install .*two' "$work/calls" || fail "a removed package with its settings left is missing"

setup_on $'one' 1000
[ $code -eq 2 ] && [ ! -s "$work/calls" ] || fail "no right to install: exit code 2, nothing done"
grep -q 'sudo apt-get update && sudo apt-get install -y --no-install-recommends two three' "$work/said" ||
    fail "prints the exact command"

stub sudo 'shift; exec "$@"' # a sudo that asks nothing (-n first)
setup_on $'one' 1000
[ $code -eq 0 ] && grep -q '^install .*two three' "$work/calls" || fail "sudo without a password installs"

stub apt-get 'echo "E: Unable to locate package two"; exit 100'
setup_on $'one' 0
[ $code -eq 2 ] && grep -q 'Unable to locate' "$work/said" || fail "apt-get's own words when it fails"

setup_on $'one' 0 nonsense
[ $code -eq 2 ] || fail "an unknown section is wrong input"

# the real list: every line is a section, a comment or a name with a reason; no name twice
awk '/^\[[a-z]+\]$/ || /^#/ || NF == 0 { next }
    $1 !~ /^[a-z0-9][a-z0-9+.-]+$/ || $2 != "#" || NF < 3 { print "scripts/packages.txt: " $0; bad = 1 }
    seen[$1]++ { print "scripts/packages.txt: twice: " $1; bad = 1 }
    END { exit bad }' scripts/packages.txt || fail "the list is not well formed"
echo "test_setup: ok"
