package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/desk/frame"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/message"
)

// An explanation is what checkrein explain --json prints.
type explanation struct {
	Answer string        `json:"answer"`
	Record record.Record `json:"record"`
	Person []string      `json:"person"`
	Change []struct {
		Hook     string           `json:"hook"`
		Why      string           `json:"why"`
		Remedies []message.Remedy `json:"remedies"`
		Note     []string         `json:"note"`
	} `json:"change"`

	raw json.RawMessage
}

// recordID matches what names a record: its number, the handle of a block or the beginning of a hash.
var recordID = regexp.MustCompile(`^#?(\d{1,19}|[0-9a-f]{4,64})$`)

// parseID returns the id of a record in text, as commands take it.
func parseID(text string) (string, bool) {
	m := recordID.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// explain returns the explanation of the record with this id.
func (p *Page) explain(ctx context.Context, text string) (*explanation, error) {
	id, ok := parseID(text)
	if !ok {
		return nil, frame.ErrNotFound
	}
	var e explanation
	var raw struct {
		Record json.RawMessage `json:"record"`
	}
	out, err := p.run(ctx, "explain", id, "--json")
	if err == nil {
		err = json.Unmarshal(out, &e)
	}
	if err == nil {
		err = json.Unmarshal(out, &raw)
	}
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", id, err)
	}
	e.raw = raw.Record
	return &e, nil
}

// A recordPage is the data of the page of one record.
type recordPage struct {
	*explanation
	Row    frame.Row
	Call   string
	Reply  string // the text of the reply to the agent
	Raw    string
	Silent []string   // hooks without an opinion
	Waits  []*waiting // the call, if it waits for an answer
	Steps  []step
	Can    []action
}

// A step is what one hook did.
type step struct {
	record.Step
	Share float64 // of the time that all hooks took, in percent
}

// An action is a command that a person may want to run about a record.
type action struct {
	Title, Command, Note string
}

// showRecord shows one record, explained.
func (p *Page) showRecord(r *http.Request) (screen, error) {
	e, err := p.explain(r.Context(), r.PathValue("id"))
	if err != nil {
		return screen{}, err
	}
	return p.recordScreen(r.Context(), e), nil
}

// recordScreen returns the screen of the record in e.
func (p *Page) recordScreen(ctx context.Context, e *explanation) screen {
	r := &e.Record
	data := recordPage{explanation: e, Row: frame.NewRow(r), Call: frame.CallText(r), Reply: replyText(r), Raw: indentJSON(e.raw), Can: actionsOf(r)}
	total := 0.0
	for i := range r.Plan {
		total = max(total, r.Plan[i].MS)
	}
	for i := range r.Plan {
		s := &r.Plan[i]
		if s.Outcome == "silent" {
			data.Silent = append(data.Silent, s.Hook)
		}
		data.Steps = append(data.Steps, step{*s, 100 * s.MS / max(total, 0.001)})
	}
	if r.Handle != "" {
		v, _ := p.readWaiting(ctx) // without it, the page has the command
		data.Waits = slices.DeleteFunc(v.Approvals, func(w *waiting) bool { return w.Handle != r.Handle })
	}
	return screen{Name: "record", Title: "Record " + strconv.FormatUint(r.Seq, 10), Data: data}
}

// actionsOf returns what a person can do about r.
func actionsOf(r *record.Record) (out []action) {
	id := strconv.FormatUint(r.Seq, 10)
	stopped := feed.AnswerOf(r) == "denied" || feed.AnswerOf(r) == "asked"
	for _, saved := range r.Saved {
		out = append(out, action{"Take it back", approval.CommandWith("checkrein undo", saved), "What the call could lose was saved before it ran."})
	}
	if stopped && r.Handle != "" {
		out = append(out,
			action{"Allow it once", approval.CommandWith("checkrein allow", r.Handle), "The same call passes when the agent tries again."},
			action{"Report a false alarm", approval.CommandWith("checkrein report", r.Handle), "Notes in the ledger that the block was wrong. Nothing is sent, and the call stays blocked."})
	}
	if r.Tool != nil {
		out = append(out, action{"Make a test of it", "checkrein test --from " + id + " --out checkrein_test.yaml", "The call becomes a case that your policy must keep deciding like this."})
	}
	return append(out, action{"See everything", "checkrein explain " + id + " -v", ""})
}

// replyText returns the part of the reply to the agent that people can read: its longest string.
func replyText(r *record.Record) (longest string) {
	if r.Reply == nil || r.Reply.Stdout == nil {
		return ""
	}
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case string:
			if len(v) > len(longest) {
				longest = v
			}
		case map[string]any:
			for _, one := range v {
				look(one)
			}
		case []any:
			for _, one := range v {
				look(one)
			}
		}
	}
	var v any
	if json.Unmarshal(r.Reply.Stdout.JSON, &v) == nil {
		look(v)
	}
	if len(longest) < 12 { // a word of the protocol
		return ""
	}
	return longest
}

// indentJSON returns raw with a line for each member.
func indentJSON(raw json.RawMessage) string {
	var v json.RawMessage = raw
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return string(raw)
	}
	return string(out)
}
