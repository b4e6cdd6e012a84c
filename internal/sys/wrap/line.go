package wrap

import "strings"

// A line is a shell line with which an agent runs a command: it sources a snapshot of the person's
// shell, evaluates the command and writes down where it ended.
type line struct {
	before   string // what comes before the command
	snapshot string // the sourced file; "" = none
	command  string // what eval is given
}

// parseLine parses a line of Claude Code. It reports false unless the line has one eval, of one literal
// word, and its input and the report of the directory follow.
func parseLine(text string) (l line, ok bool) {
	s := scanner{text: text}
	var words []word
	for w, more := s.next(); more; w, more = s.next() {
		words = append(words, w)
	}
	if s.failed {
		return line{}, false
	}
	at := -1
	for i, w := range words {
		if w.plain && w.text == "eval" {
			if at >= 0 || i > 0 && words[i-1].text != "&&" {
				return line{}, false
			}
			at = i
		}
	}
	if at < 0 || at+1 >= len(words) || words[at+1].operator {
		return line{}, false
	}
	rest := words[at+2:]
	if len(rest) >= 2 && rest[0].is("<") && rest[1].text == "/dev/null" && rest[1].plain {
		rest = rest[2:]
	}
	if len(rest) != 5 || !rest[0].is("&&") || rest[1].text != "pwd" || rest[2].text != "-P" || !rest[3].is(">|") || rest[4].operator {
		return line{}, false
	}
	l = line{before: text[:words[at].start], command: words[at+1].text}
	if words[0].plain && words[0].text == "source" && len(words) > 1 && !words[1].operator {
		l.snapshot = words[1].text
	}
	return l, true
}

// ProbeArgs returns the arguments with which the host h runs command, for which there is no ticket.
func ProbeArgs(h Host, command string) []string {
	if h.Evals {
		return []string{"eval '" + command + "' && pwd -P >| /dev/null"}
	}
	return []string{"-c", command}
}

// A word is a word or an operator of a shell line.
type word struct {
	text     string // without quotes
	start    int
	plain    bool // a word without quotes
	operator bool
}

// is reports whether w is the operator op.
func (w word) is(op string) bool { return w.operator && w.text == op }

// A scanner splits a shell line into words. It fails at everything that a shell would expand.
type scanner struct {
	text   string
	pos    int
	failed bool
}

// operators lists the operators that a scanner knows, longer ones first.
var operators = [...]string{"&&", "||", ">|", ">&", "<", ">", ";", "{", "}"}

// next returns the next word. It returns false at the end of the text.
func (s *scanner) next() (w word, ok bool) {
	for s.pos < len(s.text) && strings.IndexByte(" \t\n", s.text[s.pos]) >= 0 {
		s.pos++
	}
	w.start = s.pos
	if s.pos == len(s.text) {
		return w, false
	}
	for _, op := range operators {
		if strings.HasPrefix(s.text[s.pos:], op) {
			s.pos += len(op)
			return word{text: op, start: w.start, operator: true}, true
		}
	}
	w.plain = true
	var b strings.Builder
	for s.pos < len(s.text) && strings.IndexByte(" \t\n<>&|;", s.text[s.pos]) < 0 {
		c := s.text[s.pos]
		s.pos++
		switch c {
		case '\'', '"':
			w.plain = false
			end := strings.IndexByte(s.text[s.pos:], c)
			if end < 0 || c == '"' && strings.ContainsAny(s.text[s.pos:s.pos+end], "$`\\!") {
				s.failed = true
				return w, false
			}
			b.WriteString(s.text[s.pos : s.pos+end])
			s.pos += end + 1
		case '\\':
			if s.pos == len(s.text) {
				s.failed = true
				return w, false
			}
			b.WriteByte(s.text[s.pos]) // \builtin is the command, not an alias
			s.pos++
			w.plain = false
		case '$', '`', '(', ')', '#', '*', '?', '[', '~':
			s.failed = true
			return w, false
		default:
			b.WriteByte(c)
		}
	}
	w.text = b.String()
	s.failed = s.pos == w.start // an operator that is not listed
	return w, !s.failed
}
