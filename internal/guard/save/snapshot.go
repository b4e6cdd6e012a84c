// Package save preserves what would otherwise be lost: the files of a project before a turn or call
// changes them, and the whole of a shortened output.
package save

import (
	"context"
	"errors"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/sys/snapshot"
)

const (
	snapshotTTL = 7 * 24 * time.Hour
	maxBases    = 64 // maximum number of calls that have begun but not ended
)

// A shadowFinder returns the store of snapshots for a directory.
type shadowFinder = func(ctx context.Context, dir string) (*snapshot.Shadow, error)

// NewSnapshot returns the builtin that saves a project's files before each turn or tool call, in the
// store that find returns.
func NewSnapshot(find shadowFinder, args []string) (builtin.Func, error) {
	return func(ctx context.Context, call builtin.Call) (checkrein.Verdict, error) {
		return takeSnapshot(ctx, &call, find)
	}, builtin.NoArgs(args)
}

// takeSnapshot saves the files of the project when a turn or tool call begins. When it ends, the
// changed files become a step that can be undone.
func takeSnapshot(ctx context.Context, call *builtin.Call, find shadowFinder) (checkrein.Verdict, error) {
	ev := &call.Event
	act := snapshotAction(ev)
	if act == nil || ev.Session.ID == "" || find == nil || builtin.Repository(call.Dir) == "" {
		return checkrein.Verdict{}, nil
	}
	s, err := find(ctx, call.Dir)
	switch {
	case errors.Is(err, snapshot.ErrNoRepository):
		err = nil
	case err == nil:
		err = act(ctx, call, s)
	}
	return builtin.ObserverVerdict(ev, "snapshot", err)
}

// snapshotAction returns the action for ev, or nil if there is none. For hosts that report no turns,
// prompts and stops count instead.
func snapshotAction(ev *checkrein.Event) func(context.Context, *builtin.Call, *snapshot.Shadow) error {
	const turn = "turn"
	tool := ""
	if ev.Tool != nil && ev.Tool.CallID != "" {
		tool = "call " + ev.Tool.CallID
	}
	if ev.Meanwhile() {
		return nil // the prompt belongs to a turn that has not ended
	}
	switch ev.Kind {
	case checkrein.SessionStart:
		return func(ctx context.Context, _ *builtin.Call, s *snapshot.Shadow) error {
			_, err := s.Capture(ctx, "") // the first snapshot is slow, so take it early
			return err
		}
	case checkrein.TurnStart, checkrein.UserPromptSubmit:
		return func(ctx context.Context, c *builtin.Call, s *snapshot.Shadow) error {
			return beginStep(ctx, c, s, turn)
		}
	case checkrein.TurnEnd, checkrein.Stop:
		return func(ctx context.Context, c *builtin.Call, s *snapshot.Shadow) error {
			return endStep(ctx, c, s, turn, turn)
		}
	case checkrein.SessionEnd:
		return func(ctx context.Context, c *builtin.Call, s *snapshot.Shadow) error {
			return errors.Join(c.Forget("snapshot"), s.RemoveOld(ctx))
		}
	}
	if tool == "" {
		return nil
	}
	switch ev.Kind {
	case checkrein.PreToolUse:
		return func(ctx context.Context, c *builtin.Call, s *snapshot.Shadow) error {
			return beginStep(ctx, c, s, tool)
		}
	case checkrein.PostToolUse, checkrein.PostToolUseFailure:
		return func(ctx context.Context, c *builtin.Call, s *snapshot.Shadow) error {
			return endStep(ctx, c, s, tool, c.Event.Tool.Name)
		}
	}
	return nil
}

// updateBases calls change with the stored snapshots of turns and calls that have begun, by key, and
// stores the result.
func updateBases(c *builtin.Call, change func(map[string]snapshot.Shot)) error {
	var all map[string]snapshot.Shot
	return c.Keep("snapshot", snapshotTTL, &all, func() error {
		if all == nil || len(all) > maxBases { // reset, because denied calls never end
			all = map[string]snapshot.Shot{}
		}
		change(all)
		return nil
	})
}

// beginStep takes a snapshot at the beginning of the turn or call key.
func beginStep(ctx context.Context, c *builtin.Call, s *snapshot.Shadow, key string) error {
	shot, err := s.Capture(ctx, c.Event.Session.ID+" "+key)
	if err != nil {
		return err
	}
	return updateBases(c, func(all map[string]snapshot.Shot) { all[key] = shot })
}

// endStep records the changes since the turn or call key began as a step that can be undone. For a
// turn, it also begins the next step.
func endStep(ctx context.Context, c *builtin.Call, s *snapshot.Shadow, key, what string) error {
	var from snapshot.Shot
	err := updateBases(c, func(all map[string]snapshot.Shot) { from = all[key]; delete(all, key) })
	if err != nil || from.Tree == "" {
		return err
	}
	to, _, err := s.AddPoint(ctx, c.Event.Session.ID+" "+key, c.Event.Session.ID, what, from)
	if err != nil || c.Event.Tool != nil {
		return err
	}
	return updateBases(c, func(all map[string]snapshot.Shot) { all[key] = to })
}
