package rebuild

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/sys/state"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

const testBuild = "a build"

// A fixture is a state directory with every store, and what the stores return while they are
// untouched.
type fixture struct {
	*testing.T
	user  string
	state state.Dir
	files map[string][]byte // the files of the state directory
	older map[string][]byte // an earlier version of these files

	hooks []checkrein.Hook
	hits  []string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	f := &fixture{T: t, user: filepath.Join(dir, "user"), state: state.NewDir(filepath.Join(dir, "state"))}
	book := ledger.Open(ledger.Options{Dir: f.state, Segment: 24 << 10})
	f.fill(book, 0)
	f.older = f.readFiles()
	f.fill(book, 1)
	f.files = f.readFiles()
	f.hooks, f.hits = f.load(nil), f.query(nil)
	return f
}

// fill adds something to every store.
func (f *fixture) fill(book *ledger.Ledger, round int) {
	f.Helper()
	for i := range 120 {
		decision := []string{"none", "deny", "ask"}[i%3]
		if _, err := book.Append(ledger.KindEvent, fmt.Appendf(nil, `"event":"pre_tool_use","host":"h%d","session":"s%d","decision":%q,"effects":[%q],"pad":%q`,
			i%2, round, decision, decision, strings.Repeat("x", 200)), false); err != nil {
			f.Fatal(err)
		}
	}
	for i := range 3 {
		name := filepath.Join(f.user, "hooks.d", fmt.Sprintf("f%d.yaml", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			f.Fatal(err)
		}
		text := fmt.Sprintf("version: 1\nhooks:\n  pre_tool_use: {name: n%d-%d, type: rule, if: {command: {contains: word}}, decision: deny}\n", i, round)
		if i < 2 || round == 0 {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				f.Fatal(err)
			}
		}
	}
	f.load(nil)
	f.query(nil)
}

// load reads the configuration through the cache. It counts reported problems in told, if that is not
// nil.
func (f *fixture) load(told *int) []checkrein.Hook {
	cache := config.Cache{Dir: f.state, Build: testBuild,
		Secret: func() *state.Secret {
			secret, err := ledger.ReadSecret(f.state.Path(ledger.Folder), ledger.LabelCache)
			if err != nil {
				f.Fatal(err)
			}
			return secret
		},
		OnDamaged: func(string, error) {
			if told != nil {
				*told++
			}
		}}
	c := config.Load(config.Options{User: f.user, Dialect: dialect.Detect, Cache: func() config.Cache { return cache }})
	if err := c.Err(); err != nil {
		f.Fatal(err)
	}
	return c.Hooks
}

// query returns everything in the index, or an error as text.
func (f *fixture) query(told *int) []string {
	var out []string
	said := func(error) {
		if told != nil {
			*told++
		}
	}
	ix, err := index.Open(f.Context(), f.state.Path(ledger.Folder), index.Options{Renewed: said})
	if err != nil {
		return []string{err.Error()}
	}
	defer ix.Close()
	for _, filter := range []index.Filter{{}, {Decision: []string{"deny"}}, {Host: []string{"h1"}, Session: []string{"s*"}}, {Effect: []string{"ask"}, Oldest: true}} {
		filter.Kind = ledger.KindEvent // findings are recorded too, as another kind
		for h, err := range ix.Query(f.Context(), filter) {
			if err != nil {
				return []string{err.Error()}
			}
			out = append(out, fmt.Sprint(h))
		}
		n, err := ix.Count(f.Context(), filter)
		if err != nil {
			return []string{err.Error()}
		}
		out = append(out, fmt.Sprint(n))
	}
	return out
}

// readFiles returns the files of the stores, and the files of the ledger that they are derived from.
func (f *fixture) readFiles() map[string][]byte {
	f.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(f.state.Path(), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, _ := filepath.Rel(f.state.Path(), path)
		row, ok := FileOf(filepath.ToSlash(name))
		if !ok {
			f.Errorf("%s is in no table", name)
		}
		if row.Store != "" {
			out[filepath.ToSlash(name)], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return out
}

// reset restores the stores.
func (f *fixture) reset() {
	f.Helper()
	if err := os.RemoveAll(f.state.Path("cache")); err != nil {
		f.Fatal(err)
	}
	if err := index.Remove(f.state.Path(ledger.Folder)); err != nil {
		f.Fatal(err)
	}
	for name := range f.files {
		f.writeFile(name, f.files[name])
	}
}

func (f *fixture) writeFile(name string, data []byte) {
	f.Helper()
	if err := f.state.Write(name, data); err != nil {
		f.Fatal(err)
	}
}

// A mutation changes a file of a store. It may use other files of the store to do so.
type mutation struct {
	name string
	do   func(r *rand.Rand, data []byte, f *fixture, name string, all []string) []byte
}

var mutations = []mutation{
	{"flip a bit", func(r *rand.Rand, d []byte, _ *fixture, _ string, _ []string) []byte {
		d[r.IntN(len(d))] ^= 1 << r.IntN(8)
		return d
	}},
	{"change a byte", func(r *rand.Rand, d []byte, _ *fixture, _ string, _ []string) []byte {
		d[r.IntN(len(d))] = byte(r.IntN(256))
		return d
	}},
	{"write zeros", func(r *rand.Rand, d []byte, _ *fixture, _ string, _ []string) []byte {
		at := r.IntN(len(d))
		clear(d[at:min(len(d), at+1+r.IntN(64))])
		return d
	}},
	{"delete", func(r *rand.Rand, d []byte, _ *fixture, _ string, _ []string) []byte {
		at := r.IntN(len(d))
		return slices.Delete(d, at, min(len(d), at+1+r.IntN(32)))
	}},
	{"insert", func(r *rand.Rand, d []byte, _ *fixture, _ string, _ []string) []byte {
		more := make([]byte, 1+r.IntN(32))
		for i := range more {
			more[i] = byte(r.IntN(256))
		}
		return slices.Insert(d, r.IntN(len(d)+1), more...)
	}},
	{"truncate", func(r *rand.Rand, d []byte, _ *fixture, _ string, _ []string) []byte { return d[:r.IntN(len(d))] }},
	{"swap within", func(r *rand.Rand, d []byte, _ *fixture, _ string, _ []string) []byte {
		n := 1 << (4 + r.IntN(11))
		if len(d) < 2*n {
			n = len(d) / 2
		}
		a, b := r.IntN(len(d)/n)*n, r.IntN(len(d)/n)*n
		keep := bytes.Clone(d[a:min(a+n, len(d))])
		copy(d[a:a+len(keep)], d[b:min(b+n, len(d))])
		copy(d[b:], keep)
		return d[:len(d):len(d)]
	}},
	{"another's", func(r *rand.Rand, _ []byte, f *fixture, _ string, all []string) []byte {
		return bytes.Clone(f.files[all[r.IntN(len(all))]])
	}},
	{"replay", func(r *rand.Rand, d []byte, f *fixture, name string, _ []string) []byte {
		if old, ok := f.older[name]; ok {
			return bytes.Clone(old)
		}
		var olds []string
		for n := range f.older {
			if strings.HasPrefix(n, name[:strings.IndexByte(name, '/')]) {
				olds = append(olds, n)
			}
		}
		slices.Sort(olds)
		return bytes.Clone(f.older[olds[r.IntN(len(olds))]])
	}},
}

// Whatever is done to the files of a store, the store returns nothing wrong, and a change that has an
// effect is reported.
func TestMutationsOfStoresAreFound(t *testing.T) {
	t.Parallel()
	const trials = 60
	for _, store := range Stores() {
		t.Run(store.Name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			var names []string
			for name := range f.files {
				if row, _ := FileOf(name); row.Store == store.Name {
					names = append(names, name)
				}
			}
			slices.Sort(names)
			if len(names) == 0 {
				t.Fatal("nothing is in the store: the fixture lacks it")
			}
			place := Place{Ledger: f.state.Path(ledger.Folder), State: f.state, Builds: []string{testBuild}}
			told, harmless, same := 0, 0, 0
			r := rand.New(rand.NewPCG(20, 26))
			for i := range trials {
				f.reset()
				m := &mutations[i%len(mutations)]
				name := names[r.IntN(len(names))]
				data := m.do(r, bytes.Clone(f.files[name]), f, name, names)
				if bytes.Equal(data, f.files[name]) {
					same++
					continue
				}
				f.writeFile(name, data)
				found, err := place.Check(t.Context())
				said := len(found)
				if err != nil {
					said++
				}
				if what := f.wrongContents(store.Name, &said); what != "" {
					t.Errorf("trial %d: %s of %s: %s", i, m.name, name, what)
				}
				if said > 0 {
					told++
				} else {
					harmless++
				}
			}
			t.Logf("%s: %d trials changed something: %d told, %d harmless, 0 believed (%d more changed nothing)", store.Name, told+harmless, told, harmless, same)
		})
	}
}

// wrongContents uses a store, and returns what it accepted although it is wrong, or "" if it accepted
// nothing wrong.
func (f *fixture) wrongContents(store string, said *int) string {
	switch store {
	case "cache":
		if got := f.load(said); !reflect.DeepEqual(got, f.hooks) {
			return fmt.Sprintf("other hooks: %v", got)
		}
	case "index":
		if got := f.query(said); !slices.Equal(got, f.hits) {
			return fmt.Sprintf("other records: %.100v", got)
		}
	default:
		return "the test does not use this store: extend it"
	}
	return ""
}

// Untouched stores have no findings, and repaired ones stay repaired.
func TestUntouchedAndRepairedStores(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	place := Place{Ledger: f.state.Path(ledger.Folder), State: f.state, Builds: []string{testBuild}}
	if found, err := place.Check(t.Context()); len(found) > 0 || err != nil {
		t.Fatalf("findings in untouched stores: %v, %v", found, err)
	}
	broken := map[string]bool{}
	for name, data := range f.files {
		row, _ := FileOf(name)
		f.writeFile(name, append(bytes.Clone(data[:len(data)/2]), make([]byte, len(data)/2)...))
		broken[row.Store] = true
	}
	found, err := place.Repair(t.Context())
	for _, s := range Stores() {
		if broken[s.Name] && !slices.ContainsFunc(found, func(f Finding) bool { return f.Store == s.Name }) {
			t.Errorf("nothing is found in %s: %v, %v", s.Name, found, err)
		}
	}
	if found, err := place.Check(t.Context()); len(found) > 0 || err != nil {
		t.Errorf("after the repair: %v, %v", found, err)
	}
	if got := f.query(nil); !slices.Equal(got, f.hits) {
		t.Error("other records")
	}
}

// Every store has files, every file names an existing store, and docs/state.md describes every file.
func TestTablesAgree(t *testing.T) {
	t.Parallel()
	for _, s := range Stores() {
		if !slices.ContainsFunc(Files(), func(f File) bool { return f.Store == s.Name }) {
			t.Errorf("no file is of the store %s", s.Name)
		}
	}
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "state.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Files() {
		if f.Store != "" && !slices.ContainsFunc(Stores(), func(s Store) bool { return s.Name == f.Store }) {
			t.Errorf("%s is of a store %q, which is in no table", f.Pattern, f.Store)
		}
		if !strings.Contains(string(doc), "`"+f.Pattern+"`") {
			t.Errorf("docs/state.md does not describe %s", f.Pattern)
		}
	}
	if _, ok := FileOf("somebody/elses"); ok {
		t.Error("everything belongs there")
	}
}
