package web

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// Limits of requests about rollouts.
const (
	maxUpload = 64 << 20            // bytes of what the administrator signed
	maxFreeze = 30 * 24 * time.Hour // how long a freeze lasts at most
)

// sendFile sends a file of the repository to a machine or a person.
func (s *Server) sendFile(w http.ResponseWriter, r *http.Request) {
	_, err := s.verify(w, r, 0)
	if strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
		_, err = s.find(r, people.Viewer)
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	f, err := s.Rollout.Open(r.Context(), strings.TrimPrefix(r.URL.Path, protocol.PathFiles))
	if errors.Is(err, fs.ErrNotExist) {
		err = &protocol.Refusal{Status: http.StatusNotFound, Why: "there is no such file"}
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = io.Copy(w, f) // a file that is cut off does not verify
}

// spreadPer is how many machines react to a change in a second.
const spreadPer = 500

// sendEvents sends an event to a machine when it should look for something new or when an approver has
// answered, until one of the two ends.
func (s *Server) sendEvents(w http.ResponseWriter, r *http.Request) {
	c, err := s.verify(w, r, 0)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	alive := time.NewTicker(20 * time.Second)
	defer alive.Stop()
	sent := map[string]time.Time{}
	text := ": connected\n\n"
	for {
		changed, answered := s.Rollout.WaitChanged(), s.Approvals.WaitChanged(c.machine)
		answers, err := s.answersFor(r.Context(), c.machine, sent)
		if err != nil {
			s.Log.Error("answers could not be sent; the machine connects again", "machine", c.machine, "err", err)
			return
		}
		text += answers
		_ = out.SetWriteDeadline(time.Now().Add(time.Minute)) // the system clock decides about it
		if _, err := io.WriteString(w, text); err != nil || text != "" && out.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-s.Closing:
			return
		case <-changed:
			text = fmt.Sprintf("event: changed\ndata: %d\n\n", 1000*len(s.Machines.All())/spreadPer)
		case <-answered:
			text = ""
		case <-alive.C:
			text = ": alive\n\n"
		}
	}
}

// An upload is what the administrator sent, by name. It is a bundle.Source.
type upload map[string][]byte

func (u upload) Open(_ context.Context, name string) (io.ReadCloser, error) {
	data, ok := u[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// acceptBundles takes over what the administrator signed, an archive of tar.
func (s *Server) acceptBundles(a *act) (any, error) {
	files := upload{}
	for archive := tar.NewReader(bytes.NewReader(a.body)); ; {
		head, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			files[head.Name], err = io.ReadAll(archive)
		}
		if err != nil {
			return nil, &protocol.Refusal{Status: http.StatusBadRequest, Why: "the request is not an archive: " + err.Error()}
		}
	}
	err := s.Rollout.Accept(a.Context(), files, a.person.Name)
	if refused := (*bundle.Refusal)(nil); errors.As(err, &refused) {
		return nil, &protocol.Refusal{Status: http.StatusConflict, Why: refused.File + " was refused: " + refused.Err.Error()}
	}
	return nil, err
}

// rolloutState returns what the hub knows of its rollouts.
func (s *Server) rolloutState(a *act) (any, error) { return s.RolloutState(a.Context()) }

// RolloutState returns what the hub knows of its rollouts.
func (s *Server) RolloutState(ctx context.Context) (*protocol.RolloutState, error) {
	steps, err := s.Rollout.Steps(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.Rollout.Bundles(ctx)
	if err != nil {
		return nil, err
	}
	now, err := s.Rollout.Current(ctx)
	if err != nil {
		return nil, err
	}
	f, err := s.Rollout.Figures(ctx, s.Records, s.Machines.Get)
	if err != nil {
		return nil, err
	}
	out := &protocol.RolloutState{Steps: steps, On: map[string]int{}, Events: f.Events, Denied: f.Denied, Would: f.Would, Faults: f.Faults, Reports: f.Disputed, P99: f.Quantile(.99)}
	for i := range list {
		out.Bundles = append(out.Bundles, list[i].Target())
	}
	if now.Freeze != nil && s.Now().Before(now.Freeze.Until) {
		out.Frozen = now.Freeze.Until
	}
	for _, m := range s.Machines.All() {
		if m.IsActive() {
			out.On[cmp.Or(m.Report.Bundle, "none")]++
		}
	}
	root, targets, err := s.Rollout.Expires(ctx)
	if out.Expires = targets; root.Before(targets) {
		out.Expires = root
	}
	return out, err
}

// beginStep publishes a step of a rollout.
func (s *Server) beginStep(a *act) (any, error) {
	var step protocol.Step
	if err := a.decode(&step); err != nil {
		return nil, err
	}
	step.By, step.Back = a.person.Name, false
	out := protocol.Begun{}
	var err error
	if out.Step, err = s.Rollout.Begin(a.Context(), step); err != nil {
		return nil, err
	}
	now, err := s.Rollout.Current(a.Context())
	if err != nil {
		return nil, err
	}
	for _, m := range s.Machines.All() {
		if m.IsActive() {
			out.Active++
			if now.Chooses(m.ID) {
				out.Chosen++
			}
		}
	}
	return &out, nil
}

// freeze denies all tools on all machines.
func (s *Server) freeze(a *act) (any, error) {
	var in protocol.NewFreeze
	if err := a.decode(&in); err != nil {
		return nil, err
	}
	return nil, s.beginFreeze(a.Context(), &in, a.person.Name)
}

// beginFreeze denies all tools on all machines, as in says.
func (s *Server) beginFreeze(ctx context.Context, in *protocol.NewFreeze, by string) error {
	if in.For <= 0 || in.For > maxFreeze || in.Reason == "" {
		return &protocol.Refusal{Status: http.StatusBadRequest, Why: "a freeze needs a reason and lasts at most 30 days"}
	}
	return s.Rollout.Freeze(ctx, &bundle.Freeze{Until: s.Now().Add(in.For).UTC().Truncate(time.Second), By: by, Reason: in.Reason})
}

// thaw lifts a freeze.
func (s *Server) thaw(a *act) (any, error) {
	now, err := s.Rollout.Current(a.Context())
	if err != nil {
		return nil, err
	}
	frozen := now.Freeze != nil && s.Now().Before(now.Freeze.Until)
	return &protocol.Thawed{Lifted: frozen}, s.Rollout.Freeze(a.Context(), nil)
}

// registerRollout adds the routes of rollouts to mux.
func (s *Server) registerRollout(mux *http.ServeMux) {
	mux.HandleFunc("GET "+protocol.PathFiles, s.sendFile)
	mux.HandleFunc("GET "+protocol.PathEvents, s.sendEvents)
	mux.Handle("POST "+protocol.PathBundles, s.person(people.Admin, maxUpload, s.acceptBundles))
	mux.Handle("GET "+protocol.PathRollout, s.person(people.Viewer, 0, s.rolloutState))
	mux.Handle("POST "+protocol.PathRollout, s.person(people.Admin, 16<<10, s.beginStep))
	mux.Handle("POST "+protocol.PathFreeze, s.person(people.Approver, 16<<10, s.freeze))
	mux.Handle("DELETE "+protocol.PathFreeze, s.person(people.Approver, 0, s.thaw))
}
