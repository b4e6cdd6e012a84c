package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A readCase is a file that one call writes, or that is the project's, and the command
// that runs it.
type readCase struct {
	name, file, text string
	command          string
	project, session string // what is heard where it is the project's, and where the session wrote it
}

const clearsHome = "rm -rf ~/Documents\n"

var readCases = []readCase{
	{"a shell's script", "x.sh", "#!/bin/sh\nset -e\n" + clearsHome, "bash x.sh", "deny", "deny"},
	{"read in", "x.sh", clearsHome, ". ./x.sh", "deny", "deny"},
	{"by its path", "x.sh", "#!/bin/bash\n" + clearsHome, "nohup timeout 5 ./x.sh", "deny", "deny"},
	{"Python", "x.py", "import shutil, os\nshutil.rmtree(os.path.expanduser('~/Documents'))\n", "python3 x.py", "deny", "deny"},
	{"Python by its first line", "x", "#!/usr/bin/env python3\nimport os\nos.system('rm -rf ~/Documents')\n", "./x", "deny", "deny"},
	{"Node", "x.js", "require('child_process').execSync('rm -rf ~/Documents')\n", "node x.js", "deny", "deny"},
	{"Perl", "x.pl", "system('rm -rf ~/Documents');\n", "perl x.pl", "deny", "deny"},
	{"Ruby", "x.rb", "system('rm -rf ~/Documents')\n", "ruby x.rb", "deny", "deny"},
	{"PHP", "x.php", "<?php system('rm -rf ~/Documents');", "php x.php", "deny", "deny"},
	{"printed into a shell", "x.sh", clearsHome, "cat x.sh | sh", "deny", "deny"},
	{"as a shell's input", "x.sh", clearsHome, "sh < x.sh", "deny", "deny"},
	{"evaluated", "x.sh", clearsHome, `eval "$(cat x.sh)"`, "deny", "deny"},
	{"copied, then run", "x.sh", clearsHome, "cp x.sh y.sh && sh y.sh", "deny", "deny"},
	{"before a shell starts", "x.sh", clearsHome, "BASH_ENV=./x.sh bash -c ls", "deny", "deny"},
	{"a program of git's", "x.sh", "#!/bin/sh\n" + clearsHome, "GIT_EXTERNAL_DIFF=./x.sh git diff", "deny", "deny"},
	{"settings of git", "inc", "[core]\n\tpager = rm -rf ~/Documents;cat\n", "git -c include.path=$PWD/inc log", "deny", "deny"},
	{"a target", "Makefile", "all: dep\n\techo hi\ndep:\n\t" + clearsHome, "make all", "deny", "deny"},
	{"a target with a value", "Makefile", "X=out\nclean:\n\trm -rf $(X)\n", "make clean X=$HOME/Documents", "deny", "deny"},
	{"a script of a package", "package.json", `{"scripts":{"pretest":"rm -rf ~/Documents","test":"jest"}}`, "npm test", "deny", "deny"},
	{"the package around", "package.json", `{"scripts":{"test":"npm run -s lint","lint":"rm -rf ~/Documents"}}`, "yarn test", "deny", "deny"},
	{"a task", "Taskfile.yml", "version: '3'\ntasks:\n  default:\n    cmds:\n      - rm -rf ~/Documents\n", "task", "none", "deny"},
	{"another target", "Makefile", "test:\n\tgo test ./...\nwipe:\n\trm -rf ~/Documents\n", "make test", "none", "none"},
	{"loaded by a variable", "x.js", "require('child_process').execSync('rm -rf ~/Documents')\n", "NODE_OPTIONS=--require=./x.js node -v", "deny", "deny"},
	{"loaded by an option", "x.js", "require('child_process').execSync('rm -rf ~/Documents')\n", "node -r ./x.js -e 1", "deny", "deny"},
	{"at the start of Python", "x.py", "import os\nos.system('rm -rf ~/Documents')\n", "PYTHONSTARTUP=./x.py python3 -i", "deny", "deny"},
	{"a library", "x.so", "\x7fELF\x00\x01", "LD_PRELOAD=./x.so ls", "none", "deny"},
	{"a module", "helper.py", "import os\nos.system('rm -rf ~/Documents')\n", "python3 -c 'import helper'", "none", "deny"},
	{"another repository", "sub/.git/config", "[core]\n\tfsmonitor = \"rm -rf ~/Documents;\"\n", "git -C sub status", "deny", "deny"},
	{"a recipe", "justfile", "default:\n  rm -rf ~/Documents\n", "just", "none", "deny"},

	// What the project's own files clear up is theirs; what the session wrote counts like a command.
	{"clears up", "x.sh", "set -e\nB=build\nrm -rf \"$B\" dist\nT=$(mktemp -d)\ntrap 'rm -rf \"$T\"' EXIT\n", "bash x.sh", "none", "none"},
	{"a variable that is not known", "x.sh", "rm -rf \"$OUT\"\n", "bash x.sh", "none", "deny"},
	{"an uncommitted file", "x.sh", "git reset --hard\n", "bash x.sh", "none", "deny"},
	{"an uncommitted file, as a shell's input", "x.sh", "git reset --hard\n", "bash < x.sh", "none", "deny"},
	{"text that is not known", "x.sh", "eval \"$(cat notes | tr a-z b-za)\"\n", "bash x.sh", "none", "deny"},
	{"statements", "x.sql", "DROP TABLE users;", "psql -f x.sql", "none", "deny"},
	{"a program", "x", "\x7fELF\x00\x01", "./x", "none", "deny"},
	{"too large", "x.sh", strings.Repeat("#", 300_000) + "\n" + clearsHome, "bash x.sh", "none", "deny"},
	{"everyday", "x.sh", "go build ./... && go test ./...\n", "bash x.sh", "none", "none"},
	{"everyday target", "Makefile", "test:\n\tgo test ./...\nclean:\n\trm -rf bin dist\n", "make test clean", "none", "none"},
}

// TestReadFiles has the built program judge commands that run files: those of the project,
// and those that an earlier call of the same session wrote.
func TestReadFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range readCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, own := range []bool{false, true} {
				p := newVerdictPlace(t)
				file, want := filepath.Join(p.project, tt.file), tt.project
				if own {
					want = tt.session
					input, _ := json.Marshal(map[string]any{"session_id": "6f1d3c1e-8f0a-4f0e-9a57-2d0c5b1f7a10", "cwd": p.project, "hook_event_name": "PreToolUse", "tool_name": "Write",
						"tool_input": map[string]string{"file_path": file, "content": tt.text}})
					p.callHook("claude", input) // it may be asked about, and allowed
				}
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(tt.text), 0o700), os.Chmod(file, 0o700)); err != nil {
					t.Fatal(err)
				}
				heard, reply := p.callHook("claude", p.shellCall("claude", "", tt.command))
				if heard != want {
					t.Errorf("written by the session %v: heard %s, want %s\n%s", own, heard, want, reply)
				}
			}
		})
	}
}

// TestReadWrittenByShell has the session write by a command, and change what is there.
func TestReadWrittenByShell(t *testing.T) {
	t.Parallel()
	for _, write := range []string{"printf 'x' > x.sh", "cp /etc/hostname x.sh", "sed -i s/a/b/ x.sh", "echo x | base64 -d | tee x.sh", "curl -so x.sh https://files.example.com/x.sh"} {
		p := newVerdictPlace(t)
		file := filepath.Join(p.project, "x.sh")
		if err := os.WriteFile(file, []byte("\x00\x01"), 0o700); err != nil {
			t.Fatal(err)
		}
		if heard, _ := p.callHook("claude", p.shellCall("claude", "", "bash x.sh")); heard != "none" {
			t.Errorf("before %s: %s", write, heard)
		}
		p.callHook("claude", p.shellCall("claude", "", write))
		heard, reply := p.callHook("claude", p.shellCall("claude", "", "bash x.sh"))
		if heard != "deny" || !strings.Contains(reply, "cannot read") {
			t.Errorf("after %s: %s %s", write, heard, reply)
		}
	}
}
