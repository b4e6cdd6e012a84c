package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// sedEffects returns the effects of sed commands that run programs (e, s///e) or write other files
// (w). It reports false if there are none, because the row of sed covers its effects on its own files.
func sedEffects(c *shell.Call) ([]shell.Effect, []string, bool) {
	o := &result{steps: stepsBase}
	r := reader{job: &job{input: stdinValue(c)}, out: o}
	script := false
	args := c.Args
	for i := 0; i < len(args); i++ {
		w := args[i].Text
		switch {
		case w == "-e" || w == "--expression":
			if i++; i < len(args) {
				r.readSedScript(args[i].Text)
				script = true
			}
		case strings.HasPrefix(w, "--expression="):
			r.readSedScript(w[len("--expression="):])
			script = true
		case strings.HasPrefix(w, "--file="):
			r.readSedFile(c, w[len("--file="):])
			script = true
		case strings.HasPrefix(w, "--"):
			script = script || strings.HasPrefix(w, "--file")
		case strings.HasPrefix(w, "-") && len(w) > 1:
			if k := strings.IndexAny(w, "ef"); k > 0 && !strings.ContainsAny(w[1:k], "iI") {
				script = true
				if w[k] == 'e' && k+1 < len(w) {
					r.readSedScript(w[k+1:])
				} else if i++; w[k] == 'e' && i < len(args) {
					r.readSedScript(args[i].Text)
				} else if i < len(args) {
					r.readSedFile(c, args[i].Text)
				}
			} else if w == "-l" {
				i++
			}
		case !script:
			r.readSedScript(w)
			script = true
		}
	}
	return o.effects, o.nested, len(o.nested) > 0 || len(o.effects) > 0
}

// readSedFile reads the sed script at path if it is a known file of c.
func (r *reader) readSedFile(c *shell.Call, path string) {
	f := knownFile(c, path)
	if f == nil {
		return
	}
	if r.readSedScript(f.Text); !f.Complete {
		r.addUnresolvedEffect("contains a script that checkrein can only partly read", path)
	}
}

// readSedScript adds the effects of the commands in the sed script s.
func (r *reader) readSedScript(s string) {
	s = r.truncateScript(s)
	last := ""
	for i := 0; i < len(s); {
		i = skipSedAddress(s, i)
		if i >= len(s) {
			return
		}
		cmd := s[i]
		i++
		switch cmd {
		case '#', 'a', 'i', 'c', 'b', 't', 'T', ':', 'r', 'R':
			// The argument is text, a label or an input file, and takes the rest of the line.
			line := restOfLine(s, i)
			if cmd == 'r' || cmd == 'R' {
				if f := strings.TrimSpace(line); facts.IsSecretFile(f) {
					r.addRead(textValue(f))
				}
			}
			i += len(line)
			for strings.HasSuffix(line, `\`) && i < len(s) {
				i++
				line = restOfLine(s, i)
				i += len(line)
			}
		case 'e':
			line := restOfLine(s, i)
			i += len(line)
			if cmd := strings.TrimSpace(line); cmd != "" && cmd != "}" && cmd[0] != ';' {
				r.addCommand(cmd)
			} else if last != "" && !strings.ContainsAny(last, `&\\`) { // e runs the result of the preceding s command
				r.addCommand(last)
			} else {
				r.addReplacementCommand("&")
			}
		case 'w', 'W':
			line := restOfLine(s, i)
			i += len(line)
			r.addSedWrite(line)
		case 's':
			if _, k := cutAtSedDelimiter(s, i+1, byteAt(s, i)); k < len(s) {
				last, _ = cutAtSedDelimiter(s, k, byteAt(s, i))
			}
			i = r.readSedSubstitute(s, i)
		case 'y':
			_, i = cutAtSedDelimiter(s, i+1, byteAt(s, i))
			_, i = cutAtSedDelimiter(s, i, byteAt(s, max(i-1, 0)))
		}
	}
}

// byteAt returns s[i], or 0 beyond the end of s.
func byteAt(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// restOfLine returns s from index i up to the next newline, or to the end.
func restOfLine(s string, i int) string {
	if i >= len(s) {
		return ""
	}
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return s[i : i+n]
	}
	return s[i:]
}

// skipSedAddress returns the index of the first byte at or after s[i] that is not part of an address,
// a separator or a brace.
func skipSedAddress(s string, i int) int {
	for i < len(s) {
		switch c := s[i]; {
		case c == '/':
			_, i = cutAtSedDelimiter(s, i+1, '/')
		case c == '\\' && i+1 < len(s):
			_, i = cutAtSedDelimiter(s, i+2, s[i+1])
		case c <= ' ' || c == ';' || c == ',' || c == '!' || c == '$' || c == '{' || c == '}' || c == '~' || c == '+' || isDigit(c):
			i++
		case (c == 'I' || c == 'M') && i > 0 && s[i-1] == '/':
			i++
		default:
			return i
		}
	}
	return i
}

// cutAtSedDelimiter returns the text from s[i] up to an unescaped stop, and the index after stop.
// Without a stop, it returns the rest of s.
func cutAtSedDelimiter(s string, i int, stop byte) (text string, next int) {
	from := min(i, len(s))
	for i < len(s) {
		if s[i] == '\\' {
			i += 2
			continue
		}
		if s[i] == stop {
			return s[from:i], i + 1
		}
		i++
	}
	return s[from:], len(s)
}

// readSedSubstitute reads /regexp/replacement/flags of an s command, adds its effects, and returns the
// index after it. The first delimiter is s[i].
func (r *reader) readSedSubstitute(s string, i int) int {
	stop := byteAt(s, i)
	if stop == 0 {
		return i
	}
	from, i := cutAtSedDelimiter(s, i+1, stop)
	to, i := cutAtSedDelimiter(s, i, stop)
	for i < len(s) {
		switch c := s[i]; {
		case c == 'e':
			if r.addReplacementCommand(to); strings.Trim(from, "^$") != ".*" {
				r.addUnresolvedEffect("makes sed run a line of its input as a command", "e")
			}
		case c == 'w':
			line := restOfLine(s, i+1)
			r.addSedWrite(line)
			return i + 1 + len(line)
		case c == 'g' || c == 'p' || c == 'i' || c == 'I' || c == 'm' || c == 'M' || isDigit(c):
		default:
			return i
		}
		i++
	}
	return i
}

// addReplacementCommand adds the replacement to of an s command as a shell command, with the input of
// sed in place of &. If the command is not fully known, it adds an effect instead.
func (r *reader) addReplacementCommand(to string) {
	in := r.job.input
	switch {
	case to != "" && !strings.ContainsAny(to, `&\`):
		r.addCommand(to)
	case in.form == text && to != "" && !strings.Contains(to, `\`):
		r.addCommand(strings.TrimRight(strings.ReplaceAll(to, "&", in.text[:min(len(in.text), 4096)]), "\n"))
	default:
		r.addUnresolvedEffect("makes sed run its input as a command", "e")
	}
}

// addSedWrite adds a write to the file named in line, the argument of a w command.
func (r *reader) addSedWrite(line string) {
	f := strings.TrimSpace(line)
	if f == "" || f == "/dev/stdout" || f == "/dev/stderr" {
		return
	}
	v := textValue(f)
	r.addCommand("printf x > " + shellQuote(&v))
}
