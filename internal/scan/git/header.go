package git

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// A header is the part of a commit or tag before its message. Most of it is ids, but a push also sends
// the rest: names of people and hosts, merged tags with their messages, and anything a program added.
type header struct {
	text  strings.Builder
	quiet bool // continuation lines are not kept
}

// maxHeader is the maximum number of bytes of a header that are kept. Git never writes as many.
const maxHeader = 1 << 20

// readHeader reads the header of an object up to the first empty line, after which the message starts.
// It decreases body.N and updates sum accordingly.
func (h *header) readHeader(in *bufio.Reader, body *io.LimitedReader, sum *objectHash) error {
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
		h.addLine(string(line), start)
		if h.text.Len() > maxHeader {
			return errors.New("its header is too long")
		}
		start = err == nil
	}
	return nil
}

// addLine keeps the text of line. If start is not set, line continues a longer one. A line that begins
// with a space continues the previous field.
func (h *header) addLine(line string, start bool) {
	rest := line
	if tagger, ok := strings.CutPrefix(line, " tagger "); ok && start { // the tagger of a merged tag
		rest = personText(tagger)
	} else if start && line[0] != ' ' {
		key, value, _ := strings.Cut(line, " ")
		rest = value
		switch key {
		case "tree", "parent", "object", "type", "encoding", "gpgsig", "gpgsig-sha256":
			h.quiet = true
		case "author", "committer", "tagger":
			h.quiet = false
			rest = personText(value)
		default:
			h.quiet = false
		}
	}
	if !h.quiet {
		h.text.WriteString(rest)
	}
}

// personText returns the name in value and both parts of the e-mail address, without the @. The
// address itself is in every commit on purpose, so it is not a finding.
func personText(value string) string {
	name, rest, ok := strings.Cut(value, "<")
	address, _, closed := strings.Cut(rest, ">")
	if !ok || !closed {
		return value
	}
	return name + strings.ReplaceAll(address, "@", " ") + "\n"
}
