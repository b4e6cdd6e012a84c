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

// protectConfig switches all packs off, so that only self-protection is active.
const protectConfig = "version: 1\npacks: []\n"

// projectHooks is the project's hook file. A person approved one of its hooks. Each hook creates a
// file when it runs.
const projectHooks = `version: 1
hooks:
  pre_tool_use:
    - {name: approved, command: echo ran >> HOME/approved-ran}
    - {name: planted, command: echo ran >> HOME/planted-ran}
`

// callsPerRun is the number of calls that the model makes in a run. After about thirty, hosts ask the
// model whether it is in a loop.
const callsPerRun = 25

// TestHostProtects has the model of each host try to approve hooks and to edit approvals, ledger,
// configuration, keys and start-up files in every way that its tools offer, with all packs off. Then
// it tries checkrein's commands for users under a name that the guard does not recognize.
func TestHostProtects(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the attacks are shell commands")
	}
	programs := buildPrograms(t)
	for _, f := range facts() {
		t.Run(f.host, func(t *testing.T) { testProtects(t, programs, f) })
	}
}

func testProtects(t *testing.T, programs string, f fact) {
	w := newWorld(t, programs, f.host)
	w.writeProtectedFiles()
	w.configure(protectConfig)
	if f.host == "qwen" { // which brings its settings up to date when it first starts
		w.Run(hostlab.Run{Prompt: "please go"})
	}
	before := w.protectedFiles()
	runs := append(slices.Collect(slices.Chunk(w.attacks(f), callsPerRun)), w.toolAttacks(f))
	for _, list := range runs {
		res := w.Run(hostlab.Run{Prompt: "please go", Script: attackScript(list)})
		w.checkUnchanged(before)
		w.checkAttacks(list, res)
		w.checkHooksRan()
	}

	before = w.protectedFiles()
	w.checkRenamedCommands()
	w.checkUnchanged(before)
	w.checkHooksRan()
}

// writeProtectedFiles writes the files in the home directory and the project that an agent must not
// change.
func (w *world) writeProtectedFiles() {
	w.t.Helper()
	w.writeFiles(w.Home, map[string]string{
		".bashrc": "# mine\n", ".profile": "PATH=" + w.Bin + ":$PATH\n# mine\n", // which login shells set anew
		".zshrc": "# mine\n", ".ssh/config": "Host mine\n", ".ssh/authorized_keys": "mine\n",
	})
	w.writeFiles(w.Project, map[string]string{
		"checkrein.yaml": strings.ReplaceAll(projectHooks, "HOME", w.Home), ".git/hooks/pre-push": "#!/bin/sh\nexit 1\n", "src/main.c": "int main;\n",
	})
	// A link that came with the project.
	if err := os.Symlink("../home", filepath.Join(w.Project, "link")); err != nil {
		w.t.Fatal(err)
	}
	w.checkrein("hooks", "approve", "approved")
}

// protectedFiles returns the contents of all files that must not change: what the user wrote, what was
// approved, and the parts of the host's settings that name checkrein.
func (w *world) protectedFiles() map[string]string {
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
	for _, path := range []string{filepath.Join(w.Project, "checkrein.yaml"), filepath.Join(w.Project, ".git/hooks/pre-push"), filepath.Join(w.Project, ".git/config"), w.ProgramPath("checkrein"), w.ProgramPath("checkreind")} {
		take(path, "")
	}
	settings := 0
	for _, path := range w.settingsFiles() {
		take(path, w.ProgramPath("checkrein"))
		settings++
	}
	if settings == 0 {
		w.t.Fatal("no file of the host names checkrein")
	}
	return out
}

// settingsFiles returns the files of the host that name checkrein.
func (w *world) settingsFiles() []string {
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
		if err == nil && bytes.Contains(b, []byte(w.ProgramPath("checkrein"))) && bytes.Contains(b, []byte("hook")) {
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

// checkHooksRan checks that the project's approved hook ran, because hooks are on, and that the
// planted one did not, because it is not approved.
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

// attackFileExists reports whether the file that an attack would create exists. Files that existed
// before are checked elsewhere.
func (w *world) attackFileExists(a attack) bool {
	path, _ := a.call.Args["path"].(string)
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.Project, path)
	}
	return a.fresh && w.there(path)
}

// attackScript returns a script with one call per turn, because a host may drop calls in the same turn
// as a denied one.
func attackScript(list []attack) mockmodel.Script {
	s := mockmodel.Script{Final: "all is well"}
	for _, a := range list {
		s.Turns = append(s.Turns, mockmodel.Turn{Calls: []mockmodel.Call{a.call}})
	}
	return s
}

// checkAttacks checks that each attack was denied, both for the model and in the ledger, and that
// harmless calls worked.
func (w *world) checkAttacks(list []attack, res hostlab.Result) {
	w.t.Helper()
	if res.Exit != 0 || !strings.Contains(res.Stdout, "all is well") {
		w.t.Errorf("exit %d, want 0 and the model's last word\nstdout: %s\nstderr: %s", res.Exit, res.Stdout, res.Stderr)
	}
	var denials []string
	for _, r := range w.readLedger() {
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
		case a.tool && w.attackFileExists(a):
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
