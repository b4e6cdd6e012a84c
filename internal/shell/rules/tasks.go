package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// task judges a step of the project by its name: npm run db:drop, make deploy,
// just wipe. What such a step does is written in a file that is not read here,
// but people call what deletes by its name. ok = the call names steps.
func task(c *shell.Call) ([]shell.Effect, bool) {
	r := readingOf(c)
	if r.Sub != nil && r.Sub.Is != shell.NoCategory {
		return nil, false // a command of the program, no step
	}
	words := r.Words
	if r.Dash >= 0 && r.Dash < len(words) && program.ExpertOf(c.Name) != program.ExpertMake {
		words = words[:r.Dash] // what follows is the step's own
	}
	worst, ours := shell.Effect{}, false
	use := func(name string) {
		if strings.ContainsRune(name, '=') {
			return // a variable
		}
		e := taskEffect(name)
		if !ours || worse(&e, &worst) {
			worst = e
		}
		ours = true
	}
	kind := program.ScriptOf(c.Name)
	if kind != 0 {
		name, is := scriptWord(kind, words)
		if !is {
			return nil, false
		}
		use(name)
		if r.Dash >= 0 {
			for i := r.Dash; i < len(r.Words) && i < r.Dash+2; i++ {
				if t := r.Words[i].Text; !strings.ContainsAny(t, "./ ") {
					use(name + ":" + t)
				}
			}
		}
	} else {
		for i := range words {
			use(words[i].Text)
		}
	}
	if !ours || worst.Label == shell.Safe && kind == 0 {
		return nil, false // the rules say which of them are known
	}
	return one(c, worst)
}

// scriptWord is the name of the script that a package manager runs.
func scriptWord(kind program.ScriptKind, words []shell.Word) (string, bool) {
	if len(words) == 0 {
		return "", false
	}
	switch first := words[0].Text; first {
	case "run", "run-script", "rum", "urn", "task":
		if len(words) > 1 {
			return words[1].Text, !strings.Contains(words[1].Text, "://")
		}
		return "", false
	case "workspace":
		if len(words) > 2 {
			return scriptWord(kind, words[2:])
		}
		return "", false
	case "test", "start", "stop", "restart", "t", "tst":
		return first, true
	default:
		// The others take a script for a command of their own.
		if kind == program.ScriptBehindRun || strings.ContainsAny(first, "/.@") || isManagerCommand(first) {
			return "", false
		}
		return first, true
	}
}

// isManagerCommand reports whether a word is a command of a package manager, and
// no script.
func isManagerCommand(word string) bool {
	return listed("add remove rm uninstall un unlink install i ci update up upgrade upgrade-interactive publish unpublish pack npm config cache create init dlx exec x link info why list ls outdated audit login logout owner tag version versions set unset store prune patch patch-commit patch-remove deploy import rebuild rb dedupe plugin policies global licenses license generate-lock-entry node bin root whoami search view team token access deprecate dist-tag fund doctor env server setup self-update autoclean check constraints explain stage workspaces workspace foreach recursive multi m completion repl upgrade pm require global self-update selfupdate create-project show depends prohibits validate status archive browse clear-cache clearcache cc diagnose dump-autoload dumpautoload home prohibits suggests reinstall bump about help run-script approve-builds ignored-builds cat-file cat-index find-hash fetch", word)
}

// taskEffect returns what a step of this name comes to.
func taskEffect(name string) shell.Effect {
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "task", Reason: "runs a project task"}
	if len(name) > program.MaxFit {
		name = name[:program.MaxFit]
	}
	t := readTask(name)
	switch {
	case strings.ContainsRune(name, shell.Hole):
		e.Label, e.Radius, e.Reason = shell.Unknown, shell.RadiusUnknown, "runs an unknown project task"
	case t.strong && (t.data || t.wide):
		e.Label, e.Kind, e.Category, e.Radius = shell.Destructive, "drop", shell.AppReset, shell.RadiusMedium
		e.Reason = "runs a project task whose name suggests that it deletes data: " + name
		if t.live {
			e.Radius = shell.RadiusHigh
		}
	case t.harmless:
	case t.strong:
		e.Label, e.Kind, e.Category, e.Radius = shell.Destructive, "delete", shell.DeleteByName, shell.RadiusLow
		e.Reason = "runs a project task whose name suggests that it deletes something: " + name
	case t.again && t.store:
		e.Label, e.Kind, e.Category, e.Radius = shell.Destructive, "drop", shell.AppReset, shell.RadiusMedium
		e.Reason = "runs a project task whose name suggests that it resets or drops the database: " + name
	case t.again || t.mild || t.clean && t.data || t.live && (t.store || t.moves):
		e.Label, e.Radius, e.Reason = shell.Unknown, shell.RadiusMedium, "runs a project task whose name suggests that it changes or deletes something"
	}
	return e
}

// A taskName is what the parts of a step's name tell.
type taskName struct {
	strong   bool // it deletes
	mild     bool // it changes what others see, or takes something away
	again    bool // it begins anew
	clean    bool
	data     bool // it is about what cannot be made again
	wide     bool // it is about all there is
	store    bool // it is about a database
	live     bool // it is about what is in use
	moves    bool // it changes a database
	harmless bool // it is about what can be made again
}

// readTask reads a name's parts: db:drop, dropDb, reset_cache.
func readTask(name string) taskName {
	var t taskName
	for from, n := 0, 0; from < len(name) && n < 32; n++ {
		to := from
		for to < len(name) && strings.IndexByte(":-_./@ ", name[to]) < 0 && !(to > from && name[to] >= 'A' && name[to] <= 'Z' && name[to-1] >= 'a') {
			to++
		}
		if to > from {
			t.part(name[from:to])
		}
		if from = to; from < len(name) && strings.IndexByte(":-_./@ ", name[from]) >= 0 {
			from++
		}
	}
	return t
}

func (t *taskName) part(word string) {
	switch {
	case listed("drop dropdb drops wipe wipes nuke nukes destroy destroys purge truncate delete deletes del teardown obliterate erase annihilate undeploy terminate deprovision zap shred kaboom armageddon", word):
		t.strong = true
	case listed("reset resets fresh recreate reinit reload refresh replant", word):
		t.again = t.again || !listed("reload refresh", word)
	case listed("deploy deploys publish release releases ship promote rollback rollout revert undo down prune flush uninstall remove rm eject restore import overwrite evict unpublish deprecate yank expire revoke rotate tear apply", word):
		t.mild = true
	case listed("clean clear cleanup clobber distclean", word):
		t.clean = true
	case listed("test tests testing spec specs e2e unit integration cache caches dist build builds coverage tmp temp lint check docs doc mock mocks snapshot snapshots dropdown preview dry dryrun plan diff artifacts generated watch types storybook modules deps node bundle assets pods derived watchman metro output out target logs log lock dev local example examples demo sandbox simulator emulator", word):
		t.harmless = true
	case listed("db database databases dbs schema schemas table tables postgres postgresql mysql mongo mongodb redis sqlite prisma migrate migration migrations sequelize typeorm supabase", word):
		t.store, t.data = true, true
		t.moves = true
	case listed("all everything", word):
		t.wide = true
	case listed("data volume volumes bucket buckets cluster clusters infra infrastructure stack stacks env environment users user backups backup s3 k8s namespace vm server servers account accounts tenant tenants customer customers records queue queues topic topics index indices repo history", word):
		t.data = true
	case listed("prod production live staging stage prd", word):
		t.live, t.data = true, true
	case listed("seed sync push upload", word):
		t.moves = true
	}
}
