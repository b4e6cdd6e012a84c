package code

import "strings"

// opens judges opening a file, to read or to write it.
func (r *reader) opens(e *entry, v value, args []value, from int) value {
	p := subject(e, v, args)
	at, mode := 1, positionalArg(args, 1, "mode open")
	if e.at == self {
		at, mode = 0, positionalArg(args, 0, "mode")
	}
	if isProcessClass(p.class) {
		return value{taint: fromCommand}
	}
	if p.num { // a descriptor that is open already
		return value{class: "file"}
	}
	open := mode.form == unknown || mode.form == name // the mode is not a text
	if words := r.snippet(from); e.op == opOsOpen || mode.num || open && strings.Contains(words, "O_") {
		if len(args) > 1 && (!strings.Contains(words, "O_RDONLY") || containsAny(words, "O_WRONLY", "O_RDWR", "O_TRUNC", "O_CREAT")) {
			r.addWrite("> ", p, from)
			return value{class: "file"}
		}
		return r.addRead(p)
	}
	if mode.form == list || mode.form == unknown && len(args) <= at {
		return r.addRead(p)
	}
	redirect := r.modeWrites(mode.str())
	if redirect == "" {
		if open && (len(args) > at && args[at].key == "" || len(args) > 1 && args[1].key == "") {
			r.does(&opensSomehow, r.snippet(from))
		}
		return r.addRead(p)
	}
	r.opensToWrite(redirect, p, from)
	return value{form: text, text: p.str(), class: "file"}
}

// opensToWrite notes that a file is written, or only emptied: open('x', 'w').close().
func (r *reader) opensToWrite(redirect string, p value, from int) {
	if redirect == "> " && r.peek().isOp(".") && r.peekAt(1).isWord("close") {
		p.each(func(x *value) { r.addCommandOn("truncate -s 0 -- ", *x, from) })
		return
	}
	r.addWrite(redirect, p, from)
}

// modeWrites is the redirection that does what opening with a mode does; "" = it
// only reads.
func (r *reader) modeWrites(mode string) string {
	switch {
	case strings.ContainsAny(mode, "wx"):
		return "> "
	case strings.Contains(mode, "+") && strings.Contains(r.src, "mmap"): // what is in it is changed in memory
		return "> "
	case strings.ContainsAny(mode, "a+"):
		return ">> "
	}
	return ""
}

func isURL(s string) bool {
	return hasAnyPrefix(s, "http://", "https://", "ftp://", "ftps://", "ssh2.")
}
