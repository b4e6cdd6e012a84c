package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// goSource returns about n bytes of ordinary Go code. It leaves out lines that a record would redact,
// because a text with such lines is searched once more.
func goSource(t *testing.T, n int) string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if (secret.Redactor{}).MaskText(line) == line {
				b.WriteString(line)
			}
		}
		if b.Len() >= n {
			break
		}
	}
	return b.String()[:n]
}

func jsonOf(t *testing.T, v any) json.RawMessage {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The record, the log and the reply reuse what the guards found in a text, and a command is classified
// once, whether it is denied or not. All rows of an event are decided and recorded.
func TestEachTextIsSearchedOnce(t *testing.T) { // not parallel, since it counts searches of the whole process
	big, small := goSource(t, 50_000), goSource(t, 8_000)
	secretText := small + "\nconst token = \"ghp" + "_wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx\"\n"
	write := func(text string) []checkrein.Event {
		return []checkrein.Event{{Kind: checkrein.PreToolUse, Host: "claude", Native: "PreToolUse", Tool: &checkrein.Tool{Name: "Write", Canonical: "write", Input: jsonOf(t, map[string]string{"file_path": "/tmp/x.go", "content": text})}}}
	}
	returned := func(text string) []checkrein.Event {
		tool := checkrein.Tool{Name: "Read", Canonical: "read", Input: json.RawMessage(`{"file_path":"/tmp/x.go"}`), Output: jsonOf(t, map[string]any{"type": "text", "file": map[string]string{"content": text}})}
		one, two := tool, tool
		return []checkrein.Event{{Kind: checkrein.ToolResponseTransform, Host: "claude", Native: "PostToolUse", Tool: &one}, {Kind: checkrein.PostToolUse, Host: "claude", Native: "PostToolUse", Tool: &two}}
	}
	command := func(text string) []checkrein.Event {
		return []checkrein.Event{{Kind: checkrein.PreToolUse, Host: "claude", Native: "PreToolUse", Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", Input: jsonOf(t, map[string]string{"command": text})}}}
	}
	for _, tt := range []struct {
		name   string
		events []checkrein.Event
		text   string
		most   float64 // how many bytes are searched for each byte of the event
	}{
		{"a long write", write(big), big, 1.1},
		{"a short write", write(small), small, 1.5},
		{"a long result in two rows", returned(big), big, 1.1},
		{"a short result in two rows", returned(small), small, 1.5},
		{"a secret in a short write", write(secretText), secretText, 3.5}, // the text without the secret is searched once more
		{"a command that is denied", command("cd /srv/data && rm -rf ~/work ~/notes /srv/data/archive"), "", 0},
		{"a command that passes", command("go build ./... && go vet ./... && git status --short"), "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newTestMachine(t)
			p.writeUser("version: 1\npacks: [denial_memory]\n")
			for i := range tt.events {
				tt.events[i].Session = checkrein.Session{ID: "s1", Dir: p.path("project")}
			}
			k := p.open()
			searched, all := map[string]int{}, 0
			classified := map[string]int{}
			var mu sync.Mutex                                        // hooks run concurrently
			classify.OnCommand = func(text string, p *shell.Place) { // a guard also classifies for another home directory
				mu.Lock()
				classified[text+" with home "+p.Home]++
				mu.Unlock()
			}
			secret.OnSearch = func(text string) {
				mu.Lock()
				searched[text]++
				all += len(text)
				mu.Unlock()
			}
			k.Answer(t.Context(), app.Call{Events: tt.events}, app.EncodeNative)
			secret.OnSearch, classify.OnCommand = nil, nil
			for text, n := range classified {
				if n > 1 {
					t.Errorf("classified %d times: %q", n, text)
				}
			}
			for text, n := range searched {
				if n > 1 && len(text) > 64 {
					t.Errorf("searched %d times: %d bytes, %.60q", n, len(text), text)
				}
			}
			if tt.text != "" && searched[tt.text] != 1 {
				t.Errorf("the text was searched %d times", searched[tt.text])
			}
			if most := int(tt.most * float64(len(tt.text))); tt.most > 0 && all > most {
				t.Errorf("%d bytes were searched, %d at most were expected", all, most)
				for text, n := range searched {
					if len(text) > 1000 {
						t.Logf("%d times %d bytes: %.40q", n, len(text), text)
					}
				}
			}
		})
	}
}
