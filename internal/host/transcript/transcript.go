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
	Unknown Outcome = iota // the transcript does not have it, or the call is still open
	Ran
	Failed  // it ran or began to run, and ended with an error
	Refused // the host or the user refused it, so it did not run
	Denied  // a hook denied it, so it did not run
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
	Root    string // the main session, if sub-agents have their own sessions
	Agent   string // the sub-agent that made the call; "" = the main agent
	Tool    string // as the host's hooks get it
	// Digest is the [Digest] of the arguments, or zero if the transcript has none.
	Digest [32]byte
	// OptionDigest is the result of Options.Digest. It and Arguments are set only with that option.
	OptionDigest string
	Arguments    []Argument
	// Command and Path are what [Subject] returns.
	Command, Path string
	At            time.Time // when the model requested the call
	Done          time.Time // when its result was written; zero = no result
	Outcome       Outcome
	Exited        bool // set if the result has the exit status of a program, so the call ran
	// Headless is set if the transcript shows that the session had no user at a terminal.
	Headless bool
	// Unasked is set if the transcript shows that the host's own rules allowed the call without asking
	// the user.
	Unasked bool
	// Orphan is set if only a result was read, not the call itself.
	Orphan bool
	// Undated is set if the transcript has no usable time of the call: none, one before the first
	// agents, one after the file's last change, or one out of order. At may then be the time of an
	// earlier line or of the file.
	Undated bool

	slot     string // its key in Reader.Open
	reported bool   // it was already reported with an earlier result
}

// Options select optional results. The zero value selects none.
type Options struct {
	// Digest, if set, computes Call.OptionDigest from the arguments of a call, which are compact JSON as
	// hooks get them.
	Digest func(input []byte) string
	// Text, if set, is called with each text in the result of a call, before or after the call itself is
	// reported.
	Text func(c *Call, text string) error
}

// A Report describes what was read from a transcript.
type Report struct {
	Host          string
	Calls         int
	Lines         int   // the number of lines, or of rows of a database
	Bytes         int64 // the number of bytes that were read
	Truncated     bool  // the last line is incomplete and was not read
	TruncatedCall bool  // that line may be about a call
	// Skipped are the first lines that could not be read; SkippedAll counts all of them, and
	// Lost those that may be about calls.
	Skipped    []Skip
	SkippedAll int
	Lost       int
}

// A Skip describes a line that was skipped.
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

// A ForeignError means that a file is not a transcript of the host.
type ForeignError struct {
	Host string
	Why  string
	// Harmless is set if the whole file was read and no line may be about a call.
	Harmless bool
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("this is not a transcript of %s: %s", e.Host, e.Why)
}

// Read reads a transcript to its end and calls fn with each call as soon as its result is known or
// known to be missing. fn must not keep the call. The error comes from fn or from r, or is a
// *ForeignError; the report lists lines that could not be read. Transcripts that are databases need
// [File.Read].
func (f *Form) Read(r io.Reader, o Options, fn func(*Call) error) (Report, error) {
	return newReader(f, o, fn).readAll(r)
}

// newReader returns a reader for one transcript that passes calls to fn.
func newReader(f *Form, o Options, fn func(*Call) error) *Reader {
	return &Reader{Form: f, Options: o, Emit: fn, Report: Report{Host: f.Host}}
}
