package transcript

import (
	"fmt"
	"io"
	"time"
)

// An Outcome is what a transcript says that came of a call.
type Outcome uint8

// The outcomes.
const (
	Unknown Outcome = iota // nothing is said, or the call is still open
	Ran
	Failed  // it ran, or began to, and ended with an error
	Refused // by the host or the person: it did not run
	Denied  // by a hook: it did not run
)

var outcomes = [...]string{"unknown", "ran", "failed", "refused", "denied"}

// String names the outcome.
func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return "unknown"
}

// A Call is one call of a tool.
type Call struct {
	Host    string
	ID      string // "" where the host writes none
	Session string // as hooks of the host hear it
	Root    string // the session that it belongs to, where sub-agents are sessions
	Agent   string // the sub-agent that made the call; "" is the session's own
	Tool    string // as hooks of the host hear it
	// Digest is of the arguments, see Digest; zero where none are written.
	Digest [32]byte
	// Sum is what Options.Sum made of the arguments, which are listed then, too.
	Sum       string
	Arguments []Argument
	// Command and Path are what the call is about, see Subject.
	Command, Path string
	At            time.Time // when the model asked for it
	Done          time.Time // when its result was written; zero for none
	Outcome       Outcome
	Exited        bool // it tells the exit status of a program, so it did run
	// Headless is set if no person sat at a terminal, as far as the host writes that down.
	Headless bool
	// Unasked is set if the host's own rules let it run, and nobody was asked, as far as
	// the host writes that down.
	Unasked bool
	// Orphan is set if there is a result and no call in what was read.
	Orphan bool
	// Undated is set if the transcript has no usable time of the call: none, one before
	// there were agents, or one after the file was changed last. At is that of what was
	// before it in the file then, or the file's.
	Undated bool

	slot   string // where it waits for its result
	second bool   // it was reported before
}

// Options say what else a reader is to do. The zero value works.
type Options struct {
	// Sum, if set, is given the arguments of each call, compact JSON as hooks hear
	// them, and returns what Call.Sum is to be.
	Sum func(input []byte) string
	// Text, if set, is given each text that the model was given as the result of a
	// call, before or after the call itself is reported.
	Text func(c *Call, text string) error
}

// A Report is what was read of a transcript.
type Report struct {
	Host  string
	Calls int
	Lines int   // or rows, of a database
	Bytes int64 // that were read
	Cut   bool  // the last line is not whole: it is left for the next time
	Torn  bool  // and it may be about a call
	// Skipped are the first lines that could not be read, SkippedAll counts them, and
	// Lost those of them that may be about calls.
	Skipped    []Skip
	SkippedAll int
	Lost       int
}

// A Skip is a line that was left out.
type Skip struct {
	Line int // from 1, counted from where reading began
	Why  string
}

const maxSkips = 16

// Skip names a line that was left out, or a part of it that may be about a call.
func (r *Report) Skip(line int, why string) {
	r.Lost++
	r.pass(line, why)
}

// pass names a line that was left out and that is about no call.
func (r *Report) pass(line int, why string) {
	r.SkippedAll++
	if len(r.Skipped) < maxSkips {
		r.Skipped = append(r.Skipped, Skip{line, why})
	}
}

// A ForeignError records that a file is not what it was taken for.
type ForeignError struct {
	Host string
	Why  string
	// Harmless is set if it is whole, and nothing in it may be about a call.
	Harmless bool
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("this is not a transcript of %s: %s", e.Host, e.Why)
}

// Read reads a transcript to its end and reports each call to f, once its result
// is known or it is known that there is none. The call is f's only until f
// returns. An error is f's, the reader's or a *ForeignError; what could not be
// read of a transcript is in the report instead. Databases are not read this way:
// see File.Read.
func (f *Form) Read(r io.Reader, o Options, fn func(*Call) error) (Report, error) {
	return newReader(f, o, fn).read(r)
}

// newReader returns what reads transcripts of a form.
func newReader(f *Form, o Options, fn func(*Call) error) *Reader {
	return &Reader{Form: f, Options: o, Emit: fn, Report: Report{Host: f.Host}}
}
