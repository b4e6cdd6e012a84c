package desk

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/build"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/doctor"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/kit"
)

// announce says what will be run, before it is.
func announce(env *console.Env, hooks []*checkrein.Hook) {
	said := false
	for _, h := range hooks {
		if h.Run != "builtin" && h.Run != "rule" { // which are our own
			if !said {
				fmt.Fprintln(env.Stderr, "these hooks run now (--no-run only looks at them):")
				said = true
			}
			fmt.Fprintf(env.Stderr, "  %s  %s  %s\n", trust.VisibleLine(trust.EventOf(h)), trust.VisibleLine(h.Label()), short(kit.Shows(h)))
		}
	}
}

// printDoctor prints a report and makes an exit code of it.
func printDoctor(env *console.Env, r *doctor.Report, asJSON bool) error {
	r.Sort()
	failures, warnings := r.Count()
	if asJSON {
		err := printJSON(env, struct {
			Version  int    `json:"version"` // of this form
			Build    string `json:"build"`
			Verdict  string `json:"verdict"`
			Errors   int    `json:"errors"`
			Warnings int    `json:"warnings"`
			*doctor.Report
		}{1, build.Version, r.Verdict(), failures, warnings, r})
		if err != nil {
			return err
		}
	} else {
		printRuns(env.Stdout, r)
		for i := range r.Findings {
			printFinding(env.Stdout, &r.Findings[i])
		}
		fmt.Fprintln(env.Stdout, "doctor:", r.Verdict())
	}
	if failures > 0 || r.Interrupted {
		return &exit{code: console.Finding, err: errors.New("doctor: " + r.Verdict()), quiet: true}
	}
	return nil
}

func printRuns(w io.Writer, r *doctor.Report) {
	for _, ran := range r.Ran {
		fmt.Fprintf(w, "ran    %s  %s  %s  %s\n", trust.VisibleLine(ran.Event), trust.VisibleLine(ran.Hook), ran.Said, took(ran.Took))
	}
}

func took(d time.Duration) string {
	if d < time.Millisecond {
		return d.Round(time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

func printFinding(w io.Writer, f *doctor.Finding) {
	var about []string
	for _, s := range []string{f.Event, f.Hook} {
		if s != "" {
			about = append(about, trust.VisibleLine(s))
		}
	}
	where := strings.Join(about, " ")
	if f.Origin != "" {
		where = strings.TrimSpace(where + " (" + trust.VisibleLine(f.Origin) + ")")
	}
	if where != "" {
		where += ": "
	}
	fmt.Fprintf(w, "%-6s %s: %s%s\n", f.Level, f.Check, where, trust.VisibleLine(f.What))
	if f.Remedy != "" {
		fmt.Fprintf(w, "       remedy: %s\n", trust.VisibleLine(f.Remedy))
	}
}
