// Package frame has what the pages of checkrein's programs share: the frame around each page, its assets,
// the rows of calls, and plots.
package frame

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/visible"
)

//go:embed assets templates
var files embed.FS

// Options describe the pages of a program.
type Options struct {
	// Templates has the program's templates in the folder templates, a screen each: main is the content of
	// a page. What parts.html defines is for all screens, and takes the place of templates of this package.
	Templates fs.FS
	Pages     []Navigation
	Scripts   []string         // addresses of scripts beside those of this package
	Functions template.FuncMap // for the templates, beside those of this package
	Home      string           // the home directory, which is shown as ~
	Now       func() time.Time
}

// A Navigation is a page that every page links to. After g, the key opens the page.
type Navigation struct{ Title, Path, Key string }

// A Frame renders the pages of a program.
type Frame struct{ screens map[string]*template.Template }

// New returns the frame of pages that o describes.
func New(o Options) *Frame {
	common := template.Must(template.New("").Funcs(functions(&o)).Funcs(o.Functions).ParseFS(files, "templates/page.html", "templates/parts.html"))
	if _, err := fs.Stat(o.Templates, "templates/parts.html"); err == nil {
		template.Must(common.ParseFS(o.Templates, "templates/parts.html"))
	}
	f := &Frame{screens: map[string]*template.Template{}}
	for _, from := range []fs.FS{files, o.Templates} {
		names, _ := fs.Glob(from, "templates/*.html") // the pattern is valid
		for _, file := range names {
			if name := strings.TrimSuffix(path.Base(file), ".html"); name != "page" && name != "parts" {
				f.screens[name] = template.Must(template.Must(common.Clone()).ParseFS(from, file))
			}
		}
	}
	return f
}

// Execute writes the template name of a screen with data.
func (f *Frame) Execute(w io.Writer, screen, name string, data any) error {
	return f.screens[screen].ExecuteTemplate(w, name, data)
}

// Assets returns the handler of the files below /assets/.
func Assets() http.Handler {
	h := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") { // h would list the directory
			http.NotFound(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
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

// Guard sets the headers of pages, and reports whether r may be served: only GET and HEAD requests may
// come from elsewhere than a page of the server at origin, and other bodies have at most limit bytes.
func Guard(w http.ResponseWriter, r *http.Request, origin string, limit int64) bool {
	for _, h := range headers {
		w.Header().Set(h[0], h[1])
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	site := r.Header.Get("Sec-Fetch-Site")
	if r.Header.Get("Origin") == origin && (site == "" || site == "same-origin") {
		return true
	}
	http.Error(w, "the request does not come from a page of this server", http.StatusForbidden)
	return false
}

// ErrNotFound means that the address names nothing.
var ErrNotFound = errors.New("there is nothing at this address")

// A Screen is a page, or a part of one, to be shown.
type Screen struct {
	Name   string // of its template
	Title  string
	Data   any
	Part   bool // without the frame of a page
	Status int  // of the response; 0 means 200

	Projects []string // from which a person can choose, if the screen depends on the project
	Project  string   // the directory of the one that is shown

	CSRF   string // "" means that the browser is not signed in
	Person any    // who is signed in, if the program has several people
	Theme  string
	Query  string // the text of the search field
}

// Render writes s, or err in its place.
func (f *Frame) Render(w http.ResponseWriter, r *http.Request, s *Screen, err error) {
	if err != nil {
		*s = Screen{Name: "error", Title: "Not shown", Data: err.Error(), Part: r.Header.Get("HX-Request") != "", CSRF: s.CSRF, Person: s.Person, Project: s.Project}
		switch {
		case s.Part: // the browser shows only what arrives with status 200
		case errors.Is(err, ErrNotFound):
			s.Status = http.StatusNotFound
		default:
			s.Status = http.StatusBadGateway
		}
	}
	if c, err := r.Cookie(themeCookie); err == nil && slices.Contains(themes, c.Value) {
		s.Theme = c.Value
	}
	s.Query = r.URL.Query().Get("q")
	name := "page"
	if s.Part {
		name = "main"
	}
	var b bytes.Buffer
	if err := f.Execute(&b, s.Name, name, s); err != nil {
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

// SetTheme sets the theme of the browser. An unknown one removes the choice.
func SetTheme(w http.ResponseWriter, r *http.Request) {
	name, age := r.PostFormValue("theme"), 365*24*time.Hour
	if !slices.Contains(themes, name) {
		name, age = "", -time.Second
	}
	http.SetCookie(w, &http.Cookie{Name: themeCookie, Value: name, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(age.Seconds())})
	w.WriteHeader(http.StatusNoContent)
}
