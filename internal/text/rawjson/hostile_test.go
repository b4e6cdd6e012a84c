package rawjson

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// callEverything calls each function that takes a document. It only checks that they return.
func callEverything(a, b []byte) {
	_ = Check(a)
	_ = CheckObject(a)
	Kind(a)
	Text(a)
	Get(a, "a")
	Lookup(a, "a", "0", "b")
	Lookup(a, "0", "a", "1")
	Each(a, func(_ string, val []byte) bool { Kind(val); return true })
	Elements(a, func(_ int, val []byte) bool { Kind(val); return true })
	EachStringValue(a, func(string) bool { return true })
	Compact(nil, a)
	Dedup(a)
	Equal(a, b)
	_, _ = Patch(a, b)
	Quote(string(a))
}

func TestBrokenText(t *testing.T) {
	whole := []byte(sample)
	for n := range whole {
		callEverything(whole[:n], whole)
		callEverything(whole[n:], whole[:n])
		for _, c := range []byte("\x00\"\\{}[],:u1 \xff") {
			mutant := bytes.Clone(whole)
			mutant[n] = c
			callEverything(mutant, whole)
			callEverything(slices.Insert(mutant, n, c), whole)
		}
	}
}

// runLogged logs what and runs fn. On the texts of these tests, work that is not linear would not end
// before the timeout of the test.
func runLogged(t *testing.T, what string, fn func()) {
	t.Helper()
	t.Log(what)
	fn()
}

func TestHugeNestingUnchecked(t *testing.T) {
	b := bytes.Repeat([]byte("["), 16<<20)
	for name, fn := range map[string]func(){
		"Dedup":    func() { Dedup(b) },
		"Equal":    func() { Equal(b, b[1:]) },
		"Elements": func() { Elements(b, func(int, []byte) bool { return true }) },
		"Lookup":   func() { Lookup(b, "0", "0") },
		"Strings":  func() { EachStringValue(b, func(string) bool { return true }) },
		"Text":     func() { Text(b) },
	} {
		runLogged(t, name, fn)
	}
	deep := []byte(strings.Repeat(`{"a":[`, 1<<18))
	runLogged(t, "deep objects", func() { callEverything(deep, deep[6:]) })
}

func manyKeys(n int, format string) []byte {
	var b bytes.Buffer
	for i := range n {
		b.WriteByte("{,"[min(i, 1)])
		fmt.Fprintf(&b, format, i)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func TestManyKeys(t *testing.T) {
	const n = 100_000
	unique := manyKeys(n, `"key%d":1`)
	reversed := manyKeys(n, `"key%d":1`)
	reversed = append(append([]byte(`{"key`+fmt.Sprint(n-1)+`":1,`), bytes.TrimSuffix(reversed[1:], fmt.Appendf(nil, `,"key%d":1}`, n-1))...), '}')
	same := manyKeys(n, `"key":%d`)
	for name, tt := range map[string]struct {
		a, b  []byte
		equal bool
		dedup int
		patch int
	}{
		"unique":    {unique, reversed, true, len(unique), len(unique)},
		"same":      {same, manyKeys(n, `"\u006bey":%d`), true, len(`{"key":99999}`), len(`{"\u006bey":99999}`)},
		"different": {same, unique, false, len(`{"key":99999}`), len(unique) + len(`"key":99999,`)},
	} {
		t.Run(name, func(t *testing.T) {
			runLogged(t, "Equal", func() {
				if Equal(tt.a, tt.b) != tt.equal {
					t.Errorf("Equal is not %v", tt.equal)
				}
			})
			runLogged(t, "Dedup", func() {
				if got := len(Dedup(tt.a)); got != tt.dedup {
					t.Errorf("Dedup leaves %d bytes, want %d", got, tt.dedup)
				}
			})
			runLogged(t, "Patch", func() {
				if got, err := Patch(tt.a, tt.b); err != nil || len(got) != tt.patch {
					t.Errorf("Patch makes %d bytes, %v; want %d", len(got), err, tt.patch)
				}
			})
		})
	}
}

// TestWorkDoesNotGrowWithDepth reads a large text at the bottom of the deepest nesting. Reading it
// again at each level would take minutes.
func TestWorkDoesNotGrowWithDepth(t *testing.T) {
	const half = (MaxDepth - 2) / 2
	core := "[" + strings.Repeat(`{"a":1,"a":2},`, 100_000) + "0]"
	doc := []byte(strings.Repeat(`{"k":0,"k":[`, half) + core + strings.Repeat("]}", half))
	if err := Check(doc); err != nil {
		t.Fatal(err)
	}
	runLogged(t, "Dedup and Equal", func() {
		if less := Dedup(doc); !Equal(less, doc) || bytes.Contains(less, []byte(`"a":1`)) {
			t.Error("Dedup and Equal disagree")
		}
	})
}

func TestManyEscapes(t *testing.T) {
	for name, unit := range map[string]string{"quotes": `\"`, "backslashes": `\\`, "halves": `\ud800`} {
		doc := []byte(`{"a":"` + strings.Repeat(unit, 1<<18) + `"}`)
		runLogged(t, name, func() { callEverything(doc, doc) })
	}
}
