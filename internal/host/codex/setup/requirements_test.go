package setup

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/text/tomldoc"
)

func TestRequirements(t *testing.T) {
	t.Parallel()
	form := requirements{dir: "/opt/checkrein/bin"}
	want := []install.Entry{{Event: "PreToolUse", Command: "/opt/checkrein/bin/checkrein hook codex", Timeout: 600}}
	for _, tt := range []struct{ name, src, dir, wrong string }{
		{"no file", "", form.dir, ""},
		{"other keys", "allowed_sandbox_modes = [\"read-only\"]\n", form.dir, ""},
		{"no end of line", "allowed_sandbox_modes = [\"read-only\"]", form.dir, ""},
		{"other features", "[features]\nhooks = true\nx = false\n", form.dir, ""},
		{"other hooks", "[hooks]\nmanaged_dir = \"/srv\"\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"/srv/x\"\n", "/srv", ""},
		{"hooks off", "[features]\nhooks = false\n", "", "turns hooks off"},
		{"no directory", "[hooks]\nx = 1\n", "", "managed_dir"},
		{"broken", "[hooks\n", "", "TOML"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			src := []byte(tt.src)
			if tt.src == "" {
				src = nil
			}
			out, err := form.Put(src, want)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Fatalf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			doc, err := tomldoc.Parse(out)
			if err != nil || doc.Get("features", "hooks") != "true" || doc.Get("hooks", "managed_dir") != tt.dir {
				t.Errorf("%v\n%s", err, out)
			}
			if have, err := form.Find(out); err != nil || len(have) != 1 || have[0] != want[0] {
				t.Errorf("%v, %v", have, err)
			}
			if again, err := form.Put(out, want); err != nil || string(again) != string(out) {
				t.Errorf("%v\n%s", err, again)
			}
			narrowed := strings.Replace(string(out), "[[hooks.PreToolUse]]\n", "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n", 1)
			if have, err := form.Find([]byte(narrowed)); err != nil || have[0].Narrowed == "" {
				t.Errorf("a matcher is not seen: %v, %v", have, err)
			}
			if back, err := form.Drop(out); err != nil || strings.TrimSpace(string(back)) != strings.TrimSpace(tt.src) {
				t.Errorf("%v\n%s", err, back)
			}
		})
	}
}
