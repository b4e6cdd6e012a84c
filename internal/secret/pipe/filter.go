// Package pipe runs a command and prints its output with secrets redacted, for agents
// whose model receives the original output of tools even if a hook replaces it.
//
// It runs between the command and the agent and changes nothing else: other bytes, their
// order and the exit code stay the same. If it fails, it prints nothing more.
package pipe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/secret"
)

// marker replaces a secret. A marker with an id would need the machine's key, which a command that an
// agent runs may not be able to read.
const marker = "[REDACTED]"

// A Filter redacts secrets in text that is written in pieces: known values wherever they occur, and
// secrets that it finds. Its memory does not grow with the text. It is not safe for concurrent use.
type Filter struct {
	known  valueFilter
	stream *secret.Stream
}

// NewFilter returns a filter that redacts the known secrets in values, and those that it finds.
func NewFilter(values []string) *Filter {
	return &Filter{newValueFilter(values), secret.NewStream(secret.Secrets, nil)}
}

// Write adds the next piece and returns the output that is ready, which is valid until the next call.
func (f *Filter) Write(piece []byte) (ready []byte) {
	return f.stream.Write(f.known.write(piece, false))
}

// Close returns the rest of the output.
func (f *Filter) Close() []byte {
	ready := slices.Clone(f.stream.Write(f.known.write(nil, true)))
	return append(ready, f.stream.Close()...)
}

// A valueFilter replaces known values in text that is written in pieces.
type valueFilter struct {
	values  [][]byte // longest first
	longest int
	held    []byte // text that may be the beginning of a value
	next    []int  // the next index of each value in held; -1 if there is none
	out     []byte
}

// minValue is the minimum length of a value that is replaced everywhere. A shorter one may be part of
// an ordinary word.
const minValue = 6

// newValueFilter returns a filter for values, except those that are too short.
func newValueFilter(values []string) valueFilter {
	var k valueFilter
	for _, v := range values {
		if len(v) >= minValue && !strings.Contains(v, marker) {
			k.values = append(k.values, []byte(v))
		}
	}
	slices.SortFunc(k.values, func(a, b []byte) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return bytes.Compare(a, b)
	})
	k.values = slices.CompactFunc(k.values, bytes.Equal)
	if len(k.values) > 0 {
		k.longest = len(k.values[0])
	}
	k.next = make([]int, len(k.values))
	return k
}

// write adds piece and returns the output that is ready, or everything that is left if last is set.
func (k *valueFilter) write(piece []byte, last bool) []byte {
	if len(k.values) == 0 {
		return piece
	}
	k.held = append(k.held, piece...)
	k.out = k.out[:0]
	safe := len(k.held) // a value that begins before this offset is complete
	if !last {
		safe = max(0, len(k.held)-k.longest+1)
	}
	for i := range k.next {
		k.next[i] = bytes.Index(k.held, k.values[i])
	}
	at := 0
	for {
		first := -1
		for i, n := range k.next {
			if n >= 0 && n < at {
				if n = bytes.Index(k.held[at:], k.values[i]); n >= 0 {
					n += at
				}
				k.next[i] = n
			}
			if n >= 0 && (first < 0 || n < k.next[first]) { // of two values at the same offset, the longer counts
				first = i
			}
		}
		if first < 0 || k.next[first] >= safe {
			break
		}
		k.out = append(append(k.out, k.held[at:k.next[first]]...), marker...)
		at = k.next[first] + len(k.values[first])
	}
	if at < safe {
		k.out = append(k.out, k.held[at:safe]...)
		at = safe
	}
	k.held = k.held[:copy(k.held, k.held[at:])]
	return k.out
}

// maxFile is the maximum size of a file whose secrets are read.
const maxFile = 4 << 20

// minKeyLine is the minimum length of a line of a key that is redacted by itself.
const minKeyLine = 24

// ReadSecrets returns the secrets in the file name and, for secrets of several lines, also their
// lines. It returns nil if the file does not exist.
func ReadSecrets(name string) ([]string, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s is not a regular file of at most 4 MB", name)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, err
	}
	var out []string
	c := secret.Cleaner{Want: secret.Secrets, Mark: func(text string, f secret.Finding) string {
		value := text[f.Start:f.End]
		out = append(out, value)
		if strings.Contains(value, "\n") {
			for line := range strings.Lines(value) {
				if line = strings.TrimSpace(line); len(line) >= minKeyLine && !strings.HasPrefix(line, "-----") {
					out = append(out, line)
				}
			}
		}
		return marker
	}}
	c.RedactText(string(text))
	return out, nil
}
