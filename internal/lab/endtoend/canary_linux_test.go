package endtoend

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
)

// foreignHooks has hooks of other people by name, and the verdict that a canary run must give. crash
// prints the shape of the payloads of three calls, and slow is called for writes only.
var foreignHooks = map[string]struct{ script, verdict string }{
	"good":    {`case $in in *'rm -rf'*) echo '{"decision":"block","reason":"no"}' ;; esac`, "works"},
	"inert":   {`:`, "inert"},
	"slow":    {`sleep 1.1`, "slow"},
	"crash":   {`case $in in *'ls -la'*|*main.js*|*notes.md*) ` + printShape + ` exit 7 ;; esac`, "crashes"},
	"blocks":  {`echo no >&2; exit 2`, "blocks-all"},
	"garbage": {`echo '<<< loading model >>>'`, "garbage"},
}

// printShape stores the shape of a payload in a real run, and prints it.
const printShape = `d=$(printf %s "$in" | python3 HOME/hooks/shape.py); (echo "$d" >>HOME/seen/shapes) 2>/dev/null; echo "$d" >&2;`

// hookScript is the beginning of each hook. In a canary run it tries to act outside of its scratch home;
// in a real run it stores what it got.
const hookScript = `#!/bin/bash
in=$(cat)
case $in in
*checkrein-canary*)
  for f in HOME/escaped PROJECT/escaped HOME/hooks/escaped OUTSIDE; do
    (echo x >"$f") 2>/dev/null && { echo "wrote $f" >&2; exit 9; }
  done
  (exec 3<>/dev/tcp/127.0.0.1/PORT) 2>/dev/null && { echo connected >&2; exit 9; }
  cat HOME/.local/state/checkrein/ledger/key >/dev/null 2>&1 && { echo read the key >&2; exit 9; }
  cat HOME/.netrc >/dev/null 2>&1 && { echo read .netrc >&2; exit 9; }
  echo x >"$HOME/inside" || { echo "cannot write its home" >&2; exit 9; } ;;
*)
  echo "$in" >>HOME/seen/NAME
  (exec 3<>/dev/tcp/127.0.0.1/PORT) 2>/dev/null ;;
esac
`

// shapeScript prints the digest of a payload's member names in order, its tool and the names of its
// arguments. What the model says about a call is not compared.
const shapeScript = `import hashlib, json, sys
p = json.load(sys.stdin)
names = ",".join(p) + " " + p["tool_name"] + " " + ",".join(sorted(n for n in p["tool_input"] if n != "description"))
print(hashlib.sha256(names.encode()).hexdigest()[:16])
`

// TestHostCanary runs three hosts with hooks of other people in their own settings, and then a canary run,
// which sends these hooks what the host sends.
func TestHostCanary(t *testing.T) {
	hosttest.New(t) // skips before anything is built
	if err := sandbox.CheckSupported(); err != nil {
		t.Skipf("NOT RUN: no walls here: %v", err)
	}
	programs := buildPrograms(t)
	for _, f := range facts()[:3] {
		t.Run(f.host, func(t *testing.T) { testCanary(t, programs, f) })
	}
}

func testCanary(t *testing.T, programs string, f fact) {
	w := &world{Space: hosttest.New(t).Host(f.host).OpenSpace(), t: t, name: f.host}
	w.putPrograms(programs)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var connections atomic.Int32
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			_ = c.Close()
		}
	}()
	outside := filepath.Join(t.TempDir(), "escaped")
	w.addForeignHooks(listener.Addr().(*net.TCPAddr).Port, outside)
	w.install()

	w.Run(hostlab.Run{Prompt: "please go", Script: callScript(mockmodel.Shell("ls -la"), f.readCall(filepath.Join(w.Project, "main.js")), mockmodel.Write(filepath.Join(w.Project, "notes.md"), "x\n"))})
	before := connections.Load()
	w.checkCanary()
	if !w.there(w.Home + "/.local/state/checkrein/ledger/key") {
		t.Error("there was no key to read")
	}
	for _, path := range []string{w.Home + "/escaped", w.Project + "/escaped", w.Home + "/hooks/escaped", outside} {
		if w.there(path) {
			t.Errorf("a hook wrote %s", path)
		}
	}
	if n := connections.Load(); n != before || n == 0 {
		t.Errorf("hooks connected %d times in the run of the host, and then %d times", before, n-before)
	}
}

// addForeignHooks writes the hooks, and the settings of the host that name them.
func (w *world) addForeignHooks(port int, outside string) {
	w.t.Helper()
	h, _ := host.Find(w.name)
	files := map[string]string{"seen/none": "", ".netrc": "hidden\n", "hooks/shape.py": shapeScript}
	var groups []any
	for _, name := range slices.Sorted(maps.Keys(foreignHooks)) {
		path := filepath.Join(w.Home, "hooks", name)
		files["hooks/"+name] = strings.NewReplacer("HOME", w.Home, "PROJECT", w.Project, "OUTSIDE", outside, "PORT", fmt.Sprint(port), "NAME", name,
			"$HOME", "$HOME").Replace(hookScript + foreignHooks[name].script + "\n")
		matcher := ""
		if name == "slow" {
			matcher = map[string]string{"claude": "Write", "codex": "Write", "gemini": "write_file"}[w.name]
		}
		groups = append(groups, map[string]any{"matcher": matcher, "hooks": []any{map[string]any{"type": "command", "command": "bash " + path}}})
	}
	settings, err := json.Marshal(map[string]any{"hooks": map[string]any{h.HookCalls.Event: groups}})
	if err != nil {
		w.t.Fatal(err)
	}
	files[map[string]string{"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json"}[w.name]] = string(settings)
	w.writeFiles(w.Home, files)
}

// checkCanary checks that the host ran each hook, that canary reports each rightly, and that it sent
// payloads of the same shape.
func (w *world) checkCanary() {
	w.t.Helper()
	out, _ := w.runProgram("checkrein", "canary", "--host", w.name, "--yes", "--json")
	var r struct {
		Hooks []struct {
			Hook, Verdict string
			Calls         int
			Details       []string
		}
	}
	if err := json.Unmarshal([]byte(out[strings.Index(out, "{"):]), &r); err != nil || len(r.Hooks) != len(foreignHooks) {
		w.t.Fatalf("%v\n%s", err, out)
	}
	for _, h := range r.Hooks {
		w.t.Logf("%s: %s, %d calls %q", h.Hook, h.Verdict, h.Calls, h.Details)
		if want := foreignHooks[h.Hook].verdict; h.Verdict != want {
			w.t.Errorf("%s: %s, want %s", h.Hook, h.Verdict, want)
		}
		seen := w.readFile(filepath.Join(w.Home, "seen", h.Hook))
		if seen == "" {
			w.t.Errorf("%s did not run it", w.name)
		}
		if h.Hook == "crash" {
			w.checkShapes(h.Details)
		}
	}
}

// checkShapes checks that the payloads of a canary run, whose shapes end the details, have the shapes of
// those that the host sent.
func (w *world) checkShapes(details []string) {
	w.t.Helper()
	want := strings.Fields(w.readFile(filepath.Join(w.Home, "seen", "shapes")))
	var got []string
	for _, d := range details {
		got = append(got, d[strings.LastIndexByte(d, ' ')+1:])
	}
	slices.Sort(want)
	slices.Sort(got)
	if want, got = slices.Compact(want), slices.Compact(got); len(want) < 2 || !slices.Equal(got, want) {
		w.t.Errorf("shapes of payloads: canary %q, %s %q\n%s", got, w.name, want, w.readFile(filepath.Join(w.Home, "seen", "crash")))
	}
}
