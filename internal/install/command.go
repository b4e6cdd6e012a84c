package install

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/host/wire"
)

// command is the command line that a host's file gets for an event.
func (m *Machine) command(s *spec, h *wire.Host, scope Scope, event string, within int) string {
	words := []string{m.Program, "hook", s.name}
	if h.Unnamed {
		words = append(words, "--event", event)
	}
	if within > 0 {
		words = append(words, "--within", strconv.Itoa(within))
	}
	if s.rootless && scope == Project {
		words = append(words, "--root", m.Project)
	}
	return join(words)
}

// join writes words for a POSIX shell.
func join(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}

// quote writes a word for a POSIX shell; what needs no quotes gets none.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// split reads the words of a simple command. What only a shell could resolve
// stays as it is written.
func split(line string) []string {
	var words []string
	var word strings.Builder
	inside, open := byte(0), false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case inside != 0 && c == inside:
			inside = 0
		case inside == '\'':
			word.WriteByte(c)
		case c == '\\' && i+1 < len(line) && (inside == 0 || strings.IndexByte("\"\\$`", line[i+1]) >= 0):
			i++
			word.WriteByte(line[i])
			open = true
		case inside == 0 && (c == '\'' || c == '"'):
			inside, open = c, true
		case inside == 0 && strings.IndexByte(" \t\r\n", c) >= 0:
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

// ours reports whether a command line is one that we, or a person in our stead,
// wrote for a host, and which program it runs.
func ours(line, host string) (program string, ok bool) {
	words := split(line)
	if len(words) > 0 && words[0] == "exec" {
		words = words[1:]
	}
	if len(words) < 3 || words[1] != "hook" || words[2] != host {
		return "", false
	}
	return words[0], isCheckrein(words[0]) || slices.Contains(words, "--within")
}

func isCheckrein(program string) bool {
	base := filepath.Base(filepath.FromSlash(strings.ReplaceAll(program, `\`, "/")))
	return base == "checkrein" || base == "checkrein.exe"
}

// mentions reports whether a command line that is not ours seems to call us for
// a host all the same, say behind another program.
func mentions(line string) bool {
	words := split(line)
	for i := range words {
		if isCheckrein(words[i]) && i+1 < len(words) && words[i+1] == "hook" {
			return true
		}
	}
	return false
}
