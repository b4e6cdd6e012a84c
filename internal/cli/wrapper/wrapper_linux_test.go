package wrapper

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/wrap"
)

// A world is a home directory with a project, in which an agent starts commands through the wrapper.
type world struct {
	t                           testing.TB
	home, project, state, shell string
	store                       *wrap.Store
	env                         []string
}

const session = "0b5e"

func newWorld(t testing.TB) *world {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: top + "/home", project: top + "/home/project", state: top + "/home/.local/state/checkrein"}
	w.shell = filepath.Join(w.state, wrap.Program("claude"))
	for path, text := range map[string]string{
		w.home + "/notes":                      "notes\n",
		w.home + "/.netrc":                     "hidden\n",
		w.home + "/snapshot.sh":                "alias x=true\n",
		w.project + "/code":                    "code\n",
		w.state + "/walls/program":             "/bin/sh\n",
		filepath.Dir(w.shell) + "/placeholder": "",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", w.shell, "../../../cmd/checkrein-shell").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w.store = wrap.Open(state.NewDir(w.state), time.Now)
	w.env = []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/bash", "CLAUDE_CODE_SESSION_ID=" + session, "MY_TOKEN=hidden"}
	return w
}

// line returns the line with which Claude Code runs command.
func (w *world) line(command string) string {
	return `source ` + w.home + `/snapshot.sh 2>/dev/null || true && { \builtin shopt -u extglob; } >/dev/null 2>&1 || true && eval '` + strings.ReplaceAll(command, "'", `'"'"'`) + `' < /dev/null && pwd -P >| ` + w.project + `/cwd`
}

// issue issues a ticket for command, contained or not.
func (w *world) issue(command string, contained bool) {
	w.t.Helper()
	ticket := wrap.Ticket{Session: session, Dir: w.project, Command: command, CallID: "call" + strconv.FormatInt(time.Now().UnixNano(), 36)}
	if contained {
		place := walls.Place{Homes: []string{w.home}, Dirs: []string{w.project}, Own: []string{w.state}, Network: true}
		jail, err := place.Jail()
		if err != nil {
			w.t.Fatal(err)
		}
		ticket.Jail = &jail
	}
	if err := w.store.Issue(&ticket); err != nil {
		w.t.Fatal(err)
	}
}

// run starts text through the wrapper.
func (w *world) run(text string, env ...string) (output string, code int) {
	w.t.Helper()
	cmd := exec.Command(w.shell, text)
	cmd.Dir, cmd.Env = w.project, append(append([]string{}, w.env...), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run()
	return strings.TrimSpace(out.String()), cmd.ProcessState.ExitCode()
}

func skipWithoutWalls(t testing.TB, w *world) {
	t.Helper()
	if sandbox.CheckSupported() != nil {
		t.Skip("NO WALLS HERE")
	}
	if out, code := w.run(w.line("true")); code != 0 {
		t.Skipf("NO WALLS HERE: %s", out)
	}
}

func TestTickets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	skipWithoutWalls(t, w)
	const command = `echo x >> ~/notes && cat ~/.netrc && echo "$MY_TOKEN"`
	if out, code := w.run(w.line(command)); code == 0 {
		t.Errorf("without a ticket: %s", out)
	}
	w.issue(command, false)
	if out, code := w.run(w.line(command)); code != 0 || out != "hidden\nhidden" {
		t.Errorf("with a ticket: %d %s", code, out)
	}
	if out, code := w.run(w.line(command)); code == 0 {
		t.Errorf("used again: %s", out)
	}
	w.issue(command, false)
	w.issue(command, false)
	for range 2 {
		if out, code := w.run(w.line(command)); code != 0 {
			t.Errorf("two tickets: %s", out)
		}
	}
	w.issue(command, true)
	if out, code := w.run(w.line(command)); code == 0 {
		t.Errorf("with a ticket that contains it: %s", out)
	}
}

func TestNotPermitted(t *testing.T) {
	t.Parallel()
	const command = `cat ~/.netrc`
	for name, change := range map[string]func(w *world) (text string, env []string){
		"another session": func(w *world) (string, []string) { return w.line(command), []string{"CLAUDE_CODE_SESSION_ID=other"} },
		"another text":    func(w *world) (string, []string) { return w.line(command + " " + "-A"), nil },
		"another form":    func(w *world) (string, []string) { return command, nil },
		"two evals":       func(w *world) (string, []string) { return "eval 'true' && " + w.line(command), nil },
		"a hook's line": func(w *world) (string, []string) {
			return w.line("checkrein hook claude; cat ~/.netrc"), []string{"CLAUDE_PROJECT_DIR=/x"}
		},
		"a copied ticket": func(w *world) (string, []string) {
			dir := w.state + "/walls/tickets/"
			names, err := os.ReadDir(dir)
			if err != nil || len(names) != 1 {
				w.t.Fatal(names, err)
			}
			data, _ := os.ReadFile(dir + names[0].Name())
			w.run(w.line(command)) // uses it
			for _, n := range []string{".0", ".1", ".2"} {
				if err := os.WriteFile(dir+strings.TrimSuffix(names[0].Name(), ".0")+n, data, 0o600); err != nil {
					w.t.Fatal(err)
				}
			}
			return w.line(command), nil
		},
		"a forged ticket": func(w *world) (string, []string) {
			dir := w.state + "/walls/tickets/"
			names, _ := os.ReadDir(dir)
			data, _ := os.ReadFile(dir + names[0].Name())
			text := append([]byte{data[0] ^ 1}, data[1:]...)
			if err := os.WriteFile(dir+names[0].Name(), text, 0o600); err != nil {
				w.t.Fatal(err)
			}
			return w.line(command), nil
		},
		"an edited snapshot": func(w *world) (string, []string) {
			if err := os.WriteFile(w.home+"/snapshot.sh", []byte("cat() { /bin/cat ~/.netrc; }\n"), 0o600); err != nil {
				w.t.Fatal(err)
			}
			return w.line(command), nil
		},
		"no key": func(w *world) (string, []string) {
			if err := os.Remove(w.state + "/walls/key"); err != nil {
				w.t.Fatal(err)
			}
			return w.line(command), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			skipWithoutWalls(t, w)
			w.issue("true", false)
			w.run(w.line("true")) // the first command of the session
			w.issue(command, false)
			text, env := change(w)
			if out, code := w.run(text, env...); code == 0 || strings.Contains(out, "hidden") {
				t.Errorf("%d %s", code, out)
			}
		})
	}
}

func TestOwnProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, text := range []string{"cat ~/.netrc", "eval 'cat'\" ~/.netrc\""} {
		if out, code := w.run(text, "CLAUDE_PROJECT_DIR="+w.project); code != 0 || out != "hidden" {
			t.Errorf("a hook: %d %s", code, out)
		}
	}
	if err := os.WriteFile(w.state+"/walls/program", []byte("/nowhere/checkrein\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := w.run(w.line("cat ~/.netrc")); code != 0 || out != "hidden" {
		t.Errorf("checkrein was removed: %d %s", code, out)
	}
}

func TestAsBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	skipWithoutWalls(t, w)
	for command, want := range map[string]string{
		"exit 7":                        "7 ",
		"kill -9 $$":                    "-1 ",
		"echo 'a  b' \"$HOME\" | wc -w": "0 3",
		"cat <<X\na\nX":                 "0 a",
		"cd / && pwd":                   "0 /",
		"cat":                           "0 ",
		"echo $0":                       "0 /bin/bash",
		"(sleep 0.1; echo late) & wait": "0 late",
	} {
		for _, contained := range []bool{false, true} {
			w.issue(command, contained)
			out, code := w.run(w.line(command))
			if got := strconv.Itoa(code) + " " + out; got != want {
				t.Errorf("%s, contained %v: %s", command, contained, got)
			}
		}
	}
}
