package githook

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/userdirs"
)

// Ours are the hooks that scan what leaves the repository.
var Ours = []string{"pre-commit", "pre-push"}

// otherHooks are git's other hooks, which the user may have had before; our scripts call them.
var otherHooks = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase",
	"post-checkout", "post-merge", "post-rewrite", "pre-auto-gc", "post-index-change", "reference-transaction", "sendemail-validate",
	"pre-receive", "update", "proc-receive", "post-receive", "post-update", "push-to-checkout",
}

// scriptMark is the line that identifies our scripts.
const scriptMark = "# Written by 'checkrein git install'; 'checkrein git uninstall' takes it away."

const (
	keyPath    = "core.hooksPath"
	keyBefore  = "checkrein.hooksBefore" // the directory of the previous hooks
	keyProgram = "checkrein.program"     // where scripts of older versions looked for checkrein
	beside     = ".before"               // the end of a hook's name that was in the same directory
)

// findPrevious sets $before to the previous hook, or leaves it empty if there is none. The script is
// tracked, so it contains no path of this machine.
const findPrevious = `before=$0.before
if [ ! -x "$before" ]; then
	dir=$(git config --type=path --get checkrein.hooksBefore) || dir=$(git rev-parse --git-common-dir)/hooks
	before=$dir/NAME
	if [ ! -x "$before" ] || [ "$(cd "$dir" && pwd -P)" = "$(cd "$(dirname "$0")" && pwd -P)" ]; then
		before=
	fi
fi
`

// findAccount sets $account to the home of the user id. Tests replace it.
var findAccount = userdirs.AccountScript()

// findProgram sets $program, or fails: nothing may pass because a program is missing. A note names the
// program: in the home of the user id, which no variable moves, or else in the user's state; otherwise
// PATH decides. Neither the settings of a repository nor its files have any influence.
const findProgram = `top=$(pwd -P)
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
` + scriptMark + `
# What is staged is scanned after the hook that was here before, which may change it.
` + findPrevious + `if [ -n "$before" ]; then
	"$before" "$@" || exit $?
fi
` + findProgram + `exec "$program" git NAMEFLAGS
`

const prePush = `#!/bin/sh
` + scriptMark + `
# Every commit that is pushed is scanned. The hook that was here before hears the same refs.
` + findPrevious + `refs=$(cat)
say() { [ -z "$refs" ] || printf '%s\n' "$refs"; }
if [ -n "$before" ]; then
	say | "$before" "$@" || exit $?
fi
` + findProgram + `say | "$program" git NAMEFLAGS "$@"
`

const forwardScript = `#!/bin/sh
` + scriptMark + `
# It passes on to the hook that was here before.
` + findPrevious + `[ -z "$before" ] || exec "$before" "$@"
`

// privateFlag makes a hook scan as in a private repository.
const privateFlag = " --private"

// isPrivateScript reports whether one of our scripts is that of a private repository.
func isPrivateScript(text []byte) bool {
	return strings.Contains(string(text), " git "+Ours[0]+privateFlag) || strings.Contains(string(text), " git "+Ours[1]+privateFlag)
}

// hookScript returns the text of a hook.
func hookScript(name string, private bool) string {
	flags := ""
	if private {
		flags = privateFlag
	}
	text, what := forwardScript, ""
	switch name {
	case "pre-commit":
		text, what = preCommit, "committed"
	case "pre-push":
		text, what = prePush, "pushed"
	}
	return strings.NewReplacer("FLAGS", flags, "NAME", name, "WHAT", what, "ACCOUNT\n", findAccount).Replace(text)
}

// isOurScript reports whether a file is one of our scripts, of any version.
func isOurScript(text []byte) bool {
	return strings.Contains(string(text[:min(len(text), 512)]), "\n"+scriptMark+"\n")
}

// earlierDigests are the digests of scripts of earlier builds that this one would not write.
var earlierDigests = []string{
	"978c0202a422d4fff2e06c126d96e1ac29714d2687492b996cee19b2f454f677", // pre-commit, November 2026
	"47c18501d0cbdebd707b90aaf3680fdcdde282547b988a0c819186c5a75a3370", // pre-push, November 2026
}

// isUnchanged reports whether a hook is as this build or an earlier one wrote it.
func isUnchanged(name string, text []byte) bool {
	return string(text) == hookScript(name, isPrivateScript(text)) || slices.Contains(earlierDigests, hexDigest(text))
}

// UsesConfiguredProgram reports whether one of our scripts takes its program from the repository's
// settings, as those of older versions do.
func UsesConfiguredProgram(text []byte) bool {
	return isOurScript(text) && strings.Contains(string(text), "--get "+keyProgram+")")
}
