package seal

import (
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// Records get their times in the order in which they are chained. Between two records,
// the wall clock may stand still or be adjusted by this much.
const (
	clockBack    = time.Second     // how far the wall clock may go back
	clockBehind  = 2 * time.Second // how far it may fall behind the monotonic clock
	clockSlew    = 1000            // plus this fraction of the elapsed time, for a clock that is being adjusted
	clockForward = 5 * time.Minute // jump forward above which a notice is reported
)

// checkClock compares the time of line with that of after, the record that it follows.
func (v *verifier) checkClock(line *ledger.Line, after link, here Finding) {
	if v.first == nil {
		return
	}
	find := v.addFinding
	if v.o.AllowClock {
		find = v.addNotice
	}
	wall := line.Time.Sub(after.time)
	if wall < -clockBack {
		if line.Boot != after.boot {
			find = v.addNotice // after a boot, clocks are often wrong until they are synchronised
		}
		find(here, "the clock went back by %v between record %d and record %d", -wall, after.seq, line.Seq)
		return
	}
	if line.Boot == "" || line.Boot != after.boot {
		return // the monotonic clocks of two boots cannot be compared
	}
	mono := time.Duration(line.Mono - after.mono)
	switch {
	case mono < 0:
		find(here, "the monotonic clock went back by %v between record %d and record %d", -mono, after.seq, line.Seq)
	case wall < mono-clockBehind-mono/clockSlew:
		find(here, "the clock was set back by %v between record %d and record %d", mono-wall, after.seq, line.Seq)
	case wall-clockForward > mono:
		v.addNotice(here, "the clock went forward by %v between record %d and record %d, or the machine slept", wall-mono, after.seq, line.Seq)
	}
}
