package conformance

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestFields(t *testing.T) {
	t.Parallel()
	tables, err := Fields()
	if err != nil {
		t.Fatal(err)
	}
	for doc, events := range map[string]int{"docker-agent": 26, "hookmd": 11, "starchild": 12} {
		if n := len(tables[doc]) - 1; n != events || len(tables[doc][Every]) == 0 {
			t.Errorf("%s has %d events, want %d", doc, n, events)
		}
	}
	for _, tt := range []struct {
		field   Field
		payload string
		there   bool
		err     string
	}{
		{Field{Name: "a", Types: []string{"string"}}, `{"a":""}`, true, ""},
		{Field{Name: "a", Types: []string{"string"}}, `{}`, false, "a is missing"},
		{Field{Name: "a", Types: []string{"string"}, When: "x"}, `{}`, false, ""},
		{Field{Name: "a", Types: []string{"string"}, When: "x"}, `{"a":1}`, true, "a is of type integer, not string"},
		{Field{Name: "a", Types: []string{"integer"}}, `{"a":1.5}`, true, "a is of type number, not integer"},
		{Field{Name: "a", Types: []string{"number"}}, `{"a":1}`, true, ""},
		{Field{Name: "a", Types: []string{"object", "null"}}, `{"a":null}`, true, ""},
		{Field{Name: "a.b", Types: []string{"boolean"}}, `{"a":{"b":false}}`, true, ""},
		{Field{Name: "a.b", Types: []string{"boolean"}}, `{"a":[]}`, false, "a.b is missing"},
		{Field{Name: "a", Types: []string{"any"}}, `{"a":[]}`, true, ""},
		{Field{Name: "a", Types: []string{"string"}, Values: []string{"x"}}, `{"a":"y"}`, true, `a is "y", not one of x`},
	} {
		var payload map[string]any
		dec := json.NewDecoder(bytes.NewReader([]byte(tt.payload)))
		dec.UseNumber()
		if err := dec.Decode(&payload); err != nil {
			t.Fatal(err)
		}
		there, err := tt.field.Check(payload)
		if got := ""; there != tt.there || err != nil && err.Error() != tt.err || err == nil && tt.err != got {
			t.Errorf("%s in %s: %v, %v", tt.field.Name, tt.payload, there, err)
		}
	}
}
