package analysis_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/analysis"
	"github.com/checkrein/checkrein/internal/hook/handler/rule"
	"github.com/checkrein/checkrein/internal/hook/match"
)

const home = "/home/ann"

// acts is a stand-in for what the shell reader finds out: the effects of a command are its words.
func acts(ev *checkrein.Event) match.Acts {
	if ev.Tool == nil {
		return match.Acts{}
	}
	switch ev.Tool.Command() {
	case "rm -rf /", "rm x":
		return match.Acts{Effects: []string{"destructive", "delete"}, Radius: "high", Paths: []string{"/x"}}
	case "git push --force":
		return match.Acts{Effects: []string{"destructive"}, Radius: "medium"}
	}
	return match.Acts{}
}

func policyOf(hooks []checkrein.Hook) *analysis.Policy {
	e := engine.New(engine.Options{Hooks: hooks, Handlers: []checkrein.HandlerType{rule.Type(home, acts)}, Home: home, Judge: acts})
	return &analysis.Policy{
		Hooks:  hooks,
		Decide: func(ctx context.Context, ev checkrein.Event) checkrein.Verdict { return e.Decide(ctx, ev).Verdict },
		Raises: func(*checkrein.Hook) []checkrein.Decision { return nil },
		Commands: func() (out []analysis.Command) {
			for _, text := range []string{"rm -rf /", "git push --force"} {
				out = append(out, analysis.Command{Text: text, Acts: acts(&checkrein.Event{Tool: &checkrein.Tool{Name: "shell", Input: object("command", text)}})})
			}
			return out
		},
		Home: home, Judge: acts,
	}
}

func object(pairs ...any) json.RawMessage {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	out, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return out
}

func newRule(id int, decision, cond string) checkrein.Hook {
	h := checkrein.Hook{ID: "r" + strconv.Itoa(id), On: checkrein.PreToolUse, Run: "rule", Priority: 100, With: object("decision", decision, "reason", "because of r"+strconv.Itoa(id))}
	h.Name = h.ID
	if cond != "" {
		h.If = checkrein.Condition(cond)
	}
	return h
}

// tests are the conditions that generated rules combine.
var tests = []string{
	`{"tool":{"is":"shell"}}`, `{"tool":{"in":["shell","write"]}}`, `{"tool":{"is":"write"}}`, `{"tool_name":{"is":"Bash"}}`, `{"tool_name":{"prefix":"mcp"}}`,
	`{"command":{"prefix":"git "}}`, `{"command":{"prefix":"git push"}}`, `{"command":{"glob":"git push*"}}`, `{"command":{"contains":"--force"}}`,
	`{"command":{"regex":"\\brm\\b"}}`, `{"command":{"regex":"^(git|rm) "}}`, `{"command":{"exists":true}}`, `{"command":{"is":"ls"}}`, `{"command":{"suffix":"main"}}`,
	`{"cwd":{"under":"/work"}}`, `{"cwd":{"under":"/work/a"}}`, `{"cwd":{"outside":"/work"}}`, `{"host":{"is":"claude"}}`, `{"host":{"in":["claude","codex"]}}`,
	`{"tool_input.count":{"gt":5}}`, `{"tool_input.count":{"le":5}}`, `{"tool_input.count":{"ge":10}}`, `{"tool_input.count":{"is":7}}`,
	`{"tool_input.path":{"under":"."}}`, `{"tool_input.path":{"under":"./src"}}`, `{"tool_input.path":{"glob":"**/*.go"}}`, `{"tool_input.path":{"under":"/etc"}}`,
	`{"paths":{"under":"/etc"}}`, `{"paths":{"glob":"/etc/**"}}`, `{"paths":{"outside":"/work"}}`, `{"effects":{"is":"destructive"}}`, `{"radius":{"in":["medium","high"]}}`, `{"radius":{"is":"high"}}`,
	`{"agent":{"exists":false}}`, `{"agent":{"is":"root"}}`,
}

func randomCondition(r *rand.Rand, depth int) string {
	pick := func() string { return randomCondition(r, depth-1) }
	if depth == 0 || r.IntN(3) == 0 {
		return tests[r.IntN(len(tests))]
	}
	switch r.IntN(4) {
	case 0:
		return `{"any":[` + pick() + `,` + pick() + `]}`
	case 1:
		return `{"all":[` + pick() + `,{"not":` + pick() + `}]}`
	default:
		return `{"all":[` + pick() + `,` + pick() + `]}`
	}
}

var decisions = []string{"allow", "ask", "deny", "ask", "deny", "none"}

func randomRules(r *rand.Rand, n int) []checkrein.Hook {
	var out []checkrein.Hook
	for i := range n {
		h := newRule(i, decisions[r.IntN(len(decisions))], randomCondition(r, 2))
		if r.IntN(5) == 0 {
			h.Match = []string{"shell", "write|shell", "mcp.*"}[r.IntN(3)]
		}
		if r.IntN(6) == 0 {
			h.Priority = 200
		}
		out = append(out, h)
	}
	return out
}

// someEvents returns a third of the events that policies are compared on, another one for each seed.
func someEvents(all []checkrein.Event, seed int) (out []checkrein.Event) {
	for i := seed % 3; i < len(all); i += 3 {
		out = append(out, all[i])
	}
	return out
}

// universe returns the events that policies are compared on.
func universe() (out []checkrein.Event) {
	var inputs []json.RawMessage
	for _, command := range []string{"ls", "git push", "git push origin main", "git push --force", "git status", "rm -rf /", "rm x", "echo rm"} {
		inputs = append(inputs, object("command", command))
	}
	for _, path := range []string{"a.go", "src/a.go", "./src", "/etc/passwd", "/work/x.go", "/tmp/y"} {
		inputs = append(inputs, object("path", path), object("path", path, "count", 7))
	}
	for _, n := range []any{3, 5, 5.5, 7, 10, 11, "x", []int{3, 11}} {
		inputs = append(inputs, object("count", n))
	}
	inputs = append(inputs, object("command", "git push", "cmd", "rm x"), object("command", "git push", "count", 6), object())
	i := 0
	for _, name := range [][2]string{{"Bash", "shell"}, {"shell", "shell"}, {"Write", "write"}, {"mcp__a__b", ""}} {
		for _, dir := range []string{"/work", "/work/a/b", "/tmp", "/work/../etc"} {
			for _, input := range inputs {
				i++
				out = append(out, checkrein.Event{Kind: checkrein.PreToolUse, Host: []string{"", "claude", "codex"}[i/2%3],
					Session: checkrein.Session{ID: "s", Dir: dir, Agent: []string{"", "root", "x"}[i/5%3]}, Tool: &checkrein.Tool{Name: name[0], Canonical: name[1], Input: input}})
			}
		}
	}
	return out
}

// count returns the number of generated cases: all of them if CHECKREIN_ANALYSIS_FULL is set.
func count(short, full int) int {
	if os.Getenv("CHECKREIN_ANALYSIS_FULL") != "" {
		return full
	}
	return short
}

// decideAll returns the decisions of the policy on all events.
func decideAll(p *analysis.Policy, events []checkrein.Event) []checkrein.Decision {
	out := make([]checkrein.Decision, len(events))
	for i, ev := range events {
		out[i] = p.Decide(context.Background(), ev).Decision
	}
	return out
}

// matcherOf returns a function that reports whether the rule h applies to an event, by asking an engine
// that has no other.
func matcherOf(h checkrein.Hook) func(checkrein.Event) bool {
	alone := policyOf([]checkrein.Hook{h})
	return func(ev checkrein.Event) bool {
		return alone.Decide(context.Background(), ev).Decision != checkrein.NoOpinion
	}
}

// TestCompareAgainstBruteForce compares pairs of generated policies on many events: no difference is
// outside the reported classes, and every example is real.
func TestCompareAgainstBruteForce(t *testing.T) {
	t.Parallel()
	universe := universe()
	confirmed, all, complex := 0, 0, 0
	for seed := range count(60, 10000) {
		r, events := rand.New(rand.NewPCG(uint64(seed), 1)), someEvents(universe, seed)
		old := randomRules(r, 1+r.IntN(6))
		changed := append([]checkrein.Hook(nil), old...)
		for range 1 + r.IntN(2) {
			switch i := r.IntN(len(changed)); r.IntN(3) {
			case 0:
				changed[i] = newRule(100+i, decisions[r.IntN(len(decisions))], string(changed[i].If))
			case 1:
				changed[i] = newRule(200+i, decisions[r.IntN(len(decisions))], randomCondition(r, 2))
			default:
				changed = append(changed, newRule(300+len(changed), decisions[r.IntN(len(decisions))], randomCondition(r, 2)))
			}
		}
		before, after := policyOf(old), policyOf(changed)
		got := analysis.Compare(context.Background(), before, after)
		from, to := decideAll(before, events), decideAll(after, events)
		applies := make([]func(checkrein.Event) bool, len(got.Classes))
		for i := range applies {
			applies[i] = matcherOf(*got.Classes[i].Hook)
		}
		for i, ev := range events {
			if from[i] == to[i] {
				continue
			}
			if analysis.DirectionOf(from[i], to[i]) == analysis.Weaker && got.AtLeastAsStrict {
				t.Fatalf("seed %d: at least as strict, but %s became %s on %s", seed, from[i], to[i], ev.Tool.Input)
			}
			if !isReported(got, applies, ev, analysis.DirectionOf(from[i], to[i])) {
				t.Fatalf("seed %d: %s became %s on %s %s, which is not reported\n%s\n%s\n%+v", seed, from[i], to[i], ev.Tool.Name, ev.Tool.Input, show(old), show(changed), got.Classes)
			}
		}
		for _, c := range got.Classes {
			all++
			switch c.Status {
			case analysis.Confirmed:
				confirmed++
				if d, e := before.Decide(context.Background(), *c.Witness).Decision, after.Decide(context.Background(), *c.Witness).Decision; d != c.From || e != c.To || d == e || len(c.Witness.Tool.Commands()) < 2 && !matcherOf(*c.Hook)(*c.Witness) { // an engine alone does not allow a call with several commands
					t.Fatalf("seed %d: the example of %s is decided %s and %s", seed, c.Where, d, e)
				}
			case analysis.Complex:
				complex++
			}
		}
	}
	t.Logf("%d classes, %d confirmed, %d too complex", all, confirmed, complex)
	if confirmed*4 < all*3 {
		t.Errorf("only %d of %d classes have an example", confirmed, all)
	}
}

// isReported reports whether a class in the direction contains ev.
func isReported(got *analysis.Comparison, applies []func(checkrein.Event) bool, ev checkrein.Event, to analysis.Direction) bool {
	for i, c := range got.Classes {
		if c.Direction == to && applies[i](ev) {
			return true
		}
	}
	return false
}

func show(hooks []checkrein.Hook) (out string) {
	for _, h := range hooks {
		out += fmt.Sprintf("%s %s %s %s\n", h.ID, h.Match, h.With, h.If)
	}
	return out
}

// TestCheckAgainstBruteForce plants dead and shadowed rules in generated policies. Almost all of them
// are found, and what is found has no influence on any event.
func TestCheckAgainstBruteForce(t *testing.T) {
	t.Parallel()
	universe := universe()
	conflicts := []string{
		`{"all":[{"tool":{"is":"shell"}},{"not":{"tool":{"in":["shell","read"]}}}]}`,
		`{"all":[{"cwd":{"under":"/work/a"}},{"cwd":{"outside":"/work"}}]}`,
		`{"all":[{"host":{"is":"claude"}},{"host":{"prefix":"co"}}]}`,
		`{"all":[{"command":{"prefix":"git push"}},{"not":{"command":{"regex":"git"}}}]}`,
		`{"all":[{"radius":{"is":"high"}},{"not":{"radius":{"exists":true}}}]}`,
		`{"all":[{"tool_input.count":{"gt":5}},{"not":{"tool_input.count":{"ge":5}}}]}`,
	}
	planted, found, others := 0, 0, 0
	for seed := range count(60, 10000) {
		r, events := rand.New(rand.NewPCG(uint64(seed), 2)), someEvents(universe, seed)
		hooks := randomRules(r, 1+r.IntN(5))
		want := map[string]bool{}
		dead := newRule(900, "deny", conflicts[r.IntN(len(conflicts))])
		if r.IntN(2) == 0 {
			dead.If = checkrein.Condition(`{"all":[` + string(dead.If) + `,` + randomCondition(r, 1) + `]}`)
		}
		want["r900"] = true
		hooks = append(hooks, dead)
		if o := hooks[0]; o.If != nil && decisionOf(&o) >= checkrein.Ask {
			narrow := newRule(901, []string{"allow", "ask"}[r.IntN(2)], `{"all":[`+string(o.If)+`,`+randomCondition(r, 1)+`]}`)
			narrow.Match = o.Match
			narrow.Priority = 50
			want["r901"] = true
			hooks = append(hooks, narrow)
		}
		planted += len(want)
		base := decideAll(policyOf(hooks), events)
		for _, f := range analysis.Check(context.Background(), policyOf(hooks)) {
			if f.Status != analysis.Proven {
				continue
			}
			if want[f.Hook.ID] {
				found++
			} else {
				others++
			}
			var rest []checkrein.Hook
			for _, h := range hooks {
				if h.ID != f.Hook.ID {
					rest = append(rest, h)
				}
			}
			applies := matcherOf(*f.Hook)
			for i, d := range decideAll(policyOf(rest), events) {
				if d != base[i] || f.Check == analysis.Dead && applies(events[i]) {
					t.Fatalf("seed %d: %s is %s, but matters on %s\n%s", seed, f.Hook.ID, f.Check, events[i].Tool.Input, show(hooks))
				}
			}
		}
	}
	t.Logf("%d planted, %d found, %d others found", planted, found, others)
	if found*100 < planted*95 {
		t.Errorf("only %d of %d planted rules were found", found, planted)
	}
}

func decisionOf(h *checkrein.Hook) checkrein.Decision {
	var with struct{ Decision string }
	_ = json.Unmarshal(h.With, &with)
	return map[string]checkrein.Decision{"allow": checkrein.Allow, "ask": checkrein.Ask, "deny": checkrein.Deny}[with.Decision]
}

// TestWeakenedRules weakens rules of generated policies: nearly every change that matters on one of
// the events is reported with an example.
func TestWeakenedRules(t *testing.T) {
	t.Parallel()
	universe := universe()
	planted, found := 0, 0
	for seed := range count(60, 10000) {
		r, events := rand.New(rand.NewPCG(uint64(seed), 3)), someEvents(universe, seed)
		old := randomRules(r, 1+r.IntN(5))
		changed := append([]checkrein.Hook(nil), old...)
		i := r.IntN(len(old))
		if decisionOf(&old[i]) != checkrein.Deny {
			continue
		}
		changed[i] = newRule(i, "ask", string(old[i].If))
		changed[i].Match = old[i].Match
		before, after := policyOf(old), policyOf(changed)
		matters := false
		from, to := decideAll(before, events), decideAll(after, events)
		for j := range events {
			matters = matters || from[j] != to[j]
		}
		if !matters {
			continue
		}
		planted++
		for _, c := range analysis.Compare(context.Background(), before, after).Classes {
			if c.Direction == analysis.Weaker && c.Status == analysis.Confirmed {
				found++
				break
			}
		}
	}
	t.Logf("%d weakened, %d found", planted, found)
	if found*100 < planted*95 {
		t.Errorf("only %d of %d weakened rules were found", found, planted)
	}
}

// TestManyRules checks that 500 rules are decided, also if they resemble each other.
func TestManyRules(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 4))
	hooks := randomRules(r, 500)
	if got := analysis.Check(context.Background(), policyOf(hooks)); len(got) == 0 {
		t.Error("nothing was found")
	}
	changed := append([]checkrein.Hook(nil), hooks...)
	changed[7] = newRule(7, "allow", `{"command":{"prefix":"git "}}`)
	analysis.Compare(context.Background(), policyOf(hooks), policyOf(changed))
}

// TestHardConditions checks that expressions whose automata explode end in "too complex".
func TestHardConditions(t *testing.T) {
	t.Parallel()
	var hooks []checkrein.Hook
	for i := range 500 {
		hooks = append(hooks, newRule(i, decisions[i%3], fmt.Sprintf(`{"all":[{"command":{"regex":"^(a|b)*a(a|b){%d}$"}},{"not":{"command":{"regex":"^(a|b)*b(a|b){%d}$"}}}]}`, 12+i%7, 11+i%5)))
	}
	complex := 0
	for _, f := range analysis.Check(context.Background(), policyOf(hooks)) {
		if f.Status == analysis.Complex {
			complex++
		}
	}
	if complex == 0 {
		t.Error("nothing was too complex")
	}
}

// TestConcurrentChecks runs analyses at the same time: each finds what it finds alone.
func TestConcurrentChecks(t *testing.T) {
	check := func(seed int) (out []string) {
		p := policyOf(randomRules(rand.New(rand.NewPCG(uint64(seed), 4)), 6))
		for _, f := range analysis.Check(context.Background(), p) {
			out = append(out, f.Hook.ID+" "+f.Check+" "+string(f.Status))
		}
		return out
	}
	const n = 64
	got := make([][]string, n)
	var wg sync.WaitGroup
	for seed := range n {
		wg.Go(func() { got[seed] = check(seed) })
	}
	wg.Wait()
	for seed := range n {
		if want := check(seed); !slices.Equal(got[seed], want) {
			t.Errorf("seed %d: found %q, want %q", seed, got[seed], want)
		}
	}
}
