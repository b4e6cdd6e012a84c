package guard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/guard/usage"
)

// agentSwitchEvent returns the event of a switch from an agent with models to another agent.
func agentSwitchEvent(from, to, models string) checkrein.Event {
	return guardtest.SessionEvent(checkrein.OnAgentSwitch, "", "from_agent", string(mustJSON(from)), "to_agent", string(mustJSON(to)), "from_agent_models", models)
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func TestUnload(t *testing.T) {
	t.Parallel()
	const base = `"base_url":"http://127.0.0.1:12434/engines/v1"`
	one := `[{"provider":"dmr","model":"ai/a",` + base + `}]`
	for _, tt := range []struct {
		name   string
		ev     checkrein.Event
		posts  []string
		logged []string
	}{
		{"the usual one", agentSwitchEvent("coder", "reviewer", one), []string{`http://127.0.0.1:12434/engines/_unload {"model":"ai/a"}`}, nil},
		{"others are left alone", agentSwitchEvent("a", "b", `[{"provider":"openai","model":"gpt",`+base+`},{"provider":"DMR","model":"ai/b",`+base+`},{"model":"x",`+base+`},7,null]`),
			[]string{`http://127.0.0.1:12434/engines/_unload {"model":"ai/b"}`}, nil},
		{"several, one after the other", agentSwitchEvent("a", "b", `[{"provider":"dmr","model":"x",`+base+`},{"provider":"dmr","model":"y","base_url":"http://gpu:1/v1"}]`),
			[]string{`http://127.0.0.1:12434/engines/_unload {"model":"x"}`, `http://gpu:1/_unload {"model":"y"}`}, nil},
		{"the same twice", agentSwitchEvent("a", "b", `[`+one[1:len(one)-1]+`,`+one[1:]), []string{`http://127.0.0.1:12434/engines/_unload {"model":"ai/a"}`}, nil},
		{"a path of its own", agentSwitchEvent("a", "b", `[{"provider":"dmr","model":"x","unload_api":"free",`+base+`}]`), []string{`http://127.0.0.1:12434/free {"model":"x"}`}, nil},
		{"a URL of its own", agentSwitchEvent("a", "b", `[{"provider":"dmr","model":"x","unload_api":"http://127.0.0.1:9/free?all",`+base+`}]`), []string{`http://127.0.0.1:9/free?all {"model":"x"}`}, nil},
		{"a URL elsewhere", agentSwitchEvent("a", "b", `[{"provider":"dmr","model":"x","unload_api":"http://router.example/reboot",`+base+`}]`), nil, []string{"unload_api is not on the same host"}},
		{"no engine", agentSwitchEvent("a", "b", `[{"provider":"dmr","model":"x"}]`), nil, []string{"no base_url"}},
		{"no name", agentSwitchEvent("a", "b", `[{"provider":"dmr",`+base+`}]`), nil, []string{"no name"}},
		{"one fails, the next is tried", agentSwitchEvent("a", "b", `[{"provider":"dmr","model":"broken",`+base+`},{"provider":"dmr","model":"y",`+base+`}]`),
			[]string{`http://127.0.0.1:12434/engines/_unload {"model":"broken"}`, `http://127.0.0.1:12434/engines/_unload {"model":"y"}`}, []string{"boom"}},
		{"nobody is left", agentSwitchEvent("", "b", one), nil, nil},
		{"the same agent", agentSwitchEvent("a", "a", one), nil, nil},
		{"no models", agentSwitchEvent("a", "b", `null`), nil, nil},
		{"models that are none", agentSwitchEvent("a", "b", `{"provider":"dmr"}`), nil, nil},
		{"another event", guardtest.SessionEvent(checkrein.Stop, ""), nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			env := d.env()
			var posts []string
			env.Usage.Post = func(ctx context.Context, url string, body []byte) error {
				if until, ok := ctx.Deadline(); !ok || time.Until(until) > 10*time.Second {
					t.Error("it may wait for longer than it should")
				}
				posts = append(posts, url+" "+string(body))
				if strings.Contains(string(body), "broken") {
					return errors.New("boom")
				}
				return nil
			}
			v, err := d.tryBuiltin(env, tt.ev, "unload")
			if err != nil || !v.IsZero() {
				t.Errorf("it decides: %+v, %v", v, err)
			}
			if !slices.Equal(posts, tt.posts) {
				t.Errorf("posts %q, want %q", posts, tt.posts)
			}
			lines := d.files["unload.jsonl"]
			if len(lines) != len(tt.logged) {
				t.Fatalf("log %q, want %q", lines, tt.logged)
			}
			for i, want := range tt.logged {
				if !strings.Contains(lines[i], want) || !strings.Contains(lines[i], `"event":"on_agent_switch"`) {
					t.Errorf("log %s, want %q", lines[i], want)
				}
			}
		})
	}
}

func TestUnloadWithoutNetwork(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	v := d.runBuiltin(agentSwitchEvent("a", "b", `[{"provider":"dmr","model":"x","base_url":"http://h/v1"}]`), "unload")
	if log := fmt.Sprint(d.files["unload.jsonl"]); !v.IsZero() || !strings.Contains(log, "needs checkreind") {
		t.Errorf("%+v, log %s", v, log)
	}
	if _, err := usage.NewUnload(usage.Env{}, []string{"x"}); err == nil {
		t.Error("it takes an argument")
	}
}
