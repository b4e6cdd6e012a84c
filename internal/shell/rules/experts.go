package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// expertEffects returns the effects of calls for which it is not enough which words they have: they
// depend on the number that kill receives, the method of a request, the commands of a key-value store
// or the file that an interpreter runs. Rules may match the same call as well; the worst effect
// counts.
func expertEffects(c *shell.Call) ([]shell.Effect, bool) {
	effects, ok := programEffects(c)
	if e, is := databaseOverwriteEffect(c); is { // this effect does not make the program known
		effects = append(effects, e)
	}
	return effects, ok
}

// programEffects returns the effects of c by the expert for its program, or else as a script.
func programEffects(c *shell.Call) ([]shell.Effect, bool) {
	if name, is := strings.CutPrefix(c.Path, "/etc/init.d/"); is || strings.HasPrefix(c.Path, "/etc/rc.d/") {
		inner := *c
		inner.Name, inner.Path = "service", "service"
		inner.Args = append([]shell.Word{{Text: name}}, c.Args...)
		return Effects(&inner, nil)
	}
	if judge := expertFor(c.Name); judge != nil {
		return judge(c)
	}
	return scriptEffects(c)
}

// An expert returns the effects of a call of certain programs. It reports false if they are unknown.
type expert func(*shell.Call) ([]shell.Effect, bool)

// expertFor returns the expert for the program name, or nil if only rules apply.
func expertFor(name string) expert {
	switch program.ExpertOf(name) {
	case program.ExpertKill:
		return killEffects
	case program.ExpertPkill, program.ExpertKillall:
		return killByNameEffects
	case program.ExpertFuser:
		return fuserEffects
	case program.ExpertPort:
		return portToolEffects
	case program.ExpertKeygen:
		return keygenEffects
	case program.ExpertClock:
		return machineExpert(setsClock)
	case program.ExpertHostName:
		return machineExpert(setsHostName)
	case program.ExpertSudo:
		return sudoEffects
	case program.ExpertSu:
		return suEffects
	case program.ExpertSsh:
		return sshEffects
	case program.ExpertRepeater:
		return wrapperEffects
	case program.ExpertNested:
		return containerEffects
	case program.ExpertFileDeleter:
		return fileDeleterEffects
	case program.ExpertRedis:
		return redisEffects
	case program.ExpertDatabase:
		return sqlClientEffects
	case program.ExpertMongo:
		return mongoEffects
	case program.ExpertCypher:
		return cypherEffects
	case program.ExpertCacheLine:
		return cacheInputEffects
	case program.ExpertWget:
		return wgetEffects
	case program.ExpertCurl:
		return curlEffects
	case program.ExpertMake:
		return makeEffects
	case program.ExpertTask:
		return taskEffects
	case program.ExpertRunner:
		return runnerOrTaskEffects
	}
	return nil
}

// fileDeleterEffects returns the effects of a program that only deletes files. The deletion itself is
// judged as a nested command.
func fileDeleterEffects(c *shell.Call) ([]shell.Effect, bool) {
	return singleEffect(c, shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "file-tool", Reason: "deletes files, which are checked separately"})
}

// makeEffects returns the effects of make, by the makefile on its input or else by its targets.
func makeEffects(c *shell.Call) ([]shell.Effect, bool) {
	if e, ok := makeInputEffects(c); ok {
		return e, true
	}
	return taskEffects(c)
}

// runnerOrTaskEffects returns the effects of a program that runs other programs, tasks of the project
// or scripts.
func runnerOrTaskEffects(c *shell.Call) ([]shell.Effect, bool) {
	if e, ok := runnerEffects(c); ok {
		return e, true
	}
	if e, ok := taskEffects(c); ok {
		return e, true
	}
	return scriptEffects(c)
}

// singleEffect returns e, with the words of c, as the only effect of c. It always reports true.
func singleEffect(c *shell.Call, e shell.Effect) ([]shell.Effect, bool) {
	var b strings.Builder
	b.WriteString(c.Name)
	for i := range c.Args {
		if !appendWord(&b, c.Args[i].Text) {
			break
		}
	}
	e.Words = b.String()
	return []shell.Effect{e}, true
}

// eachText calls use for each text that c may run: its words, its here-documents and its piped input.
// It reports whether all of standard input is known.
func eachText(c *shell.Call, use func(text string)) (sure bool) {
	for i := range c.Args {
		use(c.Args[i].Text)
	}
	return eachInput(c, use)
}

// eachInput calls use for the known text on the standard input of c: here-documents, files that the
// same command wrote, and piped input. It reports whether all of the input is known.
func eachInput(c *shell.Call, use func(text string)) (sure bool) {
	sure = true
	for i := range c.Redir {
		switch c.Redir[i].Op {
		case "<<", "<<-", "<<<":
			use(c.Redir[i].Target.Text)
			sure = sure && c.Redir[i].Target.IsKnown()
		case "<":
			text, all, ok := writtenText(c, c.Redir[i].Target.Text)
			if ok {
				use(text)
			}
			sure = sure && ok && all
		}
	}
	if c.In != nil {
		use(c.In.Text)
		sure = sure && c.In.Complete && !strings.ContainsRune(c.In.Text, shell.Placeholder)
	}
	return sure
}

// inListFold reports whether list, which is separated by spaces, contains word, ignoring case.
func inListFold(list, word string) bool {
	for list != "" {
		var one string
		if one, list, _ = strings.Cut(list, " "); strings.EqualFold(one, word) {
			return true
		}
	}
	return false
}
