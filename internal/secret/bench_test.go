package secret

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// goSource returns some megabytes of the Go library, which resembles the text that agents read and
// write.
func goSource(b *testing.B) string {
	b.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	for _, dir := range []string{"net/http", "go/types", "runtime", "encoding/json", "crypto/tls", "os"} {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", dir, "*.go"))
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			text.Write(data)
		}
	}
	if text.Len() < 1<<20 {
		b.Skip("the sources of the Go library are not here")
	}
	return text.String()
}

func BenchmarkFind(b *testing.B) {
	text := goSource(b)
	for _, bench := range []struct {
		name string
		want rules.Kind
	}{{"secrets", rules.Secrets}, {"all", rules.All}} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Find(nil, text, bench.want)
			}
		})
	}
}

func BenchmarkRedactJSON(b *testing.B) {
	in := []byte(`{"tool":"Bash","input":{"command":"git log --oneline | head -20 && go test ./...","password":"` + randomLetters(newRandom(13), base62, 16) + `"}}`)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		RedactJSON(in, rules.Secrets, nil)
	}
}

func BenchmarkStream(b *testing.B) {
	text := []byte(goSource(b))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := NewStream(rules.Secrets, nil)
		for at := 0; at < len(text); at += 4096 {
			s.Write(text[at:min(len(text), at+4096)])
		}
		s.Close()
	}
}
