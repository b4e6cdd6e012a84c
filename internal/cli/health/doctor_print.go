package health

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/cli/hooks"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/kit"
)

// announce says what will be run, before it is: each hook once, with all its events.
func announce(env *console.Env, hooks []*checkrein.Hook) {
	var names []string
	events := map[string][]string{}
	shows := map[string]string{}
	own := map[string]bool{}
	for _, h := range hooks {
		if h.Run == "builtin" || h.Run == "rule" { // which run nothing of others
			own[h.Label()+"\x00"+kit.Shows(h)] = true
			continue
		}
		key := h.Label() + "\x00" + h.From.File + "\x00" + kit.Shows(h)
		if !slices.Contains(names, key) {
			names = append(names, key)
			shows[key], _, _ = strings.Cut(kit.Shows(h), "\n")
		}
		events[key] = append(events[key], approval.EventOf(h))
	}
	if len(names) == 0 {
		return
	}
	s := base.Screen(env, env.Stderr)
	beside := ""
	switch n := len(own); {
	case n == 1:
		beside = ", and 1 that starts no program"
	case n > 1:
		beside = ", and " + strconv.Itoa(n) + " that start no program"
	}
	s.Text(0, 2, term.P("running these hooks now"+beside+" (--no-run only inspects them):"))
	t := &term.Table{Columns: []term.Column{{Give: 2, Least: 12}, {Give: 1, Least: 16}, {Give: 3, Least: 16}}}
	for _, key := range names {
		name, _, _ := strings.Cut(key, "\x00")
		t.Row([]term.Span{term.P(strings.Join(events[key], ", "))}, []term.Span{term.T(term.Name, name)}, []term.Span{term.P(s.Home(shows[key]))})
	}
	s.Table(2, t)
}

// printDoctor prints a report and makes an exit code of it.
func printDoctor(env *console.Env, r *doctor.Report, f *doctorFlags) error {
	r.Sort()
	failures, warnings := r.Count()
	err := doctorReport(env, r, f.verbose).Print(env, f.json, struct {
		Version  int    `json:"version"` // of this form
		Build    string `json:"build"`
		Verdict  string `json:"verdict"`
		Errors   int    `json:"errors"`
		Warnings int    `json:"warnings"`
		*doctor.Report
	}{2, build.Version, r.Verdict(), failures, warnings, r})
	return base.Found(err, failures > 0 || r.Interrupted, "doctor: "+r.Verdict())
}

// doctorReport returns what was run, what was found with the worst first, and the verdict.
func doctorReport(env *console.Env, r *doctor.Report, verbose bool) *report.Report {
	s := report.New(env)
	addRuns(s, r.Ran, verbose)
	for _, group := range grouped(r.Findings) {
		addFinding(s, group)
	}
	mark := term.Good
	if failures, warnings := r.Count(); failures > 0 || r.Interrupted {
		mark = term.Bad
	} else if warnings > 0 {
		mark = term.Warn
	}
	s.Line(term.Mark(mark), term.T(term.Strong, " doctor: "+r.Verdict()))
	return s
}

// slowestText says how long the hooks took, for a person who looks at the slowest.
func slowestText(hooks int, slowest *doctor.Ran) string {
	if hooks == 1 {
		return " in " + took(slowest.Took)
	}
	return fmt.Sprintf("; the slowest, %q, took %s", slowest.Hook, took(slowest.Took))
}

// addRuns adds which hooks were run: how many, or each of them.
func addRuns(s *report.Report, runs []doctor.Ran, verbose bool) {
	if len(runs) == 0 {
		return
	}
	slowest := slices.MaxFunc(runs, func(a, b doctor.Ran) int { return cmp.Compare(a.Took, b.Took) })
	if !verbose {
		hooks := map[string]bool{} // one may run on several events
		for i := range runs {
			hooks[runs[i].Hook+"\x00"+runs[i].Shows] = true
		}
		s.Text(0, 2, term.Mark(term.Plain), term.P(" ran "+term.Count(len(hooks), "hook")+slowestText(len(hooks), &slowest)), term.T(term.Faint, " (-v lists them)"))
		return
	}
	t := &term.Table{Columns: []term.Column{{Title: "RAN", Give: 1, Least: 20}, {Title: "ON", Give: 2, Least: 12}, {Title: "SAID", Give: 3, Least: 8}, {Title: "TOOK", Right: true}}}
	for i := range runs {
		ran := &runs[i]
		t.Row([]term.Span{term.T(term.Name, ran.Hook)}, []term.Span{term.P(ran.Event)}, []term.Span{term.P(ran.Said)}, []term.Span{term.P(took(ran.Took))})
		if ran.Aside {
			t.Below(term.T(term.Faint, "its condition does not match doctor's harmless calls"))
		}
	}
	s.Table(0, t)
	s.Blank()
}

func took(d time.Duration) string {
	if d < time.Millisecond {
		return d.Round(time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// grouped puts findings together that differ in their event alone: a hook that is on
// six of them is one thing to repair.
func grouped(list []doctor.Finding) [][]doctor.Finding {
	var out [][]doctor.Finding
	for _, f := range list {
		i := slices.IndexFunc(out, func(g []doctor.Finding) bool {
			same := g[0]
			if hooks.WithoutLine(same.Origin) != hooks.WithoutLine(f.Origin) {
				return false
			}
			same.Event, same.Origin = f.Event, f.Origin
			return f.Hook != "" && reflect.DeepEqual(same, f)
		})
		if i < 0 {
			out = append(out, []doctor.Finding{f})
			continue
		}
		out[i] = append(out[i], f)
	}
	return out
}

// marks show how bad a finding is.
var marks = map[doctor.Level]term.Style{doctor.Error: term.Bad, doctor.Warn: term.Warn}

func addFinding(s *report.Report, group []doctor.Finding) {
	f := &group[0]
	var events []string
	for i := range group {
		if e := group[i].Event; e != "" {
			events = append(events, e)
		}
	}
	where := strings.TrimSpace(strings.Join(events, ", ") + " " + f.Hook)
	if f.Origin != "" {
		where = strings.TrimSpace(where + " (" + s.Path(f.Origin) + ")")
	}
	m := f.Message
	if where != "" {
		m.What = where + ": " + m.What
	}
	s.Message(marks[f.Level], f.Check, m)
}
