package process

import (
	"os"
	"os/exec"
	"testing"
)

// TestRunImage checks that the given bytes run, whatever is at the path by then.
func TestRunImage(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/gate"
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho swapped\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("/bin/echo")
	if err != nil {
		t.Skip(err)
	}
	for name, test := range map[string]struct {
		image, want string
	}{
		"a program":           {string(program), "one two\n"},
		"a script":            {"#!/bin/sh\necho \"$@\"\n", "one two\n"},
		"a script by env":     {"#!/usr/bin/env sh\necho \"$*\"\n", "one two\n"},
		"an interpreter's -e": {"#!/bin/sh -e\nfalse\necho no\n", ""},
		"it cannot change":    {"#!/bin/sh\necho x 2>&- >> /proc/self/fd/3 || echo kept\n", "kept\n"},
		"it is no file":       {"#!/bin/sh\ncase $0 in /proc/self/fd/*) echo \"$1\";; esac\n", "one\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := mustRun(t, Spec{Argv: []string{path, "one", "two"}, Image: []byte(test.image)})
			wantBytes(t, "stdout", res.Stdout, []byte(test.want))
		})
	}
	for _, in := range []struct{ program, script string }{
		{"bash", "echo $1"}, {"python3", "import sys; print(sys.argv[1])"}, {"perl", "print \"$ARGV[0]\\n\""}, {"ruby", "puts ARGV[0]"}, {"node", "console.log(process.argv[2])"},
	} {
		t.Run(in.program, func(t *testing.T) {
			t.Parallel()
			at, err := exec.LookPath(in.program)
			if err != nil {
				t.Skip(err)
			}
			if in.program == "node" {
				at = "/usr/bin/env -S node --preserve-symlinks-main"
			}
			res := mustRun(t, Spec{Argv: []string{path, "one"}, Image: []byte("#!" + at + "\n" + in.script + "\n")})
			wantBytes(t, "stdout", res.Stdout, []byte("one\n"))
		})
	}
}
