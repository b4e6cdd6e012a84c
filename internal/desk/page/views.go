package page

import (
	"cmp"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/desk/frame"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/sys/undo"
	"github.com/checkrein/checkrein/internal/text/message"
)

// A hook is a hook as hooks list --json prints it, with its figures.
type hook struct {
	ID       string           `json:"id"`
	Event    string           `json:"event"`
	Mode     string           `json:"mode"`
	Type     string           `json:"type"`
	Shows    string           `json:"shows"`
	Scope    string           `json:"scope"`
	Origin   string           `json:"origin"`
	Approval string           `json:"approval"`
	Why      string           `json:"why"`
	Health   string           `json:"health"`
	Details  string           `json:"health_why"`
	Remedies []message.Remedy `json:"remedies"`
	Catch    *struct {
		At     time.Time `json:"at"`
		Record uint64    `json:"record"`
	} `json:"last_catch"`

	Events []string
	Stat   *hookStat
}

// isSound reports whether the hook needs nothing.
func (h *hook) isSound() bool {
	return h.Health == "ok" || h.Health == "never run" || h.Health == "idle"
}

// A hooksView is the data of the page of hooks.
type hooksView struct {
	On       bool              `json:"on"`
	Root     string            `json:"root"`
	Hooks    []*hook           `json:"hooks"`
	Guards   []message.Message `json:"guards"`
	Off      []message.Message `json:"off"`
	Vanished []message.Message `json:"vanished"`
	Problems []message.Message `json:"problems"`

	Broken     []*hook
	Unapproved bool
	Stats      *stats
}

// showHooks shows the hooks that apply, and how they do.
func (p *Page) showHooks(r *http.Request) (screen, error) {
	var v hooksView
	err := p.read(r.Context(), &v, "hooks", "list")
	if err == nil {
		v.Stats, err = p.readStats(r.Context())
	}
	if err != nil {
		return screen{}, err
	}
	byID := map[string]*hook{}
	var list []*hook
	for _, h := range v.Hooks {
		key := h.ID + "\x00" + h.Origin
		if one := byID[key]; one != nil {
			one.Events = append(one.Events, h.Event)
			if one.isSound() && !h.isSound() || one.Health == "never run" {
				one.Health, one.Details, one.Approval, one.Remedies = h.Health, h.Details, h.Approval, h.Remedies
			}
			one.Catch = cmp.Or(one.Catch, h.Catch)
			continue
		}
		h.Events, h.Stat = []string{h.Event}, v.Stats.hooks[h.ID]
		byID[key] = h
		list = append(list, h)
	}
	v.Hooks = list
	for _, h := range list {
		if !h.isSound() {
			v.Broken = append(v.Broken, h)
		}
		v.Unapproved = v.Unapproved || h.Approval == "not approved" || h.Approval == "changed"
	}
	return p.ofProject(r.Context(), screen{Name: "hooks", Title: "Hooks", Data: &v})
}

// showApprovals shows what approving the project's hooks would approve, as hooks approve --dry-run
// prints it.
func (p *Page) showApprovals(r *http.Request) (screen, error) {
	out, err := p.run(r.Context(), "hooks", "approve", "--dry-run", "--all")
	return screen{Name: "text", Part: true, Data: string(out)}, err
}

// An agent is an agent as status --json prints it, with evidence about it.
type agent struct {
	install.Report
	Evidence *evidence
}

// IsConnected reports whether checkrein is installed in the agent.
func (a *agent) IsConnected() bool { return len(a.Installed) > 0 }

// An evidence is what is known about an agent beyond its files.
type evidence struct {
	Host   string     `json:"host"`
	Proved *time.Time `json:"proved"`
	Stale  bool       `json:"stale"`
	Misses *struct {
		Calls  int `json:"calls"`
		Unseen int `json:"unseen"`
	} `json:"misses"`
	Canary *time.Time `json:"canary"`
	Hooks  []struct {
		Name    string `json:"name"`
		Verdict string `json:"verdict"`
	} `json:"hooks"`
}

// An agentsView is the data of the page of agents.
type agentsView struct {
	Hosts    []*agent   `json:"hosts"`
	Evidence []evidence `json:"evidence"`
	Messages []notice   `json:"messages"`
	Running  []struct {
		Host  string     `json:"host"`
		PID   int        `json:"pid"`
		Since *time.Time `json:"since"`
		Far   bool       `json:"far"`
	} `json:"running"`

	Here   []*agent // connected, or on this machine, or with events
	Absent []string // names of the others
}

// showAgents shows which agents call checkrein, and whether they honour its answers.
func (p *Page) showAgents(r *http.Request) (screen, error) {
	var v agentsView
	if err := p.read(r.Context(), &v, "status"); err != nil {
		return screen{}, err
	}
	for _, a := range v.Hosts {
		if i := slices.IndexFunc(v.Evidence, func(e evidence) bool { return e.Host == a.Host }); i >= 0 {
			a.Evidence = &v.Evidence[i]
		}
		if a.IsConnected() || a.Present || a.Seen.Count > 0 {
			v.Here = append(v.Here, a)
		} else {
			v.Absent = append(v.Absent, a.Title)
		}
	}
	slices.SortStableFunc(v.Here, func(a, b *agent) int { return b.Seen.Count - a.Seen.Count })
	return screen{Name: "agents", Title: "Agents", Data: &v}, nil
}

// A pack is a pack as packs --json prints it, with what it decided.
type pack struct {
	Name    string            `json:"name"`
	About   string            `json:"about"`
	Kind    string            `json:"kind"`
	On      bool              `json:"on"`
	Why     string            `json:"why"`
	Also    string            `json:"also"`
	Count   int               `json:"rule_count"`
	Decides map[string]string `json:"decides"`
	From    []struct {
		Origin string `json:"origin"`
		Says   string `json:"says"`
	} `json:"from"`
	Rules  []packRule `json:"rules"`
	Change []struct {
		Does string `json:"does"`
		Line string `json:"line"`
		In   string `json:"in"`
		How  string `json:"how"`
	} `json:"change"`

	Stat  ruleStat
	Stats *stats
}

// A packRule is a rule of a pack.
type packRule struct {
	ID       string `json:"id"`
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	Match    []struct {
		Command string `json:"command"`
	} `json:"match"`
}

// count adds what the rules of the pack decided.
func (k *pack) count(s *stats) {
	k.Stats = s
	for name, one := range s.Rules {
		if of, _, _ := strings.Cut(name, "/"); of == k.Name {
			k.Stat.Denied, k.Stat.Asked, k.Stat.Other = k.Stat.Denied+one.Denied, k.Stat.Asked+one.Asked, k.Stat.Other+one.Other
			k.Stat.Last = max(k.Stat.Last, one.Last)
		}
	}
}

// sortRules puts the strictest rules first.
func (k *pack) sortRules() {
	slices.SortStableFunc(k.Rules, func(a, b packRule) int {
		return cmp.Compare(record.ParseDecision(b.Decision), record.ParseDecision(a.Decision))
	})
}

// A decided is what a rule decided lately.
type decided struct {
	Name string
	*ruleStat
}

// A policyView is the data of the page of the policy.
type policyView struct {
	On    bool              `json:"on"`
	Notes []message.Message `json:"notes"`
	Usual map[string]string `json:"usual"`
	Packs []*pack           `json:"packs"`

	Stats *stats
	Top   []decided
	Trial struct {
		Now []struct {
			Name   string `json:"name"`
			Origin string `json:"origin"`
			Until  string `json:"until"`
		} `json:"now"`
		Tried []struct {
			Name     string `json:"name"`
			Denied   int    `json:"would_deny"`
			Asked    int    `json:"would_ask"`
			Other    int    `json:"other"`
			Agreed   int    `json:"agreed"`
			Examples []struct {
				ID    string `json:"id"`
				Would string `json:"would"`
				Call  string `json:"call"`
			} `json:"examples"`
		} `json:"tried"`
	}
	Grants []grant.Grant
}

// Impacts lists the impacts of calls, worst first.
func (v *policyView) Impacts() []string {
	return slices.DeleteFunc([]string{"exfiltration", "high", "unknown", "medium", "low"}, func(impact string) bool { return v.Usual[impact] == "" })
}

// showPolicy shows the packs and rules in force, and what they decided here.
func (p *Page) showPolicy(r *http.Request) (screen, error) {
	v := policyView{}
	err := p.read(r.Context(), &v, "packs")
	if err == nil {
		err = p.read(r.Context(), &v.Trial, "shadow", "report")
	}
	if err == nil {
		err = p.read(r.Context(), &v.Grants, "allow", "--list")
	}
	if err == nil {
		v.Stats, err = p.readStats(r.Context())
	}
	if err != nil {
		return screen{}, err
	}
	for _, k := range v.Packs {
		k.count(v.Stats)
	}
	for _, name := range slices.Sorted(maps.Keys(v.Stats.Rules)) {
		if one := v.Stats.Rules[name]; one.Denied+one.Asked > 0 {
			v.Top = append(v.Top, decided{name, one})
		}
	}
	slices.SortStableFunc(v.Top, func(a, b decided) int { return b.Denied + b.Asked - a.Denied - a.Asked })
	return p.ofProject(r.Context(), screen{Name: "policy", Title: "Policy", Data: &v})
}

// packName matches the name of a pack.
var packName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,40}$`)

// showPack shows the rules of one pack.
func (p *Page) showPack(r *http.Request) (screen, error) {
	name := r.PathValue("pack")
	if !packName.MatchString(name) {
		return screen{}, frame.ErrNotFound
	}
	var v struct {
		Packs []*pack `json:"packs"`
	}
	err := p.read(r.Context(), &v, "packs", name)
	if err == nil && len(v.Packs) != 1 {
		err = frame.ErrNotFound
	}
	var counted *stats
	if err == nil {
		counted, err = p.readStats(r.Context())
	}
	if err != nil {
		return screen{}, err
	}
	v.Packs[0].count(counted)
	v.Packs[0].sortRules()
	return p.ofProject(r.Context(), screen{Name: "pack", Title: "Pack " + name, Data: v.Packs[0]})
}

// showAnalysis shows what checkrein analyze finds in the policy.
func (p *Page) showAnalysis(r *http.Request) (screen, error) {
	type hookName struct {
		Name   string `json:"name"`
		Origin string `json:"origin"`
	}
	var v struct {
		Files    []string `json:"files"`
		Rules    int      `json:"rules"`
		Findings []struct {
			Check  string     `json:"check"`
			Status string     `json:"status"`
			Hook   hookName   `json:"hook"`
			By     []hookName `json:"by"`
		} `json:"findings"`
		Properties []struct {
			Name   string `json:"name"`
			Result string `json:"result"`
			Why    string `json:"why"`
		} `json:"properties"`
	}
	err := p.read(r.Context(), &v, "analyze")
	return screen{Name: "analysis", Part: true, Data: v}, err
}

// An undoView is the data of the page about undo and walls.
type undoView struct {
	Saves []undo.Entry `json:"saves"`

	Bytes int64 // of all saves
	Walls struct {
		Hosts []string     `json:"hosts"`
		Rules []walls.Rule `json:"rules"`
	}
	Contained []frame.Row
}

// showUndo shows what can be taken back, and what ran behind walls.
func (p *Page) showUndo(r *http.Request) (screen, error) {
	var v undoView
	err := p.read(r.Context(), &v, "undo", "--list", "--all")
	if err == nil {
		err = p.read(r.Context(), &v.Walls, "walls")
	}
	if err != nil {
		return screen{}, err
	}
	for i := range v.Saves {
		v.Bytes += v.Saves[i].Bytes
	}
	q := frame.ParseQuery(map[string][]string{frame.ByAnswer: {"contained"}, frame.BySince: {"7d"}}, p.opts.Now())
	found, err := p.find(r.Context(), &q, budget{rows: 20, time: 200 * time.Millisecond}, false)
	v.Contained = found.Rows
	return screen{Name: "undo", Title: "Undo and walls", Data: &v}, err
}

// showCost shows what hooks cost: time, and the money of models that they ask.
func (p *Page) showCost(r *http.Request) (screen, error) {
	s, err := p.readStats(r.Context())
	return screen{Name: "cost", Title: "Cost", Data: s}, err
}
