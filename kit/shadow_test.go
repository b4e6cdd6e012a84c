package kit_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/kit"
)

// In shadow nothing counts but what managed hooks and self-protection say, and it
// ends by itself.
func TestShadow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(".config/checkrein/checkrein.yaml", "version: 1\nshadow: 2030-01-08\n")
	write("etc/checkrein.yaml", "version: 1\npacks: [git]\n")
	for _, tt := range []struct {
		now, command string
		want         checkrein.Decision
		shadow       bool
	}{
		{"2030-01-08T23:00:00Z", "docker volume rm data", checkrein.NoOpinion, true},
		{"2030-01-08T23:00:00Z", "git push --force origin main", checkrein.Deny, true},
		{"2030-01-08T23:00:00Z", "checkrein uninstall claude", checkrein.Deny, true},
		{"2030-01-08T23:00:00Z", "echo 'version: 1' > ~/.config/checkrein/checkrein.yaml", checkrein.Deny, true},
		{"2030-01-09T01:00:00Z", "docker volume rm data", checkrein.Deny, false},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		k, err := kit.Open(kit.Options{Dir: dir, State: filepath.Join(dir, "state"), Managed: filepath.Join(dir, "etc"), Environ: []string{"HOME=" + dir}, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		input, _ := json.Marshal(map[string]string{"command": tt.command})
		out := k.Decide(t.Context(), checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "Bash", Input: input}})
		if out.Verdict.Decision != tt.want || (out.Shadow != nil) != tt.shadow {
			t.Errorf("%s at %s: %s, shadow %v", tt.command, tt.now, out.Verdict.Decision, out.Shadow)
		}
		if tt.shadow && out.Shadow.Decision != checkrein.Deny {
			t.Errorf("%s would be %s", tt.command, out.Shadow.Decision)
		}
	}
}
