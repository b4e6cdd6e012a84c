package code

import "testing"

// TestOnlyEdits checks which scripts of ed and ex only edit and save the file that is open.
func TestOnlyEdits(t *testing.T) {
	for _, x := range [...]struct {
		script string
		want   bool
	}{
		{"1,3d\nw\nq\n", true},
		{"%s/foo/bar/g\nwq", true},
		{":%s#a/b#c#|x", true},
		{"/^start/,/^end/d\nw!\nq", true},
		{"g/foo/d\nv/bar/s/a/b/\nw\nq", true},
		{"$a\n!not a command\n.\nw\nq", true},
		{"2i\nr !id\n.\nwq", true},
		{"1m$\n2t.\n'a,.j\nw", true},
		{"H\n,n\nQ", true},

		{"!id", false},
		{"%!sort", false},
		{"r !id\nw", false},
		{"r other\nw", false},
		{"w !sh", false},
		{"w other", false},
		{"e !id", false},
		{"e other", false},
		{"a\ntext\n.\n!id", false},
		{"g/foo/!id", false},
		{"g/foo/w other", false},
		{"%s/a/b/|!id", false},
		{"%s/a/\\=system('id')/", false},
		{"p|!id", false},
		{"normal dd", false},
		{"source x", false},
		{"/foo", false},
		{"%s/.*//|wq", false},
		{"%d\nw", false},
		{",d\nw", false},
		{"1,$d\nw", false},
		{"g/.*/d\nw", false},
	} {
		if got := onlyEdits(x.script); got != x.want {
			t.Errorf("onlyEdits(%q) = %v, want %v", x.script, got, x.want)
		}
	}
}
