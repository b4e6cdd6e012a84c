package rules

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// LowerForTests lowers the impact of the losses among effects, those of c, if c acts on something of
// this machine that is named as made for tests or development. runner is the call before c, which may
// run it in a container.
func LowerForTests(effects []shell.Effect, c, runner *shell.Call, p *shell.Place) {
	for i := range effects {
		e := &effects[i]
		if e.Label != shell.Destructive || e.Impact == shell.ImpactLow || e.Own != nil || e.Uncertain || e.Row().Target == shell.NoTarget {
			continue
		}
		if !actsOnTests(c, runner, p, e.Row().Target == shell.NamedTarget) {
			continue
		}
		e.Impact, e.Reason = shell.ImpactLow, e.Reason+", on a local target that is named as a test"
	}
}

// actsOnTests reports whether c acts on something of this machine that is named as made for tests or
// development. If named is set, c itself must name it.
func actsOnTests(c, runner *shell.Call, p *shell.Place, named bool) bool {
	in := program.Surroundings{Getenv: p.Getenv, Named: named}
	if c.Remote != "" {
		if runner == nil || c.Depth <= runner.Depth || !program.Is(runner.Name, program.IsContainerRunner) || usesRemoteDaemon(runner) || parseTaskName(c.Remote).live {
			return false
		}
		in.Container = c.Remote
	}
	sure := eachInput(c, func(text string) { in.Inputs = append(in.Inputs, text) })
	for i := range c.Files {
		in.Inputs = append(in.Inputs, c.Files[i].Text)
		sure = sure && c.Files[i].Complete
	}
	for range maxRunners {
		if w := program.ReadingOf(c).Words; facts.LanguageOf(c.Name) == facts.Python && len(w) > 0 {
			if inner := djangoCall(c, w[0].Text); inner != nil {
				c = inner
				break
			}
		}
		words, ok := nestedWords(c)
		if !ok || len(words) == 0 {
			break
		}
		if c, ok = nestedCall(c, words); !ok {
			return false
		}
	}
	r := program.ReadingOf(substituteHead(unwrapKubectl(c)))
	in.Databases = func(tables bool) []string { return namedDatabases(&r, in.Inputs, tables) }
	return sure && r.IsTestTarget(&in)
}

// namedDatabases returns the databases that the statements of r and in inputs drop or create, and, if tables
// is set, those of the tables that they empty or drop. It returns nil if a statement does anything else.
func namedDatabases(r *program.Reading, inputs []string, tables bool) (names []string) {
	if runsSQLFile(r.Call.Args) {
		return nil
	}
	texts := slices.Clone(inputs)
	for i := range r.Flags {
		texts = append(texts, r.Flags[i].Value)
	}
	for i := range r.Words {
		texts = append(texts, r.Words[i].Text)
	}
	for i, text := range texts {
		if i >= len(inputs) && !strings.ContainsAny(text, " \t\n\\;") {
			continue // a name or a number
		}
		for text != "" {
			var one string
			one, text = cutStatement(text)
			more, ok := statementDatabases(one, tables)
			if !ok {
				return nil
			}
			names = append(names, more...)
		}
	}
	return names
}

// statementDatabases returns the databases that a statement names, as in [namedDatabases]. It reports
// false if the statement may act on anything else.
func statementDatabases(text string, tables bool) (names []string, ok bool) {
	verb, rest := nextSQLWord(text)
	what, tail := nextSQLWord(rest)
	isDatabase := inListFold("database keyspace", what) || tables && strings.EqualFold(what, "schema")
	isTable := false
	switch verb = strings.ToLower(verb); {
	case verb == "":
		return nil, true
	case verb == "select" || verb == "show":
		plain := strings.NewReplacer("pg_terminate_backend(", "", "pg_backend_pid(", "").Replace(strings.ToLower(rest))
		return nil, !strings.Contains(plain, "(") && !hasSQLWord(plain, "into")
	case verb == "create" && isDatabase, verb == "drop" && isDatabase:
	case verb == "drop" && strings.EqualFold(what, "table"), verb == "truncate" && strings.EqualFold(what, "table"),
		verb == "delete" && strings.EqualFold(what, "from"):
		isTable = true
	case verb == "truncate":
		isTable, tail = true, rest
	default:
		return nil, false
	}
	for _, skip := range [...]string{"if", "not", "exists"} {
		if w, after := nextSQLWord(tail); strings.EqualFold(w, skip) {
			tail = after
		}
	}
	for {
		var name string
		name, tail = nextSQLWord(tail)
		if isTable {
			var dotted bool
			if name, _, dotted = strings.Cut(name, "."); !dotted || !tables {
				return nil, false
			}
		}
		names = append(names, strings.Trim(name, "`\"[]"))
		after, rest := nextSQLWord(tail)
		if after != "," {
			known := verb == "create" || inListFold("with cascade restrict sync", after)
			return names, after == "" || known || verb == "delete" && strings.EqualFold(after, "where")
		}
		tail = rest
	}
}
