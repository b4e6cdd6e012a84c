// Package page serves the pages that people open in a browser with checkrein open. They only show: what
// approves a call or saves a policy needs a proof of a person, and other changes are commands that a
// page offers to copy.
package page

import (
	"context"
	"embed"
	"html/template"
	"net/http"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/desk/approvals"
	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/desk/frame"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

// Options holds what pages show, and where it comes from.
type Options struct {
	Ledger string          // the directory of the ledger
	Desk   *approvals.Desk // which saves policies
	Home   string          // the home directory, which is shown as ~
	Dir    string          // the project that is shown unless a person chooses another
	Now    func() time.Time
	Feed   *feed.Feed // of that ledger
	// Run runs a command of checkrein that only reads, in a directory, and returns the JSON that it printed.
	Run func(ctx context.Context, dir string, args ...string) ([]byte, error)
}

// A Page is the handler of the pages. A request for anything but its assets needs a session, which
// begins with a link of NewLink.
type Page struct {
	opts     Options
	mux      *http.ServeMux
	frame    *frame.Frame
	sessions sessions
	answers  cache
	counted  struct {
		mu    sync.Mutex
		at    time.Time
		stats *stats
	}
}

//go:embed templates
var files embed.FS

// New returns the handler of the pages.
func New(o Options) *Page {
	p := &Page{opts: o, mux: http.NewServeMux(), sessions: sessions{now: o.Now}}
	p.frame = frame.New(frame.Options{Templates: files, Pages: pages, Scripts: []string{"/approve/answer.js"}, Home: o.Home, Now: o.Now, Functions: template.FuncMap{
		"commandWith": approval.CommandWith,
		"rule":        func(s *stats, name string) *ruleStat { return s.Rules[name] },
		"answerTo":    func(decision string) string { return feed.AnswerOf(&record.Record{Decision: decision}) },
	}})
	p.mux.Handle("GET /assets/", frame.Assets())
	p.mux.HandleFunc("POST /login", p.login)
	p.mux.Handle("POST /policy/try", p.withSession(p.tryPolicy))
	p.mux.Handle("POST /policy/challenge", p.withSession(p.challengePolicy))
	p.mux.Handle("POST /policy/save", p.withSession(p.savePolicy))
	p.mux.Handle("POST /seen", p.withSession(p.markSeen))
	p.mux.Handle("POST /project", p.withSession(p.chooseProject))
	p.mux.Handle("POST /theme", p.withSession(frame.SetTheme))
	p.mux.Handle("GET /live", p.withSession(p.showLive))
	for path, show := range p.views() {
		p.mux.Handle("GET "+path, p.withSession(func(w http.ResponseWriter, r *http.Request) {
			s, err := show(r)
			p.render(w, r, &s, err)
		}))
	}
	return p
}

// maxForm is the maximum size of the body of a request in bytes.
const maxForm = 1 << 20

// ServeHTTP answers r. Only GET and HEAD requests may come from elsewhere than a page of this server.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if frame.Guard(w, r, "http://"+r.Host, maxForm) {
		p.mux.ServeHTTP(w, r)
	}
}

// pages lists the pages in the order of the navigation.
var pages = []frame.Navigation{
	{Title: "Now", Path: "/", Key: "n"},
	{Title: "Approvals", Path: "/approvals", Key: "w"},
	{Title: "Search", Path: "/search", Key: "s"},
	{Title: "Agents", Path: "/agents", Key: "a"},
	{Title: "Hooks", Path: "/hooks", Key: "h"},
	{Title: "Policy", Path: "/policy", Key: "p"},
	{Title: "Undo and walls", Path: "/undo", Key: "u"},
	{Title: "Cost", Path: "/cost", Key: "c"},
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

		"/": func(*http.Request) (screen, error) { return screen{}, frame.ErrNotFound },
	}
}

// A screen is a page, or a part of one, to be shown.
type screen = frame.Screen

// render writes s, or err in its place.
func (p *Page) render(w http.ResponseWriter, r *http.Request, s *screen, err error) {
	if one := sessionOf(r.Context()); one != nil {
		s.CSRF, s.Project = one.csrf, p.project(r.Context())
	}
	p.frame.Render(w, r, s, err)
}
