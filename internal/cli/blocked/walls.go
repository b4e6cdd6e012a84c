package blocked

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/wrap"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// A wallsView is the JSON output of the walls command.
type wallsView struct {
	Hosts    []string     `json:"hosts"` // those that start commands through the wrapper
	Rules    []walls.Rule `json:"rules"`
	Messages any          `json:"messages"`
}

// WallsCommand returns the walls command.
func WallsCommand(env *console.Env) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use: "walls", Short: "Show what contained commands may do",
		Long: `walls shows which agents start their commands through checkrein-shell, and what a command may do that
checkrein contains because it works on the project or is not understood: which files it may change, which it may not
read, and which environment variables it does not get.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return showWalls(env, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// showWalls prints where walls are installed, and the profile.
func showWalls(env *console.Env, asJSON bool) error {
	dir, err := base.StateDir(env)
	if err != nil {
		return err
	}
	v := wallsView{Hosts: []string{}, Rules: walls.Rules()}
	out := report.New(env)
	out.BeginSection("")
	for _, w := range hosts.Wrappers {
		if h, ok := host.Find(w.Host); ok && dir.Has(wrap.HostFile(w.Host)) {
			v.Hosts = append(v.Hosts, w.Host)
			out.AddMessage(term.Good, "", message.New(h.Title+" starts commands through checkrein-shell: those that work on the project, or that checkrein does not understand, are contained"))
		}
	}
	if len(v.Hosts) == 0 {
		out.AddMessage(term.Plain, "", message.New("No agent starts its commands through checkrein-shell, so nothing is contained", message.Run("checkrein install "+hosts.Wrappers[0].Host+" --walls", "")))
	}
	for _, s := range [...]struct{ title, verbs string }{
		{"A contained command may change the project and", "write temp device"},
		{"It may not change, in these directories,", "keep"},
		{"It may read everything but", "hide"},
		{"It may change these files of the project, but they are put back", "restore"},
		{"If it changes these files, checkrein reports it to you", "tell"},
		{"It does not get variables with the names of secrets, nor", "drop"},
	} {
		out.BeginSection(s.title)
		t := &term.Table{Columns: []term.Column{{Least: 10}, {Give: 1, Least: 10}}}
		for _, r := range v.Rules {
			if slices.Contains(strings.Fields(s.verbs), r.Verb) {
				t.AddRow([]term.Span{term.P(r.What)}, []term.Span{term.T(term.Faint, r.Why)})
			}
		}
		out.Table(2, t)
	}
	v.Messages = out.Messages
	return out.Print(env, asJSON, v)
}
