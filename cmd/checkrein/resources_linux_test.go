package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A poorHome is one of a user without rights, whose processes have limits of their own.
type poorHome struct {
	*guardedHome
	uid   uint32
	lines map[string]string // the line of the gate of tools, by host
	fifo  string
}

// poorHosts are the hosts whose line a shell reads, with where it is written and its event.
var poorHosts = []struct{ name, file, event string }{
	{"claude", ".claude/settings.json", "PreToolUse"}, {"codex", ".codex/hooks.json", "PreToolUse"}, {"gemini", ".gemini/settings.json", "BeforeTool"},
	{"qwen", ".qwen/settings.json", "PreToolUse"}, {"copilot", ".copilot/hooks/checkrein.json", "preToolUse"}, {"windsurf", ".codeium/windsurf/hooks.json", "pre_run_command"},
	{"cline", "Documents/Cline/Hooks/PreToolUse", "PreToolUse"},
}

// newPoorHome makes a home for each test of its own, since a limit of processes counts
// those of the user.
func newPoorHome(t *testing.T, uid uint32, hosts string) *poorHome {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only root can start processes of other users, so limits were not tried")
	}
	if _, err := exec.LookPath("prlimit"); err != nil {
		t.Skip("SKIPPED: no prlimit, so limits were not tried")
	}
	top, err := os.MkdirTemp("", "poor")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	home := filepath.Join(top, "home")
	bin := filepath.Join(home, "bin")
	p := &poorHome{guardedHome: &guardedHome{t: t, home: home, project: filepath.Join(home, "work"), program: filepath.Join(bin, "checkrein"), env: []string{"HOME=" + home, "PATH=" + bin + ":/usr/bin:/bin"}}, uid: uid, lines: map[string]string{}, fifo: filepath.Join(home, "fifo")}
	for _, h := range poorHosts {
		if err := os.MkdirAll(filepath.Join(home, strings.SplitN(h.file, "/", 2)[0]), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.put(filepath.Join(p.project, "README"), "x")
	p.put(filepath.Join(home, "Documents", "mine.txt"), "x")
	if err := syscall.Mkfifo(p.fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{{"mkdir", "-p", bin, home + "/.codeium/windsurf"}, {"cp", programs + "/checkrein", programs + "/checkreind", bin}, {"chmod", "755", top}, {"chown", "-R", fmt.Sprint(uid), home}} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v %s", argv, err, out)
		}
	}
	for _, h := range poorHosts {
		if !strings.Contains(hosts, h.name) {
			continue
		}
		if got := p.runAs("", nil, p.program, "install", h.name, "--program", p.program); got.code != 0 {
			t.Fatalf("install %s: %+v", h.name, got)
		}
		p.lines[h.name] = p.lineIn(filepath.Join(home, h.file), h.name, h.event)
	}
	return p
}

// lineIn reads the line for an event out of a host's file.
func (p *poorHome) lineIn(path, host, event string) string {
	p.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	if host == "cline" {
		return path
	}
	var doc struct {
		Hooks map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		p.t.Fatal(err)
	}
	line := ""
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if strings.Contains(v, " hook "+host) {
				line = v
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	var v any
	if err := json.Unmarshal(doc.Hooks[event], &v); err != nil {
		p.t.Fatalf("%s has no %s: %v", path, event, err)
	}
	walk(v)
	return line
}

type poorReply struct {
	code     int
	out, err string
	took     time.Duration
	late     bool
}

// runAs runs a program as the home's user.
func (p *poorHome) runAs(stdin string, env []string, argv ...string) poorReply {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 25*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdin = append(p.env[:len(p.env):len(p.env)], env...), p.project, strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: p.uid, Gid: p.uid}, Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	began := time.Now()
	_ = cmd.Run() // the exit code is checked below
	return poorReply{cmd.ProcessState.ExitCode(), out.String(), errs.String(), time.Since(began), ctx.Err() != nil}
}

// event is a shell call as a host sends it.
func (p *poorHome) event(host, command string) string {
	var v any = map[string]any{"session_id": "s", "cwd": p.project, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": command}}
	switch host {
	case "gemini":
		v = map[string]any{"session_id": "s", "cwd": p.project, "hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": map[string]any{"command": command}}
	case "qwen":
		v = map[string]any{"session_id": "s", "cwd": p.project, "hook_event_name": "PreToolUse", "tool_name": "run_shell_command", "tool_input": map[string]any{"command": command}}
	case "copilot":
		v = map[string]any{"sessionId": "s", "timestamp": 1768473000000, "cwd": p.project, "toolName": "bash", "toolArgs": map[string]any{"command": command}}
	case "windsurf":
		v = map[string]any{"agent_action_name": "pre_run_command", "trajectory_id": "s", "tool_info": map[string]any{"command_line": command, "cwd": p.project}}
	case "cline":
		v = map[string]any{"hookName": "PreToolUse", "taskId": "s", "workspaceRoots": []string{p.project}, "preToolUse": map[string]any{"toolName": "execute_command", "parameters": map[string]any{"command": command}}}
	}
	body, err := json.Marshal(v)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(body)
}

// isBlocked reports whether a host takes a reply for a denial.
func (r *poorReply) isBlocked(host string) bool {
	if host == "cline" {
		return strings.Contains(r.out, `"cancel":true`)
	}
	return r.code == 2 && r.err != "" || r.code == 0 && (strings.Contains(r.out, `"deny"`) || strings.Contains(r.out, `"block"`))
}

// A poverty is what a process is left with.
type poverty struct {
	name   string
	limits string   // options of prlimit
	env    []string // FIFO stands for a pipe without a writer
	before string   // what the shell does before the line
	exact  bool     // there is enough for the right answer, not only for a block
	only   string   // the hosts that are tried; "" = one that a shell serves, and Cline
}

// hosts are those that a row is about: unless it says otherwise, one whose line a shell
// reads and the one that runs a script.
func (p *poverty) hosts() string {
	if p.only == "" {
		return "claude cline"
	}
	return p.only
}

// shells are the hosts but Cline. It runs a script, which sh itself cannot open with so
// few files, and takes exit codes for nothing, so that without an output none can block it.
const shells = "claude codex gemini qwen copilot windsurf"

var poverties = []poverty{
	{name: "nothing missing", exact: true, only: shells + " cline"},
	{name: "one process", limits: "--nproc=1", only: "claude copilot cline"}, {name: "six processes", limits: "--nproc=6", only: "claude"},
	{name: "zone is a pipe", env: []string{"TZ=FIFO"}, exact: true, only: shells + " cline"}, {name: "zone is a pipe with a colon", env: []string{"TZ=:FIFO"}, exact: true},
	{name: "zone is a pipe further up", env: []string{"TZ=../../../../../..FIFO"}, exact: true}, {name: "zone is a folder", env: []string{"TZ=/tmp"}, exact: true}, {name: "no such zone", env: []string{"TZ=Nowhere/None"}, exact: true},
	{name: "files of no size", limits: "--fsize=0", exact: true}, {name: "four open files", only: "claude", limits: "--nofile=4"}, {name: "six open files", only: "claude", limits: "--nofile=6"}, {name: "ten open files", only: "claude", limits: "--nofile=10"}, {name: "twenty open files", limits: "--nofile=20"},
	{name: "50 MB of memory", limits: "--as=50000000"}, {name: "200 MB of memory", limits: "--as=200000000"}, {name: "800 MB of memory", limits: "--as=800000000"}, {name: "no data", limits: "--data=1000000"},
	{name: "one second", limits: "--cpu=1", exact: true}, {name: "no locked memory", limits: "--memlock=0", exact: true}, {name: "no signals", limits: "--sigpending=0"}, {name: "no core", limits: "--core=0", exact: true},
	{name: "one CPU", env: []string{"GOMAXPROCS=1"}, exact: true}, {name: "collect always", env: []string{"GOGC=1"}, exact: true}, {name: "memory limit", env: []string{"GOMEMLIMIT=1"}, exact: true},
	{name: "debug", env: []string{"GODEBUG=gctrace=1,schedtrace=1"}, exact: true}, {name: "trace", env: []string{"GOTRACEBACK=crash"}, exact: true}, {name: "no TMPDIR", env: []string{"TMPDIR=/nowhere"}, exact: true}, {name: "TMPDIR is a pipe", env: []string{"TMPDIR=FIFO"}, exact: true},
	{name: "odd language", env: []string{"LANG=xx_YY.zz", "LC_ALL=\xff"}, exact: true}, {name: "no PATH", env: []string{"PATH="}, exact: true}, {name: "GOROOT is a pipe", env: []string{"GOROOT=FIFO", "TZ=Nowhere/None"}, exact: true},
	{name: "no stderr", before: "exec 2>&-; "}, {name: "no stdin", before: "exec <&-; "}, {name: "no stdout", only: shells, before: "exec >&-; "}, {name: "stdout is full", only: "claude", before: "exec >/dev/full; "},
}

// Whatever a process lacks, the line of a host ends in the right answer or the host's
// own block, in time.
func TestScarceResources(t *testing.T) {
	t.Parallel()
	for i, row := range poverties {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newPoorHome(t, uint32(70001+i), row.hosts())
			for j := range row.env {
				row.env[j] = strings.ReplaceAll(row.env[j], "FIFO", p.fifo)
			}
			for _, h := range poorHosts {
				if p.lines[h.name] == "" {
					continue
				}
				for _, shell := range []string{"/bin/dash", "/bin/bash"} {
					if _, err := os.Stat(shell); err != nil || h.name != "claude" && shell == "/bin/dash" && h.name != "cline" || h.name == "cline" && shell == "/bin/bash" {
						continue
					}
					p.checkAnswer(&row, h.name, shell)
				}
			}
		})
	}
}

// checkAnswer checks the answers that a host gets to a harmful and a harmless call.
func (p *poorHome) checkAnswer(row *poverty, host, shell string) {
	p.t.Helper()
	for _, command := range []string{"rm -rf ~/Documents", "ls"} {
		if command == "ls" && !row.exact {
			continue
		}
		argv := []string{shell, "-c", row.before + p.lines[host]}
		if host == "cline" && row.before == "" {
			argv = []string{p.lines[host]}
		}
		if row.limits != "" {
			argv = append(append([]string{"prlimit"}, strings.Fields(row.limits)...), argv...)
		}
		got := p.runAs(p.event(host, command), row.env, argv...)
		harmful := command != "ls"
		switch blocked := got.isBlocked(host); {
		case got.late, got.took > 20*time.Second:
			p.t.Errorf("%s in %s: %s: no answer in %s", host, shell, command, got.took)
		case harmful && !blocked && row.before == "", !harmful && blocked && row.exact:
			p.t.Errorf("%s in %s: %s: blocked %v: %d %.300q %.300q", host, shell, command, blocked, got.code, got.out, got.err)
		case harmful && !blocked && got.code == 0:
			p.t.Errorf("%s in %s: %s passes: %.300q %.300q", host, shell, command, got.out, got.err)
		}
	}
}
