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

// planVersion is how plans are made. It counts up when they cover more than before.
// Those of partVersion covered of a runner's file the part that ran; an approval with one
// counts as long as all that its plan was made from is the same, byte for byte.
const (
	planVersion = 3
	partVersion = 2
)

// A planned is what a hook would run now.
type planned struct {
	plan  coverage.Plan
	look  coverage.DiskView
	place coverage.Place
}

// placeFor is where a hook runs.
func placeFor(p coverage.Place, h *checkrein.Hook) coverage.Place {
	if p.Root == "" {
		p.Root = Real(filepath.Dir(h.From.File))
	}
	if p.Top == "" {
		p.Top = p.Root
	}
	return p
}

func planOf(p coverage.Place, h *checkrein.Hook) *planned {
	now := &planned{place: placeFor(p, h)}
	if folder := folderOf(h); folder != "" { // however it is reached
		now.links(folder)
		real := *h
		if with, err := rawjson.Patch(h.With, fmt.Appendf(nil, `{"hook_folder":%s}`, rawjson.Quote(Real(folder)))); err == nil {
			real.With = with
			h = &real
		}
	}
	now.plan = coverage.PlanFor(h, now.place, &now.look)
	return now
}

// links looks at the links of the project on the way to a folder.
func (n *planned) links(folder string) {
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(n.place.Root, folder)
	}
	for dir := filepath.Clean(folder); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if dir == n.place.Root || dir == n.place.Top {
			return
		}
		n.look.Link(dir)
	}
}

func folderOf(h *checkrein.Hook) string { return rawjson.GetText(h.With, "hook_folder") }

// sum is what is known of a part as it is now.
func (n *planned) sum(part *coverage.Part) (FileSum, error) {
	is := FileSum{Path: part.Path, Name: part.Name}
	file, err := n.look.Digest(part.Path)
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

// absent reports whether an error says that a file is not there which need not be: of
// what cannot be told for sure, this part may not be meant.
func (n *planned) absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) && len(n.plan.Unsure) > 0
}

// content is what is kept of a part, nil if that is nothing.
func (n *planned) content(part *coverage.Part) []byte {
	if part.Name != "" {
		return part.Text
	}
	text, err := n.look.File(part.Path)
	if err != nil {
		return nil
	}
	return text
}

// note puts what the plan was told by into an approval that has its parts.
func (n *planned) note(a *Approval) {
	a.Plan, a.Vars, a.Inputs = planVersion, n.plan.Vars, coverage.InputsDigest(n.place, n.plan.Vars)
	a.Unsure = n.plan.Unsure
	list := []string{}
	for _, s := range n.look.Observations() {
		if !utf8.ValidString(s.Path) {
			return // JSON cannot hold it: the plan is made anew each time
		}
		if at := slices.IndexFunc(a.Parts, func(f FileSum) bool { return f.Name == "" && f.Path == s.Path && "="+f.SHA256 == s.State }); at >= 0 {
			list = append(list, "="+strconv.Itoa(at)) // once is enough
			continue
		}
		list = append(list, s.State+" "+s.Path)
	}
	if raw, err := json.Marshal(list); err == nil {
		a.Seen = raw
	}
}

// holds reports whether all that the approved plan was told by is as it was, and
// returns the files whose content counted.
func (a *Approval) holds(p coverage.Place) (Read, bool) {
	// A file that counts by name is run in many directories, and in each of them a
	// relative path leads elsewhere.
	if a.Plan < partVersion || a.Plan > planVersion || a.Root != "" && a.Root != p.Root || coverage.InputsDigest(p, a.Vars) != a.Inputs {
		return Read{}, false
	}
	seen, ok := a.seen()
	if !ok {
		return Read{}, false
	}
	files, ok := coverage.CheckObservations(seen)
	return Read{files, coverage.ContentDigest(seen)}, ok
}

// seen returns what the approved plan was made from; false = that was not kept.
func (a *Approval) seen() ([]coverage.Observation, bool) {
	seen, ok := make([]coverage.Observation, 0, 8), a.Seen != nil
	rawjson.Strings(a.Seen, func(s string) bool {
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

// A difference is what is not as it was approved.
type difference struct {
	drifts   []Drift
	unlooked []string // what an earlier version did not look at, for people
	parts    []string // files of which an earlier version covered a part, for people
}

// differs compares what a hook would run with what was approved. That less of what
// is there runs is no difference.
func (a *Approval) differs(now *planned) difference {
	var d difference
	for i := range now.plan.Parts {
		part := &now.plan.Parts[i]
		sum, err := now.sum(part)
		drift := Drift{Path: part.Path, Name: sum.Title(now.place.Root), Now: sum.MTime}
		was := a.find(part)
		if was == nil && now.absent(err) {
			continue // nor was it there when it was approved
		}
		if err != nil {
			drift.Why = describe(err)
			d.drifts = append(d.drifts, drift)
			continue
		}
		switch {
		case was == nil && a.Plan < planVersion:
			a.older(&d, part, now, drift)
			continue
		case was == nil:
			drift.Why = "is new"
		case was.Name == "" && part.Name != "": // of old: all of the file was approved
			file, err := now.look.Digest(part.Path)
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
		// A file that is not there any more, or no regular one, is still run by a
		// command that names it.
		if _, err := now.look.Digest(was.Path); err != nil {
			d.drifts = append(d.drifts, Drift{Path: was.Path, Name: was.Title(now.place.Root), Why: describe(err), Then: was.MTime})
		}
	}
	for _, why := range now.plan.Unsure {
		switch {
		case slices.Contains(a.Unsure, why):
		case a.Plan < planVersion:
			d.unlooked = append(d.unlooked, "which files it runs (cannot tell: "+why+")")
		default:
			d.drifts = append(d.drifts, Drift{Name: "cannot tell which files it runs:", Why: why})
		}
	}
	return d
}

// older notes a part that an approval of an earlier version does not have. It is approved
// when the earlier plan was made from the same bytes of its file.
func (a *Approval) older(d *difference, part *coverage.Part, now *planned, drift Drift) {
	file, _ := now.look.Digest(part.Path)
	seen, _ := a.seen()
	at := slices.IndexFunc(seen, func(s coverage.Observation) bool { return s.Path == part.Path })
	switch {
	case at >= 0 && seen[at].State == "="+file.SHA256:
	case at >= 0 && seen[at].State == "-":
		drift.Why = "is new"
		d.drifts = append(d.drifts, drift)
	case slices.ContainsFunc(a.Parts, func(f FileSum) bool { return f.Path == part.Path }):
		d.parts = append(d.parts, ShortName(now.place.Root, part.Path))
	default:
		d.unlooked = append(d.unlooked, drift.Name)
	}
}

// find is what was approved of a part; nil = nothing.
func (a *Approval) find(part *coverage.Part) *FileSum {
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

// why returns what the difference is; "" = there is none. Short says that it is only
// that an earlier version did not look.
func (d *difference) why() (text string, short bool) {
	switch {
	case len(d.drifts) > 0:
	case len(d.parts) > 0:
		return "approvals now cover whole files, and of " + few(d.parts) + " a part was approved; the file has changed since", true
	case len(d.unlooked) > 0:
		return "the hook was approved by an earlier version of checkrein, which did not check " + few(d.unlooked), true
	}
	var reasons []string
	for _, d := range d.drifts {
		reasons = append(reasons, d.Name+" "+d.Why)
	}
	return few(reasons), false
}

// few joins reasons, the first of them if there are many.
func few(reasons []string) string {
	if more := len(reasons) - maxReasons; more > 0 {
		reasons = append(slices.Clone(reasons[:maxReasons]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(reasons, ", ")
}
