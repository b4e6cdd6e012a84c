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

// maxBody limits the size of a request; agents send a few hundred kilobytes.
const maxBody = 64 << 20

// A Server is a scripted model. It is safe for concurrent use, even while agents use it.
type Server struct {
	addr string
	http *http.Server
	done chan struct{} // closed when http has ended

	mu       sync.Mutex
	script   Script
	next     int                       // the index of the next turn
	turnOf   map[[sha256.Size]byte]int // the turn that each conversation got
	tries    map[[sha256.Size]byte]int // how many times each conversation was sent
	record   Record
	problems []string
}

// Start starts a server on a free loopback port.
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
		_ = s.http.Serve(ln) // returns http.ErrServerClosed
	}()
	return s, nil
}

// URL returns the address of the server, without a path.
func (s *Server) URL() string { return "http://" + s.addr }

// Close stops the server and closes its connections.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	return err
}

// Play replaces the script and clears the record.
func (s *Server) Play(script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script, s.next, s.record, s.problems = script, 0, nil, nil
	s.turnOf, s.tries = map[[sha256.Size]byte]int{}, map[[sha256.Size]byte]int{}
}

// Record returns the requests since the script started.
func (s *Server) Record() Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.record)
}

// Problems returns the reasons why the script could not be played as written: tools that the agent
// does not offer, and requests that could not be read.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// ServeHTTP answers a request of an agent.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if target, is := s.outsideTarget(r); is {
		s.blockOutside(w, r, target)
		return
	}
	if r.Method == http.MethodConnect {
		s.tunnel(w)
		return
	}
	q := Request{Method: r.Method, Path: r.URL.Path, Key: apiKey(r.Header), Agent: r.UserAgent(), Turn: -1}
	var err error
	if q.Body, err = readBody(w, r); err != nil {
		s.addProblem("%s %s: %v", r.Method, r.URL.Path, err)
		writeJSON(w, http.StatusBadRequest, errorBody(http.StatusBadRequest, err.Error()))
		return
	}
	p, wire := protocolOf(r)
	if wire == nil {
		s.recordRequest(q)
		answerOther(w, r)
		return
	}
	q.Protocol = p
	if err := wire.read(&q); err != nil {
		s.addProblem("%s request: %v", p, err)
		s.recordRequest(q)
		writeJSON(w, http.StatusBadRequest, errorBody(http.StatusBadRequest, err.Error()))
		return
	}
	q.Side = isSide(q.Tools)
	q, script := s.recordRequest(q)
	turn := script.sideTurn()
	if !q.Side {
		turn = script.turnFor(q.Turn, q)
	}
	if turn.Status != 0 {
		writeJSON(w, turn.Status, errorBody(turn.Status, turn.Text))
		return
	}
	if n := turn.Fault.Times; n > 0 && q.Try > n {
		turn.Fault = Fault{}
	}
	if answerWithHTTPError(w, wire, q, turn.Fault) {
		return
	}
	if out := newStream(w, r, turn.Fault.Kind); !out.failAtStart(turn) {
		wire.write(out, q, s.composeReply(q, turn))
	}
}

// isSide reports whether a request that offers these tools is not part of the conversation: it offers
// none, or one that only takes the session's title.
func isSide(tools []Tool) bool {
	return len(tools) == 0 || len(tools) == 1 && tools[0].Name == "session_title"
}

// recordRequest numbers a request, assigns its turn and records it. It returns the completed request
// and the script.
func (s *Server) recordRequest(q Request) (Request, Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q.N = len(s.record) + 1
	key := fingerprint(q)
	if q.Protocol != "" {
		s.tries[key]++
		q.Try = s.tries[key]
	}
	if len(q.Tools) > 0 && !q.Side {
		turn, again := s.turnOf[key]
		if !again {
			turn = s.next
			s.turnOf[key] = turn
			s.next++
		}
		q.Turn = turn
	}
	s.record = append(s.record, q)
	return q, s.script
}

// fingerprint returns a digest that identifies a conversation. It ignores what an agent may change in
// a retry, such as request IDs, limits and streaming.
func fingerprint(q Request) [sha256.Size]byte {
	b, err := json.Marshal(q.Messages)
	if err != nil { // cannot happen: only strings and booleans
		b = q.Body
	}
	return sha256.Sum256(b)
}

func (s *Server) addProblem(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// A reply is a turn with the agent's own names of tools and arguments.
type reply struct {
	id    string
	model string
	text  string
	calls []nativeCall
	usage Usage
	fault FaultKind
}

// hasRefusal reports whether the model declines with a reason.
func (r reply) hasRefusal() bool { return r.fault == Refusal && r.text != "" }

// composeReply translates a turn into a reply. It leaves out a call for which the agent offers no tool
// and reports the problem, also in the text of the reply, so that the agent's output shows it.
func (s *Server) composeReply(q Request, t Turn) reply {
	r := reply{id: fmt.Sprintf("mock%d", q.N), model: q.Model, text: t.Text, usage: t.Usage, fault: t.Fault.Kind}
	if r.usage == (Usage{}) {
		r.usage = Usage{Input: 1, Output: 1}
	}
	for i, c := range t.Calls {
		p, err := toNative(c, q.Tools)
		if err != nil {
			s.addProblem("turn %d: %v", q.Turn, err)
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
		r.calls[last].half = r.fault.interruptsAnswer() || r.fault == Length
	case r.fault.interruptsAnswer():
		r.text = firstHalf(r.text)
	}
	return r
}

// apiKey returns the API key in a request's headers, or "" if there is none.
func apiKey(h http.Header) string {
	for _, name := range []string{"X-Api-Key", "X-Goog-Api-Key"} {
		if v := h.Get(name); v != "" {
			return v
		}
	}
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}

// callID returns the ID of a call, by which its result is found. It consists of letters and digits,
// because some agents drop other characters.
func callID(turn, call int) string { return fmt.Sprintf("call%dn%d", turn, call) }

// readBody returns the body of a request, decompressed.
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
		return nil, errors.New("the content encoding " + enc + " is not supported")
	}
	return io.ReadAll(src)
}

// A wire implements one protocol.
type wire interface {
	// read fills Model, Stream, Tools, Messages and Schema from Path and Body.
	read(q *Request) error
	write(w stream, q Request, r reply)
	// failureOf returns the HTTP error for a fault with isHTTPError, and failureBody its body.
	failureOf(k FaultKind) failure
	failureBody(e failure) obj
	// answersFault reports whether the provider reports the fault in an answer with status 200.
	answersFault(k FaultKind, stream bool) bool
}

// protocolOf returns the protocol of a request, or "" and nil if it is not for the model. It depends
// only on the end of the path, because agents add prefixes.
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

// answerOther answers requests that are not for the model: agents list models, count tokens and send
// statistics.
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
