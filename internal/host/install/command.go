package install

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// command is the command line that a host's file gets for an event.
func (m *Machine) command(s *Spec, h *wire.Host, scope Scope, event string, within int) string {
	words := []string{m.Program, "hook", s.Name}
	if h.Unnamed {
		words = append(words, "--event", event)
	}
	if within > 0 {
		words = append(words, "--within", strconv.Itoa(within))
	}
	words = append(words, m.Line().Pins()...)
	if s.Rootless && scope == Project {
		words = append(words, "--root", m.Project)
	}
	return join(words)
}

// Line is what hosts start.
func (m *Machine) Line() hostfiles.Line {
	l := hostfiles.Line{Program: m.Program}
	if m.Config != "" {
		l.Config, l.State = m.Config, m.State.Path()
	}
	return l
}

// join writes words for a POSIX shell.
func join(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}

// Quote writes a word for a POSIX shell; what needs no quotes gets none.
func Quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// mentions reports whether a command line that is not ours seems to call us for
// a host all the same, say behind another program.
func mentions(line string) bool {
	words := hostfiles.Words(line)
	for i := range words {
		if hostfiles.IsCheckrein(words[i]) && i+1 < len(words) && words[i+1] == "hook" {
			return true
		}
	}
	return false
}
