package parser

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"empty", "", "null"},
		{"scalars", "a: 1\nb: 2.5\nc: true\nd: ~\ne: x y\nf: 'q'\ng: on\nh: 2024-01-02\n", `{"a":1,"b":2.5,"c":true,"d":null,"e":"x y","f":"q","g":"on","h":"2024-01-02"}`},
		{"number bases", "a: 0x1F\nb: 1_000\nc: 12345678901234567890\n", `{"a":31,"b":1000,"c":12345678901234567890}`},
		{"flow", "{a: [1, {b: c}]}", `{"a":[1,{"b":"c"}]}`},
		{"json", `{"a": "x\ny\u00e9", "b": []}`, `{"a":"x\nyé","b":[]}`},
		{"block texts", "a: |\n  x\n  y\nb: >-\n  x\n  y\n", `{"a":"x\ny\n","b":"x y"}`},
		{"anchors", "a: &x {b: 1}\nc: *x\n", `{"a":{"b":1},"c":{"b":1}}`},
		{"merge keys", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n", `{"a":{"b":1,"c":2},"d":{"b":1,"c":3}}`},
		{"tag", "a: !!str 5\n", `{"a":"5"}`},
		{"illegal escape", `a: "\.py$"` + "\nb: 'x'\n", `{"a":"\\.py$","b":"x"}`},
		{"several illegal escapes", `a: "\.(py|js)\d\s$"`, `{"a":"\\.(py|js)\\d\\s$"}`},
		{"legal escapes stay", `a: "\t\"\\"`, `{"a":"\t\"\\"}`},
		{"illegal escape after wide characters", `a: "é😀\.py"`, `{"a":"é😀\\.py"}`},
		{"illegal escapes in several texts", "a: \"\\.x\\\"\\d\"\nb: \"\\s \\t\"\n", `{"a":"\\.x\"\\d","b":"\\s \t"}`},
		{"illegal escape before an escaped backslash", `a: "\.\\.\."`, `{"a":"\\.\\.\\."}`},
		{"illegal escape over lines", "a: \"\\. \\\n  \\d\"", `{"a":"\\. \\d"}`},
		{"numbers keep their text", "a: 1.10\nb: -0\nc: 0.0\nd: 007\ne: +5\n", `{"a":1.10,"b":-0,"c":0.0,"d":7,"e":5}`},
		{"merge of several mappings", "a: &x {b: 1}\nc: &y {b: 2, d: 2}\ne:\n  <<: [*x, *y]\n  f: 3\n", `{"a":{"b":1},"c":{"b":2,"d":2},"e":{"b":1,"d":2,"f":3}}`},
		{"a mark before", "# c\n---\na: 1\n", `{"a":1}`},
		{"an end mark", "a: 1\n...\n", `{"a":1}`},
		{"marks inside texts", "a: |\n  x\n  ---\n  y\nb: '---'\n", `{"a":"x\n---\ny\n","b":"---"}`},
		{"empty documents behind", "a: 1\n---\n---\n", `{"a":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n, _, err := Parse([]byte(tt.src))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(n.JSON()); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestParseWarnsOfFixedEscapes(t *testing.T) {
	t.Parallel()
	_, warnings, err := Parse([]byte("a: 1\nb: \"\\.py$\"\n"))
	if err != nil || len(warnings) != 1 || warnings[0].Line != 2 {
		t.Errorf("got %v, %v; want one warning for line 2", warnings, err)
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"unclosed flow", "a: [1, 2\nb: 3", "line 2"},
		{"duplicate key", "a: 1\na: 2\n", "line 1"},
		{"binary", "\x00\x01\x02", "control character"},
		{"not UTF-8", "a: 1\nb: \xff\n", "line 2: not UTF-8"},
		{"two documents", "a: 1\n---\nb: 2\n", "one document"},
		{"a document behind empty ones", "a: 1\n---\n---\nb: 2\n", "line 4: a second document"},
		{"a document behind an empty one", "---\n---\nb: 2\n", "a second document"},
		{"a document behind an end mark", "a: 1\n...\nb: 2\n", "a second document"},
		{"a document on the line of its mark", "a: 1\n--- {b: 2}\n", "line 2: a second document"},
		{"a tag of one's own", "a: !x\nb: 1\n", "line 1: a string that starts with ! needs quotes"},
		{"merge of a text", "a:\n  <<: x\n", "line 2: << must be a mapping"},
		{"merge of a list with a text", "a: &x {b: 1}\nc:\n  <<: [*x, y]\n", "<< must be a mapping"},
		{"deep flow", strings.Repeat("[", 5000), "nested"},
		{"deep dashes", strings.Repeat("- ", 5000) + "a", "nested"},
		{"too large", strings.Repeat("a", yamldoc.MaxSize+1), "are allowed"},
		{"alias without anchor", "a: *x\n", "which is not in the file"},
		{"alias bomb", aliasBomb(), "too many values"},
		{"self alias", "a: &x [*x]\n", ""},
		{"infinity", "a: .inf\n", ".inf"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := Parse([]byte(tt.src))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

// TestWritten checks that a number stays available as the user wrote it, because it may be a version
// or a file mode.
func TestWritten(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{"1.10": "1.10", "007": "007", "1_000": "1_000", "0x1F": "0x1F", "TRUE": "TRUE", "true": "true", "2.0": "2.0"} {
		n, _, err := Parse([]byte("a: " + src))
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Get("a").Written; got != want {
			t.Errorf("%s: got %q", src, got)
		}
	}
}

// TestManyIllegalEscapes checks that all escapes of a string are corrected at once, so that a file is
// parsed only once for each such string.
func TestManyIllegalEscapes(t *testing.T) {
	t.Parallel()
	n, warnings, err := Parse([]byte(`a: "` + strings.Repeat(`\.`, 5000) + `"`))
	if err != nil || len(warnings) != 1 {
		t.Fatalf("got %d warnings, %v", len(warnings), err)
	}
	if got := n.Get("a").Text; got != strings.Repeat(`\.`, 5000) {
		t.Errorf("got %.20q…", got)
	}
}

func aliasBomb() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 9; i++ {
		prev, cur := string(rune('0'+i-1)), string(rune('0'+i))
		b.WriteString("a" + cur + ": &a" + cur + " [" + strings.Repeat("*a"+prev+",", 9) + "*a" + prev + "]\n")
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1", "{a: [1]}", `a: "\.x"`, "a: &x [*x]", "a: |\n  x\n", "- - - a", "? a\n: b", "<<: {a: 1}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		n, _, err := Parse(src)
		if err == nil && n == nil {
			t.Error("neither a tree nor an error")
		}
	})
}

var exponent = regexp.MustCompile(`[0-9][eE][-+]?[0-9]`)

// TestJSON checks that package yamldoc, which does not use this package for JSON, reads it into the
// same tree.
func TestJSON(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../../../host/*/testdata/*.json")
	if len(files) < 100 {
		t.Fatalf("%d files to compare, want 100", len(files))
	}
	texts := []string{"{}", "[]", "[\n]", `{"a": -0, "c": 1.50, "d": 12345678901234567890, "e": null, "f": [true, false]}`, "{\n  \"a\": {\n    \"b\": [\n      \"é\", 1\n    ]\n  }\n}\n"}
	for _, file := range files[:100] {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	for _, text := range texts {
		want, _, err := Parse([]byte(text))
		if err != nil || exponent.MatchString(text) { // the YAML parser reads it as a string
			continue
		}
		got, _, err := yamldoc.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.200s\n%s", text, diff)
		}
	}
}

func TestDirectives(t *testing.T) {
	t.Parallel()
	for src, ok := range map[string]bool{
		"%YAML 1.2\n---\na: b\n": true, "# c\n%YAML 1.2\n%TAG ! tag:x,2000:\n--- # d\na: b\n": true,
		"%YAML 1.2\na: b\n": false, "%YAML 1.2\n---\na: b\n---\nc: d\n": false, "a: b\n%YAML 1.2\n---\nc: d\n": false,
	} {
		root, _, err := Parse([]byte(src))
		if (err == nil) != ok || ok && root.Get("a").ScalarText() != "b" {
			t.Errorf("%q: %v, %v", src, root, err)
		}
	}
}
