package misses

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// An entry is what the ledger has of one call.
type entry struct {
	host, session, agent, id, tool string
	at                             time.Time // of its first event
	mac                            string    // keyed digest of the arguments as the host sent them
	digest                         [32]byte  // of the arguments as they are in the record
	questions                      []question

	pre, post, foreign int
	canceled           bool
	denied             uint64 // the record that denied it, 0 for none
	reason             string // the beginning of it
	said               string // what the host was told for it; "" if the record does not have it as it was
	asked              uint64 // the record that wanted a person to be asked, 0 for none
	replaced           uint64 // the record that replaced its result, 0 for none
	markers            []string
	before, after      []string // texts of the result that were replaced, and by what

	taken  bool      // a call of a transcript was joined with it
	called time.Time // when that was, by the transcript
	told   bool      // that it ran although it was denied
}

// A question is what checkrein was asked about, or what it made of that.
type question struct {
	arguments []transcript.Argument
	whole     bool // they are as the host sent them: nothing was taken out
}

// maxQuestions is how many questions under one ID are told from each other.
const maxQuestions = 4

// sums are the names of a call by what it says.
func (e *entry) sums() []string { return sums(e.session, e.mac, e.digest) }

func sums(session, mac string, digest [32]byte) []string {
	var out []string
	if mac != "" {
		out = append(out, session+"\x00m"+mac)
	}
	if digest != [32]byte{} {
		out = append(out, session+"\x00d"+string(digest[:16]))
	}
	return out
}

// merge adds what another event says of the same call.
func (e *entry) merge(o *entry) {
	e.pre, e.post, e.foreign = e.pre+o.pre, e.post+o.post, e.foreign+o.foreign
	e.canceled = e.canceled || o.canceled
	if len(e.questions) < maxQuestions {
		e.questions = append(e.questions, o.questions...)
	}
	if e.mac == "" && e.digest == [32]byte{} { // what was before is not the host's
		e.mac, e.digest, e.tool = o.mac, o.digest, o.tool
	}
	if o.denied > 0 && e.denied == 0 {
		e.denied, e.reason, e.said = o.denied, o.reason, o.said
	}
	if o.asked > 0 && e.asked == 0 {
		e.asked = o.asked
	}
	if o.replaced > 0 {
		e.replaced = o.replaced
	}
	e.markers = append(e.markers, o.markers...)
	e.before, e.after = append(e.before, o.before...), append(e.after, o.after...)
}

// entryOf reads what the join needs of a record, in one walk; nil for one that is not
// about a call.
func entryOf(raw []byte) *entry {
	var e entry
	var event, reason string
	var tool, subject, effects, reply []byte
	var seq uint64
	var foreign, canceled, shadow bool
	r := rawjson.NewReader(raw)
	r.Enter()
	for key, ok := r.Key(); ok; key, ok = r.Key() {
		val := r.Value()
		switch string(key) {
		case "host":
			e.host = text(val)
		case "session":
			e.session = text(val)
		case "agent":
			e.agent = text(val)
		case "event":
			event = text(val)
		case "time":
			e.at, _ = time.Parse(time.RFC3339Nano, text(val))
		case "seq":
			seq = number(val)
		case "reason":
			reason = text(val)
		case "foreign":
			foreign = string(val) == "true"
		case "canceled":
			canceled = string(val) == "true"
		case "shadow":
			shadow = string(val) == "true"
		case "tool":
			tool = val
		case "subject":
			subject = val
		case "effects":
			effects = val
		case "reply":
			reply = val
		}
	}
	if tool == nil {
		return nil
	}
	e.id, e.tool = rawjson.GetText(tool, "call_id"), rawjson.GetText(tool, "name")
	if foreign {
		e.foreign = 1
		return &e
	}
	e.input(subject, event == "pre_tool_use")
	switch event {
	case "pre_tool_use":
		e.pre = 1
		e.canceled = canceled
		if has(effects, "deny") && !shadow {
			e.denied, e.reason, e.said = seq, cut(reason, maxPiece), answer(reply)
		}
		if has(effects, "ask") && !shadow {
			e.asked = seq
		}
	case "tool_response_transform": // the same event of the host as post_tool_use, which has the reply
		if has(effects, "rewrite_output") && !shadow {
			e.replaced = seq
		}
		e.replies(subject, reply)
	default:
		e.post = 1
		e.replies(subject, reply)
	}
	return &e
}

// input notes what a call can be found again by and, if it is the host's question, what
// it says.
func (e *entry) input(subject []byte, asks bool) {
	input, ok := rawjson.Get(subject, "input")
	if !ok {
		return
	}
	if sum, err := hex.DecodeString(rawjson.GetText(input, "digest")); err == nil {
		e.mac = string(sum)
	}
	val, ok := rawjson.Get(input, "json")
	if !ok {
		return
	}
	e.digest = transcript.Digest(val)
	if asks {
		e.question(input)
		if rewritten, ok := rawjson.Get(subject, "rewritten"); ok {
			e.question(rewritten)
		}
	}
}

// question notes arguments that the host may write down as those of the call. Those that
// are not in the record may be any.
func (e *entry) question(part []byte) {
	val, _ := rawjson.Get(part, "json")
	size, _ := rawjson.Get(part, "bytes")
	e.questions = append(e.questions, question{transcript.Arguments(val), number(size) == uint64(len(val))})
}

// answer is the longest text of a reply in JSON, "" if something was taken out of it.
func answer(reply []byte) (said string) {
	val, _ := rawjson.Lookup(reply, "stdout", "json")
	if placeholder.MayHaveMarker(val) {
		return ""
	}
	rawjson.Strings(val, func(s string) bool {
		if len(s) > len(said) {
			said = s
		}
		return true
	})
	return strings.TrimSpace(said)
}

const (
	maxPiece   = 200 // bytes of a text
	maxPieces  = 4
	maxMarkers = 8
	minPiece   = 6 // a shorter text may be anywhere
)

// replies notes what was put in place of a result, in few words.
func (e *entry) replies(subject, reply []byte) {
	said, ok := rawjson.Get(reply, "stdout")
	if !ok {
		return
	}
	for _, m := range placeholder.Find(string(said)) {
		if m.ID != "" && len(e.markers) < maxMarkers {
			e.markers = append(e.markers, m.ID)
		}
	}
	was, _ := rawjson.Lookup(subject, "output", "json")
	now, _ := rawjson.Get(said, "json")
	old, fresh := lines(was), lines(now)
	for _, s := range old {
		if len(e.before) < maxPieces && !slices.Contains(fresh, s) {
			e.before = append(e.before, s)
		}
	}
	for _, s := range fresh {
		if len(e.after) < maxPieces && !slices.Contains(old, s) {
			e.after = append(e.after, s)
		}
	}
}

const maxLines = 256

// lines are the beginnings of the lines of all texts of a value that are long enough to
// be told from others.
func lines(val []byte) []string {
	var out []string
	rawjson.Strings(val, func(s string) bool {
		for line := range strings.Lines(s) {
			if line = strings.TrimSpace(line); len(line) >= minPiece {
				out = append(out, cut(line, maxPiece))
			}
		}
		return len(out) < maxLines
	})
	return out
}

func text(val []byte) string {
	s, _ := rawjson.Text(val)
	return s
}

func number(val []byte) (n uint64) {
	for _, c := range val {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + uint64(c-'0')
	}
	return n
}

// has reports whether a string is in a list.
func has(list []byte, s string) (yes bool) {
	rawjson.Strings(list, func(one string) bool {
		yes = one == s
		return !yes
	})
	return yes
}

// cut is the beginning of a text, a copy.
func cut(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return strings.Clone(strings.ToValidUTF8(s, ""))
}

// entries come from the ledger in the order of time, while the transcript is read.
type entries struct {
	lists chan []*entry
	list  []*entry // what is left of the one at hand
	halt  context.CancelFunc
	err   error // once lists is closed
}

const (
	perList  = 64 // entries, so that few things are handed over
	maxLists = 4
)

// read begins to read the entries of the records that a filter accepts. The ledger is
// asked nothing else until they were stopped.
func read(ctx context.Context, l Ledger, f index.Filter) *entries {
	ctx, halt := context.WithCancel(ctx)
	r := &entries{lists: make(chan []*entry, maxLists), halt: halt}
	go func() {
		defer close(r.lists)
		var list []*entry
		give := func() bool {
			select {
			case r.lists <- list:
				list = nil
				return true
			case <-ctx.Done():
				return false
			}
		}
		r.err = l.Each(ctx, f, func(raw []byte) bool {
			if e := entryOf(raw); e != nil {
				list = append(list, e)
			}
			return len(list) < perList || give()
		})
		give()
	}()
	return r
}

// next returns the next entry; nil for none, or if there was an error.
func (r *entries) next() *entry {
	for len(r.list) == 0 {
		list, ok := <-r.lists
		if !ok {
			return nil
		}
		r.list = list
	}
	e := r.list[0]
	r.list = r.list[1:]
	return e
}

// stop ends the reading and returns when it has ended.
func (r *entries) stop() {
	r.halt()
	for range r.lists {
	}
}
