package rawjson

import (
	"strings"
	"testing"
)

func TestEqual(t *testing.T) {
	for name, tt := range map[string]struct {
		a, b string
		want bool
	}{
		"same text":               {"[1]", "[1]", true},
		"white space":             {" { \"a\" : [ 1 , 2 ] } ", `{"a":[1,2]}`, true},
		"white space in a string": {`"a b"`, `"ab"`, false},
		"key order":               {`{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2},"a":1}`, true},
		"element order":           {"[1,2]", "[2,1]", false},
		"string escapes":          {`"\u0061\/\n"`, `"a/\u000A"`, true},
		"key escapes":             {`{"\u0061":1,"b":2}`, `{"b":2,"a":1}`, true},
		"pair":                    {`"\ud83d\ude00"`, `"😀"`, true},
		"prefix":                  {`"ab"`, `"\u0061"`, false},
		"prefix, other way":       {`"\u0061"`, `"ab"`, false},
		"number text":             {"1", "1.0", false},
		"exponent":                {"1e2", "1E2", false},
		"minus zero":              {"-0", "0", false},
		"beyond float64":          {"[12345678901234567890]", "[12345678901234567891]", false},
		"bool":                    {"true", "false", false},
		"null and false":          {"null", "false", false},
		"string and number":       {`"1"`, "1", false},
		"array and object":        {"[]", "{}", false},
		"null member and none":    {`{"a":null}`, "{}", false},
		"other key":               {`{"a":1}`, `{"b":1}`, false},
		"case":                    {`{"a":1}`, `{"A":1}`, false},
		"last duplicate":          {`{"a":1,"a":2}`, `{"a":2}`, true},
		"not the first":           {`{"a":1,"a":2}`, `{"a":1}`, false},
		"duplicates in both":      {`{"a":1,"b":3,"a":2}`, `{"b":4,"a":2,"b":3}`, true},
		"count alone is no match": {`{"a":1,"a":2}`, `{"a":2,"b":1}`, false},
		"duplicate within":        {`[{"a":{"b":1},"a":{"b":2,"b":3}}]`, `[{"a":{"b":3}}]`, true},
		"longer array":            {"[1,2]", "[1]", false},
		"longer array, other way": {"[1]", "[1,2]", false},
		"nested arrays":           {"[[1],[]]", "[[],[1]]", false},
		"half pair, itself":       {`"\ud800"`, `"\uD800"`, true},
		"half pair, other half":   {`"\ud800"`, `"\ud801"`, false},
		"half pair, U+FFFD":       {`"\ud800"`, `"\ufffd"`, false},
		"half pair in a key":      {`{"\ud800":1}`, `{"\ufffd":1}`, false},
		"nothing":                 {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Equal([]byte(tt.a), []byte(tt.b)); got != tt.want {
				t.Errorf("Equal(%s, %s) = %v", tt.a, tt.b, got)
			}
			if got := Equal([]byte(tt.b), []byte(tt.a)); got != tt.want {
				t.Errorf("Equal(%s, %s) = %v", tt.b, tt.a, got)
			}
		})
	}
}

func TestDedup(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"two":                    {`{"a":1,"a":2}`, `{"a":2}`},
		"last stays in place":    {`{"a":1,"b":2,"a":3,"c":4}`, `{"b":2,"a":3,"c":4}`},
		"several keys":           {`{"a":1,"b":2,"a":3,"b":4,"a":5}`, `{"b":4,"a":5}`},
		"by meaning":             {`{"\u0061":1,"a":2}`, `{"a":2}`},
		"last spelling":          {`{"a":1,"\u0061":2}`, `{"\u0061":2}`},
		"case matters":           {`{"a":1,"A":2}`, `{"a":1,"A":2}`},
		"within an array":        {`[{"a":1,"a":2},{"a":3}]`, `[{"a":2},{"a":3}]`},
		"within an object":       {`{"x":{"a":1,"a":2},"y":1}`, `{"x":{"a":2},"y":1}`},
		"within what goes":       {`{"x":{"a":1,"a":2},"x":{"b":1,"b":2}}`, `{"x":{"b":2}}`},
		"white space stays":      {"{ \"a\" : 1 ,\n \"b\" : 2 , \"a\" : 3 }\n", "{ \"b\" : 2 , \"a\" : 3 }\n"},
		"brackets in strings":    {`{"a":"},{","a":"\",","b":"]"}`, `{"a":"\",","b":"]"}`},
		"same key, other object": {`{"a":{"a":{"a":1}}}`, `{"a":{"a":{"a":1}}}`},
		"empty keys":             {`{"":1,"":2}`, `{"":2}`},
		"scalar":                 {` 1 `, ` 1 `},
		"not JSON":               {`{"a":1,"a":2`, `{"a":1,"a":2`},
	} {
		t.Run(name, func(t *testing.T) {
			in := []byte(tt.in)
			got := Dedup(in)
			if string(got) != tt.want {
				t.Fatalf("got %s, want %s", got, tt.want)
			}
			if string(in) != tt.in {
				t.Error("the argument changed")
			}
			if same := &got[0] == &in[0]; same != (tt.in == tt.want) {
				t.Errorf("same slice: %v", same)
			}
		})
	}
}

// TestEqualForEveryReader checks that values with duplicate keys are equal only byte for byte, because
// some readers use the first of two keys.
func TestEqualForEveryReader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":2}`, `{ "b":2, "a":1 }`, true},
		{`{"a":1}`, `{"a":2}`, false},
		{`{"a":"x","a":1}`, ` {"a":"x","a":1} `, true},
		{`{"a":"x","a":1}`, `{"a":"y","a":1}`, false},
		{`{"a":"x","a":1}`, `{"a":1}`, false},
		{`[{"b":{"a":1}}]`, `[{"b":{"a":0,"a":1}}]`, false},
		{``, ``, false},
	} {
		if got := EqualForEveryReader([]byte(tt.a), []byte(tt.b)); got != tt.want {
			t.Errorf("%s and %s: got %v", tt.a, tt.b, got)
		}
	}
}

func TestParseValue(t *testing.T) {
	t.Parallel()
	v, err := ParseValue([]byte(` {"b": [1, {"x": "\u0041"}], "a": null, "b": {}} `))
	if err != nil || v.Kind != '{' || strings.Join(v.Keys, " ") != "b a b" || !v.HasDuplicateKeys {
		t.Fatalf("%+v, %v", v, err)
	}
	first := v.Parts[0].Elements()
	if len(first) != 2 || first[0].String() != "1" || first[1].Get("x").String() != "A" || first[1].String() != `{"x": "\u0041"}` {
		t.Errorf("%+v", first)
	}
	if last := v.Get("b"); last.Kind != '{' || last.Elements() != nil || last.Get("x").Kind != 0 {
		t.Errorf("the last of two keys counts: %+v", last)
	}
	if _, err := ParseValue([]byte(`{"a":}`)); err == nil {
		t.Error("a broken text is refused")
	}
}
