package seal

import (
	"errors"
	"io/fs"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// A reportedMissed is what records state about calls that were not recorded.
type reportedMissed struct {
	total    uint64
	hasTotal bool   // some record has a total
	sum      uint64 // sum of the counts in the existing records

	last    ledger.Generation // the record that last reported them
	hasLast bool              // last is known
}

// withRecord returns t updated with what line reports.
func (t reportedMissed) withRecord(line *ledger.Line) reportedMissed {
	if total, ok := line.MissedTotal(); ok {
		t.total, t.hasTotal = total, true
		if line.Kind == ledger.KindGap {
			n, _ := strconv.ParseUint(line.Text("missed"), 10, 64)
			t.sum += n
		}
	}
	if last, ok := line.MissedRecord(); ok {
		t.last, t.hasLast = last, true
	}
	return t
}

// checkMissedTotal checks that the total of unrecorded calls in line follows from the records before
// it.
func (v *verifier) checkMissedTotal(line *ledger.Line, after link, here Finding) {
	total, ok := line.MissedTotal()
	if !ok {
		return
	}
	more, _ := strconv.ParseUint(line.Text("missed"), 10, 64)
	if line.Kind == ledger.KindSegment {
		more = 0
	}
	if after.missed.hasTotal && total != after.missed.total+more {
		v.addFinding(here, "the record says that %d calls were not recorded so far, but the records before it add up to %d", total, after.missed.total+more)
	}
}

// reportMissed reports the unrecorded calls that a writer recorded in line.
func (v *verifier) reportMissed(line *ledger.Line, here Finding) {
	say := v.addFinding
	if v.o.AllowMissed && line.Text("doubt") == "" {
		say = v.addNotice
	}
	say(here, "%s", line.Text("why"))
}

// checkMissedCount compares the count of unrecorded calls with the records. It must run after the
// records were read, since the count only grows.
func (v *verifier) checkMissedCount() {
	if v.key == nil {
		return
	}
	here, told := Finding{Kind: FindMissed}, v.at.missed
	m, err := ledger.ReadMissed(v.dir, *v.key)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !told.hasTotal:
		return // the ledger is from a build without a count
	case errors.Is(err, fs.ErrNotExist):
		v.addFinding(here, "the count of unrecorded calls is missing")
		return
	case err != nil:
		v.addFinding(here, "the count of unrecorded calls cannot be read: %v", err)
		return
	case m.Forged:
		v.addFinding(here, "the count of unrecorded calls is damaged or forged: its seal does not match")
	case m.Fresh && told.hasTotal:
		v.addFinding(here, "the count of unrecorded calls was restarted")
	case v.isCountOlder(m):
		v.addFinding(here, "the count of unrecorded calls was replaced by an older copy: what was counted since is lost")
	case m.IsLowered(told.total):
		v.addFinding(here, "the count of unrecorded calls was lowered")
	}
	if n := len(m.Damaged); n > 0 {
		v.addFinding(here, "damaged or forged: %s about unrecorded calls", countOf(n, "note"))
	}
	if loss := m.LossSince(told.total); loss.Count > 0 {
		v.report.Missed += loss.Count
		say := v.addFinding
		if v.o.AllowMissed {
			say = v.addNotice
		}
		say(here, "%s; the next record will report it", loss.String())
	}
}

// isCountOlder reports whether m is an older copy of the count, because it does not refer to the last
// record that reported missed calls. It reads both again, since writers may have continued meanwhile.
func (v *verifier) isCountOlder(m *ledger.Missed) bool {
	for try := range 5 {
		if !m.IsOlderThan(v.at.missed.last, v.at.missed.hasLast) {
			return false
		}
		time.Sleep(time.Duration(try) * time.Millisecond)
		last, known := ledger.LastMissedRecord(v.dir)
		if now, err := ledger.ReadMissed(v.dir, *v.key); err == nil && !now.IsOlderThan(last, known) {
			return false
		}
	}
	return true
}

// countOf returns text such as "1 record" or "3 records".
func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
