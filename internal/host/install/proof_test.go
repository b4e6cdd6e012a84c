package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// machineWithAgent returns a machine that has an agent in its PATH.
func machineWithAgent(t *testing.T) (m *install.Machine, agent string) {
	t.Helper()
	dir := t.TempDir()
	agent = filepath.Join(dir, "bin", install.Exe("claude"))
	if err := os.Mkdir(filepath.Dir(agent), 0o755); err != nil {
		t.Fatal(err)
	}
	replaceAgent(t, agent, "2.1.197")
	at := state.NewDir(filepath.Join(dir, "state"))
	return &install.Machine{
		Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"), Hosts: host.Table(), Specs: setups.Installs(), State: at, Now: time.Now,
		Caps: capability.Book{Dir: at, Secret: func(bool) (*state.Secret, error) { return &state.Secret{1}, nil }},
		Getenv: func(name string) string {
			if name == "PATH" {
				return filepath.Dir(agent)
			}
			return ""
		},
	}, agent
}

// replaceAgent replaces the agent with another build.
func replaceAgent(t *testing.T, agent, version string) {
	t.Helper()
	for path, text := range map[string]string{agent: "the agent " + version, filepath.Join(filepath.Dir(agent), "package.json"): `{"name":"agent","version":"` + version + `"}`} {
		if err := built.WriteScript(path, text); err != nil {
			t.Fatal(err)
		}
	}
}

func prove(t *testing.T, m *install.Machine, agent string, rows map[capability.Row]capability.Result) {
	t.Helper()
	p, err := capability.HashProgram(agent)
	if err != nil {
		t.Fatal(err)
	}
	b := capability.Build{Version: p.Version, Program: p, Mode: "headless", Proven: time.Date(2026, 11, 17, 5, 0, 0, 0, time.UTC), Checkrein: "v1", Rows: rows}
	if err := m.Caps.Change("claude", func(l *capability.Ledger) { l.AddProof(b) }); err != nil {
		t.Fatal(err)
	}
}

func proofOf(t *testing.T, m *install.Machine) (install.Proof, bool) {
	t.Helper()
	r, err := m.Status("claude")
	if err != nil {
		t.Fatal(err)
	}
	return r.Proven, r.Works()
}

func TestProofOfTheInstalledBuild(t *testing.T) {
	t.Parallel()
	m, agent := machineWithAgent(t)
	if p, _ := proofOf(t, m); p.State != install.No || p.Why != "not proven" || p.Stale || p.Time != nil {
		t.Errorf("never proven: %+v", p)
	}
	if _, err := os.Stat(m.State.Path()); !os.IsNotExist(err) {
		t.Errorf("a look makes the state directory: %v", err)
	}
	prove(t, m, agent, map[capability.Row]capability.Result{capability.DenyShell: capability.Honoured, capability.Ask: capability.Cannot})
	if p, works := proofOf(t, m); p.State != install.Yes || p.Version != "2.1.197" || p.Mode != "headless" || p.Checkrein != "v1" || p.Why != "" || p.Rows[capability.Ask] != capability.Cannot || !works {
		t.Errorf("proven: %+v", p)
	}
	replaceAgent(t, agent, "2.1.3250")
	if p, works := proofOf(t, m); p.State != install.No || !p.Stale || p.Why != "proven for 2.1.197, 2.1.3250 runs now" || p.Rows != nil || !works {
		t.Errorf("updated: %+v", p)
	}
	if err := os.Remove(agent); err != nil {
		t.Fatal(err)
	}
	if p, _ := proofOf(t, m); !p.Stale || p.Why != "proven for 2.1.197, which is gone" {
		t.Errorf("gone: %+v", p)
	}
}

// TestProofOfIgnoredDenials checks that an installation does not work if the build ignores denials,
// but does if it drops context.
func TestProofOfIgnoredDenials(t *testing.T) {
	t.Parallel()
	m, agent := machineWithAgent(t)
	prove(t, m, agent, map[capability.Row]capability.Result{capability.ContextPrompt: capability.NotHonoured})
	if p, works := proofOf(t, m); len(p.Unhonoured) != 1 || p.Unhonoured[0].Gate || !works {
		t.Errorf("context: %+v, works %v", p, works)
	}
	prove(t, m, agent, map[capability.Row]capability.Result{capability.DenyShell: capability.NotHonoured, capability.ContextPrompt: capability.Honoured})
	p, works := proofOf(t, m)
	if len(p.Unhonoured) != 1 || !p.Unhonoured[0].Gate || works {
		t.Fatalf("deny: %+v, works %v", p, works)
	}
	if got := p.Unhonoured[0].Sentence("Claude Code", p.Version); got != "Claude Code 2.1.197 ran a shell command that was denied, as checkrein prove showed on 2026-11-17" {
		t.Error(got)
	}
}

// TestChangedProof checks that a file that another program changed does not count, and that the
// message names it.
func TestChangedProof(t *testing.T) {
	t.Parallel()
	m, agent := machineWithAgent(t)
	prove(t, m, agent, map[capability.Row]capability.Result{capability.DenyShell: capability.NotHonoured})
	text, err := os.ReadFile(m.Caps.Path("claude"))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.State.Write("caps/claude.json", []byte(strings.Replace(string(text), "not honoured", "honoured", 1))); err != nil {
		t.Fatal(err)
	}
	p, _ := proofOf(t, m)
	if p.State != install.No || p.Rows != nil || p.Broken == nil || !strings.Contains(p.Broken.What, m.Caps.Path("claude")) || p.Broken.Remedies[1].Command != "checkrein prove claude" {
		t.Errorf("%+v", p)
	}
	if err := m.NoteHostProgram("claude"); err == nil {
		t.Error("install writes over it")
	}
}

func TestInstallNotesTheProgram(t *testing.T) {
	t.Parallel()
	m, agent := machineWithAgent(t)
	note := func() capability.Ledger {
		t.Helper()
		if err := m.NoteHostProgram("claude"); err != nil {
			t.Fatal(err)
		}
		l, err := m.Caps.Load("claude")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := note(); l.Program.Path != agent || l.Program.Size == 0 || l.Program.MTime.IsZero() || l.Program.Version != "2.1.197" || len(l.Builds) != 0 {
		t.Errorf("%+v", l)
	}
	if p, _ := proofOf(t, m); p.State != install.No || p.Why != "not proven" || p.Stale {
		t.Errorf("%+v", p)
	}
	prove(t, m, agent, nil)
	replaceAgent(t, agent, "2.1.198")
	if l := note(); l.Program.Version != "2.1.198" || len(l.Builds) != 1 {
		t.Errorf("after an update: %+v", l)
	}
	if err := m.NoteHostProgram("codex"); err != nil || m.Caps.HasFile("codex") {
		t.Errorf("an agent that is not here: %v", err)
	}
}
