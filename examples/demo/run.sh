#!/bin/sh
# One session of a real agent, prompt by prompt, and what the hooks in agent.yaml
# make of it. Nothing is needed but git, and nothing is left behind.
# Usage: sh examples/demo/run.sh bin/checkrein
set -eu
checkrein=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(cd "$(mktemp -d)" && pwd -P)
# The ledger's upkeep may be at work for a moment longer.
trap 'rm -rf "$tmp" 2>/dev/null || { sleep 1; rm -rf "$tmp"; }' EXIT
mkdir "$tmp/home" "$tmp/project"
cp "$here/agent.yaml" "$tmp/agent.yaml"
export HOME="$tmp/home" XDG_CONFIG_HOME="$tmp/home/config" XDG_STATE_HOME="$tmp/home/state" XDG_CACHE_HOME="$tmp/home/cache"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
cd "$tmp/project"
echo 'greeting = hello' >app.conf
# A key that nobody has: it is made up on the spot.
key=AKIA$(LC_ALL=C tr -dc 'A-Z2-7' </dev/urandom 2>/dev/null | head -c 16)
echo "key = $key" >credentials
git init -q
git add .
git -c user.name=demo -c user.email=demo@example.com commit -qm 'before the agent'

session=
prompt() { # caption, prompt or slash command
	printf '\n── %s\n> %s\n' "$1" "$2"
	printf '%s\n' "$2" | "$checkrein" run "$tmp/agent.yaml" --trace ${session:+--resume "$session"} 2>&1 | sed "s|$tmp/||g"
	session=${session:-$("$checkrein" run --sessions | cut -d' ' -f1)}
}

prompt 'Block: checkrein knows what this would do. The agent is told, and goes on.' 'Run: rm -rf /'
prompt 'Block: a hook of the agent file refuses this one.' 'Run: sudo apt update'
prompt 'Rewrite: another hook turns ls into ls -lh, and approves that.' 'List files'
prompt 'Redaction: the file holds a key. Neither you nor the model see it.' 'Run: cat credentials'
prompt 'Ask: no rule and no hook allows this one, and nobody is here to be asked.' 'Run: make deploy'
prompt 'Redo: the agent says that it is done. A hook on stop says what is missing.' 'Write hello.txt: hello'
prompt 'Undo: the agent spoils a file …' 'Write app.conf: spoilt'
printf '$ cat app.conf: %s\n' "$(cat app.conf)"
prompt '… and its last change is taken back.' '/undo'
printf '$ cat app.conf: %s\n' "$(cat app.conf)"

printf '\n── The key lies in the project. Files of the session and records of the ledger that hold it: %s\n' \
	"$(find "$XDG_STATE_HOME"/checkrein/runs "$XDG_STATE_HOME"/checkrein/ledger -type f -exec cat {} + | grep -acF "$key" || true)"
printf '\n── Why was it so? checkrein explain --last --decision deny\n\n'
"$checkrein" explain --last --decision deny 2>&1 | sed "s|$tmp/||g"
