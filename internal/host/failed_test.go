package host

import (
	"slices"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
)

// notWired are events about failures that install does not wire, with the reason.
var notWired = map[string]string{
	"copilot PostToolUseFailure": "the other spelling of postToolUseFailure, which is wired",
	"ahp tool.error":             "the draft's backend subscribes to tool.before alone",
}

// TestFailedToolsReachPostToolHooks checks that on every host that reports failures, post_tool_use
// hooks get the error of a failed tool as its output, in addition to those on post_tool_use_failure,
// because the tool has run. Tools that did not fail fire no post_tool_use_failure.
func TestFailedToolsReachPostToolHooks(t *testing.T) {
	t.Parallel()
	told := 0
	for _, h := range Table() {
		for _, p := range wiretest.AllPayloads(t, ".", h) {
			call := h.Read(h, p.Body, p.Event)
			failed, rows := false, map[checkrein.Kind]*checkrein.Event{}
			for i := range call.Events {
				ev := &call.Events[i]
				rows[ev.Kind] = ev
				failed = failed || ev.Tool != nil && ev.Tool.Failed
			}
			post, failure := rows[checkrein.PostToolUse], rows[checkrein.PostToolUseFailure]
			if post == nil && failure == nil {
				continue
			}
			switch {
			case failed != (failure != nil):
				t.Errorf("%s: failed %v, post_tool_use_failure is fired: %v", p.File, failed, failure != nil)
			case post == nil:
				t.Errorf("%s: no post_tool_use", p.File)
			case failed && (!post.Tool.Failed || !failure.Tool.Failed || len(post.Tool.Output) == 0):
				t.Errorf("%s: %+v, %+v", p.File, post.Tool, failure.Tool)
			case failed:
				told++
			}
		}
		for _, e := range h.Events {
			fails := slices.ContainsFunc(e.Rows, func(r wire.Row) bool { return r.Kind == checkrein.PostToolUseFailure })
			if _, known := notWired[h.Name+" "+e.Native]; fails && e.Wired == known {
				t.Errorf("%s: %s is wired: %v", h.Name, e.Native, e.Wired)
			}
			if e.Failure && !fails {
				t.Errorf("%s: %s is about failures and has no such row", h.Name, e.Native)
			}
		}
	}
	if told < 8 {
		t.Errorf("%d payloads of tools that failed", told)
	}
}
