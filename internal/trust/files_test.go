package trust

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// fixture makes a project and a home with files of every sort.
func fixture(t testing.TB) (root, home string) {
	t.Helper()
	base := t.TempDir()
	root, home = filepath.Join(base, "p"), filepath.Join(base, "home")
	for name, mode := range map[string]os.FileMode{
		"p/x.sh": 0o644, "p/y.sh": 0o644, "p/guard.py": 0o644, "p/tool": 0o755, "p/plain": 0o644, "p/data.json": 0o644,
		"p/sub/x.sh": 0o644, "p/sub/only.sh": 0o644, "p/sub/deep/z.sh": 0o644, "p/a b/c d.sh": 0o644, "p/it's.sh": 0o644,
		"p/EOF": 0o755, "p/make": 0o755, "home/h.sh": 0o644, "home/bin": 0o755,
	} {
		writeFile(t, filepath.Join(base, name), "echo\n", mode)
	}
	writeFile(t, filepath.Join(root, "script"), "#!/bin/sh\n", 0o644)
	return root, home
}

func TestNamedFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs executable bits, and paths that sh can read")
	}
	root, home := fixture(t)
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	tests := []struct {
		command string
		want    string // below the project, space-separated with "+" for a space
	}{
		// What counts.
		{"./x.sh", "x.sh"},
		{"./gone", "gone"},
		{"sub/gone.sh", "sub/gone.sh"},
		{"x.sh", "x.sh"}, // PATH may lead there
		{"make tool", "make tool"},
		{"true plain data.json", "plain data.json"},
		{"true script", "script"},
		{"true ./tool gone.sh", "tool"},
		{"true x.sh guard.py x.sh", "x.sh guard.py"},
		{"bash plain", "plain"},
		{"bash gone.sh", ""},
		{"bash -eu plain data.json", "plain data.json"},
		{"/usr/bin/python3.12 -u plain", "plain"},
		{"true --hook=x.sh", "x.sh"},
		{"/bin/sh /usr/bin/env /usr/local/bin/gone", ""},
		{"./sub", "sub"}, // a directory cannot run, so it is missing
		{"true sub . .. / - ''", ""},
		{root + "/x.sh", "x.sh"},
		{"../p/./x.sh", "x.sh"},
		{"https://example.com/x.sh", "https:/example.com/x.sh"},
		{"curl https://example.com/x.sh", ""},
		// Whatever gets it.
		{`sh -c "$(cat plain)"`, "plain"},
		{"flock sub sh plain", "plain"},
		{"flock sub -c 'sh plain'", "plain"},
		{"make -s -f plain", "make plain"},
		{"make -fplain", "make plain"},
		{`make -f"$CLAUDE_PROJECT_DIR/plain"`, "make plain"},
		{"make -C sub/deep -f z.sh", "make sub/deep/z.sh"},
		{"make --directory=sub -f only.sh", "make sub/only.sh"},
		{"git -C sub diff only.sh", "sub/only.sh"},
		{"awk -f plain; sed -f data.json", "plain data.json"},
		{`awk 'BEGIN { system("sh plain") }'`, "plain"},
		{"tail -n +1 plain | bash", "plain"},
		{"find . -name x -exec sh plain {} +", "plain"},
		{"curl -d @data.json https://example.com", "data.json"},
		{"sort -o data.json plain", "data.json plain"},
		{"true >>plain 2>data.json", ""},
		{"tee -a plain", "plain"},
		{"echo 'sh plain' | sh", "plain"},
		{"echo 'see plain' >&2", ""},
		{"python3 - <<'EOF'\nopen('plain')\nEOF", "plain"},
		{"cat <<EOF >&2\nsee plain\nEOF", ""},
		// Quotes.
		{`'./x.sh' "./y.sh"`, "x.sh y.sh"},
		{`"./a b/c d.sh"`, "a+b/c+d.sh"},
		{`./a\ b/'c d'.sh`, "a+b/c+d.sh"},
		{`./it\'s.sh`, "it's.sh"},
		{`./"it's.sh"`, "it's.sh"},
		{`$'./it\'s.sh'`, "it's.sh"},
		{`./x\
.sh`, "x.sh"},
		{`echo "; ./gone"`, ""},
		{`'./x.sh`, "x.sh"}, // never closed
		// Between commands.
		{"true; ./x.sh && ./y.sh || ./tool", "x.sh y.sh tool"},
		{"true|./x.sh|&./y.sh&./tool", "x.sh y.sh tool"},
		{"true\n./x.sh\n\n  ./y.sh", "x.sh y.sh"},
		{"(./x.sh); { ./y.sh; }", "x.sh y.sh"},
		{"true # ; ./gone\n./x.sh#y", "x.sh#y"},
		{"true #", ""},
		{"cat plain | bash", "plain"},
		{"if ./x.sh; then ./y.sh; else ! ./tool; fi", "x.sh y.sh tool"},
		{"while ./x.sh; do ./y.sh; done", "x.sh y.sh"},
		{"for f in x.sh gone/a; do ./y.sh; done", "x.sh y.sh"},
		{"f() { ./x.sh; }; f", "x.sh"},
		{"case $1 in gone/a|b) ./x.sh;; (gone/c) true;; esac; ./y.sh", "x.sh y.sh"},
		{"case a in\n gone/a)\n ./x.sh\n ;;\nesac\n./y.sh", "x.sh y.sh"},
		{"A=1 case a in\n./x.sh", "x.sh"}, // no keyword there
		{">out case a in\n./x.sh", "x.sh"},
		{"a=(./gone 1); ((b = 2 / 3)); [[ a/b == c ]]; ./x.sh", "x.sh"},
		// Wrappers.
		{"env VAR=1 ./x.sh", "x.sh"},
		{"VAR=1 OTHER='a b' ./x.sh", "x.sh"},
		{"env -i VAR=1 ./gone", "gone"},
		{"env -C sub ./only.sh; sudo -D sub/deep ./z.sh", "sub/only.sh sub/deep/z.sh"},
		{"uv --directory sub run only.sh", "sub/only.sh"},
		{"xargs -a some/list ./gone", ""}, // an option's value, or a program
		{"sudo -u bob timeout 5 nice -n 3 ./x.sh", "x.sh"},
		{"timeout 5s ./gone", "gone"},
		{"exec nohup python3 plain", "plain"},
		{"env -S 'bash plain'", "plain"},
		{"uv run plain", "plain"},
		{". plain; source data.json", "plain data.json"},
		{"true | xargs -n1 bash plain", "plain"},
		// Text for a shell.
		{"bash -c './x.sh'", "x.sh"},
		{"bash -c './gone'", "gone"},
		{"bash -o pipefail -lc 'true && ./x.sh | bash plain'", "x.sh plain"},
		{`sh -c "sh -c './x.sh; sh -c \"./y.sh\"'"`, "x.sh y.sh"},
		{"sh -c 'echo $1' ./gone ./x.sh", "x.sh"},
		{"eval './x.sh && ./y.sh'", "x.sh y.sh"},
		{"xargs -I{} sh -c './x.sh {}'", "x.sh"},
		{`python3 -c "import os; os.system('./x.sh --flag')"`, "x.sh"},
		{`node -e 'require("./tool")'`, "tool"},
		{"trap './x.sh; true' EXIT", "x.sh"},
		{"CMD='bash plain -v'; $CMD", "plain"},
		{`"$PY" plain`, "plain"},
		// Commands inside words.
		{"echo $(./x.sh)", "x.sh"},
		{"echo \"a $(./x.sh \"$(./y.sh)\") b\"", "x.sh y.sh"},
		{"echo `./x.sh \\`./y.sh\\``", "x.sh y.sh"},
		{"echo ${A:-$(./x.sh)}", "x.sh"},
		{"echo $(( 1 / 2 )) $((1<<2))\n./x.sh", "x.sh"},
		{"diff <(./x.sh) >(./y.sh)", "x.sh y.sh"},
		{"echo $(case a in a) ./x.sh;; esac) ./y.sh", "x.sh y.sh"},
		// Redirections.
		{"true >x.sh 2>y.sh >>tool &>guard.py >|script", ""},
		{"true < x.sh", "x.sh"},
		{"sh <> plain", "plain"},
		{"bash < plain", "plain"},
		{"<plain bash", "plain"},
		{"cat <plain | bash -s", "plain"},
		{"./x.sh 2>&1 >/dev/null", "x.sh"},
		{"bash <<< './x.sh'", "x.sh"},
		{"cat <<<./x.sh", "x.sh"},
		// Heredocs.
		{"cat <<EOF\n./x.sh\n./gone\nEOF\n./y.sh", "y.sh"},
		{"cat <<'EOF' >out; ./x.sh\n$(./y.sh)\nEOF", "x.sh"},
		{"cat <<-\"E F\"\n./x.sh\n\tE F\n./y.sh", "y.sh"},
		{"cat <<A <<B\n./x.sh\nA\n./x.sh\nB\n./y.sh", "y.sh"},
		{"cat <<EOF\n\\$(./x.sh) $(./y.sh) `./tool`\nEOF", "y.sh tool"},
		{"cat <<EOF\n./x.sh", ""},
		{"bash <<EOF\n./x.sh\nEOF", "x.sh"},
		{"cat <<EOF | sh\n./x.sh\nEOF\ncat <<EOF\n./y.sh\nEOF", "x.sh"},
		// Variables.
		{"$CLAUDE_PROJECT_DIR/x.sh", "x.sh"},
		{`"$CLAUDE_PROJECT_DIR"/x.sh`, "x.sh"},
		{`"${GEMINI_PROJECT_DIR}/a b/c d.sh"`, "a+b/c+d.sh"},
		{"${CLAUDE_PROJECT_DIR:-.}/x.sh", "x.sh"},
		{"$PWD/gone ${PWD}/x.sh `pwd`/y.sh", "gone x.sh y.sh"},
		{`bash "$(git rev-parse --show-toplevel)/plain"`, "plain"},
		{`S="$CLAUDE_PROJECT_DIR/x.sh"; bash "$S"`, "x.sh"},
		{`bash -c "cd $CLAUDE_PROJECT_DIR && ./x.sh"`, "x.sh"},
		{"$OTHER/x.sh ./$NAME.sh ${A}x.sh", ""},
		{"'$CLAUDE_PROJECT_DIR'/x.sh", "$CLAUDE_PROJECT_DIR/x.sh"},
		{"${CLAUDE_PROJECT_DIR%/*}/x.sh", ""},
		{"${PWD}x.sh", ""},
		{"./*.sh ./{x,y}.sh", ""},
		{"~/h.sh ~/bin", "~/h.sh ~/bin"},
		{"$HOME/h.sh; ~nobody/x.sh", "~/h.sh"},
		{`X=~/h.sh; "~/x.sh"`, "~/h.sh ~lit/x.sh"},
		// Directories: words are looked up where the command starts as well.
		{"cd sub && ./x.sh", "x.sh sub/x.sh"},
		{"cd sub && ./only.sh && cd deep && ./z.sh", "sub/only.sh sub/deep/z.sh"},
		{"cd sub && ./gone", "sub/gone"},
		{"(cd sub/deep && ./z.sh); cd sub && ./only.sh", "sub/deep/z.sh sub/only.sh"},
		{`cd "$SOMEWHERE" && ./gone && ./x.sh`, "x.sh"},
		{`cd "$SOMEWHERE" && ` + root + "/gone", "gone"},
	}
	for _, test := range tests {
		t.Run(test.command, func(t *testing.T) {
			h := commandHook(root, "x", test.command)
			got := NamedFiles(root, &h)
			want := []string{}
			for _, name := range strings.Fields(test.want) {
				name = strings.ReplaceAll(name, "+", " ")
				path := filepath.Join(root, strings.Replace(name, "~lit", "~", 1))
				if rest, ok := strings.CutPrefix(name, "~/"); ok {
					path = filepath.Join(home, rest)
				}
				want = append(want, path)
			}
			if !slices.Equal(append([]string{}, got...), want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestNamedFilesArgv(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs executable bits")
	}
	root, home := fixture(t)
	t.Setenv("HOME", home)
	tests := []struct {
		name string
		argv []string
		want []string
	}{
		{"program", []string{"./x.sh", "y.sh", "data.json"}, []string{"x.sh", "y.sh", "data.json"}},
		{"missing program", []string{"./gone"}, []string{"gone"}},
		{"by PATH", []string{"x.sh"}, []string{"x.sh"}},
		{"interpreter", []string{"python3", "plain"}, []string{"plain"}},
		{"spaces", []string{"./a b/c d.sh"}, []string{"a b/c d.sh"}},
		{"no shell", []string{"echo", "; ./gone", "a|b/c", `"`, "`", "$("}, nil},
		{"text", []string{"bash", "-c", "./x.sh | ./y.sh"}, []string{"x.sh", "y.sh"}},
		{"wrapper", []string{"env", "A=1", "./x.sh"}, []string{"x.sh"}},
		{"variable", []string{"$CLAUDE_PROJECT_DIR/x.sh"}, []string{"x.sh"}},
		{"home", []string{"~/h.sh"}, []string{"../home/h.sh"}},
		{"none", nil, nil},
	}
	for _, test := range tests {
		h := argvHook(root, test.argv...)
		var want []string
		for _, name := range test.want {
			want = append(want, filepath.Join(root, name))
		}
		if got := NamedFiles(root, &h); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", test.name, got, want)
		}
	}
}

func TestNamedFilesSettings(t *testing.T) {
	t.Parallel()
	root, _ := fixture(t)
	elsewhere := t.TempDir()
	with := func(run, file, with string) checkrein.Hook {
		h := commandHook(root, "x", "")
		h.Run, h.With, h.From.File = run, json.RawMessage(with), filepath.Join(root, file)
		return h
	}
	tests := []struct {
		name string
		root string
		hook checkrein.Hook
		want []string
	}{
		{"builtin", root, with("builtin", "f", `{"command":"./x.sh"}`), nil},
		{"rule", root, with("rule", "f", `{}`), nil},
		{"no settings", root, with("command", "f", ``), nil},
		{"working directory", root, with("command", "f", `{"command":"./only.sh","working_dir":"sub"}`), []string{"sub/only.sh"}},
		{"variables leave the working directory", root, with("command", "f", `{"command":"$CLAUDE_PROJECT_DIR/x.sh $PWD/x.sh","working_dir":"sub"}`), []string{"x.sh", "sub/x.sh"}},
		{"absolute working directory", elsewhere, with("command", "f", `{"command":"./x.sh","working_dir":"`+filepath.ToSlash(root)+`/sub/"}`), []string{"sub/x.sh"}},
		{"blank working directory", root, with("command", "f", `{"command":"./x.sh","working_dir":" "}`), []string{"x.sh"}},
		{"no root", "", with("command", "sub/f", `{"command":"./only.sh"}`), []string{"sub/only.sh"}},
		{"environment", root, with("command", "f", `{"command":"true","env":{"BASH_ENV":"x.sh","NODE_OPTIONS":"--require ./y.sh -r./data.json","A":"plain","B":7}}`),
			[]string{"x.sh", "y.sh", "data.json", "plain"}},
	}
	for _, test := range tests {
		var want []string
		for _, name := range test.want {
			want = append(want, filepath.Join(root, name))
		}
		if got := NamedFiles(test.root, &test.hook); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", test.name, got, want)
		}
	}
}

func TestSystem(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths of Unix")
	}
	tests := []struct {
		root, path string
		want       bool
	}{
		{"/home/me/p", "/bin/sh", true},
		{"/home/me/p", "/usr/local/bin/x", true},
		{"/home/me/p", "/usr/local/binary", false},
		{"/home/me/p", "/home/me/p/bin/x", false},
		{"/", "/usr/bin/env", true},
		{"/opt/homebrew/src/p", "/opt/homebrew/src/p/x.sh", false},
		{"/opt/homebrew/src/p", "/usr/bin/env", true},
		{"/home/me/p", "/dev/stdin", true},
	}
	for _, test := range tests {
		if got := isSystem(test.root, test.path); got != test.want {
			t.Errorf("%s in %s: got %v", test.path, test.root, got)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		dir, path string
		want      bool
	}{
		{"/a", "/a/b", true},
		{"/a/", "/a/b", true},
		{"/a/", "/ab", false},
		{"/a", "/a", false},
		{"/", "/a", true},
		{"/a/../b", "/b/c", true},
	} {
		if got := Within(filepath.FromSlash(test.dir), filepath.FromSlash(test.path)); got != test.want {
			t.Errorf("%s in %s: got %v", test.path, test.dir, got)
		}
	}
}
