package app

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/lab/norace"
	"github.com/google/go-cmp/cmp"
)

// A grant in a file is bound like one that the user gives for the same command, whichever call it is
// compared with.
func TestFileGrantIsBoundLikeOthers(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	w := newWorld(t)
	k := w.open()
	by := []grant.Decider{{Hook: "packs", Type: "builtin"}}
	list := destructiveCommands()
	for i, text := range list {
		text = strings.ReplaceAll(text, "W/", w.dir+"/")
		granted := w.call("home/proj", text)
		want := k.bind(&granted)
		other := w.call("home/proj", strings.ReplaceAll(list[(i*7+1)%len(list)], "W/", w.dir+"/"))
		for _, ev := range []checkrein.Event{granted, other} {
			call := grant.Call{Binding: k.bind(&ev)}
			k.config.Settings.Grants = []setting.Grant{{Call: text, Reason: "r", From: checkrein.Origin{Scope: checkrein.ScopeUser}}}
			got := k.fileGrants(&ev, &call, by)
			if len(got) != 1 {
				t.Errorf("%s: %d grants", text, len(got))
				continue
			}
			if diff := cmp.Diff(want, got[0].Binding); diff != "" {
				t.Errorf("%s against %s (-want +got):\n%s", text, ev.Tool.Command(), diff)
			}
		}
	}
}
