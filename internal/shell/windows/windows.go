// Package windows reads commands of PowerShell and cmd.exe and names what they
// do.
//
// It is a small reader of its own, not a shell parser: it cuts text into
// statements and words, follows variables, aliases, shortened parameters, call
// operators, encoded commands and script blocks as far as that is plain, and
// knows the cmdlets, the built-in commands and the tools of Windows that matter.
// What is done to files is judged by package files. Programs that Windows has in
// common with other systems are handed on as shell text.
package windows

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
)

// Effects names what a command in the place's dialect does. Nested are programs
// that are not Windows' own, as POSIX shell text, to be judged like any command.
// A command that only reads has a safe effect; one that nobody knows an unknown
// one.
func Effects(text string, p shell.Place) (effects []shell.Effect, nested []string) {
	r := &reader{place: p, whole: text, budget: 1<<16 + 24*min(len(text), maxCommand)}
	if len(text) > maxCommand {
		r.add(shell.LimitEffect("", "is too long to be checked"))
		text = text[:maxCommand]
	}
	if p.Dialect == shell.Cmd {
		r.cmdScript(text)
	} else {
		r.psScript(text, flow{})
	}
	if r.budget <= 0 {
		r.add(shell.LimitEffect("", "is nested too deeply or too long to be checked"))
	}
	r.finish()
	return r.effects, r.nested
}

// Bounds of the work on one command.
const (
	maxCommand = 256 << 10
	maxDepth   = 24
	maxEffects = 64
	maxNested  = 64
)

// hole is a part of a text that is not known.
const hole = string(shell.Placeholder)

// A reader gathers what a command does.
type reader struct {
	place   shell.Place
	whole   string // the text
	effects []shell.Effect
	nested  []string
	vars    map[string]flow
	dir     string // where a cd went
	depth   int
	budget  int // bytes that may still be read
	quiet   int // above 0, nothing is noted: it only looks at a value
	secret  bool
	socket  bool
	runs    bool // it runs text that it makes
	listed  bool // what is not known of a word is a line of a list
}

// spend takes n bytes from the budget.
func (r *reader) spend(n int) bool {
	r.budget -= n + 1
	return r.budget > 0
}

func (r *reader) add(e shell.Effect) {
	if r.quiet > 0 {
		return
	}
	for i := range r.effects {
		h := &r.effects[i]
		if h.Label == e.Label && h.Category == e.Category && h.Impact == e.Impact && h.Words == e.Words && h.Reason == e.Reason {
			return
		}
	}
	if len(r.effects) >= maxEffects {
		if e.Label != shell.Safe {
			r.effects[maxEffects-1] = shell.LimitEffect("", "does more than checkrein can check")
		}
		return
	}
	r.effects = append(r.effects, e)
}

// unknown adds that a program or what it does is not known.
func (r *reader) unknown(reason, words string) {
	r.add(shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.Run, Impact: shell.ImpactUnknown, Words: facts.Short(words), Reason: reason})
}

// opaque adds that text is evaluated which cannot be read.
func (r *reader) opaque(reason, words string) { r.add(shell.OpaqueEffect(facts.Short(words), reason)) }

// exceeds adds that there is more than is looked at.
func (r *reader) exceeds(reason, words string) { r.add(shell.LimitEffect(facts.Short(words), reason)) }

func (r *reader) safe(category shell.Category, words string) {
	r.add(shell.Effect{Label: shell.Safe, Kind: "read", Category: category, Words: facts.Short(words), Reason: reads})
}

func (r *reader) loses(category shell.Category, kind string, radius shell.Impact, words, reason string) {
	r.add(shell.Effect{Label: shell.Destructive, Kind: kind, Category: category, Impact: radius, Words: facts.Short(words), Reason: reason})
}

func (r *reader) leaks(category shell.Category, radius shell.Impact, url, words, reason string) {
	e := shell.Effect{Label: shell.Exfiltration, Kind: "upload", Category: category, Impact: radius, Words: facts.Short(words), Reason: reason}
	if h := facts.HostOf(url); h.Name != "" {
		e.Hosts = []string{h.Name}
	}
	r.add(e)
}

// remoteCode notes that what another machine sends is run.
func (r *reader) remoteCode(words string) {
	from := words
	if !strings.Contains(from, "://") {
		from = r.whole // what comes through a pipe has its address elsewhere
	}
	r.add(shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.WorstScriptCategory(from), Impact: shell.ImpactHigh, Words: facts.Short(words),
		Reason: "runs code received from another machine"})
}

// finish draws the conclusions that need the whole command.
func (r *reader) finish() {
	if r.socket && r.runs {
		r.leaks(shell.RemoteShell, shell.ImpactHigh, "", "", "gives another machine a shell on this one")
	}
	if len(r.effects) == 0 && len(r.nested) == 0 {
		r.effects = append(r.effects, shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.IO, Reason: "does nothing"})
	}
}

// hand hands a program on as shell text.
func (r *reader) hand(words []string) {
	if len(words) == 0 {
		return
	}
	var b strings.Builder
	if r.dir != "" {
		b.WriteString("cd ")
		b.WriteString(quote(unix(r.dir)))
		b.WriteString(" && ")
	}
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quote(w))
	}
	r.text(b.String())
}

// text hands shell text on as it is.
func (r *reader) text(cmd string) {
	switch {
	case r.quiet > 0 || slices.Contains(r.nested, cmd):
	case len(r.nested) >= maxNested:
		r.add(shell.LimitEffect("", "runs more programs than checkrein can check"))
	default:
		r.nested = append(r.nested, cmd)
	}
}

// file asks package files what a command does to files.
func (r *reader) file(name string, args ...string) {
	if r.quiet > 0 {
		return
	}
	c := &shell.Call{Name: name, Path: name, Dir: r.dir}
	for _, a := range args {
		w := shell.Word{Text: a, Glob: strings.ContainsAny(a, "*?[") && !strings.HasPrefix(a, "-")}
		if r.listed && strings.Contains(a, hole) {
			w.From = []*shell.Call{{Name: "type", Path: "type"}}
		}
		c.Args = append(c.Args, w)
	}
	effects, _ := files.Effects(c, &r.place)
	for i := range effects {
		r.add(effects[i])
	}
}

// redirect asks package files what a redirection does.
func (r *reader) redirect(name, op, target string) {
	switch lower(target) {
	case "nul", "$null", "con", "&1", "&2", "prn", "":
		return
	}
	if r.quiet > 0 {
		return
	}
	c := &shell.Call{Name: name, Path: name, Dir: r.dir, Redir: []shell.Redirect{{Op: op, Target: shell.Word{Text: target}}}}
	c.Args = []shell.Word{{Text: "x"}} // what prints at all prints something
	for _, e := range files.Redirects(c, &r.place) {
		r.add(e)
	}
}

// unix writes a path of Windows with slashes.
func unix(s string) string { return strings.ReplaceAll(s, `\`, "/") }

// quote writes a word for a POSIX shell.
func quote(s string) string {
	if s == "" {
		return "''"
	}
	for _, home := range [...]string{"$env:userprofile", "%userprofile%", "$env:homepath", "%homepath%"} {
		if len(s) >= len(home) && strings.EqualFold(s[:len(home)], home) {
			s = "~" + unix(s[len(home):])
			break
		}
	}
	if s == "~" {
		return s
	}
	if strings.HasPrefix(s, "~/") && len(s) > 2 {
		return "~/" + quote(s[2:])
	}
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		c := s[i]
		plain = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("/.-_+:,@%=*?", c) >= 0
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, "\x00", ""), "'", `'\''`) + "'"
}

// programName is the base name of a program in lower case, without its ending.
func programName(s string) string {
	s = lower(strings.Trim(s, `"'`))
	if i := strings.LastIndexAny(s, `\/`); i >= 0 {
		s = s[i+1:]
	}
	for _, end := range [...]string{".exe", ".com"} {
		s = strings.TrimSuffix(s, end)
	}
	return s
}

// lower is s with small letters, byte for byte: places in it are places in s.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if c := b[i]; c >= 'A' && c <= 'Z' {
					b[i] = c + 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
