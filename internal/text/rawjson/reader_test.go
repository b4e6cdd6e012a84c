package rawjson

import (
	"bytes"
	"strings"
	"testing"
)

// writeCompact reads a value with r and writes it to out without white space.
func writeCompact(r *Reader, out *bytes.Buffer) {
	switch r.Kind() {
	case '{':
		r.Enter()
		out.WriteByte('{')
		for first := true; ; first = false {
			key, ok := r.Key()
			if !ok {
				break
			}
			if !first {
				out.WriteByte(',')
			}
			out.Write(Quote(string(key)))
			out.WriteByte(':')
			writeCompact(r, out)
		}
		out.WriteByte('}')
	case '[':
		r.Enter()
		out.WriteByte('[')
		for first := true; r.NextElement(); first = false {
			if !first {
				out.WriteByte(',')
			}
			writeCompact(r, out)
		}
		out.WriteByte(']')
	default:
		out.Write(r.Value())
	}
}

func TestReaderWalksEverything(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{
		`{}`, `[]`, `1`, `"x"`, `null`, ` { "a" : [ 1 , {"b":"c\"]}"} , [ ] ] , "d" : { } , "e\u0066" : -1.5e3 } `,
		`[[[["deep"]]],{"a":{"b":{"c":[true,false,null]}}}]`,
	} {
		var out bytes.Buffer
		r := NewReader([]byte(doc))
		writeCompact(&r, &out)
		if !Equal(out.Bytes(), []byte(doc)) {
			t.Errorf("%s: got %s", doc, out.Bytes())
		}
		if rest := strings.TrimSpace(doc[r.i:]); rest != "" {
			t.Errorf("%s: %q is left", doc, rest)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}],"c":"d"}`))
	f.Add([]byte(`{"a"`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		var out bytes.Buffer
		r := NewReader(doc)
		if Check(doc) != nil {
			for range 100 { // meaningless results, but no panic and no endless loop
				r.Key()
				r.NextElement()
				r.Value()
				r.Enter()
			}
			return
		}
		writeCompact(&r, &out)
		if !Equal(out.Bytes(), doc) {
			t.Errorf("%s: got %s", doc, out.Bytes())
		}
	})
}
