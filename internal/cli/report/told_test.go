package report

import (
	"strings"
	"testing"
)

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
