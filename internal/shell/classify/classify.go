// Package classify says what a command line does: it has the text resolved into
// calls, asks everyone who knows programs, and makes one report of it.
package classify

import (
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/code"
	"github.com/checkrein/checkrein/internal/shell/exfil"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/shell/resolve"
	"github.com/checkrein/checkrein/internal/shell/rules"
	"github.com/checkrein/checkrein/internal/shell/windows"
)

const (
	maxDepth   = 6   // of code that runs commands that run code
	maxNested  = 128 // texts in all
	maxEffects = shell.MaxEffects
	maxReason  = 1000 // bytes
)

// Asked is told each command line that is classified, and where: tests count them. It is
// nil in programs.
var Asked func(text string, p *shell.Place)

// Knows reports whether rules are, or can be, named after a program.
func Knows(name string) bool { return program.IsKnown(name) || exfil.IsSender(name) }

// Command reports what a command line does.
func Command(text string, p shell.Place) shell.Report {
	if Asked != nil {
		Asked(text, &p)
	}
	r := run{place: p}
	r.text(text, p.Dialect, 0)
	return shell.NewReport(r.effects, r.gaps)
}

// Typed is Command for a command with secrets written in it, which the place names.
// It also returns the files that they are written to.
func Typed(text string, p shell.Place) (shell.Report, []string) {
	r := run{place: p}
	r.text(text, p.Dialect, 0)
	return shell.NewReport(r.effects, r.gaps), r.stored
}

// Calls are the calls of a command line as their words resolve.
func Calls(text string, p shell.Place) []*shell.Call {
	calls, _ := resolve.Calls(text, p)
	return calls
}

// A run is the work on one command line.
type run struct {
	place   shell.Place
	nested  int
	effects []shell.Effect
	gaps    shell.Gaps    // of effects that had no room
	stored  []string      // files that typed secrets are written to
	now     *shell.Call   // whose effects are added; nil = no one call's
	by      *shell.Call   // the call before it, which may run it
	source  source        // the text that they are in
	steps   uint32        // the packs, a bit each, of which earlier calls have done something
	inner   bool          // a program around it has a say in what a call does
	file    *shell.Source // that has the text; nil = the command itself
}

// text takes in one text and what it runs in turn.
func (r *run) text(text string, d shell.Dialect, depth int) {
	r.nested++
	if depth > maxDepth || r.nested > maxNested {
		r.add(shell.LimitEffect(clip(text), "runs more commands than checkrein can follow"))
		return
	}
	if d != shell.Bash {
		defer func(before bool) { r.inner = before }(r.inner)
		r.inner = true // how its variables are set is not looked at
		p := r.place
		p.Dialect = d
		effects, nested := windows.Effects(text, p)
		r.add(effects...)
		r.all(nested, depth)
		return
	}
	defer func(before source) { r.source = before }(r.source)
	r.source = source{text: text}
	p := r.place
	p.Dialect = shell.Bash
	calls, problems := resolve.Calls(text, p)
	if p.Calls != nil {
		p.Calls(p.Dir, calls)
	}
	if len(p.TypedSecrets) > 0 {
		exfil.MaskTyped(calls, p.TypedSecrets)
		for _, c := range calls {
			r.stored = append(r.stored, exfil.TypedTargets(c, &p)...)
		}
	}
	r.add(problems...)
	var runner *shell.Call // the one before, which may run this one
	for _, c := range calls {
		if runner != nil && c.Depth > runner.Depth && onlyShows(runner) {
			continue
		}
		before := len(r.effects)
		r.everywhere(c, runner, calls, depth)
		r.stir(before)
		r.moved(c, before)
		runner = c
	}
	r.add(exfil.SequenceEffects(calls, &p)...)
}

// everywhere takes in a call in each directory that it may run in.
func (r *run) everywhere(c, runner *shell.Call, calls []*shell.Call, depth int) {
	defer func(now, by *shell.Call) { r.now, r.by = now, by }(r.now, r.by)
	r.now, r.by = c, runner
	from := len(r.effects)
	r.call(c, runner, calls, depth)
	if other := closed(c); other != nil {
		r.now = other
		r.call(other, runner, calls, depth)
	}
	if len(c.Dirs) == 0 || rules.IsStep(c) {
		return // the same everywhere
	}
	reads := len(r.effects) > from && len(r.effects) < maxEffects && !slices.ContainsFunc(r.effects[from:], func(e shell.Effect) bool { return e.Label != shell.Safe || e.Kind != "read" })
	for _, dir := range c.Dirs {
		other := *c
		other.Dir, other.Dirs, other.Files = dir, nil, slices.Clone(c.Files)
		for i := range other.Files {
			other.Files[i].Created = false // it was made elsewhere
		}
		r.now = &other
		if reads { // elsewhere it reads as well, but may be a secret
			r.add(exfil.PrivateReads(&other, &r.place)...)
			r.add(files.Redirects(&other, &r.place)...)
			continue
		}
		r.call(&other, runner, calls, depth)
	}
}

// fileOf is the file that says what a call does: the one that it is in, or one that it
// reads.
func (r *run) fileOf(c *shell.Call) *shell.Source {
	if c == nil {
		return r.file
	}
	for i := range c.Files {
		if s := c.Files[i].Source; s != nil {
			return s
		}
	}
	if c.Source != nil {
		return c.Source
	}
	return r.file
}

func (r *run) all(texts []string, depth int) {
	if len(texts) == 0 {
		return
	}
	defer func(before *shell.Source) { r.file = before }(r.file)
	r.file = r.fileOf(r.now)
	defer func(before bool) { r.inner = before }(r.inner)
	r.inner = true // the program that runs them has a say
	if c := r.now; c != nil && c.Dir != "" && c.Remote == "" {
		defer func(before string) { r.place.Dir = before }(r.place.Dir)
		r.place.Dir = inside(c.Dir, &r.place)
	}
	for _, t := range texts {
		r.text(t, shell.Bash, depth+1)
	}
}

// inside is the directory that a cd to dir leads to; the place's own when that is
// not known.
func inside(dir string, p *shell.Place) string {
	switch {
	case strings.HasPrefix(dir, string(shell.Placeholder)), strings.HasPrefix(dir, "/"):
		return dir
	case p.Home != "" && (dir == "~" || strings.HasPrefix(dir, "~/")):
		return p.Home + dir[1:]
	case p.Dir != "" && dir[0] != '~':
		return path.Join(p.Dir, dir)
	}
	return p.Dir
}

// call asks everyone who may know a program.
func (r *run) call(c, runner *shell.Call, all []*shell.Call, depth int) {
	before := len(r.effects)
	if rules.IsStep(c) && len(r.place.Packs) == 0 {
		r.add(rules.StepEffect(words(c)))
		return
	}
	if r.showsHelp(c) {
		r.add(help(c))
		r.add(files.Redirects(c, &r.place)...)
		return
	}
	effects, known := files.Effects(c, &r.place)
	r.add(effects...)
	effects, ok := rules.Effects(c, &r.place)
	if c.Remote != "" || c.Elevated {
		effects = abroad(effects, runner)
	}
	inUse(c, effects, all)
	r.add(effects...)
	known = known || ok
	effects, nested, ok := code.Effects(c, &r.place)
	r.add(effects...)
	r.all(nested, depth)
	known = known || ok
	r.all(rules.NestedCommands(c), depth)
	r.all(program.ShellTexts(c), depth)
	effects, nested, ok = windows.CallEffects(c, &r.place)
	r.add(effects...)
	r.all(nested, depth)
	known = known || ok
	r.add(hijackEffects(c)...)
	r.add(rules.GuardEffects(c, &r.place)...)
	r.add(waits(c)...)
	r.add(exfil.Effects(c, &r.place)...)
	r.add(exfil.PrivateReads(c, &r.place)...)
	r.add(files.Redirects(c, &r.place)...)
	if known || c.Name == "" || r.objects(before) { // where its output goes says nothing about it
		return
	}
	if e, ok := byName(c); ok {
		r.add(e)
		return
	}
	if rules.IsContainerShell(c, runner) {
		return
	}
	r.add(shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.Run, Impact: shell.ImpactUnknown, Words: words(c), Reason: "unknown program " + c.Name})
}

// help is the effect of a call that only prints its help.
func help(c *shell.Call) shell.Effect {
	return shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.Help, Impact: shell.ImpactLow, Words: words(c), Reason: "only shows its help"}
}

// onlyShows reports whether a program that runs others only prints what it would
// run.
func onlyShows(c *shell.Call) bool {
	return program.Is(c.Name, program.IsPreviewer) && slices.ContainsFunc(c.Args, func(w shell.Word) bool { return w.Text == "--dry-run" || w.Text == "--dryrun" })
}

// showsHelp reports whether a call only prints its help: that is all that it is
// asked for, and the program is a known one. Of subcommands packs knows it.
func (r *run) showsHelp(c *shell.Call) bool {
	if len(c.Args) != 1 || c.Args[0].Text != "--help" || len(c.Args[0].From) > 0 || len(c.Env) > 0 || strange(c.Path) || c.Name == "" || c.In != nil {
		return false
	}
	if program.Is(c.Name, program.IsHelpless) {
		return false
	}
	if _, known := files.Effects(c, &r.place); known {
		return true
	}
	if _, known := rules.Effects(c, &r.place); known {
		return true
	}
	_, _, known := code.Effects(c, &r.place)
	return known
}

// abroad takes back what holds for the project's own scripts and packages:
// elsewhere nobody knows them, and with all rights they are no everyday step.
func abroad(effects []shell.Effect, runner *shell.Call) []shell.Effect {
	for i := range effects {
		e := &effects[i]
		switch {
		case e.Label != shell.Safe:
		case e.Category == shell.RunScript:
			e.Label, e.Impact, e.Reason = shell.Unknown, shell.ImpactUnknown, "runs a script on another machine or with elevated privileges"
		case e.Category == shell.PkgRemove:
			e.Label, e.Impact, e.Reason = shell.Unknown, shell.ImpactMedium, "removes packages on another machine or with elevated privileges"
		}
	}
	return effects
}

// objects reports whether one of the effects from some point on is not safe.
func (r *run) objects(from int) bool {
	return slices.ContainsFunc(r.effects[from:], func(e shell.Effect) bool { return e.Label != shell.Safe })
}

func (r *run) add(list ...shell.Effect) {
	for i := range list {
		e := &list[i]
		if e.Label != shell.Safe && !e.ContextBound {
			e.ContextBound = r.inner || tellsNotAll(e, r.now) || r.stirred(e) || r.sets()
		}
		e.Foreign = e.Foreign || away(r.now, r.by)
		if e.Source == nil {
			e.Source = r.fileOf(r.now)
		}
		if e.Source != nil && r.now != nil && (r.now.Dir == ".." || strings.HasPrefix(r.now.Dir, "../")) {
			e.Uncertain = true // a file says so that may be meant for another directory
		}
		if r.place.Effect != nil && r.now != nil {
			r.place.Effect(r.now, e)
		}
		switch {
		case r.has(&list[i]):
		case len(r.effects) < maxEffects:
			r.effects = append(r.effects, list[i])
		default:
			r.squeeze(&list[i])
		}
	}
}

// squeeze puts an effect in the place of the one that matters least, where there is
// no room for more: harm does not hide behind what is harmless.
func (r *run) squeeze(e *shell.Effect) {
	n := matters(e)
	if n == 0 {
		r.fold(e)
		return
	}
	r.gaps.Add(e.Gap())
	least, at := n, -1
	for i := range r.effects {
		if m := matters(&r.effects[i]); m < least {
			least, at = m, i
		}
	}
	switch {
	case at >= 0:
		out := r.effects[at]
		r.effects[at] = *e
		if least == 0 {
			r.fold(&out)
		}
	case n >= asked:
		r.effects[len(r.effects)-1] = shell.LimitEffect("", "does more than checkrein can check")
	}
}

// fold puts the paths of a harmless effect without room of its own into another of
// its kind: those who guard paths miss none. What touches no path is missed by
// nobody.
func (r *run) fold(e *shell.Effect) {
	if len(e.Paths) == 0 && len(e.Hosts) == 0 {
		return
	}
	for i := range r.effects {
		if merge(&r.effects[i], e) {
			return
		}
	}
	if slices.ContainsFunc(r.effects, func(o shell.Effect) bool { return o.Category == shell.TooMuch }) {
		return
	}
	for i := range r.effects { // two others of one kind make room
		for j := i + 1; j < len(r.effects); j++ {
			if r.effects[j].Label == shell.Safe && merge(&r.effects[i], &r.effects[j]) {
				r.effects[j] = *e
				return
			}
		}
	}
	worst, at := asked, -1
	for i := range r.effects {
		if m := matters(&r.effects[i]); m < worst {
			worst, at = m, i
		}
	}
	r.gaps.Add(shell.GapLimit)
	if at >= 0 {
		r.effects[at] = shell.LimitEffect("", "does more than checkrein can check")
	}
}

// merge adds the paths of a harmless effect to another of its kind, if there is room.
func merge(o, e *shell.Effect) bool {
	if o.Label != shell.Safe || o.Kind != e.Kind || o.Category != e.Category || len(o.Hosts) > 0 || len(e.Hosts) > 0 || len(o.Paths)+len(e.Paths) >= shell.MaxPaths {
		return false
	}
	o.Paths = append(o.Paths[:len(o.Paths):len(o.Paths)], e.Paths...)
	return true
}

// asked is how much weighs what people are asked about.
const asked = 4

// matters is how much an effect weighs with those who judge reports.
func matters(e *shell.Effect) int {
	policy := e.Row().Policy
	switch {
	case e.Label == shell.Safe:
		return 0
	case e.Label >= shell.Destructive && e.Impact != shell.ImpactLow:
		return asked + 10*int(e.Label) + e.Impact.Weight()
	case policy == shell.AskFor, policy == shell.Refuse, e.Impact == shell.ImpactHigh, e.Label == shell.Exfiltration:
		return asked
	case e.Label >= shell.Destructive:
		return 3
	case e.Category != shell.Run:
		return 2
	}
	return 1
}

func (r *run) has(e *shell.Effect) bool {
	for i := range r.effects {
		if have := &r.effects[i]; len(have.Words) == len(e.Words) && same(have, e) {
			if e.Source == nil || have.Source != nil && e.Source.Own {
				have.Source = e.Source
			}
			have.ContextBound, have.Uncertain, have.Foreign = have.ContextBound || e.ContextBound, have.Uncertain || e.Uncertain, have.Foreign || e.Foreign
			return true
		}
	}
	return false
}

// same reports whether two effects say the same.
func same(a, b *shell.Effect) bool {
	return a.Label == b.Label && a.Kind == b.Kind && a.Category == b.Category && a.Impact == b.Impact && a.Words == b.Words && a.Subject == b.Subject &&
		slices.Equal(a.Paths, b.Paths) && slices.Equal(a.Hosts, b.Hosts)
}

// words are what a call consists of, for people.
func words(c *shell.Call) string {
	text := c.Path
	for _, a := range c.Args {
		text += " " + a.Text
	}
	return clip(text)
}

func clip(s string) string {
	if len(s) > maxReason {
		return s[:maxReason]
	}
	return s
}
