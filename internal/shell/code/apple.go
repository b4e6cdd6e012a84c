package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// appleScript reads AppleScript: commands that it gives to a shell, and the words
// by which it deletes or switches off.
func (o *result) appleScript(src string) {
	r := reader{job: &job{}, out: o, lang: applescript, src: src, toks: lex(src, applescript)}
	harmless, finder := false, false
	for r.peek().kind != tEnd && r.spend() {
		t := r.peek()
		from := r.i
		r.i++
		if t.kind == tString && strings.EqualFold(t.text, "Finder") {
			finder = true
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
			r.note(shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.FSDelete, Radius: shell.RadiusHigh, Words: r.snippet(from), Reason: "empties the trash"})
		case "delete":
			radius := shell.RadiusMedium
			if !finder {
				radius = shell.RadiusUnknown
			}
			r.note(shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.FSDelete, Radius: radius, Words: short(src), Reason: "deletes things through another program"})
		case "shut", "restart":
			r.note(shell.Effect{Label: shell.Destructive, Kind: "stop", Category: shell.SvcStop, Radius: shell.RadiusHigh, Words: r.snippet(from), Reason: "switches the machine off"})
		case "move":
			if strings.Contains(strings.ToLower(src), "to trash") || strings.Contains(strings.ToLower(src), "to the trash") {
				r.note(shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.FSDelete, Radius: shell.RadiusMedium, Words: short(src), Reason: "moves files to the trash"})
			}
		case "keystroke", "erase", "load", "run":
			r.unread("it works other programs in a way that is not known", r.snippet(from))
		}
	}
	if !harmless && len(o.effects) == 0 && len(o.nested) == 0 {
		r.unread("it works other programs in a way that is not known", short(src))
	}
}

// appleText reads texts joined by &.
func (r *reader) appleText() value {
	out := known("")
	for n := 0; n < 64; n++ {
		t := r.peek()
		switch {
		case t.kind == tString:
			r.i++
			out = join(out, known(t.text))
		case t.is("("), t.is(")"):
			r.i++
			continue
		case t.word("quoted") || t.word("form") || t.word("of") || t.word("POSIX") || t.word("path"):
			r.i++
			continue
		case t.kind == tIdent && !t.nl:
			r.i++
			if v, ok := r.vars[t.text]; ok {
				out = join(out, v)
			} else {
				out = join(out, value{})
			}
		default:
			return out
		}
		if !r.accept("&") {
			return out
		}
	}
	return out
}
