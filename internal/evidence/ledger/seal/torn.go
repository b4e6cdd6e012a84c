package seal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// maxTail limits how much a writer that died, and those that died while closing its unfinished record,
// may leave.
const maxTail = 4 * ledger.MaxLine

// closesTorn reports whether e, a torn record, describes the bytes between itself and the record that
// it follows, which it returns. That is the last record; or the one before, because a record that
// lacked only its newline was never acknowledged and counts as torn; or the last authentic one, if
// records that are not authentic follow it.
func (v *verifier) closesTorn(e *ledger.Entry) (after link, ok bool) {
	for _, after := range []link{v.at, v.before, v.vouched} {
		follows := e.Line.Seq == after.seq+1 && e.Line.Prev == after.hash && after.segment == v.current.Segment
		if follows && v.matchesTorn(after.end, e) {
			v.report.Torn++
			return after, true
		}
	}
	return v.at, false
}

// matchesTorn reports whether e, a torn record, describes the bytes between the offset from and the
// newline before e.
func (v *verifier) matchesTorn(from int64, e *ledger.Entry) bool {
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

// checkTail checks what follows the last record. rest is the part of it after the last newline.
func (v *verifier) checkTail(rest []byte) error {
	start, size := v.expectedOffset(v.at), v.tail+int64(len(rest))
	if size == start {
		return nil
	}
	here := Finding{Kind: FindTorn, Segment: v.current.Segment, Offset: start, Seq: v.at.seq + 1}
	if v.current.First > 0 && size-start <= maxTail {
		tail, err := ledger.ReadAt(v.dir, ledger.Position{Segment: v.current.Segment, Offset: start}, int(v.tail-start))
		if err != nil {
			return err
		}
		// An edited last line looks like one that a writer was about to close. Only the head can
		// distinguish the two, so without a head only an incomplete line is accepted.
		if v.mayBeUnfinished(append(tail, rest...)) && (len(rest) > 0 || v.head != nil) {
			v.addNotice(here, "the last %d bytes are not a whole record: the writer is still working or died; the next writer will close it", size-start)
			v.report.Bytes += size - start
			v.tail = start // already reported
			return nil
		}
	}
	v.tail = size
	return nil
}

// mayBeUnfinished reports whether tail may be what writers that died left after the last record: the
// beginning of the next record, and beginnings of torn records by writers that died while closing it,
// or while closing the last record when that still lacked its newline. If the head names no later
// record, none was acknowledged, and a power failure may have left anything in its place.
func (v *verifier) mayBeUnfinished(tail []byte) bool {
	for i, part := range bytes.Split(tail, []byte("\n")) {
		kind := ledger.KindTorn
		if i == 0 {
			kind = "" // any kind
			if v.head != nil && v.head.Seq <= v.at.seq {
				continue
			}
		}
		if !isRecordStart(part, kind, v.at) && !isRecordStart(part, ledger.KindTorn, v.before) || len(part) > ledger.MaxLine || hasFullRecord(part) {
			return false
		}
	}
	return true
}

// isRecordStart reports whether part is the beginning of the record that follows after. kind is its
// kind, or "" for any.
func isRecordStart(part []byte, kind string, after link) bool {
	f := fragment{rest: part}
	f.expect(`{"v":1,"seq":` + strconv.FormatUint(after.seq+1, 10) + `,"kind":"`)
	if kind == "" {
		f.skipPast('"')
	} else {
		f.expect(kind + `"`)
	}
	f.expect(`,"time":"`)
	f.skipPast('"')
	f.expect(`,"boot":"`)
	f.skipPast('"')
	f.expect(`,"mono":`)
	f.skipPast(',')
	f.expect(`"prev":"` + after.hash.String() + `"`)
	return !f.wrong
}

// hasFullRecord reports whether part begins with a complete record and continues after it.
func hasFullRecord(part []byte) bool {
	const key, tail = `,"hash":"`, len(`,"hash":"`) + 2*sha256.Size + len(`"}`)
	for at := 0; ; at += len(key) {
		n := bytes.Index(part[at:], []byte(key))
		if n < 0 || at+n+tail >= len(part) {
			return false
		}
		at += n
		// The length before it is checked first, since hashing every text that looks like the end of a
		// record would take too long.
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

// A fragment is the beginning of a text that may be cut off anywhere.
type fragment struct {
	rest  []byte
	wrong bool
}

// expect skips want, or the part of it that is left. It sets wrong if the fragment differs from want.
func (f *fragment) expect(want string) {
	n := min(len(want), len(f.rest))
	f.wrong = f.wrong || !strings.HasPrefix(want, string(f.rest[:n]))
	f.rest = f.rest[n:]
}

// skipPast skips the text up to and including end, or everything if there is no end.
func (f *fragment) skipPast(end byte) {
	i := bytes.IndexByte(f.rest, end)
	if i < 0 {
		i = len(f.rest) - 1
	}
	f.rest = f.rest[i+1:]
}
