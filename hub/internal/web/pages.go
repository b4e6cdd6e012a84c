package web

import (
	"embed"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/internal/desk/frame"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

//go:embed templates
var templates embed.FS

// pages are the pages that people open in a browser.
type pages struct {
	*Server
	mux   *http.ServeMux
	frame *frame.Frame
}

// navigation lists the pages in the order in which people see them.
var navigation = []frame.Navigation{
	{Title: "Machines", Path: "/", Key: "m"}, {Title: "Approvals", Path: "/approvals", Key: "w"}, {Title: "Rollout", Path: "/rollout", Key: "r"}, {Title: "Search", Path: "/search", Key: "s"},
}

// newPages returns the handler of the pages of s.
func newPages(s *Server) *pages {
	p := &pages{Server: s, mux: http.NewServeMux(), frame: frame.New(frame.Options{Templates: templates, Pages: navigation, Now: s.Now, Functions: template.FuncMap{
		"bundle": func(target string) string {
			return strings.TrimSuffix(strings.TrimPrefix(target, "bundles/"), ".tar.gz")
		},
		"percent": func(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) },
	}})}
	p.mux.Handle("GET /assets/", frame.Assets())
	p.mux.HandleFunc("POST /login", p.loginWithToken)
	if s.Provider != nil {
		p.mux.HandleFunc("GET /login/provider", p.loginAtProvider)
		p.mux.HandleFunc("GET /login/callback", p.returnFromProvider)
	}
	p.mux.Handle("POST /logout", p.withSession(people.Viewer, p.logout))
	p.mux.Handle("POST /theme", p.withSession(people.Viewer, func(w http.ResponseWriter, r *http.Request, _ *people.Session) { frame.SetTheme(w, r) }))
	p.mux.Handle("GET /live", p.withSession(people.Viewer, p.showLive))
	p.show("/{$}", p.showMachines)
	p.show("/machines/{id}", p.showMachine)
	p.show("/approvals", p.showApprovals)
	p.show("/approvals/cards", p.showCards)
	p.show("/rollout", p.showRollout)
	p.show("/search", p.showSearch)
	p.show("/rows", p.showRows)
	p.show("/r/{batch}/{record}", p.showRecord)
	p.show("/", func(*visit) (frame.Screen, error) { return frame.Screen{}, frame.ErrNotFound })
	p.do(people.Admin, "/machines/{id}/revoke", func(v *visit) error {
		err := p.Machines.Revoke(v.Context(), v.PathValue("id"), v.Name, p.Now().UTC())
		if err == nil {
			p.Log.Info("machine revoked", "machine", v.PathValue("id"), "by", v.Name)
		}
		return err
	})
	p.do(people.Approver, "/freeze", func(v *visit) error {
		length, _ := time.ParseDuration(v.PostFormValue("for")) // what is none is refused
		return p.beginFreeze(v.Context(), &protocol.NewFreeze{For: length, Reason: strings.TrimSpace(v.PostFormValue("reason"))}, v.Name)
	})
	p.do(people.Approver, "/thaw", func(v *visit) error { return p.Rollout.Freeze(v.Context(), nil) })
	p.do(people.Approver, "/approvals/{id}", func(v *visit) error {
		in := protocol.NewAnswer{Digest: v.PostFormValue("digest"), Decision: v.PostFormValue("decision"), Programs: v.PostFormValue("programs") != "", Words: strings.TrimSpace(v.PostFormValue("words"))}
		_, err := p.giveAnswer(v.Context(), v.PathValue("id"), in, v.Person)
		return err
	})
	return p
}

// A visit is a request of someone who is logged in.
type visit struct {
	*http.Request
	*people.Session
}

// May reports whether the person has a role.
func (v *visit) May(role people.Role) bool { return v.Role.Includes(role) }

// show serves what view returns at a path.
func (p *pages) show(path string, view func(*visit) (frame.Screen, error)) {
	p.mux.Handle("GET "+path, p.withSession(people.Viewer, func(w http.ResponseWriter, r *http.Request, one *people.Session) {
		v := &visit{r, one}
		s, err := view(v)
		if refusal := (*protocol.Refusal)(nil); err != nil && !errors.Is(err, frame.ErrNotFound) && !errors.As(err, &refusal) {
			p.Log.Error("a page failed", "path", r.URL.Path, "err", err)
			err = errors.New("the hub could not do this now; its log says why")
		}
		s.CSRF, s.Person = one.CSRF, v
		p.frame.Render(w, r, &s, err)
	}))
}

// do serves requests to a path that change something, of people with role. The page is then loaded again.
func (p *pages) do(role people.Role, path string, act func(*visit) error) {
	p.mux.Handle("POST "+path, p.withSession(role, func(w http.ResponseWriter, r *http.Request, one *people.Session) {
		err := act(&visit{r, one})
		if refusal := (*protocol.Refusal)(nil); errors.As(err, &refusal) {
			http.Error(w, refusal.Error(), refusal.Status)
			return
		}
		if err != nil {
			p.Log.Error("request failed", "path", r.URL.Path, "err", err)
			http.Error(w, "the hub could not do this now; its log says why", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("HX-Refresh", "true")
		w.WriteHeader(http.StatusNoContent)
	}))
}

// maxForm is the maximum size of the body of a request in bytes.
const maxForm = 16 << 10

// ServeHTTP answers r.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ok := frame.Guard(w, r, "https://"+r.Host, maxForm)
	w.Header().Set("Referrer-Policy", "same-origin") // else browsers do not say which page sends a form
	if ok {
		p.mux.ServeHTTP(w, r)
	}
}
