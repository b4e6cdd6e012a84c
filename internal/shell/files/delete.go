package files

import (
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// treeDeleteVerdicts lists the verdicts on deleting a directory with everything in it.
var treeDeleteVerdicts = [...]verdict{
	inNowhere: unbounded, inRoot: high, inSystem: high, inDevice: high, inHome: high, inHomeDots: high, inHomeOther: high,
	inProjectRoot: high, inHistory: high, inProject: medium, inGenerated: safe, inTemp: safe, inTempRoot: medium,
	inParent: high, inOutside: high, inSink: high,
}

// fileDeleteVerdicts lists the verdicts on deleting a file.
var fileDeleteVerdicts = [...]verdict{
	inNowhere: unknownImpact, inRoot: high, inSystem: high, inDevice: high, inHome: high, inHomeDots: high, inHomeOther: high,
	inProjectRoot: high, inHistory: high, inProject: low, inGenerated: safe, inTemp: safe, inTempRoot: medium,
	inParent: high, inOutside: high, inSink: high,
}

// deleteVerdict returns the verdict on deleting s. tree means that a directory is deleted with
// everything in it. Files that were moved to s are judged where they came from.
func deleteVerdict(s location, tree bool) verdict {
	v := zoneDeleteVerdict(s, tree)
	if s.origin != nil {
		v = worseVerdict(v, deleteVerdict(*s.origin, true))
	}
	return v
}

// zoneDeleteVerdict is deleteVerdict without regard to where the files of s came from.
func zoneDeleteVerdict(s location, tree bool) verdict {
	v := fileDeleteVerdicts[s.zone]
	if tree {
		v = treeDeleteVerdicts[s.zone]
	}
	switch {
	case s.zone == inNowhere && s.mayBeRoot && tree:
		// If X is empty, "$X/*" is everything in the root directory.
		return high
	case s.zone == inNowhere && s.isGeneratedName:
		return unknownImpact
	case s.zone == inTempRoot && s.hasUnknown:
		return unknownMedium
	case s.zone == inGenerated && s.kind != "":
		return medium
	case s.createdHere && s.allowsOwnFiles():
		return safe
	case isKnownHosts(&s) && !tree:
		return low
	case s.zone == inHomeOther && s.kind == "" && !s.isPattern && !s.hasUnknown && strings.Contains(s.path, "/Downloads/"):
		if tree && !isDownloadName(s.path) {
			return medium
		}
		return low
	case s.zone == inProject && s.kind == "" && (!s.fromSearch || isInLogs(s.path)) && isLitter(s.path, tree),
		s.onlyOld && s.kind == "" && (s.zone == inTempRoot || s.zone == inHomeDots && strings.HasSuffix(strings.TrimSuffix(s.path, "/*"), "/.cache")):
		return safe
	case s.zone == inProject && !tree && (s.isPattern || s.kind != "" || isOnlyCopy(s.path)):
		return medium
	}
	return v
}

// isKnownHosts reports whether s is the list of known hosts of ssh, which ssh rebuilds and which
// contains no secret key.
func isKnownHosts(s *location) bool {
	return s.kind == kindKeys && !s.isPattern && !s.hasUnknown && (strings.HasSuffix(s.path, "/.ssh/known_hosts") || strings.HasSuffix(s.path, "/.ssh/known_hosts.old"))
}

// isDownloadName reports whether p has an extension that downloaded files have, and directories do
// not.
func isDownloadName(p string) bool {
	switch strings.ToLower(p[strings.LastIndexByte(p, '.')+1:]) {
	case "zip", "gz", "tgz", "bz2", "xz", "tar", "7z", "rar", "dmg", "pkg", "deb", "rpm", "iso", "exe", "msi", "pdf", "csv", "json", "jar", "whl", "apk", "appimage", "crdownload", "part":
		return true
	}
	return false
}

// allowsOwnFiles reports whether a file that the command created at s counts as its own, so that
// changing it loses nothing. Protected paths, and directories that every machine has, do not allow
// that.
func (s *location) allowsOwnFiles() bool {
	switch s.zone {
	case inProject, inGenerated, inTemp, inHomeOther, inOutside, inNowhere:
		return s.kind == ""
	}
	return false
}

// isOnlyCopy reports whether p, a file of the project, is likely to exist nowhere else, such as .env
// or a database.
func isOnlyCopy(p string) bool {
	name := p[strings.LastIndexByte(p, '/')+1:]
	if strings.HasPrefix(name, ".env") {
		return true
	}
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "db", "sqlite", "sqlite3", "sql", "pem", "key", "tfstate":
		return true
	}
	return false
}

// promptedVerdict returns the verdict on an act that would have the verdict v if the program did not
// prompt before it.
func promptedVerdict(v verdict) verdict {
	switch v {
	case high, unbounded:
		return medium
	case medium:
		return low
	}
	return v
}

// judgeRm judges rm, which deletes files, and directories with -r.
func (j *job) judgeRm() {
	var o program.Walk
	o.Start(j.c)
	var tree, asks bool
	var targets int
	// Options may follow the files, so they are read first.
	for o.Next() {
		switch o.Name {
		case "":
			targets++
		case "r", "R", "recursive", "no-preserve-root", program.UnknownOption:
			tree = true
		case "f", "force":
			asks = false
		case "i", "I":
			asks = true
		case "interactive":
			asks = !o.HasArg || o.Arg.Text != "never" && o.Arg.Text != "no" && o.Arg.Text != "none"
		}
	}
	asks = asks && j.c.In == nil && len(j.c.Redir) == 0
	if targets == 0 {
		j.addPipedTargets(&deletes)
		return
	}
	o.Start(j.c)
	for o.Next() {
		if o.Name != "" || o.Arg.Text == "" {
			continue
		}
		if spots := listedLocations(o.Arg, j); spots != nil {
			for _, s := range spots {
				j.addEffect(&deletes, s, deleteVerdict(s, true))
			}
			continue
		}
		s := j.locateWord(o.Arg)
		j.addLinkedDeletes(&s, o.Arg.Text, tree)
		v := deleteVerdict(s, tree)
		if s.createdHere && s.zone == inHistory && s.kind == "" && path.Base(s.path) == ".git" && strings.Contains(strings.TrimPrefix(path.Clean(o.Arg.Text), "/"), "/") {
			v = safe // the .git of a clone that the command created
		}
		if v == high && j.isNestedGitDir(&s) {
			v = medium
		}
		if asks {
			v = promptedVerdict(v)
		}
		if v == unknownImpact && len(o.Arg.From) > 0 && !s.isGeneratedName {
			v = unbounded // everything that a program prints is deleted
		}
		j.addEffect(&deletes, s, v)
	}
	if j.out == nil {
		j.addPathless(unknownLow, "delete", shell.FSDelete, "delete-nothing", "deletes without naming anything")
	}
}

// isNestedGitDir reports whether s is certainly the .git of a directory of the project, as that of a copied
// template, and not that of the project itself. It can be saved, as other directories can.
func (j *job) isNestedGitDir(s *location) bool {
	rel, ok := strings.CutSuffix(s.path, "/.git")
	if !ok || s.zone != inHistory || s.isPattern || s.hasUnknown || s.kind != "" || s.origin != nil || s.linkTarget != nil || j.base.remote || j.base.root == "" {
		return false
	}
	return isBelow(rel, j.base.root) && (j.base.real == nil || path.Clean(j.base.real(rel+"/.")) == rel)
}

// addPipedTargets adds the effect of the act a on the paths that standard input lists. If there is no
// input, the effect has no path.
func (j *job) addPipedTargets(a *act) {
	if j.c.In != nil {
		if spots := printedLocations(j.c.In.From, j); spots != nil {
			for _, s := range spots {
				j.addEffect(a, s, deleteVerdict(s, true))
			}
			return
		}
		j.addEffect(a, location{}, unbounded)
		return
	}
	j.addPathless(unknownLow, a.kind, a.category, a.rule+"-nothing", a.verb+" files that the command does not name")
}

// listedLocations returns the files that the calls in w.From list, if w is their output. Otherwise it
// returns nil.
func listedLocations(w shell.Word, j *job) []location {
	if len(w.From) == 0 {
		return nil
	}
	if strings.TrimSpace(w.Text) != placeholder {
		switch find := findAmong(w.From); {
		case find < 0 || !w.Glob || !isFindResult(&w, w.From[find]):
			return nil // xargs -I or an action of find may have put other text around the name
		case !keepNames(w.From[:find]):
			return []location{{path: placeholder, hasUnknown: true, isPattern: true}}
		}
	}
	// Cache the result, since one find may have printed a thousand words.
	if !slices.Equal(w.From, j.lists.from) {
		j.lists.from, j.lists.spots = w.From, printedLocations(w.From, j)
	}
	return j.lists.spots
}

// findAmong returns the index of a call of find or fd among calls, or -1 if there is none. A pattern in a
// word from find is only a guess at its output, and the call determines it better.
func findAmong(calls []*shell.Call) int {
	return slices.IndexFunc(calls, func(c *shell.Call) bool {
		return c != nil && (program.FilesOf(c.Name) == program.FilesFind || program.FilesOf(c.Name) == program.FilesFd)
	})
}

// keepNames reports whether all of calls, which filter names, print only names that they read, without a
// leading ./ at most.
func keepNames(calls []*shell.Call) bool {
	return !slices.ContainsFunc(calls, func(c *shell.Call) bool {
		if c == nil {
			return true
		}
		isPlain := program.FilesOf(c.Name) == program.FilesSed && len(c.Args) == 1 && slices.Contains([]string{`s|^\./||`, `s#^\./##`, `s,^\./,,`, `s/^\.\///`}, c.Args[0].Text)
		return !isPlain && !program.Is(c.Name, program.IsLineFilter|program.IsGrep)
	})
}

// isFindResult reports whether w is a result of the call of find or fd as it is.
func isFindResult(w *shell.Word, find *shell.Call) bool {
	return program.FilesOf(find.Name) == program.FilesFd || slices.ContainsFunc(argv.FindResults(find.Args, len(find.Args)), func(r shell.Word) bool { return r.Text == w.Text })
}

// printedLocations returns the files that calls print, or nil if that is unknown. calls is a pipeline,
// the last call first; filters in it only remove files.
func printedLocations(calls []*shell.Call, j *job) []location {
	picked := ""
	for i, c := range calls {
		if c == nil {
			return nil
		}
		switch kind := program.FilesOf(c.Name); {
		case kind == program.FilesSed && keepNames(calls[i:i+1]), program.Is(c.Name, program.IsLineFilter):
			continue
		case kind == program.FilesFind:
			reps, aged := findTargets(c, &j.base, picked)
			f := parseFind(c, &j.base)
			reps, _ = j.addLinkTargets(&f, reps)
			spots := make([]location, 0, len(reps))
			for _, r := range reps {
				spots = append(spots, j.searchLocation(r, aged))
			}
			return spots
		case kind == program.FilesFd:
			f := parseFd(c)
			spots := make([]location, 0, len(f.targets))
			for _, r := range f.targets {
				spots = append(spots, j.searchLocation(r, false))
			}
			return spots
		case program.Is(c.Name, program.IsGrep):
			if !printsNamesBelow(c) && i+1 < len(calls) {
				picked = narrowerPattern(picked, grepPattern(c))
				continue // it filters the output of the call before it
			}
		}
		return namedLocations(c, j)
	}
	return nil
}

// grepPattern returns a pattern for the lines that a call of grep selects, if they are names of
// generated files. Otherwise it returns "", which stands for any line.
func grepPattern(c *shell.Call) string {
	p := ""
	for i := range c.Args {
		switch t := c.Args[i].Text; {
		case len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.ContainsAny(t, "vfc"), strings.HasPrefix(t, "--inv"):
			return ""
		case p == "" && t != "" && t[0] != '-':
			p = regexPattern(t)
		}
	}
	if !isGeneratedPattern(p) {
		return ""
	}
	return p
}

// searchLocation returns the location of pattern, which stands for the results of a search. aged means
// that the search selects only old files.
func (j *job) searchLocation(pattern string, aged bool) location {
	s := j.base.locate(pattern)
	s.fromSearch, s.onlyOld, s.origin = true, aged, j.findOrigin(&s)
	return s
}

// namedLocations returns the files that c prints if it is a call of ls, grep -l or git ls-files.
// Otherwise it returns nil.
func namedLocations(c *shell.Call, j *job) []location {
	switch {
	case program.Is(c.Name, program.IsLister):
		var spots []location
		for i := range c.Args {
			if t := c.Args[i].Text; t != "" && t[0] != '-' {
				s := j.base.locate(t)
				s.isPattern = true
				spots = append(spots, s)
			}
		}
		if spots == nil {
			spots = append(spots, j.base.locate("*"))
		}
		return spots
	case program.Is(c.Name, program.IsGrep):
		if printsNamesBelow(c) {
			s := j.base.locate("./listed")
			s.path, s.isPattern = "", true
			return []location{s}
		}
	case program.Is(c.Name, program.IsGit):
		if len(c.Args) > 0 && !hasAnyOption(c.Args, "--no-index") { // with that, git searches anywhere
			switch c.Args[0].Text {
			case "ls-files", "diff", "diff-tree", "grep":
				s := j.base.locate("./listed")
				s.path, s.isPattern = "", true
				return []location{s}
			}
		}
	}
	return nil
}

// printsNamesBelow reports whether c, a call of grep, prints only names of files, and only of files
// below the working directory.
func printsNamesBelow(c *shell.Call) bool {
	names := false
	for i := range c.Args {
		t := c.Args[i].Text
		if strings.HasPrefix(t, "--files") || len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.ContainsAny(t, "lL") {
			names = true
		}
		if i > 0 && (!c.Args[i].IsKnown() || strings.HasPrefix(t, "/") || strings.HasPrefix(t, "~") || strings.HasPrefix(t, "..") || strings.Contains(t, "/../")) {
			return false
		}
	}
	return names
}

// judgeRmdir judges rmdir, which deletes empty directories and so loses nothing. On Windows, rmdir /s
// deletes trees. If files is true, the program is del, which deletes files.
func (j *job) judgeRmdir(files bool) {
	tree := false
	for i := range j.c.Args {
		tree = tree || strings.EqualFold(j.c.Args[i].Text, "/s")
	}
	for i := range j.c.Args {
		w := j.c.Args[i]
		if w.Text == "" || w.Text[0] == '-' || len(w.Text) <= 3 && len(w.Text) > 1 && w.Text[0] == '/' && (tree || files) {
			continue
		}
		s := j.locateWord(w)
		v := safe
		switch {
		case tree || files:
			v = deleteVerdict(s, tree)
		case s.zone == inNowhere:
			v = unknownLow
		}
		j.addEffect(&deletes, s, v)
	}
	if j.out == nil {
		j.addPathless(unknownLow, "delete", shell.FSDelete, "delete-nothing", "deletes without naming anything")
	}
}

// judgeUnlink judges unlink, which deletes a file.
func (j *job) judgeUnlink() {
	for i := range j.c.Args {
		if w := j.c.Args[i]; w.Text != "" && w.Text != "--" {
			spots := listedLocations(w, j)
			if spots == nil {
				spots = []location{j.locateWord(w)}
			}
			for _, s := range spots {
				j.addEffect(&deletes, s, deleteVerdict(s, false))
			}
		}
	}
	if len(j.c.Args) == 0 {
		j.addPipedTargets(&deletes)
	}
}

// judgeShred judges shred, which overwrites files beyond recovery.
func (j *job) judgeShred() {
	var o program.Walk
	o.Start(j.c)
	for o.Next() {
		if o.Name != "" || o.Arg.Text == "" {
			continue
		}
		s := j.locateWord(o.Arg)
		a := &shreds
		v := deleteVerdict(s, true)
		switch {
		case s.zone == inDevice && mayBeStorageDevice(s.path):
			a, v = &rawWrites, high
		case s.createdHere && v == safe:
		case v.label() == shell.Safe:
			v = low
		case s.zone == inNowhere:
			v = unbounded
		}
		j.addEffect(a, s, v)
	}
	if j.out == nil {
		j.addPipedTargets(&shreds)
	}
}
