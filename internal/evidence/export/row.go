package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

// A row is a record made flat. Its tags are the Parquet schema; CSV has the
// same columns except the plan. Pointers tell "none" from zero: of kinds other
// than event only the first three and the hash are set.
//
// Times are in microseconds because several readers know no nanoseconds.
type row struct {
	Seq           int64     `parquet:"seq,delta"`
	Time          time.Time `parquet:"time,timestamp(microsecond)"`
	Kind          string    `parquet:"kind,dict"`
	Host          string    `parquet:"host,optional,dict"`
	Session       string    `parquet:"session,optional,dict"`
	SessionKey    string    `parquet:"session_key,optional,dict"`
	Agent         string    `parquet:"agent,optional,dict"`
	Event         string    `parquet:"event,optional,dict"`
	Native        string    `parquet:"native,optional,dict"`
	Tool          string    `parquet:"tool,optional,dict"`
	CanonicalTool string    `parquet:"canonical_tool,optional,dict"`
	CallID        string    `parquet:"call_id,optional"`
	Decision      string    `parquet:"decision,optional,dict"`
	Reason        string    `parquet:"reason,optional"`
	Effects       []string  `parquet:"effects,list"`
	Hooks         []string  `parquet:"hooks,list"`
	Faults        []string  `parquet:"faults,list"`
	Dropped       []string  `parquet:"dropped,list"`
	RedoAttempt   *int32    `parquet:"redo_attempt,optional"`
	Canceled      *bool     `parquet:"canceled,optional"`
	Policy        string    `parquet:"policy,optional,dict"`
	Program       string    `parquet:"program,optional,dict"`
	Dir           string    `parquet:"dir,optional,dict"`
	MS            *float64  `parquet:"ms,optional"`
	Input         string    `parquet:"input,optional"`
	Output        string    `parquet:"output,optional"`
	Text          string    `parquet:"text,optional"`
	ReplyExit     *int32    `parquet:"reply_exit,optional"`
	ReplyStdout   string    `parquet:"reply_stdout,optional"`
	Hash          string    `parquet:"hash"`
	Plan          []rowStep `parquet:"plan,list"`
}

// A rowStep is one planned hook.
type rowStep struct {
	Hook     string   `parquet:"hook,dict"`
	Type     string   `parquet:"type,optional,dict"`
	Scope    string   `parquet:"scope,dict"`
	Origin   string   `parquet:"origin,dict"`
	Digest   string   `parquet:"digest,dict"`
	Outcome  string   `parquet:"outcome,dict"`
	Decision string   `parquet:"decision,optional,dict"`
	Reason   string   `parquet:"reason,optional"`
	Effects  []string `parquet:"effects,list"`
	MS       float64  `parquet:"ms"`
	Stale    bool     `parquet:"stale"`
}

// decode reads a line. Of kinds other than event it reads only what every
// record has: their own members may have an event's names and other types.
func decode(line []byte) (*record.Record, error) {
	r, err := record.Decode(line)
	if err == nil && r.Kind == ledger.KindEvent {
		return r, nil
	}
	var stamp struct {
		Seq  uint64
		Kind string
		Time time.Time
		Hash string
	}
	if err2 := json.Unmarshal(line, &stamp); err2 != nil {
		return nil, fmt.Errorf("reading a record: %w", err2)
	}
	switch stamp.Kind {
	case ledger.KindEvent:
		return nil, fmt.Errorf("reading record %d: %w", stamp.Seq, err)
	case "":
		return nil, fmt.Errorf("reading record %d: it has no kind", stamp.Seq)
	}
	return &record.Record{Seq: stamp.Seq, Kind: stamp.Kind, Time: stamp.Time, Hash: stamp.Hash}, nil
}

// flatten makes a row of what decode returned.
func flatten(r *record.Record) row {
	out := row{Seq: int64(r.Seq), Time: r.Time.UTC(), Kind: r.Kind, Hash: r.Hash}
	if r.Kind != ledger.KindEvent {
		return out
	}
	out.Host, out.Session, out.SessionKey, out.Agent = r.Host, r.Session, r.Key, r.Agent
	out.Event, out.Native, out.Dir = r.Event, r.Native, r.Dir
	out.Policy, out.Program = r.Policy, r.Program
	out.Decision, out.Reason, out.Effects = r.Decision, r.Reason, r.Effects
	out.Hooks, out.Faults, out.Dropped = hooks(r), faults(r), dropped(r)
	out.Canceled, out.MS = &r.Canceled, &r.MS
	if t := r.Tool; t != nil {
		out.Tool, out.CanonicalTool, out.CallID = t.Name, t.Canonical, t.CallID
	}
	if r.Redo != nil {
		attempt := int32(r.Redo.Attempt)
		out.RedoAttempt = &attempt
	}
	if s := r.Subject; s != nil {
		out.Input, out.Output, out.Text = partText(s.Input), partText(s.Output), partText(s.Text)
	}
	if r.Reply != nil {
		exit := int32(r.Reply.Exit)
		out.ReplyExit, out.ReplyStdout = &exit, partText(r.Reply.Stdout)
	}
	for i := range r.Plan {
		out.Plan = append(out.Plan, flattenStep(&r.Plan[i]))
	}
	return out
}

func flattenStep(s *record.Step) rowStep {
	return rowStep{
		Hook: s.Hook, Type: s.Type, Scope: s.Scope, Origin: s.Origin, Digest: s.Digest,
		Outcome: s.Outcome, Decision: s.Decision, Reason: s.Reason, Effects: s.Effects,
		MS: s.MS, Stale: s.Stale,
	}
}

// hooks names the hooks that were planned.
func hooks(r *record.Record) []string {
	var out []string
	for i := range r.Plan {
		out = append(out, r.Plan[i].Hook)
	}
	return out
}

// faults says what went wrong: with the event itself, then hook by hook.
func faults(r *record.Record) []string {
	var out []string
	if r.Fault != "" {
		out = append(out, r.Fault)
	}
	for i := range r.Plan {
		if s := &r.Plan[i]; s.Fault != "" {
			out = append(out, s.Hook+": "+s.Fault)
		}
	}
	return out
}

// dropped says what was asked for in vain, as `hook: effect: why`.
func dropped(r *record.Record) []string {
	var out []string
	for _, d := range r.Dropped {
		s := d.Effect + ": " + d.Why
		if d.Hook != "" {
			s = d.Hook + ": " + s
		}
		out = append(out, s)
	}
	return out
}

// partText returns a part as one text: compact JSON, the text, or what is left
// of a long one with an ellipsis between. All columns are UTF-8, and JSON is
// the only thing that the decoder has not made so.
func partText(p *record.Part) string {
	switch {
	case p == nil:
		return ""
	case p.JSON != nil:
		var b bytes.Buffer
		if err := json.Compact(&b, p.JSON); err != nil { // the decoder has checked it
			return strings.ToValidUTF8(string(p.JSON), "\uFFFD")
		}
		return strings.ToValidUTF8(b.String(), "\uFFFD")
	case p.Head != "" || p.Tail != "":
		return p.Head + "…" + p.Tail
	}
	return p.Text
}
