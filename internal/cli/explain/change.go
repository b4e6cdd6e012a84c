package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/text/message"
)

// A change is something that the user can do so that the next such event ends differently.
type change struct {
	Hook     string           `json:"hook,omitempty"`
	Why      string           `json:"why"`
	Remedies []message.Remedy `json:"remedies"`
	Note     []string         `json:"note,omitempty"` // side effects of the change
	Fault    string           `json:"-"`              // the hook's fault, which Why contains
}

type remedyList = []message.Remedy

// possibleChanges returns what would change the outcome of r: a grant for this call, changes to
// hooks that decided it or had another effect, and repairs of hooks that could not take part. If no
// hook decided, it returns how to add one. merged is the merged decision.
func possibleChanges(r *record.Record, merged string, now *currentState) []change {
	out := enforceChanges(r, now)
	if r.Fault != "" {
		out = append(out, change{Why: "checkrein could not evaluate the event: " + r.Fault, Remedies: remedyList{message.Run("checkrein validate", "to see what is wrong")}})
	}
	if c, ok := grantChange(r, now); ok {
		out = append(out, c)
	}
	for i := range r.Plan {
		s := &r.Plan[i]
		switch {
		case s.Outcome == "fault":
			out = append(out, change{Hook: s.Hook, Why: "could not answer: " + s.Fault, Remedies: faultRemedies(s), Fault: s.Fault})
		case s.Outcome == "unapproved":
			out = append(out, change{Hook: s.Hook, Why: "is not approved", Remedies: approveRemedies(r, s)})
		case s.Outcome == "skipped" && strings.Contains(s.Skipped, "switched off"):
			out = append(out, change{Hook: s.Hook, Why: s.Skipped, Remedies: switchOnRemedies(s)})
		case s.Lifted != nil:
			out = append(out, endGrantChange(s, now))
		default:
			if why := stepEffects(r, s, merged); why != "" {
				do, note := editRemedies(r, s, now)
				if others := r.Merge().Hooks; len(others) > 1 && s.Decision == merged && record.Decides(merged) {
					do, note = limitRemediesByOtherHooks(r, s, do, note)
				}
				out = append(out, change{Hook: s.Hook, Why: why, Remedies: do, Note: note})
			}
		}
	}
	if !record.Decides(merged) && len(r.Effects) == 0 && r.Fault == "" && len(records.LiftedSteps(r)) == 0 {
		out = append(out, change{Why: "no hook decided", Remedies: addHookRemedies(r)})
	}
	return out
}

// limitRemediesByOtherHooks returns the remedies for s, one of several hooks that decided the same,
// with a note that changing it alone has no effect. If one of the hooks cannot be changed, there is no
// remedy.
func limitRemediesByOtherHooks(r *record.Record, s *record.Step, do remedyList, note []string) (remedyList, []string) {
	if isUnchangeable(s) {
		return do, note
	}
	for i := range r.Plan {
		if o := &r.Plan[i]; o.Decision == s.Decision && isUnchangeable(o) {
			return remedyList{message.Do(fmt.Sprintf("not possible: %q decided the same, and you cannot change that hook", o.Hook))}, nil
		}
	}
	return do, append(note, "other hooks decided the same: changing only one does not change the outcome")
}

// isUnchangeable reports whether the user cannot change what s decided.
func isUnchangeable(s *record.Step) bool {
	return s.Outcome != "fault" && (s.Final != "" || s.Scope == checkrein.ScopeManaged.String())
}

// enforceChanges returns how to enforce a decision that was only recorded. The result is empty if it
// was enforced.
func enforceChanges(r *record.Record, now *currentState) []change {
	if !r.Shadow {
		return []change{}
	}
	c := change{Why: "the decision was recorded, but not enforced"}
	tried := slices.IndexFunc(r.Plan, func(s record.Step) bool { return s.Shadow && s.Decision == r.Decision })
	switch {
	case tried >= 0:
		s := &r.Plan[tried]
		c.Remedies = remedyList{message.RunYourself(approval.CommandWith("checkrein shadow enforce", s.Decider()), "")}
		if s.Scope == checkrein.ScopeManaged.String() {
			c.Remedies = remedyList{message.Do("ask your administrator: " + s.Origin + " sets the hook " + s.Hook + " to shadow mode (mode: shadow)")}
		}
	case now.paused != nil:
		c.Remedies = remedyList{message.Run("checkrein pause off", "")}
	case now.shadow != "" && now.shadowFile != "":
		c.Remedies = remedyList{message.Do("edit " + now.shadowFile + ": remove the line shadow:")}
	case now.shadow != "":
		c.Remedies = remedyList{message.Do("remove the line shadow: from your checkrein.yaml")}
	default:
		c.Remedies = remedyList{message.Do("nothing to do: shadow mode or the pause has ended, and decisions are enforced again")}
	}
	return []change{c}
}

// grantChange returns the command that lets this call pass, or why a grant is not possible any more.
// It reports false if grants do not apply.
func grantChange(r *record.Record, now *currentState) (change, bool) {
	switch {
	case r.Shadow || record.ParseDecision(r.Decision) < checkrein.Ask || whyFinal(r) != "" || !now.own || r.Handle == "":
		return change{}, false
	case now.grantFor(r.Handle) != nil:
		g := now.grantFor(r.Handle)
		return change{Why: "the call has been allowed since then, for " + GrantScope(g), Remedies: remedyList{message.Run("checkrein allow --revoke "+g.ID, "")}}, true
	case !now.canAllow():
		return change{Why: fmt.Sprintf("a grant would let this pass, but the handle %s is older than a day", r.Handle),
			Remedies: remedyList{message.Do("let the agent try again: the new block names a new handle")}}, true
	}
	flag, where := widestScope(now.block)
	c := change{Why: "a grant allows only this, " + where + ", until you revoke it", Remedies: remedyList{message.Run(now.block.AllowCommand(flag), "")}}
	if len(now.block.Deeds) == 0 {
		c.Note = []string{"the grant covers exactly this call, word for word"}
	}
	return c, true
}

// endGrantChange returns how to end the grants that lifted the decision of s.
func endGrantChange(s *record.Step, now *currentState) change {
	c := change{Hook: s.Hook, Why: "would have " + decidedText(s.Lifted.Decision) + "; grant " + s.Lifted.Grant + " lifted that"}
	for _, id := range strings.Split(s.Lifted.Grant, ",") {
		switch {
		case !isGrantID(id) && strings.HasPrefix(id, config.ManagedDir()):
			c.Remedies = append(c.Remedies, message.Do("ask your administrator: the grant is in a managed file ("+id+")"))
		case !isGrantID(id):
			c.Remedies = append(c.Remedies, message.Do("edit "+id+": remove the grant"))
		case now.isInForce(id):
			c.Remedies = append(c.Remedies, message.Run("checkrein allow --revoke "+id, ""))
		default:
			c.Remedies = append(c.Remedies, message.Do("nothing to do: grant "+id+" has ended, so it does not apply to the next call like this"))
		}
	}
	return c
}

// stepEffects returns what the hook of s contributed to the verdict, in words, or "" if it contributed
// nothing.
func stepEffects(r *record.Record, s *record.Step, merged string) string {
	var out []string
	if record.Decides(s.Decision) && s.Decision == merged {
		out = append(out, "decided "+s.Decision)
	}
	effects := slices.DeleteFunc(otherEffects(s), func(e string) bool {
		return !slices.Contains(r.Effects, e) ||
			slices.ContainsFunc(r.Dropped, func(d record.Dropped) bool { return d.Hook == s.Hook && d.Effect == e })
	})
	if len(effects) > 0 {
		out = append(out, effectWords(s, effects))
	}
	return strings.Join(out, ", and ")
}

// StepFile returns the place in a file that declares the hook of s, or "" if no file does.
func StepFile(s *record.Step) string {
	if s.Origin == s.Scope {
		return ""
	}
	return s.Origin
}

// AskAdministrator is the remedy for a managed hook.
const AskAdministrator = "ask your administrator: the hook is managed, and your files cannot switch it off"

// editRemedies returns how to change or remove the hook of s for all calls that it handles, with notes
// about side effects.
func editRemedies(r *record.Record, s *record.Step, now *currentState) (do remedyList, note []string) {
	switch file := StepFile(s); {
	case s.Scope == checkrein.ScopeManaged.String():
		return remedyList{message.Do(AskAdministrator + fileSuffix(s))}, nil
	case s.Scope == checkrein.ScopeFlag.String():
		return remedyList{message.Do("remove it from the command line that started the agent")}, nil
	case s.Final != "":
		return remedyList{message.Do("not possible: it is checkrein's " + finalText(s.Final))}, nil
	case file != "" && s.Scope == checkrein.ScopeProject.String():
		return remedyList{message.Run(approval.RemedyCommand("revoke", s.Hook), inProjectDir(r))}, []string{"or edit " + file + "; the hook must then be approved again"}
	case file != "" && s.Type == "rule" && record.Decides(s.Decision):
		return remedyList{message.Do("edit " + file + ": write decision: none")}, []string{"the rule then decides nothing. To exempt only some calls, narrow its if: instead"}
	case file != "" && s.Type == "judge":
		return remedyList{message.Do("edit " + file + ": remove judge:, or state in its prompt what is allowed")}, nil
	case file != "":
		return remedyList{message.Do("edit " + file + ": remove the hook")}, nil
	case s.Type == "builtin" && s.Hook == secretguard.GuardSecrets:
		return append(valueCommands(s, now), message.Run("checkrein packs "+packset.Secrets, "to see how to switch the pack off")),
			[]string{"redaction is harmless: the file keeps its secret, and the model can work with the marker"}
	case s.Type == "builtin" && s.PackFrom != "":
		return remedyList{message.Do(fmt.Sprintf("edit %s: remove %s from the entry for %s under packs:", s.PackFrom, s.PackKey, s.Pack))},
			[]string{"a project's file makes this pack stricter, and your own files cannot override that"}
	case s.Type == "builtin" && s.Pack != "":
		return remedyList{message.Run(approval.CommandWith("checkrein packs", cmp.Or(s.Rule, s.Pack)), "to see the line that changes it, for all such calls")}, nil
	case s.Type == "builtin":
		return remedyList{message.Do("no setting changes this: the hook is always on, and only a grant can lift its block of a call")}, nil
	}
	return remedyList{message.Do("change the calling program: it supplies the hook, which is not in a file")}, nil
}

// fileSuffix returns the file that declares the hook of s, in parentheses after a space, or "" if no
// file does.
func fileSuffix(s *record.Step) string {
	if file := StepFile(s); file != "" {
		return " (" + file + ")"
	}
	return ""
}

// inProjectDir returns "in DIR", where DIR is the project of r, to follow a command that must be run
// there. It returns "" if the project is unknown.
func inProjectDir(r *record.Record) string {
	dir := r.Root
	if dir == "" {
		dir = r.Dir
	}
	if dir == "" {
		return ""
	}
	return "in " + dir
}

// faultRemedies returns how to repair the hook of s, which could not answer.
func faultRemedies(s *record.Step) remedyList {
	if s.Scope == checkrein.ScopeManaged.String() {
		return remedyList{message.Do(AskAdministrator + fileSuffix(s))}
	}
	where := StepFile(s)
	if where == "" {
		where = "the place where it is defined"
	}
	switch {
	case strings.Contains(s.Fault, "changed since it was approved"):
		return remedyList{message.Do("check what changed in " + where), message.Run(approval.RemedyCommand("approve", s.Hook), "")}
	case strings.Contains(s.Fault, "timed out"):
		return remedyList{message.Do("make it faster, or give it a longer timeout: edit " + where)}
	}
	return remedyList{message.Do("fix it: edit " + where), message.Run("checkrein validate", "to see what else is wrong"), message.Run("checkrein eval --explain < event.json", "to try it")}
}

// approveRemedies returns how to review and approve the hook of s.
func approveRemedies(r *record.Record, s *record.Step) remedyList {
	out := remedyList{message.Run(approval.RemedyCommand("approve", s.Hook), inProjectDir(r))}
	if file := StepFile(s); file != "" {
		out = append(remedyList{message.Do("read it first: " + file)}, out...)
	}
	return out
}

// switchOnRemedies returns how to switch the hook of s on.
func switchOnRemedies(s *record.Step) remedyList {
	if s.Skipped == "hooks are switched off" || strings.HasPrefix(s.Skipped, "switched off by ") {
		return remedyList{message.Run("checkrein hooks on", "")}
	}
	return remedyList{message.Do("edit " + s.Origin)}
}

// addHookRemedies returns how to add a hook on the event of r.
func addHookRemedies(r *record.Record) remedyList {
	event := r.Event
	if event == checkrein.Other.String() && r.Native != "" {
		event = "native:" + r.Native
	}
	return remedyList{
		message.Run("checkrein init", strings.TrimSuffix("if the project has no checkrein.yaml, to write a commented one, "+inProjectDir(r), ", ")),
		message.Run("checkrein init --user", "if you have none of your own, for every project"),
		message.Do("in either file, add a hook under hooks: " + event + ":"),
	}
}

// GrantScope returns in words where and for how long g applies.
func GrantScope(g *grant.Grant) string {
	switch g.Scope {
	case grant.Once:
		if g.Session != "" {
			return "one call of this session of " + g.Host + ", within a day"
		}
		return "one call in " + g.Root + ", within a day"
	case grant.Session:
		return "this session of " + g.Host
	case grant.For:
		return "calls in " + g.Root + " until " + g.Until.Local().Format(time.DateTime)
	case grant.Project:
		return "calls in " + g.Root + ", until you revoke it"
	}
	return "all projects, until you revoke it"
}

// RedactionText returns the rule that redacted v, the lines in which it was and, if more than once,
// how often.
func RedactionText(v *record.Redacted) string {
	text := v.Rule
	switch {
	case v.Lines == "":
	case strings.Contains(v.Lines, ","):
		text += ", lines " + strings.ReplaceAll(v.Lines, ",", ", ") + " of the output"
	default:
		text += ", line " + v.Lines + " of the output"
	}
	if v.Count > 1 {
		text += fmt.Sprintf(", %d times", v.Count)
	}
	return text
}

// valueCommands returns the commands that allow each value that s redacted, or that revoke the grant
// for it.
func valueCommands(s *record.Step, now *currentState) remedyList {
	var out remedyList
	for i := range s.Redacted {
		v := &s.Redacted[i]
		do := "checkrein allow " + v.ID
		if g := now.grantFor(v.ID); g != nil {
			do = "checkrein allow --revoke " + g.ID
		}
		out = append(out, message.Run(do, "for "+RedactionText(v)))
	}
	return out
}
