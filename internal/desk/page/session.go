package page

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	linkLife    = 2 * time.Minute // how long a link can begin a session
	sessionLife = 12 * time.Hour
	maxLinks    = 16 // links that can begin a session at a time
	maxSessions = 32
)

// sessionCookie is the name of the cookie with the secret of a session.
const sessionCookie = "checkrein_session"

// A digest is the digest of a secret, of which nothing else is kept.
type digest [sha256.Size]byte

// A session is the right of one browser to read. It ends when the server does.
type session struct {
	csrf    string // must accompany requests that change something
	project string // the directory of the project that it shows; "" means that of the server
	expires time.Time
}

// sessions holds the links and sessions of a server. It is safe for concurrent use.
type sessions struct {
	now func() time.Time

	mu     sync.Mutex
	links  map[digest]link
	opened map[digest]*session
}

// A link can begin a session that shows a project.
type link struct {
	project string
	expires time.Time
}

// newSecret returns a random secret and its digest.
func newSecret() (string, digest) {
	text := rand.Text()
	return text, sha256.Sum256([]byte(text))
}

// NewLink returns the path of a page with a secret in its fragment, which no browser sends to a
// server. The first page that posts the secret within two minutes begins a session, which shows the
// project with the given directory.
func (p *Page) NewLink(project string) (string, error) {
	s := &p.sessions
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeExpired()
	if len(s.links) >= maxLinks {
		return "", errors.New("too many links are open: use one of them, or try again in two minutes")
	}
	text, sum := newSecret()
	if s.links == nil {
		s.links, s.opened = map[digest]link{}, map[digest]*session{}
	}
	s.links[sum] = link{project, s.now().Add(linkLife)}
	return "/#" + text, nil
}

// removeExpired removes the links and sessions that have expired.
func (s *sessions) removeExpired() {
	now := s.now()
	for sum, one := range s.links {
		if !now.Before(one.expires) {
			delete(s.links, sum)
		}
	}
	for sum, one := range s.opened {
		if !now.Before(one.expires) {
			delete(s.opened, sum)
		}
	}
}

// begin begins a session with the secret of a link, and returns the secret of the session. If own is the
// secret of a session, that one goes on with the project of the link, since other tabs use it. It
// reports false if no link has that secret.
func (s *sessions) begin(secret, own string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeExpired()
	sum := digest(sha256.Sum256([]byte(secret)))
	use, ok := s.links[sum]
	if !ok {
		return "", false
	}
	delete(s.links, sum)
	expires, has := s.now().Add(sessionLife), digest(sha256.Sum256([]byte(own)))
	if one := s.opened[has]; one != nil {
		s.opened[has] = &session{one.csrf, use.project, expires}
		return own, true
	}
	for len(s.opened) >= maxSessions {
		delete(s.opened, s.oldest())
	}
	text, sum := newSecret()
	s.opened[sum] = &session{rand.Text(), use.project, expires}
	return text, true
}

// oldest returns the digest of the session that expires first.
func (s *sessions) oldest() (first digest) {
	var at time.Time
	for sum, one := range s.opened {
		if at.IsZero() || one.expires.Before(at) {
			first, at = sum, one.expires
		}
	}
	return first
}

// find returns the session with this secret, or nil.
func (s *sessions) find(secret string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeExpired()
	return s.opened[sha256.Sum256([]byte(secret))]
}

// show has the session with this secret show a project.
func (s *sessions) show(secret, project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := digest(sha256.Sum256([]byte(secret)))
	if one := s.opened[own]; one != nil {
		s.opened[own] = &session{one.csrf, project, one.expires}
	}
}

// setCookie sets a cookie that only this server gets, and no script.
func setCookie(w http.ResponseWriter, name, value string, age time.Duration) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(age.Seconds())})
}

// login begins a session with the secret of a link.
func (p *Page) login(w http.ResponseWriter, r *http.Request) {
	secret, ok := p.sessions.begin(r.PostFormValue("secret"), sessionSecret(r))
	if !ok {
		http.Error(w, "the link was used or has expired: run checkrein open for another one", http.StatusForbidden)
		return
	}
	setCookie(w, sessionCookie, secret, sessionLife)
	w.WriteHeader(http.StatusNoContent)
}

type sessionKey struct{}

// sessionOf returns the session of a request with the context ctx, or nil.
func sessionOf(ctx context.Context) *session {
	one, _ := ctx.Value(sessionKey{}).(*session)
	return one
}

// sessionSecret returns the secret of a session that r has, or "".
func sessionSecret(r *http.Request) string {
	c, err := r.Cookie(sessionCookie)
	if err != nil {
		return ""
	}
	return c.Value
}

// withSession calls do for requests of a session. Requests that change something must have its CSRF
// token. Others get a page that says how to begin a session.
func (p *Page) withSession(do http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := p.sessions.find(sessionSecret(r))
		switch {
		case one == nil && r.Header.Get("Sec-Fetch-Mode") == "navigate": // the page of a link signs in
			p.render(w, r, &screen{Name: "signin", Title: "Sign in"}, nil)
		case one == nil:
			p.render(w, r, &screen{Name: "signin", Title: "Sign in", Status: http.StatusUnauthorized}, nil)
		case r.Method == http.MethodPost && subtle.ConstantTimeCompare([]byte(r.Header.Get("X-Csrf")), []byte(one.csrf)) != 1:
			http.Error(w, "the request does not come from a page of this session", http.StatusForbidden)
		default: // what a page that is left open streams ends with the session
			ctx, stop := context.WithTimeout(context.WithValue(r.Context(), sessionKey{}, one), one.expires.Sub(p.opts.Now()))
			defer stop()
			do(w, r.WithContext(ctx))
		}
	})
}

// seenCookie is the name of the cookie with the time up to which the person has seen what happened, in
// milliseconds.
const seenCookie = "checkrein_seen"

// seenUntil returns the time up to which the person has seen what happened.
func seenUntil(r *http.Request) time.Time {
	c, err := r.Cookie(seenCookie)
	if err != nil {
		return time.Time{}
	}
	ms, _ := strconv.ParseInt(c.Value, 10, 64)
	return time.UnixMilli(ms)
}

// markSeen notes in the browser that the person has seen what happened up to a time.
func (p *Page) markSeen(w http.ResponseWriter, r *http.Request) {
	ms, err := strconv.ParseInt(r.PostFormValue("until"), 10, 64)
	if err != nil || ms > p.opts.Now().UnixMilli() {
		http.Error(w, "until is not a time that has passed", http.StatusBadRequest)
		return
	}
	setCookie(w, seenCookie, strconv.FormatInt(max(ms, seenUntil(r).UnixMilli()), 10), 365*24*time.Hour)
	w.Header().Set("HX-Redirect", "/")
	w.WriteHeader(http.StatusNoContent)
}
