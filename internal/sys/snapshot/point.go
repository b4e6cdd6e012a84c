package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	keepFor   = 7 * 24 * time.Hour
	maxPoints = 200
	maxList   = 4 << 20 // maximum bytes of the list of points
)

// A Point records a step that can be undone: the snapshots before and after it.
type Point struct {
	ID      int64     `json:"id"`
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"`
	What    string    `json:"what"` // "turn", or the name of a tool
	Scope   string    `json:"scope,omitempty"`
	From    Shot      `json:"from"`
	To      Shot      `json:"to"`
}

// AddPoint takes a snapshot under key. If files differ from those in from, it adds a point that can be
// undone. It returns the snapshot, and reports whether it added a point.
func (s *Shadow) AddPoint(ctx context.Context, key, session, what string, from Shot) (Shot, bool, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return Shot{}, false, err
	}
	defer unlock()
	to, err := s.capture(ctx, key)
	if err != nil {
		return to, false, err
	}
	p := Point{Time: s.now().UTC(), Session: session, What: what, Scope: s.scope, From: from, To: to}
	changes, err := s.pointChanges(ctx, &p)
	if err != nil || len(changes) == 0 {
		return to, false, err
	}
	points, err := s.readPoints()
	if err != nil {
		return to, false, err
	}
	p.ID = 1
	if n := len(points); n > 0 {
		p.ID = points[n-1].ID + 1
	}
	refs := fmt.Sprintf("update refs/point/%d/from %s\nupdate refs/point/%d/to %s\n", p.ID, from.Tree, p.ID, to.Tree)
	if _, err := s.runShadowGit(ctx, []byte(refs), "update-ref", "--stdin"); err != nil {
		return to, false, err
	}
	return to, true, s.writePoints(append(points, p))
}

// pointChanges returns the files that p changed, except those that existed before and were not stored,
// which cannot be restored.
func (s *Shadow) pointChanges(ctx context.Context, p *Point) ([]Change, error) {
	list, err := s.diff(ctx, p.From.Tree, p.To.Tree)
	return slices.DeleteFunc(list, func(c Change) bool { return slices.Contains(p.From.Large, c.Path) }), err
}

// A Step is a point with the files that it changed.
type Step struct {
	Point
	Files []Change `json:"files"`
}

// Steps returns the steps of session that can be undone, or those of all sessions if session is "".
// The latest is last.
func (s *Shadow) Steps(ctx context.Context, session string) ([]Step, error) {
	points, err := s.readPoints()
	var steps []Step
	for _, p := range points {
		if err != nil || session != "" && p.Session != session {
			continue
		}
		var files []Change
		files, err = s.pointChanges(ctx, &p)
		steps = append(steps, Step{p, files})
	}
	return steps, err
}

// pointsFile returns the name of the file with the points, relative to the state directory.
func (s *Shadow) pointsFile() string { return s.name + "/points.json" }

// readPoints returns the stored points, or nil if there are none.
func (s *Shadow) readPoints() ([]Point, error) {
	data, err := s.state.Read(s.pointsFile(), maxList)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var points []Point
	if err == nil {
		err = json.Unmarshal(data, &points)
	}
	if err != nil {
		return nil, fmt.Errorf("the list of snapshots: %w: to start over, remove %s", err, s.state.Path(s.pointsFile()))
	}
	return points, nil
}

// writePoints stores the latest maxPoints of points.
func (s *Shadow) writePoints(points []Point) error {
	data, err := json.Marshal(points[max(0, len(points)-maxPoints):])
	if err != nil {
		return err
	}
	return s.state.Write(s.pointsFile(), data)
}

// RemoveOld removes points and snapshots that are older than a week.
func (s *Shadow) RemoveOld(ctx context.Context) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	points, err := s.readPoints()
	if err != nil {
		return err
	}
	limit := s.now().Add(-keepFor)
	kept := slices.DeleteFunc(points, func(p Point) bool { return p.Time.Before(limit) })
	if err := s.writePoints(kept); err != nil {
		return err
	}
	out, err := s.runShadowGit(ctx, nil, "for-each-ref", "--format=%(refname)", "refs/base", "refs/point")
	if err != nil {
		return err
	}
	var refs strings.Builder
	for ref := range strings.Lines(string(out)) {
		ref = strings.TrimSpace(ref)
		part := strings.Split(ref, "/")
		n, err := strconv.ParseInt(part[2], 10, 64)
		stale := err != nil || part[1] == "base" && time.Unix(n*86400, 0).Before(limit) ||
			part[1] == "point" && !slices.ContainsFunc(kept, func(p Point) bool { return p.ID == n })
		if stale {
			refs.WriteString("delete " + ref + "\n")
		}
	}
	if refs.Len() > 0 {
		if _, err := s.runShadowGit(ctx, []byte(refs.String()), "update-ref", "--stdin"); err != nil {
			return err
		}
	}
	_, err = s.runShadowGit(ctx, nil, "prune", "--expire=7.days.ago")
	return err
}
