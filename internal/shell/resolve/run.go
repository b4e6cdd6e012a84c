package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// resolveCommand adds the calls of c. It removes wrappers until a program is left.
func (w *walker) resolveCommand(c command) {
	before := "" // name of the wrapper removed last; env env counts as one hop
	for n := 0; ; n++ {
		if c.hops > maxHops || n > maxSame || !w.spendStep() {
			w.reportLimit()
			break
		}
		c.wrapped = c.wrapped || c.hops > 0 && !c.transparent
		c.transparent = false
		name := ""
		if len(c.words) > 0 {
			name = c.words[0].Text
		}
		if done := w.resolveNext(&c); done {
			break
		}
		if name != before || n == 0 {
			c.hops++
		}
		before = name
	}
	if len(c.savedVars) > 0 {
		w.restoreVariables(c.savedVars)
	}
}

// resolveNext removes the outermost wrapper of c, or resolves the command. It returns true if nothing
// is left to resolve, and false if c is now the nested command.
func (w *walker) resolveNext(c *command) (done bool) {
	if len(c.words) == 0 {
		w.addBareRedirects(c)
		return true
	}
	if len(w.dashed) > 0 {
		w.insertDashFiles(c)
	}
	word := c.words[0]
	if !c.skipFunctions {
		if f := w.st.lookupFunction(word.Text); f != nil {
			maybe := f.conditional
			w.callFunction(f, c)
			if !maybe {
				return true
			}
		} else if len(w.st.alias) > 0 && !word.Quoted {
			w.walkAlias(c)
		}
	}
	if w.trace != nil {
		w.recordStart(c)
	}
	name := argv.ProgramName(word.Text)
	if w.tracksFiles() && strings.Contains(word.Text, "/") {
		if done, ok := w.walkWrittenProgram(c, word.Text); ok {
			return done
		}
		w.reportUnreadable(c, word.Text)
	}
	if strings.Contains(name, placeholder) || word.Glob && expand.IsPattern(name) || name == "" {
		return w.resolveUnknownProgram(c, name)
	}
	if word.Text[0] == '!' && !word.Quoted {
		w.reportOpaque(displayWords(c.words), "runs an earlier command again")
		w.addGap(displayWords(c.words), "runs an earlier command again")
	}
	if done, ok := w.walkBuiltin(c, name); ok {
		return done
	}
	if len(w.files) > 0 && !strings.Contains(word.Text, "/") {
		if done, ok := w.walkWrittenProgram(c, word.Text); ok {
			return done
		}
	}
	if len(w.st.vars) > 0 {
		w.reportUntrustedPATH(c)
	}
	nested := wrappers{options{w}}
	nested.reportHijacks(c, name)
	if len(w.fetchedDirs) > 0 && strings.Contains(word.Text, "/") {
		w.reportFetchedProgram(c, word.Text)
	}
	if w.compiledSource != "" && strings.Contains(word.Text, "/") {
		projects{options{w}}.reportBuiltProgram(c, word.Text)
	}
	tongue := facts.LanguageOf(name)
	if tongue.IsShell() {
		return w.walkShell(c, name)
	}
	if tongue.IsInterpreted() {
		w.reportDownloaded(c)
	}
	if wrap, ok := program.ReadWrapper(name, c.words[1:]); ok {
		return nested.unwrapWrapper(c, name, &wrap)
	}
	if done, ok := nested.unwrapByKind(c, name); ok {
		return done
	}
	w.emitCall(c)
	return true
}

// resolveUnknownProgram handles a command whose program has an uncertain name. Its result is that of
// resolveNext.
func (w *walker) resolveUnknownProgram(c *command, name string) bool {
	word := c.words[0]
	if danger := argv.GuessProgram(strings.ToLower(word.Text), name, word.Glob); danger != "" {
		// An unknown part is most likely empty: r${x}m.
		words := append([]shell.Word{word}, c.words[1:]...)
		words[0].Text, words[0].Glob = danger, false
		c.words, c.skipFunctions, c.guessed = words, true, true
		return false
	}
	reason := "runs a program whose name is unknown"
	if word.Glob {
		reason = "runs a program whose name is a pattern"
	}
	switch d := argv.FindDownload(word.From); {
	case slices.Contains(word.From, expand.TruncatedSource):
		w.reportLimit()
	case slices.Contains(word.From, expand.OpaqueSource):
		w.reportOpaque(displayWords(c.words), "runs a program whose name cannot be determined")
	case d != nil:
		w.reportRemoteCode(d, c.words)
	case len(word.From) > 0 && strings.Contains(name, placeholder):
		w.reportOpaque(displayWords(c.words), "runs a program whose name is the output of "+word.From[0].Name)
	default:
		w.reportUnknown(displayWords(c.words), reason)
	}
	call := w.newCall(c)
	call.Name = ""
	w.addCall(call)
	w.collectOutput(call, c)
	// An unknown part may be empty: kube${x}ctl.
	if bare := strings.ReplaceAll(word.Text, placeholder, ""); argv.ProgramName(bare) != "" && bare != word.Text && len(word.From) == 0 && !word.Glob {
		words := append([]shell.Word{word}, c.words[1:]...)
		words[0].Text = bare
		c.words, c.skipFunctions, c.redir, c.guessed = words, true, nil, true
		return false
	}
	// An unknown word may expand to nothing, or to a wrapper: $SUDO rm x.
	if !word.Quoted && word.Text == placeholder && len(word.From) == 0 && len(c.words) > 1 && !strings.HasPrefix(c.words[1].Text, "-") {
		c.words, c.skipFunctions, c.guessed = c.words[1:], true, true
		c.redir = nil
		return false
	}
	return true
}

// newCall returns a call for c as it is now. It does not add the call.
func (w *walker) newCall(c *command) *shell.Call {
	if w.toolVars {
		c.env = w.addToolVars(c.env)
	}
	if w.trackedVars {
		c.env = w.addTrackedVars(c.env)
	}
	call := &shell.Call{
		Name: argv.ProgramName(c.words[0].Text), Path: c.words[0].Text, Args: c.words[1:],
		Redir: c.redir, Env: c.env, In: c.in, Dir: c.dir, Dirs: w.alternativeDirs(&c.context), Elevated: c.elevated,
		Remote: c.remote, Moved: w.moves, Piped: w.piped && !c.redirected, Depth: w.depth - 1 + c.hops, Wrapped: c.wrapped, ChangedBy: c.changedBy,
	}
	if len(w.st.vars) > 0 && hostfiles.MayStart(call.Name) {
		call.Env = w.addHostVars(call.Env)
	}
	for i := range w.st.vars {
		if v := &w.st.vars[i]; !v.Unset && program.IsOutputVar(call.Name, v.Name) {
			call.Env = addVariable(call.Env, v)
		} else if !v.Unset && program.IsTargetVar(call, v.Name) {
			call.Env = w.addTargetVar(call.Env, c, v)
		}
	}
	if (len(w.exports) > 0 || w.exportAll) && (facts.IsInterpreter(call.Name) || program.Is(call.Name, program.IsVariableReader)) {
		call.Env = w.addMentionedVars(call)
	}
	if w.tracksFiles() {
		call.Files = w.namedFiles(call, &c.context)
	}
	if w.absent.path != "" && w.absent.depth == w.depth {
		call.Absent = w.absentNames(call, &c.context)
	}
	return call
}

// emitCall adds the call of a command that has no more wrappers, and follows its effects on files and
// on later calls. It returns the call.
func (w *walker) emitCall(c *command) *shell.Call {
	own := c.env
	call := w.newCall(c)
	w.addCall(call)
	w.collectOutput(call, c)
	w.recordFileChanges(call, c)
	w.recordDashFiles(call, c)
	projects{options{w}}.walkProjectFiles(call, c)
	w.recordDownloadDir(call, c)
	by := options{w}
	if len(call.Env) > 0 {
		by.walkVarValues(c, call, own)
	}
	by.walkImpliedRemovals(c, call)
	by.walkNestedRules(c)
	return call
}

// lowersLimits reports whether ulimit with args sets a limit that later programs may exceed.
func lowersLimits(args []shell.Word) bool {
	for i := range args {
		if t := args[i].Text; len(t) > 1 && t[0] == '-' && strings.ContainsAny(t, "tvumfds") && i+1 < len(args) && args[i+1].Text != "unlimited" {
			return true
		}
	}
	return false
}

// addWrapperCall adds a call of the wrapper that c begins with. It collects no output, because the
// output of a wrapper is that of the nested command.
func (w *walker) addWrapperCall(c *command) { w.addCall(w.newCall(c)) }

// collectOutput adds the output of call to the pipe or substitution that reads it, if there is one.
func (w *walker) collectOutput(call *shell.Call, c *command) {
	to := w.stdout
	if c.redirected {
		to = w.pipeBuffer(c.out)
	}
	if to == nil {
		return
	}
	for i := range call.Files {
		to.from = expand.AddSources(to.from, call.Files[i].From)
	}
	to.from = expand.AddSource(to.from, call)
	text, sure := w.printedText(call)
	if !w.spendBytes(len(text)) {
		text, sure = "", false
	}
	to.appendText(text, sure)
}

// inputSources returns the calls whose output flows into call.
func inputSources(call *shell.Call) []*shell.Call {
	if call.In == nil {
		return nil
	}
	return call.In.From[:len(call.In.From):len(call.In.From)]
}

// callFunction walks the body of f with the words of c as its arguments.
func (w *walker) callFunction(f *function, c *command) {
	if w.trace != nil {
		w.trace.called = append(w.trace.called, f.body)
	}
	if w.isRunaway(f, c) {
		return
	}
	if len(w.frames) >= maxDepth {
		w.reportLimit()
		return
	}
	w.addGroupRedirects(c)
	in, pos, sink, piped := w.in, w.inPos, w.stdout, w.piped
	args, given := w.st.Args, w.st.ArgsKnown
	w.beginStreams(c)
	during := w.stdout
	w.st.Args, w.st.ArgsKnown = c.words[1:], true
	w.frames = append(w.frames, frame{body: f.body, args: c.words[1:], forks: w.forks, conds: w.conds})
	w.depth++
	left := w.exits
	w.exits = nil
	w.walkStmt(f.body)
	w.mergeExits(left)
	w.depth--
	last := len(w.frames) - 1
	w.restoreVariables(w.frames[last].locals)
	w.frames = w.frames[:last]
	w.endStreams(c)
	w.st.Args, w.st.ArgsKnown = args, given
	w.in, w.inPos = in, pos
	if w.stdout == during || c.redirected { // otherwise exec changed it for all later commands
		w.stdout, w.piped = sink, piped
	}
}

// isRunaway reports whether c calls f recursively in a way that is not followed, because the recursion
// is endless or too deep. It also reports fork bombs.
func (w *walker) isRunaway(f *function, c *command) bool {
	times := 0
	for i := range w.frames {
		fr := &w.frames[i]
		if fr.body != f.body {
			continue
		}
		if times++; w.conds == fr.conds {
			if w.forks > fr.forks {
				w.reportForkBomb(f.name + "() { " + f.name + " | " + f.name + " & }")
				return true
			}
			if sameArgs(fr.args, c.words[1:]) {
				return true // it would repeat endlessly
			}
		}
	}
	if times < maxRecursion {
		return false
	}
	for _, a := range c.words[1:] {
		if a.IsKnown() && !a.Glob {
			w.reportLimit() // the next call may have words that were not walked yet
			break
		}
	}
	return true
}

// sameArgs reports whether two calls of a function have the same arguments.
func sameArgs(a, b []shell.Word) bool {
	return slices.EqualFunc(a, b, func(x, y shell.Word) bool { return x.Text == y.Text && x.Glob == y.Glob })
}

// walkAlias walks the text of the alias that c begins with, if there is one. Whether a shell expands
// aliases depends on its options, so the caller must resolve the command itself as well.
func (w *walker) walkAlias(c *command) {
	name := c.words[0].Text
	for _, a := range w.st.alias {
		if a.name != name {
			continue
		}
		for i := range w.frames {
			if w.frames[i].name == "alias "+name {
				return
			}
		}
		if len(w.frames) >= maxDepth {
			w.reportLimit()
			return
		}
		var b strings.Builder
		b.WriteString(a.text)
		more := endsWithBlank(a.text) // the shell then checks the next word for an alias too
		for _, x := range c.words[1:] {
			a.from = expand.AddSources(a.from, x.From)
			b.WriteByte(' ')
			next := -1
			if more && !x.Quoted {
				next = slices.IndexFunc(w.st.alias, func(o alias) bool { return o.name == x.Text })
			}
			if more = next >= 0 && endsWithBlank(w.st.alias[next].text); next >= 0 {
				a.from = expand.AddSources(a.from, w.st.alias[next].from)
				b.WriteString(w.st.alias[next].text)
				continue
			}
			if x.Glob {
				b.WriteString(x.Text)
			} else {
				b.WriteString(expand.Quote(x.Text))
			}
		}
		if !w.spendBytes(b.Len()) {
			return
		}
		w.frames = append(w.frames, frame{name: "alias " + name, forks: w.forks, conds: w.conds})
		w.walkWordAsCode(shell.Word{Text: b.String(), From: a.from})
		w.frames = w.frames[:len(w.frames)-1]
		return
	}
}

func endsWithBlank(s string) bool { return strings.HasSuffix(s, " ") || strings.HasSuffix(s, "\t") }
