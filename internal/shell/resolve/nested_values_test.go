package resolve

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestNestedRules checks that a command in an option, a variable or a file of a program becomes a
// call, in every spelling of the option.
func TestNestedRules(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{`restic --password-command='rm -rf ~' backup`, "rm -rf ~"},
		{`restic --password-command 'rm -rf ~' backup`, "rm -rf ~"},
		{`export RESTIC_PASSWORD_COMMAND='rm -rf ~'; restic backup`, "rm -rf ~"},
		{`env RESTIC_PASSWORD_COMMAND='rm -rf ~' restic backup`, "rm -rf ~"},
		{`apt-get -oAPT::Update::Pre-Invoke::='rm -rf ~' update`, "rm -rf ~"},
		{`apt-get --option=apt::update::pre-invoke::='rm -rf ~' update`, "rm -rf ~"},
		{`apt-get -o Dpkg::Options::=--force-confold install x`, ""},
		{`scrot -e 'rm -rf ~'`, "rm -rf ~"},
		{`LESSOPEN='|rm -rf ~' less x`, "rm -rf ~"},
		{`LESSOPEN='|lesspipe.sh %s' less x`, ""},
		{`pdflatex '\immediate\write18{rm -rf ~}'`, "rm -rf ~"},
		{`latexmk -pdflatex x.tex`, ""},
		{`latexmk -pdflatex='rm -rf ~' x.tex`, "rm -rf ~"},
		{`rpm -E '%(echo %(rm -rf ~))'`, "echo %(rm -rf ~)"},
		{`gcc -wrapper sh,-c,'rm -rf ~' x.c`, "rm -rf ~"},
		{`echo '!rm -rf ~' | debugfs`, "rm -rf ~"},
		{`echo "$x" | debugfs`, ""},
		{`echo 'rm -rf ~' >/tmp/t; wget --use-askpass=/tmp/t 0`, "rm -rf ~"},
		{`mkdir /tmp/d; echo 'rm -rf ~' >/tmp/d/x; run-parts /tmp/d`, "rm -rf ~"},
		{`dotnet fsi <<< 'Process.Start("sh", "-c \"rm -rf ~\"")'`, "rm -rf ~"},
		{`socat -u - open:/etc/passwd,creat`, "tee /etc/passwd"},
		{`socat -u open:/etc/passwd -`, ""},
		{`sg root 'rm -rf ~'`, "rm -rf ~"},
		{`setarch -R rm -rf ~`, "rm -rf ~"},
		{`setarch x86_64 -R rm -rf ~`, "rm -rf ~"},
	} {
		calls, _ := Calls(row.text, shell.Place{})
		var got []string
		for _, c := range calls {
			got = append(got, displayWords(append([]shell.Word{{Text: c.Name}}, c.Args...)))
		}
		switch {
		case row.want != "" && !slices.Contains(got, row.want):
			t.Errorf("%s: %q, want %q among them", row.text, got, row.want)
		case row.want == "" && slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "rm ") || strings.HasPrefix(s, "tee ") }):
			t.Errorf("%s: %q", row.text, got)
		}
	}
}

// TestSelfReferentialVariableEnds checks that a variable whose value runs the same program again does
// not exceed the limits.
func TestSelfReferentialVariableEnds(t *testing.T) {
	for _, text := range []string{`LESSOPEN='less %s' less x`, `PERL5DB='exec "x"' perl y`, `RESTIC_PASSWORD_COMMAND='restic cat' restic backup`} {
		if _, problems := Calls(text, shell.Place{}); slices.ContainsFunc(problems, func(e shell.Effect) bool { return e.Category == shell.TooMuch }) {
			t.Errorf("%s: %v", text, problems)
		}
	}
}

// TestHarmlessLinesDoNotCount checks that only lines with nested commands count toward the limit.
func TestHarmlessLinesDoNotCount(t *testing.T) {
	for _, text := range []string{
		"mail -s hi dev@example.com <<'X'\n" + strings.Repeat("a line\n", 500) + "X",
		"cmake " + strings.Repeat("-DX=1 src ", 100),
		"sqlite3 a.db <<'X'\n" + strings.Repeat("insert into t values (1);\n", 500) + "X",
	} {
		if _, problems := Calls(text, shell.Place{}); len(problems) > 0 {
			t.Errorf("%.40s: %v", text, problems)
		}
	}
	if _, problems := Calls("mail x <<'X'\n"+strings.Repeat("!true\n", 500)+"X", shell.Place{}); !slices.ContainsFunc(problems, func(e shell.Effect) bool { return e.Category == shell.TooMuch }) {
		t.Error("exceeding the limit is not reported")
	}
}
