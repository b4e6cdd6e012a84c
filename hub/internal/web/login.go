package web

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/internal/desk/frame"
)

// Names of cookies, which browsers take from this server only, by HTTPS.
const (
	sessionCookie = "__Host-checkrein-session" // the secret of a session
	loginCookie   = "__Host-checkrein-login"   // the secret of a login by a provider, and where it goes then
)

// loginLife is how long a login by a provider may take.
const loginLife = 10 * time.Minute

// setCookie sets a cookie that no script can read. A negative age removes it. A page of the provider
// leads to the one that needs the cookie of a login, so the browser sends it along.
func setCookie(w http.ResponseWriter, name, value string, age time.Duration) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode, MaxAge: int(age.Seconds())})
}

// localPath returns the address of a page of this server, or "/" if to is none.
func localPath(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\t\r\n") {
		return "/"
	}
	return to
}

// A login is the data of the page on which people log in.
type login struct {
	To       string // the address to which they want
	Provider bool
	Why      string // why they did not get in
}

// showLogin shows the page on which people log in.
func (p *pages) showLogin(w http.ResponseWriter, r *http.Request, to string, status int, why string) {
	p.frame.Render(w, r, &frame.Screen{Name: "login", Title: "Log in", Status: status, Data: login{localPath(to), p.Provider != nil, why}}, nil)
}

// loginWithToken begins a session with a person's token.
func (p *pages) loginWithToken(w http.ResponseWriter, r *http.Request) {
	to := localPath(r.PostFormValue("to"))
	secret, who, err := p.Sessions.BeginWithToken(r.Context(), strings.TrimSpace(r.PostFormValue("token")), p.Now())
	if errors.Is(err, people.ErrUnknown) {
		p.showLogin(w, r, to, http.StatusForbidden, err.Error())
		return
	}
	p.enter(w, r, secret, who.Name, who.Role, to, err)
}

// enter lets the browser of r have the session that began, and go to a page.
func (p *pages) enter(w http.ResponseWriter, r *http.Request, secret, name string, role people.Role, to string, err error) {
	if err != nil {
		p.Log.Error("a session could not begin", "err", err)
		p.showLogin(w, r, to, http.StatusServiceUnavailable, "the hub could not do this now; its log says why")
		return
	}
	p.Log.Info("logged in", "name", name, "role", role)
	setCookie(w, sessionCookie, secret, people.SessionLife)
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// loginAtProvider leads the browser to the provider.
func (p *pages) loginAtProvider(w http.ResponseWriter, r *http.Request) {
	to := localPath(r.FormValue("to"))
	address, secret, err := p.Provider.Begin(r.Context())
	if err != nil {
		p.Log.Error("a login could not begin", "err", err)
		p.showLogin(w, r, to, http.StatusBadGateway, "the OpenID provider does not answer; the hub's log says why")
		return
	}
	setCookie(w, loginCookie, secret+"."+url.QueryEscape(to), loginLife)
	http.Redirect(w, r, address, http.StatusSeeOther)
}

// returnFromProvider begins a session of the person for whom the provider answered.
func (p *pages) returnFromProvider(w http.ResponseWriter, r *http.Request) {
	var secret, to string
	if c, err := r.Cookie(loginCookie); err == nil {
		secret, to, _ = strings.Cut(c.Value, ".")
	}
	to, _ = url.QueryUnescape(to)
	setCookie(w, loginCookie, "", -time.Second)
	who, err := p.Provider.End(r.Context(), secret, r.URL.Query())
	var session string
	if err == nil {
		session, err = p.Sessions.BeginWithLogin(r.Context(), who, p.Now())
	}
	if err != nil {
		p.Log.Warn("a login was refused", "err", err)
		p.showLogin(w, r, to, http.StatusForbidden, err.Error())
		return
	}
	p.enter(w, r, session, who.Name, who.Role, localPath(to), nil)
}

// logout ends the session of v.
func (p *pages) logout(w http.ResponseWriter, r *http.Request, _ *people.Session) {
	c, err := r.Cookie(sessionCookie)
	if err == nil {
		err = p.Sessions.End(r.Context(), c.Value)
	}
	if err != nil {
		p.Log.Error("a session could not end", "err", err)
		http.Error(w, "the hub could not do this now", http.StatusServiceUnavailable)
		return
	}
	setCookie(w, sessionCookie, "", -time.Second)
	w.Header().Set("HX-Redirect", "/")
	w.WriteHeader(http.StatusNoContent)
}

// withSession calls do for requests of a session of someone with role. Requests that change something
// must have its CSRF token. Others get the page on which people log in.
func (p *pages) withSession(role people.Role, do func(http.ResponseWriter, *http.Request, *people.Session)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one, err := (*people.Session)(nil), people.ErrUnknown
		if c, missing := r.Cookie(sessionCookie); missing == nil {
			one, err = p.Sessions.Find(r.Context(), c.Value, p.Now())
		}
		switch {
		case errors.Is(err, people.ErrUnknown) && r.Method == http.MethodGet:
			p.showLogin(w, r, r.URL.RequestURI(), http.StatusUnauthorized, "")
		case errors.Is(err, people.ErrUnknown):
			http.Error(w, "the session has ended: log in again", http.StatusUnauthorized)
		case err != nil:
			p.Log.Error("reading a session", "err", err)
			http.Error(w, "the hub could not do this now", http.StatusServiceUnavailable)
		case r.Method != http.MethodGet && r.Method != http.MethodHead && subtle.ConstantTimeCompare([]byte(r.Header.Get("X-Csrf")), []byte(one.CSRF)) != 1:
			http.Error(w, "the request does not come from a page of this session", http.StatusForbidden)
		case !one.Role.Includes(role):
			http.Error(w, needsRole(role, &one.Person).Why, http.StatusForbidden)
		default:
			do(w, r, one)
		}
	})
}
