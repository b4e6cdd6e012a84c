package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// special knows calls whose effect hangs on more than which words there are: the
// number that kill is given, the method of a request, the commands that a
// key-value store reads, the file that an interpreter runs. Rules may hold for
// the same call as well; the worst counts.
func special(c *shell.Call) ([]shell.Effect, bool) {
	effects, ok := byName(c)
	if e, is := databaseOver(c); is { // what the program itself does is as known as before
		effects = append(effects, e)
	}
	if len(c.Env) > 0 && c.Name != "" {
		if e, is := surroundings(c); is {
			return append(e, effects...), true
		}
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
	if c.Remote != "" && !strings.HasSuffix(c.Remote, ")") {
		if e, ok := gear(c); ok {
			return e, true
		}
	}
	for _, of := range [...]func(name string) expert{machineExpert, dataExpert, networkExpert, projectExpert} {
		if judge := of(c.Name); judge != nil {
			return judge(c)
		}
	}
	return byRunner(c)
}

// An expert knows the calls of some programs.
type expert func(*shell.Call) ([]shell.Effect, bool)

// machineExpert is for programs about processes, files and settings of a machine.
func machineExpert(name string) expert {
	switch name {
	case "kill":
		return killed
	case "pkill", "killall", "gkillall":
		return killedByName
	case "fuser":
		return fuser
	case "kill-port", "fkill", "killport", "kill-port-process":
		return portTool
	case "ssh-keygen":
		return keygen
	case "ufw":
		return lockedOut
	case "vim", "vi", "nvim", "view", "ex", "ed", "emacs", "emacsclient", "nano", "pico", "micro", "joe", "hx", "helix", "kak", "mcedit", "gvim", "mvim", "ne", "jed", "mg":
		return editor
	case "date", "hostname", "uniq", "xxd":
		return oneWord
	case "sudo", "doas", "pkexec", "run0", "sudo-rs", "gsudo", "su", "runuser", "lxc", "incus", "multipass", "limactl", "colima",
		"distrobox", "distrobox-enter", "toolbox", "machinectl", "ssh", "autossh", "mosh", "xargs", "gxargs", "parallel", "sem", "watch":
		return carrier
	case "rimraf", "del", "del-cli", "trash-cli", "shx", "npkill":
		return fileDeleter
	}
	return nil
}

// dataExpert is for clients of databases and stores.
func dataExpert(name string) expert {
	switch name {
	case "redis-cli", "valkey-cli", "keydb-cli", "iredis":
		return redis
	case "psql", "pgcli", "mysql", "mariadb", "mycli", "mysqlsh", "sqlite3", "sqlite", "litecli", "sqlcmd", "mssql-cli", "clickhouse-client", "clickhouse", "clickhouse-local",
		"duckdb", "cockroach", "usql", "bq", "snowsql", "snow", "sqlplus", "cqlsh", "impala-shell", "hive", "beeline", "presto", "presto-cli", "trino",
		"spark-sql", "ksql", "isql", "tsql", "turso", "wrangler", "dolt", "mclient", "steampipe", "athenacli", "db2", "vsql", "exaplus", "nzsql",
		"rqlite", "surreal":
		return sqlClient
	case "mongosh", "mongo":
		return mongo
	case "cypher-shell":
		return cypher
	case "typeorm", "typeorm-ts-node-commonjs", "typeorm-ts-node-esm":
		return typeorm
	}
	return nil
}

// networkExpert is for programs that talk to other machines.
func networkExpert(name string) expert {
	switch name {
	case "nc", "ncat", "netcat", "telnet", "socat":
		return cacheLine
	case "curl", "curlie":
		return curl
	case "wget", "wget2":
		return wget
	case "http", "https", "xh", "xhs", "httpie":
		return httpie
	case "scp":
		return fetched
	case "kubectl", "oc":
		return podCopy
	}
	return nil
}

// projectExpert is for programs that run steps of a project.
func projectExpert(name string) expert {
	switch name {
	case "rails", "artisan", "console", "manage.py", "django-admin", "iex":
		return consoles
	case "make", "gmake":
		return makes
	case "just", "task", "rake", "mage", "invoke", "inv", "doit", "nx", "turbo", "gulp", "grunt", "ng", "hexo", "lerna", "rush", "cargo-make", "makers", "jake", "changeset", "composer", "moon", "lage", "mask", "ninja", "bmake":
		return task
	}
	return nil
}

// fileDeleter knows programs that delete files and do nothing else.
func fileDeleter(c *shell.Call) ([]shell.Effect, bool) {
	return one(c, shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.Run, Rule: "file-tool", Reason: "deletes files, which are checked separately"})
}

// makes knows make: what it is fed, else its targets.
func makes(c *shell.Call) ([]shell.Effect, bool) {
	if e, ok := makeInput(c); ok {
		return e, true
	}
	return task(c)
}

// byRunner knows programs that run others, or steps of the project.
func byRunner(c *shell.Call) ([]shell.Effect, bool) {
	if c.Name == "yarn" && len(c.Args) == 0 {
		return one(c, shell.Effect{Label: shell.Safe, Kind: "install", Category: shell.PkgInstall, Rule: "yarn-install", Reason: "installs the project's dependencies"})
	}
	switch c.Name {
	case "npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun", "uv", "uvx", "pipx", "php", "deno":
		if e, ok := runner(c); ok {
			return e, true
		}
		if e, ok := task(c); ok {
			return e, true
		}
	}
	return script(c)
}

// surroundings knows variables that make any program load or run something else.
func surroundings(c *shell.Call) ([]shell.Effect, bool) {
	for i := range c.Env {
		if v := &c.Env[i]; facts.Bends(v.Name) || v.Name == "PATH" && facts.StrangePath(v.Value.Text) {
			return one(c, shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.Unread, Rule: "surroundings", Radius: shell.RadiusUnknown, Reason: "runs with a variable set that loads or runs other code: " + c.Env[i].Name})
		}
	}
	return nil, false
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
