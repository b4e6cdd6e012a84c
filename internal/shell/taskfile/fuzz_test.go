package taskfile

import (
	"io/fs"
	"path/filepath"
	"testing"
)

// memory is a disk on which every file that a runner asks for has one content.
type memory struct{ text string }

func (m memory) File(path string) ([]byte, error) {
	if len(path) > 200 {
		return nil, fs.ErrNotExist
	}
	return []byte(m.text), nil
}

func (memory) Names(string) ([]string, error) { return []string{"a.mk", "justfile", "x.go"}, nil }

// No file makes a reader fail, whatever is in it.
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
			res, _ := Read(callOf(call), filepath.FromSlash("/x/y"), memory{text})
			for _, p := range res.Parts {
				if (p.Name == "") != (p.Text == nil) {
					t.Errorf("%s: %+v is neither a file nor a part", call, p)
				}
			}
		}
	})
}

func BenchmarkMake(b *testing.B) {
	call := callOf("make lint")
	for b.Loop() {
		Read(call, "/x", memory{"LINT = ./lint.sh\nlint: tools\n\t@$(LINT) $@\ntools:\n\t@command -v git\n"})
	}
}
