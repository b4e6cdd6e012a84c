package hostfiles

import (
	"path/filepath"
	"slices"
	"strings"
)

// SplitWords returns the words of a simple command. Parts that only a shell can resolve stay as
// written.
func SplitWords(line string) []string {
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

// ClearedVars are the variables that change how a Go program runs, and can even stop it. The hook
// command and the plugins remove them before they start checkrein.
var ClearedVars = [...]string{"GOMAXPROCS", "GODEBUG", "GOGC", "GOMEMLIMIT"}

// UnsetPrefix returns the beginning of the hook command for POSIX shells.
func UnsetPrefix() string { return "unset " + strings.Join(ClearedVars[:], " ") + "; " }

// A Line is a parsed hook command of checkrein.
type Line struct {
	Program       string
	Config, State string // the user's directories; "" in older lines, which name none
}

// DirArgs returns the arguments that name the user's directories.
func (l Line) DirArgs() []string {
	if l.Config == "" || l.State == "" {
		return nil
	}
	return []string{"--config", l.Config, "--state", l.State}
}

// ParseLine parses a hook command of checkrein for a host, written by the installer or by a user,
// including those of older installations.
func ParseLine(line, host string) (l Line, ok bool) {
	words := SplitWords(line)
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

// isBlock reports whether the command of a trap blocks the call for a host.
func isBlock(trap string) bool {
	return trap == "exit 2" || strings.HasPrefix(trap, `echo '{"cancel":true,`) && strings.HasSuffix(trap, "; exit 0")
}

// OwnProgram returns the program of a hook command. It reports false if line is not checkrein's for
// the host.
func OwnProgram(line, host string) (program string, ok bool) {
	l, ok := ParseLine(line, host)
	return l.Program, ok
}

// IsOwnCommand reports whether line is a hook command of checkrein for any host.
func IsOwnCommand(line string) bool {
	words := SplitWords(line)
	for i, w := range words[:max(len(words)-1, 0)] {
		if w == "hook" {
			if _, ok := OwnProgram(line, words[i+1]); ok {
				return true
			}
		}
	}
	return false
}

// IsCheckrein reports whether a program is named checkrein.
func IsCheckrein(program string) bool {
	base := filepath.Base(filepath.FromSlash(strings.ReplaceAll(program, `\`, "/")))
	return base == "checkrein" || base == "checkrein.exe"
}
