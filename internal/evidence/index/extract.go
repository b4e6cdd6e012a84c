package index

import (
	"bytes"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A field is what a term is about. The index stores these numbers, so the format needs a new version
// if they or the extracted terms change.
type field byte

const (
	fieldKind field = iota + 1
	fieldHost
	fieldSession // the host's id, and checkrein's session key
	fieldAgent
	fieldEvent
	fieldTool // the host's name, and the canonical one
	fieldDecision
	fieldHook
	fieldEffect
)

// addTerms adds the terms of the record line.
func (c *chunk) addTerms(line *ledger.Line) {
	c.addTerm(fieldKind, []byte(line.Kind))
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
			c.addText(fieldHost, &r)
		case "session", "session_key":
			c.addText(fieldSession, &r)
		case "agent":
			c.addText(fieldAgent, &r)
		case "event":
			c.addText(fieldEvent, &r)
		case "decision":
			c.addText(fieldDecision, &r)
		case "tool":
			c.addMembers(fieldTool, &r, "name", "canonical")
		case "plan":
			c.eachElement(&r, func() { c.addMembers(fieldHook, &r, "hook", "") })
		case "effects":
			c.eachElement(&r, func() { c.addText(fieldEffect, &r) })
		default:
			r.Value()
		}
	}
}

// addText reads the next value of r, and adds it as a term of f if it is a string.
func (c *chunk) addText(f field, r *rawjson.Reader) {
	val := r.Value()
	if len(val) < 2 || val[0] != '"' {
		return
	}
	if bytes.IndexByte(val, '\\') < 0 {
		c.addTerm(f, val[1:len(val)-1])
		return
	}
	text, _ := rawjson.Text(val)
	c.addTerm(f, []byte(text))
}

// addMembers reads the next value of r, and adds the strings in its members one and two as terms of f.
// two may be "". The members come early in the object, so that little of it is read.
func (c *chunk) addMembers(f field, r *rawjson.Reader, one, two string) {
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
			c.addText(f, &in)
			left--
		} else {
			in.Value()
		}
	}
}

// eachElement calls mark for each element of the list that is the next value of r. mark must read the
// element.
func (c *chunk) eachElement(r *rawjson.Reader, mark func()) {
	if r.Kind() != '[' {
		r.Value()
		return
	}
	r.Enter()
	for r.NextElement() {
		mark()
	}
}
