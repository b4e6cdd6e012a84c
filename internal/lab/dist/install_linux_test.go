package dist

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// A way is one way to install checkrein on a machine, and to remove it again.
type way struct {
	name    string
	prepare func(m *machine, r release) // before the clock starts: what the package is brought by
	install func(m *machine)
	program string // that agents call
	remove  func(m *machine)
}

var ways = []way{
	{
		name: "deb", program: "/usr/bin/checkrein",
		prepare: func(m *machine, r release) {
			m.put(r.file(m.t, "checkrein_VERSION_linux_"+runtime.GOARCH+".deb"), "/tmp/checkrein.deb")
		},
		install: func(m *machine) { m.run("root", "apt-get install -qy /tmp/checkrein.deb") },
		remove: func(m *machine) {
			if out := m.run("root", "apt-get purge -qy checkrein"); !strings.Contains(out, "checkrein uninstall --all") {
				m.t.Errorf("removing the package does not say what else to do:\n%s", out)
			}
		},
	},
	{
		name: "archive", program: "/usr/local/bin/checkrein",
		prepare: func(m *machine, r release) {
			m.put(filepath.Join(filepath.Dir(r.dir), "scripts/install.sh"), "/tmp/install.sh")
			for _, name := range []string{"checksums.txt", "checkrein_VERSION_linux_" + runtime.GOARCH + ".tar.gz"} {
				m.put(r.file(m.t, name), "/tmp/releases/latest/download/"+filepath.Base(r.file(m.t, name)))
			}
			m.putProgram("curl")
		},
		install: func(m *machine) {
			m.run(user, "sh /tmp/install.sh --from file:///tmp/releases; sudo .local/bin/checkrein install --system; rm -r .local")
		},
		remove: func(m *machine) { m.run(user, "sudo checkrein uninstall --system") },
	},
	{
		name: "npm", program: "/usr/local/bin/checkrein",
		prepare: func(m *machine, r release) {
			m.put(need(m.t, "node"), "/usr/bin/node")
			npm, err := filepath.EvalSymlinks(need(m.t, "npm"))
			if err != nil {
				m.t.Fatal(err)
			}
			m.put(filepath.Dir(filepath.Dir(npm)), "/usr/lib/node_modules/npm")
			m.run("root", "ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm; ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/bin/npx")
			m.put(r.file(m.t, "npm/checkrein-VERSION.tgz"), "/tmp/checkrein.tgz")
			m.put(r.file(m.t, "npm/checkrein-linux-"+nodeArch()+"-VERSION.tgz"), "/tmp/programs.tgz")
		},
		install: func(m *machine) {
			m.run(user, "mkdir tool; cd tool; npm install --offline --no-audit --no-fund /tmp/checkrein.tgz /tmp/programs.tgz")
			if out, err := m.start(user, "cd tool; npx --offline checkrein </dev/null").CombinedOutput(); err == nil || !strings.Contains(string(out), "Run: sudo ") {
				m.t.Errorf("without a terminal: %v\n%s", err, out)
			}
			m.run(user, "cd tool; script -qec 'npx --offline checkrein version' /dev/null; cd; rm -r tool .npm")
		},
		remove: func(m *machine) { m.run(user, "sudo checkrein uninstall --system") },
	},
}

// nodeArch returns Node's name of this processor.
func nodeArch() string { return strings.Replace(runtime.GOARCH, "amd64", "x64", 1) }

// limit is how long it may take from when the package is there until a call of a real agent is blocked.
const limit = time.Minute

// TestCleanRoot installs each package on a machine of its own, lets a real Claude Code call what must be
// blocked, and removes everything again.
func TestCleanRoot(t *testing.T) {
	r := open(t)
	if os.Getenv(hosttest.Var) == "" {
		t.Setenv(hosttest.Var, "1")
	}
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			m := newMachine(t)
			agent := hosttest.New(t).Host("claude").OpenSpace()
			call := hostlab.Run{Prompt: "please go"}
			argv := agent.Argv(call)
			m.put(argv[0], "/usr/bin/claude")
			w.prepare(m, r)
			m.run(user, "mkdir .claude Documents; echo 'ten years of work' >Documents/thesis.txt")
			before := m.files("home/"+user+"/.claude", "home/"+user+"/.claude.json")

			began := time.Now()
			w.install(m)
			m.run(user, "checkrein install --all")
			agent.Model().Play(mockmodel.Script{Turns: []mockmodel.Turn{{Calls: []mockmodel.Call{mockmodel.Shell("rm -rf ~/Documents")}}}})
			out := m.run(user, "claude "+quote(argv[1:]), m.environ(agent)...)
			took := time.Since(began)
			t.Logf("%s: %.1f s from the package to the first block", w.name, took.Seconds())
			if took > limit {
				t.Errorf("the first block took %s, want at most %s", took, limit)
			}

			result, ok := agent.Model().Record().Result(0, 0)
			if !ok || !strings.Contains(result.Text, "checkrein blocked rm -rf ~/Documents") {
				t.Errorf("the model got %q\n%s", result.Text, out)
			}
			if !m.has("home/" + user + "/Documents/thesis.txt") {
				t.Error("the command ran")
			}
			if said := m.run(user, "checkrein explain; checkrein audit verify; grep -o '"+w.program+" hook' .claude/settings.json | head -n 1"); !strings.Contains(said, "DENIED  rm -rf ~/Documents") || !strings.Contains(said, w.program+" hook") {
				t.Errorf("afterwards:\n%s", said)
			}

			m.uninstall(w)
			for name, change := range changes(before, m.files("home/"+user+"/.claude", "home/"+user+"/.claude.json")) {
				t.Errorf("%s is %s", name, change)
			}
			if m.has("home/" + user + "/.claude/settings.json") {
				t.Error("Claude Code's settings.json, which install created, is still there")
			}
		})
	}
}

// uninstall removes checkrein as its own messages describe.
func (m *machine) uninstall(w way) {
	m.t.Helper()
	out := m.run(user, "checkrein uninstall --all")
	_, kept, found := strings.Cut(out, "To remove this too: ")
	if !found {
		m.t.Fatalf("uninstall does not say how to remove the rest:\n%s", out)
	}
	m.run(user, kept)
	m.run(user, "rmdir -p .local/state") // other programs keep files there, so an uninstall leaves it
	w.remove(m)
}

// putProgram copies a program of the real machine with its libraries.
func (m *machine) putProgram(name string) {
	m.t.Helper()
	path := need(m.t, name)
	m.put(path, "/usr/bin/"+name)
	for word := range strings.FieldsSeq(run(m.t, "/", "ldd", path)) {
		if filepath.IsAbs(word) && !m.has(word) {
			m.put(word, word)
		}
	}
}

// environ returns the variables of an agent's run on the machine.
func (m *machine) environ(agent *hosttest.Space) (env []string) {
	for _, v := range agent.Environ(nil) {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "HOME", "PATH", "TMPDIR", "CLAUDE_CONFIG_DIR": // those of the machine
		default:
			env = append(env, v)
		}
	}
	return env
}

// quote returns arguments as words of a shell command.
func quote(args []string) string {
	var words []string
	for _, a := range args {
		words = append(words, "'"+strings.ReplaceAll(a, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}

// changes returns how files differ.
func changes(before, after map[string]string) map[string]string {
	all := map[string]string{}
	for name, was := range before {
		if is, ok := after[name]; !ok {
			all[name] = "gone"
		} else if is != was {
			all[name] = "changed: " + was + ", now " + is
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			all[name] = "left behind"
		}
	}
	return all
}
