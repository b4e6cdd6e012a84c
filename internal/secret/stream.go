package secret

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/reader"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// A Stream redacts a text that comes in pieces. What it gives out, put
// together, is what Redact makes of the whole text, wherever the pieces end.
// It holds back what more text might change: some kilobytes, and up to 64 KiB
// of what may be a block of keys. It is not safe for concurrent use.
type Stream struct {
	passes [rounds]sieve
}

// NewStream returns a stream that takes out the wanted kinds. See Redact about
// the marker.
func NewStream(want rules.Kind, marker func(rule string) string) *Stream {
	s := new(Stream)
	for i := range s.passes {
		s.passes[i] = sieve{want: want, marker: marker}
	}
	return s
}

// Write takes the next piece of the text and returns what is ready of the
// result, perhaps nothing. It is valid until the next call.
func (s *Stream) Write(chunk []byte) (ready []byte) { return s.run(chunk, false) }

// Close returns the rest of the result.
func (s *Stream) Close() (rest []byte) { return s.run(nil, true) }

func (s *Stream) run(chunk []byte, last bool) []byte {
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
	batch = 4 * lex.Hold // is gone through at once

	// mostHeld is how much is held at most, even where a text without spaces
	// or ends leaves everything uncertain.
	mostHeld = lex.KeyReach + batch
)

// sieve is one round over the text.
type sieve struct {
	want   rules.Kind
	marker func(string) string
	buf    []byte // text that was not given out, and some before it that was
	given  int    // how long the latter is
	next   int    // the length of buf from which on it is worth another look
	fresh  int    // behind this, buf has only what a round before saw as it is, and left
	inKey  bool   // the text goes on with lines of a key that is being cut
	n      int
	out    []byte
}

// write takes more text and returns what is ready.
func (p *sieve) write(chunk []byte, last bool) []byte {
	p.buf = append(p.buf, chunk...)
	p.out = p.out[:0]
	for last || len(p.buf) >= max(p.next, p.given+batch) {
		more := false
		if p.inKey {
			more = p.cutKey(last)
		} else {
			more = p.step(last) && !last
		}
		if p.next = 0; !more {
			p.next = len(p.buf) + lex.Hold
			break
		}
	}
	return p.out
}

// step looks through the buffer and gives out what is certain. It reports
// whether that was something.
func (p *sieve) step(last bool) bool {
	text := string(p.buf)
	f := search.New(text, p.want)
	if p.fresh > 0 {
		findAll(&f)
	}
	found := appendFindings(&f, nil)
	over := 0 // up to where something goes on that a marker stands for already
	for len(found) > 0 && found[0].Start < p.given {
		if found[0].Rule == rules.SeedPhrase {
			over = found[0].End
		}
		found = found[1:]
	}
	cut := len(text)
	if !last {
		cut = p.certain(text, f.Pending, found)
	}
	at := max(p.given, over)
	for _, n := range found {
		if n.Start >= cut {
			break
		}
		p.out = append(p.out, text[at:n.Start]...)
		p.out = append(p.out, (&Cleaner{Marker: p.marker}).marker("", Finding{Rule: n.Rule})...)
		p.n++
		at = n.End
		if n.End > cut {
			if head := reader.HeadEnd(text, n.Start+len("-----BEGIN")); head >= 0 && n.Rule == "private-key" {
				p.inKey = true
				at = max(reader.KeyLines(text, head).Safe, head)
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
	p.drop(at)
	return true
}

// cutKey drops lines of a key and reports whether the text goes on behind them.
func (p *sieve) cutKey(last bool) bool {
	text := string(p.buf)
	body := reader.KeyLines(text, p.given)
	p.inKey = !last && body.Stop+reader.LineReach > len(text)
	if p.inKey {
		p.drop(max(body.Safe, p.given))
	} else {
		p.drop(max(body.End, p.given))
	}
	return !p.inKey
}

// certain returns up to where nothing that follows can change what is found.
func (p *sieve) certain(text string, pending int, found []Finding) int {
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
	if cut <= p.given && len(text)-p.given > mostHeld {
		return len(text) - lex.Hold
	}
	return cut
}

// drop forgets the text up to i, but for what rules look back at.
func (p *sieve) drop(i int) {
	keep := max(0, i-lex.Reach)
	p.buf = p.buf[:copy(p.buf, p.buf[keep:])]
	p.given = i - keep
	p.fresh = max(0, p.fresh-keep)
}
