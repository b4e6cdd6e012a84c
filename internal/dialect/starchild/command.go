package starchild

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// split takes a command line apart without a shell, as Python's shlex.split
// does: words end at blanks; single quotes keep everything, double quotes all
// but a backslash before a quote or a backslash; outside of quotes a backslash
// keeps the next character. A line without words has none.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	open := false // a word has begun, be it empty
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\r', '\n':
			if open {
				words = append(words, word.String())
				word.Reset()
				open = false
			}
		case '\'', '"':
			n := closing(line[i+1:], c)
			if n < 0 {
				return nil, fmt.Errorf("the quote %c is not closed", c)
			}
			word.WriteString(quoted(line[i+1:i+1+n], c))
			i += n + 1
			open = true
		case '\\':
			if i++; i == len(line) {
				return nil, errors.New("a backslash ends it")
			}
			word.WriteByte(line[i]) // the rest of a longer character follows by itself
			open = true
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}

// closing finds the quote that ends a quoted text, -1 when there is none.
func closing(s string, quote byte) int {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return i
		case s[i] == '\\' && quote == '"':
			i++
		}
	}
	return -1
}

// quoted is what stands between two quotes.
func quoted(s string, quote byte) string {
	if quote == '\'' {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && (s[i+1] == '\\' || s[i+1] == '"') { // closing has seen that one follows
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

// join writes a command line that split takes apart into argv again.
func join(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = a
		if a == "" || strings.ContainsFunc(a, needsQuote) {
			words[i] = "'" + strings.ReplaceAll(a, "'", `'"'"'`) + "'"
		}
	}
	return strings.Join(words, " ")
}

func needsQuote(r rune) bool {
	return !isAlnum(r) && !strings.ContainsRune("@%+=:,./-_", r)
}

func isAlnum(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// misplaced says why a program would not be found where it was meant, "" when
// it would: one by its absolute path, or one that is looked up in PATH. The
// same goes for the script that an interpreter is given.
func misplaced(argv []string) string {
	if why := relative(argv[0]); why != "" {
		return why
	}
	inline := interpreter(filepath.Base(argv[0]))
	if inline == "" {
		return ""
	}
	for _, a := range argv[1:] {
		long := strings.HasPrefix(a, "--")
		switch {
		case a == "--eval" || !long && strings.HasPrefix(a, "-") && strings.ContainsAny(a, inline):
			return "" // a program's text or a module's name follows
		case strings.HasPrefix(a, "-"):
			continue
		case filepath.Ext(a) != "" && !absolute(a):
			return elsewhere(a)
		}
		return relative(a)
	}
	return ""
}

// interpreter returns the letters of the options by which a program takes
// something else than a file to run, "" for what is no interpreter.
func interpreter(program string) string {
	switch strings.TrimRight(program, "0123456789.") {
	case "sh", "bash", "dash", "zsh", "ksh":
		return "c"
	case "python":
		return "cm"
	case "node", "ruby", "perl":
		return "ep"
	case "php":
		return "r"
	}
	return ""
}

// relative says why a path leads nowhere.
func relative(path string) string {
	switch {
	case strings.HasPrefix(path, "~"):
		return fmt.Sprintf("no shell replaces the ~ of %q", path)
	case strings.ContainsFunc(path, isSeparator) && !absolute(path):
		return elsewhere(path)
	}
	return ""
}

func elsewhere(path string) string {
	return fmt.Sprintf("the path %q is relative, and starchild looks for it in its server's directory: "+
		"nothing is found there, so the guard silently protects nothing", path)
}

func isSeparator(r rune) bool { return r == '/' || r == filepath.Separator }

func absolute(path string) bool { return strings.HasPrefix(path, "/") || filepath.IsAbs(path) }
