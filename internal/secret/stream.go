package secret

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/reader"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// A Stream redacts text that is written in pieces. Its concatenated output is the result of Redact for
// the whole text, wherever the pieces end. It holds back text whose findings more text might change: a
// few kilobytes, and up to 64 KiB of a possible key block. It is not safe for concurrent use.
type Stream struct {
	passes [rounds]streamRound
}

// NewStream returns a stream that redacts findings of the kinds want. See [Redact] for the meaning of
// marker.
func NewStream(want rules.Kind, marker func(rule string) string) *Stream {
	s := new(Stream)
	for i := range s.passes {
		s.passes[i] = streamRound{want: want, marker: marker}
	}
	return s
}

// Write adds the next piece of the text and returns the part of the result that is ready, which may be
// empty and is valid until the next call.
func (s *Stream) Write(chunk []byte) (ready []byte) { return s.runRounds(chunk, false) }

// Close returns the rest of the result.
func (s *Stream) Close() (rest []byte) { return s.runRounds(nil, true) }

// runRounds passes chunk through all rounds, and returns the output of the last.
func (s *Stream) runRounds(chunk []byte, last bool) []byte {
	fresh := true
	for i := range s.passes {
		p := &s.passes[i]
		if fresh {
			p.fresh = len(p.buf) + len(chunk)
		}
		before := p.n
		chunk = p.write(chunk, last)
		fresh = p.n > before
	}
	return chunk
}

const (
	batch = 4 * lex.Hold // bytes that are searched at once

	// maxHeld is the maximum number of bytes held back, even if text without spaces leaves
	// everything uncertain.
	maxHeld = lex.KeyReach + batch
)

// A streamRound is one round of redaction over the text.
type streamRound struct {
	want   rules.Kind
	marker func(string) string
	buf    []byte // text that was not returned yet, after some text that was
	given  int    // the length of the part of buf that was returned
	next   int    // the length of buf at which it is searched again
	fresh  int    // an earlier round searched buf[fresh:] and left it unchanged
	inKey  bool   // the text continues with lines of a key that is being removed
	n      int    // the number of findings replaced
	out    []byte
}

// write adds chunk, and returns the output that is ready.
func (p *streamRound) write(chunk []byte, last bool) []byte {
	p.buf = append(p.buf, chunk...)
	p.out = p.out[:0]
	for last || len(p.buf) >= max(p.next, p.given+batch) {
		more := false
		if p.inKey {
			more = p.dropKeyLines(last)
		} else {
			more = p.searchBuffer(last) && !last
		}
		if p.next = 0; !more {
			p.next = len(p.buf) + lex.Hold
			break
		}
	}
	return p.out
}

// searchBuffer searches p.buf and outputs the part whose findings are certain. It reports whether
// there was any.
func (p *streamRound) searchBuffer(last bool) bool {
	text := string(p.buf)
	f := search.New(text, p.want)
	if p.fresh > 0 {
		findAll(&f)
	}
	found := appendFindings(&f, nil)
	over := 0 // the end of a finding for which a marker was already written
	for len(found) > 0 && found[0].Start < p.given {
		if found[0].Rule == rules.SeedPhrase {
			over = found[0].End
		}
		found = found[1:]
	}
	cut := len(text)
	if !last {
		cut = p.certainEnd(text, f.Pending, found)
	}
	at := max(p.given, over)
	for _, n := range found {
		if n.Start >= cut {
			break
		}
		p.out = append(p.out, text[at:n.Start]...)
		p.out = append(p.out, (&Cleaner{Marker: p.marker}).markerFor("", Finding{Rule: n.Rule})...)
		p.n++
		at = n.End
		if n.End > cut {
			if head := reader.KeyHeaderEnd(text, n.Start+len("-----BEGIN")); head >= 0 && n.Rule == "private-key" {
				p.inKey = true
				at = max(reader.ReadKeyLines(text, head).Safe, head)
			}
		}
	}
	if at < cut {
		p.out = append(p.out, text[at:cut]...)
		at = cut
	}
	if at <= p.given {
		return false
	}
	p.discardBefore(at)
	return true
}

// dropKeyLines drops the lines of a key, and reports whether other text follows them.
func (p *streamRound) dropKeyLines(last bool) bool {
	text := string(p.buf)
	body := reader.ReadKeyLines(text, p.given)
	p.inKey = !last && body.Stop+reader.LineReach > len(text)
	if p.inKey {
		p.discardBefore(max(body.Safe, p.given))
	} else {
		p.discardBefore(max(body.End, p.given))
	}
	return !p.inKey
}

// certainEnd returns the offset in text up to which more text cannot change the findings.
func (p *streamRound) certainEnd(text string, pending int, found []Finding) int {
	cut := min(len(text)-lex.Hold, pending)
	for {
		from := cut
		for _, n := range found {
			if n.Start < from && from < n.End {
				from = n.Start
			}
		}
		run := from
		for run > 0 && run < len(text) && runBytes.Has(text[run]) && runBytes.Has(text[run-1]) {
			run--
		}
		if from-run <= lex.LongReach {
			from = run
		}
		if from == cut {
			break
		}
		cut = from
	}
	if cut <= p.given && len(text)-p.given > maxHeld {
		return len(text) - lex.Hold
	}
	return cut
}

// discardBefore discards the text before i, except for the part that rules may still read.
func (p *streamRound) discardBefore(i int) {
	keep := max(0, i-lex.Reach)
	p.buf = p.buf[:copy(p.buf, p.buf[keep:])]
	p.given = i - keep
	p.fresh = max(0, p.fresh-keep)
}
