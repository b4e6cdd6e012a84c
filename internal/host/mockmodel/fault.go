package mockmodel

import (
	"net/http"
	"strconv"
	"strings"
)

// A Fault is an error of a turn. The zero Fault means no error.
type Fault struct {
	Kind FaultKind
	// After is the Retry-After header of an HTTP error, in seconds or as a date; "" = none.
	After string
	// Times is how many times a conversation gets the fault before it gets the turn without the fault; 0 = always.
	Times int
}

// A FaultKind is a way to fail. Each protocol has its own format for it.
type FaultKind string

// The faults that are HTTP errors.
const (
	Unauthorized FaultKind = "unauthorized" // a wrong key: 401; 400 from Gemini
	Forbidden    FaultKind = "forbidden"    // 403
	RateLimited  FaultKind = "rate limited" // 429
	Failing      FaultKind = "failing"      // 500
	Overloaded   FaultKind = "overloaded"   // 503; 529 from Anthropic
	Overflow     FaultKind = "overflow"     // the conversation is too long: 400; in a stream of Responses, a failed response
	Blocked      FaultKind = "blocked"      // the prompt is blocked: 400; from Gemini, an answer without candidates
)

// The faults that interrupt an answer in the middle of its last call or, without calls, of
// its text. An empty turn is interrupted at its start.
const (
	Cut        FaultKind = "cut"         // the connection is lost
	Ended      FaultKind = "ended"       // the stream ends, but the connection stays
	ErrorEvent FaultKind = "error event" // the stream sends an error
	Garbage    FaultKind = "garbage"     // meaningless bytes
	Silence    FaultKind = "silence"     // nothing is sent until the client disconnects or the server is closed
	Flood      FaultKind = "flood"       // endless text
)

// The faults that are complete answers.
const (
	Empty   FaultKind = "empty"   // no text and no calls
	Length  FaultKind = "length"  // the maximum length was reached; a call is incomplete
	Refusal FaultKind = "refusal" // the model declines; the turn's text, if any, is the reason
)

// interruptsAnswer reports whether the fault interrupts an answer in the middle.
func (k FaultKind) interruptsAnswer() bool {
	switch k {
	case Cut, Ended, ErrorEvent, Garbage, Silence, Flood:
		return true
	}
	return false
}

// failAtStart fails a request for an empty turn before the status is sent, if the fault is Cut or
// Silence. It reports whether it did.
func (s stream) failAtStart(t Turn) bool {
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

// isHTTPError reports whether the fault is an HTTP error.
func (k FaultKind) isHTTPError() bool {
	switch k {
	case Unauthorized, Forbidden, RateLimited, Failing, Overloaded, Overflow, Blocked:
		return true
	}
	return false
}

// A failure is an error of a provider.
type failure struct {
	status  int    // HTTP status
	code    string // the provider's name for it
	message string
}

// answerWithHTTPError answers with an HTTP error if the fault calls for one, and reports whether it
// did.
func answerWithHTTPError(w http.ResponseWriter, wire wire, q Request, f Fault) bool {
	if !f.Kind.isHTTPError() || wire.answersFault(f.Kind, q.Stream) {
		return false
	}
	e := wire.failureOf(f.Kind)
	if f.Kind == Unauthorized && q.Key != "" { // like a careless provider that repeats the key
		e.message += ": " + q.Key
	}
	if f.After != "" {
		w.Header().Set("Retry-After", f.After)
	}
	writeJSON(w, e.status, wire.failureBody(e))
	return true
}

// interrupt interrupts a stream if its fault calls for that, and reports whether it did. sendError
// sends an event about a failure; more sends text and reports whether it was sent.
func (s stream) interrupt(sendError func(failure), more func(string) bool) bool {
	switch s.fault {
	case Cut:
		_ = s.rc.Flush()
		panic(http.ErrAbortHandler)
	case Ended:
	case ErrorEvent:
		sendError(failure{http.StatusInternalServerError, "", "The server had an error while processing your request"})
	case Garbage:
		s.sendData("", []byte("\x1b[2J{{{"))
	case Silence:
		_ = s.rc.Flush()
		<-s.done
	case Flood:
		for more(floodText()) {
		}
	default:
		return false
	}
	return true
}

// interruptBody is interrupt for body, an answer that is not streamed.
func (s stream) interruptBody(body []byte) bool {
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
			if _, err := s.w.Write([]byte(floodText())); err != nil {
				break
			}
		}
	default:
		return false
	}
	return true
}

// floodText returns a piece of endless text.
func floodText() string { return strings.Repeat("x", 1<<20) }

// firstHalf returns the first half of the characters of s.
func firstHalf(s string) string {
	runes := []rune(s)
	return string(runes[:len(runes)/2])
}
