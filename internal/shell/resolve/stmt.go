package resolve

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

func (w *walker) walkStmts(list []*syntax.Stmt) {
	for _, s := range list {
		if w.overLimit && w.steps < 0 {
			return
		}
		w.walkStmt(s)
	}
}

// walkStmt walks a statement once for each value that its variables may have.
func (w *walker) walkStmt(s *syntax.Stmt) {
	if w.capture > 0 {
		// The statement that uses the output chooses one value at a time.
		w.walkStmtOnce(s)
		return
	}
	alts, choice := w.Alts, w.choice
	w.Alts, w.choice = 0, 0
	dir, also, failed := w.st.dir, w.st.altDirs, w.st.onFailure
	w.walkStmtOnce(s)
	for n := w.Alts; w.choice < min(n, expand.MaxAlts) && w.steps > 0; {
		w.choice++
		after := w.st
		w.st.dir, w.st.altDirs, w.st.onFailure = dir, also, failed
		w.walkStmtOnce(s)
		w.st.mergeLocations(&after)
	}
	w.Alts, w.choice = alts, choice
}

// walkStmtOnce walks a statement with the currently chosen values of variables.
func (w *walker) walkStmtOnce(s *syntax.Stmt) {
	if !w.spendStep() {
		return
	}
	w.addFailureLocations()
	if w.source.file != nil {
		w.setSourceLine(s.Pos().Line())
	}
	mark, pipes := len(w.readers), len(w.pipes)
	if s.Negated {
		w.withErrexitOff(func() { w.walkJob(s) })
	} else {
		w.walkJob(s)
	}
	if len(w.readers) > mark {
		w.walkPipeReaders(mark)
	}
	if n := max(pipes, w.keptPipes); n < len(w.pipes) {
		w.pipes = w.pipes[:n] // the others end with the command that reads them
	}
}

// walkJob walks a statement. If it runs in the background, its changes to the shell's state are
// undone.
func (w *walker) walkJob(s *syntax.Stmt) {
	if !s.Background && !s.Coprocess && !s.Disown {
		w.walkCommand(s)
		return
	}
	was, sink, piped := w.saveState(), w.stdout, w.piped
	mark := len(w.exitActions)
	w.forks++
	w.walkCommand(s)
	w.walkExitActions(mark)
	w.forks--
	w.st, w.stdout, w.piped = was, sink, piped
}

// walkCommand walks the command of a statement with its redirections.
func (w *walker) walkCommand(s *syntax.Stmt) {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		w.walkSimple(c, s.Redirs)
		return
	case nil:
		w.walkBareRedirects(s.Redirs)
		return
	case *syntax.FuncDecl:
		if c.RsrvWord {
			w.recordKeyword("function")
		}
		w.walkFuncDecl(c)
		return
	}
	if len(s.Redirs) == 0 {
		w.walkCompound(s.Cmd)
		return
	}
	c := w.newCommand()
	w.walkRedirects(&c, s.Redirs)
	w.walkRedirected(&c, s.Cmd)
}

// walkRedirected walks a compound command with the redirections of c around it.
func (w *walker) walkRedirected(c *command, cmd syntax.Command) {
	w.addGroupRedirects(c)
	in, pos, sink, piped := w.in, w.inPos, w.stdout, w.piped
	w.beginStreams(c)
	mark := len(w.opens)
	for i := range c.redir {
		if r := &c.redir[i]; r.Fd > "2" && len(w.opens) < maxVars {
			w.opens = append(w.opens, *r) // read -u 3
		} else if r.Fd > "2" {
			w.reportLimit()
		}
	}
	mine := len(w.opens)
	w.walkCompound(cmd)
	w.opens = slices.Delete(w.opens, mark, mine)
	w.endStreams(c)
	w.in, w.inPos, w.stdout, w.piped = in, pos, sink, piped
}

func (w *walker) walkCompound(cmd syntax.Command) {
	switch c := cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			w.walkPipeline(c)
		} else {
			w.walkAndOr(c)
		}
	case *syntax.Subshell:
		was, sink, piped := w.saveState(), w.stdout, w.piped
		mark := len(w.exitActions)
		w.walkStmts(c.Stmts)
		w.walkExitActions(mark)
		w.st, w.stdout, w.piped = was, sink, piped
	case *syntax.Block:
		w.walkStmts(c.Stmts)
	case *syntax.IfClause:
		w.walkIf(c)
	case *syntax.WhileClause:
		w.walkWhile(c)
	case *syntax.ForClause:
		if c.Select {
			w.recordKeyword("select")
		}
		w.walkFor(c)
	case *syntax.CaseClause:
		w.walkCase(c)
	case *syntax.DeclClause:
		if c.Variant != nil && !argv.IsBuiltin(c.Variant.Value) {
			w.recordKeyword(c.Variant.Value)
		}
		w.walkDeclare(c)
	case *syntax.ArithmCmd:
		w.EvalNumber(c.X)
	case *syntax.LetClause:
		w.recordKeyword("let")
		for _, x := range c.Exprs {
			w.EvalNumber(x)
		}
	case *syntax.TestClause:
		w.recordKeyword("[[")
		w.WalkTest(c.X, 0)
	case *syntax.TimeClause:
		w.recordKeyword("time")
		if c.Stmt != nil && !w.resolveTimeProgram(c.Stmt) {
			w.walkStmt(c.Stmt)
		}
	case *syntax.CoprocClause:
		w.recordKeyword("coproc")
		w.walkCoproc(c)
	case *syntax.TestDecl:
		w.walkStmt(c.Body)
	}
}

// walkAndOr walks a chain such as a && b || c. A command after && sees the changes of those before it;
// what follows the chain must assume that each may or may not have run.
func (w *walker) walkAndOr(c *syntax.BinaryCmd) {
	var room [8]*syntax.BinaryCmd
	links := append(room[:0], c)
	for {
		x := links[len(links)-1].X
		next, ok := x.Cmd.(*syntax.BinaryCmd)
		if !ok || !isPlainStmt(x) || next.Op != syntax.AndStmt && next.Op != syntax.OrStmt {
			break
		}
		links = append(links, next)
	}
	start := w.writeCount
	last, since := links[len(links)-1].X, start
	w.withErrexitOff(func() { w.walkStmt(last) })
	before := w.saveState()
	at := w.lastOutcome(last)
	w.conds++
	for i := len(links) - 1; i >= 0; i-- {
		or := links[i].Op == syntax.OrStmt
		if or {
			w.mergeBefore(&before)
			before = w.saveState()
			w.unconfirmWrites(start)
		} else if w.writeCount > since && isSingleCommand(last) {
			w.confirmWrites(since)
		}
		last, since = links[i].Y, w.writeCount
		w.absent = absence{}
		if i == len(links)-1 && isSingleCommand(last) {
			w.absent = w.absenceAfter(links[i].X, !or)
		}
		if i == 0 {
			at = w.walkAndOrNext(at, last, or)
		} else {
			w.withErrexitOff(func() { at = w.walkAndOrNext(at, last, or) })
		}
	}
	w.absent = absence{}
	if w.writeCount > start {
		w.unconfirmWrites(start)
	}
	w.conds--
	w.mergeBefore(&before)
	w.continueAfter(at)
}

// walkAndOrNext walks s, the next statement of a chain, in the locations in which it runs. at is the
// outcome of the chain before s; the result is that of the chain up to and including s.
func (w *walker) walkAndOrNext(at outcome, s *syntax.Stmt, or bool) outcome {
	if or {
		w.st.setLocations(at.failure)
	} else {
		w.st.setLocations(at.success)
	}
	gone := w.st.ended
	w.walkStmt(s)
	next := outcome{}
	if !gone {
		next = w.lastOutcome(s)
	}
	if or {
		return outcome{success: unionLocations(at.success, next.success), failure: next.failure}
	}
	no := slices.Clone(at.failure)
	for i := range no {
		no[i].pastErrexit = true
	}
	return outcome{success: next.success, failure: unionLocations(no, next.failure)}
}

// isSingleCommand reports whether s is a single command, whose exit status shows whether it succeeded.
func isSingleCommand(s *syntax.Stmt) bool {
	_, ok := s.Cmd.(*syntax.CallExpr)
	return ok && !s.Negated && !s.Background && !s.Coprocess && !s.Disown
}

// isPlainStmt reports whether s has no redirections and runs in the foreground.
func isPlainStmt(s *syntax.Stmt) bool {
	return len(s.Redirs) == 0 && !s.Background && !s.Coprocess && !s.Disown
}

// walkPipeline walks a | b | c. Each part runs in a subshell and reads the output of the one before
// it.
func (w *walker) walkPipeline(c *syntax.BinaryCmd) {
	var room [8]*syntax.Stmt
	parts := append(room[:0], c.Y)
	first := c.X
	for {
		next, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || !isPlainStmt(first) || next.Op != syntax.Pipe && next.Op != syntax.PipeAll {
			break
		}
		parts = append(parts, next.Y)
		first = next.X
	}
	in, pos, out, piped := w.in, w.inPos, w.stdout, w.piped
	w.forks++
	stmt := first
	mark := len(w.exitActions)
	for i := len(parts) - 1; i >= -1; i-- {
		was := w.saveState()
		if i >= 0 {
			s := &outputBuffer{}
			w.stdout, w.piped = s, true
			w.walkStmtOnce(stmt)
			w.walkExitActions(mark)
			w.in, w.inPos = s.toFlow(w.in), 0
			stmt = parts[i]
		} else {
			w.stdout, w.piped = out, piped
			w.walkStmtOnce(stmt)
			w.walkExitActions(mark)
		}
		w.st = was
		if w.steps < 0 {
			break
		}
	}
	w.forks--
	w.in, w.inPos, w.stdout, w.piped = in, pos, out, piped
}

// walkFuncDecl defines a function. It walks the body of a function that the shell calls by itself, and
// of one without a name.
func (w *walker) walkFuncDecl(c *syntax.FuncDecl) {
	if c.Name != nil {
		w.defineFunction(c.Name.Value, c.Body)
		if isShellHook(c.Name.Value) {
			cmd := w.newCommand()
			cmd.words = []shell.Word{{Text: c.Name.Value}, {Text: placeholder}}
			w.callFunction(w.st.lookupFunction(c.Name.Value), &cmd)
		}
	}
	for _, n := range c.Names {
		w.defineFunction(n.Value, c.Body)
	}
	if c.Name == nil && len(c.Names) == 0 {
		w.walkStmt(c.Body) // zsh runs an anonymous function immediately
	}
}

// walkSimple walks a simple command, which consists of assignments, words and redirections.
func (w *walker) walkSimple(c *syntax.CallExpr, redirs []*syntax.Redirect) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			w.walkAssign(a)
		}
		if len(redirs) > 0 {
			w.walkBareRedirects(redirs)
		}
		return
	}
	cmd := w.newCommand()
	cmd.words = w.ExpandWords(make([]shell.Word, 0, len(c.Args)), c.Args)
	if len(redirs) > 0 {
		w.walkRedirects(&cmd, redirs)
	}
	if len(cmd.words) == 0 {
		for _, a := range c.Assigns {
			w.walkAssign(a)
		}
		w.addBareRedirects(&cmd)
		return
	}
	last := &cmd.words[len(cmd.words)-1]
	if len(c.Assigns) > 0 {
		w.resolveWithEnv(cmd, c.Assigns)
	} else {
		w.resolveCommand(cmd)
	}
	w.st.Last = last
}

// resolveWithEnv resolves cmd with the variables of assigns, which no later command gets.
func (w *walker) resolveWithEnv(cmd command, assigns []*syntax.Assign) {
	hidden := make([]expand.Variable, 0, len(assigns))
	for _, a := range assigns {
		if a.Name == nil {
			continue
		}
		hidden = append(hidden, w.variableCopy(a.Name.Value))
		w.walkAssign(a)
		if v := w.st.lookupVariable(a.Name.Value); v != nil {
			cmd.env = append(cmd.env, shell.Variable{Name: v.Name, Value: v.Word})
			w.walkExportedFunction(v.Name, v.Word.Text)
		}
	}
	w.resolveCommand(cmd)
	w.restoreVariables(hidden)
}

// walkBareRedirects walks redirections without a program, such as > file.
func (w *walker) walkBareRedirects(redirs []*syntax.Redirect) {
	c := w.newCommand()
	w.walkRedirects(&c, redirs)
	if w.capture > 0 && c.redirectsInput() {
		c.words = []shell.Word{{Text: "cat"}} // $(< file)
		w.emitCall(&c)
		return
	}
	w.addBareRedirects(&c)
}

// captureOutput walks stmts and returns what they print, without trailing newlines.
func (w *walker) captureOutput(stmts []*syntax.Stmt) shell.Word {
	if w.capture+w.depth >= maxDepth*2 {
		w.reportLimit()
		return shell.Word{Text: placeholder}
	}
	out, piped, was := w.stdout, w.piped, w.saveState()
	s := outputBuffer{}
	w.stdout, w.piped = &s, true
	mark := len(w.exitActions)
	w.capture++
	w.walkStmts(stmts)
	w.walkExitActions(mark)
	w.capture--
	w.stdout, w.piped, w.st = out, piped, was
	flow := s.toFlow(nil)
	// Input that flowed through a pipe inside is a source of the output.
	for _, c := range s.from {
		if c.In != nil {
			flow.From = expand.AddSources(flow.From, c.In.From)
		}
	}
	text := string(s.text)
	return shell.Word{Text: strings.TrimRight(text, "\n"), From: flow.From}
}
