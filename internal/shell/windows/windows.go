// Package windows finds the effects of PowerShell and cmd.exe commands.
//
// It is a small reader, not a complete parser. It splits text into statements and words, and follows
// variables, aliases, abbreviated parameters, call operators, encoded commands and script blocks where
// the text shows them. It has rows for the cmdlets, built-in commands and tools of Windows that
// matter. Functions named eval add the effects of a command and return its output; they run nothing.
// Package files judges effects on files. Programs that Windows shares with other systems are returned
// as shell text.
package windows

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
)

// Effects returns the effects of the command text, in the dialect of p, and the nested commands that
// are not specific to Windows, as POSIX shell text. The caller must judge nested like any other
// command. A command that only reads has a safe effect, and an unknown command an unknown one.
func Effects(text string, p shell.Place) (effects []shell.Effect, nested []string) {
	r := &evaluator{place: p, whole: text, budget: 1<<16 + 24*min(len(text), maxCommand)}
	if len(text) > maxCommand {
		r.addEffect(shell.LimitEffect("", "is too long to be checked"))
		text = text[:maxCommand]
	}
	if p.Dialect == shell.Cmd {
		r.evalCmdScript(text)
	} else {
		r.evalScript(text, flow{})
	}
	if r.budget <= 0 {
		r.addEffect(shell.LimitEffect("", "is nested too deeply or is too long to be checked"))
	}
	r.finish()
	return r.effects, r.nested
}

// Limits for one command.
const (
	maxCommand = 256 << 10 // bytes of text
	maxDepth   = 24        // nested scripts, calls and values
	maxEffects = 64
	maxNested  = 64 // nested commands
)

// placeholder stands for an unknown part of text.
const placeholder = string(shell.Placeholder)

// An evaluator collects the effects of a command.
type evaluator struct {
	place         shell.Place
	whole         string // the text of the whole command
	effects       []shell.Effect
	nested        []string
	vars          map[string]flow
	dir           string // the working directory after cd, or ""
	depth         int
	budget        int  // bytes that may still be read
	quiet         int  // above 0 while only a value is needed: no effects are added
	packedSecret  bool // an earlier command packed a file with secrets
	opensSocket   bool
	runsBuiltCode bool // the command runs code that it builds
	fromList      bool // an unknown part of a word is a line of a file
}

// spendBudget takes n+1 bytes from the budget, and reports whether any are left.
func (r *evaluator) spendBudget(n int) bool {
	r.budget -= n + 1
	return r.budget > 0
}

// addEffect adds e unless an equal effect is present. If there are too many effects, it adds one for
// the exceeded limit instead. It does nothing while r is quiet.
func (r *evaluator) addEffect(e shell.Effect) {
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

// addUnknown adds an unknown effect of running a program or an action.
func (r *evaluator) addUnknown(reason, words string) {
	r.addEffect(shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.Run, Impact: shell.ImpactUnknown, Words: facts.ShortFirstLine(words), Reason: reason})
}

// addOpaque adds the effect of running code that cannot be read from the text.
func (r *evaluator) addOpaque(reason, words string) {
	r.addEffect(shell.OpaqueEffect(facts.ShortFirstLine(words), reason))
}

// addLimitExceeded adds the effect of a command that exceeds a limit.
func (r *evaluator) addLimitExceeded(reason, words string) {
	r.addEffect(shell.LimitEffect(facts.ShortFirstLine(words), reason))
}

// addSafe adds the effect of a command that only reads or prints.
func (r *evaluator) addSafe(category shell.Category, words string) {
	r.addEffect(shell.Effect{Label: shell.Safe, Kind: "read", Category: category, Words: facts.ShortFirstLine(words), Reason: reads})
}

// addDestructive adds a destructive effect.
func (r *evaluator) addDestructive(category shell.Category, kind string, impact shell.Impact, words, reason string) {
	r.addEffect(shell.Effect{Label: shell.Destructive, Kind: kind, Category: category, Impact: impact, Words: facts.ShortFirstLine(words), Reason: reason})
}

// addLeak adds the effect of sending data to url, which may be empty if it is unknown.
func (r *evaluator) addLeak(category shell.Category, impact shell.Impact, url, words, reason string) {
	e := shell.Effect{Label: shell.Exfiltration, Kind: "upload", Category: category, Impact: impact, Words: facts.ShortFirstLine(words), Reason: reason}
	if h := facts.HostOf(url); h.Name != "" {
		e.Hosts = []string{h.Name}
	}
	r.addEffect(e)
}

// addRemoteCode adds the effect of running code from another machine.
func (r *evaluator) addRemoteCode(words string) {
	from := words
	if !strings.Contains(from, "://") {
		from = r.whole // the URL is in another command of the pipeline
	}
	r.addEffect(shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.WorstScriptCategory(from), Impact: shell.ImpactHigh, Words: facts.ShortFirstLine(words),
		Reason: "runs code received from another machine"})
}

// finish adds the effects that depend on the whole command. It must be called last.
func (r *evaluator) finish() {
	if r.opensSocket && r.runsBuiltCode {
		r.addLeak(shell.RemoteShell, shell.ImpactHigh, "", "", "gives another machine a shell on this one")
	}
	if len(r.effects) == 0 && len(r.nested) == 0 {
		r.effects = append(r.effects, shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.IO, Reason: "does nothing"})
	}
}

// addNestedCommand adds the program and arguments in words as a nested command.
func (r *evaluator) addNestedCommand(words []string) {
	if len(words) == 0 {
		return
	}
	var b strings.Builder
	if r.dir != "" {
		b.WriteString("cd ")
		b.WriteString(shellQuote(toSlash(r.dir)))
		b.WriteString(" && ")
	}
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(shellQuote(w))
	}
	r.addNestedText(b.String())
}

// addNestedText adds cmd, which is shell text, as a nested command.
func (r *evaluator) addNestedText(cmd string) {
	switch {
	case r.quiet > 0 || slices.Contains(r.nested, cmd):
	case len(r.nested) >= maxNested:
		r.addEffect(shell.LimitEffect("", "runs more programs than checkrein can check"))
	default:
		r.nested = append(r.nested, cmd)
	}
}

// addFileCommand adds the effects on files of the POSIX program name with args, as package files finds
// them.
func (r *evaluator) addFileCommand(name string, args ...string) {
	if r.quiet > 0 {
		return
	}
	c := &shell.Call{Name: name, Path: name, Dir: r.dir}
	for _, a := range args {
		w := shell.Word{Text: a, Glob: strings.ContainsAny(a, "*?[") && !strings.HasPrefix(a, "-")}
		if r.fromList && strings.Contains(a, placeholder) {
			w.From = []*shell.Call{{Name: "type", Path: "type"}}
		}
		c.Args = append(c.Args, w)
	}
	effects, _ := files.Effects(c, &r.place)
	for i := range effects {
		r.addEffect(effects[i])
	}
}

// addRedirect adds the effects of redirecting the output of the program name to target by op.
func (r *evaluator) addRedirect(name, op, target string) {
	switch lower(target) {
	case "nul", "$null", "con", "&1", "&2", "prn", "":
		return
	}
	if r.quiet > 0 {
		return
	}
	c := &shell.Call{Name: name, Path: name, Dir: r.dir, Redir: []shell.Redirect{{Op: op, Target: shell.Word{Text: target}}}}
	c.Args = []shell.Word{{Text: "x"}} // an argument, so that the output is not empty
	for _, e := range files.RedirectEffects(c, &r.place) {
		r.addEffect(e)
	}
}

// toSlash returns s with slashes instead of backslashes.
func toSlash(s string) string { return strings.ReplaceAll(s, `\`, "/") }

// shellQuote returns s as one word for a POSIX shell. A variable for the home directory at its
// beginning becomes ~.
func shellQuote(s string) string {
	if s == "" {
		return "''"
	}
	for _, home := range [...]string{"$env:userprofile", "%userprofile%", "$env:homepath", "%homepath%"} {
		if len(s) >= len(home) && strings.EqualFold(s[:len(home)], home) {
			s = "~" + toSlash(s[len(home):])
			break
		}
	}
	if s == "~" {
		return s
	}
	if strings.HasPrefix(s, "~/") && len(s) > 2 {
		return "~/" + shellQuote(s[2:])
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

// programName returns the base name of the program s in lower case, without .exe or .com.
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

// lower returns s with ASCII letters in lower case. Unlike strings.ToLower, it keeps all byte offsets.
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
