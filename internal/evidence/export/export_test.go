package export

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
		if f.About == "" {
			t.Errorf("%s is not described", f.Name)
		}
		if (f.New == nil) != (f.Name == "otlp") {
			t.Errorf("%s: New = %v", f.Name, f.New != nil)
		}
	}
	if got := strings.Join(names, " "); got != "jsonl csv cef ocsf otlp" {
		t.Errorf("formats: %s", got)
	}
}

func TestJSONLVerifies(t *testing.T) {
	t.Parallel()
	lines := [][]byte{
		line(1, ledger.KindSegment, `"ledger":"x"`),
		line(2, ledger.KindEvent, denied),
		line(3, "unheard_of", ""),
	}
	want := append(bytes.Join(lines, []byte("\n")), '\n')
	var out bytes.Buffer
	writeAll(t, JSONL(&out), lines...)
	if !bytes.Equal(out.Bytes(), want) {
		t.Fatalf("got %s\nwant %s", out.Bytes(), want)
	}
	for l := range bytes.Lines(out.Bytes()) {
		if _, err := ledger.ParseLine(bytes.TrimSuffix(l, []byte("\n"))); err != nil {
			t.Errorf("%s: %v", l, err)
		}
	}
}

// After an error, all later calls return it.
func TestWriterFails(t *testing.T) {
	t.Parallel()
	for _, f := range Formats() {
		if f.New == nil {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for _, room := range []int{0, 2, 300} {
				s := f.New(&fullDisk{room})
				err := s.Write(line(1, ledger.KindEvent, denied))
				if err == nil {
					err = s.Close()
				}
				if err == nil {
					t.Fatalf("room for %d bytes was enough", room)
				}
				if s.Write(event(2, nil)) == nil || s.Close() == nil {
					t.Errorf("room for %d bytes: the error is forgotten", room)
				}
			}
		})
	}
}

// A line that is not a record is rejected with an error that names it, and the next one is written.
func TestBadLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, line, want string }{
		{"no JSON", `{"seq":`, "reading a record"},
		{"no object", `[1]`, "reading a record"},
		{"no kind", `{"v":1,"seq":9}`, "record 9: it has no kind"},
		{"wrong types", `{"seq":9,"kind":"event","plan":"all"}`, "reading record 9"},
	}
	for _, f := range Formats() {
		if f.New == nil || f.Name == "jsonl" {
			continue
		}
		for _, tt := range tests {
			t.Run(f.Name+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				s := f.New(io.Discard)
				if err := s.Write([]byte(tt.line)); err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v, want %q", err, tt.want)
				}
				writeAll(t, s, event(1, nil))
			})
		}
	}
}
