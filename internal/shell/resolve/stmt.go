package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		if w.spent && w.steps < 0 {
			return
		}
		w.stmt(s)
	}
}

// stmt walks a statement once for every value that its variables may have.
func (w *walker) stmt(s *syntax.Stmt) {
	if w.capture > 0 {
		// Whoever wants the output asks for one value at a time.
		w.once(s)
		return
	}
	alts, choice := w.Alts, w.choice
	w.Alts, w.choice = 0, 0
	dir, also, failed := w.st.dir, w.st.also, w.st.failed
	w.once(s)
	for n := w.Alts; w.choice < min(n, expand.MaxAlts) && w.steps > 0; {
		w.choice++
		after := w.st
		w.st.dir, w.st.also, w.st.failed = dir, also, failed
		w.once(s)
		w.st.joinWorlds(&after)
	}
	w.Alts, w.choice = alts, choice
}

func (w *walker) once(s *syntax.Stmt) {
	if !w.step() {
		return
	}
	w.commit()
	if w.said.at != nil {
		w.onLine(s.Pos().Line())
	}
	mark, pipes := len(w.later), len(w.pipes)
	if s.Negated {
		w.unguarded(func() { w.foreground(s) })
	} else {
		w.foreground(s)
	}
	if len(w.later) > mark {
		w.runLater(mark)
	}
	if n := max(pipes, w.kept); n < len(w.pipes) {
		w.pipes = w.pipes[:n] // they end with the command that reads them
	}
}

func (w *walker) foreground(s *syntax.Stmt) {
	if !s.Background && !s.Coprocess && !s.Disown {
		w.command(s)
		return
	}
	was, sink, piped := w.save(), w.sink, w.piped
	mark := len(w.endings)
	w.forks++
	w.command(s)
	w.finish(mark)
	w.forks--
	w.st, w.sink, w.piped = was, sink, piped
}

func (w *walker) command(s *syntax.Stmt) {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		w.simple(c, s.Redirs)
		return
	case nil:
		w.bare(s.Redirs)
		return
	case *syntax.FuncDecl:
		if c.RsrvWord {
			w.keyword("function")
		}
		w.function(c)
		return
	}
	if len(s.Redirs) == 0 {
		w.compound(s.Cmd)
		return
	}
	c := w.newCommand()
	w.redirects(&c, s.Redirs)
	w.within(&c, s.Cmd)
}

// within walks a compound command with the redirections of c around it.
func (w *walker) within(c *command, cmd syntax.Command) {
	w.group(c)
	in, pos, sink, piped := w.in, w.inPos, w.sink, w.piped
	w.around(c)
	mark := len(w.opens)
	for i := range c.redir {
		if r := &c.redir[i]; r.Fd > "2" && len(w.opens) < maxVars {
			w.opens = append(w.opens, *r) // read -u 3
		} else if r.Fd > "2" {
			w.tooMuch()
		}
	}
	mine := len(w.opens)
	w.compound(cmd)
	w.opens = slices.Delete(w.opens, mark, mine)
	w.written(c)
	w.in, w.inPos, w.sink, w.piped = in, pos, sink, piped
}

func (w *walker) compound(cmd syntax.Command) {
	switch c := cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			w.pipeline(c)
		} else {
			w.chain(c)
		}
	case *syntax.Subshell:
		was, sink, piped := w.save(), w.sink, w.piped
		mark := len(w.endings)
		w.stmts(c.Stmts)
		w.finish(mark)
		w.st, w.sink, w.piped = was, sink, piped
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.IfClause:
		w.ifClause(c)
	case *syntax.WhileClause:
		w.whileClause(c)
	case *syntax.ForClause:
		if c.Select {
			w.keyword("select")
		}
		w.forClause(c)
	case *syntax.CaseClause:
		w.caseClause(c)
	case *syntax.DeclClause:
		if c.Variant != nil && !argv.IsBuiltin(c.Variant.Value) {
			w.keyword(c.Variant.Value)
		}
		w.declare(c)
	case *syntax.ArithmCmd:
		w.Number(c.X)
	case *syntax.LetClause:
		w.keyword("let")
		for _, x := range c.Exprs {
			w.Number(x)
		}
	case *syntax.TestClause:
		w.keyword("[[")
		w.Test(c.X, 0)
	case *syntax.TimeClause:
		w.keyword("time")
		if c.Stmt != nil && !w.timeProgram(c.Stmt) {
			w.stmt(c.Stmt)
		}
	case *syntax.CoprocClause:
		w.keyword("coproc")
		w.coprocess(c)
	case *syntax.TestDecl:
		w.stmt(c.Body)
	}
}

// chain walks a && b || c. What && guards sees what came before it; behind the
// chain it may or may not have run.
func (w *walker) chain(c *syntax.BinaryCmd) {
	var room [8]*syntax.BinaryCmd
	links := append(room[:0], c)
	for {
		x := links[len(links)-1].X
		next, ok := x.Cmd.(*syntax.BinaryCmd)
		if !ok || !plain(x) || next.Op != syntax.AndStmt && next.Op != syntax.OrStmt {
			break
		}
		links = append(links, next)
	}
	start := w.writes
	last, since := links[len(links)-1].X, start
	w.unguarded(func() { w.stmt(last) })
	before := w.save()
	at := w.outcome(last)
	w.conds++
	for i := len(links) - 1; i >= 0; i-- {
		or := links[i].Op == syntax.OrStmt
		if or {
			w.settle(&before)
			before = w.save()
			w.doubt(start)
		} else if w.writes > since && isSimple(last) {
			w.confirm(since)
		}
		last, since = links[i].Y, w.writes
		if i == 0 {
			at = w.link(at, last, or)
		} else {
			w.unguarded(func() { at = w.link(at, last, or) })
		}
	}
	if w.writes > start {
		w.doubt(start)
	}
	w.conds--
	w.settle(&before)
	w.resume(at)
}

// link walks the next statement of a chain in the worlds in which it runs.
func (w *walker) link(at outcome, s *syntax.Stmt, or bool) outcome {
	if or {
		w.st.take(at.no)
	} else {
		w.st.take(at.ok)
	}
	gone := w.st.ended
	w.stmt(s)
	next := outcome{}
	if !gone {
		next = w.outcome(s)
	}
	if or {
		return outcome{ok: unite(at.ok, next.ok), no: next.no}
	}
	no := slices.Clone(at.no)
	for i := range no {
		no[i].soft = true
	}
	return outcome{ok: next.ok, no: unite(no, next.no)}
}

// isSimple reports whether a statement is one command, which fails when it does
// not do what it is to do.
func isSimple(s *syntax.Stmt) bool {
	_, ok := s.Cmd.(*syntax.CallExpr)
	return ok && !s.Negated && !s.Background && !s.Coprocess && !s.Disown
}

func plain(s *syntax.Stmt) bool {
	return len(s.Redirs) == 0 && !s.Background && !s.Coprocess && !s.Disown
}

// pipeline walks a | b | c: each part in a shell of its own, fed by the one
// before it.
func (w *walker) pipeline(c *syntax.BinaryCmd) {
	var room [8]*syntax.Stmt
	parts := append(room[:0], c.Y)
	first := c.X
	for {
		next, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || !plain(first) || next.Op != syntax.Pipe && next.Op != syntax.PipeAll {
			break
		}
		parts = append(parts, next.Y)
		first = next.X
	}
	in, pos, out, piped := w.in, w.inPos, w.sink, w.piped
	w.forks++
	stmt := first
	mark := len(w.endings)
	for i := len(parts) - 1; i >= -1; i-- {
		was := w.save()
		if i >= 0 {
			s := &sink{}
			w.sink, w.piped = s, true
			w.once(stmt)
			w.finish(mark)
			w.in, w.inPos = s.flow(w.in), 0
			stmt = parts[i]
		} else {
			w.sink, w.piped = out, piped
			w.once(stmt)
			w.finish(mark)
		}
		w.st = was
		if w.steps < 0 {
			break
		}
	}
	w.forks--
	w.in, w.inPos, w.sink, w.piped = in, pos, out, piped
}

func (w *walker) function(c *syntax.FuncDecl) {
	if c.Name != nil {
		w.define(c.Name.Value, c.Body)
		if runsByItself(c.Name.Value) {
			cmd := w.newCommand()
			cmd.words = []shell.Word{{Text: c.Name.Value}, {Text: hole}}
			w.call(w.st.function(c.Name.Value), &cmd)
		}
	}
	for _, n := range c.Names {
		w.define(n.Value, c.Body)
	}
	if c.Name == nil && len(c.Names) == 0 {
		w.stmt(c.Body) // zsh runs a function without a name at once
	}
}

// simple walks a command of words.
func (w *walker) simple(c *syntax.CallExpr, redirs []*syntax.Redirect) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			w.assign(a)
		}
		if len(redirs) > 0 {
			w.bare(redirs)
		}
		return
	}
	cmd := w.newCommand()
	cmd.words = w.Words(make([]shell.Word, 0, len(c.Args)), c.Args)
	if len(redirs) > 0 {
		w.redirects(&cmd, redirs)
	}
	if len(cmd.words) == 0 {
		for _, a := range c.Assigns {
			w.assign(a)
		}
		w.noProgram(&cmd)
		return
	}
	last := &cmd.words[len(cmd.words)-1]
	if len(c.Assigns) > 0 {
		w.withEnv(cmd, c.Assigns)
	} else {
		w.run(cmd)
	}
	w.st.Last = last
}

// withEnv runs a command with variables that only it sees.
func (w *walker) withEnv(cmd command, assigns []*syntax.Assign) {
	hidden := make([]expand.Variable, 0, len(assigns))
	for _, a := range assigns {
		if a.Name == nil {
			continue
		}
		hidden = append(hidden, w.hide(a.Name.Value))
		w.assign(a)
		if v := w.st.find(a.Name.Value); v != nil {
			cmd.env = append(cmd.env, shell.Variable{Name: v.Name, Value: v.Word})
			w.exported(v.Name, v.Word.Text)
		}
	}
	w.run(cmd)
	w.unhide(hidden)
}

// bare walks redirections without a program: > file.
func (w *walker) bare(redirs []*syntax.Redirect) {
	c := w.newCommand()
	w.redirects(&c, redirs)
	if w.capture > 0 && c.hasInput() {
		c.words = []shell.Word{{Text: "cat"}} // $(< file)
		w.emit(&c)
		return
	}
	w.noProgram(&c)
}

// output walks statements and returns what they print, without the line breaks
// at its end.
func (w *walker) output(stmts []*syntax.Stmt) shell.Word {
	if w.capture+w.depth >= maxDepth*2 {
		w.tooMuch()
		return shell.Word{Text: hole}
	}
	out, piped, was := w.sink, w.piped, w.save()
	s := sink{}
	w.sink, w.piped = &s, true
	mark := len(w.endings)
	w.capture++
	w.stmts(stmts)
	w.finish(mark)
	w.capture--
	w.sink, w.piped, w.st = out, piped, was
	flow := s.flow(nil)
	// What flowed through a pipe within is part of the output.
	for _, c := range s.from {
		if c.In != nil {
			flow.From = expand.AddFrom(flow.From, c.In.From)
		}
	}
	text := string(s.text)
	return shell.Word{Text: strings.TrimRight(text, "\n"), From: flow.From}
}
