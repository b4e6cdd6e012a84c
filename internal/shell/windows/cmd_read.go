package windows

import "strings"

// cmdScript reads the commands of a text for cmd.exe.
func (r *reader) cmdScript(s string) {
	if r.depth >= maxDepth {
		r.exceeds("is nested too deeply to be checked", s)
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	in := flow{}
	for s != "" && r.spend(0) {
		part, op, rest := cmdCut(s)
		part = strings.TrimSpace(part)
		out := flow{}
		if part != "" {
			out = r.cmdCommand(part, in)
		}
		in = flow{}
		if op == "|" {
			in = out
		}
		s = rest
	}
}

// cmdCut cuts the first command off: up to & && | || or the line's end, outside
// of quotes and brackets.
func cmdCut(s string) (part, op, rest string) {
	quoted := false
	level := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\n':
			if level == 0 {
				return s[:i], "\n", s[i+1:]
			}
			quoted = false
		case quoted:
		case c == '^':
			i++
		case c == '(':
			level++
		case c == ')':
			if level--; level < 0 {
				level = 0
			}
		case (c == '&' || c == '|') && level == 0:
			if c == '&' && i > 0 && (s[i-1] == '>' || s[i-1] == '<') { // 2>&1
				continue
			}
			if i+1 < len(s) && s[i+1] == c {
				return s[:i], s[i : i+2], s[i+2:]
			}
			return s[:i], s[i : i+1], s[i+1:]
		}
	}
	return s, "", ""
}

// cmdWords cuts a command into words, with redirections apart. Carets, quotes and
// variables are resolved.
func (r *reader) cmdWords(s string) (words []string, redir [][2]string) {
	s = r.percent(s)
	var b strings.Builder
	any, quoted := false, false
	flush := func() {
		if any {
			words = append(words, b.String())
			b.Reset()
			any = false
		}
	}
	for i := 0; i < len(s) && len(words) < 512; i++ {
		switch c := s[i]; {
		case c == '"':
			quoted, any = !quoted, true
		case quoted:
			b.WriteByte(c)
		case c == '^':
			if i++; i < len(s) && s[i] != '\n' {
				b.WriteByte(s[i])
				any = true
			}
		case c == '>' || c == '<':
			if fd := b.String(); fd == "1" || fd == "2" {
				b.Reset()
				any = false
			}
			flush()
			op, target, end := cmdRedirection(s, i)
			if op != "" {
				redir = append(redir, [2]string{op, target})
			}
			i = end - 1
		case c <= ' ' || c == ',' || c == ';' || c == '=' && len(words) == 0:
			flush()
		case c == '/' && any && len(words) == 0 && letter(at(s, i+1)): // del/s
			flush()
			b.WriteByte(c)
			any = true
		default:
			b.WriteByte(c)
			any = true
		}
	}
	flush()
	return words, redir
}

func at(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// cmdRedirection reads a redirection and goes behind it. One to another stream, as
// 2>&1, has no operator.
func cmdRedirection(s string, i int) (op, target string, end int) {
	op = s[i : i+1]
	if i++; at(s, i) == '>' {
		op = ">>"
		i++
	}
	i = skip(s, i, " ")
	if at(s, i) == '&' {
		return "", "", i + 2
	}
	from, quoted := i, false
	for i < len(s) && (quoted || s[i] > ' ' && s[i] != '>' && s[i] != '<') {
		if s[i] == '"' {
			quoted = !quoted
		}
		i++
	}
	return op, strings.Trim(s[from:i], `"`), i
}

// percent puts the values of %variables% in.
func (r *reader) percent(s string) string {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '!') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '%' && c != '!' {
			b.WriteByte(c)
			continue
		}
		if c == '%' && i+1 < len(s) && s[i+1] == '%' { // %%i in a file
			i++
		}
		end := strings.IndexByte(s[i+1:], c)
		name := ""
		if end > 0 {
			name = s[i+1 : i+1+end]
		}
		if c == '%' && (end <= 0 || strings.ContainsAny(name, " \\/\"") || len(name) > 60) {
			n := r.loopVariable(&b, s, i)
			i += n
			continue
		}
		if end <= 0 || strings.ContainsAny(name, " \\/\"&|") {
			b.WriteByte(c)
			continue
		}
		b.WriteString(r.cmdVariable(name))
		i += end + 1
		if b.Len() > maxFilled || r.filled > maxFilledAll { // a variable of itself grows without end
			return hole
		}
	}
	r.filled += b.Len()
	return b.String()
}

// What variables may make of a word, and of all words together.
const (
	maxFilled    = 64 << 10
	maxFilledAll = 4 << 20
)

// loopVariable writes what %i or %~dpi stands for, and returns its length.
func (r *reader) loopVariable(b *strings.Builder, s string, i int) int {
	j := i + 1
	if j < len(s) && s[j] == '~' {
		j++
		for j < len(s) && strings.IndexByte("fdpnxsatz", s[j]|0x20) >= 0 && j+1 < len(s) && letter(s[j+1]) {
			j++
		}
		if j < len(s) && s[j] == '0' || strings.HasPrefix(s[i:], "%~dp0") { // the script's directory
			b.WriteString(".")
			return strings.IndexByte(s[i:], '0')
		}
	}
	if j < len(s) && letter(s[j]) {
		if v, ok := r.vars["%"+lower(s[j:j+1])]; ok {
			b.WriteString(v.text)
			return j - i
		}
	}
	if j < len(s) && (s[j] == '*' || s[j] >= '0' && s[j] <= '9') {
		b.WriteString(hole)
		return j - i
	}
	b.WriteByte('%')
	return 0
}

// cmdVariable is the value of %name%.
func (r *reader) cmdVariable(name string) string {
	base, _, cut := strings.Cut(name, ":")
	low := lower(base)
	v, ok := r.vars[low]
	text := v.text
	if !ok {
		switch low {
		case "userprofile", "homepath", "temp", "tmp", "systemroot", "windir", "systemdrive", "homedrive", "programfiles", "programdata", "appdata", "localappdata":
			text = "%" + base + "%"
		case "cd":
			text = "."
		case "comspec":
			text = "cmd.exe"
		case "username":
			text = "user"
		default:
			return hole
		}
	}
	if cut { // a part of it: %x:~0,1%
		r.opaque("takes a variable apart", "%"+name+"%")
		return hole
	}
	return text
}
