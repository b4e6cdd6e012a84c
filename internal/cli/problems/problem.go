// Package problems finds and prints what is wrong with hook files.
package problems

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/cli/packs"
	"github.com/checkrein/checkrein/internal/guard"
	"github.com/checkrein/checkrein/internal/guard/packguard"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/lint"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// The levels of problems.
const (
	Error   = "error"
	Warning = "warning"
	Note    = "note" // about this machine rather than the file
)

// A Problem is something wrong with a configuration file.
type Problem struct {
	Level  string `json:"level"`
	Check  string `json:"check,omitempty"` // the check that found it
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Hook   string `json:"hook,omitempty"`
	message.Message
}

// Find returns the errors in wrong and the probable mistakes in the files of kits, each once, sorted
// by file and line. The first kit has all files.
func Find(env *console.Env, all []*app.Kit, wrong error) []Problem {
	list := []Problem{}
	texts := map[string]*yamldoc.Node{}
	for _, err := range base.SplitErrors(wrong) {
		p := New(Error, err)
		p.setLineOfKey(texts)
		list = append(list, p)
	}
	for _, k := range all {
		list = appendLints(list, env, k)
	}
	for i := range list {
		list[i].Message = all[0].WithAdministrator(list[i].File, list[i].Message)
	}
	order := func(p *Problem) int {
		return slices.IndexFunc(all[0].Files(), func(f config.File) bool { return f.Path == p.File })
	}
	slices.SortStableFunc(list, func(a, b Problem) int {
		if d := order(&a) - order(&b); d != 0 {
			return d
		}
		return a.Line - b.Line
	})
	return list
}

// appendLints appends the probable mistakes in the files of k to list, except those that list
// contains.
func appendLints(list []Problem, env *console.Env, k *app.Kit) []Problem {
	add := func(p Problem) {
		if !slices.ContainsFunc(list, func(q Problem) bool { return reflect.DeepEqual(p, q) }) {
			list = append(list, p)
		}
	}
	for _, f := range Lint(env, k) {
		p := New(Warning, f.At)
		if p.Check = f.Check; f.Level == lint.Error {
			p.Level = Error
		}
		add(p)
	}
	for _, p := range inspectHooks(env, k) { // skip hooks that have an error
		if !slices.ContainsFunc(list, func(q Problem) bool {
			return q.Hook == p.Hook && q.Level == Error && q.File == p.File && q.Line == p.Line
		}) {
			add(p)
		}
	}
	for _, f := range k.Files() {
		for _, w := range f.Warnings {
			add(New(Warning, w))
		}
	}
	return list
}

// New returns the problem that err describes, with its place if err has one.
func New(level string, err error) Problem {
	var at *checkrein.HookError
	if !errors.As(err, &at) {
		return Problem{Level: level, Message: message.FromError(err)}
	}
	p := Problem{Level: level, File: at.Origin.File, Line: at.Origin.Line, Column: at.Column, Hook: at.Hook, Message: message.FromError(at.Err).With(message.Do(at.Remedy))}
	if at.Origin.Line == 0 && errors.Is(err, os.ErrNotExist) {
		p.Message = message.New("no such file or directory", message.Do("correct the path on the command line or under include:, where paths are relative to the including file"))
		if dir := filepath.Dir(p.File); filepath.Base(p.File) == "HOOK.md" && base.FileExists(dir) {
			p.File, p.Message = dir, message.New("the directory contains no HOOK.md, and neither do the folders in it", message.Do("name a file, or the directory with the hooks' folders, such as .agents/hooks; without a path, all files that are used here are checked"))
		}
	}
	if event := (*grammar.UnknownEventError)(nil); errors.As(err, &event) {
		if here := eventRemedy(event.Name); here != "" {
			p.Message = message.New("unknown event "+strconv.Quote(event.Name), message.Do(here))
		}
	}
	return p
}

// setLineOfKey sets the line to that of the key with which the problem's text begins, because the
// constructor of a hook's handler has only the line on which the hook begins. read caches parsed
// files.
func (p *Problem) setLineOfKey(read map[string]*yamldoc.Node) {
	key, _, ok := strings.Cut(p.What, ": ")
	if !ok || p.Hook == "" || p.Line == 0 || strings.ContainsAny(key, " \"") {
		return
	}
	root, ok := read[p.File]
	if !ok {
		if text, err := state.ReadRegular(p.File, yamldoc.MaxSize); err == nil {
			root, _, _ = yamldoc.Parse(text)
		}
		read[p.File] = root
	}
	if line := lineOfKey(root, p.Line, key); line > 0 {
		p.Line = line
	}
}

// lineOfKey returns the line of the value of key in the mapping below n that begins on line, or 0 if
// there is none.
func lineOfKey(n *yamldoc.Node, line int, key string) int {
	if n == nil {
		return 0
	}
	if n.Kind == yamldoc.Map && n.Line == line {
		for _, p := range n.Pairs {
			if p.Key == key {
				return p.Value.Line
			}
		}
	}
	for _, item := range n.Items {
		if at := lineOfKey(item, line, key); at > 0 {
			return at
		}
	}
	for _, p := range n.Pairs {
		if at := lineOfKey(p.Value, line, key); at > 0 {
			return at
		}
	}
	return 0
}

// A Printer prints problems for people.
type Printer struct {
	Screen *term.Screen
	Dir    string              // paths below Dir are shown relative to it
	files  map[string][]string // cached lines
}

// Print prints the place, the problem and the remedy, and below them the line of the file with the
// mistake marked.
func (s *Printer) Print(p *Problem) {
	look := map[string]term.Style{Error: term.Bad, Warning: term.Warn, Note: term.Faint}[p.Level]
	spans := []term.Span{term.T(look, p.Level+": ")}
	if p.File != "" {
		spans = append(spans, term.T(term.Strong, s.place(p)+": "))
	}
	what := p.What
	if p.Hook != "" {
		what = "hook " + strconv.Quote(p.Hook) + ": " + what
	}
	spans = append(spans, term.Lines(what))
	if len(p.Remedies) > 0 {
		spans = append(spans, term.P(" ("), term.T(term.Name, message.JoinRemedies(p.Remedies)), term.P(")"))
	}
	s.Screen.Text(0, 4, spans...)
	s.printExcerpt(p, look)
}

// place returns FILE:LINE:COLUMN, without the parts that are unknown.
func (s *Printer) place(p *Problem) string {
	at := s.shortPath(p.File)
	for _, n := range [...]int{p.Line, p.Column} {
		if n == 0 {
			break
		}
		at += ":" + strconv.Itoa(n)
	}
	return at
}

// shortPath returns the path of file relative to s.Dir or to the home directory.
func (s *Printer) shortPath(file string) string {
	if rel, err := filepath.Rel(s.Dir, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return s.Screen.ShortPath(file)
}

// maxExcerpt is how many characters of a long line are shown.
const maxExcerpt = 100

// printExcerpt prints the line that p is about, without secrets, and marks the mistake in it.
func (s *Printer) printExcerpt(p *Problem, look term.Style) {
	lines := s.fileLines(p.File)
	if p.Line < 1 || p.Line > len(lines) {
		return
	}
	text := strings.ReplaceAll(strings.TrimRight(lines[p.Line-1], " \r"), "\t", "→")
	if text == "" || strings.HasPrefix(p.What, "channels") { // the URLs of channels are secrets
		return
	}
	column, width := p.Column, 1
	if shown, n := secret.Redact(text, secret.Secrets, nil); n > 0 {
		text, column = shown, 0
	} else if column == 0 {
		column, width = findQuoted(text, p.What)
	}
	number := strconv.Itoa(p.Line)
	runes, room := []rune(text), maxExcerpt
	if w := s.Screen.Width(); w > 0 {
		room = min(room, w-len(number)-6)
	}
	if from := column - room/2; len(runes) > room {
		from = max(0, min(from, len(runes)-room))
		runes, column = runes[from:from+room], column-from
		width = min(width, room)
	}
	s.Screen.Line(term.T(term.Faint, "  "+number+" | "), term.P(string(runes)))
	if column > 0 {
		lead := term.Columns(string(runes[:min(column-1, len(runes))]))
		s.Screen.Line(term.T(term.Faint, "  "+strings.Repeat(" ", len(number))+" | "), term.P(strings.Repeat(" ", lead)), term.T(look, strings.Repeat("^", width)))
	}
}

// quotedWord matches a word in quotes.
var quotedWord = regexp.MustCompile(`"((?:[^"\\]|\\.)+)"`)

// findQuoted returns the column and width of a word that the message what quotes and that occurs
// exactly once in line. It returns 0 if there is none.
func findQuoted(line, what string) (column, width int) {
	for _, m := range quotedWord.FindAllStringSubmatch(what, -1) {
		word := m[1]
		if s, err := strconv.Unquote(`"` + word + `"`); err == nil {
			word = s
		}
		if strings.Count(line, word) == 1 {
			return 1 + utf8.RuneCountInString(line[:strings.Index(line, word)]), term.Columns(word)
		}
	}
	return 0, 0
}

// fileLines returns the lines of file, which it caches, or none if it cannot be read.
func (s *Printer) fileLines(file string) []string {
	if lines, ok := s.files[file]; ok || file == "" {
		return lines
	}
	if s.files == nil {
		s.files = map[string][]string{}
	}
	text, err := state.ReadRegular(file, yamldoc.MaxSize)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		text = nil
	}
	s.files[file] = strings.Split(string(text), "\n")
	return s.files[file]
}

// Lint returns probable mistakes in those native files of k that can be read.
func Lint(env *console.Env, k *app.Kit) []lint.Finding {
	c := lint.Case{
		Hooks: k.Hooks(), Builtins: guard.Names(), Hosts: append(host.Names(), "native"), Effects: effectWords(k), Rules: PackRuleNames(k),
		Patching: patchingHosts(env),
		Getenv:   func(name string) (string, bool) { return environ.Lookup(env.Environ, name) },
		Now:      env.Now(),
	}
	for _, f := range k.Files() {
		if f.Dialect != native.Dialect.Name {
			continue
		}
		if text, err := state.ReadRegular(f.Path, yamldoc.MaxSize); err == nil {
			c.Files = append(c.Files, lint.File{Path: f.Path, Scope: f.Scope, Text: text})
		}
	}
	return lint.RunChecks(&c)
}

// patchingHosts returns the titles of the hosts in which checkrein is installed and that change files
// with patches.
func patchingHosts(env *console.Env) []string {
	reports, err := base.HostReports(env)
	if err != nil {
		return nil // status reports the error
	}
	var out []string
	for i := range reports {
		if h, ok := host.Find(reports[i].Host); ok && h.PatchTool != "" && len(reports[i].Installed) > 0 {
			out = append(out, h.Title)
		}
	}
	return out
}

// effectWords returns the possible values of the field effects, or nil if declared packs may add
// others.
func effectWords(k *app.Kit) []string {
	for _, h := range k.Hooks() {
		if w, _ := packguard.HookPolicy(&h); w != nil && len(w.OwnPacks()) > 0 {
			return nil
		}
	}
	out := []string{shell.Safe.String(), shell.Unknown.String(), shell.Destructive.String(), shell.Exfiltration.String()}
	shell.EachCategory(func(_ shell.Category, row *shell.Row) { out = append(out, row.Name) })
	program.EachRule(func(r *shell.Rule) { out = append(out, r.Kind) })
	program.EachCodedRule(func(r *shell.Rule) { out = append(out, r.Kind) })
	slices.Sort(out)
	return slices.Compact(out)
}

// PackRuleNames returns the names of the rules of all packs, including those that the files of k
// declare. Categories name the effects that no rule names.
func PackRuleNames(k *app.Kit) []string {
	var out []string
	add := func(r *shell.Rule) { out = append(out, packs.RuleRow(r).PackName()+"/"+r.ID) }
	program.EachRule(add)
	program.EachCodedRule(add)
	shell.EachCategory(func(_ shell.Category, row *shell.Row) { out = append(out, row.PackName()+"/"+row.Name) })
	for _, r := range guard.NamedRules() {
		out = append(out, r.Name)
	}
	for _, h := range k.Hooks() {
		w, _ := packguard.HookPolicy(&h)
		if w == nil {
			continue
		}
		for _, set := range w.OwnPacks() {
			for i := range set.Rules {
				out = append(out, set.Own+"/"+set.Rules[i].ID)
			}
		}
	}
	return out
}

// inspectHooks returns doctor's findings about the hooks of k without running them. Findings that
// depend on this machine are warnings, since another machine may have the program. For a HOOK.md
// folder they are errors, since a script that does not start lets every call pass there.
func inspectHooks(env *console.Env, k *app.Kit) []Problem {
	var out []Problem
	for _, f := range doctor.Inspect(doctor.Options{Kit: k, Environ: env.Environ, Now: env.Now}).Findings {
		file, line := f.Origin, 0
		if i := strings.LastIndexByte(file, ':'); i >= 0 {
			line, _ = strconv.Atoi(file[i+1:])
			file = file[:i]
		}
		level := Warning
		if f.Check == "never-found" || filepath.Base(file) == "HOOK.md" && (f.Check == "missing" || f.Check == "not-executable") {
			level = Error
		}
		out = append(out, Problem{Level: level, Check: f.Check, File: file, Line: line, Hook: f.Hook, Message: f.Message})
	}
	return out
}

// eventRemedy returns a sentence about which event of checkrein corresponds to the host's event name,
// or "" if there is none.
func eventRemedy(name string) (remedy string) {
	for _, h := range host.Table() {
		for i := range h.Events {
			if e := &h.Events[i]; e.Native == name && len(e.Rows) > 0 {
				return h.Title + "'s event " + name + " is called " + e.Rows[0].Kind.String() + " here"
			}
		}
	}
	return ""
}
