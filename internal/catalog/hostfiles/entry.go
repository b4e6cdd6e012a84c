package hostfiles

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// SplitWords splits a simple command into words and removes quotes. It does not expand anything. On
// Windows, backslashes belong to the words of a command that begins with a path such as C:\x.
func SplitWords(line string) []string {
	var words []string
	escapes := runtime.GOOS != "windows" || !isWindowsCommand(line)
	var word strings.Builder
	inside, open := byte(0), false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case inside != 0 && c == inside:
			inside = 0
		case inside == '\'':
			word.WriteByte(c)
		case escapes && c == '\\' && i+1 < len(line) && (inside == 0 || strings.IndexByte("\"\\$`", line[i+1]) >= 0):
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

// isWindowsCommand reports whether a command begins with a path such as C:\x or \\host\x, whatever
// its quotes.
func isWindowsCommand(line string) bool {
	path := strings.TrimLeft(line, `& '"`)
	return strings.HasPrefix(path, `\\`) || len(path) > 3 && path[1:3] == `:\` && (path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z'
}

// ClearedVars lists environment variables that change how a Go program runs and can even keep it from
// running. The hook command and the plugins remove them before they start checkrein.
var ClearedVars = [...]string{"GOMAXPROCS", "GODEBUG", "GOGC", "GOMEMLIMIT"}

// UnsetPrefix returns the beginning of the hook command for POSIX shells, which removes [ClearedVars].
func UnsetPrefix() string { return "unset " + strings.Join(ClearedVars[:], " ") + "; " }

// A Line is a parsed hook command of checkrein.
type Line struct {
	Program       string
	Config, State string // the user's directories; "" in older command lines, which do not name them
}

// DirArgs returns the arguments that name the user's directories, or nil if the line does not name
// both.
func (l Line) DirArgs() []string {
	if l.Config == "" || l.State == "" {
		return nil
	}
	return []string{"--config", l.Config, "--state", l.State}
}

// ParseLine parses a hook command of checkrein for host, which the installer, an older version of it
// or a user wrote. It reports false if line is another command.
func ParseLine(line, host string) (l Line, ok bool) {
	words := SplitWords(line)
	for _, first := range [...]string{"unset", "trap"} {
		if len(words) > 1 && words[0] == first && (first != "trap" || isBlockingTrap(words[1])) {
			words = words[1+slices.IndexFunc(words, func(w string) bool { return strings.HasSuffix(w, ";") }):]
		}
	}
	if len(words) > 0 && (words[0] == "exec" || words[0] == "&") {
		words = words[1:]
	}
	if len(words) < 3 || words[1] != "hook" || words[2] != host {
		return Line{}, false
	}
	l.Program = filepath.FromSlash(words[0])
	ours := IsCheckrein(l.Program)
	for i, w := range words[3:] {
		ours = ours || w == "--within"
		if i+4 < len(words) {
			switch w {
			case "--config":
				l.Config = filepath.FromSlash(words[i+4])
			case "--state":
				l.State = filepath.FromSlash(words[i+4])
			}
		}
	}
	return l, ours
}

// isBlockingTrap reports whether trap, the command of a shell trap, blocks the call.
func isBlockingTrap(trap string) bool {
	return trap == "exit 2" || strings.HasPrefix(trap, `echo '{"cancel":true,`) && strings.HasSuffix(trap, "; exit 0")
}

// OwnProgram returns the program of a hook command. It reports false if line is not a hook command of
// checkrein for host.
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

// IsCheckrein reports whether the base name of program is checkrein.
func IsCheckrein(program string) bool {
	base := filepath.Base(filepath.FromSlash(strings.ReplaceAll(program, `\`, "/")))
	return base == "checkrein" || base == "checkrein.exe"
}
