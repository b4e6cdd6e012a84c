package host

import (
	"encoding/json"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// TestToolResponseIsText checks that hooks in docker-agent's and starchild's files get a tool's output
// as text on every host. Native hooks get what the host sent.
func TestToolResponseIsText(t *testing.T) {
	t.Parallel()
	objects := 0
	for _, h := range Table() {
		for _, p := range wiretest.AllPayloads(t, ".", h) {
			for _, ev := range h.Read(h, p.Body, p.Event).Events {
				if ev.Tool == nil || ev.Tool.Output == nil {
					continue
				}
				var sent struct {
					Response any `json:"tool_response"`
					Result   any `json:"tool_result"`
					Native   struct {
						Response json.RawMessage `json:"tool_response"`
						Result   json.RawMessage `json:"tool_result"`
					}
				}
				encodeEvent(t, "docker-agent", ev, &sent)
				encodeEvent(t, "starchild", ev, &sent)
				_, text := sent.Response.(string)
				if _, ok := sent.Result.(string); !ok && ev.Kind != checkrein.PostToolUseFailure || !text {
					t.Errorf("%s: tool_response %v, tool_result %v", p.File, sent.Response, sent.Result)
				}
				if ev.Tool.Output[0] != '"' {
					objects++
					if n := sent.Native; !rawjson.Equal(n.Response, ev.Tool.Output) || !rawjson.Equal(n.Result, ev.Tool.Output) {
						t.Errorf("%s: native %s and %s, want %s", p.File, n.Response, n.Result, ev.Tool.Output)
					}
				}
			}
		}
	}
	if objects < 10 {
		t.Errorf("only %d outputs are no text", objects)
	}
}

func encodeEvent(t *testing.T, name string, ev checkrein.Event, sent any) {
	t.Helper()
	d, _ := dialect.Lookup(name)
	body, err := d.Encode(ev)
	if err == nil {
		err = json.Unmarshal(body, sent)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
