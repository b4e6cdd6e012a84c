package approval

import (
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
)

// A hookKey identifies what an approval is for: one definition, in one file, for one of its agents
// and one event.
type hookKey struct{ file, agent, event, digest string }

// A boundHook is a hook that needs approval, with its state according to its definition alone.
type boundHook struct {
	hookKey
	hook     *checkrein.Hook
	key      string
	state    State
	approval int // index of its approval, unless it is unapproved
}

// newBoundHooks returns the hooks that need approval, all of them with the state Unapproved.
func newBoundHooks(n *fileNames, hooks []checkrein.Hook) []boundHook {
	asking := func(h checkrein.Hook) bool { return h.From.Approval }
	if !slices.ContainsFunc(hooks, asking) { // the usual case
		return nil
	}
	list := make([]boundHook, 0, len(hooks))
	unnamed := make(map[hookKey]int)
	for i := range hooks {
		h := &hooks[i]
		if !h.From.Approval {
			continue
		}
		st := boundHook{hookKey: hookKey{n.nameCached(h.From.File), h.From.Agent, EventName(h), DefinitionHex(h)}, hook: h, key: strings.ToValidUTF8(h.Name, "\uFFFD")}
		if h.Name == "" {
			at := hookKey{file: st.file, agent: st.agent, event: st.event}
			unnamed[at]++
			st.key = "#" + strconv.Itoa(unnamed[at])
		}
		list = append(list, st)
	}
	return list
}

// bind sets the state of each hook in list by the rules of [Store.Bind]. The result reports for each
// approval whether a hook uses it.
func (b *book) bind(list []boundHook) (live []bool) {
	live = make([]bool, len(b.approvals))
	for i := range list {
		st := &list[i]
		if at := b.indexOf(st.hookKey); at >= 0 {
			st.state, st.approval, live[at] = Approved, at, true
		}
	}
	matched := append([]bool(nil), live...)
	for i := range list {
		st := &list[i]
		if st.state == Approved {
			continue
		}
		if at := b.indexOfEdited(st, matched, live); at >= 0 {
			st.state, st.approval, live[at] = Changed, at, true
		}
	}
	return live
}

// indexOf returns the index of the approval for p, or -1 if there is none.
func (b *book) indexOf(p hookKey) int {
	for i := range b.approvals {
		if a := &b.approvals[i]; a.Digest == p.digest && a.File == p.file && a.Agent == p.agent && a.Event == p.event {
			return i
		}
	}
	return -1
}

// indexOfEdited returns the index of the approval that the hook st had before it was edited, or -1 if
// there is none. It is an approval with the hook's key that matches no hook exactly. Of several, one
// that is not taken by another edited hook comes first, then the latest.
func (b *book) indexOfEdited(st *boundHook, matched, taken []bool) int {
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
