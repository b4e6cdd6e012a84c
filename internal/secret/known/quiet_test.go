package known

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ordinaryOutputs returns texts like those that commands print: the files of the repository, the log of
// git, and dumps and encodings of some of them.
func ordinaryOutputs(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	size := 0
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > 64<<10 || size > 12<<20 {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			out[path] = string(text)
			size += len(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		"git log --stat -n 200", "git log -p -n 20", "git status", "go version -m $(command -v go)", "go test -v ../lex", "go list -deps ./...", "go env", "ls -laR ../../catalog", "env | sort", "ps aux",
		"base64 known.go", "xxd known.go", "hexdump -C views.go", "od -c dump.go", "rev values.go", "find ../.. -name '*.go' | xargs sha256sum",
	} {
		text, err := exec.Command("bash", "-c", command).Output()
		if err != nil || len(text) == 0 {
			t.Logf("not tried: %s: %v", command, err)
			continue
		}
		out[command] = string(text)
	}
	return out
}

// randomValues returns values of the kinds that people have in their files, none of which is real.
func randomValues() []Value {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	}
	const digits, lower = "0123456789", "abcdefghijklmnopqrstuvwxyz"
	all := digits + lower + strings.ToUpper(lower)
	words := strings.Fields("Summer Winter coffee Dragon monkey Berlin Sunshine purple Rocket Silver")
	var b strings.Builder
	for i := range 40 {
		b.WriteString("A" + draw(digits, 3) + "_PASSWORD=" + words[i%len(words)] + draw(digits, 4) + "!\n")
		b.WriteString("B" + draw(digits, 3) + "_PASSWORD=" + draw(lower, 5) + draw(digits, 3) + "\n")
		b.WriteString("C" + draw(digits, 3) + "_SECRET=" + draw(all, 8+i) + "\n")
		b.WriteString("D" + draw(digits, 3) + "_TOKEN=" + draw("0123456789abcdef", 16+i) + "\n")
		b.WriteString("E" + draw(digits, 3) + "_PASSWORD=" + words[i%len(words)] + "-" + words[(i+3)%len(words)] + "-" + words[(i+7)%len(words)] + "-" + draw(digits, 2) + "\n")
	}
	return AppendValues(nil, b.String(), ".env")
}

// TestQuiet checks that nothing is found in ordinary outputs.
func TestQuiet(t *testing.T) {
	t.Parallel()
	m := NewMatcher(randomValues())
	size, outputs := 0, ordinaryOutputs(t)
	for name, text := range outputs {
		size += len(text)
		for _, f := range m.Find(text) {
			t.Errorf("%s: %q looks like %q", name, text[f.Start:f.End], m.Values()[f.Value].Text)
		}
	}
	t.Logf("%d values, %d outputs, %d bytes", len(m.Values()), len(outputs), size)
}

// BenchmarkFind measures the comparison of an output of 64 KiB with the values of a usual file and with
// the most values that are compared.
func BenchmarkFind(b *testing.B) {
	source, err := os.ReadFile("../rules/automaton.go")
	if err != nil {
		b.Fatal(err)
	}
	small, _ := file()
	dump, _ := exec.Command("xxd", "../rules/automaton.go").Output()
	logs, _ := exec.Command("git", "log", "--stat", "-n", "2000").Output()
	for name, text := range map[string][]byte{"numbers": source, "dump": dump, "log": logs} {
		text := string(text[:min(len(text), 64<<10)])
		for _, values := range [][]Value{AppendValues(nil, small, ".env"), randomValues()} {
			b.Run(name+"/"+map[bool]string{true: "few", false: "many"}[len(values) < 10], func(b *testing.B) {
				for b.Loop() {
					NewMatcher(values).Find(text)
				}
			})
		}
	}
}
