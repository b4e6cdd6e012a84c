// Package page serves the pages that people open in a browser with checkrein open. They only show: what
// approves a call or saves a policy needs a proof of a person, and other changes are commands that a
// page offers to copy.
package page

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/desk/approvals"
	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// Options holds what pages show, and where it comes from.
type Options struct {
	Ledger string          // the directory of the ledger
	Desk   *approvals.Desk // which saves policies
	Home   string          // the home directory, which is shown as ~
	Now    func() time.Time
	Feed   *feed.Feed // of that ledger
	// Run runs a command of checkrein that only reads, and returns the JSON that it printed.
	Run func(ctx context.Context, args ...string) ([]byte, error)
}

// A Page is the handler of the pages. A request for anything but its assets needs a session, which
// begins with a link of NewLink.
type Page struct {
	opts     Options
	mux      *http.ServeMux
	screens  map[string]*template.Template
	sessions sessions
	answers  cache
	counted  struct {
		mu    sync.Mutex
		at    time.Time
		stats *stats
	}
}

//go:embed assets templates
var files embed.FS

// New returns the handler of the pages.
func New(o Options) *Page {
	p := &Page{opts: o, mux: http.NewServeMux(), sessions: sessions{now: o.Now}}
	p.screens = parseTemplates(&p.opts)
	assets, _ := fs.Sub(files, "assets") // the folder is embedded
	p.mux.Handle("GET /assets/", http.StripPrefix("/assets/", withoutListing(http.FileServerFS(assets))))
	p.mux.HandleFunc("POST /login", p.login)
	p.mux.Handle("POST /policy/try", p.withSession(p.tryPolicy))
	p.mux.Handle("POST /policy/challenge", p.withSession(p.challengePolicy))
	p.mux.Handle("POST /policy/save", p.withSession(p.savePolicy))
	p.mux.Handle("POST /logout", p.withSession(p.logout))
	p.mux.Handle("POST /seen", p.withSession(p.markSeen))
	p.mux.Handle("POST /theme", p.withSession(setTheme))
	p.mux.Handle("GET /live", p.withSession(p.showLive))
	for path, show := range p.views() {
		p.mux.Handle("GET "+path, p.withSession(func(w http.ResponseWriter, r *http.Request) {
			s, err := show(r)
			p.render(w, r, &s, err)
		}))
	}
	return p
}

// headers are set on every response. With them, a page loads nothing from elsewhere and runs no script
// that is written into it, and no other page can frame it.
var headers = [...][2]string{
	{"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
	{"Referrer-Policy", "no-referrer"},
	{"Cache-Control", "no-store"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
}

// maxForm is the maximum size of the body of a request in bytes.
const maxForm = 3*approvals.MaxPolicy + 16<<10 // a form may have three bytes for one

// ServeHTTP answers r. Only GET and HEAD requests may come from elsewhere than a page of this server.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, h := range headers {
		w.Header().Set(h[0], h[1])
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if !isSameOrigin(r) {
			http.Error(w, "the request does not come from a page of this server", http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	}
	p.mux.ServeHTTP(w, r)
}

// isSameOrigin reports whether a page of this server sent r.
func isSameOrigin(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return r.Header.Get("Origin") == "http://"+r.Host && (site == "" || site == "same-origin")
}

// withoutListing answers requests for directories, which h would list, with 404.
func withoutListing(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "" || strings.HasSuffix(r.URL.Path, "/") {
			http.NotFound(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// A view returns what to show for a request.
type view func(r *http.Request) (screen, error)

// views returns the view of each path.
func (p *Page) views() map[string]view {
	return map[string]view{
		"/{$}":    p.showNow,
		"/rows":   p.showRows,
		"/needs":  p.showNeeds,
		"/r/{id}": p.showRecord,
		"/search": p.showSearch,

		"/approvals":       p.showWaiting,
		"/approvals/cards": p.showCards,
		"/hooks":           p.showHooks,
		"/hooks/approvals": p.showApprovals,
		"/agents":          p.showAgents,
		"/policy":          p.showPolicy,
		"/policy/analysis": p.showAnalysis,
		"/policy/edit":     p.showEdit,
		"/policy/{pack}":   p.showPack,
		"/undo":            p.showUndo,
		"/cost":            p.showCost,

		"/": func(*http.Request) (screen, error) { return screen{}, errNotFound },
	}
}

// errNotFound means that the address names nothing.
var errNotFound = errors.New("there is nothing at this address")

// A screen is a page, or a part of one, to be shown.
type screen struct {
	Name   string // of its template
	Title  string
	Data   any
	Part   bool // without the frame of a page
	Status int  // of the response; 0 means 200

	CSRF  string // "" means that the browser is not signed in
	Theme string
	Query string // the text of the search field
}

// render writes s, or err in its place.
func (p *Page) render(w http.ResponseWriter, r *http.Request, s *screen, err error) {
	if err != nil {
		*s = screen{Name: "error", Title: "Not shown", Data: err.Error(), Part: r.Header.Get("HX-Request") != ""}
		switch {
		case s.Part: // the browser shows only what arrives with status 200
		case errors.Is(err, errNotFound):
			s.Status = http.StatusNotFound
		default:
			s.Status = http.StatusBadGateway
		}
	}
	if one := sessionOf(r); one != nil {
		s.CSRF = one.csrf
	}
	if c, err := r.Cookie(themeCookie); err == nil && slices.Contains(themes, c.Value) {
		s.Theme = c.Value
	}
	s.Query = r.URL.Query().Get("q")
	frame := "page"
	if s.Part {
		frame = "main"
	}
	var b bytes.Buffer
	if err := p.screens[s.Name].ExecuteTemplate(&b, frame, s); err != nil {
		http.Error(w, "a bug in checkrein: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if s.Status != 0 {
		w.WriteHeader(s.Status)
	}
	_, _ = io.WriteString(w, visible.EscapeText(b.String())) // the browser may be gone
}

// themeCookie is the name of the cookie with the theme.
const themeCookie = "checkrein_theme"

// themes lists the themes that a person can choose. Without a choice, the browser's preference
// applies.
var themes = []string{"light", "dark"}

// setTheme sets the theme of the browser. An unknown one removes the choice.
func setTheme(w http.ResponseWriter, r *http.Request) {
	name, age := r.PostFormValue("theme"), 365*24*time.Hour
	if !slices.Contains(themes, name) {
		name, age = "", -time.Second
	}
	setCookie(w, themeCookie, name, age)
	w.WriteHeader(http.StatusNoContent)
}
