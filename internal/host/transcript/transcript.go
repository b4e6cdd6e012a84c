package transcript

import (
	"fmt"
	"io"
	"time"
)

// An Outcome is the result of a call according to a transcript.
type Outcome uint8

// The outcomes.
const (
	Unknown Outcome = iota // not written, or the call is still open
	Ran
	Failed  // it ran, or began to, and ended with an error
	Refused // by the host or the user: it did not run
	Denied  // by a hook: it did not run
)

var outcomes = [...]string{"unknown", "ran", "failed", "refused", "denied"}

// String returns the name of the outcome.
func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return "unknown"
}

// A Call is a tool call.
type Call struct {
	Host    string
	ID      string // "" if the host writes none
	Session string // as the host's hooks get it
	Root    string // the main session, where sub-agents have sessions of their own
	Agent   string // the sub-agent that made the call; "" = the main agent
	Tool    string // as the host's hooks get it
	// Digest is the [Digest] of the arguments; zero if none are written.
	Digest [32]byte
	// OptionDigest is the result of Options.Digest, with which Arguments is set too.
	OptionDigest string
	Arguments    []Argument
	// Command and Path are what [Subject] returns.
	Command, Path string
	At            time.Time // when the model requested it
	Done          time.Time // when its result was written; zero = no result
	Outcome       Outcome
	Exited        bool // the result has the exit status of a program, so it did run
	// Headless is set if the transcript shows that no user was at a terminal.
	Headless bool
	// Unasked is set if the transcript shows that the host's own rules let it run without asking the
	// user.
	Unasked bool
	// Orphan is set if only a result was read, not the call itself.
	Orphan bool
	// Undated is set if the transcript has no usable time of the call: none, one before the first
	// agents, or one after the file's last change. At is then the time of an earlier line, or of the
	// file.
	Undated bool

	slot     string // its key in Reader.Open
	reported bool   // it was reported before, with an earlier result
}

// Options ask for optional results. The zero value asks for none.
type Options struct {
	// Digest, if set, returns Call.OptionDigest for the arguments of a call, compact JSON as hooks get
	// them.
	Digest func(input []byte) string
	// Text, if set, is called with each text that the model got as the result of a call, before or
	// after the call itself is reported.
	Text func(c *Call, text string) error
}

// A Report describes what was read from a transcript.
type Report struct {
	Host          string
	Calls         int
	Lines         int   // or rows of a database
	Bytes         int64 // that were read
	Truncated     bool  // the last line is incomplete, and left for the next time
	TruncatedCall bool  // and it may be about a call
	// Skipped are the first lines that could not be read; SkippedAll counts all of them, and
	// Lost those that may be about calls.
	Skipped    []Skip
	SkippedAll int
	Lost       int
}

// A Skip is a line that was skipped.
type Skip struct {
	Line int // from 1, counted from where reading began
	Why  string
}

const maxSkips = 16

// Skip records a skipped line, or part of one, that may be about a call.
func (r *Report) Skip(line int, why string) {
	r.Lost++
	r.skipHarmless(line, why)
}

// skipHarmless records a skipped line that is not about a call.
func (r *Report) skipHarmless(line int, why string) {
	r.SkippedAll++
	if len(r.Skipped) < maxSkips {
		r.Skipped = append(r.Skipped, Skip{line, why})
	}
}

// A ForeignError reports a file that is not a transcript of the host.
type ForeignError struct {
	Host string
	Why  string
	// Harmless is set if the whole file was read and no line may be about a call.
	Harmless bool
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("this is not a transcript of %s: %s", e.Host, e.Why)
}

// Read reads a transcript to its end and calls fn for each call, once its result or the lack of one is
// known. fn must not keep the call. The error comes from fn or the reader, or is a *ForeignError;
// lines that could not be read are in the report instead. Databases need [File.Read].
func (f *Form) Read(r io.Reader, o Options, fn func(*Call) error) (Report, error) {
	return newReader(f, o, fn).read(r)
}

// newReader returns a reader of transcripts in a form.
func newReader(f *Form, o Options, fn func(*Call) error) *Reader {
	return &Reader{Form: f, Options: o, Emit: fn, Report: Report{Host: f.Host}}
}
