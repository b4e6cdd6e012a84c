package hot

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/scan/git"
	"github.com/checkrein/checkrein/internal/scan/report"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// scanCommit scans the staged files, and adds the result to the text for the user.
func (g *gitGate) scanCommit(ctx context.Context) error {
	if len(g.words) > 0 {
		return errors.New("git pre-commit takes no arguments")
	}
	list, n, err := g.repo.StagedEntries(ctx)
	if err != nil {
		return err
	}
	g.details = append(g.details, checkrein.Detail{Name: "files", Value: pathsJSON(list)})
	git := &scan.Git{Repo: g.repo, Scan: &g.scan}
	t, err := g.scanSource(ctx, git, git.EntryItems(ctx, list, n))
	if err != nil {
		return err
	}
	switch {
	case t.IsEmpty() && n.Submodules > 0:
		fmt.Fprintf(&g.shown, "checkrein: scanned nothing: only submodules are staged\n")
	case t.IsEmpty() && t.Excluded > 0:
		fmt.Fprintf(&g.shown, "checkrein: scanned nothing: the policy excludes %s\n", countText(t.Excluded, "staged file"))
	case t.IsEmpty():
		fmt.Fprintf(&g.shown, "checkrein: scanned nothing: no content is staged\n")
	default:
		g.printScanned(g.scannedPart()+countText(t.Files+t.Binary+t.Compressed, "staged file"), &t)
	}
	return nil
}

// scanPush scans the commits and tags that a push sends, and adds the result for each ref to the text
// for the user.
func (g *gitGate) scanPush(ctx context.Context) error {
	if len(g.words) != 2 {
		return errors.New("git pre-push needs the remote's name and URL, as git passes them")
	}
	updates, err := git.ReadUpdates(g.env.Stdin)
	if err != nil {
		return err
	}
	has, doubt, err := g.repo.RemoteCommits(ctx, git.Remote{Name: g.words[0], URL: g.words[1]}, updates)
	if err != nil {
		return err
	}
	if doubt != "" {
		fmt.Fprintf(&g.shown, "checkrein: all pushed commits are scanned, because %s\n", visible.EscapeLine(doubt))
	}
	var pushes []git.Push
	for _, u := range updates {
		p, err := g.repo.ResolvePush(ctx, has, u)
		if err != nil {
			return err
		}
		pushes = append(pushes, p)
	}
	g.details = append(g.details, checkrein.Detail{Name: "remote", Value: rawjson.Quote(g.words[0])},
		checkrein.Detail{Name: "refs", Value: refsJSON(pushes)}, checkrein.Detail{Name: "commits", Value: commitsJSON(pushes)})
	git := &scan.Git{Repo: g.repo, Scan: &g.scan}
	t, err := g.scanSource(ctx, git, git.PushItems(ctx, pushes))
	if err != nil {
		return err
	}
	for i := range pushes {
		g.printRef(&pushes[i])
	}
	if t.IsEmpty() {
		why := ""
		if len(pushes) == 0 {
			why = ": git pushes no refs"
		}
		fmt.Fprintf(&g.shown, "checkrein: scanned nothing%s\n", why)
		return nil
	}
	what := g.scannedPart() + countText(t.Commits, "commit") + ", " + report.FileCount(&t)
	if t.Commits == 0 { // only tags, perhaps of files that are not in any commit
		what = report.FileCount(&t)
		if n := t.Messages; n > 0 {
			what = strings.TrimSuffix(countText(n, "tag message")+", "+what, ", 0 files")
		}
	}
	g.printScanned(what, &t)
	return nil
}

// printRef prints what the push of one ref sends.
func (g *gitGate) printRef(p *git.Push) {
	name := visible.EscapeLine(p.RemoteRef)
	if p.Nothing != "" {
		fmt.Fprintf(&g.shown, "checkrein: %s: nothing to scan: %s\n", name, p.Nothing)
		return
	}
	var sent []string
	tags := 0
	for i := range p.Others {
		if p.Others[i].Kind == git.Tag {
			tags++
		}
	}
	if n := len(p.Commits); n > 0 || len(p.Others) == 0 {
		sent = append(sent, countText(n, "commit"))
	}
	if tags > 0 {
		sent = append(sent, countText(tags, "tag message"))
	}
	if n := len(p.Others) - tags; n > 0 {
		sent = append(sent, countText(n, "file"))
	}
	fmt.Fprintf(&g.shown, "checkrein: %s: %s", name, strings.Join(sent, ", "))
	switch {
	case p.Unknown:
		g.shown.WriteString(". The remote's commits are not in this clone, so checkrein may scan more than is sent")
	case p.Forced:
		g.shown.WriteString(". The push replaces commits on the remote")
	}
	g.shown.WriteByte('\n')
}

// scannedPart returns which part of the files was scanned, as the start of a phrase, or "" if all of
// them were.
func (g *gitGate) scannedPart() string {
	if g.scan.Added {
		return "what is added in "
	}
	return ""
}

// printScanned prints what was scanned, the result, the policy, and notes about skipped content.
func (g *gitGate) printScanned(what string, t *scan.Totals) {
	result := "clean"
	switch {
	case g.counts.Total() > 0:
		result = g.counts.Summary()
	case t.Files+t.Messages == 0:
		result = "no text was scanned"
	}
	fmt.Fprintf(&g.shown, "checkrein: scanned %s: %s", what, result)
	p := g.scan.Policy
	fmt.Fprintf(&g.shown, " (policy %s", visible.EscapeLine(p.Name))
	if name := p.File; name != "" { // because an agent may have written it
		if approval.IsBelow(g.env.Dir, name) {
			name = filepath.Base(name)
		}
		fmt.Fprintf(&g.shown, ", from %s", visible.EscapeLine(name))
	}
	g.shown.WriteString(")\n")
	for _, aside := range report.Remarks(t, &g.counts) {
		fmt.Fprintf(&g.shown, "checkrein: %s\n", aside)
	}
}

// A findingList is a JSON list of at most maxFindings findings.
type findingList struct {
	raw []byte
	n   int
}

const maxFindings = 1000 // maxFindings is how many findings hooks receive at most.

// add adds f unless the list is full.
func (l *findingList) add(f *scan.Finding) {
	if l.n++; l.n > maxFindings {
		return
	}
	if l.raw == nil {
		l.raw = []byte{'['}
	} else {
		l.raw = append(l.raw, ',')
	}
	o := append(rawjson.Object(l.raw), '{')
	o.Text("path", f.Path)
	o.Text("commit", f.Commit)
	o.Flag("message", f.Message)
	o.Int("line", f.Line)
	o.Int("column", f.Column)
	o.Text("rule", f.Rule)
	o.Text("kind", f.Kind)
	o.Text("severity", f.Severity.String())
	if f.Origin != nil {
		o.Key("origin")
		o = f.Origin.AppendJSON(o)
	}
	o.Close()
	l.raw = o
}

// close ends the JSON list. raw is then valid JSON.
func (l *findingList) close() {
	if l.raw == nil {
		l.raw = []byte{'['}
	}
	l.raw = append(l.raw, ']')
}

const maxNames = 10000 // maxNames is how many files and how many commits hooks receive at most.

// pathsJSON returns the paths of at most maxNames entries as a JSON list.
func pathsJSON(list []git.Entry) []byte {
	b := []byte{'['}
	for i := range list[:min(len(list), maxNames)] {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, list[i].Path)
	}
	return append(b, ']')
}

// commitsJSON returns the ids of at most maxNames pushed commits as a JSON list.
func commitsJSON(pushes []git.Push) []byte {
	b := []byte{'['}
	n := 0
	for i := range pushes {
		for _, id := range pushes[i].Commits {
			if n++; n > maxNames {
				break
			}
			if n > 1 {
				b = append(b, ',')
			}
			b = rawjson.AppendString(b, id)
		}
	}
	return append(b, ']')
}

// refsJSON returns the pushed refs as a JSON list.
func refsJSON(pushes []git.Push) []byte {
	b := []byte{'['}
	for i := range pushes {
		if i > 0 {
			b = append(b, ',')
		}
		p := &pushes[i]
		o := append(rawjson.Object(b), '{')
		o.Text("local_ref", p.LocalRef)
		o.Text("local_id", p.LocalID)
		o.Text("remote_ref", p.RemoteRef)
		o.Text("remote_id", p.RemoteID)
		o.Int("commits", len(p.Commits))
		o.Flag("creates", p.Creates())
		o.Flag("deletes", p.Deletes())
		o.Flag("forced", p.Forced)
		o.Text("nothing", p.Nothing)
		o.Close()
		b = o
	}
	return append(b, ']')
}
