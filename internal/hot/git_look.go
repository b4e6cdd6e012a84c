package hot

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/boundary"
	"github.com/checkrein/checkrein/internal/policy"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/repo"
	"github.com/checkrein/checkrein/internal/trust"
)

// commit scans what is staged.
func (g *gate) commit(ctx context.Context) error {
	if len(g.words) > 0 {
		return errors.New("git pre-commit takes no arguments")
	}
	list, n, err := g.repo.Staged(ctx)
	if err != nil {
		return err
	}
	g.details = append(g.details, checkrein.Detail{Name: "files", Value: pathsJSON(list)})
	git := &boundary.Git{Repo: g.repo, Scan: &g.scan}
	t, err := g.run(ctx, git, git.Listed(ctx, list, n))
	if err != nil {
		return err
	}
	switch {
	case t.Nothing() && n.Submodules > 0:
		fmt.Fprintf(&g.shown, "checkrein: scanned nothing: only submodules are staged\n")
	case t.Nothing() && t.Left > 0:
		fmt.Fprintf(&g.shown, "checkrein: scanned nothing: the policy excludes %s\n", count(t.Left, "staged file"))
	case t.Nothing():
		fmt.Fprintf(&g.shown, "checkrein: scanned nothing: no content is staged\n")
	default:
		fmt.Fprintf(&g.shown, "checkrein: scanned %s that %s staged%s\n", count(t.Files, "file"), is(t.Files), g.result(&t))
	}
	return nil
}

func is(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// push scans what is sent, ref by ref.
func (g *gate) push(ctx context.Context) error {
	if len(g.words) != 2 {
		return errors.New("git pre-push needs the remote's name and URL, as git passes them")
	}
	updates, err := repo.ReadUpdates(g.env.Stdin)
	if err != nil {
		return err
	}
	has, doubt, err := g.repo.Has(ctx, repo.Remote{Name: g.words[0], URL: g.words[1]}, updates)
	if err != nil {
		return err
	}
	if doubt != "" {
		fmt.Fprintf(&g.shown, "checkrein: %s, so all pushed commits are scanned ('git fetch --prune' may help)\n", trust.VisibleLine(doubt))
	}
	var pushes []repo.Push
	for _, u := range updates {
		p, err := g.repo.Pushed(ctx, has, u)
		if err != nil {
			return err
		}
		pushes = append(pushes, p)
	}
	g.details = append(g.details, checkrein.Detail{Name: "remote", Value: rawjson.Quote(g.words[0])},
		checkrein.Detail{Name: "refs", Value: refsJSON(pushes)}, checkrein.Detail{Name: "commits", Value: commitsJSON(pushes)})
	git := &boundary.Git{Repo: g.repo, Scan: &g.scan}
	t, err := g.run(ctx, git, git.Push(ctx, pushes))
	if err != nil {
		return err
	}
	for i := range pushes {
		g.ref(&pushes[i])
	}
	if t.Nothing() {
		why := ""
		if len(pushes) == 0 {
			why = ": git pushes no refs"
		}
		fmt.Fprintf(&g.shown, "checkrein: scanned 0 commits, 0 files%s\n", why)
		return nil
	}
	fmt.Fprintf(&g.shown, "checkrein: scanned %s, %s%s\n", count(t.Commits, "commit"), count(t.Files, "file"), g.result(&t))
	return nil
}

// ref says what one ref sends.
func (g *gate) ref(p *repo.Push) {
	name := trust.VisibleLine(p.RemoteRef)
	if p.Nothing != "" {
		fmt.Fprintf(&g.shown, "checkrein: %s: nothing to scan, %s\n", name, p.Nothing)
		return
	}
	fmt.Fprintf(&g.shown, "checkrein: %s: %s", name, count(len(p.Commits), "commit"))
	if n := len(p.Others); n > 0 {
		fmt.Fprintf(&g.shown, ", %s", count(n, "tag or object"))
	}
	switch {
	case p.Unknown:
		g.shown.WriteString("; the remote's commits are not in this clone, so checkrein may scan more than is sent")
	case p.Forced:
		g.shown.WriteString("; this replaces commits on the remote")
	}
	g.shown.WriteByte('\n')
}

// result is how a scan ended, for the line that says what was scanned.
func (g *gate) result(t *boundary.Totals) string {
	text := ""
	if t.Known > 0 {
		text = fmt.Sprintf(" (%d already known to be clean)", t.Known)
	}
	if t.Left > 0 {
		text += fmt.Sprintf(", excluded by the policy: %d", t.Left)
	}
	if t.Binary > 0 {
		text += fmt.Sprintf(", binary (searched for tokens and keys only): %d", t.Binary)
	}
	if t.Sealed > 0 {
		text += fmt.Sprintf(", not searched: %d compressed", t.Sealed)
	}
	if p := g.scan.Policy; p.File != "" { // which an agent may have written
		name := p.File
		if trust.Within(g.env.Dir, name) {
			name = filepath.Base(name)
		}
		text += ", by " + trust.VisibleLine(name)
		if p.Name != policy.Default {
			text += " (" + trust.VisibleLine(p.Name) + ")"
		}
	}
	if n := g.counts.All(); n > 0 {
		return text + ": " + count(n, "finding")
	}
	if t.Files+t.Messages == 0 {
		return text + ": no text was scanned"
	}
	return text + ": clean"
}

// A rawList is a JSON list of findings of bounded length.
type rawList struct {
	raw []byte
	n   int
}

const mostFindings = 1000 // that hooks are told of

func (l *rawList) add(f *boundary.Finding) {
	if l.n++; l.n > mostFindings {
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

func (l *rawList) close() {
	if l.raw == nil {
		l.raw = []byte{'['}
	}
	l.raw = append(l.raw, ']')
}

const mostNames = 10000 // of files and commits that hooks are told of

func pathsJSON(list []repo.Entry) []byte {
	b := []byte{'['}
	for i := range list[:min(len(list), mostNames)] {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, list[i].Path)
	}
	return append(b, ']')
}

func commitsJSON(pushes []repo.Push) []byte {
	b := []byte{'['}
	n := 0
	for i := range pushes {
		for _, id := range pushes[i].Commits {
			if n++; n > mostNames {
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

func refsJSON(pushes []repo.Push) []byte {
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
