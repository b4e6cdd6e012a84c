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

// An entry is what the ledger contains about one call.
type entry struct {
	host, session, agent, id, tool string
	at                             time.Time // time of its first event
	mac                            string    // keyed digest of the arguments as the host sent them
	digest                         [32]byte  // digest of the arguments in the record
	questions                      []question

	pre, post, foreign int
	canceled           bool
	again              bool   // it replaces earlier events of the host's question
	denied             uint64 // the record that denied it; 0 means none
	reason             string // the beginning of its reason
	said               string // the reply to the host; "" if the record does not have it unchanged
	asked              uint64 // the record that required confirmation; 0 means none
	replaced           uint64 // the record that replaced its result; 0 means none
	markers            []string
	before, after      []string // replaced texts of the result, and their replacements

	taken    bool      // a call of a transcript was joined with it
	called   time.Time // time of that call in the transcript
	reported bool      // it was counted as a call that ran although it was denied
}

// A question holds the arguments that checkrein was asked about, or their rewrite.
type question struct {
	arguments []transcript.Argument
	whole     bool // they are as the host sent them, without redactions
}

// maxQuestions is how many questions about one id are compared.
const maxQuestions = 4

// digestKeys returns the keys by which the call can be found by its contents.
func (e *entry) digestKeys() []string { return digestKeys(e.session, e.mac, e.digest) }

func digestKeys(session, mac string, digest [32]byte) []string {
	var out []string
	if mac != "" {
		out = append(out, session+"\x00m"+mac)
	}
	if digest != [32]byte{} {
		out = append(out, session+"\x00d"+string(digest[:16]))
	}
	return out
}

// mergeEvent adds o, another event about the same call.
func (e *entry) mergeEvent(o *entry) {
	e.pre, e.post, e.foreign = e.pre+o.pre, e.post+o.post, e.foreign+o.foreign
	e.canceled = e.canceled || o.canceled
	if len(e.questions) < maxQuestions {
		e.questions = append(e.questions, o.questions...)
	}
	if e.mac == "" && e.digest == [32]byte{} { // the earlier event did not come from the host
		e.mac, e.digest, e.tool = o.mac, o.digest, o.tool
	}
	if o.again {
		e.pre, e.denied, e.asked = e.pre-o.pre, 0, 0
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

// parseEntry returns what the join needs from the record raw, which it reads in one pass. It returns
// nil if the record is not about a call.
func parseEntry(raw []byte) *entry {
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
			e.host = stringValue(val)
		case "session":
			e.session = stringValue(val)
		case "agent":
			e.agent = stringValue(val)
		case "event":
			event = stringValue(val)
		case "time":
			e.at, _ = time.Parse(time.RFC3339Nano, stringValue(val))
		case "seq":
			seq = uintValue(val)
		case "reason":
			reason = stringValue(val)
		case "foreign":
			foreign = string(val) == "true"
		case "again":
			e.again = string(val) == "true"
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
	e.addInput(subject, event == "pre_tool_use")
	switch event {
	case "pre_tool_use":
		e.pre = 1
		e.canceled = canceled
		if listHas(effects, "deny") && !shadow {
			e.denied, e.reason, e.said = seq, truncate(reason, maxPiece), longestText(reply)
		}
		if listHas(effects, "ask") && !shadow {
			e.asked = seq
		}
	case "tool_response_transform": // the host's event is also recorded as post_tool_use, with the reply
		if listHas(effects, "rewrite_output") && !shadow {
			e.replaced = seq
		}
		e.addReplacements(subject, reply)
	default:
		e.post = 1
		e.addReplacements(subject, reply)
	}
	return &e
}

// addInput stores the digests of the arguments in subject and, if asks is set, the arguments
// themselves, because the event is the host's question.
func (e *entry) addInput(subject []byte, asks bool) {
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
		e.addQuestion(input)
		if rewritten, ok := rawjson.Get(subject, "rewritten"); ok {
			e.addQuestion(rewritten)
		}
	}
}

// addQuestion stores arguments that the host may later record as those of the call. Arguments that are
// not in the record may be anything.
func (e *entry) addQuestion(part []byte) {
	val, _ := rawjson.Get(part, "json")
	size, _ := rawjson.Get(part, "bytes")
	e.questions = append(e.questions, question{transcript.Arguments(val), uintValue(size) == uint64(len(val))})
}

// longestText returns the longest text in reply, or "" if something in it was redacted.
func longestText(reply []byte) (said string) {
	val, _ := rawjson.Lookup(reply, "stdout", "json")
	if placeholder.MayHaveMarker(val) {
		return ""
	}
	rawjson.EachStringValue(val, func(s string) bool {
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
	minPiece   = 6 // a shorter text may occur anywhere
)

// addReplacements stores the beginnings of lines that reply replaces in the result of subject, and of
// those that replace them.
func (e *entry) addReplacements(subject, reply []byte) {
	said, ok := rawjson.Get(reply, "stdout")
	if !ok {
		return
	}
	for _, m := range placeholder.FindMarkers(string(said)) {
		if m.ID != "" && len(e.markers) < maxMarkers {
			e.markers = append(e.markers, m.ID)
		}
	}
	was, _ := rawjson.Lookup(subject, "output", "json")
	now, _ := rawjson.Get(said, "json")
	old, fresh := linePrefixes(was), linePrefixes(now)
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

// linePrefixes returns the beginnings of lines in the texts of the JSON value val, without lines that
// are too short to be distinctive.
func linePrefixes(val []byte) []string {
	var out []string
	rawjson.EachStringValue(val, func(s string) bool {
		for line := range strings.Lines(s) {
			if line = strings.TrimSpace(line); len(line) >= minPiece {
				out = append(out, truncate(line, maxPiece))
			}
		}
		return len(out) < maxLines
	})
	return out
}

// stringValue returns the JSON string val decoded, or "" if it is not a string.
func stringValue(val []byte) string {
	s, _ := rawjson.Text(val)
	return s
}

// uintValue returns the number with which val begins, or 0.
func uintValue(val []byte) (n uint64) {
	for _, c := range val {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + uint64(c-'0')
	}
	return n
}

// listHas reports whether the JSON array list contains the string s.
func listHas(list []byte, s string) (yes bool) {
	rawjson.EachStringValue(list, func(one string) bool {
		yes = one == s
		return !yes
	})
	return yes
}

// truncate returns a copy of s, of at most most bytes and without invalid UTF-8.
func truncate(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return strings.Clone(strings.ToValidUTF8(s, ""))
}

// An entryReader reads entries from the ledger in chronological order, while the transcript is read.
type entryReader struct {
	lists chan []*entry
	list  []*entry // the rest of the current list
	halt  context.CancelFunc
	err   error // valid once lists is closed
}

const (
	perList  = 64 // entries per list, to reduce the number of channel operations
	maxLists = 4
)

// readEntries starts reading the entries of the records that f accepts. The ledger must not be used
// for anything else until stop is called.
func readEntries(ctx context.Context, l Ledger, f index.Filter) *entryReader {
	ctx, halt := context.WithCancel(ctx)
	r := &entryReader{lists: make(chan []*entry, maxLists), halt: halt}
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
			if e := parseEntry(raw); e != nil {
				list = append(list, e)
			}
			return len(list) < perList || give()
		})
		give()
	}()
	return r
}

// next returns the next entry, or nil at the end or after an error.
func (r *entryReader) next() *entry {
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

// stop ends the reading and waits for that.
func (r *entryReader) stop() {
	r.halt()
	for range r.lists {
	}
}
