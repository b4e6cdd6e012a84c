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

// A Ledger is where records come from.
type Ledger struct {
	// Each calls fn with the lines that a filter accepts until fn returns false.
	Each func(ctx context.Context, f index.Filter, fn func(raw []byte) bool) error
	// Count is how many there are.
	Count func(ctx context.Context, f index.Filter) (int, error)
	// Digests is the key of the digests in records, nil if it is not known.
	Digests *[32]byte
	// Markers is the key of the markers that replace secrets, nil if it is not known.
	Markers *placeholder.Key
}

// A Host is what is known of a host on this machine now.
type Host struct {
	Name, Title string
	Installed   bool
	ProjectOnly bool      // it is installed in the project, and not for all of the person's
	Narrow      bool      // its settings do not send us all events
	Since       time.Time // when it was installed last; zero = unknown
	Off         string    // why the host skips our hooks, "" if it does not
	// Blind is the option with which editors start it and it asks about no tool; "" =
	// there is none.
	Blind string
}

// Options say what to look at.
type Options struct {
	Files []transcript.File
	Since time.Time // calls before are left out
	Now   time.Time
	Hosts []Host
	// Progress is told from time to time how many bytes of how many are read.
	Progress func(done, total int64)
}

// A Report is what the two sides say of each other.
type Report struct {
	Since time.Time `json:"since"`
	Calls int       `json:"calls"` // since then
	Seen  int       `json:"seen"`
	// Unseen are the calls that ran and that checkrein did not hear of before.
	Unseen  int     `json:"unseen"`
	Misses  []Miss  `json:"misses"`   // those, in groups
	Refused int     `json:"refused"`  // by the host or somebody else's hook before ours: they did not run
	Open    int     `json:"open"`     // without a result: nothing shows that they ran
	Sources []Count `json:"hosts"`    // the calls of each host
	Denied  Kinds   `json:"denied"`   // that ran all the same
	Unasked Kinds   `json:"unasked"`  // calls that a person was to be asked about, and nobody was
	Kept    Kinds   `json:"replaced"` // results that the model was given as they were
	Leaked  Kinds   `json:"secrets"`  // results with secrets in them that the model was given
	Twice   Kinds   `json:"twice"`    // calls that checkrein was asked about more than once
	Unread  int     `json:"unread"`   // transcripts of which not all could be read, so that calls may be unseen
	Skipped []Skip  `json:"skipped"`  // files, or lines of them, that could not be read
	More    int     `json:"more,omitempty"`
}

// Failures is how much went past checkrein: what --max bounds.
func (r *Report) Failures() int {
	return r.Unseen + r.Denied.Calls + r.Unasked.Calls + r.Kept.Calls + r.Unread
}

// A Count is how many calls of a host there are.
type Count struct {
	Host   string `json:"host"`
	Calls  int    `json:"calls"`
	Unseen int    `json:"unseen"`
}

// A Miss is a group of unseen calls: of one tool, session and sub-agent.
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
	// Headless is set if no person sat at a terminal.
	Headless bool `json:"headless,omitempty"`

	root  string
	found finding
}

// Kinds is how many calls there are of a kind, with the first of them.
type Kinds struct {
	Calls int    `json:"calls"`
	First []Call `json:"first,omitempty"`
}

const maxFirst = 20 // calls of a kind that are named

func (k *Kinds) add(c Call) {
	if k.Calls++; len(k.First) < maxFirst {
		k.First = append(k.First, c)
	}
}

// A Call names a call, and tells nothing of what it said.
type Call struct {
	Host    string    `json:"host"`
	Session string    `json:"session,omitempty"`
	Agent   string    `json:"agent,omitempty"`
	ID      string    `json:"id,omitempty"`
	Tool    string    `json:"tool"`
	At      time.Time `json:"at"`
	Record  uint64    `json:"record,omitempty"` // its number in the ledger
	Rules   []string  `json:"rules,omitempty"`  // of the secrets
}

func named(c *transcript.Call) Call {
	return Call{Host: c.Host, Session: c.Session, Agent: c.Agent, ID: c.ID, Tool: c.Tool, At: c.At}
}

// A Skip is a file that was not read, or not all of it.
type Skip struct {
	Path  string `json:"path"`
	Lines int    `json:"lines,omitempty"` // that were left out; 0 = all
	Why   string `json:"why"`
	Calls bool   `json:"calls"` // there may be calls in what was not read
}

const maxSkipped = 100

// Run reads the transcripts and joins them with the ledger.
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
		if err := j.file(f); err != nil {
			return nil, err
		}
		if done += f.Size; o.Progress != nil {
			o.Progress(done, total)
		}
	}
	j.window.stop() // it asks the ledger, too
	if err := j.causes(); err != nil {
		return nil, err
	}
	return j.report, nil
}

// file reads one transcript.
func (j *join) file(f *transcript.File) error {
	if f.UnchangedSince(j.o.Since) {
		return nil // nothing was added since
	}
	rep, err := f.Read(transcript.Options{Digest: j.sum, Text: j.text}, j.call)
	if err == nil {
		err = j.settleAll()
	}
	j.pending, j.order = map[string]*pending{}, nil
	if j.failed != nil || j.ctx.Err() != nil {
		return errors.Join(j.failed, j.ctx.Err())
	}
	if g := f.Gap(rep, err, j.o.Now); g != nil {
		j.skip(Skip{Path: f.Path, Lines: g.Lines, Why: g.Why, Calls: g.Calls})
	}
	return nil
}

func (j *join) skip(s Skip) {
	if s.Calls {
		j.report.Unread++
	}
	if len(j.report.Skipped) < maxSkipped {
		j.report.Skipped = append(j.report.Skipped, s)
	} else {
		j.report.More++
	}
}
