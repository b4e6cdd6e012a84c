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

// A join compares transcripts with the ledger.
type join struct {
	ctx    context.Context
	ledger Ledger
	o      Options
	window window
	scan   secretScan
	report *Report
	failed error // error of the ledger

	pending map[string]*pending // calls of the current file that are not judged yet
	order   []string
	groups  map[group]*Miss
	sorted  []*Miss // the groups in the order of their first call
	heard   map[mode]int
	unseen  [2]callSet // ids of unseen calls, so that none is counted twice
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

// A callSet is a set of calls.
type callSet map[[16]byte]bool

const (
	// maxPending is how many calls may follow a call before its last text.
	maxPending = 128
	maxGroups  = 5000
	maxRecent  = 1 << 16
)

// A pending call waits for its result.
type pending struct {
	call  transcript.Call
	known bool // the call itself was in the transcript

	looked bool
	entry  *entry
	match  match

	head          string // beginning of the first text that the model received
	size          int    // total size of the texts
	before, after bool   // replaced texts, or their replacements, were found
	secrets       foundSecrets
}

func newJoin(ctx context.Context, l Ledger, o Options) *join {
	return &join{
		ctx: ctx, ledger: l, o: o, window: newWindow(ctx, l), scan: startScan(l.Markers), pending: map[string]*pending{}, groups: map[group]*Miss{}, heard: map[mode]int{},
		report: &Report{Since: o.Since, Misses: []Miss{}, Sources: []Count{}, Skipped: []Skip{}},
	}
}

// keyedDigest returns the digest of a call's arguments as in records.
func (j *join) keyedDigest(input []byte) string {
	if j.ledger.Digests == nil {
		return ""
	}
	mac := hmac.New(sha256.New, j.ledger.Digests[:])
	mac.Write(input)
	return string(mac.Sum(nil))
}

// callTime returns the time of a call, or zero if the transcript has none.
func callTime(c *transcript.Call) time.Time {
	if c.At.IsZero() {
		return c.Done
	}
	return c.At
}

// isTooOld reports whether a call is before the requested period. A call without a time is not, since
// its file was changed later.
func (j *join) isTooOld(c *transcript.Call) bool {
	return !c.Undated && callTime(c).Before(j.o.Since)
}

// pendingCall returns the pending entry of a call.
func (j *join) pendingCall(c *transcript.Call) (*pending, error) {
	key := c.Session + "\x00" + c.Agent + "\x00" + c.ID + "\x00" + string(c.Digest[:16])
	p := j.pending[key]
	if p == nil {
		p = &pending{call: *c}
		j.pending[key] = p
		j.order = append(j.order, key)
		if len(j.order) > maxPending {
			if err := j.settleCall(j.order[0]); err != nil {
				return nil, err
			}
			j.order = j.order[1:]
		}
	}
	return p, j.lookUp(p, c)
}

// lookUp finds the ledger's entry for a call, once.
func (j *join) lookUp(p *pending, c *transcript.Call) error {
	if p.looked {
		return nil
	}
	p.looked = true
	at := *c
	at.At = callTime(c)
	if err := j.window.readUpTo(&at); err != nil {
		j.failed = err
		return err
	}
	p.entry, p.match = j.window.find(&at)
	return nil
}

// addCall handles a call of the transcript.
func (j *join) addCall(c *transcript.Call) error {
	if err := j.ctx.Err(); err != nil || j.isTooOld(c) {
		return err
	}
	if c.ID == "" {
		p := &pending{call: *c, known: true}
		if err := j.lookUp(p, c); err != nil {
			return err
		}
		j.judge(p)
		return nil
	}
	p, err := j.pendingCall(c)
	if err != nil {
		return err
	}
	p.call, p.known = *c, true
	return nil
}

// addText handles a text that the model received as a result.
func (j *join) addText(c *transcript.Call, text string) error {
	if err := j.ctx.Err(); err != nil || j.isTooOld(c) || c.ID == "" {
		return err
	}
	p, err := j.pendingCall(c)
	if err != nil {
		return err
	}
	if p.head == "" {
		p.head = truncate(text, 4*maxPiece)
	}
	p.size += len(text)
	if e := p.entry; e != nil && e.replaced > 0 {
		p.before = p.before || slices.ContainsFunc(e.before, func(s string) bool { return strings.Contains(text, s) })
		p.after = p.after || slices.ContainsFunc(e.after, func(s string) bool { return strings.Contains(text, s) })
	}
	j.scan.search(&p.secrets, text)
	return nil
}

func (j *join) settleAll() error {
	for _, key := range j.order {
		if err := j.settleCall(key); err != nil {
			return err
		}
	}
	return nil
}

func (j *join) settleCall(key string) error {
	p := j.pending[key]
	delete(j.pending, key)
	if p != nil && p.known {
		j.judge(p)
	}
	return nil
}

// A finding is what the ledger has about a call that was not properly recorded.
type finding uint8

const (
	nothing  finding = iota
	late             // only its result
	canceled         // the host did not wait for the answer
	forged           // an event that did not come from the host
	differs          // another call with its id
	unnamed          // nothing, and it has no id although the host assigns one to every call
	undated          // nothing, and the transcript has no usable time for it
	callless         // nothing, and the transcript has only its result
)

// findingWithoutEntry returns the finding for a call without an entry in the ledger.
func findingWithoutEntry(c *transcript.Call) finding {
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
		j.countDenied(p) // it has another result now
	}
	if p.match == again || c.Orphan && e == nil && (!ran || !transcript.SameIDs(c.Host)) {
		return
	}
	found := findingWithoutEntry(c)
	switch {
	case p.match == other:
		found = differs
	case e != nil && e.pre > 0 && (!e.canceled || !ran):
		j.countSeen(p, ran)
		return
	case e != nil && e.pre > 0:
		found = canceled
	case e != nil && e.foreign > 0: // its result may still come from the host
		found = forged
	case e != nil && e.post > 0:
		found = late
	}
	if j.isCounted(c, ran) {
		return
	}
	n := j.countCall(c)
	switch {
	case ran, found == unnamed: // results are matched by id
		r.Unseen++
		n.Unseen++
		j.addMiss(c, found)
		j.countLeaks(p)
	case c.Outcome == transcript.Unknown:
		r.Open++
	default:
		r.Refused++
	}
}

// countSeen counts a call that checkrein was asked about.
func (j *join) countSeen(p *pending, ran bool) {
	c, e, r := &p.call, p.entry, j.report
	j.countCall(c)
	r.Seen++
	j.heard[mode{c.Host, c.Headless}]++
	name := newCall(c)
	if e.pre > 1 && transcript.AsksOnce(c.Host) && e.id != "" {
		r.Twice.add(name)
	}
	if ran || c.Outcome == transcript.Denied {
		j.countDenied(p)
	}
	if e.asked > 0 && e.denied == 0 && ran && c.Unasked {
		name.Record = e.asked
		r.Unasked.add(name)
	}
	if e.replaced > 0 && (p.secrets.hasMarked(e.markers) || p.before && !p.after) {
		name.Record = e.replaced
		r.Kept.add(name)
	}
	if ran {
		j.countLeaks(p)
	}
}

// countDenied counts a call that ran although it was denied, once.
func (j *join) countDenied(p *pending) {
	e := p.entry
	if e.denied == 0 || e.reported || !p.ranDespiteDenial() {
		return
	}
	e.reported = true
	name := newCall(&p.call)
	name.Record = e.denied
	j.report.Denied.add(name)
}

// ranDespiteDenial reports whether a denied call ran nevertheless. A host may report the reason of a
// hook as the error of the call; it does not report the output of a program without its exit status.
func (p *pending) ranDespiteDenial() bool {
	if p.call.Outcome == transcript.Denied {
		return p.hasForgedDenial()
	}
	if p.call.Outcome == transcript.Ran || p.call.Exited || p.entry.post > 0 {
		return true
	}
	return p.entry.reason == "" || !strings.Contains(p.head, p.entry.reason)
}

// hasForgedDenial reports whether a result that begins like our denials is not the one that the host
// received, or contains much more.
func (p *pending) hasForgedDenial() bool {
	said, head := p.entry.said, strings.TrimSpace(p.head)
	if said == "" || !strings.HasPrefix(said, denialPrefix) || !strings.HasPrefix(head, denialPrefix) {
		return false
	}
	n := min(len(said), len(head), 2*maxPiece)
	return said[:n] != head[:n] || len(head) < min(len(said), 2*maxPiece) || p.size > len(said)+maxMore
}

const (
	// denialPrefix is how checkrein's denials begin, see block_text.go in internal/app.
	denialPrefix = "checkrein blocked "
	// maxMore is how much a host may add to a denial.
	maxMore = 1000
)

func (j *join) countLeaks(p *pending) {
	if len(p.secrets.rules) == 0 {
		return
	}
	name := newCall(&p.call)
	name.Rules = p.secrets.rules
	j.report.Leaked.add(name)
}

// countCall adds a call to the count of its host.
func (j *join) countCall(c *transcript.Call) *Count {
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

// isCounted reports whether a call that is not in the ledger was counted before: sessions that
// continue under another name contain a copy of earlier calls.
func (j *join) isCounted(c *transcript.Call, ran bool) bool {
	if c.ID == "" || c.Digest == [32]byte{} && !c.Orphan {
		return false
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%s%t", c.Host, c.ID, c.At, c.Digest[:], ran))
	key := [16]byte(sum[:16])
	if j.unseen[0][key] || j.unseen[1][key] {
		return true
	}
	if j.unseen[0] == nil || len(j.unseen[0]) >= maxRecent {
		j.unseen[1], j.unseen[0] = j.unseen[0], callSet{}
	}
	j.unseen[0][key] = true
	return false
}

// addMiss adds an unseen call to its group.
func (j *join) addMiss(c *transcript.Call, found finding) {
	key := group{c.Host, c.Session, c.Agent, c.Tool, found}
	m := j.groups[key]
	if m == nil && len(j.sorted) >= maxGroups {
		key = group{host: c.Host}
		m = j.groups[key]
	}
	if m == nil {
		m = &Miss{Host: key.host, Session: key.session, Agent: key.agent, Tool: key.tool, Headless: c.Headless, root: c.Root, found: found, First: callTime(c), Last: callTime(c)}
		j.groups[key] = m
		j.sorted = append(j.sorted, m)
	}
	m.Calls++
	if at := callTime(c); at.Before(m.First) {
		m.First = at
	} else if at.After(m.Last) {
		m.Last = at
	}
}
