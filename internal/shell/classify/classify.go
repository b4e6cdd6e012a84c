// Package classify reports what a command line does. It resolves the text into calls, collects the
// effects of each call from the packages that have rules for programs, and combines them into one
// report.
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
	maxDepth   = 6   // nesting of code that runs commands that run code
	maxNested  = 128 // nested commands in total
	maxEffects = shell.MaxEffects
	maxReason  = 1000 // bytes of the words of an effect
)

// OnCommand is called with each command line that is classified and its place, so that tests can count
// them. It is nil outside of tests.
var OnCommand func(text string, p *shell.Place)

// IsKnownProgram reports whether there are rules, or can be rules, for the program name.
func IsKnownProgram(name string) bool { return program.IsKnown(name) || exfil.HasRule(name) }

// Command returns the report on the command line text at p.
func Command(text string, p shell.Place) shell.Report {
	if OnCommand != nil {
		OnCommand(text, &p)
	}
	r := classifier{place: p}
	r.addText(text, p.Dialect, 0)
	return shell.NewReport(r.effects, r.gaps)
}

// CommandWithSecrets is like [Command] for text that contains the secrets p.TypedSecrets. It also
// returns the files that the secrets are written to.
func CommandWithSecrets(text string, p shell.Place) (shell.Report, []string) {
	r := classifier{place: p}
	r.addText(text, p.Dialect, 0)
	return shell.NewReport(r.effects, r.gaps), r.secretFiles
}

// Calls returns the resolved calls of the command line text at p.
func Calls(text string, p shell.Place) []*shell.Call {
	calls, _ := resolve.Calls(text, p)
	return calls
}

// A classifier collects the effects of one command line.
type classifier struct {
	place shell.Place
	// nested is the number of texts classified so far.
	nested       int
	effects      []shell.Effect
	gaps         shell.Gaps               // gaps of effects that were left out for space
	secretFiles  []string                 // files that typed secrets are written to
	current      *shell.Call              // the call whose effects are added; nil = the text as a whole
	runner       *shell.Call              // the call before current, which may run it
	source       commandText              // the text that contains the calls
	touchedPacks uint32                   // packs of the effects of earlier calls, a bit each
	nestedIn     bool                     // an outer program affects what the calls do
	codeFiles    map[*shell.Call][]string // the files that code writes that reads a secret
	file         *shell.Source            // the file that contains the text; nil = the command itself
}

// addText adds the effects of text, which is in the dialect d, and of the code that it runs. depth is
// its nesting depth.
func (r *classifier) addText(text string, d shell.Dialect, depth int) {
	r.nested++
	if depth > maxDepth || r.nested > maxNested {
		r.addEffects(shell.LimitEffect(truncateText(text), "runs more commands than checkrein can follow"))
		return
	}
	if d != shell.Bash {
		defer func(before bool) { r.nestedIn = before }(r.nestedIn)
		r.nestedIn = true // its variables are not tracked
		p := r.place
		p.Dialect = d
		effects, nested := windows.Effects(text, p)
		r.addEffects(effects...)
		r.addTexts(nested, depth)
		return
	}
	defer func(before commandText) { r.source = before }(r.source)
	r.source = commandText{text: text}
	p := r.place
	p.Dialect = shell.Bash
	if written := p.Written; depth > 0 && written != nil { // the text stands for code and need not have what that writes
		p.Written = func(path, text string, _ bool) { written(path, text, false) }
	}
	calls, problems := resolve.Calls(text, p)
	if p.Calls != nil {
		p.Calls(p.Dir, calls)
	}
	if len(p.TypedSecrets) > 0 {
		exfil.MaskTypedSecrets(calls, p.TypedSecrets)
		for _, c := range calls {
			r.secretFiles = append(r.secretFiles, exfil.TypedSecretFiles(c, &p)...)
		}
	}
	r.addEffects(problems...)
	var runner *shell.Call // the call before c, which may run it
	for _, c := range calls {
		if runner != nil && c.Depth > runner.Depth && isPreview(runner) {
			continue
		}
		before := len(r.effects)
		r.addCallInDirs(c, runner, calls, depth)
		r.noteTouchedPacks(before)
		r.dropChangedRepo(c, before)
		runner = c
	}
	r.addEffects(exfil.SequenceEffects(calls, &p, func(c *shell.Call) []string { return r.codeFiles[c] })...)
}

// addCallInDirs adds the effects of c in each directory that it may run in. runner is the call before
// it, and calls are all calls of the text.
func (r *classifier) addCallInDirs(c, runner *shell.Call, calls []*shell.Call, depth int) {
	defer func(now, by *shell.Call) { r.current, r.runner = now, by }(r.current, r.runner)
	r.current, r.runner = c, runner
	from := len(r.effects)
	r.addCall(c, runner, calls, depth)
	if other := withoutPlaceholders(c); other != nil {
		r.current = other
		r.addCall(other, runner, calls, depth)
	}
	if len(c.Dirs) == 0 || rules.IsTrivial(c) {
		return // its effects are the same in every directory
	}
	reads := len(r.effects) > from && len(r.effects) < maxEffects && !slices.ContainsFunc(r.effects[from:], func(e shell.Effect) bool { return e.Label != shell.Safe || e.Kind != "read" })
	for _, dir := range c.Dirs {
		other := *c
		other.Dir, other.Dirs, other.Files = dir, nil, slices.Clone(c.Files)
		for i := range other.Files {
			other.Files[i].Created = false // it was created in another directory
		}
		r.current = &other
		if reads { // in dir it only reads too, but may read a secret
			r.addEffects(exfil.PrivateReads(&other, &r.place)...)
			r.addEffects(files.RedirectEffects(&other, &r.place)...)
			continue
		}
		r.addCall(&other, runner, calls, depth)
	}
}

// sourceFile returns the file that determines what c does: a file on disk that c reads or that
// contains c, or else the file that contains the current text. c may be nil.
func (r *classifier) sourceFile(c *shell.Call) *shell.Source {
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

// addTexts adds the effects of texts, the shell code that the current call runs.
func (r *classifier) addTexts(texts []string, depth int) {
	if len(texts) == 0 {
		return
	}
	defer func(before *shell.Source) { r.file = before }(r.file)
	r.file = r.sourceFile(r.current)
	defer func(before bool) { r.nestedIn = before }(r.nestedIn)
	r.nestedIn = true // the program that runs them affects what they do
	if c := r.current; c != nil && c.Dir != "" && c.Remote == "" {
		defer func(before string) { r.place.Dir = before }(r.place.Dir)
		r.place.Dir = cdTarget(c.Dir, &r.place)
	}
	for _, t := range texts {
		r.addText(t, shell.Bash, depth+1)
	}
}

// cdTarget returns the directory that a cd to dir leads to at p, or p.Dir if it is unknown.
func cdTarget(dir string, p *shell.Place) string {
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

// addCall adds the effects of c from every package that may have rules for its program.
func (r *classifier) addCall(c, runner *shell.Call, all []*shell.Call, depth int) {
	before := len(r.effects)
	if rules.IsTrivial(c) && len(r.place.Packs) == 0 {
		r.addEffects(rules.TrivialEffect(callText(c)))
		return
	}
	if r.showsHelp(c) {
		r.addEffects(helpEffect(c))
		r.addEffects(files.RedirectEffects(c, &r.place)...)
		return
	}
	effects, known := files.Effects(c, &r.place)
	r.addEffects(effects...)
	effects, ok := rules.Effects(c, &r.place)
	if c.Remote != "" || c.Elevated {
		effects = dropProjectExceptions(effects, runner)
	}
	rules.LowerForTests(effects, c, runner, &r.place)
	allowSecretUse(c, effects, all)
	r.addEffects(effects...)
	known = known || ok
	effects, nested, ok := code.Effects(c, &r.place)
	rules.LowerForTests(effects, c, runner, &r.place)
	r.addEffects(effects...)
	r.noteCodeFiles(c, nested)
	r.addTexts(nested, depth)
	known = known || ok
	r.addTexts(rules.NestedCommands(c), depth)
	r.addTexts(program.ShellCommands(c), depth)
	effects, nested, ok = windows.CallEffects(c, &r.place)
	r.addEffects(effects...)
	r.addTexts(nested, depth)
	known = known || ok
	r.addEffects(hijackEffects(c)...)
	r.addEffects(rules.GuardEffects(c, &r.place)...)
	r.addEffects(waitEffects(c)...)
	r.addEffects(exfil.Effects(c, &r.place)...)
	r.addEffects(exfil.PrivateReads(c, &r.place)...)
	r.addEffects(files.RedirectEffects(c, &r.place)...)
	if known || c.Name == "" || r.hasUnsafe(before) {
		return
	}
	if e, ok := guessDeletion(c); ok {
		r.addEffects(e)
		return
	}
	if rules.IsContainerShell(c, runner) {
		return
	}
	r.addEffects(shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.Run, Impact: shell.ImpactUnknown, Words: callText(c), Reason: "unknown program " + c.Name})
}

// noteCodeFiles records the files that c writes by its code, which is equivalent to the commands in
// nested, if the code also reads a secret.
func (r *classifier) noteCodeFiles(c *shell.Call, nested []string) {
	if len(nested) == 0 || !exfil.CodeReadsSecret(c, &r.place) {
		return
	}
	p := r.place
	p.Calls, p.Effect = nil, nil
	var paths []string
	for _, text := range nested {
		calls, _ := resolve.Calls(text, p)
		paths = append(paths, exfil.WrittenByCode(calls)...)
	}
	if len(paths) > 0 {
		if r.codeFiles == nil {
			r.codeFiles = map[*shell.Call][]string{}
		}
		r.codeFiles[c] = paths
	}
}

// helpEffect returns the effect of c, which only prints its help.
func helpEffect(c *shell.Call) shell.Effect {
	return shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.Help, Impact: shell.ImpactLow, Words: callText(c), Reason: "only shows its help"}
}

// isPreview reports whether c, which runs other programs, only prints what it would run.
func isPreview(c *shell.Call) bool {
	return program.Is(c.Name, program.IsPreviewer) && slices.ContainsFunc(c.Args, func(w shell.Word) bool { return w.Text == "--dry-run" || w.Text == "--dryrun" })
}

// showsHelp reports whether c only prints its help: --help is its only argument, and the program is
// known. Package rules handles the help of subcommands.
func (r *classifier) showsHelp(c *shell.Call) bool {
	if len(c.Args) != 1 || c.Args[0].Text != "--help" || len(c.Args[0].From) > 0 || len(c.Env) > 0 || isUnusualPath(c.Path) || c.Name == "" || c.In != nil {
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

// dropProjectExceptions returns effects without the exceptions for the project's own scripts and
// packages: on another machine those are unknown, and with elevated privileges running them is not an
// everyday step.
func dropProjectExceptions(effects []shell.Effect, runner *shell.Call) []shell.Effect {
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

// hasUnsafe reports whether one of the effects from index from on is not safe.
func (r *classifier) hasUnsafe(from int) bool {
	return slices.ContainsFunc(r.effects[from:], func(e shell.Effect) bool { return e.Label != shell.Safe })
}

// addEffects adds the effects in list, after setting what depends on the current call. Equal effects
// are merged, and if there are too many, the mildest are dropped.
func (r *classifier) addEffects(list ...shell.Effect) {
	for i := range list {
		e := &list[i]
		if e.Label != shell.Safe && !e.ContextBound {
			e.ContextBound = r.nestedIn || isContextBound(e, r.current) || r.dependsOnEarlierCall(e) || r.changesState()
		}
		e.Foreign, e.Wrapped = e.Foreign || isForeign(r.current), e.Wrapped || isWrapped(r.current, r.runner)
		e.Elsewhere = e.Elsewhere || worksElsewhere(r.current, &r.place)
		if e.Source == nil {
			e.Source = r.sourceFile(r.current)
		}
		if e.Source != nil && r.current != nil && (r.current.Dir == ".." || strings.HasPrefix(r.current.Dir, "../")) {
			e.Uncertain = true // the file may be meant to run in another directory
		}
		if r.place.Effect != nil && r.current != nil {
			r.place.Effect(r.current, e)
		}
		switch {
		case r.mergeEqual(&list[i]):
		case len(r.effects) < maxEffects:
			r.effects = append(r.effects, list[i])
		default:
			r.replaceMildest(&list[i])
		}
	}
}

// replaceMildest puts e in place of the effect that matters least, if e matters more. It is called
// when there is no room for more effects, so that harm cannot hide behind harmless effects.
func (r *classifier) replaceMildest(e *shell.Effect) {
	n := effectWeight(e)
	if n == 0 {
		r.foldPaths(e)
		return
	}
	r.gaps.Add(e.Gap())
	least, at := n, -1
	for i := range r.effects {
		if m := effectWeight(&r.effects[i]); m < least {
			least, at = m, i
		}
	}
	switch {
	case at >= 0:
		out := r.effects[at]
		r.effects[at] = *e
		if least == 0 {
			r.foldPaths(&out)
		}
	case n >= askWeight:
		r.effects[len(r.effects)-1] = shell.LimitEffect("", "does more than checkrein can check")
	}
}

// foldPaths adds the paths of e, a harmless effect for which there is no room, to another effect of
// its kind, so that no guard of paths misses one. If that is impossible, it adds a gap. An effect
// without paths and hosts is dropped.
func (r *classifier) foldPaths(e *shell.Effect) {
	if len(e.Paths) == 0 && len(e.Hosts) == 0 {
		return
	}
	for i := range r.effects {
		if mergePaths(&r.effects[i], e) {
			return
		}
	}
	if slices.ContainsFunc(r.effects, func(o shell.Effect) bool { return o.Category == shell.TooMuch }) {
		return
	}
	for i := range r.effects { // merging two others of one kind makes room
		for j := i + 1; j < len(r.effects); j++ {
			if r.effects[j].Label == shell.Safe && mergePaths(&r.effects[i], &r.effects[j]) {
				r.effects[j] = *e
				return
			}
		}
	}
	worst, at := askWeight, -1
	for i := range r.effects {
		if m := effectWeight(&r.effects[i]); m < worst {
			worst, at = m, i
		}
	}
	r.gaps.Add(shell.GapLimit)
	if at >= 0 {
		r.effects[at] = shell.LimitEffect("", "does more than checkrein can check")
	}
}

// mergePaths adds the paths of the harmless effect e to o if o is of the same kind and has room. It
// reports whether it did.
func mergePaths(o, e *shell.Effect) bool {
	if o.Label != shell.Safe || o.Kind != e.Kind || o.Category != e.Category || len(o.Hosts) > 0 || len(e.Hosts) > 0 || len(o.Paths)+len(e.Paths) >= shell.MaxPaths {
		return false
	}
	o.Paths = append(o.Paths[:len(o.Paths):len(o.Paths)], e.Paths...)
	return true
}

// askWeight is the least weight of effects that a guard asks about.
const askWeight = 4

// effectWeight returns how much e matters for a report; 0 means that it is safe.
func effectWeight(e *shell.Effect) int {
	policy := e.Row().Policy
	switch {
	case e.Label == shell.Safe:
		return 0
	case e.Label >= shell.Destructive && e.Impact != shell.ImpactLow:
		return askWeight + 10*int(e.Label) + e.Impact.Weight()
	case policy == shell.AskFor, policy == shell.Refuse, e.Impact == shell.ImpactHigh, e.Label == shell.Exfiltration:
		return askWeight
	case e.Label >= shell.Destructive:
		return 3
	case e.Category != shell.Run:
		return 2
	}
	return 1
}

// mergeEqual merges e into an equal effect. It reports false if there is none.
func (r *classifier) mergeEqual(e *shell.Effect) bool {
	for i := range r.effects {
		if have := &r.effects[i]; len(have.Words) == len(e.Words) && sameEffect(have, e) {
			if e.Source == nil || have.Source != nil && e.Source.Own {
				have.Source = e.Source
			}
			have.ContextBound, have.Uncertain = have.ContextBound || e.ContextBound, have.Uncertain || e.Uncertain
			have.Foreign, have.Wrapped, have.Elsewhere = have.Foreign || e.Foreign, have.Wrapped || e.Wrapped, have.Elsewhere || e.Elsewhere
			return true
		}
	}
	return false
}

// sameEffect reports whether a and b are equal in everything that matters to a report, but for their
// sources.
func sameEffect(a, b *shell.Effect) bool {
	return a.Label == b.Label && a.Kind == b.Kind && a.Category == b.Category && a.Impact == b.Impact && a.Words == b.Words && a.Subject == b.Subject &&
		slices.Equal(a.Paths, b.Paths) && slices.Equal(a.Hosts, b.Hosts)
}

// callText returns the words of c, truncated, for people to read.
func callText(c *shell.Call) string {
	text := c.Path
	for _, a := range c.Args {
		text += " " + a.Text
	}
	return truncateText(text)
}

// truncateText returns the first maxReason bytes of s.
func truncateText(s string) string {
	if len(s) > maxReason {
		return s[:maxReason]
	}
	return s
}
