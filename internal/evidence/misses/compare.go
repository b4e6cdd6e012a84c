package misses

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host/transcript"
)

// A join is at work.
type join struct {
	ctx    context.Context
	ledger Ledger
	o      Options
	window window
	scan   scan
	report *Report
	failed error // of the ledger

	pending map[string]*pending // calls of the file at hand that are not judged yet
	order   []string
	groups  map[group]*Miss
	sorted  []*Miss // the groups as they came
	heard   map[mode]int
	unseen  [2]recent // IDs of unseen calls, so that none is counted twice
}

// A group is what unseen calls have in common.
type group struct {
	host, session, agent, tool string
	found                      finding
}

// A mode is how sessions of a host ran.
type mode struct {
	host     string
	headless bool
}

// recent is a set of calls.
type recent map[[16]byte]bool

const (
	// maxPending is for how many calls after one of its texts may come.
	maxPending = 128
	maxGroups  = 5000
	maxRecent  = 1 << 16
)

// A pending call waits for what is said of it.
type pending struct {
	call  transcript.Call
	known bool // the call itself was reported

	looked bool
	entry  *entry
	match  match

	head          string // of the first text that the model was given
	size          int    // of all of them
	before, after bool   // texts that were replaced, or took their place, were there
	secrets       secrets
}

func newJoin(ctx context.Context, l Ledger, o Options) *join {
	return &join{
		ctx: ctx, ledger: l, o: o, window: newWindow(ctx, l), scan: startScan(l.Markers), pending: map[string]*pending{}, groups: map[group]*Miss{}, heard: map[mode]int{},
		report: &Report{Since: o.Since, Misses: []Miss{}, Sources: []Count{}, Skipped: []Skip{}},
	}
}

// sum is the digest of a call's arguments as records have it.
func (j *join) sum(input []byte) string {
	if j.ledger.Digests == nil {
		return ""
	}
	mac := hmac.New(sha256.New, j.ledger.Digests[:])
	mac.Write(input)
	return string(mac.Sum(nil))
}

// moment is when a call was; zero if the transcript does not say.
func moment(c *transcript.Call) time.Time {
	if c.At.IsZero() {
		return c.Done
	}
	return c.At
}

// old reports whether a call is not asked for. One that has no time of its own is: it is
// in a file that was changed since.
func (j *join) old(c *transcript.Call) bool {
	return !c.Undated && moment(c).Before(j.o.Since)
}

// of is what is pending of a call.
func (j *join) of(c *transcript.Call) (*pending, error) {
	key := c.Session + "\x00" + c.Agent + "\x00" + c.ID + "\x00" + string(c.Digest[:16])
	p := j.pending[key]
	if p == nil {
		p = &pending{call: *c}
		j.pending[key] = p
		j.order = append(j.order, key)
		if len(j.order) > maxPending {
			if err := j.settle(j.order[0]); err != nil {
				return nil, err
			}
			j.order = j.order[1:]
		}
	}
	return p, j.look(p, c)
}

// look finds what the ledger has of a call, once.
func (j *join) look(p *pending, c *transcript.Call) error {
	if p.looked {
		return nil
	}
	p.looked = true
	at := *c
	at.At = moment(c)
	if err := j.window.upTo(&at); err != nil {
		j.failed = err
		return err
	}
	p.entry, p.match = j.window.find(&at)
	return nil
}

// call takes a call of the transcript.
func (j *join) call(c *transcript.Call) error {
	if err := j.ctx.Err(); err != nil || j.old(c) {
		return err
	}
	if c.ID == "" {
		p := &pending{call: *c, known: true}
		if err := j.look(p, c); err != nil {
			return err
		}
		j.judge(p)
		return nil
	}
	p, err := j.of(c)
	if err != nil {
		return err
	}
	p.call, p.known = *c, true
	return nil
}

// text looks at what the model was given as a result.
func (j *join) text(c *transcript.Call, text string) error {
	if err := j.ctx.Err(); err != nil || j.old(c) || c.ID == "" {
		return err
	}
	p, err := j.of(c)
	if err != nil {
		return err
	}
	if p.head == "" {
		p.head = cut(text, 4*maxPiece)
	}
	p.size += len(text)
	if e := p.entry; e != nil && e.replaced > 0 {
		p.before = p.before || slices.ContainsFunc(e.before, func(s string) bool { return strings.Contains(text, s) })
		p.after = p.after || slices.ContainsFunc(e.after, func(s string) bool { return strings.Contains(text, s) })
	}
	j.scan.look(&p.secrets, text)
	return nil
}

func (j *join) settleAll() error {
	for _, key := range j.order {
		if err := j.settle(key); err != nil {
			return err
		}
	}
	return nil
}

func (j *join) settle(key string) error {
	p := j.pending[key]
	delete(j.pending, key)
	if p != nil && p.known {
		j.judge(p)
	}
	return nil
}

// A finding is what the ledger has of a call that it should have more of.
type finding uint8

const (
	nothing  finding = iota
	late             // its result, and not the call
	canceled         // the host did not wait for the answer
	forged           // an event that did not come from the host
	differs          // another call under its ID
	unnamed          // nothing, and it has no ID although the host gives all of them one
	undated          // nothing, and the transcript has no usable time of it
	callless         // nothing, and the transcript has only its result
)

// odd is what is wrong with a call of which the ledger has nothing.
func odd(c *transcript.Call) finding {
	switch {
	case c.ID == "" && transcript.SameIDs(c.Host):
		return unnamed
	case c.Orphan:
		return callless
	case c.Undated:
		return undated
	}
	return nothing
}

// judge counts a call.
func (j *join) judge(p *pending) {
	c, e, r := &p.call, p.entry, j.report
	p.secrets.wait()
	ran := c.Outcome == transcript.Ran || c.Outcome == transcript.Failed
	if p.match == again && ran {
		j.denied(p) // it has another result by now
	}
	if p.match == again || c.Orphan && e == nil && (!ran || !transcript.SameIDs(c.Host)) {
		return
	}
	found := odd(c)
	switch {
	case p.match == other:
		found = differs
	case e != nil && e.pre > 0 && (!e.canceled || !ran):
		j.seen(p, ran)
		return
	case e != nil && e.pre > 0:
		found = canceled
	case e != nil && e.foreign > 0: // its result may come from the host all the same
		found = forged
	case e != nil && e.post > 0:
		found = late
	}
	if j.counted(c, ran) {
		return
	}
	n := j.count(c)
	switch {
	case ran, found == unnamed: // results go by the ID
		r.Unseen++
		n.Unseen++
		j.miss(c, found)
		j.leaks(p)
	case c.Outcome == transcript.Unknown:
		r.Open++
	default:
		r.Refused++
	}
}

// seen counts a call that checkrein was asked about.
func (j *join) seen(p *pending, ran bool) {
	c, e, r := &p.call, p.entry, j.report
	j.count(c)
	r.Seen++
	j.heard[mode{c.Host, c.Headless}]++
	name := named(c)
	if e.pre > 1 && transcript.AsksOnce(c.Host) && e.id != "" {
		r.Twice.add(name)
	}
	if ran || c.Outcome == transcript.Denied {
		j.denied(p)
	}
	if e.asked > 0 && e.denied == 0 && ran && c.Unasked {
		name.Record = e.asked
		r.Unasked.add(name)
	}
	if e.replaced > 0 && (p.secrets.marked(e.markers) || p.before && !p.after) {
		name.Record = e.replaced
		r.Kept.add(name)
	}
	if ran {
		j.leaks(p)
	}
}

// denied counts a call that ran although it was denied, once.
func (j *join) denied(p *pending) {
	e := p.entry
	if e.denied == 0 || e.told || !p.ran() {
		return
	}
	e.told = true
	name := named(&p.call)
	name.Record = e.denied
	j.report.Denied.add(name)
}

// ran reports whether a call that was denied ran all the same. A host may tell the
// reason of a hook as the error of the call; what a program printed it does not tell
// without the program's exit status.
func (p *pending) ran() bool {
	if p.call.Outcome == transcript.Denied {
		return p.poses()
	}
	if p.call.Outcome == transcript.Ran || p.call.Exited || p.entry.post > 0 {
		return true
	}
	return p.entry.reason == "" || !strings.Contains(p.head, p.entry.reason)
}

// poses reports whether a result that begins as our denials do is not the one that the
// host was given, or has much more in it.
func (p *pending) poses() bool {
	said, head := p.entry.said, strings.TrimSpace(p.head)
	if said == "" || !strings.HasPrefix(said, ours) || !strings.HasPrefix(head, ours) {
		return false
	}
	n := min(len(said), len(head), 2*maxPiece)
	return said[:n] != head[:n] || len(head) < min(len(said), 2*maxPiece) || p.size > len(said)+maxMore
}

const (
	// ours is how checkrein's denials begin, see kit's block_text.go.
	ours = "checkrein blocked "
	// maxMore is how much a host may add to a denial.
	maxMore = 1000
)

func (j *join) leaks(p *pending) {
	if len(p.secrets.rules) == 0 {
		return
	}
	name := named(&p.call)
	name.Rules = p.secrets.rules
	j.report.Leaked.add(name)
}

// count adds a call to those of its host.
func (j *join) count(c *transcript.Call) *Count {
	j.report.Calls++
	list := &j.report.Sources
	i := slices.IndexFunc(*list, func(n Count) bool { return n.Host == c.Host })
	if i < 0 {
		i = len(*list)
		*list = append(*list, Count{Host: c.Host})
	}
	(*list)[i].Calls++
	return &(*list)[i]
}

// counted reports whether a call that is not in the ledger was counted before: sessions
// that go on under another name have a copy of what came before.
func (j *join) counted(c *transcript.Call, ran bool) bool {
	if c.ID == "" || c.Digest == [32]byte{} && !c.Orphan {
		return false
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s%t", c.Host, c.ID, c.At, c.Digest[:], ran))
	key := [16]byte(sum[:16])
	if j.unseen[0][key] || j.unseen[1][key] {
		return true
	}
	if j.unseen[0] == nil || len(j.unseen[0]) >= maxRecent {
		j.unseen[1], j.unseen[0] = j.unseen[0], recent{}
	}
	j.unseen[0][key] = true
	return false
}

// miss puts an unseen call into its group.
func (j *join) miss(c *transcript.Call, found finding) {
	key := group{c.Host, c.Session, c.Agent, c.Tool, found}
	m := j.groups[key]
	if m == nil && len(j.sorted) >= maxGroups {
		key = group{host: c.Host}
		m = j.groups[key]
	}
	if m == nil {
		m = &Miss{Host: key.host, Session: key.session, Agent: key.agent, Tool: key.tool, Headless: c.Headless, root: c.Root, found: found, First: moment(c), Last: moment(c)}
		j.groups[key] = m
		j.sorted = append(j.sorted, m)
	}
	m.Calls++
	if at := moment(c); at.Before(m.First) {
		m.First = at
	} else if at.After(m.Last) {
		m.Last = at
	}
}
