package rawjson

import (
	"bytes"
	"errors"
	"testing"
)

func TestPatch(t *testing.T) {
	for name, tt := range map[string]struct{ obj, patch, want string }{
		"set in place":           {`{"a":1,"b":2,"c":3}`, `{"b":9}`, `{"a":1,"b":9,"c":3}`},
		"append in patch order":  {`{"a":1}`, `{"z":1,"y":2}`, `{"a":1,"z":1,"y":2}`},
		"delete":                 {`{"a":1,"b":2,"c":3}`, `{"b":null}`, `{"a":1,"c":3}`},
		"delete first":           {`{"a":1,"b":2}`, `{"a":null}`, `{"b":2}`},
		"delete all":             {`{"a":1}`, `{"a":null}`, `{}`},
		"delete what is not":     {`{"a":1}`, `{"b":null}`, `{"a":1}`},
		"nothing to do":          {`{"a":1}`, `{}`, `{"a":1}`},
		"no object":              {``, `{"a":1}`, `{"a":1}`},
		"no object, delete":      {``, `{"a":null}`, `{}`},
		"empty object":           {` { } `, `{"a":1}`, `{"a":1}`},
		"values byte for byte":   {`{ "n" : 1.50e+007 , "o" : { "x" : [ 1 ] } }`, `{"a": [ 2 ] }`, `{"n":1.50e+007,"o":{ "x" : [ 1 ] },"a":[ 2 ]}`},
		"keys byte for byte":     {`{"\u0061":1,"b\/":2}`, `{"c":3}`, `{"\u0061":1,"b\/":2,"c":3}`},
		"escaped key is the key": {`{"\u0061":1}`, `{"a":2}`, `{"a":2}`},
		"case matters":           {`{"a":1}`, `{"A":2}`, `{"a":1,"A":2}`},
		"not deep":               {`{"a":{"x":1,"y":2}}`, `{"a":{"x":null}}`, `{"a":{"x":null}}`},
		"duplicates collapse":    {`{"a":1,"b":2,"a":3}`, `{}`, `{"b":2,"a":3}`},
		"duplicates are set":     {`{"a":1,"b":2,"a":3,"c":4}`, `{"a":9}`, `{"b":2,"a":9,"c":4}`},
		"duplicates are deleted": {`{"a":1,"b":2,"\u0061":3}`, `{"a":null}`, `{"b":2}`},
		"patch sets, deletes":    {`{"a":1}`, `{"a":2,"a":null}`, `{}`},
		"patch deletes, sets":    {`{"a":1}`, `{"a":null,"a":2}`, `{"a":2}`},
		"patch has duplicates":   {`{}`, `{"a":1,"b":2,"a":3}`, `{"b":2,"a":3}`},
		"nested duplicates stay": {`{"a":{"x":1,"x":2}}`, `{"b":1}`, `{"a":{"x":1,"x":2},"b":1}`},
		"the word null":          {`{"a":1}`, `{"a":"null"}`, `{"a":"null"}`},
		"half pairs are one key": {`{"\ud800":1}`, `{"\ufffd":2}`, `{"\ufffd":2}`},
	} {
		t.Run(name, func(t *testing.T) {
			obj, patch := []byte(tt.obj), []byte(tt.patch)
			got, err := Patch(obj, patch)
			if err != nil || string(got) != tt.want {
				t.Fatalf("got %s, %v; want %s", got, err, tt.want)
			}
			if string(obj) != tt.obj || string(patch) != tt.patch {
				t.Error("an argument changed")
			}
			again, err := Patch(got, patch)
			if err != nil || !bytes.Equal(again, got) {
				t.Errorf("patched again: %s, %v; want %s", again, err, got)
			}
		})
	}
}

func TestPatchRejects(t *testing.T) {
	for name, tt := range map[string]struct{ obj, patch, want string }{
		"object is an array": {"[]", "{}", "object to patch: invalid json at byte 0: not an object"},
		"object is broken":   {`{"a":1`, "{}", "object to patch: invalid json at byte 6: unexpected end"},
		"object is blank":    {" ", "{}", "object to patch: invalid json at byte 1: unexpected end"},
		"patch is null":      {"{}", "null", "patch: invalid json at byte 0: not an object"},
		"patch is nothing":   {"{}", "", "patch: invalid json at byte 0: unexpected end"},
		"patch goes on":      {"{}", `{"a":1},"b":2}`, "patch: invalid json at byte 7: data after the value"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Patch([]byte(tt.obj), []byte(tt.patch))
			var se *SyntaxError
			if got != nil || !errors.As(err, &se) || err.Error() != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

// TestPatchOwnsItsResult checks that the result shares no memory with the arguments.
func TestPatchOwnsItsResult(t *testing.T) {
	obj, patch := []byte(`{"a":1}`), []byte(`{}`)
	got, err := Patch(obj, patch)
	if err != nil {
		t.Fatal(err)
	}
	clear(got)
	if string(obj) != `{"a":1}` || string(patch) != `{}` {
		t.Errorf("writing to the result changed an argument: %q, %q", obj, patch)
	}
}
