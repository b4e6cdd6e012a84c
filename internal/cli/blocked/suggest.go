package blocked

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// SuggestCommand returns the suggest command.
func SuggestCommand(env *console.Env) *cobra.Command {
	var at records.LedgerFlag
	var since string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "suggest", Short: "Find the smallest change that resolves repeated blocks",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := at.Dir(env)
			if err != nil {
				return err
			}
			f := records.FilterFlags{Since: since}
			choose, err := f.Selection(env.Now())
			if err != nil {
				return err
			}
			return suggestChanges(cmd.Context(), env, dir, choose, asJSON)
		},
	}
	at.Register(cmd)
	cmd.Flags().StringVar(&since, "since", "30d", "read records since this `TIME`: 7d, 12h, 2026-11-01")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON and ask no questions")
	return cmd
}

// suggestChanges prints suggestions, and applies those that the user confirms.
func suggestChanges(ctx context.Context, env *console.Env, dir string, choose *records.Selection, asJSON bool) error {
	if err := records.CheckBegun(env, dir); err != nil {
		return err
	}
	bar := base.NewProgress(env, "reading the ledger")
	defer bar.End()
	past, err := readHistory(ctx, dir, choose)
	if err != nil {
		return base.AsFailure(err)
	}
	cases, err := past.decideAgain(ctx, env)
	if err != nil {
		return err
	}
	list, left := grant.Suggest(cases)
	bar.End()
	if asJSON {
		out := make([]suggestionJSON, len(list))
		for i := range list {
			out[i] = newSuggestionJSON(&list[i])
		}
		return base.PrintJSON(env, out)
	}
	out := base.Screen(env, env.Stdout)
	if len(list) == 0 {
		out.Text(0, 2, term.Mark(term.Good), term.P(" nothing to suggest: "+term.FormatCount(past.blocked, "call")+" blocked, and no sign that you wanted to allow any of them"))
		printUnresolved(out, left)
		return nil
	}
	asks := base.IsTerminal(env.Stdin) && base.IsTerminal(env.Stdout) && base.RequirePerson(env, base.AtTerminal) == nil
	for i := range list {
		if i > 0 {
			out.Blank()
		}
		printSuggestion(out, &list[i], i+1)
		if !asks {
			continue
		}
		if list[i].Kind != "grant" {
			out.Text(3, 14, term.P("To change that, add the line to your checkrein.yaml: "), term.Code(term.Plain, out.ShortPath(filepath.Join(base.Places(env).Config, "checkrein.yaml"))))
			continue
		}
		printBlock(out, &list[i].Cases[0].Block) // the whole call, not only its beginning
		if !base.Confirm(env, "Apply it?") {
			continue
		}
		if err := applySuggestion(env, &list[i]); err != nil {
			return err
		}
	}
	printUnresolved(out, left)
	if !asks {
		out.Blank()
		out.Text(0, 2, term.P("To apply one, run this in your own terminal: "), term.Command("checkrein suggest"))
	}
	return nil
}

// printUnresolved prints calls that were denied repeatedly but for which there is no suggestion.
func printUnresolved(s *term.Screen, left []*grant.Case) {
	if len(left) == 0 {
		return
	}
	s.Blank()
	s.Text(0, 2, term.P("Denied repeatedly, but there is nothing to suggest (if one is a false alarm: "), term.Command("checkrein report HANDLE"), term.P("):"))
	t := &term.Table{Columns: []term.Column{{Right: true}, {Give: 1, Least: 20}, {Give: 2, Least: 12}}}
	for _, c := range left[:min(len(left), maxListed)] {
		t.AddRow([]term.Span{term.P(term.FormatCount(c.Denied+c.Asked, "time"))}, []term.Span{term.P(c.Block.Shown)}, []term.Span{term.T(term.Faint, c.Block.By[0].Name())})
	}
	s.Table(2, t)
	if n := len(left) - maxListed; n > 0 {
		s.Line(term.T(term.Faint, fmt.Sprintf("  … and %d more", n)))
	}
}

// A suggestionJSON is a suggestion as suggest --json prints it.
type suggestionJSON struct {
	Kind    string   `json:"kind"`
	Change  string   `json:"change"`
	Calls   []string `json:"calls"`
	Project string   `json:"project,omitempty"`
	Rules   []string `json:"rules"`
	Denied  int      `json:"denied"`
	Asked   int      `json:"asked"`
	Yes     int      `json:"approved"`
	Lifted  int      `json:"lifted"`
	Wrong   int      `json:"wrong"`
	Others  []string `json:"also_lets_pass"`
	Further string   `json:"further,omitempty"` // what else the change would let pass
}

// newSuggestionJSON returns s in the form that is printed as JSON.
func newSuggestionJSON(s *grant.Suggestion) suggestionJSON {
	n := s.Counts()
	out := suggestionJSON{Kind: s.Kind, Change: changeText(s), Project: s.Cases[0].Block.Root, Denied: n.Denied, Asked: n.Asked, Yes: n.Yes, Lifted: n.Lifted, Wrong: n.Wrong,
		Calls: []string{}, Others: []string{}, Further: furtherText(s)}
	seen := map[string]bool{}
	for _, c := range s.Cases {
		out.Calls = append(out.Calls, c.Block.Shown)
		for i := range c.Block.By {
			if name := c.Block.By[i].Name(); !seen[name] {
				seen[name] = true
				out.Rules = append(out.Rules, name)
			}
		}
	}
	for _, c := range s.Others {
		out.Others = append(out.Others, c.Block.Shown)
	}
	return out
}

// changeText returns the change that s suggests, as a line of a configuration file or in words.
func changeText(s *grant.Suggestion) string {
	if s.Kind == "pack" {
		return fmt.Sprintf("packs: [{name: %s, %s: %s}]", s.Pack, s.Key, s.To)
	}
	return "a grant for this call in " + s.Cases[0].Block.Root
}

// furtherText returns what the change lets pass in addition to the calls that were seen.
func furtherText(s *grant.Suggestion) string {
	if s.Kind == "pack" {
		return fmt.Sprintf("everything that pack %s decides about %s, in every project (to list it, run checkrein packs %s)", s.Pack, s.Key, s.Pack)
	}
	if len(s.Cases[0].Block.Deeds) == 0 {
		return "nothing else: the grant is for exactly this call"
	}
	return "only calls with the same effects on the same targets"
}

// maxListed is how many calls are listed for each suggestion.
const maxListed = 5

// printSuggestion prints a suggestion with the number n.
func printSuggestion(s *term.Screen, of *grant.Suggestion, n int) {
	w := newSuggestionJSON(of)
	item := func(name string, spans ...term.Span) {
		s.Text(3, 14, append([]term.Span{term.Label(name, 11)}, spans...)...)
	}
	call := func(before, text string) {
		s.TruncatedLine(term.P(strings.Repeat(" ", 14)), term.T(term.Faint, before), term.P(text))
	}
	s.Line(term.T(term.Strong, fmt.Sprintf("%d. ", n)), term.T(term.Name, s.ShortenPaths(w.Change)))
	item("settles", term.P(countsText(&w)))
	for i, text := range w.Calls {
		if i == maxListed {
			call(fmt.Sprintf("… and %d more", len(w.Calls)-maxListed), "")
			break
		}
		call("", text)
	}
	item("decided by", term.P(strings.Join(w.Rules, ", ")))
	item("lets pass", term.P(s.ShortenPaths(w.Further)))
	for i, text := range w.Others {
		if i == maxListed {
			call(fmt.Sprintf("… and %d more that were blocked", len(w.Others)-maxListed), "")
			break
		}
		call("also, blocked so far: ", text)
	}
}

// countsText returns how many times the calls were denied, asked about, approved, lifted and reported as
// false alarms, in words.
func countsText(w *suggestionJSON) string {
	var out []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			out = append(out, one)
		case n > 1:
			out = append(out, fmt.Sprintf(many, n))
		}
	}
	add(w.Denied, "1 denial", "%d denials")
	add(w.Asked, "1 question", "%d questions")
	add(w.Yes, "1 of them approved by you", "%d of them approved by you")
	add(w.Lifted, "1 call allowed by a grant", "%d calls allowed by a grant")
	add(w.Wrong, "marked as a false alarm once", "marked as a false alarm %d times")
	return strings.Join(out, ", ")
}

// applySuggestion gives the grant that s suggests.
func applySuggestion(env *console.Env, s *grant.Suggestion) error {
	k, err := base.OpenKit(env, app.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	g := s.Grant()
	g.By, g.Why = base.PersonName(), "checkrein suggest"
	if g, err = k.AddGrant(g, &s.Cases[0].Block); err != nil {
		return base.AsFailure(err)
	}
	out := base.Screen(env, env.Stdout)
	out.Text(0, 2, term.Mark(term.Good), term.P(" applied: grant "+g.ID+". To end it:"))
	out.Line(term.P("    "), term.Command("checkrein allow --revoke "+g.ID))
	return nil
}

// A blockedCall is a call that was blocked, with its first record and its counts.
type blockedCall struct {
	first *record.Record
	grant.Case
}

// A blockHistory holds the blocked calls in the ledger.
type blockHistory struct {
	calls   []*blockedCall
	byCall  map[string]*blockedCall // by tool call and directory
	byID    map[string]*blockedCall // calls that were asked about, by session and call id
	handles map[string]*blockedCall // by handle
	blocked int                     // how many times calls were blocked or lifted
}

// readHistory returns the calls that were blocked since choose.Since, according to the ledger in dir.
func readHistory(ctx context.Context, dir string, choose *records.Selection) (*blockHistory, error) {
	p := &blockHistory{byCall: map[string]*blockedCall{}, byID: map[string]*blockedCall{}, handles: map[string]*blockedCall{}}
	segments, err := ledger.Segments(dir)
	if err != nil {
		return nil, err
	}
	for _, s := range segments {
		_, err := records.ReadSegment(ctx, dir, s.Number, func(e *ledger.Entry) bool {
			if e.Damaged || e.Line.Time.Before(choose.Since) {
				return true
			}
			switch e.Line.Kind {
			case ledger.KindEvent:
				if r, err := record.Decode(e.Line.Raw); err == nil {
					p.addEvent(r)
				}
			case ledger.KindPerson:
				if c := p.handles[rawjson.GetText(e.Line.Raw, "handle")]; c != nil && rawjson.GetText(e.Line.Raw, "act") == "wrong" {
					c.Wrong++
				}
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// addEvent adds the record of an event, if it is about a call that was blocked, or that ran after the
// user was asked.
func (p *blockHistory) addEvent(r *record.Record) {
	if r.Tool == nil {
		return
	}
	id := r.Key + "\x00" + r.Tool.CallID
	switch r.Event {
	case checkrein.PostToolUse.String(), checkrein.PostToolUseFailure.String():
		if c := p.byID[id]; c != nil && r.Tool.CallID != "" {
			c.Yes++
			delete(p.byID, id)
		}
		return
	case checkrein.PreToolUse.String():
	default:
		return
	}
	lifted := false
	var pack, key string
	for i := range r.Plan {
		lifted = lifted || r.Plan[i].Lifted != nil
		if s := &r.Plan[i]; s.Pack != "" {
			pack, key = s.Pack, s.PackKey
		}
	}
	if r.Decision != "deny" && r.Decision != "ask" && !lifted || r.Subject == nil || r.Subject.Input == nil || r.Subject.Input.JSON == nil {
		return
	}
	p.blocked++
	c := p.findOrAdd(r)
	if pack != "" {
		c.Pack, c.Key = pack, key
	}
	switch {
	case r.Decision == "deny":
		c.Denied++
	case r.Decision == "ask":
		c.Asked++
		p.byID[id] = c
	default:
		c.Lifted++
	}
	if r.Handle != "" {
		p.handles[r.Handle] = c
	}
}

// findOrAdd returns the blocked call of r, which it adds if the call is new.
func (p *blockHistory) findOrAdd(r *record.Record) *blockedCall {
	name := strings.Join([]string{r.Host, r.Root, r.Dir, r.Tool.Name, string(r.Subject.Input.JSON)}, "\x00")
	if command := rawjson.GetText(r.Subject.Input.JSON, "command"); command != "" { // ignore the model's description of it
		name = strings.Join([]string{r.Host, r.Root, r.Dir, r.Tool.Name, command}, "\x00")
	}
	c := p.byCall[name]
	if c == nil {
		c = &blockedCall{first: r}
		p.byCall[name] = c
		p.calls = append(p.calls, c)
	}
	return c
}

// decideAgain decides the calls with the current configuration, and returns those that would still be
// blocked. It skips calls with redacted parts.
func (p *blockHistory) decideAgain(ctx context.Context, env *console.Env) ([]*grant.Case, error) {
	kits := map[string]*app.Kit{}
	var out []*grant.Case
	for _, c := range p.calls {
		r := c.first
		if strings.Contains(string(r.Subject.Input.JSON), secret.Marker) {
			continue
		}
		k := kits[r.Dir]
		if k == nil {
			var err error
			if k, err = base.OpenKit(env, app.Options{Dir: r.Dir, ReadOnly: true}); err != nil {
				return nil, err
			}
			kits[r.Dir] = k
		}
		ev := checkrein.Event{Kind: checkrein.PreToolUse, Host: r.Host, Native: r.Native, Session: checkrein.Session{Dir: r.Dir, Root: r.Root},
			Tool: &checkrein.Tool{Name: r.Tool.Name, Canonical: r.Tool.Canonical, Input: r.Subject.Input.JSON}}
		if b := k.WouldBlock(ctx, ev); b != nil {
			c.Block = *b
			out = append(out, &c.Case)
		}
	}
	return out, nil
}
