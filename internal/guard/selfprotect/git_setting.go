package selfprotect

//go:generate go run ../../shell/argv/gen

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A gitSetting is a setting by which git runs programs without being told to, reads
// further settings, or goes to another place than it is told.
type gitSetting struct {
	section, name string // in small letters; name "" = any
	values        string // that are harmless, between blanks
	harmless      func(key, value string) bool
}

func (s *gitSetting) passes(key, value string) bool {
	return isWord(s.values, value) || s.harmless != nil && s.harmless(key, value)
}

// gitSettingOf finds the row of a key; nil if git only looks it up.
func gitSettingOf(key string) *gitSetting {
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

// runsPrograms reports whether git config sets, or unsets, what makes git run
// programs by itself, other than those that people usually have there.
func runsPrograms(words string) bool {
	list := strings.Fields(words)
	if slices.ContainsFunc(list, func(w string) bool { return strings.HasPrefix(w, "--get") || w == "--list" || w == "-l" }) || !slices.Contains(list, "config") {
		return false
	}
	list = list[slices.Index(list, "config")+1:]
	if len(list) > 0 && (list[0] == "get" || list[0] == "list") {
		return false
	}
	for i, w := range list {
		s := gitSettingOf(w)
		if s == nil {
			continue
		}
		value := strings.Join(slices.DeleteFunc(slices.Clone(list[i+1:]), isScope), " ")
		if value == "" {
			return s.harmless == nil && s.values == "" && (strings.Contains(words, "unset") || strings.Contains(words, "--remove"))
		}
		return !s.passes(w, value)
	}
	return slices.ContainsFunc(list, func(w string) bool { return strings.HasSuffix(w, "-section") && slices.Contains(list, "core") })
}

// isScope reports whether a word says which file of settings is meant.
func isScope(w string) bool {
	return w == "--global" || w == "--local" || w == "--system" || w == "--worktree"
}

const (
	editorNames = " vim vi nvim nano pico emacs emacsclient hx helix micro kak ed code code-insiders codium cursor windsurf zed subl mate gedit kate idea notepad true : cat "
	editorFlags = " --wait -w -n -nw -t -a --new-window --reuse-window "
	toolNames   = editorNames + "vimdiff nvimdiff gvim meld kdiff3 opendiff bcompare p4merge difft delta diff "
	toolFlags   = editorFlags + "-d --diff --merge -f "
	pagerNames  = " cat less more most bat delta diff-so-fancy true false "
)

// isWord reports whether a word is in a list of words between blanks.
func isWord(list, w string) bool {
	return w != "" && !strings.Contains(w, " ") && strings.Contains(list, " "+w+" ")
}

// isVerb reports whether an alias is one for another command of git.
func isVerb(_, value string) bool {
	return value[0] != '!' && !strings.HasPrefix(value, string(shell.Hole))
}

// isEditor reports whether a value is an editor, and does nothing but wait for it.
func isEditor(_, value string) bool {
	words := strings.Fields(value)
	return isWord(editorNames, words[0]) && !slices.ContainsFunc(words[1:], func(w string) bool { return !isWord(editorFlags, w) })
}

// isTool reports whether a value shows the files that git gives in an editor.
func isTool(_, value string) bool {
	words := strings.Fields(value)
	return isWord(toolNames, words[0]) && !slices.ContainsFunc(words[1:], func(w string) bool {
		return !isWord(toolFlags, w) && !isWord(" $LOCAL $REMOTE $MERGED $BASE ", strings.Trim(w, `"'`))
	})
}

// isPager reports whether a value shows text: diff-so-fancy | less -RFX.
func isPager(_, value string) bool {
	for part := range strings.SplitSeq(value, "|") {
		words := strings.Fields(part)
		if len(words) == 0 || !isWord(pagerNames, words[0]) {
			return false
		}
		if slices.ContainsFunc(words[1:], func(w string) bool { return !isShowing(w) }) {
			return false
		}
	}
	return true
}

// isShowing reports whether a word is a flag that says how text looks. Others name
// programs and files.
func isShowing(w string) bool {
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

// isHelper reports whether a value is one of the stores of credentials that come
// with git, or the login of a forge.
func isHelper(_, value string) bool {
	switch value {
	case "store", "cache", "osxkeychain", "manager", "manager-core", "libsecret", "gnome-keyring", "wincred", "oauth",
		"!gh auth git-credential", "!glab auth git-credential", "!aws codecommit credential-helper $@":
		return true
	}
	seconds, ok := strings.CutPrefix(value, "cache --timeout")
	return ok && strings.Trim(seconds, "= 0123456789") == ""
}

// samePlace reports whether an address is replaced with another form of itself, or
// is not one that others use: url.git@github.com:.insteadOf https://github.com/.
func samePlace(key, value string) bool {
	base := key[strings.IndexByte(key, '.')+1 : strings.LastIndexByte(key, '.')]
	if strings.ContainsRune(key+value, shell.Hole) {
		return false
	}
	from := gitHost(value)
	return from == "" || strings.EqualFold(from, gitHost(base))
}

// gitHost is the machine of an address that git takes; "" = it names none.
func gitHost(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		rest = address
	}
	if at := strings.IndexAny(rest, "/:"); at >= 0 && !strings.Contains(rest[:at+1], "@") && rest[at] == ':' && !ok && !strings.Contains(rest[:at], ".") {
		return "" // gh:
	}
	if !ok {
		address, _, _ = strings.Cut(address, ":") // git@host:path
	}
	return facts.HostOf(address).Name
}
