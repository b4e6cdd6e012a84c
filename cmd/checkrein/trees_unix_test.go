//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A clone is a repository that came from a stranger, and a home to work from.
type clone struct {
	t         *testing.T
	dir, home string
}

func newClone(t *testing.T) clone {
	t.Helper()
	c := clone{t, t.TempDir(), t.TempDir()}
	c.write(".git/HEAD", "ref: refs/heads/main\n")
	return c
}

func (c clone) write(name, text string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// folder makes a hook folder whose script denies the shell.
func (c clone) folder(name string) {
	c.write(".agents/hooks/"+name+"/HOOK.md", "---\nname: "+name+"\ndescription: x\ntrigger: before_tool\nmatcher: {tool: Shell}\n---\n")
	c.write(".agents/hooks/"+name+"/scripts/run.sh", "#!/bin/sh\necho no from "+name+" >&2\nexit 2\n")
}

func (c clone) run(stdin string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command(filepath.Join(programs, "checkrein"), args...)
	cmd.Env, cmd.Dir, cmd.Stdin = []string{"HOME=" + c.home, "PATH=" + os.Getenv("PATH")}, c.dir, strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		c.t.Fatalf("%q: %v %s%s", args, err, out.Bytes(), errs.Bytes())
	}
	return out.String()
}

// calls asks about a tool, and returns the decision and what the person is told.
func (c clone) calls(tool string) (decision string, told []string) {
	c.t.Helper()
	out := c.run(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"`+tool+`","tool_input":{"command":"ls"}}`, "hook", "claude")
	if out == "" {
		return "", nil
	}
	var answer struct {
		SystemMessage      string
		HookSpecificOutput struct{ PermissionDecision string }
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
	if answer.SystemMessage != "" {
		told = strings.Split(answer.SystemMessage, "\n")
	}
	return answer.HookSpecificOutput.PermissionDecision, told
}

// read counts what was read of the project: each file that is parsed leaves its
// reading behind.
func (c clone) read() int {
	files, _ := os.ReadDir(filepath.Join(c.home, ".local/state/checkrein/cache"))
	return len(files)
}

// However much a repository brings, it is not read, it is said in one line, and
// approved gates stay where they are.
func TestLargeTreesAreLimited(t *testing.T) {
	t.Parallel()
	const many = 1500
	gate := "version: 1\nhooks:\n  pre_tool_use:\n    - {name: gate, matcher: shell, type: rule, decision: deny, reason: no from gate}\n"
	for _, tt := range []struct {
		name  string
		gate  func(c clone) // what is approved first
		flood func(c clone)
		tell  string // the line
		most  int    // files that are read
	}{
		{name: "hook folders", gate: func(c clone) { c.folder("zz-gate") }, tell: "more than 1000 entries", flood: func(c clone) {
			for i := range many {
				c.folder(fmt.Sprintf("h%d", i))
			}
		}, most: 1},
		{name: "fewer hook folders", gate: func(c clone) { c.folder("zz-gate") }, tell: "more than 100 unapproved hook folders", flood: func(c clone) {
			for i := range 101 {
				c.folder(fmt.Sprintf("h%d", i))
			}
		}, most: 1},
		{name: "names that are no folders", gate: func(c clone) { c.folder("zz-gate") }, tell: "more than 1000 entries", flood: func(c clone) {
			for i := range many {
				c.write(fmt.Sprintf(".agents/hooks/f%d", i), "")
			}
		}, most: 1},
		{name: "folders with much in them", gate: func(c clone) { c.folder("zz-gate") }, tell: "more than 64 KiB", flood: func(c clone) {
			for i := range 50 {
				c.write(fmt.Sprintf(".agents/hooks/h%d/HOOK.md", i), fmt.Sprintf("---\nname: h%d\ndescription: x\ntrigger: before_tool\n#%s\n---\n", i, strings.Repeat("x", 50<<10)))
			}
		}, most: 1 + 1},
		{name: "hooks in a file", gate: func(c clone) { c.write("config/gate/HOOK.md", ""); c.folder("zz-gate") }, tell: "considers at most 256", flood: func(c clone) {
			c.write("checkrein.yaml", "version: 1\nhooks:\n  pre_tool_use:\n"+strings.Repeat("    - {type: rule, decision: deny}\n", 900))
		}, most: 2},
		{name: "hooks beside the gate", gate: func(c clone) { c.write("checkrein.yaml", gate) }, tell: "considers at most 256", flood: func(c clone) {
			c.write("checkrein.yaml", gate+strings.Repeat("    - {type: rule, decision: deny}\n", 900))
		}, most: 2},
		{name: "includes", gate: func(c clone) { c.folder("zz-gate") }, tell: "files in this project cannot be read", flood: func(c clone) {
			c.write("checkrein.yaml", "version: 1\ninclude:\n"+strings.Repeat("  - nowhere.yaml\n", 900))
		}, most: 2},
		{name: "includes before the gate's", gate: func(c clone) {
			c.write("checkrein.yaml", "version: 1\ninclude: [gate.yaml]\n")
			c.write("gate.yaml", gate)
		}, tell: "files in this project cannot be read", flood: func(c clone) {
			c.write("checkrein.yaml", "version: 1\ninclude:\n"+strings.Repeat("  - nowhere.yaml\n", 50)+"  - gate.yaml\n")
		}, most: 3},
		{name: "included files", gate: func(c clone) { c.folder("zz-gate") }, tell: "more than 64 KiB", flood: func(c clone) {
			text := "version: 1\ninclude:\n"
			for i := range 90 {
				c.write(fmt.Sprintf("i%d.yaml", i), "version: 1\n#"+strings.Repeat("x", 20<<10)+"\n")
				text += fmt.Sprintf("  - i%d.yaml\n", i)
			}
			c.write("checkrein.yaml", text)
		}, most: 2 + 3},
		{name: "a file without an end", gate: func(c clone) { c.folder("zz-gate") }, tell: "larger than 32 KiB", flood: func(c clone) {
			c.write("checkrein.yaml", "version: 1\n")
			if err := os.Truncate(filepath.Join(c.dir, "checkrein.yaml"), 10<<30); err != nil {
				t.Skip(err)
			}
		}, most: 1},
		{name: "a folder's file without an end", gate: func(c clone) { c.folder("zz-gate") }, tell: "cannot be read", flood: func(c clone) {
			c.write(".agents/hooks/a/HOOK.md", "---\n")
			if err := os.Truncate(filepath.Join(c.dir, ".agents/hooks/a/HOOK.md"), 10<<30); err != nil {
				t.Skip(err)
			}
		}, most: 1},
		{name: "pipes for files", gate: func(c clone) { c.folder("zz-gate") }, tell: "not a regular file", flood: func(c clone) {
			c.write(".agents/hooks/a/x", "")
			for _, name := range []string{"checkrein.yaml", ".agents/hooks/a/HOOK.md"} {
				if err := syscall.Mkfifo(filepath.Join(c.dir, name), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}, most: 1},
		{name: "a pipe for the settings beside", gate: func(c clone) { c.folder("zz-gate") }, tell: "", flood: func(c clone) {
			c.write("config/shell_hooks.yaml", "hooks: []\n")
			if err := syscall.Mkfifo(filepath.Join(c.dir, "config/agent.yaml"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, most: 2},
		{name: "links in a circle", gate: func(c clone) { c.folder("zz-gate") }, tell: "", flood: func(c clone) {
			for _, link := range []string{"loop", "up"} {
				if err := os.Symlink(map[string]string{"loop": "loop", "up": "."}[link], filepath.Join(c.dir, ".agents/hooks", link)); err != nil {
					t.Fatal(err)
				}
			}
		}, most: 1},
		{name: "names that stand for each other", gate: func(c clone) { c.folder("zz-gate") }, tell: "its hooks are ignored because none was ever approved", flood: func(c clone) {
			text := "version: 1\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
			for i := range 9 {
				text += fmt.Sprintf("a%d: &a%[1]d [%s]\n", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 10), ","))
			}
			c.write("checkrein.yaml", text+"hooks: *a9\n")
		}, most: 1},
		{name: "deep nesting", gate: func(c clone) { c.folder("zz-gate") }, tell: "its hooks are ignored because none was ever approved", flood: func(c clone) {
			c.write("checkrein.yaml", "version: 1\nhooks: "+strings.Repeat("[", 30_000)+"\n")
		}, most: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			c.write(".agents/hooks/README", "")
			tt.flood(c)
			decision, told := c.calls("Bash")
			if decision != "" {
				t.Errorf("nothing approved: %s %q", decision, told)
			}
			if want := min(len(tt.tell), 1); len(told) != want && tt.name != "pipes for files" || !strings.Contains(strings.Join(told, "\n"), tt.tell) {
				t.Errorf("told %q, want one line with %q", told, tt.tell)
			}
			if n := c.read(); n > tt.most {
				t.Errorf("%d files were read, want at most %d", n, tt.most)
			}
			if decision, again := c.calls("Bash"); decision != "" || len(again) != 0 {
				t.Errorf("the second time: %s %q", decision, again)
			}

			c = newClone(t)
			c.write(".agents/hooks/README", "")
			tt.gate(c)
			c.run("", "hooks", "approve", "--all")
			tt.flood(c)
			if decision, told := c.calls("Bash"); decision != "deny" {
				t.Errorf("the approved gate is gone: %q", told)
			}
			if decision, told := c.calls("Read"); decision != "" {
				t.Errorf("Read: %s %q", decision, told)
			}
			if n := c.read(); n > tt.most+1 {
				t.Errorf("with the gate %d files were read, want at most %d", n, tt.most+1)
			}
		})
	}
}

// What other users put above a session, or where everyone may write, is no project:
// nobody hears of it, and it is not read.
func TestWhereProjectFilesAreFound(t *testing.T) {
	t.Parallel()
	const none, told, shared = "", "nobody approved|did not run", "other users can write to it"
	for _, tt := range []struct {
		name string
		make func(c *clone)
		want string
		root bool // it needs another user
	}{
		{name: "its own directory", make: func(c *clone) {}, want: told},
		{name: "a directory above", make: func(c *clone) { c.descend("a/b") }, want: told},
		{name: "everyone may write to it", make: func(c *clone) { c.makeWorldWritable() }, want: shared},
		{name: "everyone may write to one above", make: func(c *clone) { c.makeWorldWritable(); c.descend("a/b") }, want: none},
		{name: "a repository that everyone may write to", make: func(c *clone) { c.makeWorldWritable(); c.write(".git/HEAD", ""); c.descend("a") }, want: told},
		{name: "the home", make: func(c *clone) { c.home = c.dir; c.descend("a") }, want: none},
		{name: "above the home", make: func(c *clone) { c.descend("home/a"); c.home = filepath.Dir(c.dir) }, want: none},
		{name: "another user's above", make: func(c *clone) { c.changeOwner(c.dir); c.descend("a") }, want: none, root: true},
		{name: "another user's", make: func(c *clone) { c.changeOwner(c.dir) }, want: shared, root: true},
		{name: "another user's repository", make: func(c *clone) {
			c.write(".git/HEAD", "")
			c.changeOwner(c.dir)
			c.changeOwner(filepath.Join(c.dir, ".git"))
		}, want: told, root: true},
		{name: "another user's repository above", make: func(c *clone) {
			c.write(".git/HEAD", "")
			c.changeOwner(c.dir)
			c.changeOwner(filepath.Join(c.dir, ".git"))
			c.descend("a")
		}, want: none, root: true},
		{name: "another user made a repository of it", make: func(c *clone) {
			c.makeWorldWritable()
			c.write(".git/HEAD", "")
			c.changeOwner(filepath.Join(c.dir, ".git"))
			c.descend("a")
		}, want: none, root: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.root && os.Geteuid() != 0 {
				t.Skip("other users' directories need root")
			}
			c := clone{t, t.TempDir(), t.TempDir()}
			c.write("checkrein.yaml", "version: 1\nhooks:\n  pre_tool_use:\n    - {type: rule, decision: deny}\n")
			tt.make(&c)
			decision, said := c.calls("Read")
			if decision != "" {
				t.Errorf("%s %q", decision, said)
			}
			switch text := strings.Join(said, "\n"); {
			case tt.want == none && text != "", tt.want != none && !slices.ContainsFunc(strings.Split(tt.want, "|"), func(s string) bool { return strings.Contains(text, s) }):
				t.Errorf("said %q, want %q", text, tt.want)
			}
		})
	}
}

func (c *clone) descend(name string) {
	c.write(name+"/x", "")
	c.dir = filepath.Join(c.dir, name)
}

func (c *clone) makeWorldWritable() {
	if err := os.Chmod(c.dir, 0o777); err != nil {
		c.t.Fatal(err)
	}
}

func (c *clone) changeOwner(path string) {
	if err := os.Chown(path, 4711, 4711); err != nil {
		c.t.Fatal(err)
	}
}

// An approved gate of a directory that everyone may write to is what it was.
func TestApprovalInWorldWritableDirectory(t *testing.T) {
	t.Parallel()
	c := clone{t, t.TempDir(), t.TempDir()}
	c.folder("gate")
	c.run("", "hooks", "approve", "--all")
	c.makeWorldWritable()
	c.write("checkrein.yaml", "version: 1\nhooks:\n  pre_tool_use:\n    - {type: rule, decision: deny}\n")
	if decision, said := c.calls("Bash"); decision != "deny" {
		t.Errorf("%q", said)
	}
	if decision, said := c.calls("Read"); decision != "" {
		t.Errorf("%q", said)
	}
}

// Nor does anything else of a project hold a call up: a pipe in the place of what is
// read, and files and directories without an end.
func TestProjectCannotDelayCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, command string
		pipe, endless string
		want          string
	}{
		{name: "what is checked out", command: "git push origin main", pipe: ".git/HEAD"},
		{name: "git's settings", command: "git push --force", pipe: ".git/config", want: "deny"},
		{name: "endless settings", command: "git push --force", endless: ".git/config", want: "deny"},
		{name: "packed refs", command: "git branch -D x", pipe: ".git/packed-refs"},
		{name: "endless packed refs", command: "git branch -D x", endless: ".git/packed-refs"},
		{name: "a directory that a pattern names", command: "rm -rf p/*", pipe: "p"},
		{name: "a directory that is named", command: "kubectl delete -f p", pipe: "p", want: "deny"},
		{name: "a script", command: "sh p; . ./p", pipe: "p"},
		{name: "an endless script", command: "sh p", endless: "p"},
		{name: "a makefile", command: "make", pipe: "Makefile"},
		{name: "scripts of a package", command: "npm test", pipe: "package.json"},
		{name: "an endless package", command: "npm test", endless: "package.json"},
		{name: "settings of the host", command: "ls", pipe: ".claude/settings.json"},
		{name: "policy", command: "ls", pipe: "checkrein-policy.yaml"},
		{name: "the hook folders", command: "ls", pipe: ".agents/hooks"},
		{name: "the folder above them", command: "ls", pipe: ".agents"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			path := filepath.Join(c.dir, tt.pipe+tt.endless)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(path)
			if tt.pipe != "" {
				if err := syscall.Mkfifo(path, 0o600); err != nil {
					t.Fatal(err)
				}
			} else {
				c.write(tt.endless, "")
				if err := os.Truncate(path, 10<<30); err != nil {
					t.Skip(err)
				}
			}
			out := c.run(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"`+tt.command+`"}}`, "hook", "claude")
			if tt.want != "" && !strings.Contains(out, `"permissionDecision":"`+tt.want+`"`) {
				t.Errorf("got %s, want %s", out, tt.want)
			}
			c.run(`{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}`, "hook", "claude")
		})
	}
}

// A host's file that came with the project is read up to a size, and named in short.
func TestManyHooksInAHostsFile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n    int
		want string
	}{{50, "and 42 more"}, {5000, "too large to read"}} {
		c := newClone(t)
		var events []string
		for i := range tt.n {
			events = append(events, fmt.Sprintf(`"E%d":[{"hooks":[{"type":"command","command":"x"}]}]`, i))
		}
		c.write(".claude/settings.json", `{"hooks":{`+strings.Join(events, ",")+`}}`)
		out := c.run(`{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}`, "hook", "claude")
		if !strings.Contains(out, tt.want) || len(out) > 2000 {
			t.Errorf("%d: got %.300s, want %s", tt.n, out, tt.want)
		}
	}
}

// Nobody waits for what was put among the scripts of an approved folder: it is
// changed, and its gate says so.
func TestManyFilesInScriptsFolder(t *testing.T) {
	t.Parallel()
	c := newClone(t)
	c.folder("gate")
	c.write(".agents/hooks/gate/HOOK.md", "---\nname: gate\ndescription: x\ntrigger: before_tool\nmatcher: {tool: Shell}\non_error: block\n---\n")
	c.run("", "hooks", "approve", "--all")
	for i := range 1100 {
		if err := os.MkdirAll(filepath.Join(c.dir, ".agents/hooks/gate/scripts", fmt.Sprint(i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if decision, said := c.calls("Bash"); decision != "deny" {
		t.Errorf("got %q %q", decision, said)
	}
}
