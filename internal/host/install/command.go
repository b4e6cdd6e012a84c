package install

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// commandLine returns the command line that a host's file of a scope gets for an event. within is the
// deadline for checkrein's answer in seconds; 0 means none.
func (m *Machine) commandLine(s *Spec, h *wire.Host, scope Scope, event string, within int) string {
	words := []string{m.Program, "hook", s.Name}
	if h.OmitsEvent {
		words = append(words, "--event", event)
	}
	if within > 0 {
		words = append(words, "--within", strconv.Itoa(within))
	}
	if scope != Managed { // each user's own
		words = append(words, m.HookLine().DirArgs()...)
	}
	if s.Rootless && scope == Project {
		words = append(words, "--root", m.Project)
	}
	return quoteWords(words)
}

// HookLine returns the program that hosts are to start and the directories that its command line
// names.
func (m *Machine) HookLine() hostfiles.Line {
	l := hostfiles.Line{Program: m.Program}
	if m.Config != "" {
		l.Config, l.State = m.Config, m.State.Path()
	}
	return l
}

// quoteWords joins words into a command line for a POSIX shell.
func quoteWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}

// Quote returns word quoted for a POSIX shell, or word itself if it needs no quotes.
func Quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// callsCheckrein reports whether a command line contains the words "checkrein hook", for example after
// the name of another program. Install did not write such a line.
func callsCheckrein(line string) bool {
	words := hostfiles.SplitWords(line)
	for i := range words {
		if hostfiles.IsCheckrein(words[i]) && i+1 < len(words) && words[i+1] == "hook" {
			return true
		}
	}
	return false
}
