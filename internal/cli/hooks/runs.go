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
)

const (
	recentBytes = 48 << 20 // how many bytes of the ledger are read
	asyncBytes  = 1 << 20  // how many bytes of the log of asynchronous hooks are read
)

// A runRecord is one run of a hook.
type runRecord struct {
	At      time.Time `json:"at"`
	Record  uint64    `json:"record,omitempty"` // the number of its record in the ledger
	Host    string    `json:"host,omitempty"`
	Session string    `json:"session,omitempty"`
	Outcome string    `json:"outcome"` // answered, silent, fault, detached, done, failed
	MS      float64   `json:"ms,omitempty"`
	Fault   string    `json:"fault,omitempty"`

	Decision string   `json:"decision,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Effects  []string `json:"effects,omitempty"`
}

// A history holds the last run of a hook, and the last run in which it acted. Both may be nil.
type history struct {
	last, catch *runRecord
}

// A runKey identifies a hook in the ledger.
type runKey struct{ event, file, label string }

// A runLog holds the recent runs of hooks.
type runLog struct {
	by    map[runKey]*history
	async map[runKey]*history // how asynchronous hooks ended; the ledger has only their start

	Records int       `json:"records"` // how many event records were read
	Since   time.Time `json:"since,omitzero"`
	Whole   bool      `json:"whole"` // the ledger has no records before these
	Damaged int       `json:"damaged,omitempty"`
}

// readRecentRuns reads the newest segments of the ledger, up to recentBytes, and the log of
// asynchronous hooks. A missing ledger has no runs.
func readRecentRuns(ctx context.Context, home state.Dir) (*runLog, error) {
	r := &runLog{by: map[runKey]*history{}, async: map[runKey]*history{}, Whole: true}
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
		if _, err := records.ReadSegment(ctx, dir, s.Number, r.addRecord); err != nil {
			return r, err
		}
	}
	r.readAsyncLog(home)
	return r, nil
}

// addRecord adds the runs in a record. It always returns true, so that reading goes on.
func (r *runLog) addRecord(e *ledger.Entry) bool {
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
			_ = json.Unmarshal(val, &plan) // use the steps that can be read
		}
		return true
	})
	for i := range plan {
		s := &plan[i]
		if s.Outcome == "skipped" || s.Outcome == "unapproved" {
			continue
		}
		one := runRecord{At: e.Line.Time, Record: e.Line.Seq, Host: host, Session: session, Outcome: s.Outcome, MS: s.MS, Fault: s.Fault,
			Decision: s.Decision, Reason: s.Reason, Effects: s.Effects}
		addRun(r.by, runKey{event, WithoutLine(s.Origin), s.Hook}, &one)
	}
	return true
}

// addRun adds a run to the history with this key.
func addRun(to map[runKey]*history, key runKey, one *runRecord) {
	h := to[key]
	if h == nil {
		h = &history{}
		to[key] = h
	}
	if h.last == nil || !one.At.Before(h.last.At) {
		h.last = one
	}
	if one.hasActed() {
		h.catch = one
	}
}

// hasActed reports whether the hook denied, asked, rewrote, halted, or added context in this run. A
// fault does not count.
func (r *runRecord) hasActed() bool {
	if r.Fault != "" {
		return false
	}
	return r.Decision == "deny" || r.Decision == "ask" || slices.ContainsFunc(r.Effects, func(e string) bool {
		return e == "context" || e == "redo" || e == "halt" || strings.HasPrefix(e, "rewrite_")
	})
}

// historyOf returns the history of h. If several files declare the same hook, it runs once, so the
// history may be that of another of them in all.
func (r *runLog) historyOf(h *checkrein.Hook, all []checkrein.Hook) *history {
	key := func(h *checkrein.Hook) runKey { return runKey{h.On.String(), WithoutLine(h.From.String()), h.Label()} }
	if found := r.async[key(h)]; h.Async && found != nil {
		return found
	}
	if found := r.by[key(h)]; found != nil {
		return found
	}
	definition := approval.DefinitionHex(h)
	for i := range all {
		if twin := &all[i]; twin.On == h.On && twin.From.File != h.From.File && approval.DefinitionHex(twin) == definition {
			if found := r.by[key(twin)]; found != nil {
				return found
			}
		}
	}
	return &history{}
}

// WithoutLine returns an origin without its line number, since hooks move when a file is edited.
func WithoutLine(origin string) string {
	if i := strings.LastIndexByte(origin, ':'); i > 0 {
		if _, err := strconv.Atoi(origin[i+1:]); err == nil {
			return origin[:i]
		}
	}
	return origin
}

// readAsyncLog adds the outcomes of asynchronous hooks, which it reads from their log.
func (r *runLog) readAsyncLog(home state.Dir) {
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
			continue // the first line may be incomplete
		}
		one := runRecord{At: rec.Time, Outcome: "done", MS: rec.MS}
		if why, failed := strings.CutPrefix(rec.Ended, "failed: "); failed {
			one.Outcome, one.Fault = "failed", why
		}
		addRun(r.async, runKey{rec.Event, WithoutLine(rec.Origin), rec.Hook}, &one)
	}
}

// hookErrors holds the errors of hooks by label and origin.
type hookErrors map[[2]string]string

// findHookErrors returns the errors that reading and checking the configuration finds in hooks.
func findHookErrors(k *app.Kit) hookErrors {
	out := hookErrors{}
	for _, err := range base.SplitErrors(k.Check()) {
		var he *checkrein.HookError
		if errors.As(err, &he) && he.Hook != "" {
			out[[2]string{he.Hook, he.Origin.String()}] = he.Err.Error()
		}
	}
	return out
}

// hookHealth returns a word for the state of h, such as ok, off or missing, and a message if it does
// not work. What keeps the hook from running comes before how its last run ended.
func hookHealth(env *console.Env, k *app.Kit, h *checkrein.Hook, r *hookReport, wrong hookErrors) (word string, why message.Message) {
	validate := message.Run("checkrein validate", "")
	switch broken := wrong[[2]string{h.Label(), h.From.String()}]; {
	case h.Broken != "":
		return "broken", message.New(h.Broken, validate)
	case k.IsDisabled(h):
		return "off", message.New("disabled by the user", message.Run(approval.RemedyCommand("enable", h.Label()), "to enable it"))
	case h.Off != "":
		return "off", message.New(h.Off, message.Run("checkrein hooks on", ""))
	case broken != "":
		return "broken", message.New(broken, validate)
	}
	if f := doctor.CheckStartable(doctor.Options{Kit: k, Environ: env.Environ}, h); f != nil {
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
