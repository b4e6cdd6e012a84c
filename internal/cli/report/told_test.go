package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/text/term"
)

func TestTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, what string
		remedies   []string
	}{
		{"all is well", "all is well", nil},
		{"the hooks are gone: checkrein install claude --scope user puts it back; if you meant it, checkrein uninstall claude forgets it",
			"the hooks are gone", []string{"checkrein install claude --scope user puts it back", "if you meant it, checkrein uninstall claude forgets it"}},
		{"the program /x is not there: put it there, or checkrein install claude --scope user",
			"the program /x is not there", []string{"put it there, or checkrein install claude --scope user"}},
		{"paused until noon (to end the pause, run checkrein pause off): what hooks decide is not enforced", "paused until noon: what hooks decide is not enforced", []string{"to end the pause, run checkrein pause off"}},
		{"checkrein does not know it: look", "checkrein does not know it: look", nil},
	} {
		what, remedies := SplitMessage(c.text)
		if what != c.what || !slices.Equal(remedies, c.remedies) {
			t.Errorf("%s\ngot  %q %q\nwant %q %q", c.text, what, remedies, c.what, c.remedies)
		}
	}
}

func TestSpokenCommands(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"look, then checkrein hooks approve pre_tool_use no-force-push":   "checkrein hooks approve pre_tool_use no-force-push",
		"checkrein install claude --scope user puts it back":              "checkrein install claude --scope user",
		"run `checkrein audit query --hook NAME`, then checkrein doctor.": "checkrein audit query --hook NAME|checkrein doctor",
		"checkrein guards it, and checkrein's files lie there":            "",
		"see (checkrein packs git) or checkrein packs git/push-force":     "checkrein packs git|checkrein packs git/push-force",
		"the directory of checkrein and its checkrein.yaml":               "",
		"mycheckrein hooks on is another program":                         "",
		"checkrein packs lists them; checkrein explain 12 says why":       "checkrein packs|checkrein explain 12",
	} {
		var got []string
		all := ""
		for _, sp := range CommandSpans(text) {
			all += sp.Text
			if sp.Whole {
				got = append(got, sp.Text)
			}
		}
		if strings.Join(got, "|") != want || all != text {
			t.Errorf("%s: got %q of %q", text, got, all)
		}
	}
}

// The remedy of a check shows its command first, and loses no word.
func TestRemedies(t *testing.T) {
	t.Parallel()
	for _, c := range doctor.Checks() {
		spans := RemedySpans(c.Remedy)
		text := ""
		for _, sp := range spans {
			text += sp.Text
		}
		if i := strings.LastIndex(c.Remedy, ": checkrein "); i >= 0 && spans[0].Style == term.Name && text != c.Remedy {
			text = c.Remedy[:i] + ": " + spans[0].Text
		}
		if text != c.Remedy {
			t.Errorf("%s: %q became %q", c.ID, c.Remedy, text)
		}
	}
}
