package classify_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// TestEveryWrapperRow makes every program whose row says that it runs a command run a harmful one, so
// that a row is all that a new wrapper needs.
func TestEveryWrapperRow(t *testing.T) {
	n := 0
	for row := range program.AllRows {
		if row.Runs == "" || row.Runs == "sub" {
			continue
		}
		n++
		for _, text := range harmfulWrapperCommands(row) {
			if !slices.ContainsFunc(reportInProject(text).Effects, func(e shell.Effect) bool { return e.Rule == "delete-home" && e.Label == shell.Destructive }) {
				t.Errorf("%s: %+v", text, reportInProject(text).Effects)
			}
		}
	}
	if n < 255 {
		t.Errorf("only %d rows run a command: some were lost", n)
	}
}

// TestWrapperOutputDoesNotTruncate checks that writing the output of a nested command to a file does
// not count as truncating the file.
func TestWrapperOutputDoesNotTruncate(t *testing.T) {
	for _, text := range []string{"watch -n 1 ls > out.txt", "doppler run --command 'ls; pwd' > out.txt", "lerna exec ls > out.txt"} {
		for _, e := range reportInProject(text).Effects {
			if e.Rule == "truncate-project" {
				t.Errorf("%s: %+v", text, e)
			}
		}
	}
}

// reportInProject returns the report on text in a project.
func reportInProject(text string) shell.Report {
	return classify.Command(text, shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u", Dialect: shell.Bash})
}

// harmfulWrapperCommands returns commands that make the program of row delete the home directory.
func harmfulWrapperCommands(row *program.Row) (all []string) {
	const harm = "rm -rf ~"
	text, bare, words := row.Name, row.Name, true
	for role := range strings.FieldsSeq(row.Words) {
		switch {
		case role == "--":
			text += " --"
		case strings.HasPrefix(role, "argv"), role == "command:joined":
			words = false
			all = append(all, text+" "+harm)
			if role != "argv" && role != "argv:environment" {
				all = append(all, text+" '"+harm+"'")
			}
		case role == "script:python":
			words = false
			all = append(all, "echo 'import shutil; shutil.rmtree(\"/home/u\")' > x.py; "+text+" x.py")
		case role == "assign…":
			text += " A=1 B=2"
		case role == "[version]":
			text += " 18"
		case role == "[architecture]":
			text += " x86_64 -R"
		case role[0] == '[':
			text += " " + strings.Trim(role, "[]")
		case role[0] == '=':
			text += " " + role[1:]
		case words:
			text += " /x"
			bare += " /x"
		}
	}
	for one := range strings.FieldsSeq(row.Options) {
		if names, ok := strings.CutSuffix(one, "=command"); ok {
			for name := range strings.SplitSeq(names, "|") {
				all = append(all, bare+" "+name+" '"+harm+"'")
			}
		}
	}
	return all
}
