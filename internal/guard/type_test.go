package guard

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, with, want string }{
		{"typo", `{"name":"add_dat"}`, `unknown builtin "add_dat", did you mean "add_date"?`},
		{"unknown", `{"name":"zzzzzzzz"}`, `unknown builtin "zzzzzzzz"`},
		{"empty name", `{"name":""}`, "a builtin hook needs the name of a builtin"},
		{"no name", `{}`, "a builtin hook needs the name of a builtin"},
		{"no settings", ``, "a builtin hook needs the name of a builtin"},
		{"bad environment", `{"name":"add_date","env":1}`, "env must be an object of names and strings"},
		{"bad directory", `{"name":"add_date","working_dir":1}`, "working_dir must be a string"},
		{"arguments are no list", `{"name":"add_date","args":"x"}`, "add_date: args must be a list of strings"},
		{"argument is no string", `{"name":"add_git_diff","args":["full",true]}`, "add_git_diff: args: item 2 must be a string"},
		{"argument is refused", `{"name":"add_git_diff","args":["ful"]}`,
			`add_git_diff: unknown arguments ["ful"]: write "full" for the whole diff, or no arguments for the summary`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Type(Env{}).New(checkrein.Hook{With: json.RawMessage(tt.with)})
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestTraits(t *testing.T) {
	t.Parallel()
	row := Type(Env{})
	if row.Name != "builtin" {
		t.Errorf("name %q", row.Name)
	}
	for with, want := range map[string]checkrein.Traits{
		`{"name":"add_date"}`:       {Instant: true},
		`{"name":"add_git_status"}`: {},
		`{"name":"nonsense"}`:       {},
		``:                          {},
	} {
		if got := row.Traits(&checkrein.Hook{With: json.RawMessage(with)}); got != want {
			t.Errorf("%s: got %+v, want %+v", with, got, want)
		}
	}
}

func TestZeroEnv(t *testing.T) {
	t.Parallel()
	m := &machine{t: t}
	if got := m.contextOf(t.TempDir(), "add_date"); !strings.HasPrefix(got, "Today's date: 2") {
		t.Errorf("got %q", got)
	}
	guardtest.CheckEqual(t, m.contextOf(t.TempDir(), "add_git_status"), "")
}

func TestWorkingDir(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	root, elsewhere := guardtest.TempDir(t), guardtest.TempDir(t)
	for _, dir := range []string{filepath.Join(root, "sub"), filepath.Join(root, "cwd"), elsewhere} {
		guardtest.WriteFile(t, filepath.Join(dir, filepath.Base(dir)+".txt"), "")
	}
	m.env.Environ = append(m.env.Environ, "ELSEWHERE="+elsewhere)
	cwd := filepath.Join(root, "cwd")
	tests := []struct {
		name, workingDir string
		session          checkrein.Session
		want             string
		warns            bool
	}{
		{"none", "", checkrein.Session{Dir: cwd, Root: root}, cwd, false},
		{"joined to the root", "sub", checkrein.Session{Dir: cwd, Root: root}, filepath.Join(root, "sub"), false},
		{"joined to the directory", "../sub", checkrein.Session{Dir: cwd}, filepath.Join(root, "sub"), false},
		{"absolute", elsewhere, checkrein.Session{Dir: cwd, Root: root}, elsewhere, false},
		{"variable", "${env.ELSEWHERE}", checkrein.Session{}, elsewhere, false},
		{"comes to nothing", "$NOWHERE", checkrein.Session{Dir: cwd, Root: root}, root, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			with, _ := json.Marshal(map[string]string{"name": "add_directory_listing", "working_dir": tt.workingDir})
			got := m.answer(string(with), tt.session)
			if want := "Top-level entries in " + tt.want + ":"; len(got.Context) != 1 || !strings.HasPrefix(got.Context[0], want) {
				t.Errorf("got %q, want %q", got.Context, want)
			}
			if (got.Log != "") != tt.warns {
				t.Errorf("log %q", got.Log)
			}
		})
	}
}

func TestRelativeDirectory(t *testing.T) {
	t.Parallel()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	if got := newMachine(t).contextOf(".", "add_environment_info"); !strings.Contains(got, "Working directory: "+here+"\n") {
		t.Errorf("got %q", got)
	}
}

func BenchmarkAddDate(b *testing.B) {
	h, err := Type(Env{}).New(checkrein.Hook{With: json.RawMessage(`{"name":"add_date"}`)})
	if err != nil {
		b.Fatal(err)
	}
	ev := checkrein.Event{Session: checkrein.Session{Dir: b.TempDir()}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Handle(b.Context(), ev); err != nil {
			b.Fatal(err)
		}
	}
}
