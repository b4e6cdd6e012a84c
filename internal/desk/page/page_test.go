package page

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/desk/approvals"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/visible"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// A browser sends requests to a page as a browser does, with its cookies.
type browser struct {
	t       *testing.T
	page    *Page
	cookies map[string]*http.Cookie
	csrf    string
	clock   time.Time
	ran     []string // the commands that the page ran
	ranIn   string   // the project of the last one
	dir     string   // the project of the server
	config  string   // the policy that the page can save
	kits    app.Options
}

// newBrowser returns a browser of a page that shows the given records.
func newBrowser(t *testing.T, records ...record.Record) *browser {
	t.Helper()
	b := &browser{t: t, cookies: map[string]*http.Cookie{}, clock: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	now := func() time.Time { return b.clock }
	dir := state.NewDir(t.TempDir())
	book := ledger.Open(ledger.Options{Dir: dir, Now: now})
	for i := range records {
		b.clock = b.clock.Add(time.Second)
		members, err := json.Marshal(&records[i])
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(members), `"program"`) // Append writes what comes before
		if _, err := book.Append(ledger.KindEvent, []byte(`"program"`+strings.TrimSuffix(rest, "}")), false); err != nil {
			t.Fatal(err)
		}
	}
	home := t.TempDir()
	b.config = filepath.Join(home, "checkrein.yaml")
	b.kits = app.Options{Dir: t.TempDir(), State: filepath.Join(home, "state"), Managed: app.NoManaged, Environ: []string{"HOME=" + home}, Now: now}
	desk, err := approvals.New(approvals.Options{Open: func(string) (*app.Kit, error) { return app.Open(b.kits) }, Person: "anna", Config: b.config, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	at := dir.Path(ledger.Folder)
	b.dir = t.TempDir()
	b.page = New(Options{Ledger: at, Desk: desk, Home: "/home/me", Dir: b.dir, Now: now, Run: func(_ context.Context, dir string, args ...string) ([]byte, error) {
		b.ran = append(b.ran, strings.Join(args, " "))
		b.ranIn = dir
		if args[0] == "explain" {
			return explainRecord(at, args[1])
		}
		if len(records) == 0 && args[0] == "approvals" {
			return []byte("{}"), nil
		}
		if len(records) == 0 {
			return []byte(strings.ReplaceAll(commandOutputs[args[0]], "TEXT", "")), nil
		}
		text, err := json.Marshal(records[0].Reason)
		return []byte(strings.ReplaceAll(commandOutputs[args[0]], `"TEXT"`, string(text))), err
	}})
	return b
}

// commandOutputs has what each command prints, with TEXT for every text that others choose.
var commandOutputs = map[string]string{
	"status": `{"messages":[{"level":"warn","about":"TEXT","what":"TEXT","remedies":[{"command":"TEXT","text":"TEXT"}]}],"running":[{"host":"TEXT","pid":7}],
		"hosts":[{"host":"TEXT","title":"TEXT","present":true,"installed":[{"events":["TEXT"]}],"enabled":{"state":"no","why":"TEXT","remedies":[{"command":"TEXT"}]},
		"trusted":{"state":"TEXT","why":"TEXT"},"seen":{"count":3},"proven":{"state":"yes","version":"TEXT"},"problems":[{"what":"TEXT"}],"notes":[{"what":"TEXT"}]},
		{"host":"x","title":"TEXT","seen":{}}],"evidence":[{"host":"TEXT","misses":{"calls":2,"unseen":1},"hooks":[{"name":"TEXT","verdict":"TEXT"}]}]}`,
	"approvals": `{"approvals":[{"handle":"ab12","digest":"TEXT","host":"TEXT","project":"TEXT","call":"TEXT","whole":"TEXT","stated":"TEXT","was":"deny","times":2,"why":[{"rule":"TEXT","reason":"TEXT"}],
		"effects":[{"kind":"TEXT","impact":"TEXT","paths":["TEXT"],"hosts":["TEXT"],"on":"TEXT"}],"scopes":["once","session"],"programs":["TEXT"],"blocked":"2026-03-04T05:06:08Z","link":"TEXT"}],
		"keys":[{"name":"TEXT","kind":"TEXT","fingerprint":"TEXT"}]}`,
	"hooks": `{"on":false,"root":"TEXT","guards":[{"what":"TEXT"}],"hooks":[{"id":"TEXT","event":"TEXT","mode":"TEXT","origin":"TEXT","approval":"changed","health":"TEXT",
		"health_why":"TEXT","why":"TEXT","remedies":[{"command":"TEXT","text":"TEXT"}],"last_catch":{"at":"2026-03-04T05:06:07Z","record":2}}]}`,
	"packs": `{"on":true,"notes":[{"what":"TEXT"}],"usual":{"high":"TEXT"},"packs":[{"name":"git","about":"TEXT","on":false,"why":"TEXT","also":"TEXT","rule_count":1,
		"from":[{"origin":"TEXT","says":"TEXT"}],"rules":[{"id":"git/push-force","decision":"TEXT","reason":"TEXT","match":[{"command":"TEXT"}]}],
		"change":[{"does":"TEXT","line":"TEXT","in":"TEXT","how":"TEXT"}]}]}`,
	"shadow":   `{"now":[{"name":"TEXT","origin":"TEXT","until":"TEXT"}],"tried":[{"name":"TEXT","would_deny":1,"examples":[{"id":"2","call":"TEXT"}]}]}`,
	"allow":    `[{"id":"TEXT","shown":"TEXT","root":"TEXT"},{"id":"g2","scope":"once","used":1}]`,
	"analyze":  `{"differences":[{"direction":"TEXT","from":"TEXT","to":"TEXT","where":"TEXT","witness":{"call":"TEXT"}}],"rules":1,"findings":[{"check":"TEXT","hook":{"name":"TEXT","origin":"TEXT"},"by":[{"name":"TEXT"}]}],"properties":[{"name":"TEXT","result":"TEXT","why":"TEXT"}]}`,
	"validate": `{"valid":true,"problems":[{"level":"warn","line":2,"what":"TEXT"}]}`,
	"replay":   `{"calls":2,"changes":[{"direction":"TEXT","count":1,"rules":[{"rule":"TEXT","count":1,"examples":[{"id":"TEXT","call":"TEXT","was":{"answer":"TEXT"},"is":{"answer":"TEXT"}}]}]}]}`,
	"undo":     `{"saves":[{"id":"TEXT","time":"2026-03-04T05:06:07Z","command":"TEXT","dir":"TEXT","files":2,"bytes":2048}]}`,
	"walls":    `{"hosts":["TEXT"],"rules":[{"verb":"TEXT","what":"TEXT","why":"TEXT"}]}`,
}

// otherViews lists the pages other than those about records.
var otherViews = []string{"/needs", "/approvals", "/approvals/cards", "/agents", "/hooks", "/hooks/approvals", "/policy", "/policy/git", "/policy/analysis", "/policy/edit", "/undo", "/cost"}

// explainRecord returns the JSON of the explanation of a record, with its reason as every text.
func explainRecord(dir, id string) ([]byte, error) {
	reader, err := ledger.NewBackwardReader(dir, ledger.Position{}, []byte(`"seq":`+id+`,`))
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	found, err := reader.Next()
	if err != nil || len(found) == 0 {
		return nil, errors.New("there is no record " + id)
	}
	why := found[0].Line.Text("reason")
	return json.Marshal(map[string]any{
		"answer": why, "record": json.RawMessage(found[0].Line.Raw), "person": []string{why},
		"change": []any{map[string]any{"hook": why, "why": why, "remedies": []any{map[string]any{"command": why, "text": why}}, "note": []string{why}}},
	})
}

// do sends a request and keeps the cookies of the response.
func (b *browser) do(r *http.Request) *httptest.ResponseRecorder {
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	b.page.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if b.cookies[c.Name] = c; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return w
}

// get returns the response to a request for path.
func (b *browser) get(path string) *httptest.ResponseRecorder {
	return b.do(httptest.NewRequest(http.MethodGet, path, nil))
}

// post returns the response to a form that a page of the server sends.
func (b *browser) post(path string, fields url.Values, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(fields.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://"+r.Host)
	r.Header.Set("X-Csrf", b.csrf)
	if change != nil {
		change(r)
	}
	return b.do(r)
}

var csrfMeta = regexp.MustCompile(`<meta name="csrf" content="([^"]+)">`)

// signIn begins a session.
func (b *browser) signIn() *browser {
	b.t.Helper()
	if w := b.post("/login", url.Values{"secret": {b.link()}}, nil); w.Code != http.StatusNoContent {
		b.t.Fatalf("login: %d %s", w.Code, w.Body)
	}
	m := csrfMeta.FindStringSubmatch(b.get("/").Body.String())
	if m == nil {
		b.t.Fatal("the page has no CSRF token")
	}
	b.csrf = m[1]
	return b
}

// link returns the secret of a new link.
func (b *browser) link() string {
	path, err := b.page.NewLink("")
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.TrimPrefix(path, "/#")
}

// denied returns a denied call.
func denied(command string) record.Record {
	input, _ := json.Marshal(map[string]string{"command": command})
	return record.Record{
		Event: "pre_tool_use", Host: "claude", Session: "s1", Dir: "/home/me/shop", Handle: "ab12", Tool: &record.Tool{Name: "Bash", Canonical: "shell"},
		Decision: "deny", Reason: "deletes it", Effects: []string{"deny"}, Subject: &record.Subject{Input: &record.Part{Bytes: len(input), JSON: input}},
		Plan: []record.Step{{Hook: "packs", Type: "builtin", Scope: "user", Outcome: "answered", Decision: "deny", Rule: "git/push-force", Why: "deletes it", MS: 2}}, MS: 3,
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, denied("rm -rf x"))
	for _, path := range append([]string{"/", "/rows", "/r/2", "/search?q=rm", "/nothing"}, otherViews...) {
		if w := b.get(path); w.Code != http.StatusUnauthorized || strings.Contains(w.Body.String(), "rm -rf x") {
			t.Errorf("GET %s without a session: %d", path, w.Code)
		}
	}
	secret := b.link()
	b.signIn()
	if w := b.get("/"); !strings.Contains(w.Body.String(), "rm -rf x") || w.Code != http.StatusOK {
		t.Errorf("GET / with a session: %d %s", w.Code, w.Body)
	}
	c := b.cookies[sessionCookie]
	if c == nil || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" {
		t.Errorf("cookie: %+v", c)
	}
	if other := newBrowser(t); other.post("/login", url.Values{"secret": {secret}}, nil).Code != http.StatusForbidden {
		t.Error("the link of one server signs in at another")
	}
	again := &browser{t: t, page: b.page, cookies: map[string]*http.Cookie{}}
	again.post("/login", url.Values{"secret": {secret}}, nil)
	if again.post("/login", url.Values{"secret": {secret}}, nil).Code != http.StatusForbidden {
		t.Error("a link signs in twice")
	}
	late := b.link()
	b.clock = b.clock.Add(linkLife)
	if again.post("/login", url.Values{"secret": {late}}, nil).Code != http.StatusForbidden {
		t.Error("an old link signs in")
	}
	r := httptest.NewRequest(http.MethodGet, "/live", nil)
	r.AddCookie(c)
	b.page.withSession(func(_ http.ResponseWriter, r *http.Request) {
		if end, ok := r.Context().Deadline(); !ok || time.Until(end) > sessionLife-linkLife {
			t.Errorf("a stream goes on after its session: until %v", end)
		}
	}).ServeHTTP(httptest.NewRecorder(), r)
	b.clock = b.clock.Add(sessionLife)
	if w := b.get("/"); w.Code != http.StatusUnauthorized {
		t.Errorf("an old session: %d", w.Code)
	}
}

// TestProject opens the page from another project, and chooses the first one again.
func TestProject(t *testing.T) {
	t.Parallel()
	worked, gone := t.TempDir(), filepath.Join(t.TempDir(), "gone")
	call, old := denied("x"), denied("y")
	call.Root, old.Root = worked, gone
	b := newBrowser(t, call, old).signIn()
	b.get("/hooks")
	if b.ranIn != b.dir {
		t.Errorf("the hooks of %s are shown", b.ranIn)
	}
	cookie, csrf := b.cookies[sessionCookie].Value, b.csrf
	path, err := b.page.NewLink(worked)
	if err != nil {
		t.Fatal(err)
	}
	b.post("/login", url.Values{"secret": {strings.TrimPrefix(path, "/#")}}, nil)
	if now := b.cookies[sessionCookie].Value; now != cookie {
		t.Error("other tabs lost their session")
	}
	b.get("/hooks")
	if b.ranIn != worked {
		t.Errorf("the hooks of %s are shown, not those of the link's project", b.ranIn)
	}
	for dir, want := range map[string]int{b.dir: http.StatusNoContent, gone: http.StatusUnprocessableEntity, "/": http.StatusUnprocessableEntity, "": http.StatusUnprocessableEntity} {
		if w := b.post("/project", url.Values{"dir": {dir}}, nil); w.Code != want {
			t.Errorf("choosing %q: %d %s", dir, w.Code, w.Body)
		}
	}
	if page := b.get("/policy").Body.String(); b.ranIn != b.dir || b.csrf != csrf || !strings.Contains(page, `<option value="`+worked+`"`) || strings.Contains(page, gone) {
		t.Errorf("%s is shown after the choice of %s:\n%s", b.ranIn, b.dir, page)
	}
}

// TestLinksAndSessionsAreLimited checks that requests cannot fill the memory.
func TestLinksAndSessionsAreLimited(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	for range 3 * maxSessions {
		clear(b.cookies) // another browser
		b.post("/login", url.Values{"secret": {b.link()}}, nil)
	}
	if n := len(b.page.sessions.opened); n != maxSessions {
		t.Errorf("%d sessions", n)
	}
	for range maxLinks {
		b.link()
	}
	if _, err := b.page.NewLink(""); err == nil {
		t.Error("there is no limit of links")
	}
}

// TestForgery sends requests that other sites could cause.
func TestForgery(t *testing.T) {
	t.Parallel()
	b := newBrowser(t).signIn()
	for name, change := range map[string]func(*http.Request){
		"no origin":     func(r *http.Request) { r.Header.Del("Origin") },
		"other origin":  func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"other port":    func(r *http.Request) { r.Header.Set("Origin", "http://"+r.Host+":81") },
		"null origin":   func(r *http.Request) { r.Header.Set("Origin", "null") },
		"same site":     func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"no CSRF token": func(r *http.Request) { r.Header.Del("X-Csrf") },
		"wrong token":   func(r *http.Request) { r.Header.Set("X-Csrf", "0"+b.csrf[1:]) },
	} {
		for _, path := range []string{"/seen", "/theme", "/project", "/policy/try", "/policy/challenge", "/policy/save"} {
			if w := b.post(path, url.Values{"until": {"3"}, "theme": {"dark"}}, change); w.Code != http.StatusForbidden || len(w.Result().Cookies()) > 0 {
				t.Errorf("%s: POST %s: %d", name, path, w.Code)
			}
		}
	}
	for _, path := range []string{"/seen?until=9", "/theme?theme=dark", "/policy/save?text=version:+1", "/login?secret=" + b.link()} {
		if w := b.get(path); w.Code == http.StatusNoContent || len(w.Result().Cookies()) > 0 {
			t.Errorf("GET %s: %d, cookies %v", path, w.Code, w.Result().Cookies())
		}
	}
	if w := b.get("/"); w.Code != http.StatusOK {
		t.Errorf("the session has ended: %d", w.Code)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, denied("x")).signIn()
	for _, path := range []string{"/", "/r/2", "/assets/app.js", "/nothing", "/assets/"} {
		h := b.get(path).Header()
		csp := h.Get("Content-Security-Policy")
		if !strings.Contains(csp, "frame-ancestors 'none'") || !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: %s", path, csp)
		}
		for name, want := range map[string]string{"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s: %q", path, name, got)
			}
		}
	}
}

// TestAssets checks that only the assets are served, and that those of others are as published.
func TestAssets(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	for _, path := range []string{"/assets/", "/assets/../page.go", "/assets/..%2fpage.go", "/assets/%2e%2e/templates/page.html", "/assets/../../../../etc/passwd", "/assets//etc/passwd", "/assets/..\\page.go"} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path, _ = url.PathUnescape(path)
		if w := b.do(r); w.Code < 300 || w.Code >= 400 && w.Code < 404 || strings.Contains(w.Body.String(), "package page") {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	for name, want := range map[string]string{ // from the packages htmx.org 2.0.11 and uplot 1.6.32
		"htmx.min.js": "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717", "htmx.LICENSE": "d3d2456f76414f2456104660ebd65aff1c04cd7966b942bdabd63f3cdb316a38",
		"uplot.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f", "uplot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
		"uplot.LICENSE": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
	} {
		sum := sha256.Sum256(b.get("/assets/" + name).Body.Bytes())
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// quotedValue matches the value of an attribute. Templates escape quotes in it.
var quotedValue = regexp.MustCompile(`="[^"]*"|='[^']*'`)

// inline matches elements and attributes that the policy of the page forbids.
var inline = regexp.MustCompile(`(?i)<script[^>]*>[^<]|<script>|<style|<iframe|<img src[^>]*onerror|<[a-z][^<>]*\s(?:on[a-z]+|style|srcdoc)=`)

// copied matches what a button copies.
var copied = regexp.MustCompile(`data-copy="([^"]*)"`)

// TestHostileTexts has markup in everything that an agent, a repository or a hook can choose.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'-alert(1)-'`, `javascript:alert(1)`, `{{.CSRF}}`, `</code></pre><iframe srcdoc="x">`,
		`[click](javascript:alert(1)) <b onclick="x">`, "a\x1b]8;;http://evil\x07b\u202egnp.exe", `" hx-get="/logout" hx-trigger="load" x="`, `</title><style>*{display:none}</style>`, `x; $(touch x)`,
	} {
		r := denied(text)
		r.Host, r.Session, r.Dir, r.Reason, r.Handle, r.Native, r.Agent, r.Fault = text, text, "/home/me/"+text, text, text, text, text, text
		r.Tool.Name, r.Off, r.Unmet, r.Unasked, r.Saved = text, []string{text}, []string{text}, text, []string{text}
		r.Plan = append(r.Plan, record.Step{Hook: text, Outcome: "fault", Fault: text, Skipped: text, Rule: text, Why: text, Lifted: &record.Lifted{Grant: text, Decision: text}})
		r.Plan[0].Rule, r.Plan[0].Why, r.Plan[0].Rules = text, text, []string{text}
		r.Facts = &record.Facts{Effects: []record.Effect{{Label: text, Kind: text, On: text, Paths: []string{text}, Hosts: []string{text}, Category: text, Radius: text}}, Files: []record.Read{{Path: text}}}
		reply, _ := json.Marshal(map[string]string{"reason": "what the agent was told: " + text})
		r.Reply = &record.Reply{Stdout: &record.Part{JSON: reply}}
		b := newBrowser(t, r).signIn()
		q := url.QueryEscape(text)
		check := func(path, body string) {
			t.Helper()
			for _, m := range inline.FindAllString(quotedValue.ReplaceAllString(body, `=""`), -1) {
				t.Errorf("%q: %s has %q", text, path, m)
			}
			if strings.Contains(body, `hx-trigger="load" x="`) || strings.ContainsAny(body, "\x1b\u202e") || strings.Contains(body, b.csrf) && strings.Count(body, b.csrf) != 1 {
				t.Errorf("%q: %s shows it as it is", text, path)
			}
			if strings.Contains(body, `href="javascript`) {
				t.Errorf("%q: %s links to it", text, path)
			}
			for _, m := range copied.FindAllStringSubmatch(body, -1) {
				command := html.UnescapeString(m[1]) // those of remedies are quoted by the commands that print them
				if _, after, ok := strings.Cut(command, "checkrein "); ok && strings.HasSuffix(after, " "+visible.EscapeLine(text)) {
					t.Errorf("%q: %s offers to copy %s", text, path, command)
				}
			}
		}
		tried := b.post("/policy/try", url.Values{"file": {b.config}, "text": {text}}, nil).Body.String()
		if !strings.Contains(tried, "Any call") {
			t.Errorf("%q: trying a policy: %s", text, tried)
		}
		check("/policy/try", tried)
		for _, path := range append([]string{"/", "/rows", "/r/2", "/search?q=" + q + "&host=" + q + "&session=" + q + "&rule=" + q, "/?answer=" + q, "/r/" + url.PathEscape(text), "/policy/" + url.PathEscape(text)}, otherViews...) {
			body := b.get(path).Body.String()
			if slices.Contains(otherViews, path) && strings.Contains(body, "<h1>Not shown") {
				t.Fatalf("%q: %s: %s", text, path, body)
			}
			check(path, body)
		}
		for _, command := range b.ran {
			if name, _, _ := strings.Cut(command, " "); name != "explain" && commandOutputs[name] == "" || strings.ContainsAny(command, "<>(){}'\"") {
				t.Errorf("%q: the page ran %q", text, command)
			}
		}
	}
}

func TestFiltersAndSearch(t *testing.T) {
	t.Parallel()
	passed := func(command string) record.Record {
		r := denied(command)
		r.Decision, r.Effects, r.Plan, r.Handle, r.Reason, r.Host = "none", nil, nil, "", "", "codex"
		return r
	}
	saved := passed("rm old.txt")
	saved.Answer, saved.Saved = "saved", []string{"u1"}
	after := passed("go build")
	after.Event = "post_tool_use"
	b := newBrowser(t, denied("git push --force"), passed("go test ./..."), saved, after, denied(`echo "a<b" \ c`)).signIn()
	for path, want := range map[string]string{
		"/":                               "6 4 3 2",
		"/?all=1":                         "6 5 4 3 2",
		"/?answer=denied":                 "6 2",
		"/?answer=denied&answer=saved":    "6 4 2",
		"/?host=codex":                    "4 3",
		"/search?rule=git/push-force":     "6 2",
		"/search?rule=packs":              "6 2",
		"/search?q=go+test":               "3",
		"/search?q=git%2Fpush":            "6 2",
		`/search?q=%22a%3Cb%22+%5C+c`:     "6",
		"/search?q=nowhere":               "",
		"/search?session=s1&answer=saved": "4",
		"/search?tool=Bash&since=1h":      "6 4 3 2",
		"/search?event=post_tool_use":     "",
		"/rows?host=codex&all=1":          "5 4 3",
		"/search?project=/home/me/shop":   "6 4 3 2",
	} {
		body := b.get(path).Body.String()
		var got []string
		for _, m := range regexp.MustCompile(`data-seq="(\d+)"`).FindAllStringSubmatch(body, -1) {
			got = append(got, m[1])
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: records %q, want %q", path, s, want)
		}
	}
	if body := b.get("/?host=codex").Body.String(); !strings.Contains(body, "2 newer calls hidden by filters") {
		t.Error("nothing says that filters hide calls")
	}
	if body := b.get("/search?q=%232").Body.String(); !strings.Contains(body, "checkrein allow ab12") {
		t.Error("a number does not open its record")
	}
	if w := b.get("/r/77"); w.Code != http.StatusBadGateway || !strings.Contains(w.Body.String(), "no record 77") {
		t.Errorf("an unknown record: %d %s", w.Code, w.Body)
	}
}

// TestSeen checks that calls which the person has seen need nothing any more.
func TestSeen(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, denied("git push --force")).signIn()
	if body := b.get("/").Body.String(); !strings.Contains(body, "checkrein allow ab12") {
		t.Error("a new block is not shown")
	}
	for _, until := range []string{"", "x", strconv.FormatInt(b.clock.Add(time.Hour).UnixMilli(), 10)} {
		if w := b.post("/seen", url.Values{"until": {until}}, nil); w.Code != http.StatusBadRequest {
			t.Errorf("until %q: %d", until, w.Code)
		}
	}
	if w := b.post("/seen", url.Values{"until": {strconv.FormatInt(b.clock.UnixMilli(), 10)}}, nil); w.Code != http.StatusNoContent {
		t.Fatal(w.Code)
	}
	if body := b.get("/").Body.String(); strings.Contains(body, "checkrein allow ab12") || !strings.Contains(body, "Nothing was stopped") {
		t.Error("a block that was seen is shown as new")
	}
}

// TestSettled checks that a blocked call needs nothing any more after a person has allowed it, and that
// calls need nothing after a freeze was lifted.
func TestSettled(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	managed := t.TempDir()
	freeze := filepath.Join(managed, "fleet", "freeze.yaml")
	b.kits.Config, b.kits.Managed = filepath.Dir(b.config), managed
	b.page.opts.Ledger = filepath.Join(b.kits.State, ledger.Folder)
	b.signIn()
	write := func(file, hook string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("version: 1\npacks: []\nhooks:\n  pre_tool_use: [{"+hook+"}]\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	call := func(command string) (*app.Kit, string) {
		t.Helper()
		b.clock = b.clock.Add(time.Second)
		k, err := app.Open(b.kits)
		if err != nil {
			t.Fatal(err)
		}
		input, _ := json.Marshal(map[string]string{"command": command})
		return k, k.Serve(t.Context(), checkrein.Event{Kind: checkrein.PreToolUse, Host: "some", Session: checkrein.Session{ID: "s1"},
			Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", CallID: command, Input: input}}).Handle
	}
	needs := func(want bool, text string) {
		t.Helper()
		body := b.get("/").Body.String()
		body = body[:strings.Index(body, `id="feed-title"`)]
		if strings.Contains(body, text) != want {
			t.Errorf("needs %q: not %v", text, want)
		}
	}
	write(b.config, "name: no, type: rule, if: {command: {contains: danger}}, decision: deny, reason: dangerous")
	k, handle := call("danger")
	needs(true, "danger")
	block, err := k.Grants().Block(handle)
	if err != nil {
		t.Fatal(err)
	}
	g := block.NewGrant(b.clock)
	if err := g.SetLifts(block, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := k.AnswerBlock(block, grant.Answer{Decision: grant.AnswerAllow, By: "anna"}, g, nil); err != nil {
		t.Fatal(err)
	}
	needs(false, "danger")

	write(freeze, "name: fleet-freeze, type: builtin, command: freeze, args: ['until=2099-01-01T00:00:00Z', reason=an incident]")
	call("ls")
	needs(true, "an incident")
	if err := os.Remove(freeze); err != nil {
		t.Fatal(err)
	}
	needs(false, "an incident")
	needs(true, "Nothing was stopped")
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	b := newBrowser(t).signIn()
	if body := b.get("/").Body.String(); !strings.Contains(body, "checkrein install --all") {
		t.Error("the empty page does not say how to begin")
	}
	if body := b.get("/search?q=x").Body.String(); !strings.Contains(body, "No record matches") {
		t.Error("an empty search says nothing")
	}
}

// TestSavePolicy saves a policy with a code. Without a proof, a session and its token save nothing.
func TestSavePolicy(t *testing.T) {
	t.Parallel()
	b := newBrowser(t).signIn()
	const old, text = "version: 1\n# old\n", "version: 1\n# new\n"
	if err := os.WriteFile(b.config, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	tried := b.post("/policy/try", url.Values{"file": {b.config}, "text": {strings.ReplaceAll(text, "\n", "\r\n")}}, nil).Body.String()
	for _, part := range []string{">-# old\n<", ">&#43;# new<", "data-save", `data-text="` + text + `"`, "is less strict about some calls"} {
		if !strings.Contains(tried, part) {
			t.Errorf("no %q in %s", part, tried)
		}
	}
	change := map[string]string{}
	for _, name := range []string{"handle", "file", "old", "new"} {
		change[name] = regexp.MustCompile(`data-` + name + `="([^"]*)"`).FindStringSubmatch(tried)[1]
	}
	if w := b.post("/policy/challenge", url.Values{"handle": {change["handle"]}}, nil); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"challenge":"`) {
		t.Errorf("a challenge: %d %s", w.Code, w.Body)
	}
	kit, err := app.Open(b.kits)
	if err != nil {
		t.Fatal(err)
	}
	code, err := approvals.OpenBook(kit.Grants()).NewCode(change["handle"])
	if err != nil {
		t.Fatal(err)
	}
	body, _ := json.Marshal(change)
	proof := `{"code":"` + code + `"}`
	save := func(name string, want int, text, proof string, change func(*http.Request)) {
		t.Helper()
		if w := b.post("/policy/save", url.Values{"change": {string(body)}, "text": {text}, "proof": {proof}}, change); w.Code != want {
			t.Errorf("%s: status %d, want %d: %s", name, w.Code, want, w.Body)
		}
	}
	save("no proof", http.StatusForbidden, text, `{}`, nil)
	save("half a proof", http.StatusBadRequest, text, `{"code":`, nil)
	save("a wrong code", http.StatusForbidden, text, `{"code":"00000-00000"}`, nil)
	save("another text", http.StatusConflict, text+"#", proof, nil)
	save("too large", http.StatusRequestEntityTooLarge, text+strings.Repeat("#", approvals.MaxPolicy), proof, nil)
	if tried := b.post("/policy/try", url.Values{"file": {b.config}, "text": {text + strings.Repeat("#", approvals.MaxPolicy)}}, nil).Body.String(); !strings.Contains(tried, "larger than") {
		t.Errorf("trying what is too large: %s", tried)
	}
	save("a secret", http.StatusUnprocessableEntity, "version: 1\nchannels: {}\n", proof, nil)
	save("no CSRF token", http.StatusForbidden, text, proof, func(r *http.Request) { r.Header.Del("X-Csrf") })
	save("another origin", http.StatusForbidden, text, proof, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") })
	save("no session", http.StatusUnauthorized, text, proof, func(r *http.Request) {
		r.Header.Del("Cookie")
		r.AddCookie(&http.Cookie{Name: sessionCookie, Value: "x"})
	})
	if now, err := os.ReadFile(b.config); err != nil || string(now) != old {
		t.Errorf("the policy is %q, %v", now, err)
	}
	save("a proof", http.StatusOK, text, proof, nil)
	if now, err := os.ReadFile(b.config); err != nil || string(now) != text {
		t.Errorf("the policy is %q, %v", now, err)
	}
	save("again", http.StatusConflict, text, proof, nil)
	if err := errors.Join(os.Remove(b.config), os.Symlink("/etc/hosts", b.config)); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{b.config, "/etc/hosts", b.config + "/../checkrein.yaml"} {
		if body := b.get("/policy/edit?file=" + url.QueryEscape(file)).Body.String(); !strings.Contains(body, "Not shown") || strings.Contains(body, "localhost") {
			t.Errorf("%s is shown: %s", file, body)
		}
	}
}

// TestRedactedCall shows that a call passed and that its secret was redacted, and counts no run of a hook that
// is not approved.
func TestRedactedCall(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, record.Record{
		Event: "tool_response_transform", Host: "claude", Session: "s1", Tool: &record.Tool{Name: "Bash", Canonical: "shell"}, Effects: []string{"rewrite_output"},
		Plan: []record.Step{
			{Hook: "guard_secrets", Type: "builtin", Scope: "user", Outcome: "answered", Effects: []string{"rewrite_output"}, Redacted: []record.Redacted{{ID: "12ab34cd", Rule: "github-pat", Count: 2}}},
			{Hook: "of-project", Type: "command", Scope: "project", Outcome: "unapproved"},
		},
	}).signIn()
	for _, path := range []string{"/", "/r/2"} {
		if page := b.get(path).Body.String(); !strings.Contains(page, `<span class="tag">redacted</span>`) || !strings.Contains(page, "redacted before the agent got it: github-pat") {
			t.Errorf("%s: %s", path, page)
		}
	}
	s, err := b.page.readStats(t.Context())
	if err != nil || s.hooks["guard_secrets"].Runs != 1 || s.hooks["of-project"] != nil {
		t.Errorf("the hooks that ran: %+v: %v", s.hooks, err)
	}
}

// TestTrialSummary checks that what a draft would decide otherwise adds up.
func TestTrialSummary(t *testing.T) {
	t.Parallel()
	const text = `{"replay":{"calls":9,"unchanged":3,"changes":[{"direction":"newly-allowed","count":4,"rules":[{"rule":"r","count":4,"examples":[{"id":"2"}]}]}],"cannot_be_replayed":[{"count":1},{"count":1}]},
		"analysis":{"differences":[{"direction":"stricter","setting":"pack git: shadow: push-force","status":"proven"},{"direction":"stricter","from":"none","to":"deny","where":"pre_tool_use calls where x","witness":{"call":"shell: ls"}}]}}`
	var in struct {
		Replay   json.RawMessage
		Analysis json.RawMessage
	}
	var got trial
	if json.Unmarshal([]byte(text), &in) != nil || json.Unmarshal(in.Replay, &got.Replay) != nil || json.Unmarshal(in.Analysis, &got.Analysis) != nil {
		t.Fatal("the texts cannot be read")
	}
	if got.CountChanged() != 4 || got.CountLost() != 2 || got.Replay.Changes[0].Rules[0].More() != 3 || !got.IsWeaker() {
		t.Errorf("%d changed, %d lost, %d more, weaker %t", got.CountChanged(), got.CountLost(), got.Replay.Changes[0].Rules[0].More(), got.IsWeaker())
	}
	list := got.Analysis.Differences
	if list[0].Text() != "pack git: shadow: push-force is gone" || list[1].Text() != "calls where x" || list[1].Example() != "ls" {
		t.Errorf("%q, %q such as %q", list[0].Text(), list[1].Text(), list[1].Example())
	}
}

// TestGrants shows that a grant let a call pass, and offers to revoke only grants that are not used up.
func TestGrants(t *testing.T) {
	t.Parallel()
	r := denied("x")
	r.Decision, r.Effects = "none", nil
	r.Plan[0].Decision, r.Plan[0].Lifted = "", &record.Lifted{Grant: "g2", Decision: "deny"}
	b := newBrowser(t, r).signIn()
	for _, path := range []string{"/", "/r/2"} {
		if body := b.get(path).Body.String(); !strings.Contains(body, ">granted<") {
			t.Errorf("%s: %s", path, body)
		}
	}
	if body := b.get("/policy").Body.String(); !strings.Contains(body, "used up") || strings.Contains(body, "--revoke g2") {
		t.Errorf("the policy: %s", body)
	}
}

// TestStrictRulesFirst checks that the rules of a pack that deny come before those that ask and pass.
func TestStrictRulesFirst(t *testing.T) {
	t.Parallel()
	k := pack{Rules: []packRule{{ID: "a"}, {ID: "b", Decision: "ask"}, {ID: "c", Decision: "deny"}, {ID: "d", Decision: "ask"}}}
	k.sortRules()
	got := ""
	for _, r := range k.Rules {
		got += r.ID
	}
	if got != "cbda" {
		t.Error(got)
	}
}
