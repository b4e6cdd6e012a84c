package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
)

// The user's own hook that runs a file of the project is reviewed for that project, and drifts like
// the project's hooks.
func TestReviewOfUserHook(t *testing.T) {
	t.Parallel()
	home, root := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(home, ".config", "checkrein", "checkrein.yaml"): "version: 1\npacks: []\nhooks:\n  pre_tool_use:\n    - {name: check, type: command, command: sh ./check.sh}\n",
		filepath.Join(root, "check.sh"):                               "one\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k, err := app.Open(app.Options{Dir: root, State: filepath.Join(home, "state"), Managed: app.NoManaged, Environ: []string{"HOME=" + home}})
	if err != nil {
		t.Fatal(err)
	}
	h := &k.Hooks()[0]
	if _, _, ok := k.Drift(h); ok || !k.NeedsApproval(h) {
		t.Fatal("it is approved, or needs no approval")
	}
	pick := func(h *checkrein.Hook) bool { return h.Name == "check" }
	review, err := k.Review(pick)
	if err != nil {
		t.Fatal(err)
	}
	items := review.Items
	if len(items) != 1 || items[0].Old != nil || len(items[0].Files) != 1 || string(items[0].Files[0].New) != "one\n" {
		t.Fatalf("items %+v", items)
	}
	if _, err := review.Approve(nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "check.sh"), []byte("two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, drifts, ok := k.Drift(h); !ok || len(drifts) != 1 || drifts[0].Name != "check.sh" || a.ID != "check" {
		t.Errorf("approved %+v, drifted %+v", a, drifts)
	}
	if review, err = k.Review(pick); err != nil {
		t.Fatal(err)
	}
	if f := review.Items[0].Files[0]; string(f.Old) != "one\n" || string(f.New) != "two\n" || f.Was == nil || f.Was.SHA256 == f.Now.SHA256 {
		t.Errorf("changed %+v", f)
	}
}

// A broken entry does not prevent the approval of others, and is named with a remedy.
func TestReviewNamesUnsoundHooks(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeProject("version: 1\nhooks:\n  pre_tool_use:\n    - {name: sound, type: command, command: 'true'}\n    - {name: missing, type: command, command: ./gone.sh}\n    - {name: broken, type: command}\n")
	k := p.open()
	review, err := k.Review(nil)
	if err != nil {
		t.Fatal(err)
	}
	if items := review.Items; len(items) != 1 || items[0].New.ID != "sound" {
		t.Errorf("sound are %+v", items)
	}
	unsound := review.Unsound()
	if len(unsound) != 2 {
		t.Fatalf("unsound are %v", unsound)
	}
	wantText(t, unsound[0].Error(), `hook "broken"`)
	wantText(t, unsound[0].Error(), "fix it, then approve it")
	wantText(t, unsound[1].Error(), "gone.sh is missing")
	if list, err := review.Approve(func(*approval.Item) bool { return false }); err != nil || len(list) != 0 {
		t.Errorf("approved %v, %v, although the person said no", list, err)
	}
	if list, err := review.Approve(nil); err != nil || len(list) != 1 {
		t.Errorf("approved %v, %v", list, err)
	}
}
