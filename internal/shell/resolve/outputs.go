package resolve

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// outputs are the streams around what is walked, and what commands print into them or write
// to files.
type outputs struct {
	fileTable
	in    *shell.Flow // standard input of what is walked; nil = the terminal's
	inPos int         // how much of in's text read has taken
	sink  *sink       // gathers standard output; nil = nobody listens
	piped bool        // standard output goes to another call

	pipes   []*shell.Flow    // of process substitutions: /dev/fd/63 and down
	kept    int              // of them, how many last longer than their command
	later   []tap            // >(…), which run when there is something to read
	opens   []shell.Redirect // that exec did, for all that follows
	endings []ending         // of the shells that are walked
}

// maxOutput bounds a text that is worked out.
const maxOutput = 256 << 10

// prints returns what a call writes to standard output, when that follows from its
// words and what flows into it. The output of other programs is unknown.
func (w *outputs) prints(c *shell.Call) (text string, sure bool) {
	if text, ok := w.locates(c); ok {
		return text, true
	}
	switch c.Name {
	case "echo":
		return echoed(c.Args)
	case "printf":
		return formatted(c.Args)
	case ":", "true", "false", "sleep", "mkdir", "touch", "export", "cd":
		return "", len(c.Args) > 0 || c.Name != "export"
	case "mktemp", "tempfile":
		if path, _ := w.tempName(c); path != "" {
			return path + "\n", true
		}
	case "pwd":
		if dir := w.cwd(); dir != "." && c.Remote == "" {
			if hasWord(c.Args, "-P") {
				dir = w.physical(w.whereOf(c), ".")
			}
			return dir + "\n", true
		}
		return ".\n", true
	case "which", "command", "type":
		return located(c)
	case "basename", "dirname":
		return pathPart(c)
	case "seq":
		return sequence(c.Args)
	case "cat":
		return w.concatenated(c)
	case "tee":
		return stdin(c)
	}
	return "", false
}

// stdin returns the text that flows into a call.
func stdin(c *shell.Call) (string, bool) {
	if c.In == nil {
		return "", false
	}
	return c.In.Text, c.In.Sure && len(c.In.Text) <= maxOutput
}

// concatenated returns the output of cat: what flows in and the files that the text
// itself made.
func (w *outputs) concatenated(c *shell.Call) (text string, sure bool) {
	var b strings.Builder
	sure = true
	read := 0
	for _, a := range c.Args {
		if len(a.Text) > 1 && a.Text[0] == '-' {
			if strings.ContainsAny(a.Text, "nbAEv") {
				return "", false
			}
			continue
		}
		read++
		part, known := w.readBy(c, a.Text)
		if !w.pay(len(part)) || b.Len() > maxOutput {
			return "", false
		}
		sure = sure && known
		b.WriteString(part)
	}
	if read == 0 {
		return stdin(c)
	}
	return b.String(), sure
}

// readBy returns what a call reads from a file that the text made, or from a stream.
func (w *outputs) readBy(c *shell.Call, path string) (text string, sure bool) {
	if f := fileNamed(c, path); f != nil {
		return f.Text, f.Sure
	}
	flow := c.In
	if path != "-" && path != "/dev/stdin" {
		flow = w.opened(path)
	}
	if flow == nil {
		return hole, false
	}
	return flow.Text, flow.Sure
}

// echoed is the output of echo.
func echoed(args []shell.Word) (string, bool) {
	line, escapes := true, false
	for len(args) > 0 {
		a := args[0].Text
		if len(a) < 2 || a[0] != '-' || strings.Trim(a[1:], "neE") != "" {
			break
		}
		line = line && !strings.Contains(a, "n")
		if i := strings.LastIndexAny(a, "eE"); i > 0 {
			escapes = a[i] == 'e'
		}
		args = args[1:]
	}
	var buf []byte
	sure := true
	for i, a := range args {
		if i > 0 {
			buf = append(buf, ' ')
		}
		sure = sure && a.Known()
		if !escapes {
			buf = append(buf, a.Text...)
			continue
		}
		more := true
		if buf, more = echoText(buf, a.Text); !more {
			return string(buf), sure
		}
	}
	if line {
		buf = append(buf, '\n')
	}
	return string(buf), sure
}

// formatted is the output of printf. The format is used again while there are
// words left.
func formatted(args []shell.Word) (string, bool) {
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return "", true
	}
	p := printer{format: args[0].Text, args: args[1:], sure: args[0].Known()}
	for {
		left := len(p.args)
		p.round()
		if p.stop || len(p.args) == 0 || len(p.args) == left {
			break
		}
		if len(p.buf) > maxOutput {
			p.sure = false
			break
		}
	}
	return string(p.buf), p.sure
}

type printer struct {
	format string
	args   []shell.Word
	buf    []byte
	sure   bool
	stop   bool
}

// round goes through the format once.
func (p *printer) round() {
	s := p.format
	for i := 0; i < len(s) && !p.stop; {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			n := 0
			if s[i+1] == '"' {
				p.buf, n = append(p.buf, '"'), 1
			} else {
				p.buf, n, p.stop = escape(p.buf, s[i+1:], false)
			}
			i += 1 + n
		case s[i] == '%' && i+1 < len(s):
			i += p.verb(s[i:])
		default:
			p.buf = append(p.buf, s[i])
			i++
		}
	}
}

// verb writes one word as %s and its kin say, and returns the verb's length.
func (p *printer) verb(s string) int {
	if s[1] == '%' {
		p.buf = append(p.buf, '%')
		return 2
	}
	n := 1
	for n < len(s) && strings.IndexByte("-+ #0123456789.", s[n]) >= 0 {
		n++
	}
	if n == len(s) {
		p.buf = append(p.buf, s...)
		return n
	}
	var arg shell.Word
	if len(p.args) > 0 {
		arg, p.args = p.args[0], p.args[1:]
	}
	p.sure = p.sure && arg.Known()
	switch spec := s[1:n]; s[n] {
	case 's':
		if strings.HasPrefix(spec, ".") {
			arg.Text = arg.Text[:min(number(spec[1:]), len(arg.Text))]
		} else if spec != "" {
			p.sure = false
		}
		p.buf = append(p.buf, arg.Text...)
	case 'b':
		more := true
		p.buf, more = echoText(p.buf, arg.Text)
		p.stop = !more
	case 'q':
		p.buf = append(p.buf, quote(arg.Text)...)
	case 'c':
		p.buf = append(p.buf, arg.Text[:min(1, len(arg.Text))]...)
	case 'd', 'i':
		v, err := strconv.ParseInt(arg.Text, 0, 64)
		p.sure = p.sure && spec == "" && (err == nil || arg.Text == "")
		p.buf = appendInt(p.buf, v)
	case 'o', 'x', 'X':
		v, err := strconv.ParseInt(arg.Text, 0, 64)
		base := 16
		if s[n] == 'o' {
			base = 8
		}
		p.sure = p.sure && err == nil && (spec == "" || spec == "02" || spec == "03")
		text := strconv.FormatInt(v, base)
		for len(text) < number("0"+strings.TrimPrefix(spec, "0")) && len(text) < 4 {
			text = "0" + text
		}
		p.buf = append(p.buf, text...)
	default:
		p.sure = false
	}
	return n + 1
}

// located is the output of which and command -v: the program itself.
func located(c *shell.Call) (string, bool) {
	var b strings.Builder
	sure := true
	for _, a := range c.Args {
		if strings.HasPrefix(a.Text, "-") {
			if a.Text == "-V" || c.Name == "type" && a.Text == "-t" {
				return "", false
			}
			continue
		}
		b.WriteString(a.Text)
		b.WriteByte('\n')
		sure = sure && a.Known()
	}
	if c.Name == "type" && (len(c.Args) == 0 || c.Args[0].Text != "-p" && c.Args[0].Text != "-P") {
		return "", false
	}
	return b.String(), sure
}

func pathPart(c *shell.Call) (string, bool) {
	args := c.Args
	if len(args) > 1 && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) == 0 || len(args) > 2 || !args[0].Known() || strings.HasPrefix(args[0].Text, "-") && len(args) == len(c.Args) {
		return "", false
	}
	if c.Name == "dirname" && isLocated(args[0]) {
		return "", false
	}
	path := strings.TrimRight(args[0].Text, "/")
	i := strings.LastIndexByte(path, '/')
	if c.Name == "basename" {
		base := path[i+1:]
		if len(args) == 2 {
			base = strings.TrimSuffix(base, args[1].Text)
		}
		return base + "\n", true
	}
	switch {
	case i < 0 && path == "":
		return "/\n", true
	case i < 0:
		return ".\n", true
	case i == 0:
		return "/\n", true
	}
	return path[:i] + "\n", true
}

// sequence is the output of seq, when it is short.
func sequence(args []shell.Word) (string, bool) {
	format := ""
	if len(args) > 2 && args[0].Text == "-f" {
		format, args = args[1].Text, args[2:]
	}
	lo, hi := 1, 0
	switch len(args) {
	case 1:
		hi = number(args[0].Text)
	case 2:
		lo, hi = number(args[0].Text), number(args[1].Text)
	default:
		return "", false
	}
	if hi-lo > maxWords || lo > 1<<20 || hi > 1<<20 {
		return "", false
	}
	var buf []byte
	for i := lo; i <= hi; i++ {
		if format == "" {
			buf = append(appendInt(buf, int64(i)), '\n')
			continue
		}
		if len(buf) > maxOutput {
			return "", false
		}
		n := string(appendInt(nil, int64(i)))
		buf = append(append(buf, strings.NewReplacer("%g", n, "%.0f", n, "%f", n).Replace(format)...), '\n')
	}
	return string(buf), true
}

// locates is what a call prints that says where something is, as far as the words say so.
func (w *outputs) locates(c *shell.Call) (string, bool) {
	if w.trace == nil || c.Remote != "" || len(c.Args) == 0 {
		return "", false
	}
	last := c.Args[len(c.Args)-1]
	switch c.Name {
	case "git":
		for _, name := range [...]string{"GIT_DIR", "GIT_WORK_TREE"} {
			if v := w.st.find(name); v != nil && !v.gone {
				return "", false
			}
		}
		if last.Text == "--show-toplevel" && w.top != nil && len(c.Args) == 2 {
			top, ok := w.top(w.rawSpot(".", w.whereOf(c)))
			return top + "\n", ok
		}
	case "realpath", "readlink":
		if resolvesLinks(c) && last.Known() && !last.Glob && last.Text != "" && !isLocated(last) {
			return w.physical(w.whereOf(c), last.Text) + "\n", true
		}
	}
	return "", false
}

// whereOf is where a call runs.
func (w *outputs) whereOf(c *shell.Call) *context {
	at := w.st.context
	if c.Dir != "" {
		at.dir = c.Dir
	}
	return &at
}

// resolvesLinks reports whether a call of realpath or readlink prints where its one
// operand leads.
func resolvesLinks(c *shell.Call) bool {
	all := c.Name == "realpath"
	for _, a := range c.Args[:len(c.Args)-1] {
		switch a.Text {
		case "--", "-q", "-n", "--quiet", "--no-newline":
		case "-f", "-e", "-m", "-P", "-nf", "-fn", "-ne", "-en", "--canonicalize", "--canonicalize-existing", "--canonicalize-missing", "--physical":
			all = true
		default:
			return false
		}
	}
	return all && !strings.HasPrefix(c.Args[len(c.Args)-1].Text, "-")
}

// physical is where a path leads, as far as that is known.
func (w *outputs) physical(at *context, path string) string {
	dir := w.rawSpot(".", at)
	if w.real == nil || at.remote != "" || strings.Contains(dir+path, hole) || strings.HasPrefix(path, "~") {
		return w.rawSpot(path, at)
	}
	return w.real(dir, path)
}
