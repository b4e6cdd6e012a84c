package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// maxRunners is how deeply runners may be nested.
const maxRunners = 20

// runnerEffects returns the effects of a program that a runner starts by its name, as in npx prisma
// migrate reset, pnpm exec jest and php artisan migrate:fresh. It reports false if c is not such a
// runner.
func runnerEffects(c *shell.Call) ([]shell.Effect, bool) {
	words, ok := nestedWords(c)
	if !ok || len(words) == 0 || c.Depth > maxRunners {
		return nil, false
	}
	inner, ok := nestedCall(c, words)
	if !ok {
		return singleEffect(c, shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.PkgElsewhere, Rule: "runner", Impact: shell.ImpactMedium, Reason: "runs a program from outside the project"})
	}
	if isFileTool(inner.Name) {
		// The deleted files are judged as a nested command; see runnerCommand.
		return singleEffect(c, shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "runner", Reason: "runs another command, which is checked separately"})
	}
	if effects, known := Effects(inner, nil); known {
		for i := range effects {
			effects[i].Foreign = true // the package of that name may do something else
		}
		return effects, true
	}
	if program.PackageOf(c.Name) == program.PackageFile {
		return scriptEffects(c)
	}
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "runner", Reason: "runs a project tool"}
	for i := range words {
		if suggestsChange(words[i].Text) {
			e.Label, e.Impact, e.Reason = shell.Unknown, shell.ImpactMedium, "runs a tool whose arguments suggest that it changes or deletes something"
			break
		}
	}
	return singleEffect(c, e)
}

// isFileTool reports whether the program name deletes or moves files, or is a shell or Node, which
// can.
func isFileTool(name string) bool {
	return program.Is(name, program.IsScriptFileTool) || facts.IsShell(name) || facts.LanguageOf(name) == facts.Node
}

// nestedWords returns the words of the command that the runner c runs. It reports false if c runs
// none.
func nestedWords(c *shell.Call) (words []shell.Word, ok bool) {
	r := newReading(c)
	args, sub := r.argsFromOperand(0), ""
	if len(args) > 0 {
		sub = args[0].Text
	}
	switch program.PackageOf(c.Name) {
	case program.PackageFirst:
		return args, true
	case program.PackageFile:
		return args, isPHPTool(sub)
	case program.PackageBehindRun:
		return r.argsFromOperand(1), sub == "run"
	case program.PackageBehindExec:
		switch sub {
		case "exec", "dlx", "x":
			return r.argsFromOperand(1), true
		case "run", "run-script":
			// A script with the name of a tool usually runs that tool with the remaining words.
			if len(args) > 2 && isProjectTool(args[1].Text) {
				return withoutDoubleDash(args[1:]), true
			}
			return nil, false
		}
		return args, isProjectTool(sub)
	}
	return nil, false
}

// argsFromOperand returns the arguments from the operand with index i on, including flags, or nil if
// there is none.
func (r *reading) argsFromOperand(i int) []shell.Word {
	if i += r.Extra; i >= len(r.At) {
		return nil
	}
	return r.Call.Args[r.At[i]:]
}

// withoutDoubleDash returns args without the -- that ends the package manager's own flags.
func withoutDoubleDash(args []shell.Word) []shell.Word {
	for i := range args {
		if args[i].Text == "--" {
			return append(args[:i:i], args[i+1:]...)
		}
	}
	return args
}

// isProjectTool reports whether the program name is a tool that projects call by its name and that can
// lose data.
func isProjectTool(name string) bool { return program.Is(name, program.IsProjectTool) }

// isPHPTool reports whether the PHP file path is a tool with subcommands, such as artisan.
func isPHPTool(path string) bool {
	switch path[strings.LastIndexByte(path, '/')+1:] {
	case "artisan", "console", "composer", "composer.phar", "phpunit", "phpunit.phar", "pest", "phpstan", "phpstan.phar", "drush", "wp-cli.phar", "wp", "psalm", "rector", "php-cs-fixer":
		return true
	}
	return false
}

// nestedCall returns the call that the runner c makes of words. It reports false if they name a
// program from outside the project, or an unknown one.
func nestedCall(c *shell.Call, words []shell.Word) (*shell.Call, bool) {
	t := words[0].Text
	if strings.Contains(t, "://") || strings.HasPrefix(t, "git+") || strings.Contains(t, ":") && !strings.HasPrefix(t, "npm:") || strings.ContainsRune(t, shell.Placeholder) ||
		strings.Count(t, "/") == 1 && t[0] != '@' && t[0] != '.' && program.PackageOf(c.Name) != program.PackageFile {
		return nil, false
	}
	inner := *c
	inner.Name, inner.Path, inner.Args, inner.Depth = toolName(t), t, words[1:], c.Depth+1
	return &inner, inner.Name != ""
}

// toolName returns the program that the package word provides: prisma for prisma@5, biome for
// @biomejs/biome.
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

// suggestsChange reports whether name suggests a program or an operation that changes or deletes
// something.
func suggestsChange(name string) bool {
	return containsAnyFold(name, "deploy", "publish", "destroy", "reset", "wipe", "nuke", "drop", "delete", "uninstall", "purge", "teardown", "rollback", "prune", "cleanup", "remove", "unpublish", "truncate", "flush", "seed", "erase", "kill", "release", "restart")
}
