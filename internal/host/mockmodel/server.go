package mockmodel

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// maxBody bounds what a request may carry; agents send a few hundred kilobytes.
const maxBody = 64 << 20

// A Server is a scripted model. Its methods may be called from several
// goroutines at once, also while agents talk to it.
type Server struct {
	addr string
	http *http.Server
	done chan struct{} // closed when http has ended

	mu       sync.Mutex
	script   Script
	next     int                       // the turn that comes next
	given    map[[sha256.Size]byte]int // the turns of conversations seen before
	tries    map[[sha256.Size]byte]int // how often each was sent
	record   Record
	problems []string
}

// Start starts a server on a free port of the loopback device.
func Start(script Script) (*Server, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for model requests: %w", err)
	}
	s := &Server{addr: ln.Addr().String(), done: make(chan struct{})}
	s.Play(script)
	s.http = &http.Server{Handler: s}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(ln) // always an error: that of Close
	}()
	return s, nil
}

// URL is where the server listens, without a path.
func (s *Server) URL() string { return "http://" + s.addr }

// Close ends the server and its connections.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	return err
}

// Play begins another script and forgets what arrived before.
func (s *Server) Play(script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script, s.next, s.record, s.problems = script, 0, nil, nil
	s.given, s.tries = map[[sha256.Size]byte]int{}, map[[sha256.Size]byte]int{}
}

// Record returns what has arrived since the script began.
func (s *Server) Record() Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.record)
}

// Problems returns what kept the script from being played as it is written: a
// tool that the agent does not offer, or a request that nobody could read.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// ServeHTTP answers one request of an agent.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if target, is := s.outside(r); is {
		s.refuse(w, r, target)
		return
	}
	if r.Method == http.MethodConnect {
		s.tunnel(w)
		return
	}
	q := Request{Method: r.Method, Path: r.URL.Path, Key: key(r.Header), Agent: r.UserAgent(), Turn: -1}
	var err error
	if q.Body, err = readBody(w, r); err != nil {
		s.problem("%s %s: %v", r.Method, r.URL.Path, err)
		writeJSON(w, http.StatusBadRequest, errorBody(http.StatusBadRequest, err.Error()))
		return
	}
	p, wire := protocolOf(r)
	if wire == nil {
		s.add(q)
		answerOther(w, r)
		return
	}
	q.Protocol = p
	if err := wire.read(&q); err != nil {
		s.problem("%s request: %v", p, err)
		s.add(q)
		writeJSON(w, http.StatusBadRequest, errorBody(http.StatusBadRequest, err.Error()))
		return
	}
	q.Side = len(q.Tools) == 0
	q, script := s.add(q)
	turn := script.side()
	if !q.Side {
		turn = script.turn(q.Turn, q)
	}
	if turn.Status != 0 {
		writeJSON(w, turn.Status, errorBody(turn.Status, turn.Text))
		return
	}
	if n := turn.Fault.Times; n > 0 && q.Try > n {
		turn.Fault = Fault{}
	}
	if answerFault(w, wire, q, turn.Fault) {
		return
	}
	if out := newStream(w, r, turn.Fault.Kind); !out.atStart(turn) {
		wire.write(out, q, s.compose(q, turn))
	}
}

// add numbers a request, gives it its turn and records it.
func (s *Server) add(q Request) (Request, Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q.N = len(s.record) + 1
	key := fingerprint(q)
	if q.Protocol != "" {
		s.tries[key]++
		q.Try = s.tries[key]
	}
	if len(q.Tools) > 0 {
		turn, again := s.given[key]
		if !again {
			turn = s.next
			s.given[key] = turn
			s.next++
		}
		q.Turn = turn
	}
	s.record = append(s.record, q)
	return q, s.script
}

// fingerprint distinguishes conversations. It leaves out what an agent may change
// when it tries again: ids of the request, limits, streaming.
func fingerprint(q Request) [sha256.Size]byte {
	b, err := json.Marshal(q.Messages)
	if err != nil { // strings and booleans only: cannot be
		b = q.Body
	}
	return sha256.Sum256(b)
}

func (s *Server) problem(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// A reply is a turn in the agent's own words.
type reply struct {
	id    string
	model string
	text  string
	calls []placedCall
	usage Usage
	fault FaultKind
}

// refused reports whether the model declines, and has a reason for it.
func (r reply) refused() bool { return r.fault == Refusal && r.text != "" }

// compose translates a turn. A call that the agent does not offer is left out
// and told as a problem, in the text too, so that it shows in the agent's output.
func (s *Server) compose(q Request, t Turn) reply {
	r := reply{id: fmt.Sprintf("mock%d", q.N), model: q.Model, text: t.Text, usage: t.Usage, fault: t.Fault.Kind}
	if r.usage == (Usage{}) {
		r.usage = Usage{Input: 1, Output: 1}
	}
	for i, c := range t.Calls {
		p, err := place(c, q.Tools)
		if err != nil {
			s.problem("turn %d: %v", q.Turn, err)
			r.text += fmt.Sprintf("[mock model: %v]", err)
			continue
		}
		p.id = callID(q.Turn, i)
		r.calls = append(r.calls, p)
	}
	last := len(r.calls) - 1
	switch {
	case r.fault == Empty:
		r.text, r.calls = "", nil
	case last >= 0:
		r.calls[last].half = r.fault.strikes() || r.fault == Length
	case r.fault.strikes():
		r.text = half(r.text)
	}
	return r
}

// key is what an agent sent as its key.
func key(h http.Header) string {
	for _, name := range []string{"X-Api-Key", "X-Goog-Api-Key"} {
		if v := h.Get(name); v != "" {
			return v
		}
	}
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}

// callID names a call so that its result can be found again. Letters and digits
// only: some agents drop the rest.
func callID(turn, call int) string { return fmt.Sprintf("call%dn%d", turn, call) }

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	var src io.Reader = http.MaxBytesReader(w, r.Body, maxBody)
	switch enc := r.Header.Get("Content-Encoding"); enc {
	case "", "identity":
	case "gzip":
		z, err := gzip.NewReader(src)
		if err != nil {
			return nil, fmt.Errorf("gzip body: %w", err)
		}
		src = io.LimitReader(z, maxBody)
	default:
		return nil, errors.New("body is encoded as " + enc)
	}
	return io.ReadAll(src)
}

// A wire reads requests and writes replies of one protocol.
type wire interface {
	// read fills Model, Stream, Tools, Messages and Schema from Path and Body.
	read(q *Request) error
	write(w stream, q Request, r reply)
	// failure is the HTTP error of a fault that is one, and failureBody its body.
	failure(k FaultKind) failure
	failureBody(e failure) obj
	// inAnswer reports whether such a fault is told by an answer, with status 200.
	inAnswer(k FaultKind, stream bool) bool
}

// protocolOf goes by the end of the path: agents put prefixes of their own.
func protocolOf(r *http.Request) (Protocol, wire) {
	if r.Method != http.MethodPost {
		return "", nil
	}
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, "/messages"):
		return Anthropic, anthropicWire{}
	case strings.HasSuffix(path, "/responses"):
		return Responses, responsesWire{}
	case strings.HasSuffix(path, "/chat/completions"):
		return Chat, chatWire{}
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return Gemini, geminiWire{}
	}
	return "", nil
}

// answerOther answers what is no question to the model: agents look for lists
// of models, count tokens and report statistics.
func answerOther(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, "/count_tokens"):
		writeJSON(w, http.StatusOK, obj{"input_tokens": 100})
	case strings.HasSuffix(path, ":countTokens"):
		writeJSON(w, http.StatusOK, obj{"totalTokens": 100})
	case strings.HasSuffix(path, "/models"):
		writeJSON(w, http.StatusOK, obj{"object": "list", "data": []any{}, "models": []any{}})
	default:
		writeJSON(w, http.StatusOK, obj{})
	}
}
