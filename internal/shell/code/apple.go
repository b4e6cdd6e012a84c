package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// appleScript reads AppleScript: commands that it gives to a shell, and the words
// by which it deletes or switches off.
func (o *result) appleScript(src string) {
	r := reader{job: &job{}, out: o, lang: applescript, src: src, toks: lex(src, applescript)}
	harmless := false
	deletes := &deletesThings
	for r.peek().kind != tEnd && r.spend() {
		t := r.peek()
		from := r.i
		r.i++
		if t.kind == tString && strings.EqualFold(t.text, "Finder") {
			deletes = &deletesFiles
		}
		if t.kind != tIdent {
			continue
		}
		switch strings.ToLower(t.text) {
		case "script":
			if from > 0 && (r.toks[from-1].word("shell") || r.toks[from-1].word("do")) {
				r.shellText(r.appleText(), from)
				harmless = true
			}
		case "set":
			if r.ahead(1).word("to") && r.peek().kind == tIdent && (r.ahead(2).kind == tString) {
				to := r.peek().text
				r.i += 2
				r.bind(to, r.appleText())
			}
			harmless = true
		case "display", "say", "return", "get", "activate", "beep", "delay", "log", "count", "path":
			harmless = true
		case "empty":
			r.does(&emptiesTrash, r.snippet(from))
		case "delete":
			r.does(deletes, facts.Short(src))
		case "shut", "restart":
			r.does(&switchesOff, r.snippet(from))
		case "move":
			if hasAny(strings.ToLower(src), "to trash", "to the trash") {
				r.does(&movesToTrash, facts.Short(src))
			}
		case "keystroke", "erase", "load", "run":
			r.unread("controls other programs in an unknown way", r.snippet(from))
		}
	}
	if !harmless && len(o.effects) == 0 && len(o.nested) == 0 {
		r.unread("controls other programs in an unknown way", facts.Short(src))
	}
}

// appleText reads texts joined by &.
func (r *reader) appleText() value {
	out := known("")
	for n := 0; n < 64; n++ {
		t := r.peek()
		switch {
		case t.kind == tString:
			out = join(out, known(t.text))
		case t.is("(") || t.is(")") || t.kind == tIdent && facts.InList("quoted form of POSIX path", t.text):
			r.i++
			continue
		case t.kind == tIdent && !t.nl:
			out = join(out, r.vars[t.text])
		default:
			return out
		}
		r.i++
		if !r.accept("&") {
			return out
		}
	}
	return out
}
