package hostfiles

import (
	"path/filepath"
	"slices"
	"strings"
)

// Words reads the words of a simple command. What only a shell could resolve stays
// as it is written.
func Words(line string) []string {
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

// Cleared are the variables that change how a program of Go runs, down to a
// standstill: our line and our plugins take them away before they start us.
var Cleared = [...]string{"GOMAXPROCS", "GODEBUG", "GOGC", "GOMEMLIMIT"}

// Unset is how our line begins where a POSIX shell reads it.
func Unset() string { return "unset " + strings.Join(Cleared[:], " ") + "; " }

// A Line is what a command line of ours says.
type Line struct {
	Program       string
	Config, State string // the person's directories, pinned; "" = it names none, as older lines do
}

// Pins are the words by which a line names the person's directories.
func (l Line) Pins() []string {
	if l.Config == "" || l.State == "" {
		return nil
	}
	return []string{"--config", l.Config, "--state", l.State}
}

// Read reads a command line that we, or a person in our stead, wrote for a host:
// that of today, and those of older installations.
func Read(line, host string) (l Line, ok bool) {
	words := Words(line)
	for _, first := range [...]string{"unset", "trap"} {
		if len(words) > 1 && words[0] == first && (first != "trap" || isBlock(words[1])) {
			words = words[1+slices.IndexFunc(words, func(w string) bool { return strings.HasSuffix(w, ";") }):]
		}
	}
	if len(words) > 0 && words[0] == "exec" {
		words = words[1:]
	}
	if len(words) < 3 || words[1] != "hook" || words[2] != host {
		return Line{}, false
	}
	l.Program = words[0]
	ours := IsCheckrein(l.Program)
	for i, w := range words[3:] {
		ours = ours || w == "--within"
		if i+4 < len(words) {
			switch w {
			case "--config":
				l.Config = words[i+4]
			case "--state":
				l.State = words[i+4]
			}
		}
	}
	return l, ours
}

// isBlock reports whether what a shell does when it ends is a host's block.
func isBlock(trap string) bool {
	return trap == "exit 2" || strings.HasPrefix(trap, `echo '{"cancel":true,`) && strings.HasSuffix(trap, "; exit 0")
}

// Ours reports whether a command line is ours for a host, and which program it
// runs.
func Ours(line, host string) (program string, ok bool) {
	l, ok := Read(line, host)
	return l.Program, ok
}

// Own is Ours for whichever host.
func Own(line string) bool {
	words := Words(line)
	for i, w := range words[:max(len(words)-1, 0)] {
		if w == "hook" {
			if _, ok := Ours(line, words[i+1]); ok {
				return true
			}
		}
	}
	return false
}

// IsCheckrein reports whether a program has our name.
func IsCheckrein(program string) bool {
	base := filepath.Base(filepath.FromSlash(strings.ReplaceAll(program, `\`, "/")))
	return base == "checkrein" || base == "checkrein.exe"
}
