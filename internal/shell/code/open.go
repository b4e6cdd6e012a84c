package code

import "strings"

// applyOpenOp adds the effects of a call that opens a file for reading or writing, and returns the
// open file.
func (r *reader) applyOpenOp(e *entry, v value, args []value, from int) value {
	p := subjectArg(e, v, args)
	at, mode := 1, namedOrNthArg(args, 1, "mode open")
	if e.at == self {
		at, mode = 0, namedOrNthArg(args, 0, "mode")
	}
	if isProcessClass(p.class) {
		return value{taint: fromCommand}
	}
	if p.num { // an open file descriptor
		return value{class: "file"}
	}
	unknownMode := mode.form == unknown || mode.form == name
	if words := r.snippet(from); e.op == opOsOpen || mode.num || unknownMode && strings.Contains(words, "O_") {
		if len(args) > 1 && (!strings.Contains(words, "O_RDONLY") || containsAny(words, "O_WRONLY", "O_RDWR", "O_TRUNC", "O_CREAT")) {
			r.addWrite("> ", p, from)
			return value{class: "file"}
		}
		return r.addRead(p)
	}
	if mode.form == list || mode.form == unknown && len(args) <= at {
		return r.addRead(p)
	}
	redirect := r.redirectForMode(mode.str())
	if redirect == "" {
		if unknownMode && (len(args) > at && args[at].key == "" || len(args) > 1 && args[1].key == "") {
			r.addEffectWithWords(&opensInUnknownMode, r.snippet(from))
		}
		return r.addRead(p)
	}
	r.addOpenForWrite(redirect, p, from)
	return value{form: text, text: p.str(), class: "file"}
}

// addOpenForWrite adds a write to the file p, or its truncation if the file is closed at once, as in
// open('x', 'w').close().
func (r *reader) addOpenForWrite(redirect string, p value, from int) {
	if redirect == "> " && r.peek().isOp(".") && r.peekAt(1).isWord("close") {
		p.eachLeaf(func(x *value) { r.addPathCommand("truncate -s 0 -- ", *x, from) })
		return
	}
	r.addWrite(redirect, p, from)
}

// redirectForMode returns the shell redirection that is equivalent to opening a file in the given
// mode, or "" if the mode only reads.
func (r *reader) redirectForMode(mode string) string {
	switch {
	case strings.ContainsAny(mode, "wx"):
		return "> "
	case strings.Contains(mode, "+") && strings.Contains(r.src, "mmap"): // the code may change the file through a memory map
		return "> "
	case strings.ContainsAny(mode, "a+"):
		return ">> "
	}
	return ""
}

// isURL reports whether s begins with a scheme to which code can send data.
func isURL(s string) bool {
	return hasAnyPrefix(s, "http://", "https://", "ftp://", "ftps://", "ssh2.")
}
