package seal

import (
	"errors"
	"io/fs"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// told is what records say of calls that were not recorded.
type told struct {
	total  uint64
	counts bool   // one has said so
	sum    uint64 // of what the records that are there say

	last  ledger.Generation // which record said so last
	dated bool              // that is known
}

// after is what is told after a record.
func (t told) after(line *ledger.Line) told {
	if total, ok := line.MissedTotal(); ok {
		t.total, t.counts = total, true
		if line.Kind == ledger.KindGap {
			n, _ := strconv.ParseUint(line.Text("missed"), 10, 64)
			t.sum += n
		}
	}
	if last, ok := line.MissedRecord(); ok {
		t.last, t.dated = last, true
	}
	return t
}

// checkTold checks that a record's total follows from those before it.
func (v *verifier) checkTold(line *ledger.Line, after link, here Finding) {
	total, ok := line.MissedTotal()
	if !ok {
		return
	}
	more, _ := strconv.ParseUint(line.Text("missed"), 10, 64)
	if line.Kind == ledger.KindSegment {
		more = 0
	}
	if after.told.counts && total != after.told.total+more {
		v.find(here, "the record says that %d calls were not recorded so far, but the records before it add up to %d", total, after.told.total+more)
	}
}

// checkMissed passes on what a writer told of calls that were not recorded.
func (v *verifier) checkMissed(line *ledger.Line, here Finding) {
	say := v.find
	if v.o.AllowMissed && line.Text("doubt") == "" {
		say = v.notice
	}
	say(here, "%s", line.Text("why"))
}

// checkCount compares the count of calls that were not recorded with what the records
// tell. It is read after the records: it only grows.
func (v *verifier) checkCount() {
	if v.key == nil {
		return
	}
	here, told := Finding{Kind: FindMissed}, v.at.told
	m, err := ledger.ReadMissed(v.dir, *v.key)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !told.counts:
		return // it is as old as that
	case errors.Is(err, fs.ErrNotExist):
		v.find(here, "the count of unrecorded calls is missing")
		return
	case err != nil:
		v.find(here, "the count of unrecorded calls cannot be read: %v", err)
		return
	case m.Forged:
		v.find(here, "the count of unrecorded calls is damaged or forged: its seal does not match")
	case m.Fresh && told.counts:
		v.find(here, "the count of unrecorded calls was restarted")
	case v.older(m):
		v.find(here, "the count of unrecorded calls was replaced by an older copy: what was counted since is lost")
	case m.IsLowered(told.total):
		v.find(here, "the count of unrecorded calls was lowered")
	}
	if n := len(m.Damaged); n > 0 {
		v.find(here, "%s of unrecorded calls: damaged or forged", amountOf(n, "note"))
	}
	if loss := m.Since(told.total); loss.Count > 0 {
		v.report.Missed += loss.Count
		say := v.find
		if v.o.AllowMissed {
			say = v.notice
		}
		say(here, "%s; the next record will report it", loss.String())
	}
}

// older reports whether the count knows nothing of the last record that told of missed
// calls. Writers may have gone on since the records were read.
func (v *verifier) older(m *ledger.Missed) bool {
	for try := range 5 {
		if !m.IsOlderThan(v.at.told.last, v.at.told.dated) {
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

func amountOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
