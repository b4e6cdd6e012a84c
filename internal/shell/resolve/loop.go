package resolve

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// walkIf walks both branches of an if statement and merges the states after them.
func (w *walker) walkIf(c *syntax.IfClause) {
	w.withErrexitOff(func() { w.walkStmts(c.Cond) })
	at := w.lastOutcome(lastStmt(c.Cond))
	w.conds++
	before := w.saveState()
	w.st.setLocations(at.success)
	w.walkStmts(c.Then)
	after := w.saveState()
	w.st = before
	w.st.setLocations(at.failure)
	for c = c.Else; c != nil; c = c.Else {
		if !w.spendStep() {
			break
		}
		last := len(c.Cond) == 0 && !c.ThenPos.IsValid()
		w.withErrexitOff(func() { w.walkStmts(c.Cond) })
		at = w.lastOutcome(lastStmt(c.Cond))
		before = w.saveState()
		if !last {
			w.st.setLocations(at.success)
		}
		w.walkStmts(c.Then)
		w.mergeState(&after)
		after = w.saveState()
		if last {
			w.conds--
			return
		}
		w.st = before
		w.st.setLocations(at.failure)
	}
	w.conds--
	w.mergeState(&after)
}

// lastStmt returns the last statement of list, or nil if list is empty.
func lastStmt(list []*syntax.Stmt) *syntax.Stmt {
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// walkLoopBody walks stmts, a loop body that may not run at all.
func (w *walker) walkLoopBody(stmts []*syntax.Stmt) {
	w.conds++
	before := w.saveState()
	w.walkStmts(stmts)
	w.mergeBefore(&before)
	w.conds--
}

// walkWhile walks a while or until loop. It walks one iteration for each line that the loop reads from
// known input. Otherwise it walks one, and a second one if the first changed variables or directories.
func (w *walker) walkWhile(c *syntax.WhileClause) {
	defer w.mergeExits(w.exits)
	w.exits = nil
	w.loops++
	defer func() { w.loops-- }()
	if isEndless(c) && forksFreely(c.Do) {
		w.reportForkBomb("while true; do … & done")
	}
	if w.in != nil && w.in.Complete && readsLines(c.Cond) {
		for i := 0; w.inPos < len(w.in.Text); i++ {
			if i >= maxLoop || !w.spendRound() {
				w.reportLimit()
				break
			}
			at := w.inPos
			w.walkStmts(c.Cond)
			w.walkLoopBody(c.Do)
			if w.inPos == at {
				break
			}
		}
		return
	}
	w.withErrexitOff(func() { w.walkStmts(c.Cond) })
	before := w.saveState()
	w.conds++
	w.walkWhileBody(c)
	moved := w.st.dir != before.dir || len(w.st.altDirs) > 0
	if (moved || !isSameSlice(before.vars, w.st.vars)) && w.spendRound() {
		// The next iteration sees what the body set.
		first := w.saveState()
		w.withErrexitOff(func() { w.walkStmts(c.Cond) })
		w.walkWhileBody(c)
		if moved && w.st.dir != first.dir {
			// Each iteration moves to a further directory.
			w.st.altDirs = append(w.st.altDirs[:len(w.st.altDirs):len(w.st.altDirs)], placeholder)
		}
		w.addLaterValues(first.vars)
	}
	w.conds--
	w.mergeBefore(&before)
}

// walkWhileBody walks the body of c in the locations in which its condition holds.
func (w *walker) walkWhileBody(c *syntax.WhileClause) {
	at := w.lastOutcome(lastStmt(c.Cond))
	if c.Until {
		at.success = at.failure
	}
	w.st.setLocations(at.success)
	w.walkStmts(c.Do)
}

// walkFor walks a for loop, once for each of its words. Beyond the limit, one iteration stands for all
// further words.
func (w *walker) walkFor(c *syntax.ForClause) {
	defer w.mergeExits(w.exits)
	w.exits = nil
	w.loops++
	defer func() { w.loops-- }()
	it, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		w.walkCStyleFor(c)
		return
	}
	var words []shell.Word
	if it.InPos.IsValid() {
		words = w.ExpandWords(nil, it.Items)
	} else {
		words = w.st.Args
	}
	if len(words) == 0 {
		if !w.st.ArgsKnown {
			w.setVariableWord(it.Name.Value, shell.Word{Text: placeholder})
			w.walkLoopBody(c.Do)
		}
		return
	}
	for i, word := range words {
		if i >= maxLoop || !w.spendRound() {
			// One word stands for any of the rest.
			var rest expand.Variable
			rest.Name, rest.Word = it.Name.Value, expand.UnknownElement(words[i:])
			rest.Word.From = expand.AddSource(rest.Word.From, expand.TruncatedSource)
			for j := len(words) - 1; j >= i && len(rest.Alts) < expand.MaxAlts; j-- {
				rest.AddAlt(words[j])
			}
			w.setVariable(rest)
			before := w.saveState()
			w.walkLoopBody(c.Do)
			w.addLaterValues(before.vars)
			return
		}
		w.setVariableWord(it.Name.Value, word)
		w.walkStmts(c.Do)
	}
}

// walkCStyleFor walks a loop such as for ((i = 0; i < 3; i++)) as long as the value of its condition
// is known. One iteration stands for all further ones.
func (w *walker) walkCStyleFor(c *syntax.ForClause) {
	l, ok := c.Loop.(*syntax.CStyleLoop)
	if !ok {
		w.walkLoopBody(c.Do)
		return
	}
	if l.Cond == nil && forksFreely(c.Do) {
		w.reportForkBomb("for ((;;)); do … & done")
	}
	if l.Init != nil {
		w.EvalNumber(l.Init)
	}
	for i := 0; ; i++ {
		more := i < maxLoop && w.spendRound()
		if l.Cond != nil {
			n, _, known := w.EvalNumber(l.Cond)
			if known && n == 0 {
				return
			}
			more = more && (known || i == 0)
		}
		before := w.saveState()
		w.walkStmts(c.Do)
		if l.Post == nil {
			w.mergeBefore(&before)
			return
		}
		w.EvalNumber(l.Post)
		if !more {
			// One iteration stands for all further ones; what they change is unknown.
			w.addLaterValues(before.vars)
			w.walkLoopBody(c.Do)
			return
		}
	}
}

// addLaterValues adds a truncated value to each variable that the last iteration of a loop changed. It
// stands for the values in later iterations, which are not all walked. before are the variables before
// that iteration.
func (w *walker) addLaterValues(before []expand.Variable) {
	if isSameSlice(before, w.st.vars) {
		return
	}
	w.unshareState()
	w.steps -= len(before)
	for i := range w.st.vars {
		v := &w.st.vars[i]
		for j := range before {
			if was := &before[j]; was.Name == v.Name && was.Word.Text != v.Word.Text && v.Word.IsKnown() && !v.Array {
				v.Alts = slices.Clone(v.Alts)
				v.AddAlt(expand.TruncatedWord())
			}
		}
	}
}

// walkCase walks each branch of a case statement from the same state and merges the states after them.
func (w *walker) walkCase(c *syntax.CaseClause) {
	if c.Word != nil {
		w.ExpandWord(c.Word)
	}
	w.conds++
	before := w.saveState()
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.ExpandWord(p)
		}
		was := w.saveState()
		w.st = before
		w.walkStmts(item.Stmts)
		w.mergeState(&was)
	}
	w.conds--
}

// readsLines reports whether cond, the condition of a loop, is the read builtin.
func readsLines(cond []*syntax.Stmt) bool {
	if len(cond) != 1 {
		return false
	}
	c, ok := cond[0].Cmd.(*syntax.CallExpr)
	return ok && len(c.Args) > 0 && c.Args[0].Lit() == "read"
}

// isEndless reports whether the condition of c always holds.
func isEndless(c *syntax.WhileClause) bool {
	if len(c.Cond) != 1 {
		return false
	}
	switch x := c.Cond[0].Cmd.(type) {
	case *syntax.CallExpr:
		if len(x.Args) == 0 {
			return false
		}
		switch x.Args[0].Lit() {
		case "true", ":", "/bin/true":
			return !c.Until
		case "false":
			return c.Until
		case "[", "test":
			return !c.Until && len(x.Args) >= 2 && x.Args[1].Lit() == "1" && len(x.Args) <= 3
		}
	case *syntax.ArithmCmd:
		word, ok := x.X.(*syntax.Word)
		return ok && !c.Until && word.Lit() == "1"
	}
	return false
}

// forksFreely reports whether body, the body of a loop, starts background jobs without waiting for any
// command.
func forksFreely(body []*syntax.Stmt) bool {
	forks := false
	for _, s := range body {
		forks = forks || s.Background
		switch c := s.Cmd.(type) {
		case *syntax.Subshell:
			forks = forks || forksFreely(c.Stmts)
		case *syntax.CallExpr:
			if len(c.Args) == 0 || s.Background {
				continue
			}
			switch c.Args[0].Lit() {
			case ":", "echo", "printf", "true":
			default:
				return false // the loop waits for this command
			}
		case *syntax.BinaryCmd:
			if !s.Background {
				return false
			}
		default:
			if !s.Background {
				return false
			}
		}
	}
	return forks
}
