package localhttp

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"
)

// A Stream is a response of server-sent events. Its methods are not safe for concurrent use.
type Stream struct {
	w      http.ResponseWriter
	ctl    *http.ResponseController
	ctx    context.Context
	cancel context.CancelFunc
	slots  chan struct{}
	// After is the Last-Event-ID that the client sent, or "".
	After string
}

type serverKey struct{}

// ErrStreams means that the server has no free stream.
var ErrStreams = errors.New("too many streams are open: close one, or try again in a moment")

// OpenStream begins the response to r as a stream. The number of streams is limited; writing to one
// has no time limit in total, only for each event. The caller must close the stream.
func OpenStream(w http.ResponseWriter, r *http.Request) (*Stream, error) {
	server, _ := r.Context().Value(serverKey{}).(*Server)
	if server == nil {
		return nil, errors.New("the request did not come through a Server")
	}
	select {
	case server.streams <- struct{}{}:
	default:
		return nil, ErrStreams
	}
	ctx, cancel := context.WithCancel(r.Context())
	context.AfterFunc(server.ending, cancel)
	s := &Stream{w: w, ctl: http.NewResponseController(w), ctx: ctx, cancel: cancel, slots: server.streams, After: r.Header.Get("Last-Event-ID")}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	w.WriteHeader(http.StatusOK)
	if err := s.Ping(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Context returns a context that ends when the client disconnects or the server ends.
func (s *Stream) Context() context.Context { return s.ctx }

// Send sends an event of data, which may have several lines. An empty id or name is left out.
func (s *Stream) Send(id, name string, data []byte) error {
	var b bytes.Buffer
	for _, field := range []struct{ name, value string }{{"id", id}, {"event", name}} {
		if field.value != "" {
			b.WriteString(field.name + ": " + field.value + "\n")
		}
	}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		b.WriteString("data: ")
		b.Write(bytes.TrimSuffix(line, []byte("\r")))
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return s.write(b.Bytes())
}

// Ping sends a comment, so that a lost connection is noticed.
func (s *Stream) Ping() error { return s.write([]byte(":\n\n")) }

// write sends b at once.
func (s *Stream) write(b []byte) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	_ = s.ctl.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	return s.ctl.Flush()
}

// Close ends the stream and frees its place.
func (s *Stream) Close() {
	s.cancel()
	<-s.slots
}
