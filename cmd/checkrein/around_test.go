package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// aroundCases reads the rows of a kind, each the command that a host would run.
func aroundCases(t *testing.T, p verdictPlace, kind string) []verdictCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(verdictData, "around.txt"))
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) string {
		file := filepath.Join(p.project, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	fill := strings.NewReplacer("{off}", put("off.json", `{"disableAllHooks":true}`), "{on}", put("on.json", `{"model":"x"}`))
	var out []verdictCase
	for line := range strings.Lines(string(data)) {
		if command, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), kind+" "); ok {
			out = append(out, verdictCase{Class: kind, Command: fill.Replace(command)})
		}
	}
	if len(out) == 0 {
		t.Fatalf("no rows of kind %s", kind)
	}
	return out
}

// TestAround says what a host hears of commands that go around checkrein.
func TestAround(t *testing.T) {
	p := newVerdictPlace(t)
	for _, tt := range []struct {
		kind  string
		wrong func(*verdictCase, string) bool
	}{{"ask", passed}, {"quiet", touched}, {"hooked", touched}} {
		cases := aroundCases(t, p, tt.kind)
		if got := judgeAll(p, "claude", cases, tt.wrong).report(t, tt.kind, len(cases)); got > 0 {
			t.Errorf("%s: %.0f %% are wrong", tt.kind, 100*got)
		}
	}
	// The same with checkrein's hooks of git in the repository.
	hook := filepath.Join(p.project, ".git", "hooks", "pre-commit")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\nexec checkrein git pre-commit \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cases := aroundCases(t, p, "hooked")
	if got := judgeAll(p, "claude", cases, passed).report(t, "hooked", len(cases)); got > 0 {
		t.Errorf("with hooks of git: %.0f %% pass", 100*got)
	}
}

// TestAroundRemedy says that self-protection itself asks, with the way that works.
func TestAroundRemedy(t *testing.T) {
	p := newVerdictPlace(t)
	for command, remedy := range map[string]string{
		"claude --bare -p x":                     "so start it without that [protect/around]",
		"HOME=/tmp/x codex exec x":               "so start it without that [protect/around]",
		"pkill checkrein":                        "so name only processes of your own work [protect/around]",
		"kill -STOP $PPID":                       "so name only processes of your own work [protect/around]",
		"launchctl setenv HOME /tmp/x":           "so set it only in front of the command that needs it [protect/around]",
		"git config checkrein.program /bin/true": "so let the hooks run, and put right what they find [protect/around]",
	} {
		got, reply := p.heard("claude", p.shellCall("claude", "", command))
		if got == "none" || !strings.Contains(reply, remedy) || !strings.Contains(reply, "A person can allow it") {
			t.Errorf("%s: %s, want %q:\n%s", command, got, remedy, reply)
		}
	}
}

// TestAroundNumbers says that a host is known by its number: here that is this test, which
// starts the hook.
func TestAroundNumbers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("nobody tells who started whom")
	}
	p := newVerdictPlace(t)
	own := strconv.Itoa(os.Getpid())
	for _, command := range []string{"kill -STOP " + own, "kill " + own, "kill -9 -" + own, "prlimit --pid " + own + " --nproc=1", "prlimit --pid=" + own + " --cpu=1", "renice 19 -p " + own, "gdb -p " + own, "strace -p" + own, "P=" + own + "; kill $P"} {
		if got, reply := p.heard("claude", p.shellCall("claude", "", command)); got == "none" || !strings.Contains(reply, "protect/around") {
			t.Errorf("%s: %s\n%s", command, got, reply)
		}
	}
	for _, command := range []string{"kill -0 " + own, "kill 99999999", "echo kill " + own, "ps -p " + own} {
		if got, reply := p.heard("claude", p.shellCall("claude", "", command)); got != "none" {
			t.Errorf("%s: %s\n%s", command, got, reply)
		}
	}
}
