package rawjson

import (
	"fmt"
	"strings"
	"testing"
)

// withDuplicates has duplicate keys, escaped keys, and keys that differ only in case.
const withDuplicates = ` { "a" : 1 , "A" : 2 , "\u0061" : { "b" : [ 10 , "x" , [ ] ] } , "n\\n" : null , "" : -0 } `

func TestEach(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"members in order": {withDuplicates, `a=1|A=2|a={ "b" : [ 10 , "x" , [ ] ] }|n\n=null|=-0|`},
		"empty object":     {" { } ", ""},
		"array":            {"[1]", ""},
		"string":           {`"{}"`, ""},
		"nothing":          {"", ""},
		"exact numbers":    {`{"n":12345678901234567890,"e":1e999,"z":-0.0}`, "n=12345678901234567890|e=1e999|z=-0.0|"},
		"brackets in text": {`{"a":"}]\"{","b":["]"],"c":"\\"}`, `a="}]\"{"|b=["]"]|c="\\"|`},
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			Each([]byte(tt.in), func(key string, val []byte) bool {
				fmt.Fprintf(&got, "%s=%s|", key, val)
				return true
			})
			if got.String() != tt.want {
				t.Errorf("got %s, want %s", &got, tt.want)
			}
		})
	}
}

func TestEarlyStop(t *testing.T) {
	calls := 0
	Each([]byte(withDuplicates), func(string, []byte) bool { calls++; return calls < 2 })
	Elements([]byte("[1,2,3]"), func(int, []byte) bool { calls++; return calls < 4 })
	EachStringValue([]byte(`["a","b","c"]`), func(string) bool { calls++; return calls < 6 })
	if calls != 6 {
		t.Errorf("%d calls, want 2 of each", calls)
	}
}

func TestLookup(t *testing.T) {
	for name, tt := range map[string]struct {
		in   string
		path []string
		want string
	}{
		"no path":                {withDuplicates, nil, strings.TrimSpace(withDuplicates)},
		"last duplicate":         {withDuplicates, []string{"a", "b", "0"}, "10"},
		"case matters":           {withDuplicates, []string{"A"}, "2"},
		"escaped backslash":      {withDuplicates, []string{`n\n`}, "null"},
		"spelling is not a key":  {withDuplicates, []string{`n\\n`}, ""},
		"empty key":              {withDuplicates, []string{""}, "-0"},
		"array within":           {withDuplicates, []string{"a", "b", "2"}, "[ ]"},
		"past the array":         {withDuplicates, []string{"a", "b", "3"}, ""},
		"leading zero":           {withDuplicates, []string{"a", "b", "00"}, ""},
		"negative":               {withDuplicates, []string{"a", "b", "-1"}, ""},
		"huge index":             {withDuplicates, []string{"a", "b", "99999999999999999999"}, ""},
		"word as index":          {withDuplicates, []string{"a", "b", "x"}, ""},
		"empty index":            {withDuplicates, []string{"a", "b", ""}, ""},
		"into a scalar":          {withDuplicates, []string{"A", "0"}, ""},
		"missing":                {withDuplicates, []string{"b"}, ""},
		"index as key":           {`{"0":1}`, []string{"0"}, "1"},
		"nothing":                {" ", nil, ""},
		"half pair as key":       {`{"\ud800":1}`, []string{"\ufffd"}, "1"},
		"pair as key":            {`{"\ud83d\ude00":1}`, []string{"😀"}, "1"},
		"no match of bad utf-8":  {`{"\ufffd":1}`, []string{"\xff"}, ""},
		"prefix of escaped key":  {`{"\u0061b":1}`, []string{"a"}, ""},
		"escaped key is shorter": {`{"\u0061":1}`, []string{"ab"}, ""},
		"escape is no spelling":  {`{"\n":1}`, []string{`\n`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := Lookup([]byte(tt.in), tt.path...)
			if string(got) != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q, %v; want %q", got, ok, tt.want)
			}
		})
	}
}

func TestValuesAreCapped(t *testing.T) {
	doc := []byte(`{"a":[1],"b":2}`)
	val, _ := Lookup(doc, "a", "0")
	_ = append(val, "XXXX"...)
	val, _ = Get(doc, "a")
	_ = append(val, "XXXX"...)
	if string(doc) != `{"a":[1],"b":2}` {
		t.Errorf("appending to a value changed the document: %s", doc)
	}
}

func TestElements(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"elements":    {` [ 1 , "a,b" , {"c":[1,2]} , [ ] ] `, `0=1|1="a,b"|2={"c":[1,2]}|3=[ ]|`},
		"empty array": {"[ ]", ""},
		"object":      {`{"a":1}`, ""},
		"nothing":     {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			Elements([]byte(tt.in), func(i int, val []byte) bool {
				fmt.Fprintf(&got, "%d=%s|", i, val)
				return true
			})
			if got.String() != tt.want {
				t.Errorf("got %s, want %s", &got, tt.want)
			}
		})
	}
}

func TestKind(t *testing.T) {
	for in, want := range map[string]byte{
		"{}": '{', "[]": '[', `""`: '"', "null": 'n', "true": 'b', "false": 'b',
		"0": '0', "9": '0', "-1": '0', " \n\t\r[": '[', "": 0, "  ": 0, "x": 0, "+1": 0, "\x00": 0, "]": 0,
	} {
		if got := Kind([]byte(in)); got != want {
			t.Errorf("Kind(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestEachStringValue(t *testing.T) {
	for name, tt := range map[string]struct{ in, want, names string }{
		"depth first, without keys": {`{"k":"a","l":["b",{"m":"c" , "n" : 1},"d"],"o":"e"}`, "a|b|c|d|e|", "k|l|m|n|o|"},
		"overruled values too":      {`{"k":"a","k":"b"}`, "a|b|", "k|k|"},
		"decoded":                   {`["\u0061\n","\"","\\",":",{"\u0061":1}]`, "a\n|\"|\\|:|", "a|"},
		"one string":                {` "a" `, "a|", ""},
		"empty strings":             {`["",{"":""}]`, "||", "|"},
		"none":                      {`{"a":1}`, "", "a|"},
	} {
		t.Run(name, func(t *testing.T) {
			var got, names strings.Builder
			EachStringValue([]byte(tt.in), func(s string) bool {
				got.WriteString(s + "|")
				return true
			})
			EachKey([]byte(tt.in), func(s string) bool {
				names.WriteString(s + "|")
				return true
			})
			if got.String() != tt.want || names.String() != tt.names {
				t.Errorf("got %q and %q, want %q and %q", &got, &names, tt.want, tt.names)
			}
		})
	}
}

func TestCompact(t *testing.T) {
	want := `>{"a":1,"A":2,"\u0061":{"b":[10,"x",[]]},"n\\n":null,"":-0}`
	if got := Compact([]byte(">"), []byte(withDuplicates)); string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := Compact(nil, []byte(` [ " a\" b " , 1 ] `)); string(got) != `[" a\" b ",1]` {
		t.Errorf("white space in a string: got %s", got)
	}
}

func TestReadingDoesNotAllocate(t *testing.T) {
	doc, out := []byte(sample), make([]byte, 0, 1024)
	unique := []byte(`{"a":{"b":1,"c":[{}]},"b":2}`)
	for name, fn := range map[string]func(){
		"Check":         func() { _ = Check(doc) },
		"Get":           func() { Get(doc, "e") },
		"Get escaped":   func() { Get(doc, "é\"\\/\b\f\n\r\t") },
		"Lookup":        func() { Lookup(doc, "a", "2") },
		"Elements":      func() { Elements(doc, func(int, []byte) bool { return true }) },
		"Kind":          func() { Kind(doc) },
		"Compact":       func() { Compact(out, doc) },
		"AppendString":  func() { AppendString(out, "a\n\u2028\xff") },
		"Dedup of none": func() { Dedup(unique) },
		"Equal, same":   func() { Equal(doc, doc) },
	} {
		if n := testing.AllocsPerRun(10, fn); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	plain := []byte(`{"b":{"x":"\u0061","y":[1]},"a":2}`)
	other := []byte(`{"a":2, "b":{"y":[1],"x":"a"}}`)
	if n := testing.AllocsPerRun(10, func() { Equal(plain, other) }); n != 0 {
		t.Errorf("Equal of small values: %v allocations", n)
	}
	keys := []byte(`{"tool_name":1,"tool_input":2}`)
	if n := testing.AllocsPerRun(10, func() { Each(keys, func(string, []byte) bool { return true }) }); n > 2 {
		t.Errorf("Each of two keys: %v allocations", n)
	}
}
