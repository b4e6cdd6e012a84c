package seal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// maxTail bounds what one dead writer may leave, and those who died cleaning up
// after it.
const maxTail = 4 * ledger.MaxLine

// closesTorn checks that a torn record describes what stands between the record
// that it follows, which it returns, and itself. That is the last one; or the
// one before, because a record that lacked only its newline was never
// acknowledged and is torn as well; or the last that a writer wrote, where others
// follow it.
func (v *verifier) closesTorn(e *ledger.Entry) (after link, ok bool) {
	for _, after := range []link{v.at, v.before, v.vouched} {
		follows := e.Line.Seq == after.seq+1 && e.Line.Prev == after.hash && after.segment == v.current.Segment
		if follows && v.covers(after.end, e) {
			v.report.Torn++
			return after, true
		}
	}
	return v.at, false
}

// covers checks a torn record against the bytes from an offset to the newline
// before it.
func (v *verifier) covers(from int64, e *ledger.Entry) bool {
	size := e.At.Offset - 1 - from
	if size <= 0 || e.Line.Text("bytes") != strconv.FormatInt(size, 10) {
		return false
	}
	data, err := ledger.ReadAt(v.dir, ledger.Position{Segment: e.At.Segment, Offset: from}, int(size+1))
	if err != nil || data[size] != '\n' {
		return false
	}
	sum := sha256.Sum256(data[:size])
	return e.Line.Text("digest") == hex.EncodeToString(sum[:])
}

// checkTail looks at what comes after the last record. Rest is what has no
// newline yet.
func (v *verifier) checkTail(rest []byte) error {
	start, size := v.edge(v.at), v.tail+int64(len(rest))
	if size == start {
		return nil
	}
	here := Finding{Kind: FindTorn, Segment: v.current.Segment, Offset: start, Seq: v.at.seq + 1}
	if v.current.First > 0 && size-start <= maxTail {
		tail, err := ledger.ReadAt(v.dir, ledger.Position{Segment: v.current.Segment, Offset: start}, int(v.tail-start))
		if err != nil {
			return err
		}
		// A last line that was edited looks like one that was closed by half.
		// It is the head that knows: without one, only half a line is believed.
		if v.couldGrow(append(tail, rest...)) && (len(rest) > 0 || v.head != nil) {
			v.notice(here, "the last %d bytes are not a whole record: the writer is still working or died; the next writer will close it", size-start)
			v.report.Bytes += size - start
			v.tail = start // it was looked at
			return nil
		}
	}
	v.tail = size
	return nil
}

// couldGrow reports whether a dead writer may have left this after the last
// record: the beginning of the next one, and beginnings of torn records by those
// who died closing it, or who died closing the last record when that still
// lacked its newline. Where the head names no later record, nobody was told that
// there is one, and a power loss may have left anything in its place.
func (v *verifier) couldGrow(tail []byte) bool {
	for i, part := range bytes.Split(tail, []byte("\n")) {
		kind := ledger.KindTorn
		if i == 0 {
			kind = "" // any
			if v.head != nil && v.head.Seq <= v.at.seq {
				continue
			}
		}
		if !begins(part, kind, v.at) && !begins(part, ledger.KindTorn, v.before) || len(part) > ledger.MaxLine || hasWhole(part) {
			return false
		}
	}
	return true
}

// begins reports whether a text is the beginning of the record after another.
func begins(part []byte, kind string, after link) bool {
	f := fragment{rest: part}
	f.text(`{"v":1,"seq":` + strconv.FormatUint(after.seq+1, 10) + `,"kind":"`)
	if kind == "" {
		f.until('"')
	} else {
		f.text(kind + `"`)
	}
	f.text(`,"time":"`)
	f.until('"')
	f.text(`,"boot":"`)
	f.until('"')
	f.text(`,"mono":`)
	f.until(',')
	f.text(`"prev":"` + after.hash.String() + `"`)
	return !f.wrong
}

// hasWhole reports whether a text begins with a whole record and goes on.
func hasWhole(part []byte) bool {
	const key, tail = `,"hash":"`, len(`,"hash":"`) + 2*sha256.Size + len(`"}`)
	for at := 0; ; at += len(key) {
		n := bytes.Index(part[at:], []byte(key))
		if n < 0 || at+n+tail >= len(part) {
			return false
		}
		at += n
		// Its length stands before it: so not every text that looks like the
		// end of a record must be hashed.
		digits := bytes.LastIndexByte(part[max(0, at-8):at], ':') + max(0, at-8) + 1
		length, err := strconv.Atoi(string(part[digits:at]))
		if err != nil || length != digits-len(`,"len":`) {
			continue
		}
		if _, err := ledger.ParseLine(part[:at+tail]); err == nil {
			return true
		}
	}
}

// A fragment is the beginning of a text, which may end anywhere.
type fragment struct {
	rest  []byte
	wrong bool
}

func (f *fragment) text(want string) {
	n := min(len(want), len(f.rest))
	f.wrong = f.wrong || !strings.HasPrefix(want, string(f.rest[:n]))
	f.rest = f.rest[n:]
}

func (f *fragment) until(end byte) {
	i := bytes.IndexByte(f.rest, end)
	if i < 0 {
		i = len(f.rest) - 1
	}
	f.rest = f.rest[i+1:]
}
