package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// special judges calls whose effect hangs on more than which words there are: the
// number that kill is given, the method of a request, the commands that a
// key-value store reads, the file that an interpreter runs. Rules may hold for
// the same call as well; the worst counts.
func special(c *shell.Call) ([]shell.Effect, bool) {
	effects, ok := byName(c)
	if e, is := databaseOver(c); is { // what the program itself does is as known as before
		effects = append(effects, e)
	}
	return effects, ok
}

func byName(c *shell.Call) ([]shell.Effect, bool) {
	if name, is := strings.CutPrefix(c.Path, "/etc/init.d/"); is || strings.HasPrefix(c.Path, "/etc/rc.d/") {
		inner := *c
		inner.Name, inner.Path = "service", "service"
		inner.Args = append([]shell.Word{{Text: name}}, c.Args...)
		return Effects(&inner, nil)
	}
	if judge := expertOf(c.Name); judge != nil {
		return judge(c)
	}
	return script(c)
}

// An expert knows the calls of some programs.
type expert func(*shell.Call) ([]shell.Effect, bool)

// expertOf returns who judges a program; nil = the rules alone.
func expertOf(name string) expert {
	switch program.ExpertOf(name) {
	case program.ExpertKill:
		return killed
	case program.ExpertPkill, program.ExpertKillall:
		return killedByName
	case program.ExpertFuser:
		return fuser
	case program.ExpertPort:
		return portTool
	case program.ExpertKeygen:
		return keygen
	case program.ExpertClock:
		return machineName(setsClock)
	case program.ExpertHostName:
		return machineName(setsName)
	case program.ExpertSudo:
		return sudo
	case program.ExpertSu:
		return su
	case program.ExpertSsh:
		return remoteShell
	case program.ExpertRepeater:
		return handedOn
	case program.ExpertNested:
		return nestedIn
	case program.ExpertFileDeleter:
		return fileDeleter
	case program.ExpertRedis:
		return redis
	case program.ExpertDatabase:
		return sqlClient
	case program.ExpertMongo:
		return mongo
	case program.ExpertCypher:
		return cypher
	case program.ExpertCacheLine:
		return cacheLine
	case program.ExpertWget:
		return wget
	case program.ExpertCurl:
		return curl
	case program.ExpertMake:
		return makes
	case program.ExpertTask:
		return task
	case program.ExpertRunner:
		return byRunner
	}
	return nil
}

// fileDeleter judges programs that delete files and do nothing else.
func fileDeleter(c *shell.Call) ([]shell.Effect, bool) {
	return one(c, shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "file-tool", Reason: "deletes files, which are checked separately"})
}

// makes judges make: what it is fed, else its targets.
func makes(c *shell.Call) ([]shell.Effect, bool) {
	if e, ok := makeInput(c); ok {
		return e, true
	}
	return task(c)
}

// byRunner judges programs that run others, or steps of the project.
func byRunner(c *shell.Call) ([]shell.Effect, bool) {
	if e, ok := runner(c); ok {
		return e, true
	}
	if e, ok := task(c); ok {
		return e, true
	}
	return script(c)
}

// one makes the only effect of a call.
func one(c *shell.Call, e shell.Effect) ([]shell.Effect, bool) {
	var b strings.Builder
	b.WriteString(c.Name)
	for i := range c.Args {
		if !put(&b, c.Args[i].Text) {
			break
		}
	}
	e.Words = b.String()
	return []shell.Effect{e}, true
}

// eachText goes over the texts that a call is given to run: its words and the
// values of its flags, here-documents, and what is piped into it. sure says that
// all of standard input is known.
func eachText(c *shell.Call, use func(text string)) (sure bool) {
	for i := range c.Args {
		use(c.Args[i].Text)
	}
	return eachInput(c, use)
}

// eachInput is eachText for standard input alone.
func eachInput(c *shell.Call, use func(text string)) (sure bool) {
	sure = true
	for i := range c.Redir {
		switch c.Redir[i].Op {
		case "<<", "<<-", "<<<":
			use(c.Redir[i].Target.Text)
			sure = sure && c.Redir[i].Target.Known()
		case "<":
			text, all, ok := fileText(c, c.Redir[i].Target.Text)
			if ok {
				use(text)
			}
			sure = sure && ok && all
		}
	}
	if c.In != nil {
		use(c.In.Text)
		sure = sure && c.In.Sure && !strings.ContainsRune(c.In.Text, shell.Hole)
	}
	return sure
}

// listed reports whether a list separated by spaces holds a word, in any case.
func listed(list, word string) bool {
	for list != "" {
		var one string
		if one, list, _ = strings.Cut(list, " "); strings.EqualFold(one, word) {
			return true
		}
	}
	return false
}
