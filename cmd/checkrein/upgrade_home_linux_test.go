package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// upgradeData has a folder per build whose homes later builds must still serve: see
// its README.
const upgradeData = "testdata/upgrade"

// upgradeTop is the directory in which the homes of the samples lie. It is fixed,
// because records, grants and approvals are bound to paths.
const upgradeTop = "/tmp/checkrein-upgrade"

// upgradeToken has the form of a token. An agent writes it to a file that git ignores.
var upgradeToken = "ghp_" + strings.Repeat("aB3dE5gH7j", 4)[:36]

// An upgradeHome is the home of a person at upgradeTop, and the programs there.
type upgradeHome struct {
	t             *testing.T
	home, project string
	env           []string
}

// newUpgradeHome prepares upgradeTop with the programs of a directory and no home yet.
// Tests that run at the same time wait for each other.
func newUpgradeHome(t *testing.T, programs string) *upgradeHome {
	t.Helper()
	lock, err := os.Open(upgradeTop + ".lock")
	if errors.Is(err, fs.ErrNotExist) {
		lock, err = os.OpenFile(upgradeTop+".lock", os.O_CREATE|os.O_RDONLY, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		removeUpgradeTop(t)
		_ = lock.Close()
	})
	removeUpgradeTop(t)
	bin := filepath.Join(upgradeTop, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"checkrein", "checkreind", "checkrein-shell"} {
		err := built.Copy(filepath.Join(programs, name), filepath.Join(bin, name), nil)
		if name == "checkrein-shell" && errors.Is(err, fs.ErrNotExist) { // a build without walls
			err = nil
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	h := &upgradeHome{t: t, home: upgradeTop + "/home", project: upgradeTop + "/home/shop"}
	h.env = []string{
		"HOME=" + h.home, "PATH=" + bin + ":" + h.home + "/.local/bin:" + os.Getenv("PATH"),
		"NO_COLOR=1", "COLUMNS=300",
		"GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com",
	}
	return h
}

// removeUpgradeTop removes what is there. The ledger's upkeep may still be at work in
// it, in a process of its own.
func removeUpgradeTop(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		err := os.RemoveAll(upgradeTop)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// state returns the path of a file in the state directory.
func (h *upgradeHome) state(name string) string {
	return filepath.Join(h.home, ".local", "state", "checkrein", name)
}

func (h *upgradeHome) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = h.project, h.env
	return cmd
}

// run runs checkrein in the project and returns its exit code and what it printed on
// stdout, or all of it if that is nothing.
func (h *upgradeHome) run(args ...string) (int, string) {
	h.t.Helper()
	cmd := h.command(filepath.Join(upgradeTop, "bin", "checkrein"), args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		h.t.Fatal(err)
	}
	if stdout.Len() == 0 {
		return cmd.ProcessState.ExitCode(), stderr.String()
	}
	return cmd.ProcessState.ExitCode(), stdout.String()
}

// person runs checkrein at a person's own terminal, where the person agrees to every
// question.
func (h *upgradeHome) person(args ...string) (int, string) {
	h.t.Helper()
	return startInTerminal(h.t, h.command(filepath.Join(upgradeTop, "bin", "checkrein"), args...)).approveAll()
}

// answer runs calls one after another, those of each host as children of a process of
// its own, and returns them with what came of them.
func (h *upgradeHome) answer(calls []upgradeCall) []upgradeCall {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	repo, err := filepath.Abs("../..")
	if err != nil {
		h.t.Fatal(err)
	}
	var out []upgradeCall
	for len(calls) > 0 {
		n := len(calls)
		if i := slices.IndexFunc(calls, func(c upgradeCall) bool { return c.Host != calls[0].Host }); i > 0 {
			n = i
		}
		text, err := json.Marshal(calls[:n])
		if err != nil {
			h.t.Fatal(err)
		}
		agent := h.command(self)
		agent.Env = append(slices.Clone(h.env), playAgent+"=1")
		agent.Stdin, agent.Stderr = strings.NewReader(strings.ReplaceAll(string(text), "$REPO", repo)), os.Stderr
		said, err := agent.Output()
		var answered []upgradeCall
		if err == nil {
			err = json.Unmarshal(said, &answered)
		}
		if err != nil || len(answered) != n {
			h.t.Fatalf("%s: %v: %s", calls[0].Host, err, said)
		}
		for i := range answered {
			answered[i].Run = calls[i].Run
		}
		out, calls = append(out, answered...), calls[n:]
	}
	return out
}

func (h *upgradeHome) write(path, text string) {
	h.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		h.t.Fatal(err)
	}
}

// shell is a call of the shell tool of Codex, which cannot ask.
func (h *upgradeHome) shell(command string) upgradeCall {
	h.t.Helper()
	input, err := json.Marshal(map[string]any{
		"session_id": "00000000-0000-4000-8000-00000000000a", "turn_id": "t", "cwd": h.project,
		"hook_event_name": "PreToolUse", "model": "gpt-5", "permission_mode": "default", "tool_name": "Bash",
		"tool_input": map[string]any{"command": command}, "tool_use_id": time.Now().Format(time.StampNano),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	line := upgradeTop + "/bin/checkrein hook codex --config " + h.home + "/.config/checkrein --state " + h.state("")
	return upgradeCall{Host: "codex", Dir: h.project, Input: string(input), Run: []string{"sh", "-c", line}}
}

// unpack extracts an archive of a home, with the modes and times of its files. The notes of
// agents are older by a month, so that the sample is the same on the day it was made.
func (h *upgradeHome) unpack(file string) {
	h.t.Helper()
	f, err := os.Open(file)
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := os.RemoveAll(h.home); err != nil {
		h.t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			err = extract(r, e)
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

func extract(r io.Reader, e *tar.Header) error {
	path := filepath.Join(upgradeTop, filepath.FromSlash(e.Name))
	if e.Typeflag == tar.TypeDir {
		return os.MkdirAll(path, e.FileInfo().Mode())
	}
	data, err := io.ReadAll(r)
	if err == nil && filepath.Base(path) == "checkrein-shell" { // see pack
		data, err = os.ReadFile(upgradeTop + "/bin/checkrein-shell")
	}
	if err != nil {
		return err
	}
	mode, at := e.FileInfo().Mode(), e.ModTime
	if filepath.Base(filepath.Dir(path)) == "hosts" { // an agent that has ended counts for a day
		at = at.AddDate(0, -1, 0)
	}
	return errors.Join(os.WriteFile(path, data, mode), os.Chmod(path, mode), os.Chtimes(path, at, at))
}

// An upgradeFound is what a build finds in a home.
type upgradeFound struct {
	Hooks  map[string]string `json:"hooks"`  // approval, by id
	Ran    []string          `json:"ran"`    // hooks that run before a call of a shell
	Doctor []string          `json:"doctor"` // findings
	Status int               `json:"status"` // exit code
}

// findings asks what a build finds.
func (h *upgradeHome) findings() upgradeFound {
	h.t.Helper()
	f := upgradeFound{Hooks: map[string]string{}}
	var list struct {
		Hooks []struct{ ID, Approval string }
	}
	h.decode(&list, "hooks", "list", "--json")
	for _, k := range list.Hooks {
		if k.Approval != "not needed" {
			f.Hooks[k.ID] = k.Approval
		}
	}
	_, f.Ran = h.decide("ls")
	f.Doctor = h.doctor()
	f.Status, _ = h.run("status")
	return f
}

// doctor returns the findings of doctor, each once: its level and check.
func (h *upgradeHome) doctor() []string {
	h.t.Helper()
	var report struct {
		Findings []struct{ Check, Level string }
	}
	h.decode(&report, "doctor", "--json", "--no-run")
	var out []string
	for _, x := range report.Findings {
		out = append(out, x.Level+" "+x.Check)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// decide returns the decision about a command, and which hooks ran for it.
func (h *upgradeHome) decide(command string) (decision string, hooks []string) {
	h.t.Helper()
	file := upgradeTop + "/ran"
	if err := os.RemoveAll(file); err != nil {
		h.t.Fatal(err)
	}
	c := h.answer([]upgradeCall{h.shell(command)})[0]
	if c.Exit != 0 {
		h.t.Errorf("%s: exit code %d", command, c.Exit)
	}
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		h.t.Fatal(err)
	}
	hooks = strings.Fields(string(data))
	slices.Sort(hooks)
	return heardIn([]byte(c.Reply)), hooks
}

// decode reads the JSON that a command prints.
func (h *upgradeHome) decode(v any, args ...string) {
	h.t.Helper()
	_, out := h.run(args...)
	if err := json.Unmarshal([]byte(out), v); err != nil {
		h.t.Fatalf("checkrein %q: %v\n%s", args, err, out)
	}
}
