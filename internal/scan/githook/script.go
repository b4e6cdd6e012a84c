package githook

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/userdirs"
)

// Ours are the hooks that look at what leaves.
var Ours = []string{"pre-commit", "pre-push"}

// others are the hooks of git that somebody may have had before; they are
// passed on to.
var others = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase",
	"post-checkout", "post-merge", "post-rewrite", "pre-auto-gc", "post-index-change", "reference-transaction", "sendemail-validate",
	"pre-receive", "update", "proc-receive", "post-receive", "post-update", "push-to-checkout",
}

// mark is the line by which a script of ours is known.
const mark = "# Written by 'checkrein git install'; 'checkrein git uninstall' takes it away."

const (
	keyPath    = "core.hooksPath"
	keyBefore  = "checkrein.hooksBefore" // the directory of the hooks that were there before
	keyProgram = "checkrein.program"     // where scripts of older versions looked for checkrein
	beside     = ".before"               // the end of a hook's name that was in the same directory
)

// find sets $before to the hook that was there before, and leaves it empty when
// there is none. The script is tracked, so it names no place of this machine.
const find = `before=$0.before
if [ ! -x "$before" ]; then
	dir=$(git config --type=path --get checkrein.hooksBefore) || dir=$(git rev-parse --git-common-dir)/hooks
	before=$dir/NAME
	if [ ! -x "$before" ] || [ "$(cd "$dir" && pwd -P)" = "$(cd "$(dirname "$0")" && pwd -P)" ]; then
		before=
	fi
fi
`

// findAccount sets $account to the home of the user id. Tests have another.
var findAccount = userdirs.AccountScript()

// scan sets $program, or refuses: nothing may pass because a program is missing.
// Where it is, a note says in the home of the user id, which no variable moves, or else
// in the person's state, or else PATH; a repository says neither by its settings nor by
// what lies in it.
const scan = `top=$(pwd -P)
program=
ACCOUNT
for state in "$account/.local/state" "$LOCALAPPDATA" "$XDG_STATE_HOME" "$HOME/.local/state"; do
	case $state in
	"$account/.local/state") [ -n "$account" ] || continue ;;
	"$PWD"/* | "$top"/*) continue ;;
	esac
	case $state in
	/* | ?:*) ;;
	*) continue ;;
	esac
	if [ -r "$state/checkrein/` + programFile + `" ]; then
		IFS= read -r program <"$state/checkrein/` + programFile + `"
		break
	fi
done
[ -n "$program" ] && [ -x "$program" ] || program=$(command -v checkrein)
case $program in
"$PWD"/* | "$top"/*) program= ;;
/* | ?:*) ;;
*) program= ;;
esac
if [ -z "$program" ]; then
	echo "NAME: checkrein was not found, so nothing was scanned or WHAT." >&2
	echo "Install it, or say where it is by running it once: /path/to/checkrein git install" >&2
	echo "To work without it: git config --unset core.hooksPath" >&2
	exit 1
fi
`

const preCommit = `#!/bin/sh
` + mark + `
# What is staged is scanned after the hook that was here before, which may change it.
` + find + `if [ -n "$before" ]; then
	"$before" "$@" || exit $?
fi
` + scan + `exec "$program" git NAMEFLAGS
`

const prePush = `#!/bin/sh
` + mark + `
# Every commit that is pushed is scanned. The hook that was here before hears the same refs.
` + find + `refs=$(cat)
say() { [ -z "$refs" ] || printf '%s\n' "$refs"; }
if [ -n "$before" ]; then
	say | "$before" "$@" || exit $?
fi
` + scan + `say | "$program" git NAMEFLAGS "$@"
`

const passOn = `#!/bin/sh
` + mark + `
# It passes on to the hook that was here before.
` + find + `[ -z "$before" ] || exec "$before" "$@"
`

// privateFlag has a hook scan as in a private repository.
const privateFlag = " --private"

// isPrivate reports whether a script of ours is that of a private repository.
func isPrivate(text []byte) bool {
	return strings.Contains(string(text), " git "+Ours[0]+privateFlag) || strings.Contains(string(text), " git "+Ours[1]+privateFlag)
}

// script is the text of a hook, of a private repository or another.
func script(name string, private bool) string {
	flags := ""
	if private {
		flags = privateFlag
	}
	text, what := passOn, ""
	switch name {
	case "pre-commit":
		text, what = preCommit, "committed"
	case "pre-push":
		text, what = prePush, "pushed"
	}
	return strings.NewReplacer("FLAGS", flags, "NAME", name, "WHAT", what, "ACCOUNT\n", findAccount).Replace(text)
}

// isOurs reports whether a file is a script of ours, of any version.
func isOurs(text []byte) bool {
	return strings.Contains(string(text[:min(len(text), 512)]), "\n"+mark+"\n")
}

// earlier are the digests of scripts that earlier builds wrote and this one may not.
var earlier = []string{
	"978c0202a422d4fff2e06c126d96e1ac29714d2687492b996cee19b2f454f677", // pre-commit, November 2026
	"47c18501d0cbdebd707b90aaf3680fdcdde282547b988a0c819186c5a75a3370", // pre-push, November 2026
}

// isUnchanged reports whether a hook is as this build or an earlier one wrote it.
func isUnchanged(name string, text []byte) bool {
	return string(text) == script(name, isPrivate(text)) || slices.Contains(earlier, sum(text))
}

// Led reports whether a script of ours takes its program from the repository's
// settings, as those of older versions do.
func Led(text []byte) bool {
	return isOurs(text) && strings.Contains(string(text), "--get "+keyProgram+")")
}
