package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// taskEffects returns the effects that the name of a project task suggests, as in npm run db:drop,
// make deploy or just wipe. It does not read the file that defines the task; tasks that delete are
// usually named so. It reports false if c names no task, or if only rules cover it.
func taskEffects(c *shell.Call) ([]shell.Effect, bool) {
	r := newReading(c)
	if r.Sub != nil && r.Sub.Is != shell.NoCategory {
		return nil, false // the word is a command of the program, not a task
	}
	words := r.Words
	if r.Dash >= 0 && r.Dash < len(words) && program.ExpertOf(c.Name) != program.ExpertMake {
		words = words[:r.Dash] // the words after -- are arguments of the task
	}
	worst, ours := shell.Effect{}, false
	use := func(name string) {
		if strings.ContainsRune(name, '=') {
			return // the word sets a variable
		}
		e := taskNameEffect(name)
		if !ours || isWorse(&e, &worst) {
			worst = e
		}
		ours = true
	}
	kind := program.ScriptOf(c.Name)
	if kind != 0 {
		name, is := scriptTask(kind, words)
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
		return nil, false // rules cover the tasks that are known to be safe
	}
	return singleEffect(c, worst)
}

// scriptTask returns the name of the script that a package manager of this kind runs with words. It
// reports false if it runs none.
func scriptTask(kind program.ScriptKind, words []shell.Word) (string, bool) {
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
			return scriptTask(kind, words[2:])
		}
		return "", false
	case "test", "start", "stop", "restart", "t", "tst":
		return first, true
	default:
		// The other package managers run scripts like their own commands.
		if kind == program.ScriptBehindRun || strings.ContainsAny(first, "/.@") || isManagerCommand(first) {
			return "", false
		}
		return first, true
	}
}

// isManagerCommand reports whether word is a command of a package manager, as opposed to a script.
func isManagerCommand(word string) bool {
	return inListFold("add remove rm uninstall un unlink install i ci update up upgrade upgrade-interactive publish unpublish pack npm config cache create init dlx exec x link info why list ls outdated audit login logout owner tag version versions set unset store prune patch patch-commit patch-remove deploy import rebuild rb dedupe plugin policies global licenses license generate-lock-entry node bin root whoami search view team token access deprecate dist-tag fund doctor env server setup self-update autoclean check constraints explain stage workspaces workspace foreach recursive multi m completion repl upgrade pm require global self-update selfupdate create-project show depends prohibits validate status archive browse clear-cache clearcache cc diagnose dump-autoload dumpautoload home prohibits suggests reinstall bump about help run-script approve-builds ignored-builds cat-file cat-index find-hash fetch", word)
}

// taskNameEffect returns the effect that the name of a task suggests.
func taskNameEffect(name string) shell.Effect {
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "task", Reason: "runs a project task"}
	if len(name) > program.MaxMatch {
		name = name[:program.MaxMatch]
	}
	t := parseTaskName(name)
	switch {
	case strings.ContainsRune(name, shell.Placeholder):
		e.Label, e.Impact, e.Reason = shell.Unknown, shell.ImpactUnknown, "runs an unknown project task"
	case t.deletes && (t.data || t.wide):
		e.Label, e.Kind, e.Category, e.Impact = shell.Destructive, "drop", shell.AppReset, shell.ImpactMedium
		e.Reason = "runs a project task whose name suggests that it deletes data: " + name
		if t.live {
			e.Impact = shell.ImpactHigh
		}
	case t.harmless:
	case t.deletes:
		e.Label, e.Kind, e.Category, e.Impact = shell.Destructive, "delete", shell.DeleteByName, shell.ImpactLow
		e.Reason = "runs a project task whose name suggests that it deletes something: " + name
	case t.resets && t.store:
		e.Label, e.Kind, e.Category, e.Impact = shell.Destructive, "drop", shell.AppReset, shell.ImpactMedium
		e.Reason = "runs a project task whose name suggests that it resets or drops the database: " + name
	case t.resets || t.changes || t.cleans && t.data || t.live && (t.store || t.movesData):
		e.Label, e.Impact, e.Reason = shell.Unknown, shell.ImpactMedium, "runs a project task whose name suggests that it changes or deletes something"
	}
	return e
}

// A taskName holds what the parts of a task's name suggest.
type taskName struct {
	deletes   bool // the task deletes something
	changes   bool // the task publishes, reverts or removes something
	resets    bool // the task resets something
	cleans    bool // the task cleans something
	data      bool // the task is about data that cannot be recreated
	wide      bool // the task is about everything
	store     bool // the task is about a database
	live      bool // the task is about production
	movesData bool // the task migrates, seeds, uploads or syncs data
	harmless  bool // the task is about files that can be recreated
}

// parseTaskName returns what the parts of name suggest. Names look like db:drop, dropDb or
// reset_cache.
func parseTaskName(name string) taskName {
	var t taskName
	for from, n := 0, 0; from < len(name) && n < 32; n++ {
		to := from
		for to < len(name) && strings.IndexByte(":-_./@ ", name[to]) < 0 && !(to > from && name[to] >= 'A' && name[to] <= 'Z' && name[to-1] >= 'a') {
			to++
		}
		if to > from {
			t.addPart(name[from:to])
		}
		if from = to; from < len(name) && strings.IndexByte(":-_./@ ", name[from]) >= 0 {
			from++
		}
	}
	return t
}

// addPart sets what word, a part of a task's name, suggests.
func (t *taskName) addPart(word string) {
	switch {
	case inListFold("drop dropdb drops wipe wipes nuke nukes destroy destroys purge truncate delete deletes del teardown obliterate erase annihilate undeploy terminate deprovision zap shred kaboom armageddon", word):
		t.deletes = true
	case inListFold("reset resets fresh recreate reinit reload refresh replant", word):
		t.resets = t.resets || !inListFold("reload refresh", word)
	case inListFold("deploy deploys publish release releases ship promote rollback rollout revert undo down prune flush uninstall remove rm eject restore import overwrite evict unpublish deprecate yank expire revoke rotate tear apply", word):
		t.changes = true
	case inListFold("clean clear cleanup clobber distclean", word):
		t.cleans = true
	case inListFold("test tests testing spec specs e2e unit integration cache caches dist build builds coverage tmp temp lint check docs doc mock mocks snapshot snapshots dropdown preview dry dryrun plan diff artifacts generated watch types storybook modules deps node bundle assets pods derived watchman metro output out target logs log lock dev local example examples demo sandbox simulator emulator", word):
		t.harmless = true
	case inListFold("db database databases dbs schema schemas table tables postgres postgresql mysql mongo mongodb redis sqlite prisma migrate migration migrations sequelize typeorm supabase", word):
		t.store, t.data = true, true
		t.movesData = true
	case inListFold("all everything", word):
		t.wide = true
	case inListFold("data volume volumes bucket buckets cluster clusters infra infrastructure stack stacks env environment users user backups backup s3 k8s namespace vm server servers account accounts tenant tenants customer customers records queue queues topic topics index indices repo history", word):
		t.data = true
	case inListFold("prod production live staging stage prd", word):
		t.live, t.data = true, true
	case inListFold("seed sync push upload", word):
		t.movesData = true
	}
}
