package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
)

const (
	recentBytes = 48 << 20 // of the ledger that are looked at for what hooks did
	asyncBytes  = 1 << 20  // of the log of hooks that run beside
)

// A ran is one time that a hook was asked.
type ran struct {
	At      time.Time `json:"at"`
	Record  uint64    `json:"record,omitempty"` // its number in the ledger
	Host    string    `json:"host,omitempty"`
	Session string    `json:"session,omitempty"`
	Outcome string    `json:"outcome"` // answered, silent, fault, detached, done, failed
	MS      float64   `json:"ms,omitempty"`
	Fault   string    `json:"fault,omitempty"`

	Decision string   `json:"decision,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Effects  []string `json:"effects,omitempty"`
}

// A history is what the ledger says of one hook.
type history struct {
	last, catch *ran
}

// A runKey identifies a hook in the ledger.
type runKey struct{ event, file, label string }

// runs are what hooks did of late.
type runs struct {
	by     map[runKey]*history
	beside map[runKey]*history // how hooks ended that the ledger only saw started

	Records int       `json:"records"` // that were looked at
	Since   time.Time `json:"since,omitzero"`
	Whole   bool      `json:"whole"` // the ledger has no older ones
	Damaged int       `json:"damaged,omitempty"`
}

// recentRuns reads the newest segments of the ledger, as many as are not too
// large together, and the log of hooks that ran beside.
func recentRuns(ctx context.Context, home state.Dir) (*runs, error) {
	r := &runs{by: map[runKey]*history{}, beside: map[runKey]*history{}, Whole: true}
	dir := home.Path(ledger.Folder)
	segments, err := ledger.Segments(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	from, size := len(segments), int64(0)
	for from > 0 && (size == 0 || size+segments[from-1].Size <= recentBytes) {
		from--
		size += segments[from].Size
	}
	r.Whole = from == 0
	for _, s := range segments[from:] {
		if _, err := records.ReadSegment(ctx, dir, s.Number, r.line); err != nil {
			return r, err
		}
	}
	r.async(home)
	return r, nil
}

// line takes a record.
func (r *runs) line(e *ledger.Entry) bool {
	if e.Damaged {
		r.Damaged++
		return true
	}
	if e.Line.Kind != ledger.KindEvent {
		return true
	}
	if r.Records++; r.Since.IsZero() {
		r.Since = e.Line.Time
	}
	var event, host, session string
	var plan []record.Step
	rawjson.EachRaw(e.Line.Raw, func(key, val []byte) bool {
		switch string(key) {
		case "event":
			event, _ = rawjson.Text(val)
		case "host":
			host, _ = rawjson.Text(val)
		case "session":
			session, _ = rawjson.Text(val)
		case "plan":
			_ = json.Unmarshal(val, &plan) // whatever of it can be read
		}
		return true
	})
	for i := range plan {
		s := &plan[i]
		if s.Outcome == "skipped" || s.Outcome == "unapproved" {
			continue
		}
		one := ran{At: e.Line.Time, Record: e.Line.Seq, Host: host, Session: session, Outcome: s.Outcome, MS: s.MS, Fault: s.Fault,
			Decision: s.Decision, Reason: s.Reason, Effects: s.Effects}
		put(r.by, runKey{event, WithoutLine(s.Origin), s.Hook}, &one)
	}
	return true
}

func put(to map[runKey]*history, key runKey, one *ran) {
	h := to[key]
	if h == nil {
		h = &history{}
		to[key] = h
	}
	if h.last == nil || !one.At.Before(h.last.At) {
		h.last = one
	}
	if one.caught() {
		h.catch = one
	}
}

// caught reports whether the hook stopped, changed or added something. What a fault
// stopped, no hook did.
func (r *ran) caught() bool {
	if r.Fault != "" {
		return false
	}
	return r.Decision == "deny" || r.Decision == "ask" || slices.ContainsFunc(r.Effects, func(e string) bool {
		return e == "context" || e == "redo" || e == "halt" || strings.HasPrefix(e, "rewrite_")
	})
}

// of finds what a hook did. Where the same hook stands in several files it runs once,
// under the name of one of them.
func (r *runs) of(h *checkrein.Hook, all []checkrein.Hook) *history {
	key := func(h *checkrein.Hook) runKey { return runKey{h.On.String(), WithoutLine(h.From.String()), h.Label()} }
	if found := r.beside[key(h)]; h.Async && found != nil {
		return found
	}
	if found := r.by[key(h)]; found != nil {
		return found
	}
	definition := approval.Definition(h)
	for i := range all {
		if twin := &all[i]; twin.On == h.On && twin.From.File != h.From.File && approval.Definition(twin) == definition {
			if found := r.by[key(twin)]; found != nil {
				return found
			}
		}
	}
	return &history{}
}

// WithoutLine is an origin without its line: hooks move when a file is edited.
func WithoutLine(origin string) string {
	if i := strings.LastIndexByte(origin, ':'); i > 0 {
		if _, err := strconv.Atoi(origin[i+1:]); err == nil {
			return origin[:i]
		}
	}
	return origin
}

// async adds how hooks ended that ran beside: the ledger only knows that they
// were started.
func (r *runs) async(home state.Dir) {
	tail, err := state.ReadTail(home.Path("log", "async.log"), asyncBytes)
	if err != nil {
		return
	}
	for line := range bytes.Lines(tail) {
		var rec struct {
			Time                       time.Time
			Hook, Event, Origin, Ended string
			MS                         float64
		}
		if json.Unmarshal(line, &rec) != nil {
			continue // the first one may be cut
		}
		one := ran{At: rec.Time, Outcome: "done", MS: rec.MS}
		if why, failed := strings.CutPrefix(rec.Ended, "failed: "); failed {
			one.Outcome, one.Fault = "failed", why
		}
		put(r.beside, runKey{rec.Event, WithoutLine(rec.Origin), rec.Hook}, &one)
	}
}

// A wrongs describes what the readers and the engine find wrong with hooks.
type wrongs map[[2]string]string

// problemsOf collects what is wrong with each hook, by its name and origin.
func problemsOf(k *app.Kit) wrongs {
	out := wrongs{}
	for _, err := range base.SplitErrors(k.Check()) {
		var he *checkrein.HookError
		if errors.As(err, &he) && he.Hook != "" {
			out[[2]string{he.Hook, he.Origin.String()}] = he.Err.Error()
		}
	}
	return out
}

// healthOf returns in a word whether a hook does its work, and why not: first what
// keeps it from running, then how it went the last time.
func healthOf(env *console.Env, k *app.Kit, h *checkrein.Hook, r *hookReport, wrong wrongs) (word string, why message.Message) {
	validate := message.Run("checkrein validate", "")
	switch broken := wrong[[2]string{h.Label(), h.From.String()}]; {
	case h.Broken != "":
		return "broken", message.New(h.Broken, validate)
	case k.IsDisabled(h):
		return "off", message.New("disabled by the user", message.Run("checkrein hooks enable "+visible.Line(h.Label()), "to enable it"))
	case h.Off != "":
		return "off", message.New(h.Off, message.Run("checkrein hooks on", ""))
	case broken != "":
		return "broken", message.New(broken, validate)
	}
	if f := doctor.Startable(doctor.Options{Kit: k, Environ: env.Environ}, h); f != nil {
		return map[bool]string{true: "not executable", false: "missing"}[f.Check == "not-executable"], f.Message
	}
	switch {
	case r.Approval == "changed", r.Approval == "not approved":
		return r.Approval, message.New(r.Why)
	case r.LastRun == nil:
		return "never run", message.Message{}
	case r.LastRun.Fault != "":
		return "faulted", message.New(r.LastRun.Fault, message.Run("checkrein hooks doctor", ""))
	}
	return "ok", message.Message{}
}
