package resolve

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

func (w *walker) ifClause(c *syntax.IfClause) {
	w.unguarded(func() { w.stmts(c.Cond) })
	at := w.outcome(lastOf(c.Cond))
	w.conds++
	before := w.save()
	w.st.take(at.ok)
	w.stmts(c.Then)
	after := w.save()
	w.st = before
	w.st.take(at.no)
	for c = c.Else; c != nil; c = c.Else {
		if !w.step() {
			break
		}
		last := len(c.Cond) == 0 && !c.ThenPos.IsValid()
		w.unguarded(func() { w.stmts(c.Cond) })
		at = w.outcome(lastOf(c.Cond))
		before = w.save()
		if !last {
			w.st.take(at.ok)
		}
		w.stmts(c.Then)
		w.join(&after)
		after = w.save()
		if last {
			w.conds--
			return
		}
		w.st = before
		w.st.take(at.no)
	}
	w.conds--
	w.join(&after)
}

func lastOf(list []*syntax.Stmt) *syntax.Stmt {
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// body runs a loop's body. What it changes may or may not have happened.
func (w *walker) body(stmts []*syntax.Stmt) {
	w.conds++
	before := w.save()
	w.stmts(stmts)
	w.settle(&before)
	w.conds--
}

func (w *walker) whileClause(c *syntax.WhileClause) {
	defer w.returned(w.left)
	w.left = nil
	w.loops++
	defer func() { w.loops-- }()
	if endless(c) && forksFreely(c.Do) {
		w.bomb("while true; do … & done")
	}
	if w.in != nil && w.in.Sure && readsLines(c.Cond) {
		for i := 0; w.inPos < len(w.in.Text); i++ {
			if i >= maxLoop || !w.round() {
				w.tooMuch()
				break
			}
			at := w.inPos
			w.stmts(c.Cond)
			w.body(c.Do)
			if w.inPos == at {
				break
			}
		}
		return
	}
	w.unguarded(func() { w.stmts(c.Cond) })
	before := w.save()
	w.conds++
	w.guarded(c)
	moved := w.st.dir != before.dir || len(w.st.also) > 0
	if (moved || !sameVars(before.vars, w.st.vars)) && w.round() {
		// What the body set is there in the next round.
		first := w.save()
		w.unguarded(func() { w.stmts(c.Cond) })
		w.guarded(c)
		if moved && w.st.dir != first.dir {
			w.st.also = append(w.st.also[:len(w.st.also):len(w.st.also)], hole) // round for round further
		}
		w.drift(first.vars)
	}
	w.conds--
	w.settle(&before)
}

// guarded walks the body of a loop in the worlds in which its condition holds.
func (w *walker) guarded(c *syntax.WhileClause) {
	at := w.outcome(lastOf(c.Cond))
	if c.Until {
		at.ok = at.no
	}
	w.st.take(at.ok)
	w.stmts(c.Do)
}

func (w *walker) forClause(c *syntax.ForClause) {
	defer w.returned(w.left)
	w.left = nil
	w.loops++
	defer func() { w.loops-- }()
	it, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		w.countingLoop(c)
		return
	}
	var words []shell.Word
	if it.InPos.IsValid() {
		words = w.Words(nil, it.Items)
	} else {
		words = w.st.Args
	}
	if len(words) == 0 {
		if !w.st.Given {
			w.set(it.Name.Value, shell.Word{Text: hole})
			w.body(c.Do)
		}
		return
	}
	for i, word := range words {
		if i >= maxLoop || !w.round() {
			// The rest is one word that may be any of them.
			var rest expand.Variable
			rest.Name, rest.Word = it.Name.Value, expand.AnyOf(words[i:])
			rest.Word.From = expand.AddCall(rest.Word.From, expand.CutOff)
			for j := len(words) - 1; j >= i && len(rest.Alts) < expand.MaxAlts; j-- {
				rest.AddAlt(words[j])
			}
			w.put(rest)
			before := w.save()
			w.body(c.Do)
			w.drift(before.vars)
			return
		}
		w.set(it.Name.Value, word)
		w.stmts(c.Do)
	}
}

// countingLoop walks for ((i = 0; i < 3; i++)) as far as its counter is known.
func (w *walker) countingLoop(c *syntax.ForClause) {
	l, ok := c.Loop.(*syntax.CStyleLoop)
	if !ok {
		w.body(c.Do)
		return
	}
	if l.Cond == nil && forksFreely(c.Do) {
		w.bomb("for ((;;)); do … & done")
	}
	if l.Init != nil {
		w.Number(l.Init)
	}
	for i := 0; ; i++ {
		more := i < maxLoop && w.round()
		if l.Cond != nil {
			n, _, known := w.Number(l.Cond)
			if known && n == 0 {
				return
			}
			more = more && (known || i == 0)
		}
		before := w.save()
		w.stmts(c.Do)
		if l.Post == nil {
			w.settle(&before)
			return
		}
		w.Number(l.Post)
		if !more {
			// All further rounds are one, with what they change not known.
			w.drift(before.vars)
			w.body(c.Do)
			return
		}
	}
}

// drift notes that what the last round of a loop changed is something else in the
// next one, and that not all of them are walked.
func (w *walker) drift(before []expand.Variable) {
	if sameVars(before, w.st.vars) {
		return
	}
	w.own()
	w.steps -= len(before)
	for i := range w.st.vars {
		v := &w.st.vars[i]
		for j := range before {
			if was := &before[j]; was.Name == v.Name && was.Word.Text != v.Word.Text && v.Word.Known() && !v.Array {
				v.Alts = slices.Clone(v.Alts)
				v.AddAlt(expand.Truncated())
			}
		}
	}
}

func (w *walker) caseClause(c *syntax.CaseClause) {
	if c.Word != nil {
		w.Word(c.Word)
	}
	w.conds++
	before := w.save()
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.Word(p)
		}
		was := w.save()
		w.st = before
		w.stmts(item.Stmts)
		w.join(&was)
	}
	w.conds--
}

// readsLines reports whether a loop's condition takes one line at a time.
func readsLines(cond []*syntax.Stmt) bool {
	if len(cond) != 1 {
		return false
	}
	c, ok := cond[0].Cmd.(*syntax.CallExpr)
	return ok && len(c.Args) > 0 && c.Args[0].Lit() == "read"
}

// endless reports whether a loop's condition always holds.
func endless(c *syntax.WhileClause) bool {
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

// forksFreely reports whether a loop's body starts something in the background
// and nothing slows it down.
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
				return false // it waits for this one
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
