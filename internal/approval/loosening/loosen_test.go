//go:build linux || darwin

package loosening_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/approval/loosening"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// TestMain waits until the test, which acts as the host, is older than the resolution of the clocks of
// processes and files.
func TestMain(m *testing.M) {
	time.Sleep(100 * time.Millisecond)
	os.Exit(m.Run())
}

// parseSettings returns settings of a user's own file from text such as "git.off git.high=ask []".
func parseSettings(text string) setting.Settings {
	var s setting.Settings
	for _, word := range strings.Fields(text) {
		from := checkrein.Origin{Scope: checkrein.ScopeUser, File: "/u.yaml"}
		name, value, isPack := strings.Cut(word, ".")
		switch {
		case word == "[]":
			s.Packs = append(s.Packs, setting.Pack{Off: true, From: from})
			continue
		case word == "self_approve":
			s.SelfApprove = true
			continue
		case word == "project_may_allow":
			s.ProjectMayAllow = true
			continue
		case word == "not_replaced=rewrite":
			s.NotReplaced = setting.NotReplacedRewrite
			continue
		case word == "not_replaced=deny":
			s.NotReplaced = setting.NotReplacedDeny
			continue
		case strings.HasPrefix(word, "shadow="):
			s.Shadow = word[len("shadow="):]
			continue
		case strings.HasPrefix(word, "tried:"): // tried:ID<UNTIL
			id, until, _ := strings.Cut(word[len("tried:"):], "<")
			s.Tried = append(s.Tried, setting.TriedHook{ID: id, Until: until})
			continue
		case strings.HasPrefix(word, "issuer="):
			s.Issuers = append(s.Issuers, word[len("issuer="):])
			continue
		case strings.HasPrefix(word, "channel:"): // channel:NAME,URL
			name, to, _ := strings.Cut(word[len("channel:"):], ",")
			s.Channels = append(s.Channels, setting.Channel{Name: name, URL: to, From: from})
			continue
		case strings.HasPrefix(word, "judge:"): // judge:MODEL,CALLS,MONEY,ON_SPENT
			parts := strings.Split(word[len("judge:"):], ",")
			j := setting.Judge{Model: parts[0], From: from}
			j.Calls, _ = strconv.Atoi(parts[1])
			j.Money, _ = strconv.Atoi(parts[2])
			j.OnSpent, _ = hookfile.ParseDecision(parts[3])
			s.Judges = append(s.Judges, j)
			continue
		case strings.HasPrefix(word, "grant:"): // grant:CALL,RULE,…@IN<UNTIL
			g := setting.Grant{Reason: "r", From: from}
			rest, until, _ := strings.Cut(word[len("grant:"):], "<")
			rest, g.In, _ = strings.Cut(rest, "@")
			names := strings.Split(rest, ",")
			g.Call, g.Until = names[0], until
			if len(names) > 1 {
				g.Rules = names[1:]
			}
			s.Grants = append(s.Grants, g)
			continue
		case !isPack:
			s.Packs = append(s.Packs, setting.Pack{Name: name, From: from})
			continue
		}
		i := slices.IndexFunc(s.Packs, func(p setting.Pack) bool { return p.Name == name })
		if i < 0 {
			s.Packs = append(s.Packs, setting.Pack{Name: name, From: from})
			i = len(s.Packs) - 1
		}
		key, val, _ := strings.Cut(value, "=")
		d, _ := hookfile.ParseDecision(val)
		switch key {
		case "off":
			s.Packs[i].Off = true
		case "allow":
			s.Packs[i].Allow = append(s.Packs[i].Allow, val)
		case "shadow": // NAME.shadow=RULE<UNTIL
			rule, until, _ := strings.Cut(val, "<")
			s.Packs[i].Shadow, s.Packs[i].Until = append(s.Packs[i].Shadow, rule), until
		default:
			s.Packs[i].By = append(s.Packs[i].By, setting.PackDecision{Key: key, Is: d})
		}
	}
	return s
}

// formatSettings returns s in the form that parseSettings parses.
func formatSettings(s setting.Settings) string {
	var out []string
	for _, p := range s.Packs {
		if p.Name == "" {
			out = append(out, "[]")
			continue
		}
		if p.Off {
			out = append(out, p.Name+".off")
		}
		for _, by := range p.By {
			out = append(out, p.Name+"."+by.Key+"="+by.Is.String())
		}
		for _, glob := range p.Allow {
			out = append(out, p.Name+".allow="+glob)
		}
		for _, rule := range p.Shadow {
			out = append(out, strings.TrimSuffix(p.Name+".shadow="+rule+"<"+p.Until, "<"))
		}
		if !p.Off && len(p.By)+len(p.Allow)+len(p.Shadow) == 0 {
			out = append(out, p.Name)
		}
	}
	for _, name := range s.Issuers {
		out = append(out, "issuer="+name)
	}
	for _, h := range s.Tried {
		out = append(out, strings.TrimSuffix("tried:"+h.ID+"<"+h.Until, "<"))
	}
	for _, c := range s.Channels {
		out = append(out, "channel:"+c.Name+","+c.URL)
	}
	for _, j := range s.Judges {
		out = append(out, fmt.Sprintf("judge:%s,%d,%d,%s", j.Model, j.Calls, j.Money, j.OnSpent))
	}
	for _, g := range s.Grants {
		word := "grant:" + strings.Join(append([]string{g.Call}, g.Rules...), ",")
		if g.In != "" {
			word += "@" + g.In
		}
		if g.Until != "" {
			word += "<" + g.Until
		}
		out = append(out, word)
	}
	for name, on := range map[string]bool{"self_approve": s.SelfApprove, "project_may_allow": s.ProjectMayAllow, "shadow=" + s.Shadow: s.Shadow != "", "not_replaced=" + s.NotReplaced.String(): s.NotReplaced != 0} {
		if on {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// What both the file and the last accepted one loosen is in force, and everything that the file
// tightens.
func TestHeldBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ before, now, force, held string }{
		{"", "git.off", "git", "git.off=true"},
		{"", "[]", "", "*.off=true"},
		{"", "git.high=ask git.low=deny", "git.low=deny", "git.high=ask"},
		{"", "git.low=deny disk", "disk git.low=deny", ""},
		{"", "self_approve project_may_allow shadow=2030-01-01T00:00:00Z", "", "project_may_allow=true self_approve=true shadow=2030-01-01T00:00:00Z"},
		{"", "not_replaced=rewrite", "", "not_replaced=rewrite"},
		{"", "not_replaced=deny", "not_replaced=deny", ""},
		{"not_replaced=rewrite", "git.off not_replaced=rewrite", "git not_replaced=rewrite", "git.off=true"},
		{"git.high=ask", "git.high=none", "git.high=ask", "git.high=none"},
		{"git.high=none", "git.high=ask", "git.high=ask", ""},
		{"git.off", "git.high=none disk.off", "disk git.high=none", "disk.off=true"},
		{"git.high=ask", "git.off", "git.high=ask", "git.off=true"},
		{"git.high=ask disk.off", "[]", "disk.off git.high=ask", "*.off=true"},
		{"[]", "git.off self_approve", "git.off", "self_approve=true"},
		{"fs.allow=./a", "fs.allow=./a fs.allow=/**", "fs.allow=./a", "fs.allow=/**"},
		{"shadow=2030-01-01T00:00:00Z", "shadow=2031-01-01T00:00:00Z", "shadow=2030-01-01T00:00:00Z", "shadow=2031-01-01T00:00:00Z"},
		{"self_approve", "self_approve", "self_approve", ""},
		{"", "git.shadow=push git.low=deny", "git.low=deny", "git.shadow=push"},
		{"git.shadow=push", "git.shadow=push git.shadow=clean", "git.shadow=push", "git.shadow=clean"},
		{"git.shadow=*", "git.shadow=push", "git.shadow=push", ""},
		{"git.shadow=push", "git.shadow=*", "git.shadow=push", "git.shadow=*"},
		{"git.shadow=push<2030-01-01T00:00:00Z", "git.shadow=push<2031-01-01T00:00:00Z", "git.shadow=push<2030-01-01T00:00:00Z", "git.shadow=push until 2031-01-01T00:00:00Z"},
		{"git.shadow=push<2030-01-01T00:00:00Z", "git.shadow=push", "git.shadow=push<2030-01-01T00:00:00Z", "git.shadow=push"},
		{"git.shadow=push", "git.shadow=push<2030-01-01T00:00:00Z", "git.shadow=push<2030-01-01T00:00:00Z", ""},
		{"git.shadow=push", "git.off", "git.shadow=push", "git.off=true"},
		{"git.off", "git.shadow=push", "git.shadow=push", ""},
		{"[]", "git.shadow=*", "git.shadow=*", ""},
		{"", "tried:no-ls", "", "shadow_hook=no-ls"},
		{"tried:no-ls", "tried:no-ls tried:no-pwd", "tried:no-ls", "shadow_hook=no-pwd"},
		{"tried:no-ls<2030-01-01T00:00:00Z", "tried:no-ls<2029-01-01T00:00:00Z", "tried:no-ls<2029-01-01T00:00:00Z", ""},
		{"tried:no-ls<2030-01-01T00:00:00Z", "tried:no-ls", "", "shadow_hook=no-ls"},
		{"issuer=git.example.com [] git.high=ask", "issuer=git.example.com issuer=evil.example []", "[] issuer=git.example.com", "issuer=evil.example"},
		{"issuer=git.example.com", "git.off issuer=git.example.com", "git issuer=git.example.com", "git.off=true"},
		{"", "grant:push", "", `grant={"call":"push"}`},
		{"grant:push", "grant:push", "grant:push", ""},
		{"grant:push", "grant:push grant:rm", "grant:push", `grant={"call":"rm"}`},
		{"grant:push", "grant:push,git/push-force", "", `grant={"call":"push","rules":["git/push-force"]}`}, // which may be a program
		{"grant:push,a,b", "grant:push,b", "grant:push,b", ""},
		{"grant:push,b", "grant:push,a,b", "grant:push,b", `grant={"call":"push","rules":["a","b"]}`},
		{"grant:push", "grant:push@/site", "grant:push@/site", ""},
		{"grant:push@/site", "grant:push", "grant:push@/site", `grant={"call":"push"}`},
		{"grant:push@/site", "grant:push@/other", "", `grant={"call":"push","in":"/other"}`},
		{"grant:push", "grant:push<2030-01-01T00:00:00Z", "grant:push<2030-01-01T00:00:00Z", ""},
		{"grant:push<2030-01-01T00:00:00Z", "grant:push<2031-01-01T00:00:00Z", "grant:push<2030-01-01T00:00:00Z", `grant={"call":"push","until":"2031-01-01T00:00:00Z"}`},
		{"grant:push<2030-01-01T00:00:00Z", "grant:push", "grant:push<2030-01-01T00:00:00Z", `grant={"call":"push"}`},
		{"[]", "grant:push", "", `grant={"call":"push"}`},
		{"", "channel:telegram,telegram://s3cret", "", "channel=telegram b06c4f9b7617a42d"},
		{"channel:telegram,telegram://s3cret", "channel:telegram,telegram://s3cret git.low=deny", "channel:telegram,telegram://s3cret git.low=deny", ""},
		{"channel:telegram,telegram://s3cret", "channel:telegram,telegram://other", "", "channel=telegram 5d4e401ef536d145"},
		{"", "judge:a/b,20,100,none", "", `judge={"model":"a/b","calls":20,"money":100}`},
		{"[]", "judge:a/b,20,100,none", "", `judge={"model":"a/b","calls":20,"money":100}`},
		{"judge:a/b,20,100,none", "judge:a/b,20,100,none", "judge:a/b,20,100,none", ""},
		{"judge:a/b,20,100,none", "judge:a/b,10,50,deny", "judge:a/b,10,50,deny", ""},
		{"judge:a/b,20,100,none", "judge:a/b,21,100,none", "", `judge={"model":"a/b","calls":21,"money":100}`},
		{"judge:a/b,20,100,none", "judge:a/b,20,101,none", "", `judge={"model":"a/b","calls":20,"money":101}`},
		{"judge:a/b,20,100,ask", "judge:a/b,20,100,none", "", `judge={"model":"a/b","calls":20,"money":100}`},
		{"judge:a/b,20,100,none", "judge:a/mild,20,100,none", "", `judge={"model":"a/mild","calls":20,"money":100}`},
		{"judge:a/b,20,100,none", "", "", ""},
	} {
		t.Run(tt.before+" then "+tt.now, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if held, _ := w.settle(tt.before, nil); held != "" {
				t.Fatalf("with no host alive %q is held back", held)
			}
			liveagents.NoteSelf(w.dir, func() liveagents.Host { return liveagents.Host{Name: "claude"} })
			held, force := w.settle(tt.now, nil)
			if held != tt.held || force != tt.force {
				t.Errorf("in force %q, held %q; want %q, %q", force, held, tt.force, tt.held)
			}
		})
	}
}

// Shadow mode of a hook that never counted loosens nothing.
func TestShadowOfNewHooks(t *testing.T) {
	t.Parallel()
	type step struct {
		counting string // the hooks that count
		first    bool   // at the first event of a session
	}
	for _, tt := range []struct {
		name  string
		steps []step
		held  string // of tried:a tried:b<2030 git.off
	}{
		{"nothing is known", nil, "git.off=true shadow_hook=a shadow_hook=b until 2030"},
		{"no session began", []step{{"a", false}}, "git.off=true shadow_hook=a shadow_hook=b until 2030"},
		{"none counted", []step{{"", true}}, "git.off=true"},
		{"one counted", []step{{"", true}, {"a", false}}, "git.off=true shadow_hook=a"},
		{"it counts no longer", []step{{"a", true}, {"b PACK", true}}, "git.off=true shadow_hook=b until 2030"},
	} {
		w := newWorld(t)
		w.addHost()
		for _, s := range tt.steps {
			ids := strings.Fields(s.counting)
			for i := range ids {
				ids[i] = strings.Replace(ids[i], "PACK", loosening.PackID("git"), 1)
			}
			loosening.NoteCounting(w.dir, ids, s.first)
		}
		for _, p := range []struct {
			entry string
			held  bool // if nothing of it counted
		}{{"git.medium=deny git.shadow=*", false}, {"git.shadow=*", true}, {"git.medium=none git.shadow=*", true}, {"git.medium=deny git.shadow=push", true}} {
			held, _ := w.settle(p.entry, func(c *loosening.Case) { c.Peek = true })
			if counted := strings.Contains(tt.held, "=b"); (held != "") != (p.held || counted) {
				t.Errorf("%s: of %s, %q is held", tt.name, p.entry, held)
			}
		}
		held, force := w.settle("tried:a tried:b<2030 git.off", nil)
		if held != tt.held {
			t.Errorf("%s: held %q, want %q", tt.name, held, tt.held)
		}
		for _, word := range []string{"tried:a", "tried:b<2030"} {
			name := strings.TrimPrefix(word, "tried:")[:1]
			if in := slices.Contains(strings.Fields(force), word); in == strings.Contains(held, "="+name) {
				t.Errorf("%s: in force %q", tt.name, force)
			}
		}
		s := parseSettings("git.off")
		if err := loosening.Confirm(w.dir, &s, &setting.Settings{}); err != nil {
			t.Fatal(err)
		}
		if held, _ := w.settle("tried:a git.off", nil); strings.Contains(held, "=a") != strings.Contains(tt.held, "=a") {
			t.Errorf("%s: after confirm, held %q", tt.name, held)
		}
	}
}

// A world is a state directory with a user's file.
type world struct {
	t    *testing.T
	dir  state.Dir
	file string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t, ledger.SealedDir(state.NewDir(filepath.Join(t.TempDir(), "state"))), filepath.Join(t.TempDir(), "checkrein.yaml")}
	return w
}

// settle writes the file and settles it.
func (w *world) settle(now string, change func(*loosening.Case)) (held, force string) {
	w.t.Helper()
	if err := os.WriteFile(w.file, []byte(now), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return w.settleAgain(now, change)
}

// settleAgain settles the file without writing it.
func (w *world) settleAgain(now string, change func(*loosening.Case)) (held, force string) {
	s := parseSettings(now)
	c := loosening.Case{State: w.dir, Settings: &s, Files: []string{w.file}}
	if change != nil {
		change(&c)
	}
	held = strings.Join(loosening.Settle(c), " ")
	return held, formatSettings(s)
}

func (w *world) addHost() {
	liveagents.NoteSelf(w.dir, func() liveagents.Host { return liveagents.Host{Name: "claude"} })
}

// removeHosts removes the notes of all hosts, as if these had ended.
func (w *world) removeHosts() {
	if err := os.RemoveAll(w.dir.Path("hosts")); err != nil {
		w.t.Fatal(err)
	}
}

// What was held back stays so after the host has ended, until it is confirmed or the user writes
// something else.
func TestHeldUntilConfirmed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addHost()
	if held, _ := w.settle("git.off", nil); held == "" {
		t.Fatal("not held back")
	}
	w.removeHosts()
	if held, force := w.settle("git.off", nil); held == "" || force != "git" {
		t.Fatalf("counts once the host is gone: %q", force)
	}
	if held, force := w.settle("git.off disk.off", nil); held != "" || force != "disk.off git.off" {
		t.Fatalf("a person's own change is held back: %q", held)
	}
	w.addHost()
	if held, _ := w.settle("git.off disk.off self_approve", nil); held != "self_approve=true" {
		t.Fatalf("held %q", held)
	}
	s := parseSettings("git.off disk.off self_approve")
	if err := loosening.Confirm(w.dir, &s, &setting.Settings{}); err != nil {
		t.Fatal(err)
	}
	if held, force := w.settleAgain("git.off disk.off self_approve", nil); held != "" || force != "disk.off git.off self_approve" {
		t.Errorf("held %q after it was confirmed", held)
	}
}

// What a managed file loosens needs no confirmation.
func TestManagedLoosens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addHost()
	held, force := w.settle("self_approve", func(c *loosening.Case) { c.Managed.SelfApprove = true })
	if held != "" || force != "self_approve" {
		t.Errorf("held %q, in force %q", held, force)
	}
}

// A grant in a managed file counts immediately.
func TestManagedGrants(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addHost()
	s := parseSettings("grant:push")
	s.Grants[0].From.Scope = checkrein.ScopeManaged
	if held := loosening.Settle(loosening.Case{State: w.dir, Settings: &s, Files: []string{w.file}}); len(held) > 0 || formatSettings(s) != "grant:push" {
		t.Errorf("held %q, in force %q", held, formatSettings(s))
	}
}

// Peek changes nothing, and a file that loosens nothing causes no reads or writes.
func TestPeek(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.settle("git.off", func(c *loosening.Case) { c.Peek = true })
	w.settle("git.low=deny", nil)
	if _, err := os.Stat(w.dir.Path()); err == nil {
		t.Error("something was written")
	}
}

// An accepted item that was removed from the file does not count if it comes back.
func TestRemovedItemsNeedConfirmation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.settle("git.off disk.high=ask", nil)
	s := parseSettings("disk.high=ask")
	loosening.DropRemoved(w.dir, &s, &setting.Settings{})
	w.addHost()
	if held, _ := w.settle("git.off disk.high=ask", nil); held != "git.off=true" {
		t.Errorf("held %q", held)
	}
}

func ExampleDescribe() {
	for _, item := range []string{"git.high=ask", "*.off=true", "self_approve=true", "shadow=2030-01-01T00:00:00Z", `grant={"call":"git push","rules":["git/x"],"in":"/a","until":"2030-01-01T00:00:00Z"}`, "channel=telegram 0011"} {
		fmt.Println(loosening.Describe(item))
	}
	// Output:
	// pack git: high: ask
	// packs: [] (all packs off)
	// self_approve: true
	// shadow until 2030-01-01T00:00:00Z
	// grant git push [git/x] in /a until 2030-01-01T00:00:00Z
	// channel telegram
}
