//go:build unix

package doctor

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
)

// installMachine returns a machine with a checkrein to install, beside its companion.
func (p testMachine) installMachine() *install.Machine {
	p.write("bin/checkrein", "#!/bin/sh\n")
	p.write("bin/checkreind", "#!/bin/sh\n")
	return &install.Machine{Home: p.path("home"), Project: p.path("project"), Program: p.path("bin/checkrein"), Hosts: host.Table(), Specs: setups.Installs(),
		Getenv: func(name string) string {
			if name == "PATH" {
				return p.path("bin")
			}
			return ""
		}, Config: p.path("home/.config/checkrein"), State: state.NewDir(p.path("state")), Now: time.Now, Temporary: []string{}}
}

func statusOf(t *testing.T, m *install.Machine, name string) install.Report {
	t.Helper()
	r, err := m.Status(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func installHost(t *testing.T, m *install.Machine, name string) {
	t.Helper()
	plan, err := m.PlanInstall(name, install.Options{Scope: install.User})
	if err == nil {
		err = m.Apply(plan)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestInstalledHostFindings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, id string
		level    Level
		what     string
		spoil    func(p testMachine, settings string)
	}{
		{"healthy but for use", "host-unseen", Warn, "ever arrived", nil},
		{"the program is gone", "host-broken", Error, "does not exist", func(p testMachine, _ string) { os.Remove(p.path("bin/checkrein")) }},
		{"hooks are off", "host-disabled", Error, "disableAllHooks", func(p testMachine, s string) { p.edit(s, `{`, `{"disableAllHooks": true,`) }},
		{"the hooks are gone", "wiring-gone", Error, "checkrein's hooks are missing", func(p testMachine, _ string) { p.write("home/.claude/settings.json", `{"model": "opus"}`) }},
		{"the file is missing", "wiring-gone", Error, "the file is missing", func(p testMachine, s string) { os.Remove(s) }},
		{"the project turns hooks off", "host-disabled", Error, "disableAllHooks", func(p testMachine, _ string) { p.write("project/.claude/settings.json", `{"disableAllHooks": true}`) }},
		{"the project moves our files", "host-disabled", Error, "env.XDG_CONFIG_HOME", func(p testMachine, _ string) {
			p.write("project/.claude/settings.json", `{"env": {"XDG_CONFIG_HOME": "/tmp/x"}}`)
		}},
		{"the project brings hooks", "foreign-hooks", Warn, "Stop", func(p testMachine, _ string) {
			p.write("project/.claude/settings.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./x"}]}]}}`)
		}},
		{"a gate is gone", "gate-not-wired", Error, "PreToolUse", func(p testMachine, s string) { p.edit(s, `"PreToolUse"`, `"PreToolUsed"`) }},
		{"an event is gone", "host-drift", Warn, "not connected: Stop", func(p testMachine, s string) { p.edit(s, `"Stop"`, `"Stopped"`) }},
		{"other directories", "host-elsewhere", Warn, "calls checkrein with --config /elsewhere", func(p testMachine, s string) {
			p.edit(s, "--config "+p.path("home/.config/checkrein"), "--config /elsewhere")
		}},
		{"a gate is narrowed", "gate-not-wired", Error, "does not always call checkrein", func(p testMachine, s string) {
			text, _ := os.ReadFile(s)
			head, tail, _ := strings.Cut(string(text), `"PreToolUse"`)
			tail = strings.Replace(tail, `{`, `{"matcher": "Read",`, 1)
			if err := os.WriteFile(s, []byte(head+`"PreToolUse"`+tail), 0o600); err != nil {
				p.t.Fatal(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t, nil)
			m := p.installMachine()
			installHost(t, m, "claude")
			if tt.spoil != nil {
				tt.spoil(p, p.path("home/.claude/settings.json"))
			}
			r := NewReport()
			r.AddHosts([]install.Report{statusOf(t, m, "claude")}, host.Find)
			wantFinding(t, r, tt.id, tt.level, tt.what)
		})
	}
}

func TestProofFindings(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, nil)
	m := p.installMachine()
	installHost(t, m, "claude")
	rep := statusOf(t, m, "claude")
	at := time.Date(2026, 11, 17, 5, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		id    string
		level Level
		what  string
		proof install.Proof
	}{
		{"proof-stale", Warn, "proven for 1.0.0, 1.0.1 runs now", install.Proof{Stale: true, Why: "proven for 1.0.0, 1.0.1 runs now"}},
		{"proof-broken", Warn, "claude.json is not used", install.Proof{Broken: &message.Message{What: "claude.json is not used"}}},
		{"proof-lost", Warn, "claude.json was removed", install.Proof{Lost: &message.Message{What: "claude.json was removed"}}},
		{"not-honoured", Error, "Claude Code 1.0.0 ran what was denied", install.Proof{State: install.Yes, Version: "1.0.0", Unhonoured: []install.UnhonouredRow{{Row: "deny-shell", What: "ran what was denied", When: at, Gate: true}}}},
		{"not-honoured", Warn, "as was observed in real work on 2026-11-17", install.Proof{State: install.Yes, Unhonoured: []install.UnhonouredRow{{Row: "output-replaced", What: "showed it", When: at, Work: true}}}},
	} {
		rep.Proven = tt.proof
		r := NewReport()
		r.AddHosts([]install.Report{rep}, host.Find)
		wantFinding(t, r, tt.id, tt.level, tt.what)
	}
}

// A program that has the same size and time but other contents is found.
func TestChangedProgramIsFound(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(program, []byte("proven"), 0o755); err != nil {
		t.Fatal(err)
	}
	was, err := capability.HashProgram(program)
	if err != nil {
		t.Fatal(err)
	}
	rep := install.Report{Host: "claude", Title: "Claude Code", Proven: install.Proof{State: install.Yes, SHA256: was.SHA256}}
	r := NewReport()
	r.AddHostProgram(&rep, program, "")
	if len(r.Findings) != 0 {
		t.Errorf("the same program: %+v", r.Findings)
	}
	if err := os.WriteFile(program, []byte("pr0ven"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(program, was.MTime, was.MTime); err != nil {
		t.Fatal(err)
	}
	if now, err := capability.InspectProgram(program); err != nil || !now.SameBuild(&was) {
		t.Fatalf("%v, %v", now, err)
	}
	r.AddHostProgram(&rep, program, "everyone may write to it")
	wantFinding(t, r, "program-swapped", Error, "different content")
	wantFinding(t, r, "program-replaceable", Warn, "everyone may write to it")
}

// edit replaces from with to in a file.
func (p testMachine) edit(path, from, to string) {
	p.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), from) {
		p.t.Fatalf("%v: no %q in %s", err, from, text)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func TestHostFindings(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, map[string]string{"home/.claude/x": ""})
	m := p.installMachine()
	r := NewReport()
	r.AddHosts([]install.Report{statusOf(t, m, "claude"), statusOf(t, m, "codex")}, host.Find)
	wantFinding(t, r, "host-not-installed", Info, "checkrein install claude")
	if len(r.Findings) != 1 {
		t.Errorf("%+v", r.Findings)
	}
	installHost(t, m, "codex") // Codex runs no hooks until the user trusts them
	r = NewReport()
	r.AddHosts([]install.Report{statusOf(t, m, "codex")}, host.Find)
	wantFinding(t, r, "host-untrusted", Error, "Codex")
	rep := statusOf(t, m, "codex")
	rep.Notes = append(rep.Notes, message.New("is wired in two scopes"))
	r.AddHosts([]install.Report{rep}, host.Find)
	wantFinding(t, r, "host-note", Info, "two scopes")
	if on := InstalledHosts([]install.Report{rep, statusOf(t, m, "claude")}, host.Find); len(on) != 1 || on[0].Name != "codex" || len(on[0].Wired) == 0 {
		t.Errorf("%+v", on)
	}
}

func TestVersionFindings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		id     string
		level  Level
		front  Program
		inPath string
	}{
		{"companion-missing", Error, Program{Path: "/x/checkrein", Err: errors.New("is not there")}, ""},
		{"other-build", Error, Program{Path: "/x/checkrein", Build: "2"}, ""},
		{"other-in-path", Warn, Program{Path: "/x/checkrein", Build: "1"}, "/y/checkrein"},
	} {
		r := NewReport()
		r.AddVersions("1", tt.front, tt.inPath)
		wantFinding(t, r, tt.id, tt.level, "")
	}
	r := NewReport()
	r.AddVersions("1", Program{Path: "/x/checkrein", Build: "1"}, "/x/checkrein")
	r.AddWritable("")
	wantNone(t, r)
	r.AddWritable("/home/pat/bin", message.Run("sudo checkrein install --system", ""))
	wantFinding(t, r, "programs-writable", Info, "")
}

func TestModelFindings(t *testing.T) {
	t.Parallel()
	uses := []app.ModelUse{{Who: "the hook judge", Model: "openai/gpt-4o", From: "/p/checkrein.yaml:4"}}
	gone := Program{Path: "/x/checkrein-models", Err: errors.New("is not there")}
	r := NewReport()
	r.AddModels("1", gone, nil)
	r.AddModels("1", Program{Path: gone.Path, Build: "1"}, uses)
	wantNone(t, r)
	r.AddModels("1", gone, uses)
	wantFinding(t, r, "models-missing", Error, "the hook judge uses openai/gpt-4o, but /x/checkrein-models is not there")
	r = NewReport()
	r.AddModels("1", Program{Path: gone.Path, Build: "2"}, uses)
	wantFinding(t, r, "models-other-build", Error, `"2"`)
	r = NewReport()
	r.AddModels("1", Program{Path: gone.Path, Build: "2"}, nil)
	wantFinding(t, r, "models-other-build", Warn, `"2"`)
	r = NewReport()
	r.AddIgnoredVariables([]string{"HTTPS_PROXY"}, nil)
	r.AddIgnoredVariables(nil, uses)
	wantNone(t, r)
	r.AddIgnoredVariables([]string{"HTTPS_PROXY", "SSL_CERT_FILE"}, uses)
	wantFinding(t, r, "models-variables", Info, "HTTPS_PROXY, SSL_CERT_FILE are set, but hooks that ask a model ignore that, since a project could set it")
}

func TestPluginFindings(t *testing.T) {
	t.Parallel()
	r := NewReport()
	r.AddPlugins([]PluginMistake{{Host: "H", File: "a.ts", Line: 3, Async: true, What: "promise"}, {Host: "H", File: "b.ts", Line: 4, What: "shape"}})
	wantFinding(t, r, "plugin-async", Warn, "promise")
	wantFinding(t, r, "plugin-shape", Warn, "shape")
	if f, _ := findingOf(r, "plugin-async"); f.Origin != "a.ts:3" {
		t.Errorf("%+v", f)
	}
}

// newLedger returns a ledger with some records.
func (p testMachine) newLedger() (*ledger.Ledger, string) {
	p.t.Helper()
	l := ledger.Open(ledger.Options{Dir: state.NewDir(p.path("state")), Now: time.Now})
	for range 3 {
		if _, err := l.Append("event", []byte(`"a":"checkrein doctor"`), false); err != nil {
			p.t.Fatal(err)
		}
	}
	return l, p.path("state", ledger.Folder)
}

func TestLedgerFindings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, id string
		level    Level
		what     string
		spoil    func(p testMachine, dir, current string)
	}{
		{"an edited record", "ledger-damaged", Error, "not a record, or was changed", func(p testMachine, _, current string) { p.edit(current, "checkrein doctor", "checkrein_doctor") }},
		{"a removed record", "ledger-damaged", Error, "does not follow", func(p testMachine, _, current string) {
			text, _ := os.ReadFile(current)
			lines := strings.SplitAfter(string(text), "\n")
			_ = os.WriteFile(current, []byte(lines[0]+lines[1]+lines[3]), 0o600)
		}},
		{"a cut end", "ledger-damaged", Error, "but the ledger now ends with record", func(p testMachine, _, current string) {
			text, _ := os.ReadFile(current)
			lines := strings.SplitAfter(string(text), "\n")
			_ = os.WriteFile(current, []byte(lines[0]+lines[1]), 0o600)
		}},
		{"an invented record", "ledger-damaged", Error, "record 5 was not written by a genuine writer of this ledger", func(p testMachine, _, current string) {
			text, err := os.ReadFile(current)
			if err != nil {
				p.t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			last, err := ledger.ParseLine([]byte(lines[len(lines)-1]))
			if err != nil {
				p.t.Fatal(err)
			}
			stamp := last.Stamp
			stamp.Seq, stamp.Prev = stamp.Seq+1, last.Hash
			text, _ = ledger.AppendLine(text, &stamp, last.Members(), nil)
			_ = os.WriteFile(current, text, 0o600)
		}},
		{"the newest segment is gone", "ledger-damaged", Error, "is missing, but head says that there are records", func(p testMachine, _, current string) { _ = os.Remove(current) }},
		{"it was emptied", "ledger-damaged", Error, "is empty, but head says that there are records", func(p testMachine, _, current string) { _ = os.Truncate(current, 0) }},
		{"it is a directory", "ledger-damaged", Error, "is a directory, not a file", func(p testMachine, _, current string) { _ = errors.Join(os.Remove(current), os.Mkdir(current, 0o700)) }},
		{"it is a link to nowhere", "ledger-damaged", Error, "is a link, not a file", func(p testMachine, _, current string) {
			_ = errors.Join(os.Remove(current), os.Symlink("/nowhere/at/all", current))
		}},
		{"it is a pipe", "ledger-damaged", Error, "is a pipe, not a file", func(p testMachine, _, current string) {
			_ = errors.Join(os.Remove(current), syscall.Mkfifo(current, 0o600))
		}},
		{"it is a link to a device", "ledger-damaged", Error, "is a link, not a file", func(p testMachine, _, current string) {
			_ = errors.Join(os.Remove(current), os.Symlink("/dev/null", current))
		}},
		{"the ledger is a link to nowhere", "ledger-damaged", Error, "does not exist or cannot be opened", func(p testMachine, dir, _ string) {
			_ = errors.Join(os.RemoveAll(dir), os.Symlink("/nowhere/at/all", dir))
		}},
		{"the ledger is a file", "ledger-damaged", Error, "is not a directory", func(p testMachine, dir, _ string) {
			_ = errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600))
		}},
		{"others may write to the ledger", "ledger-not-writable", Error, "other users may write to it", func(p testMachine, dir, _ string) { _ = os.Chmod(dir, 0o777) }},
		{"others may write to the head", "ledger-not-writable", Error, "other users may write to it", func(p testMachine, dir, _ string) {
			_ = os.Chmod(filepath.Join(dir, ledger.HeadFile), 0o666)
		}},
		{"records that were lost", "ledger-damaged", Error, "records were lost: the head says", func(p testMachine, dir, current string) {
			_ = os.Truncate(current, 0)
			if _, err := ledger.Open(ledger.Options{Dir: state.NewDir(filepath.Dir(dir))}).Append("event", nil, false); err != nil {
				p.t.Fatal(err)
			}
		}},
		{"a forged head", "ledger-damaged", Error, "head", func(p testMachine, dir, _ string) { p.edit(filepath.Join(dir, ledger.HeadFile), `"seq":`, `"seq":1`) }},
		{"a call that was not recorded", "ledger-missed", Warn, "1 call was not recorded", func(p testMachine, dir, _ string) {
			if err := ledger.Open(ledger.Options{Dir: state.NewDir(filepath.Dir(dir))}).CountMissed(state.ErrBusy); err != nil {
				p.t.Fatal(err)
			}
		}},
		{"one that a record tells", "ledger-missed", Warn, "another process held the ledger's lock (1)", func(p testMachine, dir, _ string) {
			l := ledger.Open(ledger.Options{Dir: state.NewDir(filepath.Dir(dir))})
			_, err := l.Append("event", nil, false)
			if err = errors.Join(err, l.CountMissed(state.ErrBusy)); err == nil {
				_, err = l.Append("event", nil, false)
			}
			if err != nil {
				p.t.Fatal(err)
			}
		}},
		{"a count that was edited", "ledger-damaged", Error, "was changed or damaged", func(p testMachine, dir, _ string) {
			text, err := os.ReadFile(filepath.Join(dir, ledger.MissedFile))
			if err == nil {
				text[70]++
				err = os.WriteFile(filepath.Join(dir, ledger.MissedFile), text, 0o600)
			}
			if err != nil {
				p.t.Fatal(err)
			}
		}},
		{"a torn record", "ledger-torn", Info, "", func(p testMachine, _, current string) {
			f, err := os.OpenFile(current, os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteString(`{"v":1,`)
			}
			if err != nil {
				p.t.Fatal(err)
			}
			f.Close()
		}},
		{"a directory that cannot be written", "ledger-not-writable", Error, "nothing can be recorded", func(p testMachine, dir, _ string) {
			if os.Geteuid() == 0 {
				p.t.Skip("root may write everywhere; TestDoctorOnReadOnlyState of cmd/checkrein shows it")
			}
			_ = os.Chmod(dir, 0o500)
			p.t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t, nil)
			_, dir := p.newLedger()
			r := NewReport()
			r.AddLedger(dir)
			wantNone(t, r)
			tt.spoil(p, dir, filepath.Join(dir, ledger.CurrentFile))
			r.AddLedger(dir)
			wantFinding(t, r, tt.id, tt.level, tt.what)
		})
	}
	r := NewReport()
	r.AddLedger(filepath.Join(t.TempDir(), "none"))
	wantFinding(t, r, "ledger-empty", Info, "")
}

func TestStateFindings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, id string
		level    Level
		what     string
		spoil    func(p testMachine, dir string)
	}{
		{"others may write", "state-unsafe", Error, "other users may write", func(p testMachine, dir string) { _ = os.Chmod(dir, 0o777) }},
		{"others may read", "state-open", Warn, "chmod 700", func(p testMachine, dir string) { _ = os.Chmod(dir, 0o755) }},
		{"a file instead", "state-unsafe", Error, "", func(p testMachine, dir string) { _ = os.RemoveAll(dir); p.write("state", "") }},
		{"a held lock", "state-locked", Error, "another process has held it", func(p testMachine, dir string) {
			p.write("state/trust.json.lock", "")
			f, err := os.Open(filepath.Join(dir, "trust.json.lock"))
			if err == nil {
				err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
			}
			if err != nil {
				p.t.Fatal(err)
			}
			p.t.Cleanup(func() { f.Close() })
		}},
		{"a leftover", "state-leftover", Warn, ".checkrein-1.tmp", func(p testMachine, dir string) {
			p.write("state/sessions/.checkrein-1.tmp", "x")
			then := time.Now().Add(-2 * leftoverAge)
			_ = os.Chtimes(filepath.Join(dir, "sessions/.checkrein-1.tmp"), then, then)
		}},
		{"a large ledger", "state-large", Warn, "checkrein audit prune", func(p testMachine, dir string) {
			p.write("state/ledger/current.jsonl", "")
			_ = os.Truncate(filepath.Join(dir, "ledger/current.jsonl"), 3<<20)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t, map[string]string{"state/trust.json": `{"version":1}`})
			dir := p.path("state")
			r := NewReport()
			r.AddState(state.NewDir(dir), time.Now(), 1<<20)
			wantNone(t, r)
			tt.spoil(p, dir)
			r.AddState(state.NewDir(dir), time.Now(), 1<<20)
			wantFinding(t, r, tt.id, tt.level, tt.what)
		})
	}
}

func TestGitFindings(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		name, id string
		level    Level
		what     string
		files    map[string]string
		path     string // core.hooksPath
	}{
		{"no directory", "hookspath-missing", Error, "git runs no hook", nil, "hooks"},
		{"not executable", "git-hook-not-executable", Error, "chmod +x", map[string]string{"project/hooks/pre-push": "exit 1\n"}, "hooks"},
		{"not executable where git looks first", "git-hook-not-executable", Error, ".git/hooks/pre-push", map[string]string{"project/.git/hooks/pre-push": "exit 1\n"}, ""},
		{"an interpreter that is missing", "git-hook-program", Error, "/no/such/shell", map[string]string{"project/hooks/pre-push": "#!/no/such/shell\n"}, "hooks"},
		{"a script that settings lead", "git-hook-led", Error, "checkrein git install", map[string]string{"project/hooks/pre-push": script + "# Written by 'checkrein git install'; 'checkrein git uninstall' takes it away.\nprogram=$(git config --type=path --get checkrein.program)\n"}, "hooks"},
		{"not in use", "git-hooks-inactive", Warn, "git config core.hooksPath hooks", map[string]string{"project/hooks/pre-push": script}, ""},
		{"nothing asks us", "git-not-scanned", Info, "checkrein git install", nil, ""},
		{"not tracked", "git-hooks-untracked", Info, "other clones", map[string]string{"project/.git/hooks/pre-push": script}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t, nil)
			p.git("init", "-q")
			for name, text := range tt.files {
				p.write(name, text)
			}
			if tt.path != "" {
				p.git("config", "core.hooksPath", tt.path)
			}
			r := NewReport()
			r.AddGit(t.Context(), p.path("project"), p.gitEnviron())
			wantFinding(t, r, tt.id, tt.level, tt.what)
			others := slices.DeleteFunc(r.Findings, func(f Finding) bool { return f.Check == "git-not-scanned" && tt.id != f.Check })
			if len(others) != 1 && tt.id != "git-hook-not-executable" {
				t.Errorf("%+v", r.Findings)
			}
		})
	}
	p := newTestMachine(t, map[string]string{"project/hooks/pre-push": script + "exec checkrein git pre-push \"$@\"\n"})
	r := NewReport()
	r.AddGit(t.Context(), p.path("project"), p.gitEnviron()) // this is not a repository
	p.git("init", "-q")
	p.git("config", "core.hooksPath", "hooks")
	r.AddGit(t.Context(), p.path("project"), p.gitEnviron())
	wantNone(t, r)
}

func (p testMachine) gitEnviron() []string {
	return append(p.environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CEILING_DIRECTORIES="+p.root)
}

func (p testMachine) git(args ...string) {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", p.path("project")}, args...)...)
	cmd.Env = p.gitEnviron()
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// An installed host that is silent is an error; single sessions without events are a warning.
func TestUnstartedSessions(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, nil)
	m := p.installMachine()
	installHost(t, m, "claude")
	rep := statusOf(t, m, "claude")
	rep.Unstarted = rep.Unstarted.Add(time.Now()).Add(time.Now().Add(-time.Hour))
	r := NewReport()
	r.AddHosts([]install.Report{rep}, host.Find)
	wantFinding(t, r, "host-unstarted", Warn, "2 sessions since 20")
	if !rep.Works() {
		t.Error("a host that asks does not work")
	}
}

func TestEndedSessions(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, nil)
	m := p.installMachine()
	installHost(t, m, "claude")
	rep := statusOf(t, m, "claude")
	rep.Ended = rep.Ended.Add(time.Now())
	r := NewReport()
	r.AddHosts([]install.Report{rep}, host.Find)
	wantFinding(t, r, "host-ended", Warn, "1 session asked about calls after its end was reported on 20")
	if !rep.Works() {
		t.Error("a host that asks does not work")
	}
}

func TestUnreadTranscripts(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, nil)
	m := p.installMachine()
	installHost(t, m, "claude")
	rep := statusOf(t, m, "claude")
	rep.Unread = rep.Unread.Add("/t/a.jsonl", "it is a pipe").Add("/t/b.jsonl", "it is a pipe")
	r := NewReport()
	r.AddHosts([]install.Report{rep}, host.Find)
	wantFinding(t, r, "transcripts-unread", Warn, "2 transcripts of the last week cannot be read in full, so calls may be unseen; the first is /t/a.jsonl: it is a pipe")
}

func TestSilentHosts(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t, nil)
	m := p.installMachine()
	installHost(t, m, "claude")
	rep := statusOf(t, m, "claude")
	rep.Silent = &install.Silent{Since: time.Now().Add(-time.Hour), Last: time.Now(), Calls: 3, Sessions: 1, Now: true}
	r := NewReport()
	r.AddHosts([]install.Report{rep}, host.Find)
	wantFinding(t, r, "host-silent", Error, "installed, silent since 20")
	if rep.Works() {
		t.Error("a silent host works")
	}
	rep.Silent.Now = false
	r = NewReport()
	r.AddHosts([]install.Report{rep}, host.Find)
	wantFinding(t, r, "host-silent", Warn, "3 calls ran in 1 session from 20")
	if !rep.Works() {
		t.Error("a host that is heard again does not work")
	}
}
