package expand

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestApplySed checks the results of sed scripts against those of GNU sed.
func TestApplySed(t *testing.T) {
	t.Parallel()
	const text = "one a.b\ntwo a+b a+b\nthree /x/y"
	for _, row := range []struct{ args, want string }{
		{`s/a/c/`, "one c.b\ntwo c+b a+b\nthree /x/y"},
		{`s/a+b/c/g`, "one a.b\ntwo c c\nthree /x/y"},
		{`-E s/a\+b/c/`, "one a.b\ntwo c a+b\nthree /x/y"},
		{`s/a.b/c/g`, "one c\ntwo c c\nthree /x/y"},
		{`s#/x#/z/#`, "one a.b\ntwo a+b a+b\nthree /z//y"},
		{`s/\/x\//-/`, "one a.b\ntwo a+b a+b\nthree -y"},
		{`-i.bak s/^two/2/`, "one a.b\n2 a+b a+b\nthree /x/y"},
		{`-e s/one/1/ -e 2d`, "1 a.b\nthree /x/y"},
		{`1,2d`, "three /x/y"},
		{`/two/d`, "one a.b\nthree /x/y"},
		{`2s/a/c/`, "one a.b\ntwo c+b a+b\nthree /x/y"},
		{`s/a/&&/`, ""}, {`s/\(a\)/\1/`, ""}, {`s/a/c/2`, ""}, {`s/a/c/e`, ""}, {`-n s/a/c/p`, ""}, {`s/a/c/w`, ""}, {`1r`, ""},
		{`/a/,/b/d`, ""}, {`$d`, ""}, {`-f x.sed`, ""}, {`s/[[:alpha:]]/c/`, ""}, {`y/a/b/`, ""}, {`s/a/c/;s/b/d/`, ""}, {`-ie s/a/c/`, ""},
	} {
		var args []shell.Word
		for a := range strings.FieldsSeq(row.args) {
			args = append(args, shell.Word{Text: a})
		}
		script, ok := ParseSed(append(args, shell.Word{Text: "file"}))
		got := ""
		if ok {
			got, ok = script.Apply(text)
		}
		if got != row.want || ok != (row.want != "") {
			t.Errorf("sed %s: %q %v, want %q", row.args, got, ok, row.want)
		}
	}
}
