package app

import (
	"context"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

const (
	// pollInterval is how often a call that waits looks for its answer.
	pollInterval = 250 * time.Millisecond
	// answerTime is what a call that was answered has left of its host's time limit, to be decided again.
	answerTime = 500 * time.Millisecond
)

// ApprovalSettings returns how a person learns of calls that wait for an answer.
func (k *Kit) ApprovalSettings() setting.Approvals { return k.config.Settings.Approvals }

// awaitAnswer waits until a person has answered b, and reports whether one has. It waits as long as the
// person's configuration and the time limit of the host, the deadline of ctx, permit.
func (k *Kit) awaitAnswer(ctx context.Context, b *grant.Block) bool {
	wait := k.config.Settings.Approvals.Wait
	if wait == 0 || k.unrecorded || k.standing.foreign || b.Refused != nil {
		return false
	}
	end := time.Now().Add(wait)
	if limit, ok := ctx.Deadline(); ok && limit.Add(-answerTime).Before(end) {
		end = limit.Add(-answerTime)
	}
	for time.Now().Before(end) {
		if a, err := k.grants.AnswerTo(b); a != nil && err == nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pollInterval):
		}
	}
	return false
}
