package starchild

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestSplit checks that splitCommand returns the same words as Python's shlex.split.
func TestSplit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string
		want       []string
		err        string
	}{
		{"one word", "/x/guard.py", []string{"/x/guard.py"}, ""},
		{"blanks", " a \t b\r\nc ", []string{"a", "b", "c"}, ""},
		{"nothing", " \t", nil, ""},
		{"single quotes", `a 'b "c" \ d'`, []string{"a", `b "c" \ d`}, ""},
		{"double quotes", `a "b 'c' d"`, []string{"a", "b 'c' d"}, ""},
		{"escapes in double quotes", `"\" \\ \n \' \$"`, []string{`" \ \n \' \$`}, ""},
		{"escapes outside", `a\ b \" \' \\ \n`, []string{"a b", `"`, `'`, `\`, "n"}, ""},
		{"a line end is no continuation", "a\\\nb", []string{"a\nb"}, ""},
		{"empty words", `a "" ''`, []string{"a", "", ""}, ""},
		{"words of several parts", `a"b"'c'\d`, []string{"abcd"}, ""},
		{"an empty part", `a""b`, []string{"ab"}, ""},
		{"no comments", "a #b", []string{"a", "#b"}, ""},
		{"no operators", "a;b|c>d $HOME `e` *", []string{"a;b|c>d", "$HOME", "`e`", "*"}, ""},
		{"wide letters", `é\é "😀"`, []string{"éé", "😀"}, ""},
		{"open single quote", "a 'b", nil, "the quote ' is never closed"},
		{"open double quote", `a "b`, nil, `the quote " is never closed`},
		{"a quote that is escaped", `a "b\"`, nil, `the quote " is never closed`},
		{"a backslash at the end", `a \`, nil, "the line ends with a backslash"},
		{"a backslash at the end of a quote", `"a\`, nil, `the quote " is never closed`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := splitCommand(tt.line)
			if !slices.Equal(got, tt.want) || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
				t.Errorf("got %q, %v; want %q, %q", got, err, tt.want, tt.err)
			}
		})
	}
}

// runPython runs a Python script with the value in on stdin and decodes its output into out.
func runPython(t *testing.T, script string, in, out any) {
	t.Helper()
	program, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 to compare with")
	}
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-c", script)
	cmd.Stdin = bytes.NewReader(body)
	said, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(said, out); err != nil {
		t.Fatal(err)
	}
}

const shlexSplit = `
import json, shlex, sys
def split(line):
    try:
        return shlex.split(line)
    except ValueError:
        return None
print(json.dumps([split(line) for line in json.load(sys.stdin)]))
`

// TestSplitMatchesPython compares splitCommand with Python itself, on lines of special characters.
func TestSplitMatchesPython(t *testing.T) {
	t.Parallel()
	gen := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", " ", "\t", "\n", "'", `"`, `\`, "#", "$", "é", "/"}), 0, 12).Draw(t, "parts"), "")
	}), 3000, 3000)
	lines := gen.Example(1)
	var want [][]string
	runPython(t, shlexSplit, lines, &want)
	for i, line := range lines {
		got, err := splitCommand(line)
		if (err != nil) != (want[i] == nil) || !slices.Equal(got, want[i]) {
			t.Errorf("%q: got %q, %v; want %q", line, got, err, want[i])
		}
	}
}

func TestSplitUndoesJoin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		argv := rapid.SliceOf(rapid.String()).Draw(t, "argv")
		line := joinCommand(argv)
		got, err := splitCommand(line)
		if err != nil || !slices.Equal(got, argv) {
			t.Fatalf("%q: got %q, %v; want %q", line, got, err, argv)
		}
	})
}

func TestMissingFileReason(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"/data/hooks/guard.py":                    "",
		"guard --strict":                          "",
		"guard --strict ./data":                   `"./data" is relative`,
		"guard --config=conf/a.yaml":              `"conf/a.yaml" is relative`,
		"guard --config=/etc/a.yaml -I/lib":       "",
		"guard --to https://a.example/b":          "",
		"jq -e .a/b":                              "",
		"jq -r '.a/b | .c'":                       "",
		"./guard.py":                              "relative",
		"../guard.py":                             "relative",
		"hooks/guard.py":                          "relative",
		"guard.sh":                                "relative",
		"~/guard.py":                              "is not expanded",
		"~bob/guard.py":                           "is not expanded",
		"~":                                       "is not expanded",
		"guard ~/x":                               "is not expanded",
		"$HOME/guard.py":                          "relative",
		"python3 /data/guard.py ./config":         `"./config" is relative`,
		"python3 /data/guard.py a b":              "",
		"python3 skills/guard.py":                 "relative",
		"python3 guard.py":                        "relative",
		"python3 guard":                           `"guard" is relative`,
		"/usr/bin/python3.12 -u skills/guard.py":  "relative",
		"python3 -W ignore guard.py":              `"guard.py" is relative`,
		"python3 -W ignore /data/guard.py":        "",
		"python3 -m guard.main":                   "",
		"python3 -mguard.main a/b":                "",
		"python3 -c 'import a; print(1/2)'":       "",
		"pypy3 ./g.py":                            "relative",
		"bash -lc 'cd x/y && ./z'":                "",
		"bash -c '~/x'":                           "",
		"bash -c './z a'":                         "relative",
		"bash -e hooks/x":                         "relative",
		"bash guard":                              `"guard" is relative`,
		"bash ~/x":                                "is not expanded",
		"bash -o pipefail guard.sh":               `"guard.sh" is relative`,
		"bash -x -o pipefail /data/hooks/x.sh":    "",
		"node --require ./a.js /b.js":             `"./a.js" is relative`,
		"node --require /a.js /b.js":              "",
		"node --eval 'require(\"./x\")'":          "",
		"node --eval='1/2'":                       "",
		"perl -ne 's/a/b/'":                       "",
		"php -r 'a/b'":                            "",
		"sh -":                                    "",
		"sh ''":                                   "",
		"sh --":                                   "",
		"bash -o":                                 "",
		"ruby":                                    "",
		"bun ./g.ts":                              "relative",
		"deno run ./g.ts":                         "relative",
		"deno run -A https://a.example/g.ts":      "",
		"pythonic a/b":                            "relative",
		"/opt/x guard.py":                         "relative",
		"env":                                     "",
		"env python3 a/b":                         "relative",
		"env python3 guard":                       `"guard" is relative`,
		"env python3 hooks/guard.py":              "relative",
		"/usr/bin/env ./guard.sh":                 "relative",
		"/usr/bin/env -i -u X A=/b -- guard":      "",
		"/usr/bin/env A=b/c guard":                `"b/c" is relative`,
		"uv run hooks/guard.py":                   "relative",
		"uv run guard":                            "",
		"uv run --script /data/guard.py":          "",
		"uv pip":                                  "",
		"timeout 5 ./g.sh":                        "relative",
		"timeout -k 1 5 bash g":                   `"g" is relative`,
		"timeout --kill-after=1 5 bash /data/g":   "",
		"sudo ./g":                                "relative",
		"sudo -u bob A=b bash g":                  `"g" is relative`,
		"nice -n 5 ./g.sh":                        "relative",
		"nice -n 5 bash g":                        `"g" is relative`,
		"nohup setsid -w bash g":                  `"g" is relative`,
		"busybox sh ./g.sh":                       "relative",
		"busybox sh g":                            `"g" is relative`,
		"pwsh -NoProfile -Command 'a/b'":          "",
		"/bin/sh -c 'echo no >&2; exit 2' a/b":    "",
		"/bin/sh -c 'echo no >&2; exit 2' ./argv": `"./argv" is relative`,
	} {
		argv, err := splitCommand(line)
		if err != nil {
			t.Fatal(err)
		}
		if got := missingFileReason(argv); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
