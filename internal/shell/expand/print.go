package expand

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// EchoOutput returns the output of echo with the given arguments, and whether all of it is known.
func EchoOutput(args []shell.Word) (string, bool) {
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
		sure = sure && a.IsKnown()
		if !escapes {
			buf = append(buf, a.Text...)
			continue
		}
		more := true
		if buf, more = appendEchoText(buf, a.Text); !more {
			return string(buf), sure
		}
	}
	if line {
		buf = append(buf, '\n')
	}
	return string(buf), sure
}

// PrintfOutput returns the output of printf with the given arguments, and whether all of it is known.
// The format is reused while there are arguments left.
func PrintfOutput(args []shell.Word) (string, bool) {
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return "", true
	}
	p := printfState{format: args[0].Text, args: args[1:], sure: args[0].IsKnown()}
	for {
		left := len(p.args)
		p.applyFormat()
		if p.stop || len(p.args) == 0 || len(p.args) == left {
			break
		}
		if len(p.buf) > MaxOutput {
			p.sure = false
			break
		}
	}
	return string(p.buf), p.sure
}

// A printfState holds the state of printf while it formats its arguments.
type printfState struct {
	format string
	args   []shell.Word // the remaining arguments
	buf    []byte       // the output
	sure   bool         // all of the output is known
	stop   bool         // \c has ended all output
}

// applyFormat writes the format once, with the next arguments.
func (p *printfState) applyFormat() {
	s := p.format
	for i := 0; i < len(s) && !p.stop; {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			n := 0
			if s[i+1] == '"' {
				p.buf, n = append(p.buf, '"'), 1
			} else {
				p.buf, n, p.stop = appendUnescapedChar(p.buf, s[i+1:], false)
			}
			i += 1 + n
		case s[i] == '%' && i+1 < len(s):
			i += p.writeVerb(s[i:])
		default:
			p.buf = append(p.buf, s[i])
			i++
		}
	}
}

// writeVerb writes the next argument with the verb that s begins with, and returns the length of the
// verb.
func (p *printfState) writeVerb(s string) int {
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
	p.sure = p.sure && arg.IsKnown()
	switch spec := s[1:n]; s[n] {
	case 's':
		if strings.HasPrefix(spec, ".") {
			arg.Text = arg.Text[:min(ParseSmallNumber(spec[1:]), len(arg.Text))]
		} else if spec != "" {
			p.sure = false
		}
		p.buf = append(p.buf, arg.Text...)
	case 'b':
		more := true
		p.buf, more = appendEchoText(p.buf, arg.Text)
		p.stop = !more
	case 'q':
		p.buf = append(p.buf, Quote(arg.Text)...)
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
		for len(text) < ParseSmallNumber("0"+strings.TrimPrefix(spec, "0")) && len(text) < 4 {
			text = "0" + text
		}
		p.buf = append(p.buf, text...)
	default:
		p.sure = false
	}
	return n + 1
}

// BasenameOutput returns the output of basename with the given arguments. It reports false if the
// output is not known.
func BasenameOutput(args []shell.Word) (string, bool) {
	args, ok := pathOperands(args)
	if !ok {
		return "", false
	}
	path := strings.TrimRight(args[0].Text, "/")
	base := path[strings.LastIndexByte(path, '/')+1:]
	if len(args) == 2 {
		base = strings.TrimSuffix(base, args[1].Text)
	}
	return base + "\n", true
}

// DirnameOutput returns the output of dirname with the given arguments. It reports false if the output
// is not known.
func DirnameOutput(args []shell.Word) (string, bool) {
	args, ok := pathOperands(args)
	if !ok {
		return "", false
	}
	path := strings.TrimRight(args[0].Text, "/")
	switch i := strings.LastIndexByte(path, '/'); {
	case path == "" || i == 0:
		return "/\n", true
	case i < 0:
		return ".\n", true
	default:
		return path[:i] + "\n", true
	}
}

// pathOperands returns the operands in args, the arguments of basename or dirname. It reports false if
// there is no operand or more than two, or if the first is not known or is an option.
func pathOperands(args []shell.Word) ([]shell.Word, bool) {
	dashes := len(args) > 1 && args[0].Text == "--"
	if dashes {
		args = args[1:]
	}
	ok := len(args) > 0 && len(args) <= 2 && args[0].IsKnown() && (dashes || !strings.HasPrefix(args[0].Text, "-"))
	return args, ok
}

// SeqOutput returns the output of seq with the given arguments. It reports false if the output is long
// or not known.
func SeqOutput(args []shell.Word) (string, bool) {
	format := ""
	if len(args) > 2 && args[0].Text == "-f" {
		format, args = args[1].Text, args[2:]
	}
	lo, hi := 1, 0
	switch len(args) {
	case 1:
		hi = ParseSmallNumber(args[0].Text)
	case 2:
		lo, hi = ParseSmallNumber(args[0].Text), ParseSmallNumber(args[1].Text)
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
		if len(buf) > MaxOutput {
			return "", false
		}
		n := string(appendInt(nil, int64(i)))
		buf = append(append(buf, strings.NewReplacer("%g", n, "%.0f", n, "%f", n).Replace(format)...), '\n')
	}
	return string(buf), true
}
