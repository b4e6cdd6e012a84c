package rawjson

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"
)

var seeds = []string{
	"", " ", "{}", "[]", "null", "true", "-0", "1e999", "12345678901234567890", `""`, sample, withDuplicates,
	"\xef\xbb\xbf{}", "\x00", "\"\xff\"", `"\ud800\ud83d\ude00\udc00"`, `"\u2028"`, "[1,]", "01", "[[[[", "}{",
	`{"a":{"b":1,"b":[2]},"a":null}`, `{"tool_name":"Bash","tool_input":{"command":"ls -l \"x\"\n"}}`,
	nestedArrays(MaxDepth), nestedArrays(MaxDepth + 1), `{"a":"\`, `"\u12`, `{"a" "b"}`, `{"a":1"a":2}`, `{1:2,[]:3}`,
}

func addPairs(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), []byte(s))
		f.Add([]byte(s), []byte(seeds[(i+1)%len(seeds)]))
	}
	f.Add([]byte(`{"a":1,"b":2,"a":3}`), []byte(`{"a":null,"c":[1.0],"b":{}}`))
}

// depthOf returns the depth of valid JSON, computed in the simplest way.
func depthOf(b []byte) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '[' || c == '{'):
			depth++
			deepest = max(deepest, depth)
		case !quoted && (c == ']' || c == '}'):
			depth--
		}
	}
	return deepest
}

// unmarshal decodes b with encoding/json and exact numbers.
func unmarshal(t *testing.T, b []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("encoding/json on %q: %v", b, err)
	}
}

// hasHalfPairs reports whether b may contain half a surrogate pair, for which Equal is stricter than
// encoding/json.
func hasHalfPairs(b []byte) bool {
	return bytes.Contains(bytes.ToLower(b), []byte(`\ud`))
}

func FuzzCheck(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		want := json.Valid(b) && utf8.Valid(b) && depthOf(b) <= MaxDepth
		err := Check(b)
		if (err == nil) != want {
			t.Fatalf("Check(%q) = %v, want valid %v", b, err, want)
		}
		if err != nil {
			if at := err.(*SyntaxError).Offset; at < 0 || at > len(b) {
				t.Fatalf("Check(%q): offset %d is out of bounds", b, at)
			}
		}
		if ok := CheckObject(b) == nil; ok != (want && Kind(b) == '{') {
			t.Fatalf("CheckObject(%q) accepts: %v", b, ok)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), s)
	}
	f.Fuzz(func(t *testing.T, b []byte, s string) {
		if Check(b) == nil {
			var want string
			isString := b[skipSpace(b, 0)] == '"'
			if isString {
				unmarshal(t, b, &want)
			}
			if got, ok := Text(b); got != want || ok != isString {
				t.Fatalf("Text(%q) = %q, %v; want %q, %v", b, got, ok, want, isString)
			}
		}
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(s); err != nil {
			t.Fatal(err)
		}
		quoted := Quote(s)
		if string(quoted)+"\n" != out.String() {
			t.Fatalf("Quote(%q) = %s, want %s", s, quoted, &out)
		}
		if got, ok := Text(quoted); !ok || got != string([]rune(s)) {
			t.Fatalf("Text(Quote(%q)) = %q, %v", s, got, ok)
		}
	})
}

func FuzzMembers(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), "a")
	}
	f.Fuzz(verifyMembers)
}

func verifyMembers(t *testing.T, b []byte, key string) {
	if CheckObject(b) != nil {
		return
	}
	want := map[string]json.RawMessage{}
	unmarshal(t, b, &want)
	got := map[string]json.RawMessage{}
	Each(b, func(k string, val []byte) bool {
		got[k] = val
		return true
	})
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("Each(%q) gives %q, want %q", b, got, want)
	}
	for _, k := range append(slices.Collect(maps.Keys(want)), key) {
		val, ok := Get(b, k)
		w, wantOK := want[k]
		if !bytes.Equal(val, w) || ok != wantOK {
			t.Fatalf("Get(%q, %q) = %q, %v; want %q", b, k, val, ok, w)
		}
	}
}

func FuzzElements(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte("[" + s + "," + s + "]"))
	}
	f.Fuzz(verifyElements)
}

func verifyElements(t *testing.T, b []byte) {
	if Check(b) != nil {
		return
	}
	var got []string
	want := stringTokens(t, b)
	EachStringValue(b, func(s string) bool { got = append(got, s); return true })
	if !slices.Equal(got, want) {
		t.Fatalf("Strings(%q) gives %q, want %q", b, got, want)
	}
	if Kind(b) != '[' {
		return
	}
	var raw []json.RawMessage
	unmarshal(t, b, &raw)
	n := 0
	Elements(b, func(i int, val []byte) bool {
		if i != n || i >= len(raw) || !bytes.Equal(val, raw[i]) {
			t.Fatalf("Elements(%q): %q at %d", b, val, i)
		}
		n++
		return true
	})
	if n != len(raw) {
		t.Fatalf("Elements(%q): %d calls, want %d", b, n, len(raw))
	}
}

// stringTokens returns the strings in b that are not keys, according to encoding/json.
func stringTokens(t *testing.T, b []byte) []string {
	t.Helper()
	var out []string
	var keyNext []bool // for each open container, whether a key comes next; always false for an array
	var object []bool
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		delim, _ := tok.(json.Delim)
		if delim == '}' || delim == ']' {
			keyNext, object = keyNext[:len(keyNext)-1], object[:len(object)-1]
			continue
		}
		top := len(object) - 1
		isKey := top >= 0 && keyNext[top]
		if s, ok := tok.(string); ok && !isKey {
			out = append(out, s)
		}
		if top >= 0 {
			keyNext[top] = object[top] && !isKey
		}
		if delim != 0 {
			keyNext, object = append(keyNext, delim == '{'), append(object, delim == '{')
		}
	}
}

func FuzzPatch(f *testing.F) {
	addPairs(f)
	f.Fuzz(verifyPatch)
}

func verifyPatch(t *testing.T, obj, patch []byte) {
	got, err := Patch(obj, patch)
	valid := (len(obj) == 0 || CheckObject(obj) == nil) && CheckObject(patch) == nil
	if (err == nil) != valid {
		t.Fatalf("Patch(%q, %q): %v", obj, patch, err)
	}
	if err != nil {
		return
	}
	want, change, have := map[string]any{}, map[string]any{}, map[string]any{}
	if len(obj) > 0 {
		unmarshal(t, obj, &want)
	}
	unmarshal(t, patch, &change)
	for k, v := range change {
		if v == nil {
			delete(want, k)
		} else {
			want[k] = v
		}
	}
	if err := CheckObject(got); err != nil {
		t.Fatalf("Patch(%q, %q) = %q: %v", obj, patch, got, err)
	}
	if unmarshal(t, got, &have); !reflect.DeepEqual(have, want) {
		t.Fatalf("Patch(%q, %q) = %q", obj, patch, got)
	}
	n := 0
	Each(got, func(string, []byte) bool { n++; return true })
	if n != len(want) {
		t.Fatalf("Patch(%q, %q) = %q has duplicates", obj, patch, got)
	}
	if again, err := Patch(got, patch); err != nil || !bytes.Equal(again, got) {
		t.Fatalf("Patch(%q, %q) = %q, %v; want no change", got, patch, again, err)
	}
}
