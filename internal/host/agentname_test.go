package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// On subagent_stop agent_name is the sub-agent's name on every host that sends one.
func TestSubagentStopNamesTheSubagent(t *testing.T) {
	t.Parallel()
	want := map[string]string{"claude": "general-purpose", "codex": "default", "copilot": "general-purpose", "qwen": "general-purpose",
		"cursor": "explore", "kimi": "coder", "hermes": "leaf"}
	for _, h := range Table() {
		files, err := filepath.Glob(filepath.Join(h.Name, "testdata", "[sS]ubagent*[sS]top.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := ""
			if h.Unnamed {
				name = strings.TrimSuffix(filepath.Base(file), ".json")
			}
			for _, ev := range h.Read(h, body, name).Events {
				if ev.Kind != checkrein.SubagentStop {
					continue
				}
				var sent struct {
					Agent string `json:"agent_name"`
				}
				encode(t, "docker-agent", ev, &sent)
				if sent.Agent != want[h.Name] {
					t.Errorf("%s: agent_name %q, want %q", file, sent.Agent, want[h.Name])
				}
				delete(want, h.Name)
			}
		}
	}
	for name := range want {
		t.Errorf("%s has no subagent_stop", name)
	}
}
