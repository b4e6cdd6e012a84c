package git

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// A header is what stands before the message of a commit or a tag. Most of it is
// ids, but it is sent like the rest: names and hosts of people, the tags that were
// merged with their messages, and whatever a program put there.
type header struct {
	text  strings.Builder
	quiet bool // the line that goes on is not kept
}

// maxHeader is how much of a header is kept; no program of git writes so much.
const maxHeader = 1 << 20

// read goes to the message, behind the first empty line.
func (h *header) read(in *bufio.Reader, body *io.LimitedReader, sum *sum) error {
	for start := true; body.N > 0; {
		line, err := in.ReadSlice('\n')
		if int64(len(line)) > body.N { // the last line of an object without a message
			return errors.New("it has no message")
		}
		body.N -= int64(len(line))
		sum.Write(line)
		switch {
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		case start && len(line) == 1 && err == nil:
			return nil
		}
		h.line(string(line), start)
		if h.text.Len() > maxHeader {
			return errors.New("its header is too long")
		}
		start = err == nil
	}
	return nil
}

// line keeps what a line says. One that begins with a blank goes on with the one
// before.
func (h *header) line(line string, start bool) {
	rest := line
	if tagger, ok := strings.CutPrefix(line, " tagger "); ok && start { // of a tag that was merged
		rest = person(tagger)
	} else if start && line[0] != ' ' {
		key, value, _ := strings.Cut(line, " ")
		rest = value
		switch key {
		case "tree", "parent", "object", "type", "encoding", "gpgsig", "gpgsig-sha256":
			h.quiet = true
		case "author", "committer", "tagger":
			h.quiet = false
			rest = person(value)
		default:
			h.quiet = false
		}
	}
	if !h.quiet {
		h.text.WriteString(rest)
	}
}

// person is a name and what is on both sides of an address. The address as such
// is on every commit, and meant to be.
func person(value string) string {
	name, rest, ok := strings.Cut(value, "<")
	address, _, closed := strings.Cut(rest, ">")
	if !ok || !closed {
		return value
	}
	return name + strings.ReplaceAll(address, "@", " ") + "\n"
}
