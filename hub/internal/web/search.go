package web

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/hub/internal/records"
	"github.com/checkrein/checkrein/hub/internal/store"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A query chooses records.
type query struct {
	store.Range
	until    time.Time
	decision string
	kind     string
	text     []byte
	limit    int
}

// parseQuery parses the parameters of a search.
func parseQuery(v url.Values) (q query, err error) {
	q.Machine, q.Ledger, q.decision, q.kind, q.text = v.Get("machine"), v.Get("ledger"), v.Get("decision"), v.Get("kind"), []byte(v.Get("text"))
	for name, to := range map[string]*time.Time{"since": &q.Since, "until": &q.until} {
		if text := v.Get(name); text != "" && err == nil {
			*to, err = time.Parse(time.RFC3339, text)
		}
	}
	if text := v.Get("limit"); text != "" && err == nil {
		q.limit, err = strconv.Atoi(text)
	}
	for name := range v {
		switch name {
		case "machine", "ledger", "decision", "kind", "text", "since", "until", "limit":
		default:
			err = fmt.Errorf("unknown parameter %q", name)
		}
	}
	return q, err
}

// matches reports whether q chooses line, which is not a checkpoint.
func (q *query) matches(line []byte) bool {
	if bytes.HasPrefix(line, []byte(`{"v":1,"kind":"checkpoint"`)) || len(q.text) > 0 && !bytes.Contains(line, q.text) {
		return false
	}
	return (q.decision == "" || rawjson.GetText(line, "decision") == q.decision) && (q.kind == "" || rawjson.GetText(line, "kind") == q.kind)
}

// search writes the records that the parameters choose, oldest first, one per line:
//
//	{"machine":"…","name":"…","ledger":"…","user":"…","record":{…}}
//
// The record is the line of the ledger as the machine wrote it.
func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	if _, err := s.find(r, people.Viewer); err != nil {
		s.refuse(w, r, err)
		return
	}
	q, err := parseQuery(r.URL.Query())
	if err != nil {
		s.refuse(w, r, &protocol.Refusal{Status: http.StatusBadRequest, Why: err.Error()})
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := bufio.NewWriterSize(w, 64<<10)
	defer out.Flush()
	found := 0
	err = s.Records.Each(r.Context(), q.Range, func(b *records.Stored) bool {
		if !q.until.IsZero() && b.Time.After(q.until) {
			return false
		}
		m, _ := s.Machines.Get(b.Machine)
		prefix := rawjson.Object{'{'}
		prefix.Text("machine", b.Machine)
		prefix.Text("name", m.Facts.Name)
		prefix.Text("ledger", b.Ledger)
		prefix.Text("user", b.Summary.User)
		prefix.Key("record")
		for line := range bytes.Lines(b.Lines) {
			if line = bytes.TrimSuffix(line, []byte("\n")); !q.matches(line) {
				continue
			}
			out.Write(prefix)
			out.Write(line)
			if _, err := out.WriteString("}\n"); err != nil {
				return false
			}
			if found++; found == q.limit {
				return false
			}
		}
		return true
	})
	if err != nil && r.Context().Err() == nil { // a reader must not take half of the records for all
		s.Log.Error("search failed", "err", err)
		panic(http.ErrAbortHandler)
	}
}
