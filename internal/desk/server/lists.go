package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
)

// A HookList is the answer to requests for hooks.
type HookList struct {
	On    bool   `json:"on"` // the master switch
	Root  string `json:"root"`
	Hooks []Hook `json:"hooks"`
}

// A Hook is a hook that counts in a project.
type Hook struct {
	ID       string `json:"id"`
	Event    string `json:"event"`
	Match    string `json:"match,omitempty"`
	Type     string `json:"type,omitempty"`
	Dialect  string `json:"dialect,omitempty"`
	Scope    string `json:"scope"`
	From     string `json:"from,omitempty"` // file and line; none: on by default
	Approval string `json:"approval"`       // not needed, approved, not approved, changed or refused
	Shadow   bool   `json:"shadow,omitempty"`
	Off      string `json:"off,omitempty"`    // why it is switched off
	Broken   string `json:"broken,omitempty"` // why it cannot run
	Why      string `json:"why,omitempty"`    // why it may not run
}

var approvalWords = [...]string{engine.Unapproved: "not approved", engine.Approved: "approved", engine.Changed: "changed", engine.Refused: "refused"}

// listHooks answers with the hooks of a project.
func (s *Server) listHooks(_ context.Context, r *localhttp.Request) localhttp.Answer {
	k, refused := s.kitFor(r)
	if refused != nil {
		return *refused
	}
	list := HookList{On: k.IsOn(), Root: k.Root(), Hooks: []Hook{}}
	hooks := k.Hooks()
	for i := range hooks {
		h := &hooks[i]
		one := Hook{ID: h.Label(), Event: h.On.String(), Match: h.Match, Type: h.Run, Dialect: h.Dialect, Scope: h.From.Scope.String(), Approval: "not needed", Shadow: k.IsInShadow(h), Off: h.Off, Broken: h.Broken}
		if h.Event != "" {
			one.Event = h.Event
		}
		if h.From.File != "" {
			one.From = h.From.String()
		}
		if k.NeedsApproval(h) {
			is, why := k.Approval(h)
			one.Approval, one.Why = approvalWords[is], why.What
		}
		if one.Off == "" && k.IsDisabled(h) {
			one.Off = "a person switched it off"
		}
		list.Hooks = append(list.Hooks, one)
	}
	return jsonAnswer(http.StatusOK, list)
}

// A GrantList is the answer to requests for grants.
type GrantList struct {
	Grants []grant.Grant   `json:"grants"`
	Files  []app.FileGrant `json:"files"` // grants in the files of the user and the administrator
}

// listGrants answers with the grants in force, and those that were used up during the last day.
func (s *Server) listGrants(_ context.Context, r *localhttp.Request) localhttp.Answer {
	k, refused := s.kitFor(r)
	if refused != nil {
		return *refused
	}
	grants, err := k.Grants().List()
	if err != nil {
		return unavailable(err)
	}
	return jsonAnswer(http.StatusOK, GrantList{append([]grant.Grant{}, grants...), append([]app.FileGrant{}, k.FileGrants()...)})
}

// A Health is the answer of a server that can judge events.
type Health struct {
	Status string `json:"status"` // ok
}

// showHealth answers whether the server can judge events.
func (s *Server) showHealth(context.Context, *localhttp.Request) localhttp.Answer {
	if _, err := s.policies.get(place{dir: s.opts.Dir}); err != nil {
		return localhttp.ErrorAnswer(http.StatusServiceUnavailable, "events cannot be judged", "run checkrein doctor")
	}
	return jsonAnswer(http.StatusOK, Health{"ok"})
}

// kitFor returns the kit for the project that r names, or a refusal.
func (s *Server) kitFor(r *localhttp.Request) (*app.Kit, *localhttp.Answer) {
	dir := s.opts.Dir
	if named := r.Query.Get("dir"); named != "" {
		if dir = named; !filepath.IsAbs(dir) {
			a := localhttp.ErrorAnswer(http.StatusBadRequest, fmt.Sprintf("the directory %q is not an absolute path", dir), "send dir as an absolute path, or leave it out")
			return nil, &a
		}
	}
	k, err := s.policies.get(place{dir: dir})
	if err != nil {
		a := unavailable(err)
		return nil, &a
	}
	return k, nil
}

func unavailable(err error) localhttp.Answer {
	return localhttp.ErrorAnswer(http.StatusServiceUnavailable, err.Error(), "run checkrein doctor")
}

// jsonAnswer returns v as the body of an answer.
func jsonAnswer(status int, v any) localhttp.Answer {
	body, err := json.Marshal(v)
	if err != nil {
		return localhttp.ErrorAnswer(http.StatusInternalServerError, err.Error(), "report this as a bug of checkrein")
	}
	return localhttp.Answer{Status: status, Body: body}
}
