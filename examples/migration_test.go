package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever comes from another system brings a folder. It runs as it is once it is
// approved: in a repository and outside of one, whichever shell is the system's.

// systemShell has /bin/sh be another shell for what p runs, in a mount namespace.
func (p *place) systemShell(t *testing.T, shell string) {
	t.Helper()
	needs(t, "unshare", shell)
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Fatal(err)
	}
	as := []string{"unshare", "-rm", "sh", "-c", `mount --bind "$0" "$(readlink -f /bin/sh)" && exec "$@"`, path}
	if out, err := exec.Command(as[0], append(as[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: /bin/sh cannot be replaced here (%v), so nothing was run with %s: %s", err, shell, out)
	}
	p.as = as
}

// withoutBash leaves everything in PATH but bash.
func (p *place) withoutBash(t *testing.T) {
	t.Helper()
	bin := filepath.Join(filepath.Dir(p.dir), "nobash")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, e := range p.env {
		path, ok := strings.CutPrefix(e, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			entries, _ := os.ReadDir(dir)
			for _, f := range entries {
				if f.Name() != "bash" && f.Name() != "rbash" {
					_ = os.Symlink(filepath.Join(dir, f.Name()), filepath.Join(bin, f.Name())) // the first one counts
				}
			}
		}
		p.env[i] = "PATH=" + bin
	}
}

// A newcomer is a folder of another system.
type newcomer struct {
	name  string
	bring func(*testing.T) *place
	file  string // that is named, "" = it is read by itself
	cases []migrated
}

type migrated struct {
	ev   payload
	says string // the reason of its denial, "" = it passes
}

func newcomers() []newcomer {
	const hostile = "echo \"a\\nb\" 'c\td' \\\\\n"
	return []newcomer{
		{"starchild", func(t *testing.T) *place {
			needs(t, "python3", "bash")
			p := skill(t)
			p.must(t, "sh", "-ec", p.document(t, "workflow/3-copy.sh"))
			p.put(t, "testdata/starchild/minimal_block.sh", "hooks/minimal_block.sh")
			p.wire(t, filepath.Join(p.dir, "hooks/security_guard.py"), "on_user_message", "pre_tool_call")
			p.wire(t, filepath.Join(p.dir, "hooks/minimal_block.sh"), "pre_tool_call")
			return p
		}, "", []migrated{
			{bash("mkfs.ext4 /dev/sda1"), "This command is irreversible and would erase data, so I've blocked it: mkfs.ext4 /dev/sda1"},
			{bash(hostile + "mkfs.ext4 /dev/sda1"), "This command is irreversible and would erase data, so I've blocked it: " + hostile + "mkfs"},
			{payload{"event": "on_user_message", "message": hostile + exampleKey}, "[security]"},
			{bash(hostile + "ls"), ""},
		}},
		{"HOOK.md", func(t *testing.T) *place {
			needs(t, "bash")
			return specification(t)
		}, "", []migrated{
			{hookShell("mkfs /dev/sda1"), "Dangerous command blocked"},
			{hookShell(hostile + "kubectl --context production"), "This operation affects production environment and is not allowed"},
			{hookShell(hostile + "ls"), ""},
		}},
		{"docker-agent's page", func(t *testing.T) *place { return dockerPage(t) }, "configuration.yaml", []migrated{
			{shell("pre_tool_use", "sudo apt update"), "Dangerous command blocked by policy"},
			{shell("pre_tool_use", hostile+"rm -rf build"), "Dangerous command blocked by policy"}, // of sudo it knows first lines only
			{shell("pre_tool_use", hostile+"ls"), ""},
		}},
		{"docker-agent's one-stop file", func(t *testing.T) *place { return dockerPage(t) }, "one_stop.yaml", []migrated{
			{shell("pre_tool_use", "sudo apt update"), "🚫 HOOK BLOCKED: dangerous command pattern detected."},
			{shell("pre_tool_use", hostile+"sudo apt update"), "🚫 HOOK BLOCKED: dangerous command pattern detected."},
		}},
		{"the guide's Claude Code settings", func(t *testing.T) *place {
			p := newPlace(t)
			p.put(t, "three-layers/claude/settings.json", ".claude/settings.json")
			p.put(t, "three-layers/claude/hooks", ".claude/hooks")
			p.write(t, ".claude/settings.json", strings.Replace(p.read(t, ".claude/settings.json"), `"hooks": {`,
				`"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "INPUT=$(cat); echo \"$INPUT\" | jq -e '.tool_input.command | test(\"sudo\")' >/dev/null && { echo 'no sudo here' >&2; exit 2; }; exit 0"}]}],`, 1))
			return p
		}, ".claude/settings.json", []migrated{
			{claudeBash(hostile + "sudo apt update"), "no sudo here"},
			{claudeBash(hostile + "ls"), ""},
		}},
	}
}

func TestMigration(t *testing.T) {
	t.Parallel()
	needs(t, "git", "jq")
	for _, n := range newcomers() {
		for _, where := range []string{"in a repository", "outside of one"} {
			for _, shell := range []string{"dash", "bash", "no bash"} {
				if shell == "no bash" && n.file == "" {
					continue // its own scripts name bash
				}
				t.Run(n.name+"/"+where+"/"+shell, func(t *testing.T) {
					t.Parallel()
					p := n.bring(t)
					var args []string
					if n.file != "" {
						args = []string{"-c", n.file}
					}
					if where == "in a repository" {
						p.must(t, "git", "init", "-q")
					}
					if _, said, _ := p.run(t, "", "checkrein", "init", "--dry-run"); !strings.Contains(said, n.file) {
						t.Errorf("init does not find it:\n%s", said)
					}
					p.must(t, "checkrein", append([]string{"hooks", "approve", "--all", "--cannot-tell"}, args...)...)
					if shell == "no bash" {
						p.withoutBash(t)
					} else {
						p.systemShell(t, shell)
					}
					for _, c := range n.cases {
						v := p.answered(t, c.ev, args...)
						if (v.Decision == "deny") != (c.says != "") || !strings.Contains(v.Reason, c.says) {
							t.Errorf("%v: want %q, got %s", c.ev, c.says, v.raw)
						}
					}
				})
			}
		}
	}
}

// An agent file of docker-agent with ./scripts runs by checkrein run: outside of a
// repository at once, in one when it is approved.
func TestMigrationRuns(t *testing.T) {
	t.Parallel()
	needs(t, "git")
	for _, where := range []string{"in a repository", "outside of one"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			p := dockerPage(t)
			p.quiet(t)
			p.spoken(t, "configuration.yaml", "scripted/demo")
			p.write(t, "configuration.yaml", strings.Replace(p.read(t, "configuration.yaml"), "    hooks:\n", "    toolsets: [{type: shell}]\n    hooks:\n", 1))
			if where == "in a repository" {
				p.must(t, "git", "init", "-q")
				if _, errs, code := p.run(t, "", "checkrein", "run", "configuration.yaml", "Run: sudo true"); code != 4 || !strings.Contains(errs, "checkrein hooks approve -c") {
					t.Errorf("before it is approved: exit %d\n%s", code, errs)
				}
				p.must(t, "checkrein", "hooks", "approve", "-c", "configuration.yaml", "--all", "--cannot-tell")
			}
			_, errs, code := p.run(t, "", "checkrein", "run", "configuration.yaml", "Run: sudo true")
			if code != 0 || !strings.Contains(errs, "Dangerous command blocked by policy") || strings.Contains(errs, "not approved") {
				t.Errorf("exit %d\n%s", code, errs)
			}
		})
	}
}
