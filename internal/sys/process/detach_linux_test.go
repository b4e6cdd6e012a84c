package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// detachHelper is the environment variable that turns TestDetachHelper into a process that detaches
// another and exits. It holds the path of the log.
const detachHelper = "CHECKREIN_TEST_DETACH"

func TestDetachHelper(t *testing.T) {
	log := os.Getenv(detachHelper)
	if log == "" {
		t.Skip("only as a child of TestDetachSurvives")
	}
	s := shellSpec("echo $$; exec sleep 300")
	if err := Detach(s, log); err != nil {
		t.Fatal(err)
	}
}

func TestDetachSurvives(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	cmd := exec.Command(os.Args[0], "-test.run=^TestDetachHelper$")
	cmd.Env = append(os.Environ(), detachHelper+"="+log)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	pid := parsePIDs(t, waitForLine(t, log, 1), 1)[0]
	wantRunning(t, pid)
	e, err := lookupProcess(pid)
	if err != nil || e.pgrp != pid {
		t.Errorf("%+v, %v; want the leader of a group", e, err)
	}
	if got := sessionOf(t, pid); got != fmt.Sprint(pid) {
		t.Errorf("session %s, want its own, %d", got, pid)
	}
}

// sessionOf returns the session in field 6 of the stat of pid, whose name has no spaces.
func sessionOf(t *testing.T, pid int) string {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(b))[5]
}

func TestDetachInputAndLog(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	tests := []struct {
		name string
		size int
	}{
		{"none", 0},
		{"small", 10},
		{"beyond a pipe", 300_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(log, []byte("before\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			s := shellSpec("wc -c; echo complaint >&2; pwd; echo $$")
			s.Stdin, s.Dir = make([]byte, tt.size), "/"
			if err := Detach(s, log); err != nil {
				t.Fatal(err)
			}
			lines := strings.Fields(string(waitForLine(t, log, 5)))
			want := []string{"before", fmt.Sprint(tt.size), "complaint", "/"}
			if got := lines[:4]; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("log has %q, want %q", got, want)
			}
			pid := parsePIDs(t, []byte(lines[4]), 1)[0]
			eventually(t, "a reaped child", func() bool {
				_, err := lookupProcess(pid)
				return err != nil
			})
		})
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary directory: %v, %v", left, err)
	}
}

func TestDetachErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tests := []struct {
		name  string
		spec  Spec
		log   string
		start bool
	}{
		{"no argv", Spec{}, "", true},
		{"missing program", Spec{Argv: []string{"no-such-program-anywhere"}, Stdin: []byte("x")}, "", true},
		{"missing directory", Spec{Argv: []string{"true"}, Dir: filepath.Join(dir, "none")}, filepath.Join(dir, "log"), true},
		{"log is a directory", Spec{Argv: []string{"true"}}, dir, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := Detach(tt.spec, tt.log)
			var start *StartError
			if err == nil || errors.As(err, &start) != tt.start {
				t.Errorf("error %v, start error wanted: %v", err, tt.start)
			}
		})
	}
}

func TestDetachWithoutLog(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "ran")
	if err := Detach(shellSpec("echo out; echo err >&2; echo done >"+mark), ""); err != nil {
		t.Fatal(err)
	}
	waitForLine(t, mark, 1)
}

// waitForLine returns the content of a file once it has n lines.
func waitForLine(t *testing.T, name string, n int) []byte {
	t.Helper()
	var content []byte
	eventually(t, "lines in "+name, func() bool {
		content, _ = os.ReadFile(name)
		return bytes.Count(content, []byte("\n")) >= n
	})
	return content
}
