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

// decodeRecord decodes line. For kinds other than event it decodes only the common members, since
// their own members may have the same names as an event's but other types.
func decodeRecord(line []byte) (*record.Record, error) {
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

// hookNames returns the names of the planned hooks in r.
func hookNames(r *record.Record) []string {
	var out []string
	for i := range r.Plan {
		out = append(out, r.Plan[i].Hook)
	}
	return out
}

// faultTexts returns the faults in r: first that of the event itself, then those of hooks.
func faultTexts(r *record.Record) []string {
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

// droppedTexts returns the effects that hooks requested and that were dropped, as `hook: effect: why`.
func droppedTexts(r *record.Record) []string {
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

// partText returns p as one text: compact JSON, the text, or head and tail of a long one with an
// ellipsis in between. It returns "" if p is nil. All results are valid UTF-8; JSON is the only value
// that the decoder does not convert.
func partText(p *record.Part) string {
	switch {
	case p == nil:
		return ""
	case p.JSON != nil:
		var b bytes.Buffer
		if err := json.Compact(&b, p.JSON); err != nil { // cannot happen: the decoder has checked it
			return strings.ToValidUTF8(string(p.JSON), "\uFFFD")
		}
		return strings.ToValidUTF8(b.String(), "\uFFFD")
	case p.Head != "" || p.Tail != "":
		return p.Head + "…" + p.Tail
	}
	return p.Text
}
