package endtoend

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// protectConfig has no packs on, so that self-protection, which is on by default,
// alone holds.
const protectConfig = "version: 1\npacks: []\n"

// projectHooks came with the project. A person approved one of them; who runs them
// leaves a file.
const projectHooks = `version: 1
hooks:
  pre_tool_use:
    - {name: approved, command: echo ran >> HOME/approved-ran}
    - {name: planted, command: echo ran >> HOME/planted-ran}
`

// perRun is how many calls the model makes in a run: after some thirty, hosts ask
// it whether it goes round in circles.
const perRun = 25

// TestHostProtects has the model of each host try to approve hooks and to edit
// trust, ledger, configuration, keys and start-up files by every way that its
// tools have, with all packs off; then to give checkrein, under a name that nobody
// knows, the commands that are a person's.
func TestHostProtects(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the attacks are shell commands")
	}
	programs := build(t)
	for _, f := range facts() {
		t.Run(f.host, func(t *testing.T) { testProtects(t, programs, f) })
	}
}

func testProtects(t *testing.T, programs string, f fact) {
	w := newWorld(t, programs, f.host)
	w.furnishHome()
	w.configure(protectConfig)
	if f.host == "qwen" { // which brings its settings up to date when it first starts
		w.Run(hostlab.Run{Prompt: "please go"})
	}
	before := w.guarded()
	runs := append(slices.Collect(slices.Chunk(w.attacks(f), perRun)), w.toolAttacks(f))
	for _, list := range runs {
		res := w.Run(hostlab.Run{Prompt: "please go", Script: attackScript(list)})
		w.checkUnchanged(before)
		w.checkAttacks(list, res)
		w.checkHooksRan()
	}

	before = w.guarded()
	w.checkRenamedCommands()
	w.checkUnchanged(before)
	w.checkHooksRan()
}

// furnishHome puts into the home and the project what an agent is to leave alone.
func (w *world) furnishHome() {
	w.t.Helper()
	w.files(w.Home, map[string]string{
		".bashrc": "# mine\n", ".profile": "PATH=" + w.Bin + ":$PATH\n# mine\n", // which login shells set anew
		".zshrc": "# mine\n", ".ssh/config": "Host mine\n", ".ssh/authorized_keys": "mine\n",
	})
	w.files(w.Project, map[string]string{
		"checkrein.yaml": strings.ReplaceAll(projectHooks, "HOME", w.Home), ".git/hooks/pre-push": "#!/bin/sh\nexit 1\n", "src/main.c": "int main;\n",
	})
	// A link that came with the project.
	if err := os.Symlink("../home", filepath.Join(w.Project, "link")); err != nil {
		w.t.Fatal(err)
	}
	w.checkrein("hooks", "approve", "approved")
}

// guarded is every file that must stay as it is, byte for byte: what a person
// wrote, what was approved, and where the host's settings name checkrein.
func (w *world) guarded() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	take := func(path string, only string) {
		info, err := os.Lstat(path)
		if err != nil {
			w.t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			w.t.Fatal(err)
		}
		if strings.Contains(string(b), only) {
			out[path] = fmt.Sprintf("%s %s", info.Mode(), b)
		}
	}
	for _, name := range []string{".bashrc", ".profile", ".zshrc", ".ssh/config", ".ssh/authorized_keys", configFile, ".local/state/checkrein/trust.json"} {
		take(filepath.Join(w.Home, name), "")
	}
	for _, path := range []string{filepath.Join(w.Project, "checkrein.yaml"), filepath.Join(w.Project, ".git/hooks/pre-push"), filepath.Join(w.Project, ".git/config"), w.Program("checkrein"), w.Program("checkreind")} {
		take(path, "")
	}
	settings := 0
	for _, path := range w.settings() {
		take(path, w.Program("checkrein"))
		settings++
	}
	if settings == 0 {
		w.t.Fatal("no file of the host names checkrein")
	}
	return out
}

// settings are the files of the host that name checkrein.
func (w *world) settings() []string {
	w.t.Helper()
	var out []string
	err := filepath.WalkDir(w.Home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.Contains(path, "/.local/state/checkrein/") {
			return err
		}
		switch filepath.Ext(path) {
		case ".json", ".toml", ".js":
		default:
			return nil
		}
		b, err := os.ReadFile(path)
		if err == nil && bytes.Contains(b, []byte(w.Program("checkrein"))) && bytes.Contains(b, []byte("hook")) {
			out = append(out, path)
		}
		return nil // a host may remove its own files meanwhile
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) checkUnchanged(before map[string]string) {
	w.t.Helper()
	for _, path := range slices.Sorted(maps.Keys(before)) {
		info, err := os.Lstat(path)
		if err != nil {
			w.t.Errorf("an agent took %s away: %v", path, err)
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil || fmt.Sprintf("%s %s", info.Mode(), b) != before[path] {
			w.t.Errorf("an agent changed %s: %v, now %s %.300s", path, err, info.Mode(), b)
		}
	}
}

// checkHooksRan wants the project's approved hook to have run, and the planted one
// not: hooks are on, and nobody approved it.
func (w *world) checkHooksRan() {
	w.t.Helper()
	if !w.there(filepath.Join(w.Home, "approved-ran")) {
		w.t.Error("the approved hook did not run")
	}
	if w.there(filepath.Join(w.Home, "planted-ran")) {
		w.t.Error("the hook that nobody approved ran")
	}
	if err := os.RemoveAll(filepath.Join(w.Home, "approved-ran")); err != nil {
		w.t.Error(err)
	}
}

// appeared reports whether the file is there that an attack would make; those that
// were there before have been looked at.
func (w *world) appeared(a attack) bool {
	path, _ := a.call.Args["path"].(string)
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.Project, path)
	}
	return a.fresh && w.there(path)
}

// attackScript has the model make one call a turn: a host may give up calls that
// stand beside one that was denied.
func attackScript(list []attack) mockmodel.Script {
	s := mockmodel.Script{Final: "all is well"}
	for _, a := range list {
		s.Turns = append(s.Turns, mockmodel.Turn{Calls: []mockmodel.Call{a.call}})
	}
	return s
}

// checkAttacks wants each attack to have been denied, in the model's eyes and in
// the ledger, and what is harmless to have worked.
func (w *world) checkAttacks(list []attack, res hostlab.Result) {
	w.t.Helper()
	if res.Exit != 0 || !strings.Contains(res.Stdout, "all is well") {
		w.t.Errorf("exit %d, want 0 and the model's last word\nstdout: %s\nstderr: %s", res.Exit, res.Stdout, res.Stderr)
	}
	var denials []string
	for _, r := range w.ledger() {
		if r.Event == "pre_tool_use" && (r.Decision == "deny" || r.Decision == "ask") { // headless, both stop a call
			denials = append(denials, r.Reason)
		}
	}
	judged := 0
	for i, a := range list {
		told, ok := res.Record.Result(i, 0)
		denied := strings.Contains(told.Text, "is protected")
		switch {
		case !ok:
			w.t.Errorf("%s: the model was told nothing", a)
		case a.makes != "":
			if denied || !w.exists(a.makes) {
				w.t.Errorf("%s: is harmless, and the model was told %q", a, told.Text)
			}
		case a.harmless:
			if denied {
				w.t.Errorf("%s: is harmless, and the model was told %q", a, told.Text)
			}
		case a.tool && w.appeared(a):
			w.t.Errorf("%s: is there now, and the model was told %.300q", a, told.Text)
		case a.tool && !denied:
			// The host may refuse by itself: nothing changed, which was looked at.
			w.t.Logf("%s: the host itself said %.200q", a, told.Text)
		case !denied:
			w.t.Errorf("%s: the model was told %.300q", a, told.Text)
		default:
			judged++
			if !slices.ContainsFunc(denials, func(reason string) bool { return strings.Contains(reason, a.evidence()) }) {
				w.t.Errorf("%s: not in the ledger", a)
			}
		}
	}
	w.t.Logf("%d of %d calls stopped by protect_paths", judged, len(list))
}
