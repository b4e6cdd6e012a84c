package sandbox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		with string
		want *Rules
		err  string
	}{
		{with: `{"command":"x"}`},
		{with: `{"sandbox":{}}`, want: &Rules{}},
		{with: `{"sandbox":{"read":["."],"write":["a/b"],"network":false}}`, want: &Rules{Read: []string{"."}, Write: []string{"a/b"}, NoNetwork: true}},
		{with: `{"sandbox":"walls"}`, want: &Rules{Profile: Walls}},
		{with: `{"sandbox":{"profile":"walls","network":false}}`, want: &Rules{Profile: Walls, NoNetwork: true}},
		{with: `{"sandbox":{"network": true }}`, want: &Rules{}},
		{with: `{"sandbox":{"read":["~","~/x"]}}`, want: &Rules{Read: []string{"~", "~/x"}}},
		{with: `{"sandbox":null}`, err: "sandbox must be walls or a mapping"},
		{with: `{"sandbox":true}`, err: "sandbox must be walls or a mapping"},
		{with: `{"sandbox":{"reed":[]}}`, err: `unknown key "reed" in sandbox`},
		{with: `{"sandbox":{"read":"."}}`, err: "sandbox.read must be a list of paths"},
		{with: `{"sandbox":{"write":[1]}}`, err: "a path must be a string"},
		{with: `{"sandbox":{"network":"false"}}`, err: "sandbox.network must be true or false"},
		{with: `{"sandbox":{"network":null}}`, err: "sandbox.network must be true or false"},
		{with: `{"sandbox":{"read":[" "]}}`, err: "a path is empty"},
		{with: `{"sandbox":{"read":["a\u0000"]}}`, err: "null byte"},
		{with: `{"sandbox":{"read":["$HOME/x"]}}`, err: "variables do not work here"},
		{with: `{"sandbox":{"read":["build/*"]}}`, err: "patterns do not work"},
		{with: `{"sandbox":{"read":["~joe/x"]}}`, err: "~USER does not work here"},
		{with: `{"sandbox":{"read":["../x"]}}`, err: "leads out of the project"},
		{with: `{"sandbox":{"read":["a/../../x"],"write":["$X"]}}`, err: "sandbox.write"},
	} {
		got, err := ParseRules(json.RawMessage(tt.with))
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%s: error %v, want %q", tt.with, err, tt.err)
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.with, got, tt.want)
		}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths are of Unix")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"out": os.TempDir(), "in": "real", "up": ".."} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ path, root, home, want, err string }{
		{path: ".", root: root, want: root},
		{path: "real/missing", root: root, want: root + "/real/missing"},
		{path: "in", root: root, want: root + "/real"},
		{path: "out", root: root, err: "a link that leads out of the project"},
		{path: "up", root: root, err: "a link that leads out of the project"},
		{path: "/srv/../x", root: root, want: "/x"},
		{path: "~", home: "/home/me", want: "/home/me"},
		{path: "~/.nvm", home: "/home/me", want: "/home/me/.nvm"},
		{path: "~/.nvm", err: "the account has no home directory"},
		{path: "a", err: "its base is unknown"},
	} {
		r := Rules{Read: []string{tt.path}}
		got, err := r.Resolve(tt.root, func() string { return tt.home })
		if tt.err == "" && (err != nil || !slices.Equal(got.Read, []string{tt.want})) || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%q: got %q, %v, want %q %q", tt.path, got.Read, err, tt.want, tt.err)
		}
	}
}

// TestRelativePathsStayInside checks that a relative path that is accepted stays in the project.
func TestRelativePathsStayInside(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "..", ".", "", "b c", "~", "…"}), 1, 6).Draw(t, "parts")
		path := strings.Join(parts, "/")
		if checkPath(path) != nil || filepath.IsAbs(path) || path[0] == '~' {
			return
		}
		got, err := resolvePath(path, root, func() string { return "" })
		if rel, relErr := filepath.Rel(root, got); err != nil || relErr != nil || !filepath.IsLocal(rel) {
			t.Errorf("%q became %q, %v", path, got, err)
		}
	})
}

func TestTrampolineRefuses(t *testing.T) {
	t.Parallel()
	for _, words := range [][]string{nil, {"{}"}, {"{}", "--"}, {"{}", "x", "true"}, {"{", "--", "true"}, {`{"read":["x"]}`, "--", "true"}} {
		err := RunTrampoline(words, nil)
		if err == nil || ParseRefusal(RefusedExitCode, []byte("checkrein: "+err.Error()+"\n")) == nil {
			t.Errorf("%q: %v", words, err)
		}
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	const said = "checkrein: the sandbox was refused: no\n"
	if err := ParseRefusal(4, []byte(said)); err == nil || err.Error() != "the sandbox was refused: no" {
		t.Errorf("got %v", err)
	}
	if ParseRefusal(1, []byte(said)) != nil || ParseRefusal(4, []byte("mine")) != nil {
		t.Error("a program's own words count as a refusal")
	}
}

func TestOtherSystems(t *testing.T) {
	t.Parallel()
	if err := CheckSupported(); (err == nil) != (runtime.GOOS == "linux") {
		t.Errorf("%s: %v", runtime.GOOS, err)
	}
}
