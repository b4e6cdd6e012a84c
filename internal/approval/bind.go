package approval

import (
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
)

// A place identifies what an approval is for: one definition, in one file, of one of its agents, for
// one event.
type place struct{ file, agent, event, digest string }

// A boundHook is a hook that needs approval, with its state according to its definition alone.
type boundHook struct {
	place
	hook     *checkrein.Hook
	key      string
	state    State
	approval int // index of its approval, unless it is unapproved
}

// newBoundHooks returns the hooks that need approval, all of them unapproved so far.
func newBoundHooks(n *fileNames, hooks []checkrein.Hook) []boundHook {
	asking := func(h checkrein.Hook) bool { return h.From.Approval }
	if !slices.ContainsFunc(hooks, asking) { // the usual case
		return nil
	}
	list := make([]boundHook, 0, len(hooks))
	unnamed := make(map[place]int)
	for i := range hooks {
		h := &hooks[i]
		if !h.From.Approval {
			continue
		}
		st := boundHook{place: place{n.remember(h.From.File), h.From.Agent, EventName(h), DefinitionHex(h)}, hook: h, key: strings.ToValidUTF8(h.Name, "\uFFFD")}
		if h.Name == "" {
			at := place{file: st.file, agent: st.agent, event: st.event}
			unnamed[at]++
			st.key = "#" + strconv.Itoa(unnamed[at])
		}
		list = append(list, st)
	}
	return list
}

// bind sets the state of each hook by the rules of [Store.Bind], and reports which approvals are in
// use.
func (b *book) bind(list []boundHook) (live []bool) {
	live = make([]bool, len(b.approvals))
	for i := range list {
		st := &list[i]
		if at := b.find(st.place); at >= 0 {
			st.state, st.approval, live[at] = Approved, at, true
		}
	}
	matched := append([]bool(nil), live...)
	for i := range list {
		st := &list[i]
		if st.state == Approved {
			continue
		}
		if at := b.findEdited(st, matched, live); at >= 0 {
			st.state, st.approval, live[at] = Changed, at, true
		}
	}
	return live
}

// find returns the index of the approval for p, or -1.
func (b *book) find(p place) int {
	for i := range b.approvals {
		if a := &b.approvals[i]; a.Digest == p.digest && a.File == p.file && a.Agent == p.agent && a.Event == p.event {
			return i
		}
	}
	return -1
}

// findEdited returns the index of the approval that the hook had before it was edited, or -1: it has
// the hook's key and matches no hook exactly. Of several, one that no other edited hook uses comes
// first, then the latest.
func (b *book) findEdited(st *boundHook, matched, taken []bool) int {
	best := -1
	for i := range b.approvals {
		a := &b.approvals[i]
		if matched[i] || a.Key != st.key || a.File != st.file || a.Agent != st.agent || a.Event != st.event {
			continue
		}
		switch {
		case best < 0,
			taken[best] && !taken[i],
			taken[best] == taken[i] && a.At.After(b.approvals[best].At):
			best = i
		}
	}
	return best
}
