package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A personAct is an [app.Act] as it is recorded, with the number and time of its record.
type personAct struct {
	Act    string    `json:"act"`
	Handle string    `json:"handle"`
	Grant  string    `json:"grant"`
	Scope  string    `json:"scope"`
	Call   string    `json:"call"`
	Rules  []string  `json:"rules"`
	Until  time.Time `json:"until"`
	By     string    `json:"by"`
	Why    string    `json:"why"`

	seq  uint64
	time time.Time
}

// decodeAct decodes the record of an act.
func decodeAct(raw []byte) (personAct, error) {
	var a personAct
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, err
	}
	line, err := ledger.ParseLine(raw)
	a.seq, a.time = line.Seq, line.Time
	return a, err
}

// readActs returns all acts in the ledger, oldest first. It skips unreadable ones.
func readActs(ctx context.Context, env *console.Env, dir string) ([]personAct, error) {
	lines, err := indexedActs(ctx, env, dir)
	if err != nil { // for example because there is no index
		lines, _, _, err = records.Newest(ctx, dir, &records.Selection{Kind: ledger.KindPerson}, 0)
	}
	var out []personAct
	for _, raw := range lines {
		if a, err := decodeAct(raw); err == nil {
			out = append(out, a)
		}
	}
	return out, err
}

// indexedActs returns the records of all acts, found with the index, oldest first.
func indexedActs(ctx context.Context, env *console.Env, dir string) (out [][]byte, err error) {
	ix, err := records.OpenIndex(ctx, env, dir)
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	_, err = records.EachHit(ctx, ix, dir, index.Filter{Kind: ledger.KindPerson, Oldest: true}, func(raw []byte) { out = append(out, raw) })
	return out, err
}

// scopeWords describes the scopes of grants.
var scopeWords = map[string]string{
	string(grant.Once): "one call", string(grant.Session): "one session", string(grant.Project): "one project, until revoked",
	string(grant.Always): "everywhere, until revoked", string(grant.File): "as set in the configuration file",
}

// describe returns a sentence about the act.
func (a *personAct) describe() string {
	who, call := a.By, a.Call
	if who == "" {
		who = "the user"
	}
	if call == "" {
		call = "a call"
	}
	var text string
	switch a.Act {
	case "allow":
		text = fmt.Sprintf("%s allowed %s: %s", who, call, a.scopeText())
		if len(a.Rules) > 0 {
			text += ", lifting " + strings.Join(a.Rules, ", ")
		}
	case "deny":
		text = fmt.Sprintf("%s denied %s", who, call)
	case "revoke":
		text = fmt.Sprintf("%s revoked the grant for: %s", who, call)
	case "pause":
		text = fmt.Sprintf("%s paused the guard until %s", who, a.Until.Local().Format(time.DateTime))
	case "resume":
		text = who + " resumed the guard"
	case "approvals add":
		text = fmt.Sprintf("%s enrolled the %s to answer approvals", who, a.Call)
	case "approvals remove":
		text = fmt.Sprintf("%s removed the key %s, which answered approvals", who, a.Call)
	case "policy save":
		text = fmt.Sprintf("%s saved the policy %s from the page", who, a.Call)
	case "hooks approve":
		text = fmt.Sprintf("%s approved %s in %s", who, strings.Join(a.Rules, ", "), a.Call)
	case "hooks revoke":
		text = fmt.Sprintf("%s revoked the approval of %s in %s", who, strings.Join(a.Rules, ", "), a.Call)
	case "hooks on", "hooks off":
		text = fmt.Sprintf("%s switched %s", who, a.Act)
	case "wrong":
		text = fmt.Sprintf("%s reported the block of %s as a false alarm", who, call)
	default:
		text = strings.TrimSpace(fmt.Sprintf("%s: %s %s", who, a.Act, a.Call))
	}
	var ids []string
	if a.Handle != "" {
		ids = append(ids, "handle "+a.Handle)
	}
	if a.Grant != "" {
		ids = append(ids, "grant "+a.Grant)
	}
	if len(ids) > 0 {
		text += " (" + strings.Join(ids, ", ") + ")"
	}
	if a.Why != "" {
		text += ": " + a.Why
	}
	return base.OneLine(text)
}

// scopeText returns where and for how long the grant of the act applies.
func (a *personAct) scopeText() string {
	if a.Scope == string(grant.For) {
		return "until " + a.Until.Local().Format(time.DateTime)
	}
	if words := scopeWords[a.Scope]; words != "" {
		return words
	}
	return a.Scope
}

// PersonText returns a sentence about the act in the record raw.
func PersonText(raw []byte) string {
	a, err := decodeAct(raw)
	if err != nil {
		return "the record of what the user did cannot be read"
	}
	return a.describe()
}

// explainAct prints the act in the record raw, and how to undo it.
func explainAct(env *console.Env, raw []byte, r *record.Record, asJSON bool) error {
	a, err := decodeAct(raw)
	if err != nil {
		return base.AsFailure(err)
	}
	out := report.New(env)
	out.Text(0, 2, term.T(term.Strong, "BY THE USER"), term.P("  "+out.ShortenPaths(a.describe())))
	out.Line(term.T(term.Faint, fmt.Sprintf("record %d, %s", r.Seq, r.Time.In(base.Zone(env)).Format(FullTime))))
	out.BeginSection("To change it")
	out.AddRemedies(2, a.undoRemedies()...)
	return out.Print(env, asJSON, struct {
		Answer   string          `json:"answer"`
		Remedies remedyList      `json:"remedies"`
		Record   json.RawMessage `json:"record"`
	}{a.describe(), a.undoRemedies(), raw})
}

// undoRemedies returns how to undo the act.
func (a *personAct) undoRemedies() remedyList {
	switch a.Act {
	case "allow":
		if a.Grant != "" {
			return remedyList{message.Run("checkrein allow --revoke "+a.Grant, "")}
		}
		return remedyList{message.Run("checkrein allow --revoke "+a.Handle, "")}
	case "deny":
		return remedyList{message.Run("checkrein allow "+a.Handle, "to allow it after all, within a day of the block")}
	case "revoke":
		return remedyList{message.Run("checkrein allow "+a.Handle, "to allow it again, within a day of the block")}
	case "pause":
		return remedyList{message.Run("checkrein pause off", "")}
	case "hooks approve":
		return remedyList{message.Run("checkrein hooks revoke", "in that project")}
	case "hooks revoke":
		return remedyList{message.Run("checkrein hooks approve", "in that project")}
	case "hooks on":
		return remedyList{message.Run("checkrein hooks off", "")}
	case "hooks off":
		return remedyList{message.Run("checkrein hooks on", "")}
	}
	return remedyList{message.Do("nothing to do: this record only notes what happened")}
}

// describeGrant returns who gave the grant id, when and for what, and how many times it was used. before is
// the time of the call that it lifted.
func (p *currentState) describeGrant(id string, before time.Time) string {
	text := "grant " + id
	if !isGrantID(id) {
		return text + ", from a configuration file"
	}
	i := slices.IndexFunc(p.grants, func(g grant.Grant) bool { return g.ID == id })
	if j := p.indexOfAllow(id, before); j >= 0 {
		a := &p.acts[j]
		text += fmt.Sprintf(": given by %s on %s for %s (record %d)", a.By, a.time.Local().Format(time.DateTime), a.scopeText(), a.seq)
		if a.Why != "" {
			text += ", because: " + a.Why
		}
		if i >= 0 && p.grants[i].Handle != a.Handle {
			i = -1 // the id belongs to another grant now
		}
	} else if i >= 0 && p.grants[i].Made.Wall.After(before) {
		i = -1
	}
	if i < 0 {
		if p.indexOfAllow(id, before) < 0 {
			return text + ", which is not in this ledger's list of grants"
		}
		return text + "; it has ended"
	}
	g := &p.grants[i]
	switch {
	case g.IsSpent():
		return text + "; used up"
	case g.Used == 1:
		text += "; used once so far"
	default:
		text += fmt.Sprintf("; used %d times so far", g.Used)
	}
	return text + ". To end it, run: checkrein allow --revoke " + id
}

// indexOfAllow returns the index of the newest act that gave the grant id and is not after before, or
// -1 if there is none.
func (p *currentState) indexOfAllow(id string, before time.Time) int {
	for i := len(p.acts) - 1; i >= 0; i-- {
		if a := &p.acts[i]; a.Act == "allow" && a.Grant == id && !a.time.After(before) {
			return i
		}
	}
	return -1
}

// describeActs returns sentences about the grants that the event of r used, and about acts that
// concern its block.
func (p *currentState) describeActs(r *record.Record) []string {
	var out []string
	for _, id := range grantsOf(r) {
		out = append(out, p.describeGrant(id, r.Time))
	}
	for i := range p.acts {
		if a := &p.acts[i]; r.Handle != "" && a.Handle == r.Handle {
			out = append(out, a.time.Local().Format(time.DateTime)+" "+a.describe())
		}
	}
	return out
}

// isGrantID reports whether id is that of a stored grant. The id of a grant in a file is its place in
// the file.
func isGrantID(id string) bool {
	digits, ok := strings.CutPrefix(id, "g")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// isInForce reports whether the grant id is still in force.
func (p *currentState) isInForce(id string) bool {
	return slices.ContainsFunc(p.grants, func(g grant.Grant) bool { return g.ID == id && !g.IsSpent() })
}
