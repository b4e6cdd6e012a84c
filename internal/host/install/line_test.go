package install_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/install"
	clawplugin "github.com/checkrein/checkrein/internal/host/openclaw"
	codeplugin "github.com/checkrein/checkrein/internal/host/opencode"
	piplugin "github.com/checkrein/checkrein/internal/host/pi"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/sys/state"
)

var update = flag.Bool("update", false, "rewrite the golden lines")

// fixedMachine returns a machine with fixed paths.
func fixedMachine() *install.Machine {
	return &install.Machine{
		Home: "/home/pat", Project: "/home/pat/shop", Program: "/usr/local/bin/checkrein",
		Config: "/home/pat/.config/checkrein", State: state.NewDir("/home/pat/.local/state/checkrein"),
		Getenv: func(string) string { return "" }, Hosts: host.Table(), Specs: setups.Installs(), GOOS: "linux",
	}
}

// commandLines returns the command lines of a host, or those that its plugin starts.
func commandLines(t *testing.T, m *install.Machine, s *install.Spec) string {
	t.Helper()
	h, ok := m.HostNamed(s.Name)
	if !ok {
		t.Fatalf("this build does not answer %s", s.Name)
	}
	var b strings.Builder
	for _, scope := range s.Scopes {
		want, err := m.Wanted(s, h, scope, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case s.Print != nil:
			b.WriteString(s.Print(m, want))
		case h.IsPlugin:
			source := map[string]string{
				"opencode": string(codeplugin.Plugin(m.HookLine())), "openclaw": string(clawplugin.Plugin(m.HookLine())[2].Text),
				"pi": string(piplugin.Plugin(m.HookLine())),
			}[s.Name]
			for line := range strings.Lines(source) {
				if strings.HasPrefix(line, "const ") && (strings.Contains(line, "program =") || strings.Contains(line, "pins =") || strings.Contains(line, "cleared =")) || strings.Contains(line, "spawn") {
					b.WriteString(strings.TrimSpace(line) + "\n")
				}
			}
			return b.String()
		default:
			for _, w := range want {
				if line := fmt.Sprintf("%s: %s\n", w.Event, w.Command); !strings.Contains(b.String(), line) { // unless another scope has the same line
					fmt.Fprintf(&b, "%s %s", scope, line)
				}
			}
		}
	}
	return b.String()
}

// TestLineIsFrozen checks that the command line does not change. Codex trusts it byte for byte, and
// Hermes asks about it: after a change every user must trust it again, and those who do not notice run
// without checkrein. A change needs a decision, a line in CHANGELOG.md, and -update.
func TestLineIsFrozen(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("its paths are others")
	}
	for _, s := range setups.Installs() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			got := commandLines(t, fixedMachine(), s)
			path := filepath.Join("testdata", "lines", s.Name+".txt")
			if *update {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the installed line has changed: Codex drops its trust in it and Hermes its consent, without a word, so this takes a decision\ngot\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// windowsMachine returns a machine with paths of Windows; user is the name of the profile's folder.
func windowsMachine(user string) *install.Machine {
	m := fixedMachine()
	m.GOOS, m.Program = "windows", `C:\Users\`+user+`\bin\checkrein.exe`
	m.Config, m.State = `C:\Users\`+user+`\AppData\Roaming\checkrein`, state.NewDir(`C:\Users\`+user+`\AppData\Local\checkrein`)
	return m
}

// TestLineOnWindows checks the command line of a gate for each shell of Windows, and, on Windows, that
// every line is recognized as checkrein's, with its program and its directories.
func TestLineOnWindows(t *testing.T) {
	t.Parallel()
	const dirs = ` --config C:\Users\pat\AppData\Roaming\checkrein --state C:\Users\pat\AppData\Local\checkrein`
	begins := map[string]string{
		"claude": `unset GOMAXPROCS GODEBUG GOGC GOMEMLIMIT; trap 'exit 2' EXIT; C:/Users/pat/bin/checkrein.exe hook claude --within 590 --config C:/Users/pat/AppData/Roaming/checkrein --state C:/Users/pat/AppData/Local/checkrein && trap - EXIT && exit; echo`,
		"gemini": `C:\Users\pat\bin\checkrein.exe hook gemini --within 590` + dirs + ` ; if ($LASTEXITCODE -ne 0) {`,
		"qwen":   `C:\Users\pat\bin\checkrein.exe hook qwen --within 590` + dirs + ` & (if errorlevel 3 echo `,
		"codex":  `C:\Users\pat\bin\checkrein.exe hook codex --within 590` + dirs + ` & (if errorlevel 3 echo `,
		"hermes": `'C:\Users\pat\bin\checkrein.exe' hook hermes --within 290`, // no shell
	}
	quoted := map[string]string{
		"claude": `unset GOMAXPROCS GODEBUG GOGC GOMEMLIMIT; trap 'exit 2' EXIT; 'C:/Users/Jo Dü/bin/checkrein.exe' hook`,
		"gemini": `& "C:\Users\Jo Dü\bin\checkrein.exe" hook gemini --within 590 --config "C:\Users\Jo Dü\AppData`,
		"qwen":   `"C:\Users\Jo Dü\bin\checkrein.exe" hook qwen --within 590 --config "C:\Users\Jo Dü\AppData`,
	}
	for _, s := range setups.Installs() {
		for user, want := range map[string]map[string]string{"pat": begins, "Jo Dü": quoted} {
			m := windowsMachine(user)
			h, _ := m.HostNamed(s.Name)
			entries, err := m.Wanted(s, h, install.User, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if e.Closed && !strings.HasPrefix(e.Command, want[s.Name]) {
					t.Errorf("%s: %s\nwant %s", s.Name, e.Command, want[s.Name])
				}
				if l, ok := hostfiles.ParseLine(e.Command, s.Name); runtime.GOOS == "windows" && (!ok || l != m.HookLine()) {
					t.Errorf("%s: %+v, %v", e.Command, l, ok)
				}
			}
		}
	}
}

// TestParseLines checks that every command line, including older ones, is recognized as checkrein's,
// with its program and its directories.
func TestParseLines(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("its paths are others: TestLineOnWindows")
	}
	m := fixedMachine()
	m.Program, m.Config = "/opt/my tools/it's/checkrein", "/home/pat/my config/checkrein"
	for _, s := range setups.Installs() {
		h, _ := m.HostNamed(s.Name)
		want, err := m.Wanted(s, h, install.User, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if l, ok := hostfiles.ParseLine(w.Command, s.Name); !ok || l != m.HookLine() {
				t.Errorf("%s: %+v, %v", w.Command, l, ok)
			}
			if _, ok := hostfiles.ParseLine(w.Command, "other"); ok {
				t.Errorf("%s: taken for another host's", w.Command)
			}
			if !install.Mentions(w.Command) {
				t.Errorf("%s: does not mention checkrein", w.Command)
			}
		}
	}
	for _, old := range []string{
		"/b/checkrein hook claude --within 590",
		"/b/checkrein hook claude --within 590 || { echo 'checkrein could not be asked, so this is denied: run checkrein status' >&2; exit 2; }",
		"exec /b/checkrein hook claude --within 590",
	} {
		if l, ok := hostfiles.ParseLine(old, "claude"); !ok || l != (hostfiles.Line{Program: "/b/checkrein"}) {
			t.Errorf("%s: %+v, %v", old, l, ok)
		}
	}
}

// programs are the ways in which the program of a command line may end. Exit code 2 with text is the
// program's own denial.
var programs = []struct {
	name, script string
	code         int
	out, err     string
}{
	{"answers", `cat >/dev/null; printf '{"ok":1}'`, 0, `{"ok":1}`, ""},
	{"answers with a warning", `printf '{"ok":1}'; echo careful >&2`, 0, `{"ok":1}`, "careful\n"},
	{"denies", `printf '{"no":1}'; echo 'not that' >&2; exit 2`, 2, `{"no":1}`, "not that\n"},
	{"denies without a word", `exit 2`, 2, "", ""},
	{"exits 1", `printf half; exit 1`, 1, "half", ""},
	{"exits 3", `exit 3`, 3, "", ""},
	{"exits 70", `echo internal >&2; exit 70`, 70, "", "internal\n"},
	{"is killed", `kill -9 $$`, 137, "", ""},
	{"is terminated", `kill -15 $$`, 143, "", ""},
}

// TestLinesInShells runs each command line in several shells with each of programs.
func TestLinesInShells(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no POSIX shell")
	}
	for _, shell := range []string{"sh", "dash", "bash", "zsh"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		for _, s := range setups.Installs() {
			if s.Shell {
				t.Run(shell+"/"+s.Name, func(t *testing.T) {
					t.Parallel()
					testInShell(t, path, s)
				})
			}
		}
	}
}

func testInShell(t *testing.T, shell string, s *install.Spec) {
	m := fixedMachine()
	dir := filepath.Join(t.TempDir(), "it's here")
	m.Program = filepath.Join(dir, "checkrein")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	h, _ := m.HostNamed(s.Name)
	want, err := m.Wanted(s, h, install.User, nil)
	if err != nil {
		t.Fatal(err)
	}
	gate := want[slices.IndexFunc(want, func(e install.Entry) bool { return e.Closed })]
	rest := want[slices.IndexFunc(want, func(e install.Entry) bool { return !e.Closed })]
	run := func(line string) (code int, stdout, stderr string) {
		cmd := exec.Command(shell, "-c", line)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GOMAXPROCS=1", "GODEBUG=x=1", "GOGC=1", "GOMEMLIMIT=1"}
		var out, err bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("{}"), &out, &err
		_ = cmd.Run() // the exit code is read below
		return cmd.ProcessState.ExitCode(), out.String(), err.String()
	}
	write := func(text string, mode os.FileMode) {
		t.Helper()
		if err := errors.Join(built.WriteScript(m.Program, text), os.Chmod(m.Program, mode)); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range programs {
		write("#!/bin/sh\n"+p.script+"\n", 0o755)
		checkGate(t, s, p.name, p.code, p.out, p.err, run, gate.Command)
		if code, out, _ := run(rest.Command); out != p.out || (code == 0) != (p.code == 0) || code != p.code && p.code < 128 {
			t.Errorf("%s, no gate: %d %q, want %d %q", p.name, code, out, p.code, p.out)
		}
	}
	write("#!/bin/sh\n", 0o644)
	checkGate(t, s, "is not executable", 126, "", "", run, gate.Command)
	if err := os.Remove(m.Program); err != nil {
		t.Fatal(err)
	}
	checkGate(t, s, "is missing", 127, "", "", run, gate.Command)
	if code, _, _ := run(rest.Command); code == 0 || code == 2 {
		t.Errorf("missing, no gate: %d", code)
	}

	write("#!/bin/sh\necho \"$GOMAXPROCS$GODEBUG$GOGC$GOMEMLIMIT|$*\"\n", 0o755)
	for _, line := range []string{gate.Command, rest.Command} {
		if _, out, _ := run(line); !strings.HasPrefix(out, "|hook "+s.Name) || !strings.Contains(out, "--config "+m.Config+" --state "+m.State.Path()) {
			t.Errorf("it was called with %q", out)
		}
	}
}

// checkGate checks that the command line of a gate passes an answer on unchanged, and prints the
// host's own denial with a reason if there is no answer.
func checkGate(t *testing.T, s *install.Spec, name string, code int, out, err string, run func(string) (int, string, string), line string) {
	t.Helper()
	gotCode, gotOut, gotErr := run(line)
	switch {
	case code == 0:
		if gotCode != 0 || gotOut != out || gotErr != err {
			t.Errorf("%s: %d %q %q", name, gotCode, gotOut, gotErr)
		}
	case s.Name == "cline":
		if gotCode != 0 || !strings.Contains(gotOut, `{"cancel":true,"errorMessage":"`+install.CouldNotAsk) {
			t.Errorf("%s: %d %q", name, gotCode, gotOut)
		}
	default:
		says := install.CouldNotAsk
		if code == 2 && s.ShutSuffix == install.ShutDenied {
			says = "checkrein denies this"
		}
		if gotCode != 2 || gotOut != out || !strings.HasPrefix(gotErr, err) || !strings.HasSuffix(gotErr, says+"\n") {
			t.Errorf("%s: %d %q %q", name, gotCode, gotOut, gotErr)
		}
	}
}
