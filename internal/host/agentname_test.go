package host

import (
	"maps"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
)

// TestSubagentEventsNameTheSubagent checks that agent_name is the sub-agent's name on subagent_start
// and subagent_stop, for every host that sends a name.
func TestSubagentEventsNameTheSubagent(t *testing.T) {
	t.Parallel()
	starts := map[string]string{"claude": "general-purpose", "codex": "default", "copilot": "general-purpose", "qwen": "general-purpose",
		"cursor": "explore", "kimi": "coder", "hermes": "leaf", "grok": "general-purpose"}
	stops := maps.Clone(starts)
	stops["docker-agent"] = "root"
	for kind, want := range map[checkrein.Kind]map[string]string{checkrein.SubagentStart: starts, checkrein.SubagentStop: stops} {
		for _, h := range Table() {
			for _, p := range wiretest.Payloads(t, ".", h, "[sS]ubagent*[sS]t*.json") {
				for _, ev := range h.Read(h, p.Body, p.Event).Events {
					if ev.Kind != kind {
						continue
					}
					var sent struct {
						Agent string `json:"agent_name"`
					}
					encodeEvent(t, "docker-agent", ev, &sent)
					if sent.Agent != want[h.Name] {
						t.Errorf("%s: agent_name %q, want %q", p.File, sent.Agent, want[h.Name])
					}
					delete(want, h.Name)
				}
			}
		}
		for name := range want {
			t.Errorf("%s has no %s", name, kind)
		}
	}
}
