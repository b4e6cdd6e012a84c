package taskfile

import (
	"io/fs"
	"path/filepath"
	"testing"
)

// sameFile is a FileReader for which every file has the same contents.
type sameFile struct{ text string }

func (m sameFile) File(path string) ([]byte, error) {
	if len(path) > 200 {
		return nil, fs.ErrNotExist
	}
	return []byte(m.text), nil
}

func (sameFile) Names(string) ([]string, error) { return []string{"a.mk", "justfile", "x.go"}, nil }

// FuzzRead checks that no file makes a reader panic, whatever its contents.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"lint: tools\n\t@$(LINT) $@\n", `{"scripts":{"test":"x"}}`, "set shell := ['bash']\na b='c': d\n  {{b}}\n",
		"a: b\nb: a\n%.o: %.c\n$(foreach x,a b,$(eval $(x): ; echo))\n", "A = $(B)\nB = $(A)$(A)\na: ; $(A)\n", "define X\n", "ifdef X\n", "endif\n", "a:: b | c ; d\n", "$(", "${", "a: $(call $(x),$(1)", "X += $(X)\nX != a\n",
		"include Makefile\n", "import 'justfile'\nmod a\na: a\n", "version: 3\nincludes: {a: .}\ntasks: {a: {deps: [a, ':a', 'a:a']}}\n", `{"scripts":{"a":["x"],"test":1},"tasks":{"a":{"dependencies":["a"]}},"bin":3}`, "a := '''\n", "[x\n", "\\\n", "a b: p-%: c\n\t$*\n", "script-shell=\n[", "a=\x01\n\uFFFC: b",
	} {
		f.Add(seed)
	}
	calls := []string{"make a", "make", "make -f x a b=c", "npm run a", "npm test", "npm ci", "yarn a", "bun a", "npx a", "just a", "just", "just a::b", "task a", "task", "deno task a", "composer a", "go run ./x", "pytest", "uv run x", "run-s a", "node --run a"}
	f.Fuzz(func(t *testing.T, text string) {
		for _, call := range calls {
			res, _ := Read(parseCall(call), filepath.FromSlash("/x/y"), sameFile{text})
			for _, p := range res.Parts {
				if (p.Name == "") != (p.Text == nil) {
					t.Errorf("%s: %+v is neither a file nor a part", call, p)
				}
			}
		}
	})
}

func BenchmarkMake(b *testing.B) {
	call := parseCall("make lint")
	for b.Loop() {
		Read(call, "/x", sameFile{"LINT = ./lint.sh\nlint: tools\n\t@$(LINT) $@\ntools:\n\t@command -v git\n"})
	}
}
