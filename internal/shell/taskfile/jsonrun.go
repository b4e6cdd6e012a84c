package taskfile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// composerInstalls are the scripts that composer runs when it installs something.
const composerInstalls = "pre-install-cmd post-install-cmd pre-update-cmd post-update-cmd pre-autoload-dump post-autoload-dump " +
	"post-root-package-install post-create-project-cmd pre-package-install post-package-install pre-package-update " +
	"post-package-update pre-operations-exec pre-pool-create init command pre-command-run"

// readComposer reads the scripts of a composer.json.
func readComposer(r *reading) bool {
	p := r.parse("-d --working-dir", 2)
	r.enter(p.value("-d --working-dir"))
	vendor := []string{r.at("vendor/bin")}
	sub := p.operand(0)
	names := []string{sub}
	switch {
	case sub == "" || inWords("about show info licenses outdated search validate why why-not help list", sub):
		return true
	case sub == "exec":
		r.text(Text{Text: words(p.after(1)), Dir: r.dir, Bin: vendor})
		return true
	case sub == "run" || sub == "run-script":
		names = []string{p.operand(1)}
	case inWords("install update require remove dump-autoload dumpautoload create-project", sub):
		names = strings.Fields(composerInstalls)
		r.unsure("composer " + sub + " runs plugins and scripts of what it installs")
	}
	for _, cmd := range r.named(r.at("composer.json"), "scripts", names, func(cmd string) (string, bool) {
		other, is := strings.CutPrefix(cmd, "@")
		other, _ = cutWord(other)
		return other, is && !inWords("php composer putenv", other)
	}) {
		if strings.Contains(cmd, "::") && !strings.Contains(cmd, " ") {
			r.unsure("composer runs " + cmd + " of this repository")
			continue
		}
		r.text(Text{Text: strings.TrimPrefix(cmd, "@"), Dir: r.dir, Bin: vendor})
	}
	return true
}

// readDeno reads the tasks of deno. Files that deno runs are not its affair.
func readDeno(r *reading) bool {
	p := r.parse("--cwd -c --config", 2)
	r.enter(p.value("--cwd"))
	sub, name := p.operand(0), p.operand(1)
	switch {
	case sub == "test" || sub == "bench":
		r.configs(r.dir)
		r.unsure("deno " + sub + " " + runsTests)
		return true
	case sub != "task":
		return false
	case p.unknown || strings.Contains(name, "*"):
		r.unsure("deno task: which tasks it runs")
	}
	up(r.dir, func(d string) bool {
		found := false
		for file := range strings.FieldsSeq(p.value("-c --config") + " deno.json deno.jsonc") {
			path := join(d, file)
			for _, cmd := range r.named(path, "tasks", []string{name}, nil) {
				found = true
				r.text(Text{Text: cmd, Dir: filepath.Dir(path), Bin: bins(filepath.Dir(path))})
			}
		}
		return found || isThere(r.look, filepath.Join(d, "package.json")) && r.scripts(d, []string{name})
	})
	return true
}

// named returns the commands that a member of a JSON file has under names: texts, lists of
// texts, and objects with a command and dependencies. Another, unless it is nil, reports
// the other name that a command stands for.
func (r *reading) named(path, member string, names []string, another func(cmd string) (string, bool)) []string {
	if !r.file(path) {
		return nil
	}
	text, err := r.look.File(path)
	text = rawjson.Uncomment(text)
	if err != nil || rawjson.CheckObject(text) != nil {
		r.unsure(r.call.Name + ": what " + filepath.Base(path) + " says")
		return nil
	}
	var out []string
	add := func(_ int, val []byte) bool {
		cmd, _ := rawjson.Text(val)
		if another != nil {
			if other, is := another(cmd); is {
				names = append(names, other)
				return true
			}
		}
		if cmd != "" {
			out = append(out, cmd)
		}
		return true
	}
	for n := 0; n < len(names) && n < maxRules; n++ {
		val, ok := rawjson.Lookup(text, member, names[n])
		if !ok || slices.Contains(names[:n], names[n]) {
			continue
		}
		add(0, val)
		rawjson.Elements(val, add)
		command, _ := rawjson.Get(val, "command")
		add(0, command)
		if deps, ok := rawjson.Get(val, "dependencies"); ok {
			rawjson.Strings(deps, func(dep string) bool { names = append(names, dep); return true })
		}
	}
	return out
}
