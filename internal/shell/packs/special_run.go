package packs

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// maxRunners bounds how many runners may run each other.
const maxRunners = 20

// runner knows programs that run another one by its name: npx prisma migrate
// reset, pnpm exec jest, php artisan migrate:fresh. It judges what they run.
func runner(c *shell.Call) ([]shell.Effect, bool) {
	words, ok := carried(c)
	if !ok || len(words) == 0 || c.Depth > maxRunners {
		return nil, false
	}
	inner, ok := asCall(c, words)
	if !ok {
		return one(c, shell.Effect{Label: shell.Unknown, Kind: "run", Category: "remote-code", Pack: packagesPack.Name, Rule: "runner", Radius: shell.RadiusMedium, Reason: "runs a program from elsewhere"})
	}
	if isFileTool(inner.Name) {
		// Which files it deletes is judged where files are: see runnerText.
		return one(c, shell.Effect{Label: shell.Safe, Kind: "run", Category: "run", Pack: devPack.Name, Rule: "runner", Reason: "runs what follows; that is judged by itself"})
	}
	if effects, known := Effects(inner, nil); known {
		return effects, true
	}
	if c.Name == "php" {
		return script(c)
	}
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: "run", Pack: devPack.Name, Rule: "runner", Reason: "runs a tool of the project"}
	for i := range words {
		if telling(words[i].Text) {
			e.Label, e.Radius, e.Reason = shell.Unknown, shell.RadiusMedium, "runs a tool with a word that says that it changes or deletes something"
			break
		}
	}
	return one(c, e)
}

// isFileTool reports whether a tool deletes or moves the files that it is given.
func isFileTool(name string) bool {
	switch name {
	case "rimraf", "del", "del-cli", "shx", "trash", "trash-cli", "rm", "mv", "cp", "cross-env", "env-cmd", "dotenv", "bash", "sh", "node", "tsx", "ts-node":
		return true
	}
	return false
}

// carried returns the words that a runner runs.
func carried(c *shell.Call) (words []shell.Word, ok bool) {
	args := c.Args
	var sub string
	args, sub = afterFlags(args, c.Name)
	switch c.Name {
	case "npx", "bunx", "pnpx", "uvx":
		return args, true
	case "php":
		return args, len(args) > 0 && isPHPTool(args[0].Text)
	case "lerna":
		if sub == "exec" {
			args, _ = afterFlags(args[1:], c.Name)
			return args, true
		}
	case "uv":
		if sub == "tool" && len(args) > 2 && args[1].Text == "run" {
			args, _ = afterFlags(args[2:], c.Name)
			return args, true
		}
	case "pipx":
		if sub == "run" {
			args, _ = afterFlags(args[1:], c.Name)
			return args, true
		}
	case "npm", "pnpm", "yarn", "bun":
		switch sub {
		case "exec", "dlx", "x":
			args, _ = afterFlags(args[1:], c.Name)
			return args, true
		case "prisma", "sequelize", "sequelize-cli", "knex", "typeorm", "typeorm-ts-node-commonjs", "typeorm-ts-node-esm", "drizzle-kit",
			"supabase", "mikro-orm", "wrangler", "firebase", "serverless", "sls", "cdk", "vercel", "netlify", "sst", "amplify", "pulumi",
			"hasura", "db-migrate", "migrate-mongo", "rimraf", "shx", "del-cli", "lerna", "changeset", "hardhat":
			return args, c.Name != "npm"
		}
	}
	return nil, false
}

// afterFlags skips the flags of a runner and returns the rest with its first word.
func afterFlags(args []shell.Word, name string) ([]shell.Word, string) {
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "--":
			if i+1 < len(args) {
				return args[i+1:], args[i+1].Text
			}
			return nil, ""
		case t == "-p" || t == "--package" || t == "--filter" || t == "-C" || t == "--dir" || t == "--cwd" || t == "--prefix" || t == "-w" && name == "npm" || t == "--workspace" ||
			t == "--from" || t == "--with" || t == "--python" || t == "--spec" || t == "-d" && name == "php" || t == "-c" && name == "php":
			i++
		case len(t) > 1 && t[0] == '-':
		default:
			return args[i:], t
		}
	}
	return nil, ""
}

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
		strings.Count(t, "/") == 1 && t[0] != '@' && t[0] != '.' && c.Name != "php" {
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

// script knows interpreters that are given a file, and files that are run by
// their path. A script of the project is an everyday step.
func script(c *shell.Call) ([]shell.Effect, bool) {
	var file string
	var ok bool
	if onlyChecks(c) {
		return one(c, shell.Effect{Label: shell.Safe, Kind: "read", Category: "lint", Pack: devPack.Name, Rule: "syntax", Reason: "checks a script without running it, or runs the project's tests"})
	}
	switch base := trimDigits(c.Name); base {
	case "python", "pypy", "py", "python-dbg":
		if module, rest, is := pythonModule(c.Args); is {
			return moduleCall(c, module, rest)
		}
		file, ok = scriptFile(c.Args, "WX", "c")
	case "node", "nodejs", "tsx", "ts-node", "esno", "bun", "jiti", "swc-node", "vite-node", "babel-node", "nodemon":
		file, ok = scriptFile(c.Args, "rCo", "epi")
		ok = ok && (c.Name != "bun" || strings.ContainsAny(file, "./"))
	case "ruby", "perl", "lua", "luajit", "rscript", "julia", "tclsh", "groovy", "elixir", "escript", "swift", "kotlin", "osascript", "guile", "racket", "nu", "crystal", "raku", "php", "hhvm", "ipython", "deno":
		if c.Name == "php" && phpFlag(c.Args) {
			return one(c, shell.Effect{Label: shell.Safe, Kind: "run", Category: "test", Pack: devPack.Name, Rule: "php", Reason: "checks a file or starts the server of PHP"})
		}
		file, ok = scriptFile(c.Args, "IrdCoL", "eEcMRBF")
		ok = ok && (strings.Contains(file, ".") || strings.Contains(file, "/"))
	case "bash", "sh", "zsh", "dash", "ksh", "fish", "mksh", "ash":
		file, ok = scriptFile(c.Args, "oO", "cs")
	default:
		bare := strings.HasSuffix(c.Path, ".py") && !strings.Contains(c.Path, "/") // uv run x.py
		if strings.HasPrefix(c.Path, "/") || !bare && !strings.Contains(c.Path, "/") || knows(c.Name) || !allKnown(c.Args) {
			return nil, false
		}
		file, ok = c.Path, true
	}
	if !ok {
		return nil, false
	}
	return scriptEffect(c, file)
}

// allKnown reports whether all words are known.
func allKnown(args []shell.Word) bool {
	for i := range args {
		if !args[i].Known() {
			return false
		}
	}
	return true
}

// onlyChecks reports whether an interpreter is only to check a file (bash -n,
// ruby -c, node --check), or to run tests (node --test).
func onlyChecks(c *shell.Call) bool {
	if len(c.Args) == 0 {
		return false
	}
	t := c.Args[0].Text
	switch c.Name {
	case "bash", "sh", "zsh", "dash", "ksh":
		return t == "-n"
	case "ruby", "perl":
		return t == "-c" || t == "-wc" || t == "-cw"
	case "node":
		return t == "--check" || t == "-c" || t == "--test"
	}
	return false
}

// scriptEffect judges a script by where it lies.
func scriptEffect(c *shell.Call, file string) ([]shell.Effect, bool) {
	if strings.HasSuffix(file, "manage.py") && !strings.Contains(file, "://") {
		if words := after(c.Args, file); words != nil {
			inner := *c
			inner.Name, inner.Path, inner.Args = "manage.py", file, words
			return Effects(&inner, nil)
		}
	}
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: "run-script", Pack: devPack.Name, Rule: "script", Reason: "runs a script of the project"}
	switch {
	case strings.ContainsRune(file, shell.Hole):
		return nil, false
	case c.Remote != "":
		e.Label, e.Radius, e.Reason = shell.Unknown, shell.RadiusUnknown, "runs a script on another machine"
	case !inProject(file) || strings.HasPrefix(c.Dir, "/tmp") || strings.HasPrefix(c.Dir, "/var/tmp") || strings.HasPrefix(c.Dir, "/dev/shm"):
		e.Label, e.Radius, e.Reason = shell.Unknown, shell.RadiusUnknown, "runs a script from outside the project"
	case telling(file) && !readTask(scriptName(file)).harmless:
		e.Label, e.Radius, e.Reason = shell.Unknown, shell.RadiusMedium, "runs a script whose name says that it changes or deletes something"
	}
	return one(c, e)
}

// scriptName is a script's name without its directories and its ending.
func scriptName(file string) string {
	file = file[strings.LastIndexByte(file, '/')+1:]
	if dot := strings.LastIndexByte(file, '.'); dot > 0 {
		file = file[:dot]
	}
	return file
}

// inProject reports whether a path stays below the directory that it starts in.
func inProject(path string) bool {
	if path == "" || path == "-" || path[0] == '/' || path[0] == '~' || strings.Contains(path, "://") || strings.Contains(path, ":\\") {
		return false
	}
	depth := 0
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return false
			}
		default:
			depth++
		}
	}
	return true
}

// after returns the words behind the first one with a text; nil = there is none.
func after(args []shell.Word, text string) []shell.Word {
	for i := range args {
		if args[i].Text == text {
			return args[i+1:]
		}
	}
	return nil
}

// scriptFile returns the file that an interpreter runs. values are the letters
// of flags that take a word, code those after which there is no file.
func scriptFile(args []shell.Word, values, code string) (string, bool) {
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "-" || t == "--":
			if t == "--" && i+1 < len(args) {
				return args[i+1].Text, true
			}
			return "", false
		case strings.HasPrefix(t, "--"):
			if t == "--eval" || t == "--print" || t == "--command" || t == "--version" || t == "--interactive" {
				return "", false
			}
			if listed("--require --import --loader --experimental-loader --env-file --rcfile --init-file", t) {
				i++
			}
		case len(t) > 1 && t[0] == '-':
			if len(t) == 2 && strings.IndexByte(values, t[1]) >= 0 {
				i++
				continue
			}
			if strings.IndexByte(code, t[1]) >= 0 || strings.IndexByte(code, t[len(t)-1]) >= 0 {
				return "", false
			}
		case t == "":
			return "", false
		default:
			return t, true
		}
	}
	return "", false
}

// pythonModule returns the module that python -m runs and its words.
func pythonModule(args []shell.Word) (string, []shell.Word, bool) {
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case len(t) < 2 || t[0] != '-' || t == "-c":
			return "", nil, false
		case t == "-W" || t == "-X":
			i++
		case t[1] != '-' && strings.HasSuffix(t, "m") && i+1 < len(args):
			return args[i+1].Text, args[i+2:], true
		case strings.HasPrefix(t, "-m") && len(t) > 2:
			return t[2:], args[i+1:], true
		}
	}
	return "", nil, false
}

// moduleCall judges python -m.
func moduleCall(c *shell.Call, module string, rest []shell.Word) ([]shell.Effect, bool) {
	e := shell.Effect{Label: shell.Safe, Kind: "run", Category: "run", Pack: devPack.Name, Rule: "module", Reason: "runs a module of Python or of the project"}
	switch module {
	case "venv", "json.tool", "http.server", "unittest", "compileall", "pydoc", "site", "ensurepip", "this", "doctest", "build", "platform", "sysconfig",
		"py_compile", "tabnanny", "ast", "dis", "tokenize", "calendar", "antigravity", "turtle", "inspect", "pickletools", "idlelib", "webbrowser", "lib2to3", "base64", "gzip", "mimetypes", "encodings.rot_13":
		return one(c, e)
	case "timeit", "code", "pty", "pdb", "cProfile", "profile", "trace", "runpy", "zipfile", "tarfile", "zipapp", "smtplib", "ftplib", "telnetlib", "smtpd":
		if (module == "zipfile" || module == "tarfile") && len(rest) > 0 && (rest[0].Text == "-l" || rest[0].Text == "--list" || rest[0].Text == "-t") {
			return one(c, e)
		}
		if file, ok := scriptFile(rest, "os", "cm"); ok && (module == "pdb" || module == "cProfile" || module == "trace") {
			return scriptEffect(c, file)
		}
		return nil, false
	case "django":
		module = "django-admin"
	}
	if strings.ContainsRune(module, shell.Hole) {
		return nil, false
	}
	inner := *c
	inner.Name, inner.Path, inner.Args = strings.ToLower(strings.ReplaceAll(module, "_", "-")), module, rest
	if knows(inner.Name) {
		return Effects(&inner, nil)
	}
	if inner.Name = strings.ToLower(module); knows(inner.Name) {
		return Effects(&inner, nil)
	}
	if telling(module) {
		e.Label, e.Radius = shell.Unknown, shell.RadiusMedium
	}
	return one(c, e)
}

// phpFlag reports whether php only checks a file, says something of itself or
// serves files.
func phpFlag(args []shell.Word) bool {
	for i := range args {
		switch args[i].Text {
		case "-l", "--syntax-check", "-S", "--server", "-m", "-i", "--ini", "--modules", "--info", "--rf", "--ri":
			return true
		case "-r", "--run", "-B", "-R", "-E":
			return false
		}
	}
	return false
}

// trimDigits takes the version off a name: python3.11.
func trimDigits(name string) string {
	return strings.TrimSuffix(strings.TrimRight(name, "0123456789."), "-")
}
