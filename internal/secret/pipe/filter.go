// Package pipe runs a command and prints what it prints without secrets, for agents
// whose model is given what tools print whatever checkrein puts in its place.
//
// It stands between the command and the agent, so it loses nothing and changes nothing
// else: bytes, their order and the exit code stay. Where it fails, nothing more is printed.
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

// mark is what stands in a secret's place. An id would need the machine's key, which a
// command that an agent runs may not be able to read.
const mark = "[REDACTED]"

// A Filter takes secrets out of a text that comes in pieces: those that are known, however
// little of their surroundings is printed, and those that are found. It needs no more memory
// for a longer text. It is not safe for concurrent use.
type Filter struct {
	known  known
	stream *secret.Stream
}

// NewFilter returns a filter at the beginning of a text.
func NewFilter(values []string) *Filter {
	return &Filter{newKnown(values), secret.NewStream(secret.Secrets, nil)}
}

// Write takes the next piece and returns what is ready, until the next call.
func (f *Filter) Write(piece []byte) (ready []byte) {
	return f.stream.Write(f.known.write(piece, false))
}

// Close returns the rest.
func (f *Filter) Close() []byte {
	ready := slices.Clone(f.stream.Write(f.known.write(nil, true)))
	return append(ready, f.stream.Close()...)
}

// A known takes values out of a text that comes in pieces.
type known struct {
	values  [][]byte // the longest first
	longest int
	held    []byte // what may be the beginning of a value
	next    []int  // where in held each value is next; -1 = nowhere
	out     []byte
}

// shortest is how long a value has to be to be taken out wherever it stands: a shorter one
// may be part of any word.
const shortest = 6

func newKnown(values []string) known {
	var k known
	for _, v := range values {
		if len(v) >= shortest && !strings.Contains(v, mark) {
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

// write takes the next piece and returns what is ready; with last, all that is left.
func (k *known) write(piece []byte, last bool) []byte {
	if len(k.values) == 0 {
		return piece
	}
	k.held = append(k.held, piece...)
	k.out = k.out[:0]
	safe := len(k.held) // up to where a value that begins is there as a whole
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
			if n >= 0 && (first < 0 || n < k.next[first]) { // of two at one place, the longer
				first = i
			}
		}
		if first < 0 || k.next[first] >= safe {
			break
		}
		k.out = append(append(k.out, k.held[at:k.next[first]]...), mark...)
		at = k.next[first] + len(k.values[first])
	}
	if at < safe {
		k.out = append(k.out, k.held[at:safe]...)
		at = safe
	}
	k.held = k.held[:copy(k.held, k.held[at:])]
	return k.out
}

// maxFile is how long a file may be whose secrets are known.
const maxFile = 4 << 20

// shortLine is what a line of a key has at least.
const shortLine = 24

// SecretsOf returns the secrets in a file; of those with several lines, their lines too. A
// file that is gone has none.
func SecretsOf(name string) ([]string, error) {
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
				if line = strings.TrimSpace(line); len(line) >= shortLine && !strings.HasPrefix(line, "-----") {
					out = append(out, line)
				}
			}
		}
		return mark
	}}
	c.Text(string(text))
	return out, nil
}
