#!/bin/sh
# Runs every fuzz target of the module for a short time: sh scripts/fuzz.sh 3s
set -eu
time=${1:-3s}
failed=0
for file in $(git ls-files '*_test.go' | xargs grep -l '^func Fuzz'); do
	dir=./$(dirname "$file")
	for target in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file"); do
		echo "fuzz $dir $target $time"
		go test "$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 100x -parallel 2 >/tmp/fuzz.$$ 2>&1 || { cat /tmp/fuzz.$$; failed=1; }
	done
done
rm -f /tmp/fuzz.$$
exit $failed
