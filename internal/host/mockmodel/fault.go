package mockmodel

import (
	"net/http"
	"strconv"
	"strings"
)

// A Fault is what goes wrong with a turn. The zero Fault is none.
type Fault struct {
	Kind FaultKind
	// After is the Retry-After of an HTTP error, in seconds or as a date; "" sends
	// none.
	After string
	// Times is how often a conversation meets the fault before it gets the turn as
	// it is meant; 0 is always.
	Times int
}

// A FaultKind is a way to fail. Each protocol fails in its own shape.
type FaultKind string

// The faults that are an HTTP error.
const (
	Unauthorized FaultKind = "unauthorized" // a wrong key: 401; Gemini says 400
	Forbidden    FaultKind = "forbidden"    // 403
	RateLimited  FaultKind = "rate limited" // 429
	Failing      FaultKind = "failing"      // 500
	Overloaded   FaultKind = "overloaded"   // 503; Anthropic says 529
	Overflow     FaultKind = "overflow"     // the conversation is too long: 400; a failed response in a stream of Responses
	Blocked      FaultKind = "blocked"      // the prompt may not be answered: 400; Gemini sends an answer without candidates
)

// The faults that strike an answer in the middle of the last thing that it says: its
// last call, or else its text. A turn that says nothing is struck at its start.
const (
	Cut        FaultKind = "cut"         // the connection is lost
	Ended      FaultKind = "ended"       // the stream ends, and the connection is fine
	ErrorEvent FaultKind = "error event" // the stream tells of an error
	Garbage    FaultKind = "garbage"     // bytes that mean nothing
	Silence    FaultKind = "silence"     // nothing, until the client goes or the server is closed
	Flood      FaultKind = "flood"       // text without end
)

// The faults that are an answer of its own kind.
const (
	Empty   FaultKind = "empty"   // it says nothing and stops
	Length  FaultKind = "length"  // it reached its greatest length; a call is left in half
	Refusal FaultKind = "refusal" // the model declines, with the text as the reason if there is one
)

// strikes reports whether the fault ends an answer before its end.
func (k FaultKind) strikes() bool {
	switch k {
	case Cut, Ended, ErrorEvent, Garbage, Silence, Flood:
		return true
	}
	return false
}

// atStart plays a fault that strikes before anything was said, not even a status.
func (s stream) atStart(t Turn) bool {
	if t.Text != "" || len(t.Calls) > 0 {
		return false
	}
	switch s.fault {
	case Cut:
		panic(http.ErrAbortHandler)
	case Silence:
		<-s.done
		return true
	}
	return false
}

// isHTTP reports whether the fault is an HTTP error.
func (k FaultKind) isHTTP() bool {
	switch k {
	case Unauthorized, Forbidden, RateLimited, Failing, Overloaded, Overflow, Blocked:
		return true
	}
	return false
}

// A failure is an error that a provider tells.
type failure struct {
	status  int    // of HTTP
	code    string // in the provider's words
	message string
}

// answerFault answers with an HTTP error, if the fault is one.
func answerFault(w http.ResponseWriter, wire wire, q Request, f Fault) bool {
	if !f.Kind.isHTTP() || wire.inAnswer(f.Kind, q.Stream) {
		return false
	}
	e := wire.failure(f.Kind)
	if f.Kind == Unauthorized && q.Key != "" { // the worst that a provider can do
		e.message += ": " + q.Key
	}
	if f.After != "" {
		w.Header().Set("Retry-After", f.After)
	}
	writeJSON(w, e.status, wire.failureBody(e))
	return true
}

// struck plays the fault that ends a stream before its end, if there is one. Tell
// sends an event about a failure; more sends more text, and reports whether it left.
func (s stream) struck(tell func(failure), more func(string) bool) bool {
	switch s.fault {
	case Cut:
		_ = s.rc.Flush()
		panic(http.ErrAbortHandler)
	case Ended:
	case ErrorEvent:
		tell(failure{http.StatusInternalServerError, "", "The server had an error while processing your request"})
	case Garbage:
		s.data("", []byte("\x1b[2J{{{"))
	case Silence:
		_ = s.rc.Flush()
		<-s.done
	case Flood:
		for more(flood()) {
		}
	default:
		return false
	}
	return true
}

// struckWhole plays such a fault on an answer that comes at once.
func (s stream) struckWhole(body []byte) bool {
	switch s.fault {
	case Cut, Ended:
		s.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = s.w.Write(body[:len(body)/2])
		_ = s.rc.Flush()
		panic(http.ErrAbortHandler)
	case Garbage:
		_, _ = s.w.Write([]byte("<html>\x1b[2J{{{"))
	case ErrorEvent:
		s.w.WriteHeader(http.StatusInternalServerError)
		_, _ = s.w.Write([]byte(`{"error":{"message":"the server had an error"}}`))
	case Silence:
		<-s.done
	case Flood:
		_, _ = s.w.Write([]byte(`{"flood":"`))
		for {
			if _, err := s.w.Write([]byte(flood())); err != nil {
				break
			}
		}
	default:
		return false
	}
	return true
}

// flood is a piece of a text without end.
func flood() string { return strings.Repeat("x", 1<<20) }

// half is the first half of a text.
func half(s string) string {
	runes := []rune(s)
	return string(runes[:len(runes)/2])
}
