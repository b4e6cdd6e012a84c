package githook

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/userdirs"
)

// OurHooks lists the git hooks that scan what leaves the repository.
var OurHooks = []string{"pre-commit", "pre-push"}

// otherHooks lists git's other hooks. The user may have had some of them before; checkrein's scripts
// call those.
var otherHooks = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase",
	"post-checkout", "post-merge", "post-rewrite", "pre-auto-gc", "post-index-change", "reference-transaction", "sendemail-validate",
	"pre-receive", "update", "proc-receive", "post-receive", "post-update", "push-to-checkout",
}

// scriptMark is the line that identifies checkrein's scripts.
const scriptMark = "# Written by 'checkrein git install'; 'checkrein git uninstall' takes it away."

const (
	keyPath    = "core.hooksPath"
	keyBefore  = "checkrein.hooksBefore" // the directory of the previous hooks
	keyProgram = "checkrein.program"     // the path of checkrein that scripts of older versions run
	beside     = ".before"               // the suffix of the user's hooks that were renamed in the same directory
)

// findPrevious is shell code that sets $before to the path of the previous hook, or to "" if there is
// none. Git tracks the script, so it contains no path of this machine.
const findPrevious = `before=$0.before
if [ ! -x "$before" ]; then
	dir=$(git config --type=path --get checkrein.hooksBefore) || dir=$(git rev-parse --git-common-dir)/hooks
	before=$dir/NAME
	if [ ! -x "$before" ] || [ "$(cd "$dir" && pwd -P)" = "$(cd "$(dirname "$0")" && pwd -P)" ]; then
		before=
	fi
fi
`

// findAccount is shell code that sets $account to the account's home directory. Tests replace it.
var findAccount = userdirs.AccountScript()

// findProgram is shell code that sets $program, or exits with an error, because nothing may pass just
// because a program is missing. A file names the program: in the account's home directory, which no
// variable changes, or otherwise in the user's state. Without such a file, PATH determines the
// program. Neither the settings nor the files of a repository have any influence.
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

// privateFlag is the flag that makes a hook scan as in a private repository.
const privateFlag = " --private"

// isPrivateScript reports whether text, one of checkrein's scripts, is for a private repository.
func isPrivateScript(text []byte) bool {
	return strings.Contains(string(text), " git "+OurHooks[0]+privateFlag) || strings.Contains(string(text), " git "+OurHooks[1]+privateFlag)
}

// hookScript returns the script of the hook name.
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

// isOurScript reports whether text is one of checkrein's scripts, of any version.
func isOurScript(text []byte) bool {
	return strings.Contains(string(text[:min(len(text), 512)]), "\n"+scriptMark+"\n")
}

// earlierDigests lists the digests of scripts that earlier builds wrote and this one would not.
var earlierDigests = []string{
	"978c0202a422d4fff2e06c126d96e1ac29714d2687492b996cee19b2f454f677", // pre-commit, November 2026
	"47c18501d0cbdebd707b90aaf3680fdcdde282547b988a0c819186c5a75a3370", // pre-push, November 2026
}

// isUnchangedScript reports whether text is the script of the hook name as this build or an earlier
// one wrote it.
func isUnchangedScript(name string, text []byte) bool {
	return string(text) == hookScript(name, isPrivateScript(text)) || slices.Contains(earlierDigests, hexDigest(text))
}

// UsesConfiguredProgram reports whether text is one of checkrein's scripts that runs the program in
// the repository's settings, as those of older versions do.
func UsesConfiguredProgram(text []byte) bool {
	return isOurScript(text) && strings.Contains(string(text), "--get "+keyProgram+")")
}
