// Package examples_test runs every ready-made set with the programs as people get
// them.
package examples_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// programs is the directory of the built programs.
var programs string

func TestMain(m *testing.M) { built.Main(m, &programs, "checkrein", "checkreind", "checkrein-models") }

// needs skips a test, loudly, where a program is missing.
func needs(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil || name == "python3" && built.Python() == "" {
			t.Skipf("SKIPPED: there is no %s here, so this set was not run", name)
		}
	}
}

// A place is a directory where an agent works, with a home of its own.
type place struct {
	dir string
	env []string
	as  []string // a program that runs the others, if need be
}

func newPlace(t *testing.T) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{dir: filepath.Join(root, "project")}
	home := filepath.Join(root, "home")
	for _, dir := range []string{p.dir, home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	path := []string{programs, built.Python(), os.Getenv("PATH")}
	p.env = []string{"HOME=" + home, "PATH=" + strings.Join(path, string(os.PathListSeparator)), "TMPDIR=" + root,
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1"}
	return p
}

// put copies what the examples have to the place. Another program does it: what we
// had open for writing, a child that starts meanwhile would keep open, and it could
// not be run.
func (p *place) put(t *testing.T, from, to string) {
	t.Helper()
	to = filepath.Join(p.dir, to)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-R", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	err := filepath.WalkDir(to, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".md"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		if wide := patient(string(text)); err == nil && wide != string(text) {
			err = os.WriteFile(path, []byte(wide), 0o600)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

var seconds = regexp.MustCompile(`(?m)^( *timeout: )(?:\d|[1-5]\d)(000)?$`)

// patient gives hooks the time that they need on a machine with other work to do.
func patient(text string) string { return seconds.ReplaceAllString(text, "${1}120${2}") }

// write makes a file that is read, not run.
func (p *place) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// read returns a file, "" when there is none.
func (p *place) read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

// run runs a program and returns what it printed, with its exit code.
func (p *place) run(t *testing.T, stdin, name string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	if name == "checkrein" {
		name = filepath.Join(programs, name)
	}
	if len(p.as) > 0 {
		name, args = p.as[0], slices.Concat(p.as[1:], []string{name}, args)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.dir, p.env, strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// must is run for what has to work.
func (p *place) must(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, errs, code := p.run(t, "", name, args...)
	if code != 0 {
		t.Fatalf("%s %s: exit %d\n%s%s", name, strings.Join(args, " "), code, out, errs)
	}
	return out
}

// A verdict is what checkrein eval --json prints.
type verdict struct {
	Decision     string `json:"decision"`
	Reason       string `json:"reason"`
	Card         struct{ Sentence, Command string }
	UpdatedInput map[string]any    `json:"updated_input"`
	UpdatedText  any               `json:"updated_output"`
	Messages     any               `json:"updated_messages"`
	Context      []string          `json:"context"`
	Notices      []string          `json:"notices"`
	Halt         bool              `json:"halt"`
	Summary      string            `json:"summary"`
	Metadata     map[string]string `json:"metadata"`
	Redo         *struct {
		Reason         string
		Attempt, Limit int
	} `json:"redo"`
	Steps []struct{ Hook, Fault, Skipped string }

	raw string
}

func (v *verdict) text() string { s, _ := v.UpdatedText.(string); return s }

// payload is an event, as pairs of names and values.
type payload map[string]any

// eval gives an event to checkrein; hooks that could not answer fail the test.
func (p *place) eval(t *testing.T, ev payload, args ...string) *verdict {
	t.Helper()
	body, err := json.Marshal(ev)
	if err != nil {
		t.Fatal(err)
	}
	out, errs, code := p.run(t, string(body), "checkrein", append([]string{"eval", "--json"}, args...)...)
	v := &verdict{raw: out}
	if err := json.Unmarshal([]byte(out), v); err != nil || code != 0 || errs != "" {
		t.Fatalf("eval %v: exit %d, %v\n%s%s", args, code, err, out, errs)
	}
	return v
}

// answered is eval for hooks that must have run without a fault.
func (p *place) answered(t *testing.T, ev payload, args ...string) *verdict {
	t.Helper()
	v := p.eval(t, ev, args...)
	for _, s := range v.Steps {
		if s.Fault != "" || strings.Contains(s.Skipped, "approved") {
			t.Fatalf("%s: %s%s\n%s", s.Hook, s.Fault, s.Skipped, v.raw)
		}
	}
	return v
}

// Every set is named in the index, with a test that exists.
func TestIndex(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob("*/")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range folders {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !strings.Contains(string(index), "`"+filepath.Clean(dir)+"/`") {
			t.Errorf("README.md does not name %s", dir)
		}
	}
	var code strings.Builder
	files, _ := filepath.Glob("*_test.go")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(data)
	}
	for word := range strings.FieldsSeq(strings.NewReplacer("`", " ", "|", " ", ",", " ").Replace(string(index))) {
		if strings.HasPrefix(word, "Test") && !strings.Contains(code.String(), "func "+word+"(") {
			t.Errorf("README.md names %s, which is no test here", word)
		}
	}
}

func abs(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}
