package environ

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestReadPlace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, with string
		want       Place
		err        string
	}{
		{name: "nothing", with: ``},
		{name: "neither", with: `{"command":"ls"}`},
		{name: "null", with: `{"working_dir":null,"env":null}`},
		{name: "both", with: `{"env":{"Z":"1","A":"2"},"working_dir":"sub"}`,
			want: Place{Dir: "sub", Env: []Var{{"Z", "1"}, {"A", "2"}}}},
		{name: "no object", with: `[]`, err: "hook settings: "},
		{name: "directory is no string", with: `{"working_dir":1}`, err: "working_dir must be a string"},
		{name: "directory with a zero byte", with: `{"working_dir":"a\u0000b"}`, err: "zero byte"},
		{name: "environment is no object", with: `{"env":["A=1"]}`, err: "env must be an object"},
		{name: "value is no string", with: `{"env":{"PORT":80}}`, err: `env "PORT": the value must be a string; put it in quotes`},
		{name: "value with a zero byte", with: `{"env":{"A":"\u0000"}}`, err: "zero byte"},
		{name: "empty name", with: `{"env":{"":"x"}}`, err: `env "": a name`},
		{name: "name with equals sign", with: `{"env":{"A=B":"x"}}`, err: `env "A=B": a name`},
		{name: "every fault is told", with: `{"env":{"A":1,"B":2}}`, err: `env "B"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := ReadPlace(json.RawMessage(tt.with))
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestResolveDir(t *testing.T) {
	t.Parallel()
	base, home, other := absPath("base"), absPath("home"), absPath("other")
	environ := []string{"HOME=" + home, "V=" + other, "REL=sub", "EMPTY=", "SP= ", "TILDE=~"}
	tests := []struct {
		name, dir, want string
		warns           bool
	}{
		{name: "none", dir: "", want: base},
		{name: "relative", dir: "a/b", want: filepath.Join(base, "a", "b")},
		{name: "up", dir: "../x", want: filepath.Join(filepath.Dir(base), "x")},
		{name: "absolute", dir: other, want: other},
		{name: "home", dir: "~", want: home},
		{name: "below home", dir: "~/a/$REL", want: filepath.Join(home, "a", "sub")},
		{name: "someone's home is a name", dir: "~joe", want: filepath.Join(base, "~joe")},
		{name: "bare", dir: "$V/x", want: filepath.Join(other, "x")},
		{name: "braces", dir: "${V}x", want: other + "x"},
		{name: "env", dir: "${env.V}", want: other},
		{name: "relative variable", dir: "$REL/x", want: filepath.Join(base, "sub", "x")},
		{name: "a tilde in a value stays", dir: "$TILDE", want: filepath.Join(base, "~")},
		{name: "literal dollars", dir: "a$", want: filepath.Join(base, "a$")},
		{name: "not a variable", dir: "${V:-x}", want: filepath.Join(base, "${V:-x}")},
		{name: "never closed", dir: "${V", want: filepath.Join(base, "${V")},
		{name: "unset inside", dir: "a/$NO", want: filepath.Join(base, "a")},
		{name: "unset", dir: "$NO", want: base, warns: true},
		{name: "empty", dir: "${env.EMPTY}", want: base, warns: true},
		{name: "blank", dir: "$SP", want: base, warns: true},
		{name: "unset and a rest", dir: "$NO/etc", want: base, warns: true},
		{name: "unset before another", dir: "$NO$V", want: other},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, env, warning := Place{Dir: tt.dir}.Resolve(base, environ)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if (warning != "") != tt.warns {
				t.Errorf("warning %q, want one: %v", warning, tt.warns)
			}
			if tt.warns && !strings.Contains(warning, tt.dir) {
				t.Errorf("warning %q does not name %q", warning, tt.dir)
			}
			if !slices.Equal(env, environ) {
				t.Errorf("environment changed: %q", env)
			}
		})
	}
}

func TestResolveDirWithoutHome(t *testing.T) {
	t.Parallel()
	base := absPath("base")
	for _, dir := range []string{"~", "~/src"} {
		got, _, warning := Place{Dir: dir}.Resolve(base, []string{"A=1"})
		if got != base || warning == "" {
			t.Errorf("%s: got %q with warning %q, want %q with one", dir, got, warning, base)
		}
	}
}

func TestResolveEnv(t *testing.T) {
	t.Parallel()
	environ := []string{"A=old", "B=b", "A=new"}
	tests := []struct {
		name string
		vars []Var
		want []string
	}{
		{"none", nil, environ},
		{"added", []Var{{"C", "c"}}, []string{"B=b", "A=new", "C=c"}},
		{"replaced", []Var{{"A", "mine"}}, []string{"B=b", "A=mine"}},
		{"later wins", []Var{{"C", "1"}, {"C", "2"}}, []string{"B=b", "A=new", "C=2"}},
		{"only env is filled in", []Var{{"C", "${env.A} $A ${A} $$ ${env.} ${env.A ~"}},
			[]string{"B=b", "A=new", "C=new $A ${A} $$ ${env.} ${env.A ~"}},
		{"unset is empty", []Var{{"C", "<${env.NO}>"}}, []string{"B=b", "A=new", "C=<>"}},
		{"from the process, not from each other", []Var{{"A", "mine"}, {"C", "${env.A}"}}, []string{"B=b", "A=mine", "C=new"}},
		{"a value is filled in once", []Var{{"C", "${env.B}${env.B}"}}, []string{"B=b", "A=new", "C=bb"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := slices.Clone(environ)
			_, got, _ := Place{Env: tt.vars}.Resolve("", environ)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if !slices.Equal(environ, before) {
				t.Errorf("the argument was changed: %q", environ)
			}
		})
	}
}

func TestResolveInherits(t *testing.T) {
	t.Setenv("CHECKREIN_TEST_PLACE", "from the process")
	if _, env, _ := (Place{Dir: "x"}).Resolve("", nil); env != nil {
		t.Errorf("nil became %q", env)
	}
	_, env, _ := Place{Env: []Var{{"MINE", "${env.CHECKREIN_TEST_PLACE}"}}}.Resolve("", nil)
	if got, _ := Lookup(env, "MINE"); got != "from the process" {
		t.Errorf("MINE=%q", got)
	}
	if got, _ := Lookup(env, "CHECKREIN_TEST_PLACE"); got != "from the process" {
		t.Errorf("the process's own variable is %q", got)
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	environ := []string{"", "odd", "=C:=C:\\src", "A=1", "A=2", "E=", "EQ=a=b"}
	tests := []struct {
		name, want string
		set        bool
	}{{"A", "2", true}, {"E", "", true}, {"EQ", "a=b", true}, {"=C:", `C:\src`, true}, {"odd", "", false}, {"", "", false}}
	for _, tt := range tests {
		if got, set := Lookup(environ, tt.name); got != tt.want || set != tt.set {
			t.Errorf("%q: got %q, %v, want %q, %v", tt.name, got, set, tt.want, tt.set)
		}
	}
	if _, set := Lookup([]string{}, "PATH"); set {
		t.Error("an empty environment is not the process's own")
	}
}

func TestWindowsNames(t *testing.T) {
	t.Parallel()
	if name, n := parseReference("${ProgramFiles(x86)}/x", anyForm); name != "ProgramFiles(x86)" || n != 20 {
		t.Errorf("got %q, %d", name, n)
	}
	_, set := Lookup([]string{"Path=x"}, "PATH")
	if want := runtime.GOOS == "windows"; set != want {
		t.Errorf("PATH found as Path: %v, want %v", set, want)
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("$A${A}${env.A}$${}")
	environ := []string{"A=x"}
	f.Fuzz(func(t *testing.T, s string) {
		got := expand(s, environ, envOnly)
		if !strings.Contains(s, "${env.") && got != s {
			t.Errorf("%q became %q", s, got)
		}
		Place{Dir: s}.Resolve("/base", environ)
	})
}

// absPath returns an absolute path with the given name on any system.
func absPath(name string) string {
	if runtime.GOOS == "windows" {
		return `C:\` + name
	}
	return "/" + name
}
