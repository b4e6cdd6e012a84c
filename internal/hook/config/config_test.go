package config

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/google/go-cmp/cmp"
)

func TestNothing(t *testing.T) {
	t.Parallel()
	c := Load(Options{})
	if len(c.Hooks)+len(c.Files) != 0 || c.Err() != nil {
		t.Errorf("got %+v", c)
	}
	wantNames(t, newTree(t).load(), "")
}

// TestScopesInOrder checks that the hooks of all scopes are combined: managed, user, project, then the
// command line.
func TestScopesInOrder(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("project/checkrein.yaml", ruleFile("p"))
	tr.write("user/checkrein.yaml", ruleFile("u"))
	tr.write("user/hooks.d/10.yaml", ruleFile("d"))
	tr.write("managed/checkrein.yaml", ruleFile("m"))
	tr.write("managed/hooks.d/x.yml", ruleFile("md"))
	flag, _ := FlagHook(checkrein.Stop, "true", 1)
	c := tr.load(func(o *Options) { o.Flags = []checkrein.Hook{flag} })
	wantNames(t, c, "managed m, managed md, user u, user d, project p, flag flag#1")
	for _, h := range c.Hooks {
		if got, want := h.From.Approval, h.From.Scope == checkrein.ScopeProject; got != want {
			t.Errorf("%s: needs approval %v, want %v", h.Label(), got, want)
		}
	}
}

// TestFilesByName checks that files given by name are loaded instead of all others, and must exist.
func TestFilesByName(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/checkrein.yaml", ruleFile("u"))
	a, b := tr.write("project/b.yaml", ruleFile("b")), tr.write("a.yaml", ruleFile("a"))
	wantNames(t, tr.load(func(o *Options) { o.Files = []string{a, b} }), "user b, user a")
	byPlace := func(files ...string) *Config { return tr.load(func(o *Options) { o.Files, o.ByPlace = files, true }) }
	wantNames(t, byPlace(a, b), "user b, user a")
	tr.write("project/checkrein.yaml", "version: 1\n")
	wantNames(t, byPlace(a), "user b")
	tr.write("project/checkrein.yaml", includeFile("b.yaml"))
	wantNames(t, byPlace(a, b), "project b, user a") // the project reads it by itself
	tr.write("project/checkrein.yaml", "version: 1\n")
	tr.write("project/.git/HEAD", "")
	wantNames(t, byPlace(a, b, tr.path("user/checkrein.yaml")), "project b, user a, user u")
	wantNames(t, tr.load(func(o *Options) { o.Files = []string{a} }), "user b")
	c := tr.load(func(o *Options) { o.Files = []string{b, tr.path("no.yaml")} })
	wantNames(t, c, "user a, user configuration!")
	wantErr(t, c.Err(), "no.yaml")
}

// TestSettings checks that only the settings of the user and the administrator count.
func TestSettings(t *testing.T) {
	t.Parallel()
	all := "version: 1\nproject_may_allow: true\nself_approve: true\non_full: block\nnot_replaced: rewrite\nsettings: {snapshot: true}\n" +
		"ledger: {keep_days: 1, keep_mib: 16, witness: /w, witness_command: [w]}\n"
	want := setting.Settings{ProjectMayAllow: true, SelfApprove: true, OnFull: checkrein.FaultBlock, NotReplaced: setting.NotReplacedRewrite, Snapshot: true,
		Ledger: setting.Ledger{KeepDays: 1, KeepMiB: 16, Witness: "/w", WitnessCommand: []string{"w"}}}
	for _, tt := range []struct {
		name string
		want setting.Settings
	}{{"managed/checkrein.yaml", want}, {"user/checkrein.yaml", want}, {"user/hooks.d/x.yaml", want}, {"project/checkrein.yaml", setting.Settings{}}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t)
			tr.write(tt.name, all)
			c := tr.load()
			wantErr(t, c.Err(), "")
			if diff := cmp.Diff(tt.want, c.Settings); diff != "" || len(c.Files[0].Warnings) != 0 {
				t.Errorf("(-want +got):\n%s%v", diff, c.Files[0].Warnings)
			}
		})
	}
}

// TestSettingsStay checks that a file that a repository includes cannot turn a switch on, and that no
// file can turn off a switch of another one.
func TestSettingsStay(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/checkrein.yaml", "version: 1\nproject_may_allow: true\non_full: block\ninclude: [../project/x.yaml]\n")
	tr.write("user/hooks.d/x.yaml", "version: 1\nproject_may_allow: false\non_full: warn\n")
	tr.write("project/.git/HEAD", "")
	tr.write("project/x.yaml", "version: 1\nself_approve: true\nledger: {keep_days: 1, witness: /w, witness_command: [w]}\n")
	want := setting.Settings{ProjectMayAllow: true, OnFull: checkrein.FaultBlock}
	if diff := cmp.Diff(want, tr.load().Settings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNotReplaced checks that the strictest value of not_replaced counts, and that a project can only
// make it stricter.
func TestNotReplaced(t *testing.T) {
	t.Parallel()
	const unset, rewrite, deny = setting.NotReplacedUnset, setting.NotReplacedRewrite, setting.NotReplacedDeny
	for _, tt := range []struct{ managed, user, project, want setting.NotReplaced }{
		{unset, unset, unset, unset},
		{unset, rewrite, unset, rewrite},
		{unset, rewrite, deny, deny},
		{unset, unset, rewrite, unset},
		{unset, unset, deny, deny},
		{deny, rewrite, rewrite, deny},
		{rewrite, unset, unset, rewrite},
		{rewrite, deny, rewrite, deny},
	} {
		tr := newTree(t)
		for name, is := range map[string]setting.NotReplaced{"managed": tt.managed, "user": tt.user, "project": tt.project} {
			text := "version: 1\n"
			if is != unset {
				text += "not_replaced: " + is.String() + "\n"
			}
			tr.write(name+"/checkrein.yaml", text)
		}
		c := tr.load()
		wantErr(t, c.Err(), "")
		if got := c.Settings.NotReplaced; got != tt.want {
			t.Errorf("%+v: got %v", tt, got)
		}
	}
}

// TestLedgerSettings checks that the longest time and the largest size count, and that the
// administrator's witness and witness command each take precedence over the user's.
func TestLedgerSettings(t *testing.T) {
	t.Parallel()
	const managed, dropIn, user, more = "managed/checkrein.yaml", "managed/hooks.d/x.yaml", "user/checkrein.yaml", "user/hooks.d/x.yaml"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  setting.Ledger
	}{
		{"nothing", map[string]string{user: "{}"}, setting.Ledger{}},
		{"the person keeps more", map[string]string{managed: "{keep_days: 10, keep_mib: 100}", user: "{keep_days: 20, keep_mib: 200}"},
			setting.Ledger{KeepDays: 20, KeepMiB: 200}},
		{"the administrator keeps more", map[string]string{managed: "{keep_days: 20, keep_mib: 200}", user: "{keep_days: 10, keep_mib: 100}"},
			setting.Ledger{KeepDays: 20, KeepMiB: 200}},
		{"each by itself", map[string]string{managed: "{keep_days: 20}", user: "{keep_days: 10, keep_mib: 100}"},
			setting.Ledger{KeepDays: 20, KeepMiB: 100}},
		{"the administrator's witnesses", map[string]string{managed: "{witness: /m, witness_command: [m]}", user: "{witness: /u, witness_command: [u, v]}"},
			setting.Ledger{Witness: "/m", WitnessCommand: []string{"m"}}},
		{"one of each", map[string]string{managed: "{witness: /m}", user: "{witness: /u, witness_command: [u, v]}"},
			setting.Ledger{Witness: "/m", WitnessCommand: []string{"u", "v"}}},
		{"the first of two", map[string]string{user: "{witness: /u, witness_command: [u]}", more: "{witness: /d, witness_command: [d]}"},
			setting.Ledger{Witness: "/u", WitnessCommand: []string{"u"}}},
		{"the administrator's behind the person's", map[string]string{managed: "{}\ninclude: [../user/a.yaml]", "user/a.yaml": "{witness: /u, witness_command: [u]}",
			dropIn: "{witness: /m, witness_command: [m]}", more: "{witness: /d, witness_command: [d]}"},
			setting.Ledger{Witness: "/m", WitnessCommand: []string{"m"}}},
		{"a witness that is wrong", map[string]string{managed: "{witness: m}", user: "{witness: /u}"}, setting.Ledger{Witness: "/u"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t)
			for name, text := range tt.files {
				tr.write(name, "version: 1\nledger: "+text+"\n")
			}
			if diff := cmp.Diff(tt.want, tr.load().Settings.Ledger); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLostFile checks that a file that cannot be read closes gates and causes warnings on other
// events.
func TestLostFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"syntax":        "version: 1\nhooks: [\n",
		"no dialect":    "pre_tool_use: []\n",
		"binary":        "\x00\x01",
		"not a mapping": "- version: 1\nversion: 1\n",
		"version":       "version: 2\n",
		"unknown key":   "version: 1\nhook: {}\n",
		"unknown event": "version: 1\nhooks: {pre_tool_us: []}\n",
		"hooks":         "version: 1\nhooks: [x]\n",
		"include":       "version: 1\ninclude: {a: b}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t)
			path := tr.write("user/hooks.d/bad.yaml", text)
			tr.write("user/hooks.d/good.yaml", ruleFile("good"))
			c := tr.load()
			wantErr(t, c.Err(), path+":")
			kinds := map[checkrein.Kind]checkrein.FaultPolicy{}
			for _, h := range c.Hooks {
				if h.ID == LostID {
					kinds[h.On] = h.OnFault
					if h.From.File != path || !strings.Contains(h.Broken, "cannot be read") {
						t.Errorf("got %+v", h)
					}
				}
			}
			for _, row := range checkrein.Contracts() {
				if want := map[bool]checkrein.FaultPolicy{true: checkrein.FaultBlock, false: checkrein.FaultWarn}[row.Closed]; kinds[row.Kind] != want {
					t.Errorf("%s: a fault is %q, want %q", row.Name, kinds[row.Kind], want)
				}
			}
			if !strings.HasSuffix(formatHooks(c.Hooks), "user good") {
				t.Errorf("the other file is lost too: %s", formatHooks(c.Hooks))
			}
		})
	}
}

// TestBadEntry checks that an invalid entry becomes a broken hook and does not affect the others.
func TestBadEntry(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/checkrein.yaml", `version: 1
hooks:
  pre_tool_use:
    - {name: good, decision: deny}
    - {name: bad, decison: deny}
    - {name: also good, command: "true"}
  stop:
    - {name: bad too, type: comand, command: "true"}
`)
	c := tr.load()
	wantNames(t, c, "user good, user bad!, user also good, user bad too!")
	if c.Files[0].Lost != nil {
		t.Errorf("the file is lost: %v", c.Files[0].Lost)
	}
}

// TestAllErrorsAreReported checks that all mistakes are reported at once, with file, line, hook and
// remedy.
func TestAllErrorsAreReported(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	path := tr.write("user/checkrein.yaml", `version: 1
hooks:
  pre_tool_use:
    - matcher: "shell**"
      hooks:
        - {name: no-force, type: command, command: ./check.sh}
    - {name: typo, type: comand, command: x}
    - {name: slow, type: command, command: x, timeout: -1}
    - {type: rule, if: {comand: {is: ls}}, decision: deny}
    - {name: keys, command: x, on_eror: block}
    - matcher: "(?=x)"
      hooks: []
  session_start:
    - {name: cannot, command: x, on_error: block}
    - matcher: shell
      preempt_yolo: false
      hooks: {command: x}
  pre_tool_usee: []
  PreToolUse: []
stetings: {}
packs: git
`)
	want := `P:4: matcher: pattern "shell**": "**" repeats a repetition: in a regular expression, ".*" matches any text
P:7: hook "typo": unknown hook type "comand", did you mean "command"?
P:8: hook "slow": timeout -1 is negative (write seconds, or leave it out for the default)
P:9: hook "pre_tool_use#4": if: unknown field "comand" on pre_tool_use, did you mean "command"?
P:10: hook "keys": unknown key "on_eror", did you mean "on_error"?
P:11: matcher: pattern "(?=x)": look-around "(?=" is not supported: use a broader pattern and exclude the rest with if: {not: …}
P:11: a matcher group under pre_tool_use has no hooks (add a hook or remove the group)
P:14: hook "cannot": on_error: block has no effect here: no hook can block session_start (use warn or ignore)
P:15: matcher has no effect on session_start, because it is not a tool event (use ` + "`if:`" + ` with the event's fields)
P:16: preempt_yolo has no effect on session_start (remove it)
P:18: unknown event "pre_tool_usee", did you mean "pre_tool_use"?
P:19: unknown event "PreToolUse": here it is called pre_tool_use
P:20: unknown key "stetings" in the file, did you mean "settings"?
P:21: packs is a string, not a list, so it is ignored (write a list, such as packs: [git, {name: secrets, high: ask}], or [] for none)`
	got := strings.ReplaceAll(tr.load().Err().Error(), path, "P")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestDanglingSymlinks checks that a dangling symlink counts as a file that cannot be read, not as a
// missing one.
func TestDanglingSymlinks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"user/checkrein.yaml", "user/hooks.d/x.yaml", "managed/checkrein.yaml", "user/hooks.d"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newTree(t)
			tr.write("user/other", "")
			tr.write("user/hooks.d/other", "")
			tr.write("managed/other", "")
			if err := os.RemoveAll(tr.path(name)); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(tr.path("nowhere"), tr.path(name)); err != nil {
				t.Skip(err)
			}
			c := tr.load()
			wantErr(t, c.Err(), tr.path(name))
			if !strings.Contains(formatHooks(c.Hooks), "configuration!") {
				t.Errorf("got %s", formatHooks(c.Hooks))
			}
		})
	}
}

// TestIrregularFiles checks that a file that is not regular is rejected without blocking.
func TestIrregularFiles(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	if err := os.MkdirAll(tr.path("user/checkrein.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := tr.load()
	wantErr(t, c.Err(), "not a regular file")
	wantNames(t, c, "user configuration!")
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/checkrein.yaml", "version: 1\n#"+strings.Repeat("x", 1<<20))
	wantErr(t, tr.load().Err(), "more than 1048576")
}

// TestByteOrderMark checks that a byte order mark, which some editors write, is ignored.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/checkrein.yaml", "\ufeff"+ruleFile("a"))
	tr.write("user/hooks.d/b.yaml", "\ufeff"+ruleFile("b"))
	wantNames(t, tr.load(), "user a, user b")
}

// TestSlowProjectFile checks that a project's file that takes too long to parse costs limited time and
// does not affect the user's own gates.
func TestSlowProjectFile(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/checkrein.yaml", ruleFile("mine"))
	slow := tr.write("project/checkrein.yaml", ruleFile("slow"))
	opts := tr.options()
	opts.Hurried = true
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		defer close(stuck)
		opts.Dialect = func(src hookfile.Source) (*hookfile.Dialect, bool) {
			d, ok := dialect.Detect(src)
			if src.File != slow {
				return d, ok
			}
			waits := *d
			waits.Parse = func(hookfile.Source) (hookfile.File, error) { <-stuck; return hookfile.File{}, nil }
			return &waits, ok
		}
		began := time.Now()
		c := Load(opts)
		if took := time.Since(began); took != hurried.time {
			t.Errorf("it took %v", took)
		}
		wantNames(t, c, "user mine, project configuration!")
		wantErr(t, c.Err(), "takes too long: more than 3s")
	})
}

func TestFlagHook(t *testing.T) {
	t.Parallel()
	for _, blank := range []string{"", "  ", "\t\n"} {
		if _, ok := FlagHook(checkrein.Stop, blank, 1); ok {
			t.Errorf("%q makes a hook", blank)
		}
	}
	h, ok := FlagHook(checkrein.PreToolUse, `echo "x"`, 2)
	if !ok || h.On != checkrein.PreToolUse || h.Match != "" || string(h.With) != `{"command":"echo \"x\""}` || h.From.Scope != checkrein.ScopeFlag || h.ID != "flag#2" {
		t.Errorf("got %+v", h)
	}
}

// TestProjectRoot checks that the root is the topmost directory of the repository with project files,
// so that files further down cannot replace them, and the nearest one elsewhere.
func TestProjectRoot(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("checkrein.yaml", "version: 1\n")
	tr.write("repo/.git/HEAD", "")
	tr.write("repo/sub/deep/x", "")
	tr.write("top/.git/HEAD", "")
	tr.write("top/checkrein.yaml", "version: 1\n")
	tr.write("top/sub/checkrein.yaml", "version: 1\n")
	tr.write("other/sub/checkrein.yaml", "version: 1\n")
	tr.write("other/sub/deep/x", "")
	for dir, want := range map[string]string{"repo/sub/deep": "repo/sub/deep", "repo": "repo", "top/sub": "top", "other/sub/deep": "other/sub", "other": ""} {
		if got := ProjectRoot(tr.path(dir)); got != tr.path(want) {
			t.Errorf("%s: got %s, want %s", dir, got, tr.path(want))
		}
	}
	if got := ProjectRoot(""); got != "" {
		t.Errorf("got %q", got)
	}
}

// TestAgentFile checks that the agent file is loaded in addition to everything else, for the selected
// agent only. In a repository it belongs to the project, in the user's own directory to the user.
func TestAgentFile(t *testing.T) {
	t.Parallel()
	agents := "agents:\n  root:\n    hooks: {stop: [{type: command, name: r, command: 'true'}]}\n  helper:\n    hooks: {stop: [{type: command, name: h, command: 'true'}]}\n"
	tr := newTree(t)
	tr.write("user/checkrein.yaml", ruleFile("u"))
	tr.write("repo/.git/HEAD", "")
	own, brought := tr.write("mine/agent.yaml", agents), tr.write("repo/deep/agent.yaml", agents)
	link := tr.path("mine/link.yaml")
	if err := os.Symlink(brought, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ file, agent, want string }{
		{own, "", "user u, user r"},
		{own, "helper", "user u, user h"},
		{brought, "helper", "user u, project h"},
		{link, "root", "user u, project r"},
	} {
		c := tr.load(func(o *Options) { o.AgentFile, o.Agent = tt.file, tt.agent })
		var got []checkrein.Hook
		for _, h := range c.Hooks {
			if !h.Implied {
				got = append(got, h)
			}
		}
		if formatHooks(got) != tt.want {
			t.Errorf("%s of %s: %s, want %s", tt.agent, tt.file, formatHooks(got), tt.want)
		}
	}
	wantErr(t, tr.load(func(o *Options) { o.AgentFile, o.Agent = own, "nobody" }).Err(), "nobody")
}
