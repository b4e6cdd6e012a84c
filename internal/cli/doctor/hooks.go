package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// Options configure [CheckHooks] and [Inspect].
type Options struct {
	Kit     *app.Kit
	Named   bool   // the kit's files were named on the command line instead of searched for
	Hosts   []Host // the hosts that call checkrein on this machine
	Scratch string // a directory in which hooks may write; "" = run nothing

	Handlers []checkrein.HandlerType // handler types in addition to the kit's own
	Environ  []string
	Program  string // the checkrein program, for sandboxes
	Now      func() time.Time
	Slow     time.Duration // the longest acceptable time for a hook on tool calls; 0 = 3 s
	// Payload, if not nil, replaces the harmless events. Only hooks on its event are run.
	Payload *checkrein.Event
	// Idle reports whether no event runs a hook. Such hooks are only inspected. nil = no hook is idle.
	Idle func(*checkrein.Hook) bool

	Announce func(hooks []*checkrein.Hook) // receives the hooks that are about to run; may be nil
	Progress func(done, total int64)       // may be nil
}

// A Host is a host that calls checkrein.
type Host struct {
	*wire.Host
	Wired []string // the events on which it calls checkrein, by its own names
}

// CheckHooks checks every hook of the kit and runs those that may run, one after another, each with
// its own timeout. If ctx is cancelled, it stops and marks the report as interrupted.
func CheckHooks(ctx context.Context, o Options) *Report {
	r := NewReport()
	addConfiguration(r, o.Kit)
	d := doctor{Options: o, report: r, hooks: declaredHooks(o.Kit)}
	addGuards(r, o.Kit, o.Named)
	if !o.Kit.IsOn() {
		r.Add("master-off", Finding{})
	}
	if !o.Named { // otherwise the files with the approved hooks were not read
		addVanished(r, o.Kit)
	}
	var run []*checkrein.Hook
	for _, h := range d.hooks {
		if d.inspect(h) {
			run = append(run, h)
		}
	}
	d.checkDuplicates()
	d.runAll(ctx, run)
	return r
}

// Inspect checks every hook without running any, and without checking approvals.
func Inspect(o Options) *Report {
	r := NewReport()
	d := doctor{Options: o, report: r, hooks: declaredHooks(o.Kit)}
	for _, h := range d.hooks {
		if h.Broken != "" {
			continue
		}
		d.checkSearch(h)
		d.checkTextSearch(h)
		d.checkAsync(h)
		d.checkPaths(h)
	}
	return r
}

// addGuards adds findings where the default guards differ from their defaults. With named files there
// are no default guards, so packs that are off are not reported.
func addGuards(r *Report, k *app.Kit, named bool) {
	guards := k.Guards()
	if len(guards.Off) > 0 && !named {
		r.Add("packs-off", Finding{Message: message.New("packs that are off: "+strings.Join(guards.Off, ", "), guards.SwitchOnRemedy())})
	}
	switch {
	case guards.Paused:
		r.Add("paused", Finding{Message: message.New("paused until " + guards.Until() + ": decisions are recorded, but not enforced, except those of managed hooks and self-protection")})
	case guards.Shadow != "":
		r.Add("shadow", Finding{Message: message.New("shadow mode until " + guards.Until() + ": decisions are recorded, but not enforced, except those of managed hooks and self-protection")})
	}
	for i := range guards.Tried {
		r.Add("hook-shadow", Finding{Message: guards.Tried[i].Message()})
	}
	if len(guards.Held) > 0 {
		r.Add("held-back", Finding{Message: message.New("held back because it appeared in your file while an agent was running: " + strings.Join(guards.Held, "; "))})
	}
	for i := range guards.Grants {
		id := "file-grant"
		if guards.Grants[i].Broken != "" {
			id = "grant-idle"
		}
		r.Add(id, Finding{Message: guards.Grants[i].Message()})
	}
	for _, line := range guards.Ignored {
		r.Add("pack-ignored", Finding{Message: message.New(line)})
	}
}

// A doctor checks hooks and adds what it finds to a report.
type doctor struct {
	Options
	report *Report
	hooks  []*checkrein.Hook
	aside  bool // the conditions of the current hook do not match the harmless event
}

// addFinding adds a finding of the check id about h. For a managed hook, the remedy is to ask the
// administrator.
func (d *doctor) addFinding(id string, h *checkrein.Hook, f Finding) {
	f.Hook, f.Event, f.Origin = h.Label(), approval.EventName(h), h.From.String()
	if row := checkByID(id); cmp.Or(f.Level, row.Level) != Info {
		if len(f.Remedies) == 0 {
			f.Remedies = row.Remedies
		}
		f.Message = d.Kit.WithAdministrator(h.From.File, f.Message)
	}
	d.report.Add(id, f)
}

// addConfiguration adds findings about errors and warnings in configuration files.
func addConfiguration(r *Report, k *app.Kit) {
	for _, err := range base.SplitErrors(k.Check()) {
		r.Add(checkOfError(err), errorFinding(k, err))
	}
	for _, file := range k.Files() {
		for _, w := range file.Warnings {
			if u := (*match.UnmatchedError)(nil); !errors.As(w, &u) { // reported with the hook
				r.Add("configuration-warning", errorFinding(k, w))
			}
		}
	}
}

// checkOfError returns the id of the check that a configuration error belongs to.
func checkOfError(err error) string {
	var path grammar.PathError
	switch {
	case errors.Is(err, grammar.ErrUnknownEvent):
		return "unknown-event"
	case errors.As(err, &path):
		return "relative-path"
	case errors.Is(err, grammar.ErrNotExecutable):
		return "not-executable"
	case errors.Is(err, grammar.ErrNoScript):
		return "missing"
	}
	return "configuration"
}

// errorFinding returns a finding for err, with the hook and place that it names, if any.
func errorFinding(k *app.Kit, err error) Finding {
	var at *checkrein.HookError
	if !errors.As(err, &at) {
		return Finding{Message: message.FromError(err)}
	}
	return Finding{Hook: at.Hook, Origin: at.Origin.String(), Message: k.WithAdministrator(at.Origin.File, message.FromError(at.Err).With(message.Do(at.Remedy)))}
}

// addVanished adds findings about approved hooks that no longer exist.
func addVanished(r *Report, k *app.Kit) {
	for _, v := range k.VanishedApprovals() {
		f := Finding{Hook: v.ID, Event: v.Event, Origin: v.File, Message: message.New("it "+v.Why, v.Remedies...)}
		if !v.Gate {
			f.Level = Warn
		}
		r.Add("vanished", f)
	}
}

// inspect checks h without running it, and reports whether it may run.
func (d *doctor) inspect(h *checkrein.Hook) bool {
	if h.Broken != "" {
		return false // reported with the configuration
	}
	d.checkMatcher(h)
	d.checkTextSearch(h)
	d.checkPrivateMessages(h)
	d.checkFires(h)
	d.checkAsync(h)
	started := d.checkPaths(h)
	switch {
	case d.Kit.IsDisabled(h):
		d.addFinding("disabled", h, Finding{Message: message.New("it is disabled, so it does not run", message.Run(approval.RemedyCommand("enable", h.Label()), ""))})
	case h.Off != "":
		d.addFinding("switched-off", h, Finding{Level: breakageLevel(h), Message: message.New(h.Off)})
	case !d.Kit.IsOn() && h.From.Scope != checkrein.ScopeManaged:
	case !d.checkApproval(h):
	default:
		return started
	}
	return false
}

// checkAsync adds a finding if h is an asynchronous gate, since such a gate can refuse nothing.
func (d *doctor) checkAsync(h *checkrein.Hook) {
	if h.Async && checkrein.ContractOf(h.On).Closed {
		d.addFinding("async-gate", h, Finding{})
	}
}

// checkApproval reports whether h needs no approval or is approved as it is, and adds a finding if
// not.
func (d *doctor) checkApproval(h *checkrein.Hook) bool {
	if !d.Kit.NeedsApproval(h) {
		return true
	}
	state, why := d.Kit.Approval(h)
	switch state {
	case engine.Approved:
		return true
	case engine.Changed:
		d.addFinding("changed", h, Finding{Message: message.New("changed since it was approved: "+why.What, message.Run(d.Kit.RemedyCommand("approve", h), "after you have reviewed what changed"))})
	case engine.Refused:
		d.addFinding("not-approved", h, Finding{Message: message.New(why.What, message.Run(d.Kit.RemedyCommand("approve --dry-run", h), "to review what it would run"), message.Run(d.Kit.RemedyCommand("approve", h), "then, to approve it"))})
	default:
		what := "it is not approved, so it does not run"
		if host := d.Kit.HostRunningFile(h); host != "" {
			what = "it is not approved, so checkrein does not run it for other agents; " + host + " runs it itself"
		}
		d.addFinding("not-approved", h, Finding{Level: breakageLevel(h), Message: message.New(what, message.Run(d.Kit.RemedyCommand("approve", h), "after you have reviewed it"))})
	}
	return false
}

// faultConsequence returns what a failure of h means for its events, as the end of a sentence. It
// returns "" if it means nothing.
func faultConsequence(h *checkrein.Hook) string {
	row := checkrein.ContractOf(h.On)
	switch {
	case h.Async:
		return ""
	case h.OnFault == checkrein.FaultBlock || h.OnFault == checkrein.FaultByRow && row.Closed:
		return "; until this is fixed, " + match.DescribeCalls(h) + " is denied"
	case isGuard(h):
		return "; until this is fixed, the hook stops nothing"
	}
	return ""
}

// checkMatcher adds findings if the matcher of h matches no known tool or its expression can never
// match.
func (d *doctor) checkMatcher(h *checkrein.Hook) {
	if h.Match != "" && d.matchesNothing(h) {
		f := Finding{Level: breakageLevel(h), Message: message.New(fmt.Sprintf("the matcher %q matches no known tool, so the hook never runs", h.Match))}
		if s := suggestMatcher(h); s != "" {
			f.Message = f.With(message.Do(fmt.Sprintf("did you mean %q? names are case-sensitive", s)))
		}
		d.addFinding("matches-nothing", h, f)
	}
	d.checkSearch(h)
}

// checkSearch adds a finding if the expression that h searches the payload with can never match.
func (d *doctor) checkSearch(h *checkrein.Hook) {
	if h.Search != "" && !canMatchJSON(h.Search) {
		d.addFinding("never-found", h, Finding{Level: breakageLevel(h), Message: message.New(fmt.Sprintf("the matcher %q is matched against the whole JSON payload, which begins with a brace, so the hook never runs", h.Search))})
	}
}

// matchesNothing reports whether loading the file of h produced a warning that its matcher matches
// nothing. It relies on the warning because dialects have more tool names than the table of tools.
func (d *doctor) matchesNothing(h *checkrein.Hook) bool {
	for _, f := range d.Kit.Files() {
		for _, w := range f.Warnings {
			if u := (*match.UnmatchedError)(nil); f.Path == h.From.File && errors.As(w, &u) && u.Expr == h.Match {
				return true
			}
		}
	}
	return false
}

// suggestMatcher returns the matcher of h with unknown words replaced by similar names, or "" if there
// are no similar names.
func suggestMatcher(h *checkrein.Hook) string {
	var known []string
	tools.EachName(func(native, canonical string) {
		known = append(known, native, canonical)
		if own := dialect.ToolName(h.Dialect, canonical); own != "" {
			known = append([]string{own}, known...) // in front, to be preferred among equally similar names
		}
	})
	isWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	out := h.Match
	for _, w := range strings.FieldsFunc(h.Match, func(r rune) bool { return !isWord(r) }) {
		if s := suggest.Closest(w, known); s != "" {
			out = strings.ReplaceAll(out, w, s)
		}
	}
	if out == h.Match {
		return ""
	}
	return out
}

// canMatchJSON reports whether the regular expression expr can match in a JSON object. It cannot if it
// is anchored to the beginning and does not continue with a brace.
func canMatchJSON(expr string) bool {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return true // reported elsewhere
	}
	return canMatchObject(re.Simplify())
}

// canMatchObject reports whether re can match in text that begins with a brace.
func canMatchObject(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpCapture:
		return canMatchObject(re.Sub[0])
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, canMatchObject)
	case syntax.OpConcat:
		return re.Sub[0].Op != syntax.OpBeginText || len(re.Sub) < 2 || acceptsBrace(re.Sub[1])
	}
	return true
}

// acceptsBrace reports whether re can match text that begins with a brace, or empty text.
func acceptsBrace(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return re.Rune[0] == '{'
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= '{' && '{' <= re.Rune[i+1] {
				return true
			}
		}
		return false
	case syntax.OpCapture, syntax.OpPlus, syntax.OpConcat:
		return acceptsBrace(re.Sub[0])
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, acceptsBrace)
	}
	return true
}
