package selfprotect

//go:generate go run ../../shell/argv/gen

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A gitSetting is a setting that makes Git run programs by itself, read further settings, or contact
// another server.
type gitSetting struct {
	section, name string // in lower case; an empty name stands for any
	values        string // harmless values, with a space before and after each
	harmless      func(key, value string) bool
}

// isHarmless reports whether value is a common, harmless value of the setting key.
func (s *gitSetting) isHarmless(key, value string) bool {
	return inWords(s.values, value) || s.harmless != nil && s.harmless(key, value)
}

// findGitSetting returns the row for key, or nil if there is none.
func findGitSetting(key string) *gitSetting {
	key = strings.ToLower(key)
	section, _, ok := strings.Cut(key, ".")
	name := key[strings.LastIndexByte(key, '.')+1:]
	for i := range gitSettings {
		if s := &gitSettings[i]; ok && s.section == section && (s.name == "" || s.name == name) {
			return s
		}
	}
	return nil
}

// configRunsPrograms reports whether the git config command words sets or unsets something that makes
// Git run programs by itself, other than common ones.
func configRunsPrograms(words string) bool {
	list := strings.Fields(words)
	if slices.ContainsFunc(list, func(w string) bool { return strings.HasPrefix(w, "--get") || w == "--list" || w == "-l" }) || !slices.Contains(list, "config") {
		return false
	}
	list = list[slices.Index(list, "config")+1:]
	if len(list) > 0 && (list[0] == "get" || list[0] == "list") {
		return false
	}
	for i, w := range list {
		s := findGitSetting(w)
		if s == nil {
			continue
		}
		value := strings.Join(slices.DeleteFunc(slices.Clone(list[i+1:]), isScopeFlag), " ")
		if value == "" {
			return s.harmless == nil && s.values == "" && (strings.Contains(words, "unset") || strings.Contains(words, "--remove"))
		}
		return !s.isHarmless(w, value)
	}
	return slices.ContainsFunc(list, func(w string) bool { return strings.HasSuffix(w, "-section") && slices.Contains(list, "core") })
}

// isScopeFlag reports whether w is an option that selects a settings file.
func isScopeFlag(w string) bool {
	return w == "--global" || w == "--local" || w == "--system" || w == "--worktree"
}

const (
	editorNames = " vim vi nvim nano pico emacs emacsclient hx helix micro kak ed code code-insiders codium cursor windsurf zed subl mate gedit kate idea notepad true : cat "
	editorFlags = " --wait -w -n -nw -t -a --new-window --reuse-window "
	toolNames   = editorNames + "vimdiff nvimdiff gvim meld kdiff3 opendiff bcompare p4merge difft delta diff "
	toolFlags   = editorFlags + "-d --diff --merge -f "
	pagerNames  = " cat less more most bat delta diff-so-fancy true false "
)

// inWords reports whether w is one of the words of list, which has a space before and after each.
func inWords(list, w string) bool {
	return w != "" && !strings.Contains(w, " ") && strings.Contains(list, " "+w+" ")
}

// isVerb reports whether value, the value of an alias, is another Git command.
func isVerb(_, value string) bool {
	return value[0] != '!' && !strings.HasPrefix(value, string(shell.Placeholder))
}

// isEditor reports whether the command value only opens an editor and waits for it.
func isEditor(_, value string) bool {
	words := strings.Fields(value)
	return inWords(editorNames, words[0]) && !slices.ContainsFunc(words[1:], func(w string) bool { return !inWords(editorFlags, w) })
}

// isTool reports whether the command value shows the files that Git passes to it in an editor or a
// diff tool.
func isTool(_, value string) bool {
	words := strings.Fields(value)
	return inWords(toolNames, words[0]) && !slices.ContainsFunc(words[1:], func(w string) bool {
		return !inWords(toolFlags, w) && !inWords(" $LOCAL $REMOTE $MERGED $BASE ", strings.Trim(w, `"'`))
	})
}

// isPager reports whether the command value only displays text, as diff-so-fancy | less -RFX does.
func isPager(_, value string) bool {
	for part := range strings.SplitSeq(value, "|") {
		words := strings.Fields(part)
		if len(words) == 0 || !inWords(pagerNames, words[0]) {
			return false
		}
		if slices.ContainsFunc(words[1:], func(w string) bool { return !isDisplayFlag(w) }) {
			return false
		}
	}
	return true
}

// isDisplayFlag reports whether w is an option of a pager that only changes how text is displayed.
// Other options name programs or files.
func isDisplayFlag(w string) bool {
	long := strings.HasPrefix(w, "--")
	if !strings.HasPrefix(w, "-") || !long && strings.ContainsAny(w, "oOkKtTp") {
		return false
	}
	for _, flag := range [...]string{"--pager", "--lesskey", "--log-file", "--LOG-FILE", "--tag", "--config"} {
		if strings.HasPrefix(w, flag) {
			return false
		}
	}
	return strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=,.") == ""
}

// isHelper reports whether value is a credential helper that comes with Git, or the login command of a
// forge.
func isHelper(_, value string) bool {
	switch value {
	case "store", "cache", "osxkeychain", "manager", "manager-core", "libsecret", "gnome-keyring", "wincred", "oauth",
		"!gh auth git-credential", "!glab auth git-credential", "!aws codecommit credential-helper $@":
		return true
	}
	seconds, ok := strings.CutPrefix(value, "cache --timeout")
	return ok && strings.Trim(seconds, "= 0123456789") == ""
}

// samePlace reports whether a url.BASE.insteadOf setting replaces an address with another form of the
// same address, such as url.git@github.com:.insteadOf https://github.com/, or an abbreviation.
func samePlace(key, value string) bool {
	base := key[strings.IndexByte(key, '.')+1 : strings.LastIndexByte(key, '.')]
	if strings.ContainsRune(key+value, shell.Placeholder) {
		return false
	}
	from := gitHost(value)
	return from == "" || strings.EqualFold(from, gitHost(base))
}

// gitHost returns the host of an address that Git accepts, or "" if it names none.
func gitHost(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		rest = address
	}
	if at := strings.IndexAny(rest, "/:"); at >= 0 && !strings.Contains(rest[:at+1], "@") && rest[at] == ':' && !ok && !strings.Contains(rest[:at], ".") {
		return "" // a user-defined abbreviation such as gh:
	}
	if !ok {
		address, _, _ = strings.Cut(address, ":") // the address may be git@host:path
	}
	return facts.HostOf(address).Name
}
