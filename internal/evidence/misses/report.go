package misses

import (
	"context"
	"errors"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/text/message"
)

// A Ledger gives access to records.
type Ledger struct {
	// Each calls fn with the lines that f accepts, until fn returns false.
	Each func(ctx context.Context, f index.Filter, fn func(raw []byte) bool) error
	// Count returns how many lines f accepts.
	Count func(ctx context.Context, f index.Filter) (int, error)
	// Digests is the key of the digests in records, or nil if it is unknown.
	Digests *[32]byte
	// Markers is the key of the markers that replace secrets, or nil if it is unknown.
	Markers *placeholder.Key
}

// A Host is the current state of a host on this machine.
type Host struct {
	Name, Title string
	Installed   bool
	ProjectOnly bool      // it is installed only in the project, not for the user
	Narrow      bool      // its settings do not send all events
	Since       time.Time // when it was last installed; zero means unknown
	Off         string    // why the host skips checkrein's hooks; "" means that it does not
	// Blind is the option with which editors start the host and with which it asks about no tool; ""
	// means that there is none.
	Blind string
}

// Options holds the input of Run.
type Options struct {
	Files []transcript.File
	Since time.Time // earlier calls are left out
	Now   time.Time
	Hosts []Host
	// Progress is called regularly with the number of bytes read and their total.
	Progress func(done, total int64)
}

// A Report is the result of comparing transcripts with the ledger.
type Report struct {
	Since time.Time `json:"since"`
	Calls int       `json:"calls"` // since then
	Seen  int       `json:"seen"`
	// Unseen counts the calls that ran without an event before them.
	Unseen  int      `json:"unseen"`
	Misses  []Miss   `json:"misses"`   // the unseen calls, in groups
	Refused int      `json:"refused"`  // calls that did not run because the host or another hook refused them before
	Open    int      `json:"open"`     // calls without a result, so that nothing shows whether they ran
	Sources []Count  `json:"hosts"`    // the calls of each host
	Denied  CallList `json:"denied"`   // denied calls that ran
	Unasked CallList `json:"unasked"`  // calls that needed confirmation and ran without it
	Kept    CallList `json:"replaced"` // replaced results that the model received unchanged
	Leaked  CallList `json:"secrets"`  // results with secrets that the model received
	Twice   CallList `json:"twice"`    // calls that checkrein was asked about more than once
	Unread  int      `json:"unread"`   // transcripts that could not be read completely, and may contain more calls
	Skipped []Skip   `json:"skipped"`  // files, or lines of them, that could not be read
	More    int      `json:"more,omitempty"`
}

// Failures returns how many calls or transcripts are failures, which the option --max of checkrein
// misses limits.
func (r *Report) Failures() int {
	return r.Unseen + r.Denied.Calls + r.Unasked.Calls + r.Kept.Calls + r.Unread
}

// A Count is the number of calls of a host.
type Count struct {
	Host   string `json:"host"`
	Calls  int    `json:"calls"`
	Unseen int    `json:"unseen"`
	Failed int    `json:"failed"` // what [Report.Failures] counts of the host
}

// A Miss is a group of unseen calls of one tool, session and sub-agent.
type Miss struct {
	Host     string           `json:"host"`
	Session  string           `json:"session,omitempty"`
	Agent    string           `json:"agent,omitempty"`
	Tool     string           `json:"tool"`
	Calls    int              `json:"calls"`
	First    time.Time        `json:"first"`
	Last     time.Time        `json:"last"`
	Cause    Cause            `json:"cause"`
	Why      string           `json:"why"`
	Remedies []message.Remedy `json:"remedies"`
	// Headless is set if the session did not run at a terminal.
	Headless bool `json:"headless,omitempty"`

	root  string
	found finding
}

// A CallList counts calls of one kind, and lists the first of them.
type CallList struct {
	Calls int    `json:"calls"`
	First []Call `json:"first,omitempty"`
}

const maxFirst = 20 // calls of a kind that are listed

// addCall counts c, and lists it if there is room.
func (k *CallList) addCall(c Call) {
	if k.Calls++; len(k.First) < maxFirst {
		k.First = append(k.First, c)
	}
}

// A Call identifies a call without its contents.
type Call struct {
	Host    string    `json:"host"`
	Session string    `json:"session,omitempty"`
	Agent   string    `json:"agent,omitempty"`
	ID      string    `json:"id,omitempty"`
	Tool    string    `json:"tool"`
	At      time.Time `json:"at"`
	Record  uint64    `json:"record,omitempty"` // the sequence number of its record
	Rules   []string  `json:"rules,omitempty"`  // rules of the secrets
}

// newCall returns the identity of c.
func newCall(c *transcript.Call) Call {
	return Call{Host: c.Host, Session: c.Session, Agent: c.Agent, ID: c.ID, Tool: c.Tool, At: c.At}
}

// A Skip is a file that was not read, or not completely.
type Skip struct {
	Path  string `json:"path"`
	Lines int    `json:"lines,omitempty"` // number of skipped lines; 0 means the whole file
	Why   string `json:"why"`
	Calls bool   `json:"calls"` // the unread part may contain calls
}

const maxSkipped = 100

// Run compares the transcripts in o with the ledger.
func Run(ctx context.Context, l Ledger, o Options) (*Report, error) {
	j := newJoin(ctx, l, o)
	defer j.window.stop()
	defer j.scan.stop()
	var total, done int64
	for i := range o.Files {
		total += o.Files[i].Size
	}
	for i := range o.Files {
		f := &o.Files[i]
		if err := j.readFile(f); err != nil {
			return nil, err
		}
		if done += f.Size; o.Progress != nil {
			o.Progress(done, total)
		}
	}
	j.window.stop() // it uses the ledger too
	if err := j.findCauses(); err != nil {
		return nil, err
	}
	return j.report, nil
}

// readFile reads one transcript and judges its calls.
func (j *join) readFile(f *transcript.File) error {
	if f.UnchangedSince(j.o.Since) {
		return nil // nothing was added in the period
	}
	rep, err := f.Read(transcript.Options{Digest: j.keyedDigest, Text: j.addText}, j.addCall)
	if err == nil {
		err = j.settleAll()
	}
	j.pending, j.order = map[string]*pending{}, nil
	if j.failed != nil || j.ctx.Err() != nil {
		return errors.Join(j.failed, j.ctx.Err())
	}
	if g := f.Gap(rep, err, j.o.Now); g != nil {
		j.addSkip(f.Host, Skip{Path: f.Path, Lines: g.Lines, Why: g.Why, Calls: g.Calls})
	}
	return nil
}

// addSkip adds s, a part of a transcript of host, to the report, or counts it if there are too many.
func (j *join) addSkip(host string, s Skip) {
	if s.Calls {
		j.report.Unread++
		j.countOf(host).Failed++
	}
	if len(j.report.Skipped) < maxSkipped {
		j.report.Skipped = append(j.report.Skipped, s)
	} else {
		j.report.More++
	}
}
