package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// maxRunners bounds how many runners may run each other.
const maxRunners = 20

// runner judges programs that run another one by its name: npx prisma migrate
// reset, pnpm exec jest, php artisan migrate:fresh. It judges what they run.
func runner(c *shell.Call) ([]shell.Effect, bool) {
	words, ok := carried(c)
	if !ok || len(words) == 0 || c.Depth > maxRunners {
		return nil, false
	}
	inner, ok := asCall(c, words)
	if !ok {
		return one(c, shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.PkgElsewhere, Rule: "runner", Radius: shell.RadiusMedium, Reason: "runs a program from outside the project"})
	}
	if isFileTool(inner.Name) {
		// Which files it deletes is judged where files are: see runnerText.
		return one(c, shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "runner", Reason: "runs another command, which is checked separately"})
	}
	if effects, known := Effects(inner, nil); known {
		for i := range effects {
			effects[i].Away = true // a package of that name
		}
		return effects, true
	}
	if program.PackageOf(c.Name) == program.PackageFile {
		return script(c)
	}
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "runner", Reason: "runs a project tool"}
	for i := range words {
		if telling(words[i].Text) {
			e.Label, e.Radius, e.Reason = shell.Unknown, shell.RadiusMedium, "runs a tool whose arguments suggest that it changes or deletes something"
			break
		}
	}
	return one(c, e)
}

// isFileTool reports whether a tool deletes or moves the files that it is given.
func isFileTool(name string) bool {
	return program.Is(name, program.IsScriptFileTool) || facts.Shell(name) || facts.TongueOf(name) == facts.Node
}

// carried returns the words that a runner runs.
func carried(c *shell.Call) (words []shell.Word, ok bool) {
	r := readingOf(c)
	args, sub := r.argsFrom(0), ""
	if len(args) > 0 {
		sub = args[0].Text
	}
	switch program.PackageOf(c.Name) {
	case program.PackageFirst:
		return args, true
	case program.PackageFile:
		return args, isPHPTool(sub)
	case program.PackageBehindRun:
		return r.argsFrom(1), sub == "run"
	case program.PackageBehindExec:
		switch sub {
		case "exec", "dlx", "x":
			return r.argsFrom(1), true
		case "run", "run-script":
			// A script that is called like a tool runs it with the words behind.
			if len(args) > 2 && projectTool(args[1].Text) {
				return withoutDash(args[1:]), true
			}
			return nil, false
		}
		return args, projectTool(sub)
	}
	return nil, false
}

// argsFrom returns the arguments from the operand at i on.
func (r *reading) argsFrom(i int) []shell.Word {
	if i += r.Extra; i >= len(r.At) {
		return nil
	}
	return r.Call.Args[r.At[i]:]
}

// withoutDash takes the -- out that ends the package manager's own flags.
func withoutDash(args []shell.Word) []shell.Word {
	for i := range args {
		if args[i].Text == "--" {
			return append(args[:i:i], args[i+1:]...)
		}
	}
	return args
}

// projectTool reports whether a word is a tool that projects call by its name and
// that can lose data.
func projectTool(name string) bool { return program.Is(name, program.IsProjectTool) }

// isPHPTool reports whether a PHP file is a tool with commands of its own.
func isPHPTool(path string) bool {
	switch path[strings.LastIndexByte(path, '/')+1:] {
	case "artisan", "console", "composer", "composer.phar", "phpunit", "phpunit.phar", "pest", "phpstan", "phpstan.phar", "drush", "wp-cli.phar", "wp", "psalm", "rector", "php-cs-fixer":
		return true
	}
	return false
}

// asCall makes a call of a runner's words. Not ok means that they name a program
// from elsewhere.
func asCall(c *shell.Call, words []shell.Word) (*shell.Call, bool) {
	t := words[0].Text
	if strings.Contains(t, "://") || strings.HasPrefix(t, "git+") || strings.Contains(t, ":") && !strings.HasPrefix(t, "npm:") || strings.ContainsRune(t, shell.Hole) ||
		strings.Count(t, "/") == 1 && t[0] != '@' && t[0] != '.' && program.PackageOf(c.Name) != program.PackageFile {
		return nil, false
	}
	inner := *c
	inner.Name, inner.Path, inner.Args, inner.Depth = toolName(t), t, words[1:], c.Depth+1
	return &inner, inner.Name != ""
}

// toolName is the program that a package's name stands for: prisma@5 is prisma,
// @biomejs/biome is biome.
func toolName(word string) string {
	switch strings.TrimRight(word, "0123456789.") {
	case "@angular/cli", "@angular/cli@":
		return "ng"
	case "@nestjs/cli", "@nestjs/cli@":
		return "nest"
	case "@mikro-orm/cli":
		return "mikro-orm"
	case "wp-cli.phar":
		return "wp"
	}
	word = word[strings.LastIndexByte(word, '/')+1:]
	if at := strings.LastIndexByte(word, '@'); at > 0 {
		word = word[:at]
	}
	return strings.ToLower(strings.TrimSuffix(word, ".phar"))
}

// telling reports whether a name says that it changes or deletes something.
func telling(name string) bool {
	return containsAnyFold(name, "deploy", "publish", "destroy", "reset", "wipe", "nuke", "drop", "delete", "uninstall", "purge", "teardown", "rollback", "prune", "cleanup", "remove", "unpublish", "truncate", "flush", "seed", "erase", "kill", "release", "restart")
}
