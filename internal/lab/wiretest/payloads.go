package wiretest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/wire"
)

// A Payload is one recorded payload of a host.
type Payload struct {
	File  string
	Body  []byte
	Event string // its event if the host's payloads do not name it, otherwise ""
}

// Payloads returns the recorded payloads of a host whose file names match pattern. dir is the path of
// internal/host.
func Payloads(t testing.TB, dir string, h *wire.Host, pattern string) []Payload {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, strings.ReplaceAll(h.Name, "-", ""), "testdata", pattern))
	if err != nil {
		t.Fatal(err)
	}
	out := make([]Payload, len(files))
	for i, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = Payload{File: file, Body: body}
		if h.OmitsEvent {
			out[i].Event, _, _ = strings.Cut(filepath.Base(file), ".")
		}
	}
	return out
}

// AllPayloads returns all recorded payloads of a host. The test fails if there are none.
func AllPayloads(t testing.TB, dir string, h *wire.Host) []Payload {
	t.Helper()
	out := Payloads(t, dir, h, "*.json")
	if len(out) == 0 {
		t.Fatalf("%s has no payloads", h.Name)
	}
	return out
}
