package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/sys/state"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
	"github.com/google/go-cmp/cmp"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fullFile is a file with everything that a cache must store.
const fullFile = `version: 1
project_may_allow: true
on_full: block
not_replaced: rewrite
settings: {snapshot: true}
ledger: {keep_days: 30, keep_mib: 300, witness: ~/heads, witness_command: [logger, -t, checkrein]}
include: [more.yaml]
hooks:
  pre_tool_use:
    - matcher: "shell|edit_.*"
      preempt_yolo: true
      hooks:
        - {name: a, type: command, command: ./check.sh, timeout: 1.5, env: {B: x, A: 1.10}, working_dir: sub, on_error: block, strict_output: true}
    - {type: rule, if: {any: [{tool: {is: shell}}, {paths: {under: /etc}}]}, decision: ask, reason: "{{command}}", patch: {n: 1.10, x: null}, priority: 900}
    - {command: [prog, "1", 2], gate: true, rewrites: false}
  stop: {type: builtin, command: add_date, args: [x]}
  native:FileChanged: {command: "true", async: true}
  session_end: [{type: model, model: a/b, prompt: "p", schema: pre_tool_use_decision}, {type: http, url: "https://x", headers: {K: v}, allow_local: true}]
`

func withCache(dir, build string) func(*Options) {
	return func(o *Options) {
		o.Cache = func() Cache { return Cache{Dir: state.NewDir(dir), Build: build, Secret: secretOf(1)} }
	}
}

// noOrigin is the encoding of an empty origin.
const noOrigin = "\x00\x00\x00\x00\x00"

// testSecret returns a secret for tests.
func testSecret(n byte) *state.Secret { return &state.Secret{n} }

func secretOf(n byte) func() *state.Secret { return func() *state.Secret { return testSecret(n) } }

// cacheFiles returns the paths of the files in a cache.
func cacheFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "cache", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestCacheChangesNothing checks that loading with the cache yields the same as loading without it.
func TestCacheChangesNothing(t *testing.T) {
	t.Parallel()
	tr, dir := newTree(t), t.TempDir()
	tr.write("user/checkrein.yaml", fullFile)
	tr.write("user/more.yaml", ruleFile("more"))
	tr.write("project/checkrein.yaml", ruleFile("p"))
	plain := tr.load()
	for _, pass := range []string{"written", "read"} {
		cached := tr.load(withCache(dir, "b1"))
		if diff := cmp.Diff(plain.Hooks, cached.Hooks); diff != "" {
			t.Errorf("%s (-without +with):\n%s", pass, diff)
		}
		if !reflect.DeepEqual(plain.Settings, cached.Settings) || !reflect.DeepEqual(plain.Files, cached.Files) {
			t.Errorf("%s: got %+v, %+v; want %+v, %+v", pass, cached.Settings, cached.Files, plain.Settings, plain.Files)
		}
	}
	if n := len(cacheFiles(t, dir)); n != 3 {
		t.Errorf("%d files are cached, want 3", n)
	}
}

// countParses returns an option that counts in n how often files are parsed.
func countParses(n *int) func(*Options) {
	return func(o *Options) {
		o.Dialect = func(src hookfile.Source) (*hookfile.Dialect, bool) {
			d, ok := dialect.Detect(src)
			if !ok {
				return nil, false
			}
			counted := *d
			counted.Parse = func(src hookfile.Source) (hookfile.File, error) { *n++; return d.Parse(src) }
			return &counted, true
		}
	}
}

// TestCacheKey checks that the name of a cache file depends on everything that affects parsing.
func TestCacheKey(t *testing.T) {
	t.Parallel()
	const agents = "agents:\n  root:\n    hooks: {stop: {type: command, command: a}}\n  two:\n    hooks: {stop: {type: command, command: b}}\n"
	type load struct {
		file, text, build, agent string
		guess                    bool
	}
	base := load{"user/checkrein.yaml", ruleFile("a"), "b1", "", false}
	for _, tt := range []struct {
		name         string
		first, again load
		parsed       int
	}{
		{"the same", base, base, 1},
		{"another build", base, load{base.file, base.text, "b2", "", false}, 2},
		{"other bytes", base, load{base.file, base.text + "\n", "b1", "", false}, 2},
		{"another agent", load{base.file, agents, "b1", "root", false}, load{base.file, agents, "b1", "two", false}, 2},
		{"an agent that is a guess", load{base.file, agents, "b1", "root", false}, load{base.file, agents, "b1", "root", true}, 2},
		{"no build, no cache", load{base.file, base.text, "", "", false}, load{base.file, base.text, "", "", false}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr, dir, n := newTree(t), t.TempDir(), 0
			for _, l := range []load{tt.first, tt.again} {
				tr.write(l.file, l.text)
				tr.load(withCache(dir, l.build), countParses(&n), func(o *Options) { o.Agent, o.Guess = l.agent, l.guess })
			}
			if n != tt.parsed {
				t.Errorf("parsed %d times, want %d", n, tt.parsed)
			}
		})
	}
}

// TestCacheKeyIncludesPath checks that files with the same content are cached separately, because
// every hook records its file.
func TestCacheKeyIncludesPath(t *testing.T) {
	t.Parallel()
	tr, dir := newTree(t), t.TempDir()
	tr.write("user/hooks.d/a.yaml", ruleFile("x"))
	tr.write("user/hooks.d/b.yaml", ruleFile("x"))
	for range 2 {
		c := tr.load(withCache(dir, "b1"))
		if a, b := c.Hooks[0].From.File, c.Hooks[1].From.File; a != tr.path("user/hooks.d/a.yaml") || b != tr.path("user/hooks.d/b.yaml") {
			t.Errorf("got %s, %s", a, b)
		}
	}
}

// TestCachedProblems checks that the mistakes in a file are cached, too, and reported each time.
func TestCachedProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, text string }{
		{"an error", "user/checkrein.yaml", "version: 1\nhooks:\n  stop: {type: command}\n"},
		{"a warning", "user/checkrein.yaml", "version: 1\nhooks:\n  pre_tool_use: {matcher: Bsah, command: x}\n"},
		{"a mended escape", "user/checkrein.yaml", "version: 1\nhooks:\n  pre_tool_use: {matcher: \"\\w+\", command: x}\n"},
		{"lost", "user/checkrein.yaml", "version: 1\nhooks: [\n"},
		{"managed", "managed/checkrein.yaml", ruleFile("m")},
		{"managed drop-in", "managed/hooks.d/m.yaml", ruleFile("m")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr, dir, n := newTree(t), t.TempDir(), 0
			tr.write(tt.file, tt.text)
			shown := func(c *Config) string { return fmt.Sprintf("%v\n%+v\n%+v", c.Err(), c.Files[0].Warnings, c.Hooks) }
			want := shown(tr.load())
			for range 2 {
				if got := shown(tr.load(withCache(dir, "b1"), countParses(&n))); got != want {
					t.Errorf("got %s\nwant %s", got, want)
				}
			}
			if n != 1 {
				t.Errorf("parsed %d times, want once", n)
			}
		})
	}
}

// TestManagedCache checks that managed files use only the administrator's cache, and that a tampered
// file in it does not count.
func TestManagedCache(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("everyone may add files to the administrator's directory there")
	}
	tr, dir, n := newTree(t), t.TempDir(), 0
	tr.write("managed/checkrein.yaml", ruleFile("m"))
	load := func() { wantNames(t, tr.load(withCache(dir, "b1"), countParses(&n)), "managed m") }
	load()
	if got := len(cacheFiles(t, dir)); got != 0 {
		t.Errorf("%d managed files in the person's cache", got)
	}
	kept := cacheFiles(t, tr.path("managed"))
	if len(kept) != 1 {
		t.Fatalf("%d readings in the managed directory, want 1", len(kept))
	}
	for _, spoil := range []func(){
		func() { must(t, os.Chmod(kept[0], 0o666)) },
		func() { must(t, os.WriteFile(kept[0], []byte("checkrein cache"), 0o644)) },
		func() { must(t, os.Remove(kept[0])) },
	} {
		load()
		if n != 1 {
			t.Errorf("parsed %d times, want once", n)
		}
		spoil()
		load()
		if n != 2 {
			t.Errorf("a spoilt reading was used")
		}
		n = 1
	}
}

// TestCacheHoldsNoTrust checks that flags and approvals are not cached: scope and approval depend on
// where the file is found.
func TestCacheHoldsNoTrust(t *testing.T) {
	t.Parallel()
	tr, dir := newTree(t), t.TempDir()
	file := tr.write("project/checkrein.yaml", ruleFile("x"))
	named := func(o *Options) { o.Files = []string{file} }
	if c := tr.load(withCache(dir, "b1"), named); c.Hooks[0].From.Approval || c.Hooks[0].From.Scope != checkrein.ScopeUser {
		t.Fatalf("got %+v", c.Hooks[0].From)
	}
	if c := tr.load(withCache(dir, "b1")); !c.Hooks[0].From.Approval || c.Hooks[0].From.Scope != checkrein.ScopeProject {
		t.Errorf("the cache made a repository's hook the person's own: %+v", c.Hooks[0].From)
	}
}

// TestDamagedCache checks that a cache file does not count if any byte was changed, removed or added.
func TestDamagedCache(t *testing.T) {
	t.Parallel()
	tr, dir := newTree(t), t.TempDir()
	tr.write("user/checkrein.yaml", fullFile)
	tr.write("user/more.yaml", "version: 1\n")
	want := tr.load(withCache(dir, "b1"))
	var name string
	for _, f := range cacheFiles(t, dir) {
		if data, _ := os.ReadFile(f); len(data) > 200 {
			name = f
		}
	}
	sound, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, data []byte) {
		t.Helper()
		key := "cache/" + filepath.Base(name)
		if f, err := decodeCacheFile(testSecret(1), key, data); err == nil {
			t.Errorf("%s: accepted with %d hooks", what, len(f.Hooks))
		}
	}
	for i := range sound {
		for _, bit := range []byte{1, 0x80, 0xff} {
			bad := append([]byte{}, sound...)
			bad[i] ^= bit
			check(fmt.Sprintf("byte %d ^ %#x", i, bit), bad)
		}
		check(fmt.Sprintf("cut at %d", i), sound[:i])
	}
	check("more", append(append([]byte{}, sound...), 0))
	if _, err := decodeCacheFile(testSecret(1), "cache/another", sound); err == nil {
		t.Error("a file under another's name is accepted")
	}
	for _, bad := range [][]byte{nil, []byte("x"), sound[:len(sound)-1], append([]byte{}, sound[1:]...)} {
		if err := os.WriteFile(name, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		got := tr.load(withCache(dir, "b1"))
		if diff := cmp.Diff(want.Hooks, got.Hooks); diff != "" {
			t.Errorf("with a damaged cache (-want +got):\n%s", diff)
		}
	}
}

// TestCacheThatCannotBeWritten checks that loading works if the cache cannot be written.
func TestCacheThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	tr := newTree(t)
	tr.write("user/checkrein.yaml", ruleFile("a"))
	file := tr.write("state", "a file in the way")
	wantNames(t, tr.load(withCache(file, "b1")), "user a")
	wantNames(t, tr.load(func(o *Options) { o.Cache = func() Cache { return Cache{Build: "b1", Secret: secretOf(1)} } }), "user a")
}

// FuzzCacheDecode checks that no input makes decoding panic or use unlimited memory, and that accepted
// input is encoded and decoded to the same value.
func FuzzCacheDecode(f *testing.F) {
	file, err := dialectFile(fullFile)
	if err != nil {
		f.Fatal(err)
	}
	const name = "cache/x"
	sound := encodeCacheFile(testSecret(1), name, origin{}, &parseResult{File: file})
	f.Add(sound[len(cacheMagic)+state.MACSize+len(noOrigin):])
	f.Add([]byte{0, 0, 0, 0})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := decodeCacheFile(testSecret(1), name, body); err == nil {
			t.Error("accepted without a checksum")
		}
		got, err := (&decoder{rest: body}).decodeResult()
		if err != nil {
			return
		}
		again, err := decodeCacheFile(testSecret(1), name, encodeCacheFile(testSecret(1), name, origin{}, &got))
		if err != nil {
			t.Fatal(err)
		}
		a, _ := json.Marshal(fmt.Sprintf("%+v", got))
		b, _ := json.Marshal(fmt.Sprintf("%+v", again))
		if string(a) != string(b) {
			t.Errorf("got %s\nthen %s", a, b)
		}
	})
}

func dialectFile(text string) (hookfile.File, error) {
	src := hookfile.Source{File: "/x/checkrein.yaml", Data: []byte(text)}
	d, _ := dialect.Detect(src)
	return d.Parse(src)
}

func BenchmarkCacheGet(b *testing.B) {
	file, err := dialectFile(fullFile)
	if err != nil {
		b.Fatal(err)
	}
	src := hookfile.Source{File: "/x/checkrein.yaml", Data: []byte(fullFile)}
	d, _ := dialect.Detect(src)
	c := Cache{Dir: state.NewDir(b.TempDir()), Build: "b1", Secret: secretOf(1)}
	c.put(d, src, &parseResult{File: file})
	for b.Loop() {
		if _, ok := c.get(d, src); !ok {
			b.Fatal("not found")
		}
	}
}
