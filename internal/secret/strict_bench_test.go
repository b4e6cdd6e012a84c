package secret

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// strictSource returns Go source of about size bytes in which nothing is masked.
func strictSource(tb testing.TB, size int) string {
	tb.Helper()
	files, err := filepath.Glob("../text/rawjson/*.go")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no source to read: %v", err)
	}
	var all strings.Builder
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		all.Write(b)
	}
	return strings.Repeat(all.String(), size/all.Len()+1)[:size]
}

// toolCallPayload returns a tool call like those of hosts, of about size bytes.
func toolCallPayload(tb testing.TB, size int) []byte {
	return fmt.Appendf(nil, `{"session_id": "0b6b2c1e-7d0f-4c55-9f0e-0f6f5b6d3a11", "cwd": "/home/dev/project", `+
		`"hook_event_name": "PreToolUse", "turn": 17, "max_tokens": 4096, "tool_name": "Write", `+
		`"tool_input": {"file_path": "/home/dev/project/cmd/main.go", "content": %s, `+
		`"edits": [{"start": 10, "end": 12}]}, "tool_use_id": "call_01H8Z"}`, rawjson.Quote(strictSource(tb, size)))
}

func BenchmarkStrictText(b *testing.B) {
	clean := strictSource(b, 64<<10)
	for _, bb := range []struct{ name, text string }{
		{"source=64KB", clean},
		{"source=1KB", clean[:1<<10]},
		{"prose=64KB", strings.Repeat("It runs within every call, so that there is no table to build, and reads a text once.\n", 64<<10/86)},
		{"hits=64KB", strings.Repeat(clean[:1<<10]+"\nexport "+"PASS"+"WORD=hunter2\n", 64)},
		{"base64=64KB", strings.Repeat("aGVsbG8gd29ybGQK", 4<<10)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				Redactor{}.MaskText(bb.text)
			}
		})
	}
}

func BenchmarkStrictJSON(b *testing.B) {
	for _, size := range []int{1 << 10, 50 << 10} {
		doc := toolCallPayload(b, size)
		b.Run(fmt.Sprintf("payload=%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				Redactor{}.MaskJSON(doc)
			}
		})
	}
}
