#!/bin/sh
# in-memory.sh COMMAND…: runs a command whose temporary files are in memory, where that
# can be had: tests wait for the disk thousands of times, and on some machines each time
# is seconds while compilers write. Homes that must not be among temporary files are made
# in CHECKREIN_TEST_HOMES, and what stays at the end is named. Elsewhere the command just runs. In both cases tests share the
# programs that they build (CHECKREIN_TEST_PROGRAMS).
set -u
least=8000000 # kB of memory to spare
tmp=$(mktemp -d "${TMPDIR:-/tmp}/XXXXXX") || exit 1
share='mkdir -m 700 "$0/programs" && CHECKREIN_TEST_PROGRAMS=$0/programs && export CHECKREIN_TEST_PROGRAMS'
left='code=$?; rest=$(ls -A "$0" | grep -vx programs) && echo "*** LEFT AMONG TEMPORARY FILES, by a test or a program that does not clean up:" $rest >&2; exit $code'
free=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo 2>/dev/null)
if [ "$(id -u)" != 0 ] || [ "${free:-0}" -lt $least ] || ! unshare --mount mount -t tmpfs tmpfs /home 2>/dev/null; then
	trap 'rm -rf "$tmp"' EXIT
	sh -c "$share"' && exec "$@"' "$tmp" "$@"
	exit
fi
homes=$(mktemp -d /home/checkrein-tests-XXXXXX) && chmod 755 "$homes" || exit 1
trap 'rmdir "$tmp" "$homes"' EXIT
unshare --mount sh -c 'mount -t tmpfs -o mode=1777 tmpfs "$0" && mount -t tmpfs -o mode=755 tmpfs "$1" && TMPDIR=$0 CHECKREIN_TEST_HOMES=$1 && export TMPDIR CHECKREIN_TEST_HOMES && '"$share"' && shift && { "$@"; '"$left"'; }' "$tmp" "$homes" "$@"
