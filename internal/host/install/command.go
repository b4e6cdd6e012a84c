package install

import (
	"strconv"
	"strings"
	"unicode"

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
	switch {
	case !m.isWindows() || !s.Shell:
		return quoteWords(words)
	case s.Windows == GitBash: // a POSIX shell; programs take slashes
		for i, w := range words {
			words[i] = strings.ReplaceAll(w, `\`, "/")
		}
		return quoteWords(words)
	}
	return quoteOnWindows(words, s.Windows)
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

// A WindowsShell is the shell with which a host runs command lines on Windows.
type WindowsShell uint8

const (
	Cmd        WindowsShell = iota // cmd.exe
	PowerShell                     // Windows PowerShell 5.1, or PowerShell 7
	GitBash                        // the bash of Git for Windows
)

// shutOnWindows ends the command line of a gate in a shell of Windows, like [Spec.ShutSuffix]. A missing
// program exits with 9009 in cmd.exe, and leaves no exit code in PowerShell; a crash exits with a negative
// number.
var shutOnWindows = [...]string{
	Cmd:        ` & (if errorlevel 3 echo ` + CouldNotAsk + ` 1>&2)& (if errorlevel 1 exit 2)& if not errorlevel 0 exit 2`,
	PowerShell: ` ; if ($LASTEXITCODE -ne 0) { if ($LASTEXITCODE -ne 2) { [Console]::Error.WriteLine('` + CouldNotAsk + `') }; exit 2 }`,
}

// quoteOnWindows joins words into a command line for cmd.exe or PowerShell. Only words that need quotes
// get them: hosts pass the line on as an argument, and cmd.exe does not understand how they escape quotes.
func quoteOnWindows(words []string, in WindowsShell) string {
	special := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(`\/._-+:~`, r)
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; strings.ContainsFunc(w, special) {
			quoted[i] = `"` + w + `"`
		}
	}
	line := strings.Join(quoted, " ")
	if in == PowerShell && line[0] == '"' { // which would otherwise be an expression
		return "& " + line
	}
	return line
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
