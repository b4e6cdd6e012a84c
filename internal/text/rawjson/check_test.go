package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func nestedArrays(n int) string {
	return strings.Repeat("[", n) + strings.Repeat("]", n)
}

// sample has every kind of token, escape and character width.
const sample = ` { "a" : [ 1 , -0 , 12.5e+10 , 1E-2 , true , false , null ] ,
	"\u00e9\"\\\/\b\f\n\r\t" : "é漢😀\ud83d\ude00\ud800" , "" : { } , "e" : [ ] } `

func TestCheckAccepts(t *testing.T) {
	for name, in := range map[string]string{
		"null":                 "null",
		"true":                 "true",
		"false":                "false",
		"white space":          " \t\r\n1 \t\r\n",
		"zero":                 "0",
		"minus zero":           "-0",
		"beyond float range":   "1e999",
		"beyond integer range": "12345678901234567890",
		"fraction":             "-10.05",
		"exponents":            "[1e5,1E+5,0e-0,0.0e00]",
		"empty string":         `""`,
		"every token":          sample,
		"escaped NUL":          `"\u0000"`,
		"half a pair":          `"\ud800 \udc00"`,
		"DEL is no control":    "\"\x7f\"",
		"U+FFFD itself":        "\"\ufffd\"",
		"U+10FFFF":             "\"\U0010ffff\"",
		"BOM within a string":  "\"\ufeff\"",
		"duplicate keys":       `{"a":1,"a":2}`,
		"empty containers":     `[{},[],{"":{}}]`,
		"as deep as allowed":   nestedArrays(MaxDepth),
		"wide but not deep":    "[" + strings.Repeat("[[]],", 2000) + "0]",
	} {
		t.Run(name, func(t *testing.T) {
			if err := Check([]byte(in)); err != nil {
				t.Errorf("Check(%.60q) = %v", in, err)
			}
			if !json.Valid([]byte(in)) {
				t.Errorf("encoding/json refuses %.60q", in)
			}
		})
	}
}

func TestCheckRejects(t *testing.T) {
	tests := []struct {
		name, in string
		offset   int
		msg      string
	}{
		{"nothing", "", 0, msgEnd},
		{"white space only", " \n", 2, msgEnd},
		{"BOM", "\xef\xbb\xbf{}", 0, msgBOM},
		{"NUL", "\x00", 0, msgValue},
		{"NUL after", "{}\x00", 2, msgTrailing},
		{"NUL in a string", "\"a\x00\"", 2, msgControl},
		{"newline in a string", "\"a\n\"", 2, msgControl},
		{"control far into a string", "\"0123456789abcdef\x1f\"", 17, msgControl},
		{"other white space", "\v1", 0, msgValue},
		{"two values", "1 2", 2, msgTrailing},
		{"word", "nul", 3, msgEnd},
		{"misspelt", "trUe", 2, msgLiteral},
		{"longer word", "nulls", 4, msgTrailing},
		{"upper case", "NULL", 0, msgValue},
		{"NaN", "NaN", 0, msgValue},
		{"leading zero", "01", 1, msgTrailing},
		{"leading plus", "+1", 0, msgValue},
		{"leading point", ".5", 0, msgValue},
		{"minus", "-", 1, msgEnd},
		{"minus word", "-a", 1, msgNumber},
		{"trailing point", "1.", 2, msgEnd},
		{"point and exponent", "1.e1", 2, msgNumber},
		{"bare exponent", "[1e]", 3, msgNumber},
		{"hexadecimal", "0x10", 1, msgTrailing},
		{"unknown escape", `"\x"`, 2, msgEscape},
		{"short unicode escape", `"\u12"`, 5, msgEscape},
		{"upper case escape", `"\U0041"`, 2, msgEscape},
		{"single quotes", "'a'", 0, msgValue},
		{"unquoted key", "{a:1}", 1, msgName},
		{"number as key", "{1:1}", 1, msgName},
		{"no colon", `{"a" 1}`, 5, msgColon},
		{"no value", `{"a":}`, 5, msgValue},
		{"comma before brace", `{"a":1,}`, 7, msgName},
		{"comma before bracket", "[1,]", 3, msgValue},
		{"comma first", "[,1]", 1, msgValue},
		{"no comma", "[1 2]", 3, msgArrayEnd},
		{"no comma in object", `{"a":1 "b":2}`, 7, msgObjectEnd},
		{"brace closes bracket", "[1}", 2, msgArrayEnd},
		{"bracket closes brace", `{"a":[1]]`, 8, msgObjectEnd},
		{"closed too often", "[]]", 2, msgTrailing},
		{"comment", "/**/1", 0, msgValue},
		{"invalid byte", "\"\xff\"", 1, msgUTF8},
		{"overlong", "\"abc\xc0\x80\"", 4, msgUTF8},
		{"surrogate in utf-8", "\"\xed\xa0\x80\"", 1, msgUTF8},
		{"above U+10FFFF", "\"é\xf4\x90\x80\x80\"", 3, msgUTF8},
		{"cut character", "\"\xe6\xbc\"", 1, msgUTF8},
		{"non-breaking space", "\u00a01", 0, msgValue},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var se *SyntaxError
			if err := Check([]byte(tt.in)); !errors.As(err, &se) {
				t.Fatalf("Check(%q) = %v, want a *SyntaxError", tt.in, err)
			}
			if se.Offset != tt.offset || se.Msg != tt.msg {
				t.Errorf("Check(%q) = %v, want %q at %d", tt.in, se, tt.msg, tt.offset)
			}
			if errors.Is(se, ErrDepth) {
				t.Errorf("Check(%q) is ErrDepth", tt.in)
			}
		})
	}
}

func TestCheckTruncated(t *testing.T) {
	whole := strings.TrimSpace(sample)
	for n := range len(whole) {
		var se *SyntaxError
		if err := Check([]byte(whole[:n])); !errors.As(err, &se) {
			t.Fatalf("accepts %q", whole[:n])
		}
		if se.Offset != n && se.Msg != msgUTF8 {
			t.Errorf("%q: %v, want the fault at the end", whole[:n], se)
		}
	}
}

func TestCheckDepth(t *testing.T) {
	for name, in := range map[string]string{
		"one too many": nestedArrays(MaxDepth + 1),
		"unclosed":     strings.Repeat("[", MaxDepth+1),
		"objects":      strings.Repeat(`{"a":`, MaxDepth+1),
		"mixed":        strings.Repeat(`[{"a":`, MaxDepth/2+1),
	} {
		t.Run(name, func(t *testing.T) {
			if err := Check([]byte(in)); !errors.Is(err, ErrDepth) {
				t.Errorf("got %v, want ErrDepth", err)
			}
		})
	}
	mixed := strings.Repeat(`[{"a":`, MaxDepth/2) + "0" + strings.Repeat("}]", MaxDepth/2)
	if err := Check([]byte(mixed)); err != nil {
		t.Errorf("mixed containers as deep as allowed: %v", err)
	}
	if err := Check([]byte(strings.Replace(mixed, "}]", "]}", 1))); err == nil {
		t.Error("accepts containers closed in the wrong order")
	}
}

func TestCheckHugeNesting(t *testing.T) {
	b := bytes.Repeat([]byte("["), 100<<20)
	allocs := testing.AllocsPerRun(1, func() {
		err := Check(b)
		if !errors.Is(err, ErrDepth) || err.(*SyntaxError).Offset != MaxDepth {
			t.Fatalf("got %v, want ErrDepth at %d and not a byte further", err, MaxDepth)
		}
	})
	if allocs > 1 {
		t.Errorf("%v allocations, want the error alone", allocs)
	}
}

func TestCheckObject(t *testing.T) {
	for name, tt := range map[string]struct {
		in  string
		err string
	}{
		"object":           {` {"a":1} `, ""},
		"array":            {" [1]", "invalid json at byte 1: not an object"},
		"null":             {"null", "invalid json at byte 0: not an object"},
		"nothing":          {"", "invalid json at byte 0: unexpected end"},
		"garbage":          {"x", "invalid json at byte 0: expected a value"},
		"broken object":    {`{"a"`, "invalid json at byte 4: unexpected end"},
		"array by a brace": {"[}", "invalid json at byte 0: not an object"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := CheckObject([]byte(tt.in)); err != nil {
				got = err.Error()
			}
			if got != tt.err {
				t.Errorf("got %q, want %q", got, tt.err)
			}
		})
	}
}
