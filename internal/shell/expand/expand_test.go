package expand_test

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// varsEnv is an Env that only has variables and parameters.
type varsEnv struct {
	vars   []expand.Variable
	params expand.Parameters
}

func (e *varsEnv) SpendStep() bool                { return true }
func (e *varsEnv) SpendBytes(int) bool            { return true }
func (e *varsEnv) ReportLimit()                   {}
func (e *varsEnv) Variables() []expand.Variable   { return e.vars }
func (e *varsEnv) Parameters() *expand.Parameters { return &e.params }
func (e *varsEnv) Home() string                   { return "/home/u" }
func (e *varsEnv) Dir() string                    { return "/work" }
func (e *varsEnv) OldDir() string                 { return "/" }
func (e *varsEnv) EnvDir(string) string           { return "" }
func (e *varsEnv) Choice() int                    { return 0 }
func (e *varsEnv) Output([]*syntax.Stmt) shell.Word {
	return shell.Word{Text: string(shell.Placeholder)}
}
func (e *varsEnv) WalkReexpanded(string) {}
func (e *varsEnv) Assign(name string, value shell.Word) {
	e.vars = append(e.vars, expand.Variable{Name: name, Word: value})
}
func (e *varsEnv) Process(*syntax.ProcSubst) (string, []*shell.Call, bool) {
	return "/dev/fd/63", nil, true
}

func (e *varsEnv) Variable(name string) *expand.Variable {
	for i := range slices.Backward(e.vars) {
		if e.vars[i].Name == name {
			return &e.vars[i]
		}
	}
	return nil
}

func TestExpandWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`a "b c" d\ e`:                    "a|b c|d e",
		`~/x ~+`:                          "/home/u/x|/work",
		`$two "$two"`:                     "1|2|1 2",
		`${x:-/} ${two#1 }`:               "/|2",
		`{a,b}c {1..3}`:                   "ac|bc|1|2|3",
		`$((2 * 3)) ${#two}`:              "6|3",
		`$(date) x$unset`:                 "?|x?",
		`$'\x72m' ${two/1 /r}`:            "rm|r2",
		`"$@" $#`:                         "p|q r|2",
		`${HOME:0:1} ${list[1]}`:          "/|b",
		`<(ls) ${y:=z}$y ${two%%[!0-9]*}`: "/dev/fd/63|zz|1",
	} {
		e := &varsEnv{params: expand.Parameters{ArgsKnown: true, Args: []shell.Word{{Text: "p"}, {Text: "q r"}}}}
		e.Assign("two", shell.Word{Text: "1 2"})
		e.vars = append(e.vars, expand.Variable{Name: "list", Array: true, List: []shell.Word{{Text: "a"}, {Text: "b"}}})
		var list []*syntax.Word
		for word, err := range syntax.NewParser().WordsSeq(strings.NewReader(text)) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, word)
		}
		x := expand.Expander{Env: e}
		var got []string
		for _, w := range x.ExpandWords(nil, list) {
			got = append(got, strings.ReplaceAll(w.Text, string(shell.Placeholder), "?"))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %s, want %s", text, strings.Join(got, "|"), want)
		}
	}
}
