#!/bin/bash
# tree-cost.sh PROGRAM: what one `checkrein hook` call costs in trees of a stranger.
# Prints the table of docs/benchmarks.md: the least of seven calls, since others may
# use the machine; the first call, which reads what the next ones remember, beside it.
# Needs GNU time. Everything is made below one temporary directory.
set -eu
program=$(realpath "${1:?which program}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

folders() { # of a number, in a tree
	mkdir -p "$work/$1/.git" "$work/$1/.agents/hooks"
	(cd "$work/$1/.agents/hooks" && seq "$2" | sed 's/^/h/' | xargs -r mkdir &&
		seq "$2" | awk '{ f = "h" $1 "/HOOK.md"; printf "---\nname: h%s\ndescription: x\ntrigger: before_tool\n---\n", $1 > f; close(f) }')
}
file() { # a tree with a file
	mkdir -p "$work/$1/.git"
	cat >"$work/$1/checkrein.yaml"
}
call() { # one call in a tree: seconds and KB
	(cd "$work/$1" && env -i HOME="$work/home.$1" PATH="$PATH" /usr/bin/time -f '%e %U %S %M' -o "$work/cost" \
		"$program" hook claude --config "$work/home.$1/.config/checkrein" --state "$work/home.$1/.local/state/checkrein" >"$work/answer" <<-E
		{"session_id":"$2","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"x"}}
		E
	)
	cat "$work/cost"
}
row() { # a tree and its name
	mkdir -p "$work/home.$1"
	first=$(call "$1" s0)
	lines=$(grep -o '\\n' "$work/answer" | wc -l)
	told=0
	[ -s "$work/answer" ] && told=$((lines + 1))
	best=$(for i in 1 2 3 4 5 6 7; do call "$1" s0; done | sort -n | head -1)
	echo "$first $best" | awk -v name="$2" -v told="$told" '
		function ms(s) { return s < 0.01 ? "< 10 ms" : sprintf("%d ms", 1000 * s) }
		{ printf "| %s | %s, %.0f MB | %s, %.0f MB | %d |\n", name, ms($2 + $3), $4 / 1024, ms($6 + $7), $8 / 1024, told }'
}

folders none 0
folders hundred 100
folders ten-thousand 10000
folders hundred-thousand 100000
{ echo 'version: 1'; echo 'include:'; seq 100000 | sed 's/.*/  - i&.yaml/'; } | file includes
{ echo 'version: 1'; echo 'include:'; seq 1500 | sed 's/.*/  - i&.yaml/'; } | file few-includes
{ printf 'version: 1\nhooks:\n  pre_tool_use:\n'; seq 900 | sed 's/.*/    - {type: rule, decision: deny}/'; } | file hooks
{ printf 'version: 1\nhooks:\n'; seq 2800 | sed 's/.*/ a&: b/'; } | file mistakes
{ printf 'version: 1\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n'; for i in 1 2 3 4 5 6 7 8 9; do
	p=$((i - 1)); echo "a$i: &a$i [*a$p,*a$p,*a$p,*a$p,*a$p,*a$p,*a$p,*a$p,*a$p,*a$p]"; done; echo 'hooks: *a9'; } | file aliases
echo 'version: 1' | file endless
truncate -s 10G "$work/endless/checkrein.yaml"

echo '| what nobody approved | first call: CPU, memory | later calls | lines told |'
echo '|---|---|---|---|'
row none 'nothing'
row hundred '100 hook folders, which are looked at'
row ten-thousand '10,000 hook folders'
row hundred-thousand '100,000 hook folders'
row includes '100,000 lines of includes'
row few-includes '1,500 lines of includes'
row hooks '900 hooks in a file'
row mistakes '2,800 mistakes in a file'
row aliases 'YAML aliases that repeat each other'
row endless 'a sparse file of 10 GB'
