package rawjson

import (
	"bytes"
	"os/exec"
	"reflect"
	"strings"
	"testing"
)

func TestPortableEscapes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want, quotes string }{
		{`{"a":"plain"}`, `{"a":"plain"}`, ""},
		{`"a\nb\tc\\d\re\bf\fg"`, `"a\u000ab\u0009c\u005cd\u000de\u0008f\u000cg"`, ""},
		{`"say \"x\""`, `"say \"x\""`, `"say \u0022x\u0022"`},
		{`"\\\""`, `"\u005c\""`, `"\u005c\u0022"`},
		{`"\u0022\u005c\u005C"`, `"\"\u005c\u005c"`, `"\u0022\u005c\u005c"`},
		{`"rm\u0020-rf \/"`, `"rm -rf /"`, ""},
		{`{"\u0063ommand":"l\u0073"}`, `{"command":"ls"}`, ""},
		{`"caf\u00e9 \ud83d\ude00 é"`, `"café 😀 é"`, ""},
		{`"\uD800x\udc00"`, `"�x�"`, ""},
		{`"\u0000\u001b[0m\u007f\u009b\u2028\u2029"`, `"\u0000\u001b[0m\u007f\u009b\u2028\u2029"`, ""},
	} {
		if tt.quotes == "" {
			tt.quotes = tt.want
		}
		if got := string(PortableEscapes([]byte(tt.in))); got != tt.want {
			t.Errorf("Portable(%s) = %s, want %s", tt.in, got, tt.want)
		}
		if got := string(PortableEscapesWithoutQuotes([]byte(tt.in))); got != tt.quotes {
			t.Errorf("PortableQuotes(%s) = %s, want %s", tt.in, got, tt.quotes)
		}
	}
}

// TestPortableEscapesDoesNotCopy checks that text without escapes is not copied.
func TestPortableEscapesDoesNotCopy(t *testing.T) {
	b := []byte(`{"tool_input":{"command":"ls -la"}}`)
	if got := PortableEscapes(b); &got[0] != &b[0] {
		t.Error("it was copied")
	}
	if n := testing.AllocsPerRun(100, func() { PortableEscapes(b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzPortable(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Add([]byte(`{"c":"a\nb\\\"\t\/\u0022\u005c\ud800\\u000a"}`))
	f.Fuzz(verifyPortable)
}

func verifyPortable(t *testing.T, b []byte) {
	kept := bytes.Clone(b)
	plain, quotes := PortableEscapes(b), PortableEscapesWithoutQuotes(b)
	if !bytes.Equal(b, kept) {
		t.Fatalf("Portable changed %q", kept)
	}
	if Check(b) != nil {
		return
	}
	for _, got := range [][]byte{plain, quotes} {
		if err := Check(got); err != nil {
			t.Fatalf("Portable(%q) = %q: %v", b, got, err)
		}
		var x, y any
		unmarshal(t, b, &x)
		unmarshal(t, got, &y)
		if !reflect.DeepEqual(x, y) || !hasHalfPairs(b) && !Equal(b, got) {
			t.Fatalf("Portable(%q) = %q, which means something else", b, got)
		}
		for rest := got; ; {
			n := bytes.IndexByte(rest, '\\')
			if n < 0 {
				break
			}
			if rest = rest[n+1:]; rest[0] != 'u' && (rest[0] != '"' || &got[0] == &quotes[0] && &plain[0] != &quotes[0]) {
				t.Fatalf("Portable(%q) = %q has other escapes", b, got)
			}
			rest = rest[1:]
		}
		if again := PortableEscapes(got); !bytes.Equal(PortableEscapes(plain), again) {
			t.Fatalf("Portable(%q) = %q is not its own", got, again)
		}
	}
}

// TestPortableSurvivesEcho checks that the echo of every installed shell prints the result unchanged.
// That of zsh and mksh also expands \u, so it changes every escape of JSON.
func TestPortableSurvivesEcho(t *testing.T) {
	t.Parallel()
	const text = `{"cmd":"a\nb\t\"q\" \\n \\c end \\0101 \u001b é \\\\ \/ \ud800"}`
	ran := 0
	for _, shell := range [][]string{{"dash"}, {"bash"}, {"busybox", "sh"}, {"ash"}, {"yash"}, {"bash", "-O", "xpg_echo"}} {
		if _, err := exec.LookPath(shell[0]); err != nil {
			continue
		}
		want := string(PortableEscapes([]byte(text)))
		if len(shell) == 3 {
			// It also expands \u, so only text without escapes is unchanged.
			want = string(PortableEscapes([]byte(`{"cmd":"rm\u0020-rf \"\/\""}`)))
		}
		cmd := exec.Command(shell[0], append(shell[1:len(shell):len(shell)], "-c", `INPUT=$(cat); echo "$INPUT"`)...)
		cmd.Stdin = strings.NewReader(want)
		out, err := cmd.Output()
		if got := strings.TrimSuffix(string(out), "\n"); err != nil || got != want {
			t.Errorf("%v: echo printed %s, %v; want %s", shell, got, err, want)
		}
		ran++
	}
	if ran == 0 {
		t.Skip("SKIPPED, NOTHING WAS PROVEN: no shell is here")
	}
}
