package fakehost_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
)

// missesByLie maps lies to what `checkrein misses` reports about them. The other lies do not show in
// transcripts, which agree with what the host sends the model.
var missesByLie = map[fakehost.Lie][]string{
	fakehost.RunsDenied:     {"denied and ran 7"},
	fakehost.IgnoresOutput:  {"replacement ignored 1"},
	fakehost.IgnoresRewrite: {"came back: rewrite 1"}, // by the event after the call
	fakehost.FiresTwice:     {"asked twice 16"},
	fakehost.IgnoresAsk:     {"ran unasked 1"}, // at a terminal
	fakehost.SkipsSubagents: {"unseen Bash: sub-agent 2"},
	fakehost.FiresForShell: {"unseen Agent: built-in 1", "unseen Edit: built-in 2", "unseen Read: built-in 2",
		"unseen Write: built-in 1", "unseen mcp__probe__poke: built-in 2"},
	fakehost.Silent: {"unseen Agent: silent 1", "unseen Bash: silent 8", "unseen Edit: silent 2", "unseen Read: silent 2",
		"unseen Write: silent 1", "unseen mcp__probe__poke: silent 2"},
}

// testMisses checks that `checkrein misses` reports the lies, and nothing about an honest host.
func testMisses(t *testing.T, s *faketest.Space, lies ...fakehost.Lie) {
	t.Helper()
	out, errs, code := s.Try("checkrein", "misses", "--json")
	var r struct {
		misses.Report
		Back []struct{ Row string } `json:"came_back"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("misses: exit %d, %v\n%s%s", code, err, out, errs)
	}
	var want []string
	for _, l := range lies {
		if l != fakehost.IgnoresAsk || r.Calls == 1 { // without a terminal, checkrein denies what it would ask
			want = append(want, missesByLie[l]...)
		}
		if l == fakehost.Impatient { // whether who is killed can still write depends on the machine
			want = append(want, "unseen Bash: hook-died 1")
			if r.Unseen == 0 {
				want = []string{"denied and ran 1"}
			}
		}
	}
	counts := map[string]int{"denied and ran": r.Denied.Calls, "replacement ignored": r.Kept.Calls, "asked twice": r.Twice.Calls, "ran unasked": r.Unasked.Calls}
	for _, b := range r.Back {
		counts["came back: "+b.Row]++
	}
	for _, m := range r.Misses {
		counts[fmt.Sprintf("unseen %s: %s", m.Tool, m.Cause)] += m.Calls
	}
	var got []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[what]; n > 0 {
			got = append(got, fmt.Sprint(what, " ", n))
		}
	}
	if !slices.Equal(got, want) || r.Calls == 0 || (code != 0) != (r.Failures()+len(r.Back) > 0) {
		t.Errorf("misses: %d calls, exit %d: %q\nwant %q", r.Calls, code, got, want)
	}
}
