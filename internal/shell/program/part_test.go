package program

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// partsText returns the parts of words, read by row, in the notation of TestParts.
func partsText(row Row, words string) string {
	c := shell.Call{Name: row.Name}
	for w := range strings.FieldsSeq(words) {
		c.Args = append(c.Args, shell.Word{Text: w})
	}
	r := Reading{Call: &c, Row: &row, Name: row.Name, Dash: -1}
	for i := 0; i < len(c.Args); i++ {
		i += r.readArg(c.Args, i)
	}
	var out []string
	for _, p := range r.assignRoles() {
		text := p.Role.String()
		if p.Lang != "" {
			text += ":" + p.Lang
		}
		if p.Opt != "" {
			text += " " + p.Opt
		}
		out = append(out, text+" "+p.Word.Text)
	}
	return strings.Join(out, ", ")
}

func TestParts(t *testing.T) {
	for _, tt := range []struct {
		row         Row
		words, want string
	}{
		{Row{Options: "-o|--output=write"}, "-o a", "write -o a"},
		{Row{Options: "-o|--output=write"}, "-oa -vob --output=c --outp=d", "write -o a, write -o b, write -o c, write -o d"},
		{Row{Options: "-o|--output=write", Style: Exact}, "--outp=d", "plain --outp d"},
		{Row{Options: "-i|--in-place?"}, "-i a --in-place=.bak", "plain -i .bak"},
		{Row{Options: "-d|--data=@payload"}, "-d x -d @y", "payload -d x, read -d y"},
		{Row{Options: "-e=code:perl"}, "-ne x", "code:perl -e x"},
		{Row{Options: "-out=write", Style: Single}, "-out a --out=b", "write -out a, write -out b"},
		{Row{Words: "read…"}, "a b -x c", "read a, read b, read c"},
		{Row{Words: "read… write"}, "a b c", "read a, read b, write c"},
		{Row{Words: "read… write"}, "a", "write a"},
		{Row{Words: "plain write"}, "a b c", "plain a, write b"},
		{Row{Words: "plain argv", Options: "-n="}, "-n 1 a b c", "plain -n 1, plain a, argv b"},
		{Row{Words: "-x|--extract: read; write"}, "a", "write a"},
		{Row{Words: "-x|--extract: read; write"}, "-x a", "read a"},
		{Row{Words: "read…"}, "-- -a", "read -a"},
		{Row{Words: "argv", Runs: "here", Options: "-n="}, "-n 1 a -n b", "plain -n 1, argv a"},
		{Row{Words: "plain argv", Runs: "here"}, "-x a -n b", "plain a, argv -n"},
		{Row{Words: "assign… argv", Runs: "here"}, "a=1 -x b=2 c d=3", "assign a=1, assign b=2, argv c"},
		{Row{Words: "assign… argv", Runs: "here"}, "-- a=1 c d=3", "assign a=1, argv c"},
		{Row{Words: "[run] argv", Runs: "here"}, "run run x", "plain run, argv run"},
		{Row{Words: "plain =do argv", Runs: "here"}, "1 do -x y", "plain 1, plain do, argv y"},
		{Row{Words: "host plain… -- argv", Runs: "away"}, "h -c x -- -y z", "host h, plain x, argv -y"},
		{Row{Words: "argv|command", Runs: "here"}, "a b", "argv a"},
		{Row{Words: "command:joined", Runs: "here", Options: "-x|--exec!argv"}, "-x a b", "mode:argv -x , command:joined a"},
	} {
		tt.row.Name = "x"
		if got := partsText(tt.row, tt.words); got != tt.want {
			t.Errorf("%q %q with %q: %s, want %s", tt.row.Options, tt.row.Words, tt.words, got, tt.want)
		}
	}
}

func TestInputRole(t *testing.T) {
	for name, want := range map[string]shell.Role{"cat": shell.Reads, "tr": shell.Reads, "ssh-add": shell.Plain, "no-such-program": shell.Plain} {
		if got := InputRole(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestDashlessOptions(t *testing.T) {
	c := shell.Call{Name: "tar", Args: []shell.Word{{Text: "czf"}, {Text: "out.tgz"}, {Text: "a"}, {Text: "b"}}}
	var reads string
	for _, p := range Parts(&c) {
		if p.Role == shell.Reads {
			reads += " " + p.Word.Text
		}
	}
	if reads != " a b" {
		t.Errorf("tar czf out.tgz a b reads%s", reads)
	}
}

// TestPartsOfManyWords checks that Parts leaves out no operand, however many there are.
func TestPartsOfManyWords(t *testing.T) {
	c := shell.Call{Name: "cat"}
	for range 3 * maxRead {
		c.Args = append(c.Args, shell.Word{Text: "a"})
	}
	c.Args = append(c.Args, shell.Word{Text: "last"})
	parts := Parts(&c)
	if n := len(parts); n != len(c.Args) || parts[n-1].Word.Text != "last" || parts[n-1].Role != shell.Reads {
		t.Errorf("%d parts for %d arguments", len(parts), len(c.Args))
	}
}
