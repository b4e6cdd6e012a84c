package rawjson

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// makePayload returns a tool call of about size bytes that is like those of an agent: a few short
// members and one long text with line breaks and quotes.
func makePayload(size int) []byte {
	line := "\tif err := run(ctx, \"step\"); err != nil { return fmt.Errorf(\"step: %w\", err) }\n"
	text := strings.Repeat(line, size/len(line)+1)
	build := func(n int) []byte {
		return fmt.Appendf(nil, `{"session_id":"0b6b2c1e-7d0f-4c55-9f0e-0f6f5b6d3a11",`+
			`"transcript_path":"/home/dev/.agent/sessions/0b6b2c1e.jsonl","cwd":"/home/dev/project",`+
			`"hook_event_name":"PreToolUse","permission_mode":"default","turn":17,"elapsed_ms":1234.5,"retry":false,`+
			`"tool_name":"Write","tool_input":{"file_path":"/home/dev/project/cmd/main.go","content":%s,`+
			`"edits":[{"start":10,"end":12},{"start":40,"end":41}]},"tool_use_id":"call_01H8Z"}`, Quote(text[:n]))
	}
	n := 0
	for step := size; step > 0; step /= 2 {
		for n+step < len(text) && len(build(n+step)) <= size {
			n += step
		}
	}
	return build(n)
}

// makeRecords returns a list of small objects of about size bytes. In contrast to payloads, it has
// many tokens and little text.
func makeRecords(size int) []byte {
	b := []byte("[")
	for i := 0; len(b) < size; i++ {
		b = fmt.Appendf(b, `{"id": %d, "ok": true, "score": %d.25, "tags": ["a", "b"], "next": null},`, i, i)
	}
	return append(b, '0', ']')
}

func BenchmarkCheck(b *testing.B) {
	for _, doc := range []struct {
		name string
		text []byte
	}{
		{"payload=1KB", makePayload(1 << 10)},
		{"payload=50KB", makePayload(50 << 10)},
		{"records=1KB", makeRecords(1 << 10)},
		{"records=50KB", makeRecords(50 << 10)},
		{"cjk=50KB", Quote(strings.Repeat("漢字かな", 50<<10/12))},
	} {
		b.Run(doc.name+"/by=rawjson", func(b *testing.B) {
			b.SetBytes(int64(len(doc.text)))
			b.ReportAllocs()
			for b.Loop() {
				if Check(doc.text) != nil {
					b.Fatal("refused")
				}
			}
		})
		b.Run(doc.name+"/by=encodingjson", func(b *testing.B) {
			b.SetBytes(int64(len(doc.text)))
			b.ReportAllocs()
			for b.Loop() {
				if !json.Valid(doc.text) {
					b.Fatal("refused")
				}
			}
		})
	}
}

func BenchmarkGet(b *testing.B) {
	doc := makePayload(1 << 10)
	b.Run("tool_name", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := Get(doc, "tool_name"); !ok {
				b.Fatal("not found")
			}
		}
	})
	b.Run("tool_input.content", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := Lookup(doc, "tool_input", "content"); !ok {
				b.Fatal("not found")
			}
		}
	})
	b.Run("by=encodingjson", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v struct {
				Name string `json:"tool_name"`
			}
			if json.Unmarshal(doc, &v) != nil || v.Name == "" {
				b.Fatal("not found")
			}
		}
	})
}

func BenchmarkWhole(b *testing.B) {
	doc := makePayload(1 << 10)
	patch := []byte(`{"tool_name":"Edit","turn":null,"note":"seen"}`)
	other, err := Patch(doc, []byte(`{"session_id":"0b6b2c1e-7d0f-4c55-9f0e-0f6f5b6d3a1\u0031"}`))
	if err != nil {
		b.Fatal(err)
	}
	content, _ := Lookup(doc, "tool_input", "content")
	for _, bb := range []struct {
		name string
		fn   func()
	}{
		{"Patch", func() { _, _ = Patch(doc, patch) }},
		{"Equal", func() { Equal(doc, other) }},
		{"Dedup", func() { Dedup(doc) }},
		{"Text", func() { Text(content) }},
		{"Strings", func() { EachStringValue(doc, func(string) bool { return true }) }},
		{"Each", func() { Each(doc, func(string, []byte) bool { return true }) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bb.fn()
			}
		})
	}
}
