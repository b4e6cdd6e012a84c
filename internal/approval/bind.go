package approval

import (
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
)

// A place is what an approval is for: one definition, in one file, of one of its
// agents, for one event.
type place struct{ file, agent, event, digest string }

// A standing is a hook that needs approval, with what its definition alone says
// about that.
type standing struct {
	place
	hook     *checkrein.Hook
	key      string
	state    State
	approval int // the approval that it stands for, unless it is unapproved
}

// standings lists the hooks that need approval, all unapproved as yet.
func standings(n *names, hooks []checkrein.Hook) []standing {
	asking := func(h checkrein.Hook) bool { return h.From.Approval }
	if !slices.ContainsFunc(hooks, asking) { // as in most places
		return nil
	}
	list := make([]standing, 0, len(hooks))
	unnamed := make(map[place]int)
	for i := range hooks {
		h := &hooks[i]
		if !h.From.Approval {
			continue
		}
		st := standing{place: place{n.learn(h.From.File), h.From.Agent, EventOf(h), Definition(h)}, hook: h, key: strings.ToValidUTF8(h.Name, "\uFFFD")}
		if h.Name == "" {
			at := place{file: st.file, agent: st.agent, event: st.event}
			unnamed[at]++
			st.key = "#" + strconv.Itoa(unnamed[at])
		}
		list = append(list, st)
	}
	return list
}

// bind sets the state of each standing by the rules of [Store.Bind], and
// reports which approvals are in use.
func (b *book) bind(list []standing) (live []bool) {
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
		if at := b.edited(st, matched, live); at >= 0 {
			st.state, st.approval, live[at] = Changed, at, true
		}
	}
	return live
}

// find returns the approval for p, -1 if there is none.
func (b *book) find(p place) int {
	for i := range b.approvals {
		if a := &b.approvals[i]; a.Digest == p.digest && a.File == p.file && a.Agent == p.agent && a.Event == p.event {
			return i
		}
	}
	return -1
}

// edited returns the approval that the hook had before somebody edited it, -1
// if there is none: it has the hook's key and matches no hook as it is. Where
// several do, one that no other edited hook took comes first, then the latest.
func (b *book) edited(st *standing, matched, taken []bool) int {
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
