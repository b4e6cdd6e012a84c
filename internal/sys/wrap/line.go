package wrap

import (
	"iter"
	"strings"
)

// A line is a shell line with which an agent runs a command: it prepares the shell, evaluates the
// command and writes down where it ended.
type line struct {
	before   string // what comes before the command
	snapshot string // the file that it sources first; "" = none
	command  string // what eval is given
}

// Parts of the lines of Claude Code.
const (
	eval   = "eval "
	joiner = " && "
	report = joiner + "pwd -P >| "
	noText = " < /dev/null"
	// Before commands that old versions of bash misread, a check of the version comes first.
	checkStart = `{ case "${BASH_VERSINFO-}" in `
	checkEnd   = ` >&2; \builtin exit 126; \exit 126;; esac; }` + joiner
)

// parseLine parses a line of Claude Code. It reports false unless the line ends with one eval of one
// literal word and the report of the directory. What comes before the eval may be anything: it is
// compared with that of the session's other commands. As the word is quoted, nothing in the command
// can look like another eval that ends so.
func parseLine(text string) (l line, ok bool) {
	at := strings.LastIndex(text, report)
	if at < 0 {
		return line{}, false
	}
	if _, ok := literal(text[at+len(report):]); !ok {
		return line{}, false
	}
	rest := strings.TrimSuffix(text[:at], noText)
	found := false
	for i := range evals(rest) {
		word := rest[i+len(eval):]
		first, _, more := strings.Cut(word, joiner)
		command, whole := literal(word)
		_, other := literal(strings.TrimSuffix(first, noText))
		switch {
		case whole && found, !found && more && !whole && other:
			return line{}, false
		case whole:
			found, l.before, l.command = true, rest[:i], command
		}
	}
	if strings.HasPrefix(l.before, checkStart) {
		if check, after, ok := strings.Cut(l.before, checkEnd); ok && !strings.Contains(check, joiner) {
			l.before = after
		}
	}
	if file, ok := strings.CutPrefix(l.before, "source "); ok {
		file, _, _ = strings.Cut(file, " 2>/dev/null")
		if l.snapshot, ok = literal(file); !ok {
			return line{}, false
		}
	}
	return l, found
}

// evals returns the positions of text that looks like a command eval of a line.
func evals(text string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; ; from += len(eval) {
			i := strings.Index(text[from:], eval)
			if i < 0 {
				return
			}
			from += i
			if (from == 0 || strings.HasSuffix(text[:from], joiner)) && !yield(from) {
				return
			}
		}
	}
}

// ProbeArgs returns the arguments with which the host h runs command, for which there is no ticket.
func ProbeArgs(h Host, command string) []string {
	if h.Evals {
		return []string{"eval '" + command + "'" + report + "/dev/null"}
	}
	return []string{"-c", command}
}

// SplitStart splits a shell line that starts command, one word, with program.
func SplitStart(text string) (program, command string, ok bool) {
	for i := 0; ; i++ {
		next := strings.IndexByte(text[i:], ' ')
		if next < 0 {
			return "", "", false
		}
		i += next
		program, first := literal(text[:i])
		if command, ok := literal(text[i+1:]); ok && first {
			return program, command, true
		}
	}
}

// literal returns the text of s, one word of a shell line, without its quotes. It returns false if s is
// not one word, or if a shell would expand anything in it.
func literal(s string) (string, bool) {
	if s == "" {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\'':
			end := strings.IndexByte(s[i+1:], c)
			if end < 0 {
				return "", false
			}
			b.WriteString(s[i+1 : i+1+end])
			i += 1 + end
		case '"':
			for i++; ; i++ {
				if i >= len(s) || s[i] == '$' || s[i] == '`' {
					return "", false
				}
				if s[i] == '"' {
					break
				}
				if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\"\\$`", s[i+1]) >= 0 {
					i++
				}
				b.WriteByte(s[i])
			}
		case '\\':
			if i++; i == len(s) || s[i] == '\n' {
				return "", false
			}
			b.WriteByte(s[i])
		case ' ', '\t', '\n', '\r', '$', '`', '(', ')', '{', '}', '<', '>', '&', '|', ';', '#', '*', '?', '[', ']', '~', '!', '^':
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}
