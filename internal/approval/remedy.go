package approval

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/visible"
)

// SetNamed reports which files count because somebody names them: commands about their
// hooks must name them too.
func (s *Store) SetNamed(files []string) { s.named = files }

// Remedy is [Remedy] for a hook of a file.
func (s *Store) Remedy(verb, file, agent, id string) string {
	if own, is := OwnFile(s.names.root, file); is {
		file = own
	}
	if !slices.ContainsFunc(s.named, func(f string) bool { return f == file || Real(f) == file }) {
		return Remedy(verb, id)
	}
	verb += " -c " + ShellQuote(file)
	if agent != "" {
		verb += " --agent " + ShellQuote(agent)
	}
	return Remedy(verb, id)
}

// Remedy is the command line that approves or revokes the hook with this id,
// which a stranger wrote, for a person to copy.
func Remedy(verb, id string) string {
	word := ShellQuote(id)
	if strings.HasPrefix(word, "'-") {
		word = "-- " + word // or it would pass for an option
	}
	return "checkrein hooks " + verb + " " + word
}

// ShellQuote makes s one harmless word of a command line.
func ShellQuote(s string) string {
	plain := func(r rune) bool {
		return r == '.' || r == '_' || r == '-' || r == ':' || r == '/' ||
			'0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	s = visible.Line(s)
	if s != "" && s[0] != '-' && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
