package web_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/hub/internal/hubtest"
	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// A site is a hub whose people log in by a provider.
type site struct {
	*hubtest.Hub
	t        *testing.T
	provider *provider
	late     time.Duration // how far the hub's clock is ahead
}

func startSite(t *testing.T) *site {
	t.Helper()
	s := &site{Hub: hubtest.Start(t), t: t}
	s.provider = startProvider(t, s.URL)
	var err error
	s.Provider, err = people.NewProvider(people.ProviderOptions{
		Issuer: s.provider.URL, Client: hubClient, ClientSecret: "secret", Hub: s.URL, Scopes: []string{"profile", "groups"},
		Claim: "groups", Roles: map[string]people.Role{"staff": people.Viewer, "security": people.Approver, "platform": people.Admin}, Now: time.Now,
	})
	hubtest.Must(t, err)
	s.Close()
	s.Open()
	s.Server.Now = func() time.Time { return time.Now().Add(s.late) }
	return s
}

// A visitor is a browser with cookies of its own.
type visitor struct {
	*site
	client http.Client
	csrf   string
}

func (s *site) visitor() *visitor {
	jar, err := cookiejar.New(nil)
	hubtest.Must(s.t, err)
	v := &visitor{site: s}
	v.client = http.Client{Transport: s.Client.Transport, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return v
}

// fetch sends a request as a page does, and returns the status, the body and where it leads.
func (v *visitor) fetch(method, address string, form url.Values, headers ...string) (int, string, string) {
	v.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = v.URL + address
	}
	req, err := http.NewRequest(method, address, strings.NewReader(form.Encode()))
	hubtest.Must(v.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", v.URL)
	req.Header.Set("X-Csrf", v.csrf)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := v.client.Do(req)
	hubtest.Must(v.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	hubtest.Must(v.t, err)
	return resp.StatusCode, string(body), resp.Header.Get("Location")
}

var csrfTag = regexp.MustCompile(`<meta name="csrf" content="(\w+)">`)

// isIn reports whether the visitor is logged in, as someone with the words on each page.
func (v *visitor) isIn(words ...string) bool {
	v.t.Helper()
	_, page, _ := v.fetch("GET", "/", nil)
	tag := csrfTag.FindStringSubmatch(page)
	if tag == nil {
		return false
	}
	v.csrf = tag[1]
	for _, word := range words {
		if !strings.Contains(page, word) {
			v.t.Errorf("the page has no %q", word)
		}
	}
	return true
}

// toProvider begins a login, lets m log in at the provider, and returns the address with which it sends m back.
func (v *visitor) toProvider(m member) string {
	v.t.Helper()
	v.provider.add(m)
	_, _, there := v.fetch("GET", "/login/provider?to=/rollout", nil)
	u, err := url.Parse(there)
	hubtest.Must(v.t, err)
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if len(u.Query().Get(name)) < 40 {
			v.t.Fatalf("the address has no %s: %s", name, there)
		}
	}
	_, _, form := v.fetch("GET", there, nil)
	status, text, done := v.fetch("POST", v.provider.URL+form, url.Values{"username": {m.name}, "password": {password}})
	if status != http.StatusFound {
		v.t.Fatalf("the provider answers %d: %s", status, text)
	}
	status, text, back := v.fetch("GET", done, nil)
	if status != http.StatusFound || !strings.HasPrefix(back, v.URL+"/login/callback?") {
		v.t.Fatalf("the provider answers %d: %s", status, text)
	}
	return back
}

func TestLoginByProvider(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	for _, tt := range []struct {
		groups []string
		role   string
	}{{[]string{"staff"}, "viewer"}, {[]string{"staff", "security", "other"}, "approver"}, {[]string{"platform", "staff"}, "admin"}, {[]string{"other"}, ""}, {nil, ""}} {
		v := s.visitor()
		status, text, to := v.fetch("GET", v.toProvider(member{"anna", tt.groups}), nil)
		if in := v.isIn("anna", tt.role); in != (tt.role != "") || in != (status == http.StatusSeeOther && to == "/rollout") {
			t.Errorf("%v: status %d, to %q, in: %v: %s", tt.groups, status, to, in, text)
		}
	}
}

// TestGroupsInToken has a provider put a person's groups into the token.
func TestGroupsInToken(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	v := s.visitor()
	back := v.toProvider(member{"anna", nil})
	s.provider.setForgery(&forgery{claims: map[string]any{"groups": []string{"security"}}})
	v.fetch("GET", back, nil)
	if !v.isIn("anna", "approver") {
		t.Error("the visitor is not in")
	}
}

// TestRoleIsTakenAway has a person log in again with other groups.
func TestRoleIsTakenAway(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	old := s.visitor()
	login := func(groups ...string) {
		v := s.visitor()
		v.fetch("GET", v.toProvider(member{"anna", groups}), nil)
	}
	old.fetch("GET", old.toProvider(member{"anna", []string{"platform"}}), nil)
	if !old.isIn("anna", "admin") {
		t.Fatal("the visitor is not in")
	}
	if login("staff"); !old.isIn("anna", "viewer") {
		t.Error("the older session has ended")
	}
	if login("other"); old.isIn() {
		t.Error("the older session goes on")
	}
	// Nothing that is public about a person is a token.
	req := request(t, s.Hub, "GET", "/v1/me", nil)
	req.Header.Set("Authorization", "Bearer "+s.provider.URL+"\tid-anna")
	if status, _ := send(t, s.Hub, req); status != http.StatusUnauthorized {
		t.Errorf("status %d", status)
	}
}

func TestForgedLogins(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	for _, tt := range []struct {
		name  string
		forge *forgery
		back  func(v *visitor, back *url.URL, q url.Values)
	}{
		{name: "another audience", forge: &forgery{claims: map[string]any{"aud": "other"}}},
		{name: "several audiences, for another one", forge: &forgery{claims: map[string]any{"aud": []string{hubClient, "other"}, "azp": "other"}}},
		{name: "another issuer", forge: &forgery{claims: map[string]any{"iss": "https://id.example.org"}}},
		{name: "expired", forge: &forgery{claims: map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}}},
		{name: "another nonce", forge: &forgery{claims: map[string]any{"nonce": "x"}}},
		{name: "no nonce", forge: &forgery{claims: map[string]any{"nonce": nil}}},
		{name: "another subject than the provider's answer about the person", forge: &forgery{claims: map[string]any{"sub": "id-mallory"}}},
		{name: "another key", forge: &forgery{otherKey: true}},
		{name: "another state", back: func(_ *visitor, _ *url.URL, q url.Values) { q.Set("state", strings.Repeat("x", 43)) }},
		{name: "no state", back: func(_ *visitor, _ *url.URL, q url.Values) { q.Del("state") }},
		{name: "another code", back: func(_ *visitor, _ *url.URL, q url.Values) { q.Set("code", "x") }},
		{name: "another browser", back: func(v *visitor, _ *url.URL, _ url.Values) { v.client.Jar = s.visitor().client.Jar }},
		{name: "the code of another browser's login", back: func(_ *visitor, _ *url.URL, q url.Values) {
			other, _ := url.Parse(s.visitor().toProvider(member{"mallory", []string{"platform"}}))
			q.Set("code", other.Query().Get("code"))
		}},
		{name: "the provider refused", back: func(_ *visitor, _ *url.URL, q url.Values) { q.Set("error", "access_denied") }},
	} {
		v := s.visitor()
		back, err := url.Parse(v.toProvider(member{"anna", []string{"platform"}}))
		hubtest.Must(t, err)
		if tt.back != nil {
			q := back.Query()
			tt.back(v, back, q)
			back.RawQuery = q.Encode()
		}
		s.provider.setForgery(tt.forge)
		status, text, _ := v.fetch("GET", back.String(), nil)
		s.provider.setForgery(nil)
		if status != http.StatusForbidden || v.isIn() {
			t.Errorf("%s: status %d: %s", tt.name, status, text)
		}
	}
}

func TestLoginCountsOnce(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	v := s.visitor()
	back := v.toProvider(member{"anna", []string{"staff"}})
	hub, err := url.Parse(s.URL)
	hubtest.Must(t, err)
	cookies := v.client.Jar.Cookies(hub)
	if status, _, _ := v.fetch("GET", back, nil); status != http.StatusSeeOther {
		t.Fatalf("status %d", status)
	}
	if status, _, _ := v.fetch("GET", back, nil); status != http.StatusForbidden {
		t.Errorf("the same address again: status %d", status)
	}
	thief := s.visitor()
	thief.client.Jar.SetCookies(hub, cookies) // also the secret of the login
	if status, _, _ := thief.fetch("GET", back, nil); status != http.StatusForbidden || thief.isIn() {
		t.Errorf("with the login's cookie: status %d", status)
	}
	// A provider that accepts a code again, or repeats a token, changes nothing.
	ctx := context.Background()
	one := &people.Login{ID: "one", Subject: "anna", Name: "anna", Role: people.Viewer}
	if _, err := s.Server.Sessions.BeginWithLogin(ctx, one, time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Server.Sessions.BeginWithLogin(ctx, one, time.Now()); err != people.ErrUsed {
		t.Errorf("the error is %v", err)
	}
}

// loginWithToken logs in with a new token of someone with role.
func (v *visitor) loginWithToken(role people.Role, expires time.Time) (token string) {
	v.t.Helper()
	token, err := v.Server.People.New(context.Background(), people.Person{Name: "bob", Role: role, Expires: expires})
	hubtest.Must(v.t, err)
	if status, text, to := v.fetch("POST", "/login", url.Values{"token": {token}, "to": {"//evil.example"}}); status != http.StatusSeeOther || to != "/" {
		v.t.Fatalf("status %d, to %q: %s", status, to, text)
	}
	return token
}

func TestSessions(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	v := s.visitor()
	if status, _, _ := v.fetch("POST", "/login", url.Values{"token": {"crh_forged"}}); status != http.StatusForbidden || v.isIn() {
		t.Errorf("a forged token: status %d", status)
	}
	token := v.loginWithToken(people.Viewer, time.Time{})
	if !v.isIn("bob", "viewer") {
		t.Fatal("the visitor is not in")
	}
	if _, page, _ := v.fetch("GET", "/", nil); strings.Contains(page, token) {
		t.Error("the page has the token")
	}
	hub, _ := url.Parse(s.URL)
	secret := v.client.Jar.Cookies(hub)[0].Value
	keys, err := s.Store.Sessions.Keys(context.Background())
	hubtest.Must(t, err)
	for _, key := range keys {
		entry, err := s.Store.Sessions.Get(context.Background(), key)
		hubtest.Must(t, err)
		if text := key + string(entry.Value()); strings.Contains(text, secret) || strings.Contains(text, token) {
			t.Errorf("the store has a secret: %s", text)
		}
	}
	for _, tt := range []struct {
		name    string
		headers []string
	}{
		{"from elsewhere", []string{"Origin", "https://evil.example"}}, {"from a page without a name", []string{"Origin", "null"}}, {"without origin", []string{"Origin", ""}},
		{"from another site", []string{"Sec-Fetch-Site", "cross-site"}}, {"without the session's token", []string{"X-Csrf", ""}}, {"with another token", []string{"X-Csrf", "x"}},
	} {
		if status, _, _ := v.fetch("POST", "/logout", nil, tt.headers...); status != http.StatusForbidden || !v.isIn() {
			t.Errorf("%s: status %d", tt.name, status)
		}
	}
	if status, _, _ := v.fetch("POST", "/login", url.Values{"token": {token}}, "Origin", "https://evil.example"); status != http.StatusForbidden {
		t.Errorf("a login from elsewhere: status %d", status)
	}
	// The session is no token, and a token no session.
	req := request(t, s.Hub, "GET", "/v1/me", nil)
	req.Header.Set("Authorization", "Bearer "+secret)
	if status, _ := send(t, s.Hub, req); status != http.StatusUnauthorized {
		t.Errorf("the session as a token: status %d", status)
	}
	// Logging out ends the session also for who copied the cookie.
	copied := s.visitor()
	copied.client.Jar.SetCookies(hub, v.client.Jar.Cookies(hub))
	if !copied.isIn() {
		t.Fatal("the copy is not in")
	}
	if status, _, _ := v.fetch("POST", "/logout", nil); status != http.StatusNoContent || v.isIn() || copied.isIn() {
		t.Errorf("after logging out: status %d", status)
	}
}

func TestSessionEnds(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	long, short, revoked := s.visitor(), s.visitor(), s.visitor()
	long.loginWithToken(people.Viewer, time.Time{})
	short.loginWithToken(people.Viewer, time.Now().Add(time.Hour))
	revoked.loginWithToken(people.Viewer, time.Time{})
	keys, err := s.Store.Sessions.Keys(context.Background())
	hubtest.Must(t, err)
	for _, key := range keys { // the token of the last one is removed
		var one people.Session
		entry, err := s.Store.Sessions.Get(context.Background(), key)
		hubtest.Must(t, err)
		if json.Unmarshal(entry.Value(), &one) == nil && one.CSRF != "" && revoked.isIn() && one.CSRF == revoked.csrf {
			hubtest.Must(t, s.Store.State.Delete(context.Background(), one.Of))
		}
	}
	if !long.isIn() || !short.isIn() || revoked.isIn() {
		t.Error("a session whose token was removed goes on, or another one does not")
	}
	s.late = 61 * time.Minute
	if !long.isIn() || short.isIn() {
		t.Error("a session outlives its token, or another one does not last")
	}
	s.late = people.SessionLife + time.Minute
	if long.isIn() {
		t.Error("a session outlives its end")
	}
}

func TestPersonsTokens(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	admin := b.person("root", people.Admin)
	for _, bad := range []protocol.NewToken{{Role: "owner", Name: "x", For: time.Hour}, {Role: "viewer", For: time.Hour}, {Role: "viewer", Name: "x"}, {Role: "viewer", Name: "x", For: 10_000 * time.Hour}} {
		if status := b.ask(admin, "POST", protocol.PathTokens, bad, nil); status != http.StatusBadRequest {
			t.Errorf("%+v: status %d", bad, status)
		}
	}
	var made protocol.MadeToken
	if status := b.ask(admin, "POST", protocol.PathTokens, protocol.NewToken{Role: "approver", Name: "olga", For: time.Hour}, &made); status != 200 {
		t.Fatalf("status %d", status)
	}
	var me protocol.Me
	v := (&site{Hub: b.Hub, t: t}).visitor()
	v.fetch("POST", "/login", url.Values{"token": {made.Secret}})
	if b.ask(made.Secret, "GET", protocol.PathMe, nil, &me) != 200 || me.Name != "olga" || me.Role != "approver" || !v.isIn("olga") {
		t.Fatalf("%+v", me)
	}
	if status := b.ask(admin, "DELETE", protocol.PathTokens+"/olga", nil, nil); status != 200 || b.ask(made.Secret, "GET", protocol.PathMe, nil, nil) != 401 || v.isIn() {
		t.Errorf("the person was not removed: status %d", status)
	}
	if status := b.ask(admin, "DELETE", protocol.PathTokens+"/olga", nil, nil); status != 404 || b.ask(admin, "GET", protocol.PathMe, nil, nil) != 200 {
		t.Errorf("again: status %d", status)
	}
}

func TestProviderOptions(t *testing.T) {
	t.Parallel()
	good := people.ProviderOptions{Issuer: "https://id.example.com", Client: "hub", Hub: "https://hub.example.com", Roles: map[string]people.Role{"a": people.Viewer}}
	if _, err := people.NewProvider(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*people.ProviderOptions){
		"issuer without encryption": func(o *people.ProviderOptions) { o.Issuer = "http://id.example.com" },
		"hub without encryption":    func(o *people.ProviderOptions) { o.Hub = "http://hub.example.com" },
		"no hub":                    func(o *people.ProviderOptions) { o.Hub = "" },
		"no client":                 func(o *people.ProviderOptions) { o.Client = "" },
		"no roles":                  func(o *people.ProviderOptions) { o.Roles = nil },
	} {
		o := good
		change(&o)
		if _, err := people.NewProvider(o); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
