package tomldoc

import "testing"

func TestGet(t *testing.T) {
	t.Parallel()
	doc, err := Parse([]byte(`
features.hooks = false # a comment
text = """
[features]
hooks = true
"""
inline = { a = { "b.c" = "x, }" }, d = [1, 2] }
[ projects . "/a b/c" ]
trust_level = "untrusted"
'lit "eral' = 'C:\x'
"esc\"aped" = "tab\t"
[[list]]
hidden = 1
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		want string
		keys []string
	}{
		{"false", []string{"features", "hooks"}},
		{"x, }", []string{"inline", "a", "b.c"}},
		{"[1, 2]", []string{"inline", "d"}},
		{"untrusted", []string{"projects", "/a b/c", "trust_level"}},
		{`C:\x`, []string{"projects", "/a b/c", `lit "eral`}},
		{"tab\t", []string{"projects", "/a b/c", `esc"aped`}},
		{"", []string{"list", "hidden"}},
		{"", []string{"nothing"}},
	} {
		if got := doc.Get(tt.keys...); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.keys, got, tt.want)
		}
	}
	for _, bad := range []string{"[a\n", "x\n", "x =\n", "x = \"a\n", "[[a]\n\"", "= 1"} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%q is taken for TOML", bad)
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	doc, err := Parse([]byte(`
model = "m" # a comment
features.hooks = false
words = ["a, b", # first
  'c', 3]
text = """
two
lines"""
[projects."/a b"]
trust_level = "untrusted"
in = { x = 1, y.z = true }
when = 1979-05-27
[[hooks]]
event = "a"
[[hooks]]
event = "b"
[hooks.more]
x = []
`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"features":{"hooks":false},"hooks":[{"event":"a"},{"event":"b","more":{"x":[]}}],"model":"m","projects":{"/a b":{"in":{"x":1,"y":{"z":true}},"trust_level":"untrusted","when":"1979-05-27"}},"text":"two\nlines","words":["a, b","c",3]}`
	if got := string(doc.JSON()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
