package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// An act is a request of a person.
type act struct {
	*http.Request
	person people.Person
	body   []byte
}

// decode decodes the body into v.
func (a *act) decode(v any) error {
	if err := json.Unmarshal(a.body, v); err != nil {
		return &protocol.Refusal{Status: http.StatusBadRequest, Why: "the request is not valid: " + err.Error()}
	}
	return nil
}

// person returns the handler of requests of people with role, with a body of at most limit bytes.
func (s *Server) person(role people.Role, limit int64, serve func(*act) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := s.find(r, role)
		if err != nil {
			s.refuse(w, r, err)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		if err != nil {
			s.refuse(w, r, &protocol.Refusal{Status: http.StatusRequestEntityTooLarge, Why: fmt.Sprintf("the request is longer than %d bytes, or was truncated", limit)})
			return
		}
		out, err := serve(&act{r, p, body})
		s.answer(w, r, out, err)
	})
}

// find returns who sent r. It returns a refusal unless the person has the role.
func (s *Server) find(r *http.Request, role people.Role) (p people.Person, err error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return p, &protocol.Refusal{Status: http.StatusUnauthorized, Why: "the request has no token", Remedy: "run checkrein fleet login"}
	}
	p, err = s.People.Find(r.Context(), token, s.Now())
	switch {
	case errors.Is(err, people.ErrUnknown):
		err = &protocol.Refusal{Status: http.StatusUnauthorized, Why: err.Error(), Remedy: "run checkrein fleet login with another one, which an administrator creates with checkrein fleet token --role ROLE --name NAME"}
	case err == nil && !p.Role.Includes(role):
		err = needsRole(role, &p)
	}
	return p, err
}

// needsRole returns the refusal for a person who lacks a role.
func needsRole(role people.Role, p *people.Person) *protocol.Refusal {
	return &protocol.Refusal{Status: http.StatusForbidden, Why: fmt.Sprintf("this needs the role %s; %s has the role %s", role, p.Name, p.Role)}
}

func (s *Server) newToken(a *act) (any, error) {
	var in protocol.NewToken
	if err := a.decode(&in); err != nil {
		return nil, err
	}
	if in.Role != "" {
		return s.newPerson(a, &in)
	}
	if in.Uses < 1 || in.For <= 0 || in.For > 90*24*time.Hour {
		return nil, &protocol.Refusal{Status: http.StatusBadRequest, Why: "a token is for one or more machines and at most 90 days"}
	}
	root, err := s.Rollout.Root(a.Context())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &protocol.Refusal{Status: http.StatusConflict, Why: "the fleet has no keys yet", Remedy: "run checkrein fleet keys first"}
	}
	if err != nil {
		return nil, err
	}
	secret, t, err := s.Machines.NewToken(a.Context(), in.Uses, s.Now().Add(in.For).UTC(), a.person.Name)
	if err != nil {
		return nil, err
	}
	s.Log.Info("token made", "token", t.ID, "uses", t.Left, "expires", t.Expires, "by", a.person.Name)
	return protocol.MadeToken{Hub: s.ID, Root: root, Secret: secret, Expires: t.Expires}, nil
}

// newPerson makes a token of a person.
func (s *Server) newPerson(a *act, in *protocol.NewToken) (any, error) {
	role, err := people.ParseRole(in.Role)
	if err == nil && (in.Name == "" || in.For <= 0 || in.For > 400*24*time.Hour) {
		err = errors.New("a person's token needs a name, and is for at most 400 days")
	}
	if err != nil {
		return nil, &protocol.Refusal{Status: http.StatusBadRequest, Why: err.Error()}
	}
	p := people.Person{Name: in.Name, Role: role, Expires: s.Now().Add(in.For).UTC()}
	secret, err := s.People.New(a.Context(), p)
	if err != nil {
		return nil, err
	}
	s.Log.Info("person's token made", "name", p.Name, "role", role, "expires", p.Expires, "by", a.person.Name)
	return protocol.MadeToken{Secret: secret, Expires: p.Expires}, nil
}

// removePerson ends all tokens and sessions of the people with a name.
func (s *Server) removePerson(a *act) (any, error) {
	n, err := s.People.Remove(a.Context(), a.PathValue("name"))
	if err == nil && n == 0 {
		return nil, &protocol.Refusal{Status: http.StatusNotFound, Why: "no person has the name " + a.PathValue("name")}
	}
	if err == nil {
		s.Log.Info("person removed", "name", a.PathValue("name"), "by", a.person.Name)
	}
	return nil, err
}

func (s *Server) listMachines(*act) (any, error) { return s.Machines.All(), nil }

func (s *Server) revoke(a *act) (any, error) {
	id := a.PathValue("id")
	err := s.Machines.Revoke(a.Context(), id, a.person.Name, s.Now().UTC())
	if err == nil {
		s.Log.Info("machine revoked", "machine", id, "by", a.person.Name)
	}
	return nil, err
}

// me returns who the person is, and the hub's public key.
func (s *Server) me(a *act) (any, error) {
	return protocol.Me{Name: a.person.Name, Role: string(a.person.Role), Hub: s.Rollout.Key()}, nil
}
