package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A vimExpr reads the expressions of vim.
type vimExpr struct {
	*exReader
	toks  []token
	at    int
	depth int
}

// values reads expressions that stand side by side, joined by spaces.
func (x *exReader) values(s string) value {
	if x.level > maxLevel {
		x.unresolved("contains code nested too deeply", s)
		return value{}
	}
	x.level++
	defer func() { x.level-- }()
	e := vimExpr{exReader: x, toks: lex(s, java)}
	if e.end() {
		return known("")
	}
	out := e.expr()
	for n := 0; n < 256 && !e.end() && x.spend(); n++ {
		out = join(join(out, known(" ")), e.expr())
	}
	return out
}

func (e *vimExpr) tok() *token { return &e.toks[min(e.at, len(e.toks)-1)] }
func (e *vimExpr) end() bool   { return e.tok().kind == tEnd }

func (e *vimExpr) accept(op string) bool {
	if e.tok().is(op) {
		e.at++
		return true
	}
	return false
}

// expr reads one expression. It always takes a token.
func (e *vimExpr) expr() value {
	out := e.term()
	for n := 0; n < 256 && !e.end() && e.spend(); n++ {
		t := e.tok()
		switch {
		case t.is(".") || t.is(".."):
			e.at++
			e.accept(".")
			out = join(out, e.term())
		case t.is("["):
			e.at++
			e.items("]")
			if out.form == list && len(out.items) > 0 {
				out = out.items[0]
			}
		case t.kind == tOp && !facts.InList(") ] } , ; {", t.text):
			e.at++
			if right := e.term(); t.is("+") && out.form == list {
				out = join(out, right)
			} else {
				out = value{taint: out.taint | right.taint}
			}
		default:
			return out
		}
	}
	return out
}

func (e *vimExpr) term() value {
	t := e.tok()
	if t.kind == tEnd {
		return value{}
	}
	e.at++
	if e.depth > maxDepth {
		return value{}
	}
	e.depth++
	defer func() { e.depth-- }()
	switch {
	case t.kind == tString:
		return known(t.text)
	case t.kind == tNumber:
		return value{form: text, text: t.text, num: true}
	case t.is("("):
		v := e.items(")")
		if len(v) == 1 {
			return v[0]
		}
	case t.is("["):
		v := e.items("]")
		return value{form: list, items: v, taint: taintOf(v)}
	case t.is("{"):
		e.items("}")
	case t.is("$") && e.tok().kind == tIdent:
		e.at++
		return e.environment(e.toks[e.at-1].text)
	case t.is("!") || t.is("-") || t.is("+") || t.is("&") || t.is("@"):
		return e.term()
	case t.kind == tIdent:
		return e.name(t.text)
	}
	return value{}
}

// items reads values up to a bracket.
func (e *vimExpr) items(end string) []value {
	var out []value
	for n := 0; n < 256 && !e.end() && e.spend(); n++ {
		if e.accept(end) {
			return out
		}
		if e.accept(",") || e.accept(":") {
			continue
		}
		out = append(out, e.expr())
	}
	return out
}

func (e *vimExpr) environment(n string) value {
	if v, ok := e.vars["$"+n]; ok {
		return v
	}
	return e.variable(n)
}

// name reads a variable or a call.
func (e *vimExpr) name(n string) value {
	if strings.HasPrefix(n, "$") {
		return e.environment(n[1:])
	}
	if len(n) == 1 && strings.Contains("gslavbwt", n) && e.tok().is(":") && e.toks[min(e.at+1, len(e.toks)-1)].kind == tIdent {
		n = e.toks[e.at+1].text
		e.at += 2
	}
	if !e.tok().is("(") {
		return e.vars[n]
	}
	e.at++
	return e.call(n, e.items(")"))
}

// call is a function of vim.
func (e *vimExpr) call(fn string, args []value) value {
	arg, second := positional(args, 0, ""), positional(args, 1, "")
	switch fn {
	case "expand", "resolve", "simplify", "fnamemodify", "fnameescape", "shellescape", "iconv", "trim", "tolower", "split", "string", "copy", "deepcopy", "flatten", "sort", "reverse":
		return expandHome(arg)
	case "glob", "globpath", "readdir":
		return vimGlob(fn, arg, second)
	case "join":
		if arg.form == list {
			out := known("")
			for i := range arg.items {
				if i > 0 {
					out = join(out, known(" "))
				}
				out = join(out, arg.items[i])
			}
			return out
		}
		return value{taint: arg.taint}
	case "printf":
		return percentFormat(arg, value{form: list, items: args[min(1, len(args)):]})
	case "getenv":
		return e.environment(arg.str())
	case "setenv":
		e.bind("$"+arg.str(), second)
	case "readfile", "readblob":
		return e.reads(expandHome(arg))
	case "map", "filter", "foreach", "mapnew", "timer_start":
		e.bind("val", arg)
		if second.form == text {
			e.values(second.text)
		}
		return arg
	case "eval":
		if arg.form != text {
			e.unresolved("runs unknown code", fn)
			return value{}
		}
		return e.values(arg.text)
	default:
		return e.acts(fn, args, arg, second)
	}
	return value{}
}

func vimGlob(fn string, arg, second value) value {
	out := expandHome(arg)
	switch fn {
	case "globpath":
		out = join(join(out, known("/")), second)
	case "readdir":
		out.class = "listing"
		return out
	}
	out.glob = true
	return out
}

// acts is a function that runs programs, changes files or talks to the network.
func (e *vimExpr) acts(fn string, args []value, arg, second value) value {
	switch fn {
	case "system", "systemlist", "termopen", "jobstart", "job_start", "term_start":
		if in := positional(args, 1, ""); strings.HasPrefix(fn, "system") && in.isKnown() && arg.isKnown() {
			e.runs("printf '%s' " + quote(&in) + " | " + strings.ReplaceAll(arg.text, homeMark, "$HOME"))
			return value{taint: fromCommand}
		}
		if arg.form == list {
			return e.argvOf(arg.items, 0)
		}
		return e.shellText(arg, 0)
	case "delete":
		cmd := rmFile
		if strings.Contains(second.str(), "r") {
			cmd = rmTree
		}
		arg.each(func(p *value) { e.deletesOne(cmd, p, 0) })
	case "writefile":
		e.writes("> ", second, 0)
	case "mkdir", "setfperm":
		if fn == "setfperm" && !arg.blank() {
			e.runs("chmod 600 -- " + quote(&arg))
		}
	case "rename", "filecopy":
		cmd := "mv -- "
		if fn == "filecopy" {
			cmd = "cp -- "
		}
		if len(args) > 1 {
			e.runs(cmd + quote(&arg) + " " + quote(&second))
		}
	case "ch_open", "sockconnect":
		if fn == "sockconnect" {
			arg = second
		}
		return e.connects([]value{arg})
	case "ch_sendraw", "ch_sendexpr", "ch_evalraw", "ch_evalexpr", "chansend":
		e.writesTo(args[min(1, len(args)):], true, 0)
	case "libcall", "libcallnr":
		e.unread("calls native libraries", fn)
	case "luaeval":
		return e.nested(arg.str(), lua)
	case "py3eval", "pyxeval", "pyeval":
		return e.nested(arg.str(), python)
	case "execute", "feedkeys", "assert_fails", "nvim_command", "nvim_exec", "nvim_input":
		e.keys(fn, arg)
	case "setline", "append", "appendbufline", "setbufline", "setreg":
		e.edited = true
	default:
		return value{taint: taintOf(args) | deepTaint(args)}
	}
	return value{}
}

// keys runs a command, or what is typed.
func (e *vimExpr) keys(fn string, arg value) {
	if arg.form != text {
		e.unresolved("runs unknown editor commands", fn)
		return
	}
	for line := range strings.Lines(strings.ReplaceAll(arg.text, homeMark, "~")) {
		line = strings.TrimSpace(line)
		if fn == "feedkeys" || fn == "nvim_input" {
			i := strings.IndexByte(line, ':')
			if i < 0 {
				continue
			}
			line = strings.ReplaceAll(line[i:], "<CR>", "")
		}
		e.inner(line)
	}
}
