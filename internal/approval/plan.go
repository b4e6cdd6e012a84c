package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// planVersion is the version of plans. It is increased when plans begin to cover more.
// Plans of partVersion covered only the part of a task file that ran. An approval with such
// a plan counts as long as everything that the plan depends on is the same, byte for byte.
const (
	planVersion = 3
	partVersion = 2
)

// A currentPlan is what a hook would run now.
type currentPlan struct {
	plan  coverage.Plan
	disk  coverage.DiskView
	place coverage.Place
}

// placeFor returns p, the place in which h runs, with a missing Root and Top filled in.
func placeFor(p coverage.Place, h *checkrein.Hook) coverage.Place {
	if p.Root == "" {
		p.Root = RealPath(filepath.Dir(h.From.File))
	}
	if p.Top == "" {
		p.Top = p.Root
	}
	return p
}

// planNow returns the plan of what h would run now in p.
func planNow(p coverage.Place, h *checkrein.Hook) *currentPlan {
	now := &currentPlan{place: placeFor(p, h)}
	if folder := hookFolder(h); folder != "" { // by its real path
		now.recordLinks(folder)
		real := *h
		if with, err := rawjson.Patch(h.With, fmt.Appendf(nil, `{"hook_folder":%s}`, rawjson.Quote(RealPath(folder)))); err == nil {
			real.With = with
			h = &real
		}
	}
	now.plan = coverage.PlanFor(h, now.place, &now.disk)
	return now
}

// recordLinks makes the plan depend on the symlinks of the project on the path to folder.
func (n *currentPlan) recordLinks(folder string) {
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(n.place.Root, folder)
	}
	for dir := filepath.Clean(folder); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if dir == n.place.Root || dir == n.place.Top {
			return
		}
		n.disk.Link(dir)
	}
}

// hookFolder returns the directory of scripts that h runs, or "" if it has none.
func hookFolder(h *checkrein.Hook) string { return rawjson.GetText(h.With, "hook_folder") }

// digestPart returns the digest of part as it is now. With an error, only its path and name are set.
func (n *currentPlan) digestPart(part *coverage.Part) (FileDigest, error) {
	is := FileDigest{Path: part.Path, Name: part.Name}
	file, err := n.disk.Digest(part.Path)
	if err != nil && part.Name == "" {
		return is, err
	}
	is.SHA256, is.Size, is.MTime = file.SHA256, file.Size, file.MTime
	if part.Name != "" {
		sum := sha256.Sum256(part.Text)
		is.SHA256, is.Size = hex.EncodeToString(sum[:]), int64(len(part.Text))
	}
	return is, nil
}

// mayBeAbsent reports whether err is about a missing file that need not exist. That is the case while
// the plan is unsure, since the hook may not run the file at all.
func (n *currentPlan) mayBeAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) && len(n.plan.Unsure) > 0
}

// contentToKeep returns the contents of part, or nil if they cannot be read or are too large.
func (n *currentPlan) contentToKeep(part *coverage.Part) []byte {
	if part.Name != "" {
		return part.Text
	}
	text, err := n.disk.File(part.Path)
	if err != nil {
		return nil
	}
	return text
}

// recordIn stores in a what the plan depends on, so that it can be checked without a new plan. a.Parts
// must be set.
func (n *currentPlan) recordIn(a *Approval) {
	a.Plan, a.Vars, a.Inputs = planVersion, n.plan.Vars, coverage.InputsDigest(n.place, n.plan.Vars)
	a.Unsure = n.plan.Unsure
	list := []string{}
	for _, s := range n.disk.Observations() {
		if !utf8.ValidString(s.Path) {
			return // JSON cannot represent it, so each check makes a new plan
		}
		if at := slices.IndexFunc(a.Parts, func(f FileDigest) bool { return f.Name == "" && f.Path == s.Path && "="+f.SHA256 == s.State }); at >= 0 {
			list = append(list, "="+strconv.Itoa(at)) // refers to the part instead of repeating it
			continue
		}
		list = append(list, s.State+" "+s.Path)
	}
	if raw, err := json.Marshal(list); err == nil {
		a.Seen = raw
	}
}

// planHolds reports whether everything that the approved plan depends on is unchanged in p, and
// returns the files whose contents it compared.
func (a *Approval) planHolds(p coverage.Place) (ApprovedFiles, bool) {
	// A file that counts by name runs in many directories, where relative paths mean different files.
	if a.Plan < partVersion || a.Plan > planVersion || a.Root != "" && a.Root != p.Root || coverage.InputsDigest(p, a.Vars) != a.Inputs {
		return ApprovedFiles{}, false
	}
	seen, ok := a.observations()
	if !ok {
		return ApprovedFiles{}, false
	}
	files, ok := coverage.CheckObservations(seen)
	return ApprovedFiles{files, coverage.ContentDigest(seen)}, ok
}

// observations decodes a.Seen, what the approved plan depends on. It reports false if that was not
// recorded or is invalid.
func (a *Approval) observations() ([]coverage.Observation, bool) {
	seen, ok := make([]coverage.Observation, 0, 8), a.Seen != nil
	rawjson.EachStringValue(a.Seen, func(s string) bool {
		is, path, whole := strings.Cut(s, " ")
		if number, short := strings.CutPrefix(is, "="); short && !whole {
			if at, err := strconv.Atoi(number); err == nil && at >= 0 && at < len(a.Parts) {
				is, path, whole = "="+a.Parts[at].SHA256, a.Parts[at].Path, true
			}
		}
		seen, ok = append(seen, coverage.Observation{Path: path, State: is}), whole
		return whole
	})
	return seen, ok
}

// A difference is how what a hook would run differs from its approval.
type difference struct {
	drifts    []Drift
	unchecked []string // what an earlier version did not check, for people
	parts     []string // files of which an earlier version covered only a part, for people
}

// compareWith returns how now, what the hook would run, differs from what was approved. Running less
// than was approved is no difference.
func (a *Approval) compareWith(now *currentPlan) difference {
	var d difference
	for i := range now.plan.Parts {
		part := &now.plan.Parts[i]
		sum, err := now.digestPart(part)
		drift := Drift{Path: part.Path, Name: sum.Title(now.place.Root), Now: sum.MTime}
		was := a.findPart(part)
		if was == nil && now.mayBeAbsent(err) {
			continue // it was also absent when the hook was approved
		}
		if err != nil {
			drift.Why = describeReadError(err)
			d.drifts = append(d.drifts, drift)
			continue
		}
		switch {
		case was == nil && a.Plan < planVersion:
			a.compareOlder(&d, part, now, drift)
			continue
		case was == nil:
			drift.Why = "is new"
		case was.Name == "" && part.Name != "": // an old record approved the whole file
			file, err := now.disk.Digest(part.Path)
			if err == nil && file.SHA256 == was.SHA256 {
				continue
			}
			drift.Name, drift.Why = was.Title(now.place.Root), "changed"
		case was.SHA256 == sum.SHA256:
			continue
		default:
			drift.Why = "changed"
		}
		if was != nil {
			drift.Then = was.MTime
		}
		d.drifts = append(d.drifts, drift)
	}
	for i := range a.Parts {
		was := &a.Parts[i]
		if slices.ContainsFunc(now.plan.Parts, func(p coverage.Part) bool { return p.Path == was.Path && p.Name == was.Name }) {
			continue
		}
		// The command may still name a file that is missing or no longer a regular one.
		if _, err := now.disk.Digest(was.Path); err != nil {
			d.drifts = append(d.drifts, Drift{Path: was.Path, Name: was.Title(now.place.Root), Why: describeReadError(err), Then: was.MTime})
		}
	}
	for _, why := range now.plan.Unsure {
		switch {
		case slices.Contains(a.Unsure, why):
		case a.Plan < planVersion:
			d.unchecked = append(d.unchecked, "which files it runs (cannot tell: "+why+")")
		default:
			d.drifts = append(d.drifts, Drift{Name: "cannot tell which files it runs:", Why: why})
		}
	}
	return d
}

// compareOlder adds part, which an approval of an earlier version lacks, to d. The part counts as
// approved if the earlier plan was made from the same bytes of its file.
func (a *Approval) compareOlder(d *difference, part *coverage.Part, now *currentPlan, drift Drift) {
	file, _ := now.disk.Digest(part.Path)
	seen, _ := a.observations()
	at := slices.IndexFunc(seen, func(s coverage.Observation) bool { return s.Path == part.Path })
	switch {
	case at >= 0 && seen[at].State == "="+file.SHA256:
	case at >= 0 && seen[at].State == "-":
		drift.Why = "is new"
		d.drifts = append(d.drifts, drift)
	case slices.ContainsFunc(a.Parts, func(f FileDigest) bool { return f.Path == part.Path }):
		d.parts = append(d.parts, ShortName(now.place.Root, part.Path))
	default:
		d.unchecked = append(d.unchecked, drift.Name)
	}
}

// findPart returns the approved digest for part, or nil if there is none.
func (a *Approval) findPart(part *coverage.Part) *FileDigest {
	list := a.Parts
	if a.Plan == 0 {
		list = a.Files
	}
	for i := range list {
		if f := &list[i]; f.Path == part.Path && (f.Name == part.Name || a.Plan == 0) {
			return f
		}
	}
	return nil
}

// describe returns the difference in words, or "" if there is none. short is set if the only reason is
// that an earlier version did not check enough.
func (d *difference) describe() (text string, short bool) {
	switch {
	case len(d.drifts) > 0:
	case len(d.parts) > 0:
		return "approvals now cover whole files: of " + joinFirst(d.parts) + " only a part was approved, and it has changed since", true
	case len(d.unchecked) > 0:
		return "the hook was approved by an earlier version of checkrein, which did not check " + joinFirst(d.unchecked), true
	}
	var reasons []string
	for _, d := range d.drifts {
		reasons = append(reasons, d.Name+" "+d.Why)
	}
	return joinFirst(reasons), false
}

// joinFirst joins the first maxReasons of reasons, and adds how many more there are.
func joinFirst(reasons []string) string {
	if more := len(reasons) - maxReasons; more > 0 {
		reasons = append(slices.Clone(reasons[:maxReasons]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(reasons, ", ")
}
