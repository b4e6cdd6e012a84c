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

// A join holds the state of comparing transcripts with the ledger.
type join struct {
	ctx    context.Context
	ledger Ledger
	o      Options
	window window
	scan   secretScan
	report *Report
	failed error // error of the ledger

	pending   map[string]*pending // calls of the current file that are not judged yet
	order     []string
	groups    map[group]*Miss
	sorted    []*Miss // the groups in the order of their first call
	seenCalls map[mode]int
	unseen    [2]callSet // ids of unseen calls, so that none is counted twice
}

// A group identifies unseen calls that are reported together.
type group struct {
	host, session, agent, tool string
	found                      finding
}

// A mode is a host, and whether its sessions ran headless.
type mode struct {
	host     string
	headless bool
}

// A callSet is a set of calls, by the beginning of a digest.
type callSet map[[16]byte]bool

const (
	// maxPending is how many later calls of a transcript may come before the last text of a call.
	maxPending = 128
	maxGroups  = 5000
	maxRecent  = 1 << 16
)

// A pending call waits for its result.
type pending struct {
	call  transcript.Call
	known bool // the call itself was in the transcript

	lookedUp bool
	entry    *entry
	match    match

	head          string // beginning of the first text that the model received
	size          int    // total size of the texts
	before, after bool   // replaced texts, or their replacements, were found
	secrets       foundSecrets
}

func newJoin(ctx context.Context, l Ledger, o Options) *join {
	return &join{
		ctx: ctx, ledger: l, o: o, window: newWindow(ctx, l), scan: startScan(l.Markers), pending: map[string]*pending{}, groups: map[group]*Miss{}, seenCalls: map[mode]int{},
		report: &Report{Since: o.Since, Misses: []Miss{}, Sources: []Count{}, Skipped: []Skip{}},
	}
}

// keyedDigest returns the digest of input, the arguments of a call, as records contain it, or "" if
// its key is unknown.
func (j *join) keyedDigest(input []byte) string {
	if j.ledger.Digests == nil {
		return ""
	}
	mac := hmac.New(sha256.New, j.ledger.Digests[:])
	mac.Write(input)
	return string(mac.Sum(nil))
}

// callTime returns the time of c, or of its result if the call has none. It is zero if neither is
// known.
func callTime(c *transcript.Call) time.Time {
	if c.At.IsZero() {
		return c.Done
	}
	return c.At
}

// isTooOld reports whether c is before the requested period. A call without a time is not too old,
// since its file was changed later.
func (j *join) isTooOld(c *transcript.Call) bool {
	return !c.Undated && callTime(c).Before(j.o.Since)
}

// pendingCall returns the pending entry of c, and adds it if there is none.
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

// lookUp sets the ledger's entry for c in p, unless that was done before.
func (j *join) lookUp(p *pending, c *transcript.Call) error {
	if p.lookedUp {
		return nil
	}
	p.lookedUp = true
	at := *c
	at.At = callTime(c)
	if err := j.window.readUpTo(&at); err != nil {
		j.failed = err
		return err
	}
	p.entry, p.match = j.window.findEntry(&at)
	return nil
}

// addCall adds a call of the transcript.
func (j *join) addCall(c *transcript.Call) error {
	if err := j.ctx.Err(); err != nil || j.isTooOld(c) {
		return err
	}
	if c.ID == "" {
		p := &pending{call: *c, known: true}
		if err := j.lookUp(p, c); err != nil {
			return err
		}
		j.judgeCall(p)
		return nil
	}
	p, err := j.pendingCall(c)
	if err != nil {
		return err
	}
	p.call, p.known = *c, true
	return nil
}

// addText adds text, which the model received as a result of c.
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

// settleAll judges all pending calls, oldest first.
func (j *join) settleAll() error {
	for _, key := range j.order {
		if err := j.settleCall(key); err != nil {
			return err
		}
	}
	return nil
}

// settleCall removes the pending call with this key, and judges it if the transcript has the call
// itself.
func (j *join) settleCall(key string) error {
	p := j.pending[key]
	delete(j.pending, key)
	if p != nil && p.known {
		j.judgeCall(p)
	}
	return nil
}

// A finding is what the ledger has about a call that checkrein was not properly asked about.
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

// findingWithoutEntry returns the finding for c if the ledger has no entry for it.
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

// judgeCall compares p with its entry in the ledger, and counts it in the report.
func (j *join) judgeCall(p *pending) {
	c, e, r := &p.call, p.entry, j.report
	p.secrets.wait()
	ran := c.Outcome == transcript.Ran || c.Outcome == transcript.Failed
	if p.match == again && ran {
		j.countRanDenied(p) // it has another result now
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
	if j.markCounted(c, ran) {
		return
	}
	n := j.countCall(c)
	switch {
	case ran, found == unnamed: // results are matched by id
		r.Unseen++
		n.Unseen++
		n.Failed++
		j.addMiss(c, found)
		j.countLeaks(p)
	case c.Outcome == transcript.Unknown:
		r.Open++
	default:
		r.Refused++
	}
}

// countSeen counts p, a call that checkrein was asked about.
func (j *join) countSeen(p *pending, ran bool) {
	c, e, r := &p.call, p.entry, j.report
	j.countCall(c)
	r.Seen++
	j.seenCalls[mode{c.Host, c.Headless}]++
	name := newCall(c)
	if e.pre > 1 && transcript.AsksOnce(c.Host) && e.id != "" {
		r.Twice.addCall(name)
	}
	if ran || c.Outcome == transcript.Denied {
		j.countRanDenied(p)
	}
	if e.asked > 0 && e.denied == 0 && ran && c.Unasked {
		name.Record = e.asked
		j.addFailure(&r.Unasked, name)
	}
	if e.replaced > 0 && (p.secrets.hasMarker(e.markers) || p.before && !p.after) {
		name.Record = e.replaced
		j.addFailure(&r.Kept, name)
	}
	if ran {
		j.countLeaks(p)
	}
}

// countRanDenied counts p if it ran although it was denied, unless it was counted before.
func (j *join) countRanDenied(p *pending) {
	e := p.entry
	if e.denied == 0 || e.reported || !p.ranDespiteDenial() {
		return
	}
	e.reported = true
	name := newCall(&p.call)
	name.Record = e.denied
	j.addFailure(&j.report.Denied, name)
}

// ranDespiteDenial reports whether p, a denied call, ran nevertheless. A host may report the reason of
// a hook as the error of the call, but not the output of a program with its exit status.
func (p *pending) ranDespiteDenial() bool {
	if p.call.Outcome == transcript.Denied {
		return p.hasForgedDenial()
	}
	if p.call.Outcome == transcript.Ran || p.call.Exited || p.entry.post > 0 {
		return true
	}
	return p.entry.reason == "" || !strings.Contains(p.head, p.entry.reason)
}

// hasForgedDenial reports whether the result of p begins like a denial of checkrein, but is not the
// one that the host received, or contains much more.
func (p *pending) hasForgedDenial() bool {
	said, head := p.entry.said, strings.TrimSpace(p.head)
	if said == "" || !strings.HasPrefix(said, denialPrefix) || !strings.HasPrefix(head, denialPrefix) {
		return false
	}
	n := min(len(said), len(head), 2*maxPiece)
	return said[:n] != head[:n] || len(head) < min(len(said), 2*maxPiece) || p.size > len(said)+maxMore
}

const (
	// denialPrefix is how checkrein's denials begin; see block_text.go in internal/app.
	denialPrefix = "checkrein blocked "
	// maxMore is how much a host may add to a denial.
	maxMore = 1000
)

// countLeaks counts p if its result contains secrets.
func (j *join) countLeaks(p *pending) {
	if len(p.secrets.rules) == 0 {
		return
	}
	name := newCall(&p.call)
	name.Rules = p.secrets.rules
	j.report.Leaked.addCall(name)
}

// addFailure adds c to list and counts it for its host.
func (j *join) addFailure(list *CallList, c Call) {
	list.addCall(c)
	j.countOf(c.Host).Failed++
}

// countCall adds c to the count of its host, and returns that count.
func (j *join) countCall(c *transcript.Call) *Count {
	j.report.Calls++
	n := j.countOf(c.Host)
	n.Calls++
	return n
}

// countOf returns the count of host, which is valid until a call of another host is counted.
func (j *join) countOf(host string) *Count {
	list := &j.report.Sources
	i := slices.IndexFunc(*list, func(n Count) bool { return n.Host == host })
	if i < 0 {
		i = len(*list)
		*list = append(*list, Count{Host: host})
	}
	return &(*list)[i]
}

// markCounted marks c, a call that is not in the ledger, as counted, and reports whether it was
// before. Sessions that continue under another name contain copies of earlier calls.
func (j *join) markCounted(c *transcript.Call, ran bool) (before bool) {
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

// addMiss adds c, an unseen call, to its group. If there are too many groups, it adds it to one for
// the host.
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
