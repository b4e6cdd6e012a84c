package rules

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/cputime"
	"github.com/checkrein/checkrein/internal/shell"
)

// TestHasTerm checks whether calls have the terms of rules.
func TestHasTerm(t *testing.T) {
	hole := string(shell.Placeholder)
	tests := []struct {
		program, args, term string
		want                truth
	}{
		{"x", "-rf", "-f", yes},
		{"x", "-rf", "-r", yes},
		{"x", "-rf", "-x", no},
		{"x", "-rf", "-rf", yes},
		{"x", "--force", "--force", yes},
		{"x", "--forc", "--force", yes},
		{"x", "--f", "--force", no},
		{"x", "--force", "--force-with-lease", no},
		{"x", "--force-w", "--force-with-lease", yes},
		{"x", "--forced", "--force", no},
		{"x", "--no-force", "--force", no},
		{"x", "--force --no-force", "--force", no},
		{"x", "--no-force --force", "--force", yes},
		{"x", "--force=false", "--force", no},
		{"x", "--force=true", "--force", yes},
		{"x", "--force=" + hole, "--force", maybe},
		{"x", "-f=true", "-f", yes},
		{"x", "-f=false", "-f", no},
		{"x", "-- -f", "-f", no},
		{"x", "-- -f", "--", yes},
		{"x", "a --", "--", no},
		{"x", hole, "-f", maybe},
		{"x", "-- " + hole, "-f", no},
		{"x", "-" + hole, "-f", maybe},
		{"x", "--" + hole, "--force", maybe},
		{"x", "a" + hole, "-f", no},
		{"x", "+" + hole, "+*", yes},
		{"x", hole, "+*", maybe},
		{"x", "a" + hole, "+*", no},
		{"x", "--replicas=0", "--replicas=0", yes},
		{"x", "--replicas 0", "--replicas=0", yes},
		{"x", "--replicas=10", "--replicas=0", no},
		{"x", "--mode=Complete", "--mode=C*", yes},
		{"x", "--exec-path=x", "--exec*", yes},
		{"git", "-C -f push", "-f", no},
		{"git", "-c a=b push -f", "-f", yes},
		{"git", "commit -m -f", "-f", no},
		{"git", "commit -am -f", "-f", no},
		{"git", "commit -mf", "-f", no},
		{"git", "branch -C a b", "-C", yes},
		{"kubectl", "--forc x", "--force", no},
		{"kubectl", "-n delete get pods", "delete", no},
		{"terraform", "apply --auto-approve", "-auto-approve", yes},
		{"terraform", "apply -auto-approve=false", "-auto-approve", no},
		{"docker", "run -v a:b img rm -f", "-f", no},
		{"docker", "run img --privileged", "--privileged", no},
		{"docker", "compose -f x down -v", "-v", yes},
		{"docker-compose", "-f x rm -fsv", "-v", yes},
		{"git-push", "-f", "-f", yes},
		{"git-push", "-f", "push", yes},
	}
	for _, tt := range tests {
		c := shell.Call{Name: tt.program, Path: tt.program}
		for _, a := range strings.Fields(tt.args) {
			c.Args = append(c.Args, shell.Word{Text: a})
		}
		var r reading
		r.Read(&c, nil)
		if got := r.Has(tt.term); got != tt.want {
			t.Errorf("%s %s: has %q = %d, want %d", tt.program, tt.args, tt.term, got, tt.want)
		}
	}
}

func TestMatchSQL(t *testing.T) {
	tests := []struct {
		text, patterns string
		want           truth
	}{
		{"DROP TABLE x", "DROP", yes},
		{"drop table x", "DROP TABLE", yes},
		{"SELECT 1; DROP TABLE x", "DROP TABLE", yes},
		{"SELECT 'a; DROP TABLE x'", "DROP TABLE", no},
		{"-- DROP TABLE x\nSELECT 1", "DROP TABLE", no},
		{"/* c */ DROP/**/TABLE x", "DROP TABLE", yes},
		{"/*!50000 DROP TABLE x */", "DROP TABLE", yes},
		{"DELETE FROM x", "DELETE FROM !WHERE", yes},
		{"DELETE FROM x WHERE id=1", "DELETE FROM !WHERE", no},
		{"ALTER TABLE x DROP COLUMN y", "ALTER TABLE * DROP", yes},
		{"ALTER TABLE x ADD y int", "ALTER TABLE * DROP", no},
		{"WITH d AS (DELETE FROM x) SELECT 1", "DELETE FROM", yes},
		{"EXPLAIN DELETE FROM x", "DELETE", no},
		{"SELECT * FROM dropped", "DROP", no},
		{"  \n DROP\tTABLE x", "DROP TABLE", yes},
		{string(shell.Placeholder), "DROP", maybe},
		{"DROP " + string(shell.Placeholder), "DROP TABLE", maybe},
		{"SELECT " + string(shell.Placeholder), "DROP TABLE", no},
		{"", "DROP", no},
	}
	for _, tt := range tests {
		if got := matchStatements(tt.text, tt.patterns); got != tt.want {
			t.Errorf("%q against %q: %d, want %d", tt.text, tt.patterns, got, tt.want)
		}
	}
}

// TestUserPacks checks that rules of a user's own pack apply.
func TestUserPacks(t *testing.T) {
	pack := &shell.RuleSet{Own: "ours", Rules: []shell.Rule{
		{ID: "drop", Cmd: "frob drop", Any: "--all", Label: shell.Destructive, Kind: "delete", Own: &shell.Row{Name: "frob", Own: "ours"}, Impact: shell.ImpactHigh, Reason: "drops {args}"},
		{ID: "compose", Cmd: "docker-compose up", Label: shell.Unknown, Kind: "run", Own: &shell.Row{Name: "frob-up", Own: "ours"}, Reason: "starts"},
	}}
	p := &shell.Place{Packs: []*shell.RuleSet{pack}}
	c := newCall("frob", "drop", "--all", "x", "y")
	effects, known := Effects(&c, p)
	if !known || len(effects) != 1 || effects[0].Rule != "drop" || effects[0].Row().PackName() != "ours" || effects[0].Reason != "drops x y" {
		t.Errorf("got %+v %v", effects, known)
	}
	c = newCall("docker-compose", "up")
	if effects, _ = Effects(&c, p); len(effects) != 1 || effects[0].Rule != "compose" {
		t.Errorf("by its alias: %+v", effects)
	}
	c = newCall("frob", "list")
	if effects, known = Effects(&c, p); known || effects != nil {
		t.Errorf("unknown program: %+v", effects)
	}
}

// TestWorstEffectFirst checks that the worst effect comes first, and that a safe effect is only
// returned alone.
func TestWorstEffectFirst(t *testing.T) {
	c := newCall("git", "push", "--force", "--delete", "https://x/y.git", "+main")
	effects, _ := Effects(&c, nil)
	for i := 1; i < len(effects); i++ {
		if isWorse(&effects[i], &effects[i-1]) {
			t.Errorf("%s comes after %s", effects[i].Rule, effects[i-1].Rule)
		}
	}
	for _, e := range effects {
		if e.Label == shell.Safe {
			t.Errorf("a safe effect among others: %s", e.Rule)
		}
	}
	if len(effects) == 0 || effects[0].Rule != "push-force" {
		t.Errorf("got %+v", effects)
	}
}

// TestHostileCalls checks that large calls take little time and that the text of their effects is
// short.
func TestHostileCalls(t *testing.T) {
	parts, tests := hostileCalls(8), hostileCalls(1)
	for i := range tests {
		var effects []shell.Effect
		judge := func(c *shell.Call) func() {
			return func() {
				effects, _ = Effects(c, nil)
				NestedCommands(c)
			}
		}
		if cputime.Explodes(judge(&parts[i]), judge(&tests[i])) {
			t.Errorf("call %d takes far too long", i)
		}
		for _, e := range effects {
			if len(e.Words) > 2*maxWords || len(e.Reason) > 3*maxWords {
				t.Errorf("call %d: %d bytes of words, %d of reason", i, len(e.Words), len(e.Reason))
			}
		}
	}
}

// hostileCalls returns calls with very many or very long words, divided by part.
func hostileCalls(part int) []shell.Call {
	many := func(word string, n int) []string { return slices.Repeat([]string{word}, n/part) }
	long := func(text string, n int) string { return strings.Repeat(text, n/part) }
	unknown := string(shell.Placeholder)
	return []shell.Call{
		newCall("git", append([]string{"push"}, many("-a", 100_000)...)...),
		newCall("git", append([]string{"push"}, many("--no-such-flag", 100_000)...)...),
		newCall("git", append([]string{"checkout"}, many(unknown, 50_000)...)...),
		newCall("git", many(unknown, 50_000)...),
		newCall("git", "push", "-"+long("a", 1<<20)),
		newCall("git", "push", long("*a", 1<<19)),
		newCall("aws", long("a", 1<<20), "delete-"+long("x", 1<<20)),
		newCall("psql", "-c", "WITH x AS (SELECT 1) "+long("DELETE FROM x ", 1<<16)+"WHERE"),
		newCall("psql", "-c", long("'", 1<<20)),
		newCall("psql", "-c", long("/*", 1<<19)),
		newCall("psql", "-c", long(";", 1<<20)),
		newCall("kubectl", "patch", "x", "-p", long(`"op":`, 1<<17)),
	}
}

// TestFlagOrder checks that the order of unrelated flags does not change the effects.
func TestFlagOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		flags := []string{"--force", "-v", "--no-verify", "--progress", "--tags"}
		rng.Shuffle(len(flags), func(i, j int) { flags[i], flags[j] = flags[j], flags[i] })
		args := append([]string{"-C", "dir", "push"}, flags[:2]...)
		args = append(args, "origin", "main")
		args = append(args, flags[2:]...)
		c := newCall("git", args...)
		if effects, _ := Effects(&c, nil); len(effects) == 0 || effects[0].Rule != "push-force" {
			t.Fatalf("%v: %+v", args, effects)
		}
	}
}

func FuzzEffects(f *testing.F) {
	for _, seed := range []string{"git push --force", "docker run -v /:/x a", "aws s3 rm s3://b --recursive", "psql -c DROP", "kubectl delete ns x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Split(text, " ")
		c := newCall(words[0], words[1:]...)
		first, known := Effects(&c, nil)
		again, knownAgain := Effects(&c, nil)
		if known != knownAgain || len(first) != len(again) {
			t.Fatalf("%q: not the same twice", text)
		}
		for i := range first {
			if first[i].Rule != again[i].Rule || first[i].Label != again[i].Label {
				t.Fatalf("%q: not the same twice", text)
			}
		}
		NestedCommands(&c)
	})
}

func BenchmarkEffects(b *testing.B) {
	for _, text := range []string{"git status", "git push --force origin main", "ls -la", "aws ec2 describe-instances --region x", "kubectl -n x get pods", "docker compose up -d", "npm test"} {
		b.Run(text, func(b *testing.B) {
			words := strings.Fields(text)
			c := newCall(words[0], words[1:]...)
			b.ReportAllocs()
			for b.Loop() {
				Effects(&c, nil)
				NestedCommands(&c)
			}
		})
	}
}
