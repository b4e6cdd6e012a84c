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
	section, name string // in lower case; name "" stands for any
	values        string // harmless values, with a space before and after each
	harmless      func(key, value string) bool
}

// isHarmless reports whether value is a common, harmless value of the setting.
func (s *gitSetting) isHarmless(key, value string) bool {
	return inWords(s.values, value) || s.harmless != nil && s.harmless(key, value)
}

// findGitSetting returns the row of a key; nil if there is none.
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

// configRunsPrograms reports whether git config sets or unsets something that makes Git run programs
// by itself, other than common ones.
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

// isScopeFlag reports whether a word is an option that selects a settings file.
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

// isVerb reports whether the value of an alias is another Git command.
func isVerb(_, value string) bool {
	return value[0] != '!' && !strings.HasPrefix(value, string(shell.Placeholder))
}

// isEditor reports whether a value only opens an editor and waits for it.
func isEditor(_, value string) bool {
	words := strings.Fields(value)
	return inWords(editorNames, words[0]) && !slices.ContainsFunc(words[1:], func(w string) bool { return !inWords(editorFlags, w) })
}

// isTool reports whether a value shows the files that Git passes in an editor or diff tool.
func isTool(_, value string) bool {
	words := strings.Fields(value)
	return inWords(toolNames, words[0]) && !slices.ContainsFunc(words[1:], func(w string) bool {
		return !inWords(toolFlags, w) && !inWords(" $LOCAL $REMOTE $MERGED $BASE ", strings.Trim(w, `"'`))
	})
}

// isPager reports whether a value only displays text: diff-so-fancy | less -RFX.
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

// isDisplayFlag reports whether a word is an option of a pager that only changes how text is
// displayed. Other options name programs and files.
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

// isHelper reports whether a value is one of the credential helpers that come with Git, or the login
// of a forge.
func isHelper(_, value string) bool {
	switch value {
	case "store", "cache", "osxkeychain", "manager", "manager-core", "libsecret", "gnome-keyring", "wincred", "oauth",
		"!gh auth git-credential", "!glab auth git-credential", "!aws codecommit credential-helper $@":
		return true
	}
	seconds, ok := strings.CutPrefix(value, "cache --timeout")
	return ok && strings.Trim(seconds, "= 0123456789") == ""
}

// samePlace reports whether a url.BASE.insteadOf setting replaces an address with another form of
// itself, or names no server: url.git@github.com:.insteadOf https://github.com/.
func samePlace(key, value string) bool {
	base := key[strings.IndexByte(key, '.')+1 : strings.LastIndexByte(key, '.')]
	if strings.ContainsRune(key+value, shell.Placeholder) {
		return false
	}
	from := gitHost(value)
	return from == "" || strings.EqualFold(from, gitHost(base))
}

// gitHost returns the server of an address that Git accepts; "" if it names none.
func gitHost(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		rest = address
	}
	if at := strings.IndexAny(rest, "/:"); at >= 0 && !strings.Contains(rest[:at+1], "@") && rest[at] == ':' && !ok && !strings.Contains(rest[:at], ".") {
		return "" // an abbreviation such as gh:
	}
	if !ok {
		address, _, _ = strings.Cut(address, ":") // git@host:path
	}
	return facts.HostOf(address).Name
}
