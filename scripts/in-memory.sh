#!/bin/sh
# in-memory.sh COMMAND…: runs a command whose temporary files are in memory, where that
# can be had: tests wait for the disk thousands of times, and on some machines each time
# is seconds while compilers write. Elsewhere the command just runs.
set -u
least=8000000 # kB of memory to spare
free=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo 2>/dev/null)
dir=$(mktemp -d) || exit 1
trap 'rmdir "$dir" 2>/dev/null' EXIT
if [ "$(id -u)" = 0 ] && [ "${free:-0}" -ge $least ] && unshare --mount mount -t tmpfs tmpfs "$dir" 2>/dev/null; then
	unshare --mount sh -c 'mount -t tmpfs -o mode=1777 tmpfs "$0" && TMPDIR=$0 exec "$@"' "$dir" "$@"
else
	"$@"
fi
