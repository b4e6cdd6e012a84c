package parser

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// TestPipeReader checks that a tree, warnings and errors are the same after they were sent through a
// pipe.
func TestPipeReader(t *testing.T) {
	t.Parallel()
	opened := 0
	read := yamldoc.NewPipeReader(func() (io.ReadWriter, error) {
		opened++
		return startServing("1"), nil
	}, "1")
	for _, src := range []string{"a: 1.10\nb:\n  - 'x'\n  - true\n", `a: "\.py"`, "a: [", "a: \xff"} {
		want, warned, wantErr := Parse([]byte(src))
		got, warnings, err := read([]byte(src))
		if diff := cmp.Diff(want, got) + cmp.Diff(warned, warnings) + cmp.Diff(wantErr, err); diff != "" {
			t.Errorf("%q: %s", src, diff)
		}
	}
	if opened != 1 {
		t.Errorf("opened %d times, want once", opened)
	}
}

func TestPipeReaderFails(t *testing.T) {
	t.Parallel()
	missing := errors.New("no such program")
	for _, tt := range []struct {
		name string
		open func() (io.ReadWriter, error)
		want string
	}{
		{"missing", func() (io.ReadWriter, error) { return nil, missing }, "no such program"},
		{"another version", func() (io.ReadWriter, error) { return startServing("2"), nil }, "has version 2 instead of 1"},
		{"silent", func() (io.ReadWriter, error) { return pipe{strings.NewReader(""), io.Discard}, nil }, "EOF"},
	} {
		if _, _, err := yamldoc.NewPipeReader(tt.open, "1")([]byte("a: b")); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an error with %q", tt.name, err, tt.want)
		}
	}
}

type pipe struct {
	io.Reader
	io.Writer
}

// startServing starts a goroutine that answers texts.
func startServing(version string) io.ReadWriter {
	in, texts := io.Pipe()
	readings, out := io.Pipe()
	go func() { _ = yamldoc.Serve(in, out, version) }()
	return pipe{readings, texts}
}
