package packguard

import (
	"slices"
	"testing"

	"github.com/checkrein/checkrein"
)

func TestUnder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pack, key         string
		to                checkrein.Decision
		milder, notMilder string
		stricter          string
	}{
		{"git", "high", checkrein.Ask, "git-history", "git-push-branch", ""},
		{"git", "medium", checkrein.NoOpinion, "git-discard", "git-stash-drop", ""},
		{"git", "medium", checkrein.Ask, "", "git-discard", "git-stash-drop"}, // which pass today
		{"containers", "high", checkrein.Ask, "dk-volume-del", "git-history", ""},
		{"exfiltration", "exfiltration", checkrein.Ask, "exfil-file", "", ""},
		{"filesystem", "exfiltration", checkrein.Ask, "", "fs-delete", ""},
		{"git", "no key", checkrein.Ask, "", "git-history", ""},
	} {
		milder, stricter := Under(tt.pack, tt.key, tt.to)
		if tt.milder != "" && !slices.Contains(milder, tt.milder) || slices.Contains(milder, tt.notMilder) || tt.stricter != "" && !slices.Contains(stricter, tt.stricter) {
			t.Errorf("%s %s: %s: milder %q, stricter %q", tt.pack, tt.key, tt.to, milder, stricter)
		}
	}
}
