// Package guardtest judges commands with the default guard, in this process, as the hook does on a
// machine where nothing is configured.
package guardtest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/lab/corpora"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/gitconfig"
	"github.com/checkrein/checkrein/internal/sys/wrap"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// A Guard judges commands in the project of a place. It records nothing.
type Guard struct {
	corpora.Place
	kit *app.Kit
}

// Open returns a guard with the configuration of the place p.
func Open(p corpora.Place) (*Guard, error) {
	state := filepath.Join(p.Home, ".local", "state", "checkrein")
	if err := os.MkdirAll(state, 0o700); err != nil { // it is protected only if it exists
		return nil, err
	}
	k, err := app.Open(app.Options{Dir: p.Project, State: state, Managed: app.NoManaged, Environ: p.Environ(), ReadOnly: true})
	return &Guard{p, k}, err
}

// InstallWalls makes the guard decide as where walls are installed and hold.
func (g *Guard) InstallWalls() error {
	file := filepath.Join(g.Home, ".local", "state", "checkrein", filepath.FromSlash(wrap.HostFile("claude")))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, nil, 0o600)
}

// New returns a guard of a new place where nothing is configured.
func New(t testing.TB) *Guard {
	t.Helper()
	p, err := corpora.BuildPlace(Home(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range named {
		path := filepath.Join(p.Project, name)
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			path = filepath.Join(p.Home, rest)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("a"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	g, err := Open(p)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// named lists files that commands of the corpora lose. What does not exist cannot be lost, so such
// commands would pass without a save.
var named = [...]string{
	"a.db", "app.db", "x.db", "data/shop.sqlite3", "terraform.tfstate", "analytics.db", "data/app.db", "data/app.sqlite3", "data/production.db",
	"src/main.go", "config/settings.yml", "lib/a.go", "lib/a.md", "lib/a.log", "lib/a.cs", "../wt/a", "../feature/a", "~/.bash_history",
	"~/Documents/a.db", "~/Documents/a.jpg", "~/Documents/a.png", "~/Documents/a.yml", "~/app.db",
}

// Home returns a directory for a place and removes it after the test.
func Home(t testing.TB) string {
	t.Helper()
	dir, err := corpora.MakeHome()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { built.RemoveWhenIdle(dir) })
	return dir
}

// Decide returns the verdict about a shell command; dialect is "powershell" or "".
func (g *Guard) Decide(dialect, command string) checkrein.Verdict {
	tool := "Bash"
	if dialect == "powershell" {
		tool = "PowerShell"
	}
	input, _ := json.Marshal(map[string]any{"command": command}) // of strings
	return g.DecideCall(tool, input)
}

// DecideCall returns the verdict about a call of a tool with the JSON object input as its arguments.
func (g *Guard) DecideCall(tool string, input []byte) checkrein.Verdict {
	return g.decide(tool, input).Verdict
}

// DecideAndKeep is Decide for a process that decides many events, which keeps judgements.
func (g *Guard) DecideAndKeep(command string) checkrein.Verdict {
	input, _ := json.Marshal(map[string]any{"command": command}) // of strings
	out := g.decide("Bash", input)
	study.Keep(&out.Event)
	return out.Verdict
}

func (g *Guard) decide(tool string, input []byte) engine.Outcome {
	return g.kit.Decide(context.Background(), checkrein.Event{
		Kind: checkrein.PreToolUse, Host: "claude", Session: checkrein.Session{Dir: g.Project, Root: g.Project},
		Tool: &checkrein.Tool{Name: tool, Input: input},
	})
}

// Stops reports whether a command with the decision d does not run without the user's consent.
func Stops(d checkrein.Decision) bool { return d == checkrein.Ask || d == checkrein.Deny }

// Passes reports whether a command with the decision d runs without a question.
func Passes(d checkrein.Decision) bool { return !Stops(d) }

// Loses reports whether a command with the verdict v runs without a question, and without a save of
// what it loses.
func Loses(v *checkrein.Verdict) bool {
	return Passes(v.Decision) && !slices.ContainsFunc(v.Obligations, func(o checkrein.Obligation) bool { return o.Kind == "save" })
}

// Label returns the label that package classify gives a command.
func (g *Guard) Label(command string) shell.Label {
	repo := func(dir string) *shell.Repo { return gitconfig.Read(dir, g.Home, g.Environ()) }
	return classify.Command(command, shell.Place{Dir: g.Project, Root: g.Project, Home: g.Home, Repo: repo, Kind: pathKind}).Label
}

// pathKind returns the kind of the file at path, or NoPath if there is none.
func pathKind(path string) shell.PathKind {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return shell.NoPath
	case info.IsDir():
		return shell.PathDir
	}
	return shell.PathFile
}

// Rows returns the values in a file that has one JSON value per line.
func Rows[T any](t testing.TB, file string) []T {
	t.Helper()
	rows, err := corpora.ReadLines[T](file)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Each calls f for each element of list, in four goroutines.
func Each[T any](list []T, f func(i int, row *T)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range 4 {
		wg.Go(func() {
			for i := range next {
				f(i, &list[i])
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wg.Wait()
}
