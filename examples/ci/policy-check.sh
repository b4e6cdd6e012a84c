#!/bin/sh
# Tests a policy, decides recorded calls again under it, and shows on a pull request what changes: as one
# comment, which later runs update. It prints the same and exits with 1 if a test fails or the policy
# allows what was blocked.
#
#   sh policy-check.sh POLICY [SOURCE...]
#
# POLICY is a checkrein.yaml, or a directory with one. Each SOURCE is recorded calls, such as the output
# of checkrein audit export; the default is the runner's own ledger. Where it runs on a pull request, it
# needs curl, jq and these variables:
#
#   GITHUB_API_URL, GITHUB_REPOSITORY   as GitHub Actions sets them
#   GITHUB_TOKEN                        may write comments on pull requests
#   PULL_REQUEST                        its number; without it, nothing is sent
#   FAIL_ON                             what fails (newly-allowed); see checkrein replay --help
set -eu

policy=${1:?usage: policy-check.sh POLICY [SOURCE...]}
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
failed=0

if checkrein test --help >/dev/null 2>&1; then # older builds have no tests
	tests=$policy
	[ -d "$policy" ] || tests=$(dirname "$policy")
	for file in "$tests"/*_test.yaml; do
		[ -e "$file" ] || continue
		checkrein test "$file" || failed=1
	done
fi

code=0
checkrein replay --policy "$policy" --fail-on "${FAIL_ON:-newly-allowed}" --markdown "$@" >"$work/comment.md" || code=$?
cat "$work/comment.md"
[ "$code" -eq 0 ] || failed=1
[ "$code" -le 1 ] || exit "$code" # there is no report

[ -n "${PULL_REQUEST:-}" ] || exit "$failed"

comments=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues
call() { # METHOD URL [FILE]
	printf 'header = "Authorization: Bearer %s"\n' "$GITHUB_TOKEN" | # not in the list of processes
		curl --silent --show-error --fail --retry 3 --config - --request "$1" --header 'Accept: application/vnd.github+json' ${3:+--header 'Content-Type: application/json' --data-binary "@$3"} "$2"
}

# GitHub takes 65,536 characters.
head -c 60000 "$work/comment.md" | iconv -c -f utf-8 -t utf-8 | jq -Rs '{body: .}' >"$work/body.json"
id=
page=1
while [ -z "$id" ] && [ "$page" -le 30 ]; do
	call GET "$comments/$PULL_REQUEST/comments?per_page=100&page=$page" >"$work/page.json"
	id=$(jq -r 'map(select((.body // "") | startswith("<!-- checkrein replay -->"))) | .[0].id // empty' "$work/page.json")
	[ "$(jq length "$work/page.json")" -eq 100 ] || break
	page=$((page + 1))
done
if [ -n "$id" ]; then
	call PATCH "$comments/comments/$id" "$work/body.json" >/dev/null
else
	call POST "$comments/$PULL_REQUEST/comments" "$work/body.json" >/dev/null
fi
exit "$failed"
