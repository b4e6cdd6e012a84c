package files

import (
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// writeVerdicts lists the verdicts on writing a program's output to a file.
var writeVerdicts = [...]verdict{
	inNowhere: unknownImpact, inRoot: high, inSystem: high, inDevice: unknownMedium, inHome: unknownMedium, inHomeDots: unknownMedium, inHomeOther: unknownMedium,
	inProjectRoot: safe, inHistory: high, inProject: safe, inGenerated: safe, inTemp: safe, inTempRoot: safe,
	inParent: unknownMedium, inOutside: unknownMedium, inSink: safe,
}

// truncateVerdicts lists the verdicts on truncating a file.
var truncateVerdicts = [...]verdict{
	inNowhere: unknownImpact, inRoot: high, inSystem: high, inDevice: unknownMedium, inHome: high, inHomeDots: high, inHomeOther: high,
	inProjectRoot: medium, inHistory: high, inProject: medium, inGenerated: safe, inTemp: safe, inTempRoot: medium,
	inParent: high, inOutside: high, inSink: safe,
}

// appendVerdicts lists the verdicts on appending to a file.
var appendVerdicts = [...]verdict{
	inNowhere: unknownImpact, inRoot: high, inSystem: medium, inDevice: unknownMedium, inHome: unknownMedium, inHomeDots: unknownMedium, inHomeOther: safe,
	inProjectRoot: safe, inHistory: medium, inProject: safe, inGenerated: safe, inTemp: safe, inTempRoot: safe,
	inParent: unknownLow, inOutside: unknownLow, inSink: safe,
}

// editVerdicts lists the verdicts on editing a file in place.
var editVerdicts = [...]verdict{
	inNowhere: unknownImpact, inRoot: high, inSystem: high, inDevice: high, inHome: high, inHomeDots: medium, inHomeOther: medium,
	inProjectRoot: safe, inHistory: high, inProject: safe, inGenerated: safe, inTemp: safe, inTempRoot: medium,
	inParent: medium, inOutside: medium, inSink: safe,
}

// lookupVerdict returns the verdict of table, one of the tables above, on s, and the act to report,
// which is usually a. It handles devices, protected files and installed software.
func (j *job) lookupVerdict(table *[16]verdict, a *act, s location) (*act, verdict) {
	j.setGlobLink(&s)
	if s.linkTarget != nil {
		s = *s.linkTarget
		s.isFile = true
	}
	if s.origin != nil && table != &writeVerdicts && table != &appendVerdicts {
		s.zone, s.kind = s.origin.zone, s.origin.kind
	}
	v := table[s.zone]
	switch {
	case s.zone == inDevice && mayBeStorageDevice(s.path):
		return &rawWrites, high
	case table == &appendVerdicts && s.kind == kindKeys && strings.HasSuffix(s.path, "/known_hosts"):
		return a, safe // ssh appends the key of each new host
	case s.kind != "":
		return a, protectedVerdict(s)
	case s.createdHere && s.allowsOwnFiles():
		return a, safe
	case table == &truncateVerdicts && s.zone == inProject && !s.fromSearch && isLog(s.path):
		return a, safe
	case table == &writeVerdicts && s.isFile && v == unknownMedium, table == &writeVerdicts && j.isUntrackedSettings(&s):
		return &overwrite, medium
	case s.zone == inSystem && s.installed && table != &truncateVerdicts:
		v = unknownMedium
	case s.zone == inNowhere && s.hasUnknown && s.isGeneratedName:
		v = unknownLow
	case s.isListedOutside:
		v = unbounded
	}
	return a, v
}

// isUntrackedSettings reports whether s is an existing settings file of the project, such as .env,
// that is usually not in version control, so that there is no other copy.
func (j *job) isUntrackedSettings(s *location) bool {
	if s.zone != inProject && s.zone != inProjectRoot || s.createdHere || s.hasUnknown || isGlob(s.path) || !j.isExistingFile(s) {
		return false
	}
	return isSettingsFile(s.path) || j.base.real != nil && isSettingsFile(j.base.real(j.diskPath(s)+"/."))
}

// isSettingsFile reports whether p has a name for settings or state of a single machine.
func isSettingsFile(p string) bool {
	p = strings.TrimSuffix(p, "/.")
	name := p[strings.LastIndexByte(p, '/')+1:]
	if strings.HasSuffix(name, ".tfstate") {
		return true
	}
	rest, ok := strings.CutPrefix(name, ".env")
	return ok && (rest == "" || rest == ".local" || rest == ".production" || rest == ".prod")
}

// isExistingFile reports whether a file is known to exist at s.
func (j *job) isExistingFile(s *location) bool {
	return j.p != nil && j.p.Kind != nil && !j.base.remote && strings.HasPrefix(j.diskPath(s), "/") && j.p.Kind(j.diskPath(s)) == shell.PathFile
}

// isProjectSource reports whether s is an existing source file of the project. Such a file is never
// meant to be the output of a program.
func (j *job) isProjectSource(s *location) bool {
	if s.zone != inProject || s.createdHere || s.hasUnknown || isGlob(s.path) || !isSourceName(s.path) || !j.isExistingFile(s) {
		return false
	}
	end := j.diskPath(s)
	return j.base.real == nil || strings.TrimSuffix(j.base.real(end+"/."), "/.") == end // not a symlink
}

// isSourceName reports whether p has a name for source code or settings.
func isSourceName(p string) bool {
	name := p[strings.LastIndexByte(p, '/')+1:]
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "go", "py", "js", "mjs", "cjs", "ts", "jsx", "tsx", "vue", "svelte", "rb", "rs", "c", "h", "cc", "cxx", "cpp", "hpp", "java", "kt", "scala", "swift", "php", "pl", "pm", "lua", "sh", "sql", "cs", "ex", "exs", "hs", "ml", "zig", "tf":
		return true
	}
	return name == "Makefile" || name == "Dockerfile" || isSettingsFile(p)
}

// protectedVerdict returns the verdict on writing to s, which is protected.
func protectedVerdict(s location) verdict {
	switch s.kind {
	case kindShell, kindHistory, kindGitHooks, kindCloud:
		if s.zone == inSystem {
			return high
		}
		return medium
	case kindHost, kindCheckrein:
		if s.zone == inProject {
			return medium
		}
	}
	return high
}

// addWrite adds the effect of writing a program's output to s.
func (j *job) addWrite(s location) {
	a, v := j.lookupVerdict(&writeVerdicts, &writes, s)
	if s.kind == kindHost && s.zone == inProject {
		v = low // self-protection judges the text that is written
	}
	j.addEffect(a, s, v)
}

// addTruncate adds the effect of truncating s.
func (j *job) addTruncate(s location) {
	a, v := j.lookupVerdict(&truncateVerdicts, &empties, s)
	j.addEffect(a, s, v)
}

// addAppend adds the effect of appending to s.
func (j *job) addAppend(s location) {
	a, v := j.lookupVerdict(&appendVerdicts, &appends, s)
	j.addEffect(a, s, v)
}

// addEdit adds the effect of editing s in place.
func (j *job) addEdit(s location) {
	a, v := j.lookupVerdict(&editVerdicts, &edits, s)
	j.addEffect(a, s, v)
}

// judgeTee judges tee, which writes its input to files.
func (j *job) judgeTee() {
	var o program.Walk
	o.Start(j.c)
	add := false
	for o.Next() {
		add = add || o.Name == "a" || o.Name == "append"
	}
	nothing, files := j.hasEmptyInput(), 0
	o.Start(j.c)
	for o.Next() {
		if o.Name != "" || o.Arg.Text == "" || o.Arg.Text == "-" {
			continue
		}
		files++
		for _, s := range j.writeTargets(o.Arg) {
			switch {
			case add:
				j.addAppend(s)
			case nothing, program.FilesOf(j.c.Name) == program.FilesTee && files <= maxPaths && j.readsTarget(o.Arg.Text):
				j.addTruncate(s)
			default:
				j.addWrite(s)
			}
		}
	}
	if j.out == nil {
		j.addSafe(shell.IO, "tee", "copies its input to its output")
	}
}

// hasEmptyInput reports whether standard input is known to be empty.
func (j *job) hasEmptyInput() bool {
	if in := j.c.In; in != nil {
		return in.Complete && strings.TrimSpace(in.Text) == "" || len(in.From) > 0 && printsNothing(in.From[0])
	}
	for i := range j.c.Redir {
		r := &j.c.Redir[i]
		if r.Op == "<" && r.Target.Text == "/dev/null" || r.Op == "<<<" && strings.TrimSpace(r.Target.Text) == "" {
			return true
		}
	}
	return false
}

// printsNothing reports whether c is known to print nothing, or only a newline.
func printsNothing(c *shell.Call) bool {
	switch kind := program.OutputOf(c.Name); {
	case c.Name == "":
		return c.Path == "" && len(c.Args) == 0
	case program.FilesOf(c.Name) == program.FilesNothing:
		// The call of a group or loop with a redirection stands for the commands in it.
		return c.Path == "" || path.Base(c.Path) == c.Name
	case kind == program.OutputPrints:
		return !slices.ContainsFunc(c.Args, func(w shell.Word) bool { return !printsBlank(w.Text) })
	case kind == program.OutputReads && len(c.Args) > 0:
		return hasAnyOption(c.Args, "-c0") || !slices.ContainsFunc(c.Args, func(w shell.Word) bool { return w.Text != "/dev/null" })
	case kind == program.OutputReads:
		return slices.ContainsFunc(c.Redir, func(r shell.Redirect) bool { return r.Op == "<" && r.Target.Text == "/dev/null" })
	}
	return false
}

// printsBlank reports whether echo or printf with the argument text prints at most a newline.
func printsBlank(text string) bool {
	switch strings.TrimSpace(text) {
	case "", "-n", "-e", "-en", "-ne", "%s", `\n`, `%s\n`, "%b":
		return true
	}
	return false
}

// judgeTruncate judges truncate, which sets the size of files.
func (j *job) judgeTruncate() {
	var o program.Walk
	o.Start(j.c)
	size, ref, nothing := "", false, false
	for o.Next() {
		switch o.Name {
		case "s", "size":
			size = strings.TrimSpace(o.Arg.Text)
		case "r", "reference":
			ref, nothing = true, o.Arg.Text == "/dev/null"
		}
	}
	grows := size != "" && (size[0] == '+' || size[0] == '>' || size[0] == '%')
	shrinks := size != "" && (size[0] == '-' || size[0] == '<' || size[0] == '/' || strings.Trim(size, "0KMGTPEBkib") == "")
	o.Start(j.c)
	for o.Next() {
		if o.Name != "" || o.Arg.Text == "" {
			continue
		}
		for _, s := range j.writeTargets(o.Arg) {
			a, v := j.lookupVerdict(&truncateVerdicts, &empties, s)
			switch {
			case nothing:
			case grows && v == medium, !shrinks && v == medium && size != "" && isScratchFile(s.path):
				v = safe
			case strings.Trim(size, "0123456789") == "" && size != "" && !isScratchFile(s.path):
			case !shrinks && v == medium && (size != "" || ref):
				v = unknownLow // usually a way to create a file of a given size
			}
			j.addEffect(a, s, v)
		}
	}
	if j.out == nil {
		j.addPathless(unknownLow, "overwrite", shell.FSOverwrite, "truncate-nothing", "empties files without naming any")
	}
}

// judgeFallocate judges fallocate, which extends files or deallocates parts of them.
func (j *job) judgeFallocate() {
	var o program.Walk
	o.Start(j.c)
	holes := false
	for o.Next() {
		switch o.Name {
		case "p", "punch-hole", "c", "collapse-range", "z", "zero-range":
			holes = true
		case "":
			if o.Arg.Text == "" {
				continue
			}
			if s := j.locateWord(o.Arg); holes {
				j.addTruncate(s)
			} else {
				j.addAppend(s)
			}
		}
	}
	if j.out == nil {
		j.addSafe(shell.FSWrite, "create", "creates a file")
	}
}

// judgeDd judges dd, which copies raw bytes.
func (j *job) judgeDd() {
	var in, out shell.Word
	keeps := false
	for i := range j.c.Args {
		w := j.c.Args[i]
		name, val, _ := strings.Cut(w.Text, "=")
		switch name {
		case "if":
			in = w
			in.Text = val
		case "of":
			out = w
			out.Text = val
		case "conv", "oflag":
			keeps = keeps || strings.Contains(val, "append") || strings.Contains(val, "excl")
		}
	}
	if out.Text == "" {
		if in.Text != "" {
			if s := j.locateWord(in); s.zone == inDevice && mayBeStorageDevice(s.path) {
				j.addEffect(&reads, s, unknownMedium)
				return
			}
		}
		j.addSafe(shell.IO, "dd", "copies data to its output")
		return
	}
	s := j.locateWord(out)
	blank := in.Text == "/dev/null" || facts.IsEndlessDevice(in.Text)
	switch {
	case keeps:
		j.addAppend(s)
	case blank:
		a, v := j.lookupVerdict(&truncateVerdicts, &overwrite, s)
		switch {
		case s.zone == inNowhere && v != safe:
			v = unbounded
		case v == medium && s.zone == inProject && s.kind == "" && isScratchFile(s.path):
			v = safe // a way to create a file of a given size
		}
		j.addEffect(a, s, v)
	case s.zone == inNowhere:
		j.addEffect(&overwrite, s, unbounded)
	default:
		j.addWrite(s)
	}
}

// judgeCreate judges touch, mkdir and mktemp, which lose nothing wherever they create files.
func (j *job) judgeCreate() {
	var o program.Walk
	o.Start(j.c)
	for o.Next() {
		if o.Name == "" && o.Arg.Text != "" {
			s := j.locateWord(o.Arg)
			v := safe
			if s.zone == inDevice || s.zone == inNowhere && !s.hasUnknown {
				v = unknownLow
			}
			j.addEffect(&creates, s, v)
		}
	}
	if j.out == nil {
		j.addSafe(shell.FSWrite, "create", "creates files or directories")
	}
}

// judgeSplit judges split, which writes pieces of a file or passes them to a program. judgeOutputs
// judges the files that it writes.
func (j *job) judgeSplit() {
	var o program.Walk
	o.Start(j.c)
	for o.Next() {
		if o.Name == "filter" {
			j.addRun("split-filter", "passes pieces of a file to a program")
			return
		}
	}
	j.addPathless(safe, "write", shell.FSWrite, "split", "splits a file into pieces")
}

// judgeSort judges sort, which prints its result unless -o names a file.
func (j *job) judgeSort() {
	var o program.Walk
	o.Start(j.c)
	var to shell.Word
	operands, nothing := 0, false
	for o.Next() {
		switch o.Name {
		case "o", "output":
			if o.Arg.Text != "" {
				to = o.Arg
			}
		case "":
			operands++
			nothing = o.Arg.Text == "/dev/null"
		case "compress-program":
			j.addRun("sort-program", "runs a program to compress sort's temporary files")
		}
	}
	switch {
	case to.Text == "":
	case nothing && operands == 1:
		j.addTruncate(j.locateWord(to))
	default:
		j.addEdit(j.locateWord(to))
	}
	if j.out == nil {
		j.addSafe(shell.TextRead, "sort", "sorts text")
	}
}
