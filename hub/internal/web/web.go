// Package web is the hub's HTTPS server: it serves an API for machines, and an API and a page for people.
package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/hub/internal/approvals"
	"github.com/checkrein/checkrein/hub/internal/machines"
	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/hub/internal/records"
	"github.com/checkrein/checkrein/hub/internal/rollout"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// A Server serves a hub.
type Server struct {
	ID        string // the hub's
	Name      string // of the fleet, for people
	Machines  *machines.Registry
	Records   *records.Book
	People    people.Tokens
	Sessions  people.Sessions
	Provider  *people.Provider // by which people log in; nil = with tokens only
	Rollout   *rollout.Control
	Approvals *approvals.Board
	Closing   <-chan struct{} // is closed when the server is about to end
	Log       *slog.Logger
	Now       func() time.Time
}

// Handler returns the handler of all routes.
func (s *Server) Handler() http.Handler {
	s.Records.Added = s.notice
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+protocol.PathJoin, s.join)
	mux.Handle("POST "+protocol.PathLeave, s.machine(4<<10, s.leave))
	mux.Handle("GET "+protocol.PathRecords, s.machine(0, s.ends))
	mux.Handle("POST "+protocol.PathRecords, s.machine(protocol.MaxBatchBody, s.addRecords))
	mux.Handle("POST "+protocol.PathReport, s.machine(1<<20, s.report))
	mux.Handle("GET "+protocol.PathMe, s.person(people.Viewer, 0, s.me))
	mux.Handle("POST "+protocol.PathTokens, s.person(people.Admin, 4<<10, s.newToken))
	mux.Handle("DELETE "+protocol.PathTokens+"/{name}", s.person(people.Admin, 0, s.removePerson))
	mux.Handle("GET "+protocol.PathMachines, s.person(people.Viewer, 0, s.listMachines))
	mux.HandleFunc("GET "+protocol.PathSearch, s.search)
	mux.Handle("POST "+protocol.PathMachines+"/{id}/revoke", s.person(people.Admin, 4<<10, s.revoke))
	s.registerRollout(mux)
	s.registerApprovals(mux)
	mux.Handle("/v1/", http.NotFoundHandler())
	mux.Handle("/", newPages(s))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	return mux
}

// A call is a verified request of a machine.
type call struct {
	*http.Request
	machine string
	body    []byte
}

// machine returns the handler of requests that a machine of the fleet must have signed, with a body of
// at most limit bytes.
func (s *Server) machine(limit int64, serve func(*call) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := s.verify(w, r, limit)
		var out any
		if err == nil {
			out, err = serve(c)
		}
		s.answer(w, r, out, err)
	})
}

// verify checks that a machine of the fleet signed r, and reads its body, which has at most limit bytes.
// The signature is checked before the body is read.
func (s *Server) verify(w http.ResponseWriter, r *http.Request, limit int64) (*call, error) {
	a, err := protocol.ParseAuthorization(r)
	if err != nil {
		return nil, &protocol.Refusal{Status: http.StatusUnauthorized, Why: err.Error()}
	}
	m, ok := s.Machines.Get(a.Machine)
	if !ok {
		return nil, &protocol.Refusal{Status: http.StatusForbidden, Why: "the hub does not know this machine", Remedy: "it left the fleet, or the hub was restored from an old backup: join again"}
	}
	if err := a.Verify(r, s.ID, m.Key, s.Now()); err != nil {
		return nil, &protocol.Refusal{Status: http.StatusUnauthorized, Why: err.Error()}
	}
	if !m.IsActive() {
		return nil, &protocol.Refusal{Status: http.StatusForbidden, Why: "this machine was revoked or has left the fleet", Remedy: "ask your administrator"}
	}
	body, err := readBody(w, r, limit, a.Body)
	if err != nil {
		return nil, err
	}
	return &call{r, m.ID, body}, nil
}

// readBody reads the body of r, whose digest must be want.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, want [sha256.Size]byte) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return nil, &protocol.Refusal{Status: http.StatusRequestEntityTooLarge, Why: fmt.Sprintf("the request is longer than %d bytes", tooLong.Limit)}
	}
	if err != nil {
		return nil, &protocol.Refusal{Status: http.StatusBadRequest, Why: "the request was truncated"}
	}
	if sha256.Sum256(body) != want {
		return nil, &protocol.Refusal{Status: http.StatusUnauthorized, Why: "the body differs from the signed one"}
	}
	return body, nil
}

// answer writes out as JSON, or the refusal that err is.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, out any, err error) {
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if out == nil {
		out = struct{}{}
	}
	_ = json.NewEncoder(w).Encode(out)
}

// refuse writes err, which tells only machines and people of the fleet what failed inside.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	refusal := (*protocol.Refusal)(nil)
	if !errors.As(err, &refusal) {
		s.Log.Error("request failed", "method", r.Method, "path", r.URL.Path, "err", err)
		refusal = &protocol.Refusal{Status: http.StatusServiceUnavailable, Why: "the hub could not do this now", Remedy: "try again; its log says why"}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set(protocol.TimeHeader, strconv.FormatInt(s.Now().Unix(), 10))
	w.WriteHeader(refusal.Status)
	_ = json.NewEncoder(w).Encode(refusal)
}

// join adds a machine to the fleet.
func (s *Server) join(w http.ResponseWriter, r *http.Request) {
	out, err := s.tryJoin(w, r)
	s.answer(w, r, out, err)
}

func (s *Server) tryJoin(w http.ResponseWriter, r *http.Request) (any, error) {
	a, err := protocol.ParseAuthorization(r)
	if err != nil {
		return nil, &protocol.Refusal{Status: http.StatusUnauthorized, Why: err.Error()}
	}
	body, err := readBody(w, r, 16<<10, a.Body)
	if err != nil {
		return nil, err
	}
	var j protocol.Join
	if err := json.Unmarshal(body, &j); err != nil {
		return nil, &protocol.Refusal{Status: http.StatusBadRequest, Why: "the request is not valid: " + err.Error()}
	}
	if err := a.Verify(r, s.ID, j.Key, s.Now()); err != nil {
		return nil, &protocol.Refusal{Status: http.StatusUnauthorized, Why: err.Error()}
	}
	m, err := s.Machines.Join(r.Context(), &j, s.Now().UTC())
	if err != nil {
		return nil, err
	}
	s.Log.Info("machine joined", "machine", m.ID, "name", m.Facts.Name, "token", m.Token)
	return protocol.Joined{Hub: s.ID, Machine: m.ID, Name: s.Name}, nil
}

func (s *Server) leave(c *call) (any, error) {
	s.Log.Info("machine left", "machine", c.machine)
	return nil, s.Machines.Leave(c.Context(), c.machine, s.Now().UTC())
}

func (s *Server) ends(c *call) (any, error) {
	return s.Records.Ends(c.Context(), c.machine, c.URL.Query().Get("ledger"))
}

func (s *Server) addRecords(c *call) (any, error) {
	return s.Records.Add(c.Context(), c.machine, c.body)
}

// notice keeps what people should look at in a batch that was stored.
func (s *Server) notice(machine string, sum *records.Summary) {
	now := s.Now().UTC()
	flags := sum.Flags(now)
	if len(flags) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := s.Machines.Notice(ctx, machine, flags); err != nil {
		s.Log.Error("a flag was not stored", "machine", machine, "err", err)
	}
}

func (s *Server) report(c *call) (any, error) {
	var report protocol.Report
	if err := json.Unmarshal(c.body, &report); err != nil {
		return nil, &protocol.Refusal{Status: http.StatusBadRequest, Why: "the report is not valid: " + err.Error()}
	}
	return nil, s.Machines.Report(c.Context(), c.machine, &report, s.Now().UTC())
}
