package desktest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/fleet/machine"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// A hub is the hub of a fleet, a program that runs, with an OpenID provider unless npm cannot get one.
type hub struct {
	*world
	url, dir string
	client   *http.Client
	provider bool
	machines map[string]*member
}

// A member is a machine of the fleet.
type member struct {
	*machine.Enrollment
	key ed25519.PrivateKey
}

// freeAddr returns an address at which nobody listens.
func freeAddr(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// startHub builds and starts a hub whose first administrator is the person of w.
func startHub(w *world) *hub {
	w.t.Helper()
	h := &hub{world: w, dir: w.t.TempDir(), url: "https://" + freeAddr(w.t), machines: map[string]*member{}}
	program := filepath.Join(h.dir, "checkrein-hub")
	if out, err := exec.Command("go", "build", "-C", "../../../hub", "-o", program, "./cmd/checkrein-hub").CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	h.certify()
	w.shell(program + " init --dir " + h.dir)
	args := []string{"serve", "--dir", h.dir, "--name", "shop", "--addr", strings.TrimPrefix(h.url, "https://"), "--tls-cert", h.dir + "/tls.crt", "--tls-key", h.dir + "/tls.key"}
	if issuer := h.startProvider(); issuer != "" {
		h.provider = true
		args = append(args, "--url", h.url, "--oidc-issuer", issuer, "--oidc-client", "hub", "--oidc-secret", h.dir+"/oidc.secret", "--oidc-scope", "groups",
			"--oidc-role", "staff=viewer", "--oidc-role", "security=approver", "--oidc-role", "platform=admin")
	}
	h.start(program, args...)
	h.client, _ = machine.NewHTTPClient(h.url, h.dir+"/tls.crt", "")
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if resp, err := h.client.Get(h.url + "/healthz"); err == nil {
			resp.Body.Close()
			break
		} else if time.Now().After(end) {
			w.t.Fatal(err)
		}
	}
	w.shell(fmt.Sprintf("checkrein fleet login %s --ca %s/tls.crt --token-file %s/admin.token && checkrein fleet keys", h.url, h.dir, h.dir))
	return h
}

// start starts a program that runs until the test ends, and returns the first line that it prints.
func (h *hub) start(name string, args ...string) (line func() string) {
	h.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if h.t.Failed() {
			h.t.Logf("%s: %s", name, said.String())
		}
	})
	return func() string { text, _ := bufio.NewReader(out).ReadString('\n'); return strings.TrimSpace(text) }
}

// certify writes the hub's certificate and its key.
func (h *hub) certify() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		h.t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "hub"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		h.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		h.t.Fatal(err)
	}
	h.put("tls.crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	h.put("tls.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
}

// put writes a file of the hub.
func (h *hub) put(name string, data []byte) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), data, 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// providerVersion is the version of oidc-provider, a certified OpenID provider, which npm puts into the
// cache.
const providerVersion = "9.13.3"

// providerScript runs it with a few people, who need no password.
const providerScript = `import { Provider } from %q;
const groups = { vic: ["staff"], olga: ["staff", "security"], anna: ["platform"], eve: ["sales"] };
const provider = new Provider(%q, {
  clients: [{ client_id: "hub", client_secret: %q, redirect_uris: [%q], grant_types: ["authorization_code"], response_types: ["code"] }],
  scopes: ["openid", "profile", "email", "groups"],
  claims: { openid: ["sub"], profile: ["preferred_username"], email: ["email"], groups: ["groups"] },
  findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id, preferred_username: id, groups: groups[id] }) }),
  pkce: { required: () => true },
});
provider.listen(%s, "127.0.0.1", () => console.log("ready"));
`

// startProvider starts the OpenID provider, and returns its address, or "" if it cannot be had.
func (h *hub) startProvider() string {
	h.t.Helper()
	entry := npmPackage(h.t, "oidc-provider", providerVersion, "lib/index.js")
	if entry == "" {
		return ""
	}
	secret, addr := rand.Text(), freeAddr(h.t)
	_, port, _ := net.SplitHostPort(addr)
	h.put("oidc.secret", []byte(secret+"\n"))
	h.put("provider.mjs", fmt.Appendf(nil, providerScript, "file://"+entry, "http://"+addr, secret, h.url+"/login/callback", port))
	if line := h.start("node", h.dir+"/provider.mjs")(); line != "ready" {
		h.t.Fatalf("the provider says %q", line)
	}
	return "http://" + addr
}

// join adds a machine to the fleet, as its agent does.
func (h *hub) join(name string, advisory bool) *member {
	h.t.Helper()
	token, err := machine.ParseToken(strings.TrimSpace(h.shell("checkrein fleet token 2>/dev/null")))
	if err != nil {
		h.t.Fatal(err)
	}
	m := &member{}
	dir := h.t.TempDir()
	if m.Enrollment, err = machine.Join(context.Background(), machine.JoinOptions{Dir: dir, URL: h.url, CA: h.dir + "/tls.crt", Name: name, Token: token, Advisory: advisory}); err == nil {
		m.key, err = bundle.LoadKey(filepath.Join(dir, "machine.key"))
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.machines[name] = m
	return m
}

// post has a machine send v to the hub.
func (h *hub) post(m *member, path string, v any) {
	h.t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		h.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, h.url+path, bytes.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	protocol.Sign(req, body, m.Hub, m.key, time.Now())
	resp, err := h.client.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		h.t.Fatalf("%s: %v", path, machine.ReadRefusal(resp))
	}
}

// report has a machine say how it is.
func (h *hub) report(m *member, change func(*protocol.Report)) {
	h.t.Helper()
	r := protocol.Report{Facts: protocol.Facts{Name: m.Name, OS: "linux", Arch: "amd64", Build: "0.6.0", Advisory: m.Advisory}, Time: time.Now()}
	change(&r)
	h.post(m, protocol.PathReport, r)
}

// upload has a machine upload the ledger of the world.
func (h *hub) upload(m *member) {
	h.t.Helper()
	a := &machine.Agent{Enrollment: m.Enrollment, Log: slog.New(slog.DiscardHandler), Ledgers: func() ([]machine.Ledger, error) {
		return []machine.Ledger{{Dir: filepath.Join(h.home, ".local/state/checkrein/ledger"), User: "dev"}}, nil
	}}
	if err := a.UploadOnce(context.Background()); err != nil {
		h.t.Fatal(err)
	}
}

// wait has a machine report calls that wait for an answer.
func (h *hub) wait(m *member, calls ...string) {
	h.t.Helper()
	p := protocol.Pending{User: "dev", Approvals: []grant.Approval{}}
	for i, call := range calls {
		p.Approvals = append(p.Approvals, grant.Approval{
			Handle: fmt.Sprintf("a%03d", i), Digest: "digest of " + call, Host: "claude", Project: "/home/dev/shop", Event: "pre_tool_use", Tool: "Bash", Call: call, Stated: "Publish the fixed history", Was: "deny",
			Why:     []grant.Reason{{Rule: "git/push-force", Decision: "deny", Reason: "it overwrites what others have pushed"}},
			Effects: []grant.Effect{{Kind: "git_push", Impact: "high", On: "origin main"}}, Times: 1, Scopes: []string{"once"},
			Blocked: time.Now().Add(-time.Duration(i) * time.Minute).UTC(), Expires: time.Now().Add(time.Hour).UTC(),
		})
	}
	h.post(m, protocol.PathPending, p)
}

// fill gives the hub what a fleet has after a day.
func (h *hub) fill() {
	h.t.Helper()
	h.workday()
	h.write("../policies/bundle.json", `{"name":"base","version":7,"created":"2026-11-19T12:00:00Z"}`)
	h.write("../policies/checkrein.yaml", "version: 1\nhooks:\n  pre_tool_use:\n    - {name: no-prod, type: rule, if: {command: {contains: prod}}, decision: deny, reason: production is for people}\n")
	h.shell("checkrein fleet push ~/policies --enforce 100% --max-denials 60% --max-faults 2% --max-p99 2s --max-reports 5")
	var state protocol.RolloutState
	if err := json.Unmarshal([]byte(h.shell("checkrein fleet rollout --json")), &state); err != nil {
		h.t.Fatal(err)
	}
	active := func(r *protocol.Report) { r.Bundle = state.Steps[0].Bundle }
	build, laptop, old := h.join("build-03", false), h.join("laptop-anna", true), h.join("laptop-old", false)
	h.report(laptop, active)
	h.report(old, func(r *protocol.Report) { r.Refused = "timestamp.json was refused: it has expired" })
	h.report(build, active)
	for range 3 {
		h.upload(build)
		calls := []call{}
		for i := range 20 {
			calls = append(calls, call{Command: fmt.Sprintf("git show HEAD~%d", i)})
		}
		time.Sleep(1200 * time.Millisecond) // for points of their own in the plots
		h.agent(append(calls, call{Command: "kubectl --context prod delete pod shop"})...)
	}
	h.upload(build)
	h.report(build, func(r *protocol.Report) {
		active(r)
		r.Agents = []protocol.AgentState{
			{Agent: "claude", Wired: true, Proven: time.Now(), LastSeen: time.Now()}, {User: "dev", Agent: "codex", Vanished: true},
			{User: "dev", Agent: "opencode", Wired: true, Proven: time.Now().Add(-time.Hour), Stale: true},
		}
		r.Accounts = []protocol.AccountState{{User: "dev", Weakened: []string{"the pack git is off"}}}
		r.Ledgers = []protocol.LedgerState{{Head: protocol.Head{Ledger: "0123456789abcdef", Seq: 96}, User: "dev"}}
	})
	h.wait(build, "git push --force origin main", "kubectl --context prod delete deployment shop")
}

// duckdbVersion is the version of DuckDB, which npm puts into the cache.
const duckdbVersion = "1.5.6-r.1"

// TestAnalytics has DuckDB answer the queries of docs/fleet.md about the records of a hub.
func TestAnalytics(t *testing.T) {
	w := newWorld(t)
	h := startHub(w)
	h.fill()
	page, err := os.ReadFile("../../../docs/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	h.put("2031-05-01.jsonl", []byte(h.shell("checkrein fleet records --since yesterday --until today 2>/dev/null")))
	entry := npmPackage(t, "@duckdb/node-api", duckdbVersion, "lib/index.js")
	if entry == "" {
		t.Skip("SKIPPED: npm cannot get DuckDB")
	}
	for _, m := range regexp.MustCompile(`(?s)duckdb -c "(.*?)"\n`).FindAllStringSubmatch(string(page), -1) {
		query, _ := json.Marshal(strings.ReplaceAll(m[1], "2031-05", h.dir+"/2031-05"))
		h.put("query.mjs", fmt.Appendf(nil, `import { DuckDBInstance } from "file://%s";
const c = await (await DuckDBInstance.create(":memory:")).connect();
console.log(JSON.stringify((await c.runAndReadAll(%s)).getRowObjectsJson()));
`, entry, query))
		out, err := exec.Command("node", h.dir+"/query.mjs").CombinedOutput()
		var rows []map[string]any
		if err == nil {
			err = json.Unmarshal(out, &rows)
		}
		if err != nil || len(rows) == 0 || rows[0]["name"] != "build-03" || rows[0]["denied"] == "0" {
			t.Errorf("%s: %v: %s", m[1], err, out)
		}
		t.Logf("%s\n%s", m[1], out)
	}
}

// npmPackage returns the path of a file of a package, which npm puts into the cache, or "" if it cannot be
// had.
func npmPackage(t *testing.T, name, version, file string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "checkrein", strings.ReplaceAll(strings.Trim(name, "@"), "/", "-")+"-"+version)
	path := filepath.Join(dir, "node_modules", name, file)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if out, err := exec.Command("npm", "--prefix", dir, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", name+"@"+version).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "*** NOT TESTED WITH %s, which cannot be had here: %v\n%s\n", name, err, out)
		return ""
	}
	return path
}

// logIn returns a tab in which the first administrator logged in.
func (h *hub) logIn(browser *chromium) *tab {
	h.t.Helper()
	b := browser.newTab()
	b.open(h.url)
	b.takeFaults() // the browser reports status 401
	if h.provider {
		b.click("details summary")
	}
	b.click("input[name=token]")
	b.typeText(strings.TrimSpace(h.shell("cat " + h.dir + "/admin.token")))
	b.press("Enter")
	b.until(`document.querySelector("nav")`)
	b.settle()
	return b
}

// logInAs returns a tab in which someone logged in by the provider.
func (h *hub) logInAs(browser *chromium, name string) *tab {
	h.t.Helper()
	b := browser.newTab()
	b.open(h.url + "/rollout")
	b.click("a.main")
	b.until(`document.querySelector("input[name=login]")`)
	b.text(`document.querySelector("input[name=login]").value = ""`)
	b.click("input[name=login]")
	b.typeText(name)
	b.click("input[name=password]")
	b.typeText("x")
	b.press("Enter")
	b.until(`document.body.innerText.includes("Authorize")`)
	b.click("button[type=submit]")
	b.until(`location.origin === "` + h.url + `"`)
	b.settle()
	b.takeFaults() // of pages of the provider
	return b
}

// hubViews lists the pages of the hub, with words that each shows.
var hubViews = []struct{ path, words string }{
	{"/", "laptop-anna"}, {"/approvals", "git push --force origin main"}, {"/rollout", "Figures of this step"}, {"/search", "60 records so far"}, {"/search?q=push", "push --force"},
	{"/search?machine=laptop-anna", "No record matches"}, {"/nothing", "Not shown"},
}

// TestHubViews opens every page of the hub on every screen.
func TestHubViews(t *testing.T) {
	w := newWorld(t)
	browser := startChromium(t, "--ignore-certificate-errors")
	script := axe(t)
	h := startHub(w)
	h.fill()
	login := browser.newTab()
	b := h.logIn(browser)
	views := append(hubViews, struct{ path, words string }{"/machines/" + h.machines["build-03"].Machine, "What is uploaded"})
	b.open(h.url + "/search?q=prod")
	views = append(views, struct{ path, words string }{b.text(`new URL(document.querySelector(".row").href).pathname`), "The record as the machine wrote it"})
	for _, on := range screens {
		b.resize(on.width, on.height, on.phone)
		b.preferDark(on.dark)
		login.resize(on.width, on.height, on.phone)
		login.preferDark(on.dark)
		login.open(h.url)
		login.takeFaults()
		login.checkPage(on.name+" login", script)
		login.keepPicture(on.name + " hub login")
		for _, v := range views {
			b.open(h.url + v.path)
			what := on.name + " hub " + v.path
			if text := b.text("document.body.innerText"); !strings.Contains(text, v.words) {
				t.Errorf("%s: no %q in\n%s", what, v.words, text)
			}
			if v.path == "/nothing" {
				b.takeFaults() // the browser reports status 404
			}
			b.checkPage(what, script)
			b.keepPicture(what)
		}
	}
	b.resize(1280, 860, false)
	b.preferDark(false)
	b.open(h.url + "/rollout")
	if picture := b.picture(); len(picture) > maxPicture {
		t.Errorf("the picture has %d bytes", len(picture))
	} else if *update {
		if err := os.WriteFile("../../../docs/pictures/rollout.png", picture, 0o644); err != nil {
			t.Error(err)
		}
	}
}

// TestHubActions uses everything on the pages that does something, in each role.
func TestHubActions(t *testing.T) {
	w := newWorld(t)
	browser := startChromium(t, "--ignore-certificate-errors")
	h := startHub(w)
	h.fill()
	if !h.provider {
		t.Skip("SKIPPED: without an OpenID provider")
	}
	forms := func(b *tab) (paths string) {
		for _, path := range []string{"/", "/approvals", "/rollout", "/machines/" + h.machines["build-03"].Machine} {
			b.open(h.url + path)
			paths += b.text(`[...document.querySelectorAll("main form[hx-post]")].map((f) => f.getAttribute("hx-post").replace(/[0-9a-f]{12,}/, "ID")).join(" ")`) + " "
		}
		return strings.Join(strings.Fields(paths), " ")
	}

	viewer, approver, admin := h.logInAs(browser, "vic"), h.logInAs(browser, "olga"), h.logInAs(browser, "anna")
	viewer.where("/rollout") // where the login began
	for _, tt := range []struct {
		b    *tab
		want string
	}{{viewer, ""}, {approver, "/approvals/ID /approvals/ID /freeze"}, {admin, "/approvals/ID /approvals/ID /freeze /machines/ID/revoke"}} {
		if got := forms(tt.b); got != tt.want {
			t.Errorf("the forms are %q, want %q", got, tt.want)
		}
	}
	eve := h.logInAs(browser, "eve")
	eve.until(`document.body.innerText.includes("eve has no role at this hub")`)
	eve.takeFaults() // the browser reports status 403

	t.Run("approvals", func(t *testing.T) {
		approver.open(h.url + "/approvals")
		viewer.open(h.url + "/approvals")
		approver.until(`document.querySelector("#badge").textContent === "2"`)
		h.wait(h.machines["build-03"], "git push --force origin main", "kubectl --context prod delete deployment shop", "terraform destroy")
		approver.until(`document.body.innerText.includes("terraform destroy")`) // as it comes
		approver.click(".card summary")
		approver.click(".card textarea")
		approver.typeText("Use staging.")
		approver.click(".card button.danger")
		approver.until(`document.querySelector("table")?.innerText.includes("Use staging.") && document.querySelector("table").innerText.includes("olga")`)
		viewer.until(`document.querySelectorAll("#waiting .card").length === 2`)
	})
	t.Run("freeze", func(t *testing.T) {
		approver.open(h.url + "/rollout")
		approver.click("details summary")
		approver.click("input[name=reason]")
		approver.typeText("An incident")
		approver.press("Enter")
		approver.until(`document.body.innerText.includes("by olga: An incident")`)
		if out := h.shell("checkrein fleet rollout --json"); !strings.Contains(out, `"frozen"`) {
			t.Errorf("the hub says %s", out)
		}
		approver.click("form[hx-post='/thaw'] button")
		approver.until(`!document.body.innerText.includes("An incident")`)
	})
	t.Run("revoke", func(t *testing.T) {
		admin.open(h.url + "/machines/" + h.machines["laptop-old"].Machine)
		admin.click("details summary")
		admin.click("button.danger")
		admin.until(`document.body.innerText.includes("revoked") && document.body.innerText.includes("by anna")`)
	})
	t.Run("keyboard, theme, more rows, and out", func(t *testing.T) {
		viewer.open(h.url + "/")
		viewer.press("g", "s")
		viewer.where("/search")
		viewer.click(".more button")
		viewer.until(`document.querySelectorAll(".row").length > 60`)
		viewer.press("j", "Enter")
		viewer.until(`location.pathname.startsWith("/r/")`)
		viewer.click("[data-theme-switch]")
		viewer.until(`document.documentElement.dataset.theme === "dark"`)
		viewer.click("button[hx-post='/logout']")
		viewer.until(`document.querySelector("input[name=token]")`)
		viewer.takeFaults() // the browser reports status 401
	})
	for _, b := range []*tab{viewer, approver, admin} {
		for _, fault := range b.takeFaults() {
			t.Error(fault)
		}
	}
}
