package health

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/line"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/cli/hooks"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// announceRuns prints to standard error which hooks are about to run programs.
func announceRuns(env *console.Env, hooks []*checkrein.Hook) {
	t := &term.Table{Columns: []term.Column{{Give: 2, Least: 12}, {Give: 1, Least: 16}, {Give: 3, Least: 16}}}
	s := base.Screen(env, env.Stderr)
	programs := 0
	for _, h := range hooks {
		if h.Run != "builtin" && h.Run != "rule" { // these run no programs
			programs++
			shows, _, _ := strings.Cut(approval.RunText(h), "\n")
			t.AddRow([]term.Span{term.P(approval.EventName(h))}, []term.Span{term.T(term.Name, h.Label())}, []term.Span{term.P(s.ShortenPaths(shows))})
		}
	}
	if programs > 0 {
		s.Text(0, 2, term.P("running these hooks now (--no-run only inspects them):"))
		s.Table(2, t)
	}
}

// printDoctor prints the report, as JSON if f asks for that, and returns the error that sets the exit
// code.
func printDoctor(env *console.Env, r *doctor.Report, f *doctorFlags) error {
	r.Sort()
	failures, warnings := r.Count()
	err := doctorReport(env, r).Print(env, f.json, struct {
		Version  int    `json:"version"` // of this format
		Build    string `json:"build"`
		Verdict  string `json:"verdict"`
		Errors   int    `json:"errors"`
		Warnings int    `json:"warnings"`
		*doctor.Report
	}{2, build.Version, r.Verdict(), failures, warnings, r})
	return base.OrFinding(err, failures > 0 || r.Interrupted, "doctor: "+r.Verdict())
}

// doctorReport returns the screen for r: the number of hooks that were run, the findings, worst first,
// and the verdict.
func doctorReport(env *console.Env, r *doctor.Report) *report.Report {
	s := report.New(env)
	addRuns(s, r.Ran)
	for _, group := range groupFindings(r.Findings) {
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

// addRuns adds a line with the number of hooks that were run, if any.
func addRuns(s *report.Report, runs []doctor.Run) {
	hooks := map[string]bool{} // a hook may run on several events
	for i := range runs {
		hooks[runs[i].Hook+"\x00"+runs[i].Shows] = true
	}
	if len(hooks) > 0 {
		s.Text(0, 2, term.Mark(term.Plain), term.P(" ran "+term.FormatCount(len(hooks), "hook")))
	}
}

// groupFindings groups findings about a hook that differ only in their event, since a broken hook on
// six events is one thing to repair.
func groupFindings(list []doctor.Finding) [][]doctor.Finding {
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

// levelStyles has the style of a finding's mark for each level.
var levelStyles = map[doctor.Level]term.Style{doctor.Error: term.Bad, doctor.Warn: term.Warn}

// addFinding adds a group of findings that differ only in their event as one message that names all
// events.
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
		where = strings.TrimSpace(where + " (" + s.ShortPath(f.Origin) + ")")
	}
	m := f.Message
	if where != "" {
		m.What = where + ": " + m.What
	}
	s.AddMessage(levelStyles[f.Level], f.Check, m)
}

// versionTimeout is how long a program may take to print its version.
const versionTimeout = 10 * time.Second

// compareVersions compares the version of this program with that of the checkrein beside it, and
// checks which checkrein is first in PATH.
func compareVersions(ctx context.Context, env *console.Env, r *doctor.Report) {
	front := doctor.Program{Path: base.HotProgram(env)}
	if front.Path == "" {
		return
	}
	name := filepath.Base(front.Path)
	front.Build, front.Err = runVersion(ctx, env, front.Path)
	inPath := ""
	for _, dir := range filepath.SplitList(base.Getenv(env)("PATH")) {
		found := filepath.Join(dir, name)
		info, err := os.Stat(found)
		if err != nil || info.IsDir() || !filepath.IsAbs(dir) {
			continue
		}
		if own, err := os.Stat(front.Path); err == nil && os.SameFile(own, info) {
			found = front.Path
		}
		inPath = found
		break
	}
	r.AddVersions(build.Version, front, inPath)
	if install.SystemDir() != "" {
		r.AddWritable(userdirs.WritablePath(front.Path), message.Run(base.SudoLine(env, false), ""))
	}
}

// examineModels checks the program that calls models, lists the hooks and agents that need it, and
// reports environment variables that it ignores.
func examineModels(ctx context.Context, env *console.Env, f *doctorFlags, r *doctor.Report) {
	front := base.HotProgram(env)
	k, err := base.OpenKit(env, app.Options{Files: f.files, FilesByPlace: true, ReadOnly: true})
	if front == "" || err != nil {
		return // reported elsewhere
	}
	uses := k.ModelUses()
	r.AddIgnoredVariables(model.RedirectingVars(base.Getenv(env)), uses)
	for _, file := range f.files {
		uses = append(uses, agentModels(env.Path(file))...)
	}
	p := doctor.Program{Path: filepath.Join(filepath.Dir(front), line.Program+filepath.Ext(front))}
	p.Build, p.Err = runVersion(ctx, env, p.Path)
	r.AddModels(build.Version, p, uses)
}

// agentModels returns the models that the agents in file use, except scripted ones. It returns nil if
// file declares no agents.
func agentModels(file string) []app.ModelUse {
	t, err := team.Load(file)
	if err != nil {
		return nil
	}
	var out []app.ModelUse
	for i := range t.Models {
		if m := &t.Models[i]; m.Provider != "scripted" {
			out = append(out, app.ModelUse{Who: "an agent", Model: m.Provider + "/" + m.Model, From: file})
		}
	}
	return out
}

// runVersion runs the program at path with the argument version and returns the version that it
// prints, as in "checkrein VERSION (…)".
func runVersion(ctx context.Context, env *console.Env, path string) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "", errors.New("is missing")
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	res, err := process.Run(ctx, process.Spec{Argv: []string{path, "version"}, Env: env.Environ})
	words := strings.Fields(string(res.Stdout))
	switch {
	case err != nil:
		return "", err
	case res.Exit != 0 || len(words) < 2 || !strings.HasPrefix(words[0], "checkrein"):
		return "", fmt.Errorf("does not print its version (exit code %d)", res.Exit)
	}
	return words[1], nil
}

// pluginMistakes returns the mistakes in hosts' plugins other than checkrein's own.
func pluginMistakes(env *console.Env) []doctor.PluginMistake {
	var out []doctor.PluginMistake
	at := &install.Machine{Home: environ.Home(env.Environ), Getenv: base.Getenv(env)}
	for _, s := range setups.Installs() {
		if s.Mistakes == nil {
			continue
		}
		of, _ := host.Find(s.Name)
		for _, m := range s.Mistakes(at) {
			out = append(out, doctor.PluginMistake{Host: of.Title, File: m.File, Line: m.Line, Async: m.Async, What: m.What})
		}
	}
	return out
}
