package rawjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

func FuzzEqual(f *testing.F) {
	addPairs(f)
	f.Fuzz(verifyEqual)
}

func verifyEqual(t *testing.T, a, b []byte) {
	if Check(a) != nil || Check(b) != nil {
		return
	}
	var x, y any
	unmarshal(t, a, &x)
	unmarshal(t, b, &y)
	got, want := Equal(a, b), reflect.DeepEqual(x, y)
	if got != want && (got || !hasHalfPairs(a) && !hasHalfPairs(b)) {
		t.Fatalf("Equal(%q, %q) = %v", a, b, got)
	}
	if Equal(b, a) != got {
		t.Fatalf("Equal(%q, %q) is not symmetric", a, b)
	}
	if hasHalfPairs(a) {
		return
	}
	sorted, err := json.Marshal(x) // other order, other escapes, no duplicates
	if err != nil {
		t.Fatal(err)
	}
	if !Equal(a, sorted) || !Equal(sorted, a) {
		t.Fatalf("%q is not Equal to %q", a, sorted)
	}
}

func FuzzDedup(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(verifyDedup)
}

func verifyDedup(t *testing.T, b []byte) {
	if Check(b) != nil {
		return
	}
	kept := bytes.Clone(b)
	got := Dedup(b)
	if err := Check(got); err != nil {
		t.Fatalf("Dedup(%q) = %q: %v", b, got, err)
	}
	if !bytes.Equal(b, kept) {
		t.Fatalf("Dedup changed %q", kept)
	}
	var x, y any
	unmarshal(t, b, &x)
	unmarshal(t, got, &y)
	if !reflect.DeepEqual(x, y) || !Equal(b, got) {
		t.Fatalf("Dedup(%q) = %q", b, got)
	}
	if again := Dedup(got); &again[0] != &got[0] {
		t.Fatalf("Dedup(%q) = %q, want the same slice", got, again)
	}
	if members, want := countMembers(got), countDecoded(y); members != want {
		t.Fatalf("Dedup(%q) = %q: %d members, want %d", b, got, members, want)
	}
}

func countMembers(val []byte) int {
	n := 0
	Each(val, func(_ string, v []byte) bool { n += 1 + countMembers(v); return true })
	Elements(val, func(_ int, v []byte) bool { n += countMembers(v); return true })
	return n
}

func countDecoded(val any) int {
	n := 0
	switch val := val.(type) {
	case map[string]any:
		for _, v := range val {
			n += 1 + countDecoded(v)
		}
	case []any:
		for _, v := range val {
			n += countDecoded(v)
		}
	}
	return n
}

func FuzzCompact(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(verifyCompact)
}

func verifyCompact(t *testing.T, b []byte) {
	if Check(b) != nil {
		return
	}
	var want bytes.Buffer
	if err := json.Compact(&want, b); err != nil {
		t.Fatal(err)
	}
	got := Compact(nil, b)
	if !bytes.Equal(got, want.Bytes()) {
		t.Fatalf("Compact(%q) = %q, want %q", b, got, &want)
	}
	if !Equal(got, b) {
		t.Fatalf("%q is not Equal to %q", got, b)
	}
}

// FuzzUnchecked calls all other functions with bytes that did not pass Check.
func FuzzUnchecked(f *testing.F) {
	addPairs(f)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		keptA, keptB := bytes.Clone(a), bytes.Clone(b)
		callEverything(a, b)
		if !bytes.Equal(a, keptA) || !bytes.Equal(b, keptB) {
			t.Fatalf("an argument changed: %q, %q", keptA, keptB)
		}
	})
}
