package index

import (
	"bytes"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A field is what a term is about. The numbers are in the index: a change of
// them, or of what extract finds, needs another schema.
type field byte

const (
	fieldKind field = iota + 1
	fieldHost
	fieldSession // the host's id of it, and our key
	fieldAgent
	fieldEvent
	fieldTool // the host's name of it, and the canonical one
	fieldDecision
	fieldHook
	fieldEffect
)

// extract marks the terms of a record.
func (c *chunk) extract(line *ledger.Line) {
	c.mark(fieldKind, []byte(line.Kind))
	if line.Kind != ledger.KindEvent {
		return
	}
	r := rawjson.NewReader(line.Raw)
	r.Enter()
	for {
		key, ok := r.Key()
		if !ok {
			return
		}
		switch string(key) {
		case "host":
			c.markText(fieldHost, &r)
		case "session", "session_key":
			c.markText(fieldSession, &r)
		case "agent":
			c.markText(fieldAgent, &r)
		case "event":
			c.markText(fieldEvent, &r)
		case "decision":
			c.markText(fieldDecision, &r)
		case "tool":
			c.markMember(fieldTool, &r, "name", "canonical")
		case "plan":
			c.markElements(&r, func() { c.markMember(fieldHook, &r, "hook", "") })
		case "effects":
			c.markElements(&r, func() { c.markText(fieldEffect, &r) })
		default:
			r.Value()
		}
	}
}

// markText marks the text at hand; anything else is passed over.
func (c *chunk) markText(f field, r *rawjson.Reader) {
	val := r.Value()
	if len(val) < 2 || val[0] != '"' {
		return
	}
	if bytes.IndexByte(val, '\\') < 0 {
		c.mark(f, val[1:len(val)-1])
		return
	}
	text, _ := rawjson.Text(val)
	c.mark(f, []byte(text))
}

// markMember marks the texts of one or two members of the object at hand. Such
// stand in front, so that not much of it is read.
func (c *chunk) markMember(f field, r *rawjson.Reader, one, two string) {
	left := 1
	if two != "" {
		left = 2
	}
	val := r.Value()
	if rawjson.Kind(val) != '{' {
		return
	}
	in := rawjson.NewReader(val)
	in.Enter()
	for left > 0 {
		key, ok := in.Key()
		if !ok {
			return
		}
		if string(key) == one || string(key) == two {
			c.markText(f, &in)
			left--
		} else {
			in.Value()
		}
	}
}

// markElements calls mark for the elements of the list at hand, each of which
// it must move behind.
func (c *chunk) markElements(r *rawjson.Reader, mark func()) {
	if r.Kind() != '[' {
		r.Value()
		return
	}
	r.Enter()
	for r.Element() {
		mark()
	}
}
