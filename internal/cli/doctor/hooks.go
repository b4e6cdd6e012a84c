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

// Options say what to look at.
type Options struct {
	Kit     *app.Kit
	Named   bool   // its files were named instead of searched for
	Hosts   []Host // that call checkrein on this machine
	Scratch string // a directory of the caller's that may be filled; "" = nothing is run

	Handlers []checkrein.HandlerType // what runs hooks beside the kit's own
	Environ  []string
	Program  string // the checkrein program, for sandboxes
	Now      func() time.Time
	Slow     time.Duration // what nobody should wait for at every tool call; 0 = 3 s
	// Payload is run in place of a harmless event, by the hooks of its event.
	Payload *checkrein.Event
	// Idle reports whether no event runs a hook, which is then only looked at; nil = none is idle.
	Idle func(*checkrein.Hook) bool

	Announce func(hooks []*checkrein.Hook) // what will be run; nil = nobody wants to know
	Progress func(done, total int64)       // nil likewise
}

// A Host is one that calls checkrein.
type Host struct {
	*wire.Host
	Wired []string // the events, in its words, on which it does
}

// Hooks looks at every hook of the kit and runs those that may run, one after
// another, each with its own limit. When ctx ends it stops and says so.
func Hooks(ctx context.Context, o Options) *Report {
	r := NewReport()
	configuration(r, o.Kit)
	d := doctor{Options: o, report: r, hooks: hooksOf(o.Kit)}
	defaults(r, o.Kit, o.Named)
	if !o.Kit.On() {
		r.Find("master-off", Finding{})
	}
	if !o.Named { // else other files are not looked at
		vanished(r, o.Kit)
	}
	var run []*checkrein.Hook
	for _, h := range d.hooks {
		if d.static(h) {
			run = append(run, h)
		}
	}
	d.duplicates()
	d.run(ctx, run)
	return r
}

// Look looks at every hook without running any, and without asking whether it may.
func Look(o Options) *Report {
	r := NewReport()
	d := doctor{Options: o, report: r, hooks: hooksOf(o.Kit)}
	for _, h := range d.hooks {
		if h.Broken != "" {
			continue
		}
		d.found(h)
		d.textual(h)
		d.async(h)
		d.paths(h)
	}
	return r
}

// defaults shows where the default guards are not as they come. Files that are
// named count without them.
func defaults(r *Report, k *app.Kit, named bool) {
	guards := k.Guards()
	if len(guards.Off) > 0 && !named {
		r.Find("packs-off", Finding{Message: message.New("packs that are off: "+strings.Join(guards.Off, ", "), guards.SwitchOn())})
	}
	switch {
	case guards.Paused:
		r.Find("paused", Finding{Message: message.New("paused until " + guards.Until() + ": decisions are recorded, but not enforced, except those of managed hooks and self-protection")})
	case guards.Shadow != "":
		r.Find("shadow", Finding{Message: message.New("shadow mode until " + guards.Until() + ": decisions are recorded, but not enforced, except those of managed hooks and self-protection")})
	}
	for _, hook := range guards.Tried {
		r.Find("hook-shadow", Finding{Message: message.New(hook + ": its decisions are recorded, but not enforced, as the administrator set it")})
	}
	if len(guards.Held) > 0 {
		r.Find("held-back", Finding{Message: message.New("held back because it appeared in your file while an agent was running: " + strings.Join(guards.Held, "; "))})
	}
	for i := range guards.Grants {
		id := "file-grant"
		if guards.Grants[i].Broken != "" {
			id = "grant-idle"
		}
		r.Find(id, Finding{Message: guards.Grants[i].Message()})
	}
	for _, line := range guards.Ignored {
		r.Find("pack-ignored", Finding{Message: message.New(line)})
	}
}

// A doctor looks at hooks.
type doctor struct {
	Options
	report *Report
	hooks  []*checkrein.Hook
	aside  bool // the hook that runs would not be asked about the harmless event
}

// find adds a finding about a hook. What is wrong with a managed one, only the administrator
// can correct.
func (d *doctor) find(id string, h *checkrein.Hook, f Finding) {
	f.Hook, f.Event, f.Origin = h.Label(), approval.EventOf(h), h.From.String()
	if row := named(id); cmp.Or(f.Level, row.Level) != Info {
		if len(f.Remedies) == 0 {
			f.Remedies = row.Remedies
		}
		f.Message = d.Kit.WithAdministrator(h.From.File, f.Message)
	}
	d.report.Find(id, f)
}

// configuration shows what is wrong with the files.
func configuration(r *Report, k *app.Kit) {
	for _, err := range base.SplitErrors(k.Check()) {
		r.Find(mistake(err), located(k, err))
	}
	for _, file := range k.Files() {
		for _, w := range file.Warnings {
			if u := (*match.UnmatchedError)(nil); !errors.As(w, &u) { // which is said of the hook
				r.Find("configuration-warning", located(k, w))
			}
		}
	}
}

// mistake is the row of a configuration error that has one of its own.
func mistake(err error) string {
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

// located makes a finding of an error that may know where it is.
func located(k *app.Kit, err error) Finding {
	var at *checkrein.HookError
	if !errors.As(err, &at) {
		return Finding{Message: message.Of(err)}
	}
	return Finding{Hook: at.Hook, Origin: at.Origin.String(), Message: k.WithAdministrator(at.Origin.File, message.Of(at.Err).With(message.Do(at.Remedy)))}
}

func vanished(r *Report, k *app.Kit) {
	for _, v := range k.Vanished() {
		f := Finding{Hook: v.ID, Event: v.Event, Origin: v.File, Message: message.New("it "+v.Why, v.Remedies...)}
		if !v.Gate {
			f.Level = Warn
		}
		r.Find("vanished", f)
	}
}

// static looks at a hook without running it, and reports whether it may run.
func (d *doctor) static(h *checkrein.Hook) bool {
	if h.Broken != "" {
		return false // which is said with the configuration
	}
	d.matcher(h)
	d.textual(h)
	d.private(h)
	d.fires(h)
	d.async(h)
	started := d.paths(h)
	switch {
	case d.Kit.IsDisabled(h):
		d.find("disabled", h, Finding{Message: message.New("it is disabled, so it does not run", message.Run("checkrein hooks enable "+h.Label(), ""))})
	case h.Off != "":
		d.find("switched-off", h, Finding{Level: byGuard(h), Message: message.New(h.Off)})
	case !d.Kit.On() && h.From.Scope != checkrein.ScopeManaged:
	case !d.approved(h):
	default:
		return started
	}
	return false
}

// async finds gates that can refuse nothing.
func (d *doctor) async(h *checkrein.Hook) {
	if h.Async && checkrein.ContractOf(h.On).Closed {
		d.find("async-gate", h, Finding{})
	}
}

// approved reports whether a hook may run as it is.
func (d *doctor) approved(h *checkrein.Hook) bool {
	if !d.Kit.NeedsApproval(h) {
		return true
	}
	state, why := d.Kit.Approval(h)
	switch state {
	case engine.Approved:
		return true
	case engine.Changed:
		d.find("changed", h, Finding{Message: message.New("changed since it was approved: "+why.What, message.Run(d.Kit.Remedy("approve", h), "after you have reviewed what changed"))})
	case engine.Refused:
		d.find("not-approved", h, Finding{Message: message.New(why.What, message.Run(d.Kit.Remedy("approve --dry-run", h), "to review what it would run"), message.Run(d.Kit.Remedy("approve", h), "then, to approve it"))})
	default:
		what := "it is not approved, so it does not run"
		if host := d.Kit.HostRunning(h); host != "" {
			what = "it is not approved, so checkrein does not run it for other agents; " + host + " runs it itself"
		}
		d.find("not-approved", h, Finding{Level: byGuard(h), Message: message.New(what, message.Run(d.Kit.Remedy("approve", h), "after you have reviewed it"))})
	}
	return false
}

// consequence returns what becomes of the event when a hook fails.
func consequence(h *checkrein.Hook) string {
	row := checkrein.ContractOf(h.On)
	switch {
	case h.Async:
		return ""
	case h.OnFault == checkrein.FaultBlock || h.OnFault == checkrein.FaultByRow && row.Closed:
		return "; until this is fixed, " + match.DescribeCalls(h) + " is denied"
	case guards(h):
		return "; until this is fixed, the hook stops nothing"
	}
	return ""
}

// matcher finds matchers and expressions that can never hold.
func (d *doctor) matcher(h *checkrein.Hook) {
	if h.Match != "" && d.warned(h) {
		f := Finding{Level: byGuard(h), Message: message.New(fmt.Sprintf("the matcher %q matches no known tool, so the hook never runs", h.Match))}
		if s := meant(h); s != "" {
			f.Message = f.With(message.Do(fmt.Sprintf("did you mean %q? names are case-sensitive", s)))
		}
		d.find("matches-nothing", h, f)
	}
	d.found(h)
}

// found finds expressions that are searched for where they never are.
func (d *doctor) found(h *checkrein.Hook) {
	if h.Search != "" && !mayFind(h.Search) {
		d.find("never-found", h, Finding{Level: byGuard(h), Message: message.New(fmt.Sprintf("the matcher %q is matched against the whole JSON payload, which begins with a brace, so the hook never runs", h.Search))})
	}
}

// warned reports whether whoever read the hook's file found that its matcher
// matches nothing: dialects know more names than the table.
func (d *doctor) warned(h *checkrein.Hook) bool {
	for _, f := range d.Kit.Files() {
		for _, w := range f.Warnings {
			if u := (*match.UnmatchedError)(nil); f.Path == h.From.File && errors.As(w, &u) && u.Expr == h.Match {
				return true
			}
		}
	}
	return false
}

// meant is what a matcher would be with its unknown words corrected, "" when
// nothing is near.
func meant(h *checkrein.Hook) string {
	var known []string
	tools.EachName(func(native, canonical string) {
		known = append(known, native, canonical)
		if own := dialect.ToolName(h.Dialect, canonical); own != "" {
			known = append([]string{own}, known...) // which comes first among equals
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

// mayFind reports whether an expression may be found in a JSON object. One that
// is anchored to the beginning of the text and goes on with anything but a brace
// cannot.
func mayFind(expr string) bool {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return true // which is said elsewhere
	}
	return mayBegin(re.Simplify())
}

func mayBegin(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpCapture:
		return mayBegin(re.Sub[0])
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, mayBegin)
	case syntax.OpConcat:
		return re.Sub[0].Op != syntax.OpBeginText || len(re.Sub) < 2 || takesBrace(re.Sub[1])
	}
	return true
}

// takesBrace reports whether an expression may match a text that begins with a
// brace, or nothing at all.
func takesBrace(re *syntax.Regexp) bool {
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
		return takesBrace(re.Sub[0])
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, takesBrace)
	}
	return true
}
