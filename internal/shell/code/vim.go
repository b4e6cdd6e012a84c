package code

import "strings"

// command reads one line of editor commands.
func (x *exReader) command(s string) {
	if !x.spend() || x.level > maxLevel {
		return
	}
	s = strings.TrimLeft(s, ": \t")
	body := exAddress(s)
	if cmd, ok := strings.CutPrefix(body, "!"); ok {
		if len(body) < len(s) {
			x.filter(cmd)
		} else {
			x.exShell(cmd)
		}
		return
	}
	word := exWord(body)
	rest := body[len(word):]
	if l, ok := exLanguage(word); ok {
		x.nested(strings.TrimPrefix(strings.TrimSpace(rest), "!"), l)
		return
	}
	x.empties(word, rest, wholeFile(strings.TrimSpace(s[:len(s)-len(body)])))
	switch word {
	case "s", "substitute", "g", "v", "global", "vglobal":
		x.pattern(word, rest)
		return
	case "silent", "sil", "keepalt", "keepjumps", "keepmarks", "keeppatterns", "noautocmd", "noa", "verbose", "verb", "tab", "vertical", "vert", "hide", "confirm", "lockmarks",
		"unsilent", "uns", "sandbox", "bufdo", "windo", "argdo", "tabdo", "cdo", "cfdo", "ldo", "lfdo", "folddoopen", "legacy":
		x.command(strings.TrimPrefix(rest, "!"))
		return
	case "autocmd", "au": // events, a pattern, a command
		if f := strings.Fields(rest); len(f) > 2 {
			_, cmd, _ := strings.Cut(rest, f[1]+" ")
			x.command(cmd)
		}
		return
	case "command", "com", "nnoremap", "nmap", "map", "noremap":
		if i := strings.IndexByte(rest, '!'); i >= 0 {
			x.exShell(strings.ReplaceAll(rest[i+1:], "<CR>", ""))
		}
		return
	case "normal", "norm", "norma":
		x.edited = true
		if i := strings.Index(rest, ":"); i >= 0 {
			x.command(strings.TrimRight(rest[i:], "\r"))
		}
		return
	case "terminal", "term", "te", "shell", "sh":
		if rest = strings.TrimSpace(rest); rest == "" {
			rest = "sh" // which waits
		}
		x.exShell(strings.TrimPrefix(rest, "!"))
		return
	case "make", "mak", "lmake", "grep", "gr", "lgrep":
		x.program(word, rest)
		return
	}
	if x.file(word, rest) {
		return
	}
	rest, more := cutBar(rest)
	x.speaks(word, rest)
	if more != "" {
		x.command(more)
	}
}

// exWord is the name that a command begins with.
func exWord(body string) string {
	n := 0
	for n < len(body) && (isLetter(body[n]) || isDigit(body[n])) {
		n++
	}
	if n > 1 && body[0] == 'r' && isDigit(body[1]) {
		n = 1
	}
	return body[:n]
}

// empties notes whether a command takes all lines away, or takes that back.
func (x *exReader) empties(word, rest string, whole bool) {
	switch word {
	case "s", "substitute", "g", "v", "global", "vglobal":
		x.emptied = x.emptied || (whole || word[0] == 'g') && dropsAll(word, rest)
	case "d", "de", "del", "delete", "c", "change":
		x.emptied = x.emptied || whole
	case "u", "undo":
		x.emptied = false
	}
}

// wholeFile reports whether an address means every line.
func wholeFile(addr string) bool {
	switch strings.ReplaceAll(addr, " ", "") {
	case "%", ",", "1,$", "0,$", ";1,$":
		return true
	}
	return false
}

// dropsAll reports whether s/…/…/ or g/…/d leaves nothing of the lines that it is for.
func dropsAll(word, rest string) bool {
	rest = strings.TrimLeft(rest, " ")
	if rest == "" || isLetter(rest[0]) || isDigit(rest[0]) {
		return false
	}
	pattern, i := sedPart(rest, 1, rest[0])
	switch pattern {
	case ".*", "^.*$", ".*$", "^.*", ".\\+", "..*", "^.\\+$":
	case "^", ".", "", "$":
		if word[0] != 'g' {
			return false
		}
	default:
		return false
	}
	to, _ := sedPart(rest, min(i, len(rest)), rest[0])
	if word[0] == 'g' {
		to = strings.TrimSpace(rest[min(i, len(rest)):])
		return to == "d" || to == "delete" || strings.HasPrefix(to, "s/.*//")
	}
	return to == ""
}

// file reads a command that reads, writes or opens a file, or does so with a
// program. It reports whether the line is used up.
func (x *exReader) file(word, rest string) bool {
	bang := strings.HasPrefix(rest, "!")
	arg := strings.TrimSpace(strings.TrimPrefix(rest, "!"))
	cmd, runs := strings.CutPrefix(arg, "!")
	switch word {
	case "r", "read":
		x.emptied = false
		if x.edited = true; runs || bang {
			x.exShell(strings.TrimPrefix(arg, "!"))
			return true
		}
		arg, _ = cutBar(arg)
		if arg != "" {
			x.reads(expandHome(known(strings.TrimSpace(arg))))
		}
	case "e", "E", "edit", "enew", "f", "vi", "view", "n", "sp", "split", "vs", "new":
		if x.edited = true; runs {
			x.exShell(cmd)
			return true
		}
	case "w", "write", "W", "wq", "x", "xit", "wqa", "wa", "up", "update", "saveas", "sav", "wall", "xa", "exit", "wn":
		if runs {
			x.filter(cmd)
			return true
		}
		arg, _ = cutBar(arg)
		arg = strings.TrimSpace(strings.TrimLeft(arg, "> "))
		switch {
		case arg == "" || arg == "%":
			x.saves = true
		case strings.Contains(arg, "://"):
			f := known("-")
			if len(x.job.args) > 0 {
				f = known(x.job.args[0].Text)
			}
			u := known(arg)
			x.runs("curl -T " + quote(&f) + " " + quote(&u))
		case x.emptied:
			x.commandOn("truncate -s 0 -- ", expandHome(known(arg)), 0)
		default:
			x.writes("> ", expandHome(known(arg)), 0)
			x.saves = x.saves || word == "wq" || word == "x"
		}
	case "mksession", "mks", "mkexrc", "mkvimrc", "mkview", "redir", "wundo", "wviminfo", "hardcopy":
		arg, _ = cutBar(arg)
		if arg = strings.TrimSpace(strings.TrimLeft(arg, "> ")); arg != "" && arg != "END" && !strings.HasPrefix(arg, "=") && arg[0] != '@' {
			x.writes("> ", expandHome(known(arg)), 0)
		}
	case "source", "so", "runtime", "luafile", "pyfile", "py3file", "rubyfile":
		arg, _ = cutBar(arg)
		x.unread("runs a script that checkrein did not read", word+" "+arg)
	}
	return false
}

// speaks reads a command that works with values.
func (x *exReader) speaks(word, rest string) {
	switch word {
	case "let", "const", "for":
		x.assigns(word, rest)
	case "exe", "execute":
		v := x.values(rest)
		if v.blank() {
			x.unresolved("runs unknown editor commands", rest)
			return
		}
		x.inner(strings.ReplaceAll(v.str(), homeMark, "~"))
	case "call", "cal", "echo", "echomsg", "echon", "echoerr", "ec", "eval", "if", "elseif", "while", "return", "put", "cexpr", "cgetexpr", "lexpr", "throw":
		x.edited = x.edited || word == "put"
		x.values(strings.TrimPrefix(rest, "="))
	case "set", "se", "setlocal", "setl", "setglobal":
		x.sets(rest)
	case "d", "delete", "m", "move", "t", "co", "copy", "j", "join", "k", "u", "undo", "redo":
		x.edited = true
	}
}

// inner reads the command in a text.
func (x *exReader) inner(s string) {
	x.level++
	x.command(s)
	x.level--
}

// assigns reads `let x = expr` and `for x in expr`.
func (x *exReader) assigns(word, rest string) {
	op := "="
	if word == "for" {
		op = " in "
	}
	left, right, ok := strings.Cut(rest, op)
	if !ok {
		return
	}
	left = strings.TrimRight(strings.TrimSpace(left), ".+-*/ ")
	v := x.values(right)
	switch {
	case strings.HasPrefix(left, "$"):
		x.bind(left, v)
	case strings.HasPrefix(left, "&"):
		x.sets(left[1:] + "=" + strings.ReplaceAll(v.str(), " ", `\ `))
	default:
		x.bind(left[strings.LastIndexByte(left, ':')+1:], v)
	}
}

// sets reads options whose values are programs.
func (x *exReader) sets(rest string) {
	for n := 0; rest != "" && n < 64; n++ {
		rest = strings.TrimLeft(rest, " ")
		i := 0
		for i < len(rest) && (rest[i] != ' ' || i > 0 && rest[i-1] == '\\') {
			i++
		}
		one := rest[:i]
		rest = rest[i:]
		name, val, ok := strings.Cut(one, "=")
		val = strings.ReplaceAll(val, `\ `, " ")
		switch {
		case !ok || val == "":
		case name == "makeprg" || name == "mp" || name == "grepprg" || name == "gp":
			x.bind("&"+name[:1], known(val))
		case strings.HasSuffix(name, "prg") || name == "kp" || name == "ep" || name == "fp":
			x.exShell(val)
		case name == "shell" || name == "sh":
			if !isShell(val) {
				x.exShell(val)
			}
		case strings.HasSuffix(name, "expr"):
			x.values(val)
		case strings.HasSuffix(name, "file"):
			x.writes("> ", expandHome(known(val)), 0)
		}
	}
}

// program runs make and grep, or what the options put in their place.
func (x *exReader) program(word, rest string) {
	word = strings.TrimPrefix(word, "l")
	prog := "make"
	if word[0] == 'g' {
		prog = "grep"
	}
	if v, ok := x.vars["&"+word[:1]]; ok {
		prog = v.str()
	}
	x.exShell(prog + " " + strings.TrimPrefix(rest, "!"))
}

// pattern reads s/…/…/ and g/…/command.
func (x *exReader) pattern(word, rest string) {
	x.edited = true
	rest = strings.TrimLeft(rest, "! ")
	if rest == "" || isLetter(rest[0]) || isDigit(rest[0]) {
		return
	}
	delim := rest[0]
	_, i := sedPart(rest, 1, delim)
	if word[0] == 'g' || word[0] == 'v' {
		x.inner(rest[min(i, len(rest)):])
		return
	}
	to, end := sedPart(rest, min(i, len(rest)), delim)
	if expr, ok := strings.CutPrefix(to, `\=`); ok {
		x.values(expr)
	}
	if _, more := cutBar(rest[min(end, len(rest)):]); more != "" {
		x.command(more)
	}
}

// cutBar cuts a line at the first bar that separates commands.
func cutBar(s string) (one, more string) {
	var in byte
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case in != 0:
			if c == '\\' && in == '"' {
				i++
			} else if c == in {
				in = 0
			}
		case c == '\\':
			i++
		case (c == '"' || c == '\'') && strings.IndexByte(s[i+1:], c) >= 0:
			in = c
		case c == '|' && i+1 < len(s) && s[i+1] == '|':
			i++
		case c == '|':
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
