package approval

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/visible"
)

// SetNamedFiles sets the files that count only because they are named on the command line.
// RemedyCommand names them too.
func (s *Store) SetNamedFiles(files []string) { s.named = files }

// RemedyCommand is the function [RemedyCommand] for the hook id of file. The command names the file
// and the agent if it must; see SetNamedFiles.
func (s *Store) RemedyCommand(verb, file, agent, id string) string {
	if own, is := OwnFile(s.names.root, file); is {
		file = own
	}
	if !slices.ContainsFunc(s.named, func(f string) bool { return f == file || RealPath(f) == file }) {
		return RemedyCommand(verb, id)
	}
	verb += " -c " + ShellQuote(file)
	if agent != "" {
		verb += " --agent " + ShellQuote(agent)
	}
	return RemedyCommand(verb, id)
}

// RemedyCommand returns a command line for a person to copy. It approves or revokes the hook with this
// id, depending on verb. The id is untrusted.
func RemedyCommand(verb, id string) string { return CommandWith("checkrein hooks "+verb, id) }

// CommandWith returns a command line for a person to copy: command with name, which is untrusted, as its
// last argument.
func CommandWith(command, name string) string {
	word := ShellQuote(name)
	if strings.HasPrefix(word, "'-") {
		word = "-- " + word // or it would be read as an option
	}
	return command + " " + word
}

// ShellQuote returns s as one word of a command line, quoted if a shell would interpret it otherwise.
func ShellQuote(s string) string {
	plain := func(r rune) bool {
		return r == '.' || r == '_' || r == '-' || r == ':' || r == '/' ||
			'0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	s = visible.EscapeLine(s)
	if s != "" && s[0] != '-' && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
