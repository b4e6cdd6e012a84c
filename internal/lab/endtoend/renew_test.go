package endtoend

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// TestHostCodexRenewal upgrades an older installation whose hook command a person trusted in Codex: at
// no stage of trust does a destructive command run.
func TestHostCodexRenewal(t *testing.T) {
	lab := hosttest.New(t)
	programs := buildPrograms(t)
	w := &world{Space: lab.Host("codex").OpenSpace(), t: t, name: "codex"}
	w.putPrograms(programs)
	w.writeFiles(w.Home, map[string]string{"Documents/thesis.txt": "ten years of work\n"})
	hook := func(line string) map[string]any {
		return map[string]any{"hooks": []any{map[string]any{"type": "command", "command": line, "timeout": 600}}}
	}
	old := w.ProgramPath("checkrein") + " hook codex --within 590"
	mine := "cat >>" + filepath.Join(w.Home, "mine")
	file, err := json.Marshal(map[string]any{"hooks": map[string]any{"PreToolUse": []any{hook(old + " || { echo no >&2; exit 2; }"), hook(mine)}, "Stop": []any{hook(old)}}})
	if err != nil {
		t.Fatal(err)
	}
	w.writeFiles(w.Home, map[string]string{".codex/hooks.json": string(file)})
	approve := func() {
		t.Helper()
		if _, err := w.ApproveHooks(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	run := func(step string, times int) {
		t.Helper()
		res := w.Run(hostlab.Run{Prompt: "please go", Script: callScript(mockmodel.Shell("rm -rf ~/Documents"))})
		w.checkDeny(res)
		n := 0
		for _, r := range w.readLedger() {
			if r.Event == "pre_tool_use" {
				n++
			}
		}
		if n-asked != times {
			t.Errorf("%s: asked %d times, want %d", step, n-asked, times)
		}
		asked = n
		text, err := os.ReadFile(filepath.Join(w.Home, "mine"))
		if err != nil || len(text) == 0 {
			t.Errorf("%s: the person's own hook did not run: %v", step, err)
		}
		w.remove(filepath.Join(w.Home, "mine"))
	}
	approve()
	run("older", 1)
	if out := w.checkrein("install", "codex", "--program", w.ProgramPath("checkrein")); !strings.Contains(out, "stay active until you trust the new ones") {
		t.Errorf("install says\n%s", out)
	}
	run("installed", 1)
	approve()
	run("trusted", 2)
	if out := w.checkrein("install", "codex", "--program", w.ProgramPath("checkrein")); !strings.Contains(out, "the older ones will be removed") {
		t.Errorf("install says\n%s", out)
	}
	run("renewed", 1)
	if out := w.checkrein("status", "codex"); !strings.Contains(out, "trusted  yes") {
		t.Errorf("status says\n%s", out)
	}
}

func (w *world) remove(path string) {
	w.t.Helper()
	if err := os.Remove(path); err != nil {
		w.t.Error(err)
	}
}
