package hookmd

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// writeFile writes a file of a folder.
func writeFile(t *testing.T, folder, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func unixOnly(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("files have no execute bit there")
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	unixOnly(t)
	type script struct {
		name, text string
		mode       os.FileMode
	}
	const bash, bare = "#!/bin/bash\n", "exit 0\n"
	for _, tt := range []struct {
		name  string
		files []script
		want  []string // its last word is relative to scripts
		err   string
	}{
		{"a program", []script{{"run", "\x7fELF", 0o755}}, []string{"run"}, ""},
		{"a program that may not run", []script{{"run", bare, 0o644}, {"run.sh", bash, 0o755}}, nil, "is not executable: run chmod +x "},
		{"a program that may not run and names its interpreter", []script{{"run", bash, 0o644}, {"run.sh", bash, 0o755}}, []string{"/bin/bash", "run"}, ""},
		{"a binary that may not run", []script{{"run", "\x7fELF", 0o644}}, nil, "is not executable: run chmod +x "},
		{"the program first", []script{{"run", bash, 0o755}, {"run.sh", bash, 0o755}, {"run.py", bare, 0o644}}, []string{"run"}, ""},
		{"a shell script", []script{{"run.sh", bash, 0o755}, {"run.py", bare, 0o755}}, []string{"run.sh"}, ""},
		{"a shell script that may not run", []script{{"run.sh", bare, 0o644}}, []string{"/bin/sh", "run.sh"}, ""},
		{"a script of bash that may not run", []script{{"run.sh", bash, 0o644}}, []string{"/bin/bash", "run.sh"}, ""},
		{"a script of what env finds that may not run", []script{{"run.sh", "#! /usr/bin/env  bash\nx\n", 0o644}}, []string{"/usr/bin/env", "bash", "run.sh"}, ""},
		{"a script of nothing that may not run", []script{{"run.sh", "#!\nx\n", 0o644}}, []string{"/bin/sh", "run.sh"}, ""},
		{"a shell script without #!", []script{{"run.sh", bare, 0o755}}, []string{"/bin/sh", "run.sh"}, ""},
		{"an empty shell script", []script{{"run.sh", "", 0o755}}, []string{"/bin/sh", "run.sh"}, ""},
		{"a Python script", []script{{"run.py", "#!/usr/bin/env python3\n", 0o755}}, []string{"run.py"}, ""},
		{"a Python script that may not run", []script{{"run.py", bare, 0o644}}, []string{"python3", "run.py"}, ""},
		{"the only one", []script{{"main.sh", bash, 0o755}}, []string{"main.sh"}, ""},
		{"the only one, that may not run", []script{{"enforce-quality.sh", bare, 0o644}}, []string{"/bin/sh", "enforce-quality.sh"}, ""},
		{"the only one beside data", []script{{"check.py", bare, 0o644}, {"README.md", "x\n", 0o644}, {".check.py.swp", bare, 0o644}, {"lib/a.sh", bash, 0o755}}, []string{"python3", "check.py"}, ""},
		{"the usual name beside others", []script{{"a.sh", bash, 0o755}, {"run.sh", bash, 0o755}}, []string{"run.sh"}, ""},
		{"the only one, without an ending, that may not run", []script{{"check", bash, 0o644}}, []string{"/bin/bash", "check"}, ""},
		{"the only one, without an ending or an interpreter", []script{{"check", bare, 0o755}}, []string{"/bin/sh", "check"}, ""},
		{"an ending that names no interpreter", []script{{"check.ts", bare, 0o755}}, nil, "names no interpreter"},
		{"JavaScript", []script{{"check.js", bare, 0o644}}, []string{"node", "check.js"}, ""},
		{"JavaScript that may run", []script{{"check.mjs", bare, 0o755}}, []string{"node", "check.mjs"}, ""},
		{"JavaScript that may run and names its interpreter", []script{{"check.cjs", "#!/usr/bin/env node\n", 0o755}}, []string{"check.cjs"}, ""},
		{"Ruby", []script{{"check.rb", bare, 0o644}}, []string{"ruby", "check.rb"}, ""},
		{"Perl", []script{{"check.pl", bare, 0o644}}, []string{"perl", "check.pl"}, ""},
		{"the only one beside its backups", []script{{"x.sh", bash, 0o755}, {"x.sh~", bash, 0o755}, {"x.sh.swp", bash, 0o755}, {".x.sh.swp", bash, 0o755},
			{"#x.sh#", bash, 0o755}, {"x.sh.bak", bash, 0o755}, {"x.sh.orig", bash, 0o755}}, []string{"x.sh"}, ""},
		{"backups only", []script{{"x.sh~", bash, 0o755}}, nil, "has no script"},
		{"a shell script with lines of Windows", []script{{"run.sh", "#!/bin/bash\r\nexit 2\r\n", 0o755}}, nil, "has Windows line endings: run sed -i 's/\\r$//' "},
		{"a shell script with lines of Windows that may not run", []script{{"run.sh", "#!/usr/bin/env bash\r\nexit 2\r\n", 0o644}}, nil, "has Windows line endings"},
		{"a shell script with lines of Windows and without #!", []script{{"run.sh", "exit 2\r\n", 0o644}}, nil, "has Windows line endings"},
		{"a Python script with lines of Windows", []script{{"run.py", "#!/usr/bin/env python3\r\nexit(2)\r\n", 0o755}}, []string{"/usr/bin/env", "python3", "run.py"}, ""},
		{"several", []script{{"a.sh", bash, 0o755}, {"b.sh", bare, 0o644}}, nil, "has several scripts (a.sh, b.sh), and none is called run, run.sh or run.py"},
		{"data only", []script{{"README.md", "x\n", 0o644}}, nil, "has no script: add scripts/run, scripts/run.sh or scripts/run.py"},
		{"none", nil, nil, "has no script"},
		{"a directory", []script{{"run/x", bash, 0o755}}, nil, "is not a file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for _, f := range tt.files {
				writeFile(t, folder, "scripts/"+f.name, f.text, f.mode)
			}
			argv, err := Script(folder)
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("got %v, want %q", err, tt.err)
			}
			if len(tt.want) > 0 {
				tt.want[len(tt.want)-1] = filepath.Join(folder, "scripts", tt.want[len(tt.want)-1])
			}
			if !slices.Equal(argv, tt.want) {
				t.Errorf("got %q, want %q", argv, tt.want)
			}
		})
	}
}

func TestScriptWithoutFolder(t *testing.T) {
	t.Parallel()
	unixOnly(t)
	file := writeFile(t, t.TempDir(), "x", "", 0o644)
	if _, err := Script(file); err == nil || !strings.Contains(err.Error(), "cannot look for the script") {
		t.Errorf("got %v", err)
	}
}
