package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/checkrein/checkrein/hub/internal/approvals"
	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// registerApprovals adds the routes of approvals to mux.
func (s *Server) registerApprovals(mux *http.ServeMux) {
	mux.Handle("POST "+protocol.PathPending, s.machine(protocol.MaxPendingBody, s.reportPending))
	mux.Handle("GET "+protocol.PathApprovals, s.person(people.Viewer, 0, s.listApprovals))
	mux.Handle("POST "+protocol.PathApprovals+"/{id}", s.person(people.Approver, 16<<10, s.answerApproval))
}

// reportPending takes over what waits on a machine.
func (s *Server) reportPending(c *call) (any, error) {
	var p protocol.Pending
	if err := json.Unmarshal(c.body, &p); err != nil {
		return nil, &protocol.Refusal{Status: http.StatusBadRequest, Why: "the request is not valid: " + err.Error()}
	}
	m, _ := s.Machines.Get(c.machine)
	return nil, s.Approvals.Report(c.Context(), c.machine, m.Facts.Name, &p, s.Now().UTC())
}

func (s *Server) listApprovals(*act) (any, error) { return s.Approvals.List(s.Now()), nil }

func (s *Server) answerApproval(a *act) (any, error) {
	var in protocol.NewAnswer
	if err := a.decode(&in); err != nil {
		return nil, err
	}
	return s.giveAnswer(a.Context(), a.PathValue("id"), in, a.person)
}

// giveAnswer answers the approval id as a person.
func (s *Server) giveAnswer(ctx context.Context, id string, in protocol.NewAnswer, by people.Person) (protocol.Approval, error) {
	out, err := s.Approvals.Answer(ctx, id, in, by, s.Now().UTC())
	if err == nil {
		s.Log.Info("approval answered", "approval", out.ID, "machine", out.Machine, "user", out.User, "decision", in.Decision, "by", by.Name)
	}
	return out, err
}

// answersFor returns the events with the answers that machine has not been sent over this connection. sent
// has the times of those that it was sent.
func (s *Server) answersFor(ctx context.Context, machine string, sent map[string]time.Time) (string, error) {
	var out strings.Builder
	if m, _ := s.Machines.Get(machine); !m.IsActive() {
		return "", errors.New("the machine was revoked or has left the fleet")
	}
	for _, e := range s.Approvals.AnswersFor(machine) {
		if sent[e.ID].Equal(e.Given.At) {
			continue
		}
		signed, err := s.sign(ctx, &e)
		if err != nil {
			return "", err
		}
		sent[e.ID] = e.Given.At
		if signed == nil {
			continue
		}
		data, err := json.Marshal(signed)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "event: answer\ndata: %s\n\n", data)
	}
	return out.String(), nil
}

// sign returns the answer of e for its machine, or nil if its approver may no longer answer.
func (s *Server) sign(ctx context.Context, e *approvals.Entry) (*protocol.SignedAnswer, error) {
	p, err := s.People.Get(ctx, e.Approver, s.Now())
	if err != nil && !errors.Is(err, people.ErrUnknown) {
		return nil, err
	}
	if err != nil || !p.Role.Includes(people.Approver) {
		return nil, s.Approvals.Close(ctx, e.Machine+"."+e.ID, e.Given.By+" may no longer answer", s.Now().UTC())
	}
	g := e.Given
	return s.Rollout.SignAnswer(e.ID, e.User, &protocol.Answer{Machine: e.Machine, Handle: e.Call.Handle, NewAnswer: g.NewAnswer, By: g.By, At: g.At, Expires: e.Call.Expires})
}
