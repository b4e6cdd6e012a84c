package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// An sqlEffects collects the worst effect of the statements of a call.
type sqlEffects struct {
	worst     shell.Effect
	seen      bool
	bytesRead int // the number of bytes of statements that were read
}

// sqlClientEffects returns the effects of the statements that a database client runs, beyond what
// rules find by their first words: whether a condition selects rows, the statement after WITH, and the
// client's own commands. It reports false if c has no statements.
func sqlClientEffects(c *shell.Call) ([]shell.Effect, bool) {
	var s sqlEffects
	if usesMemoryDatabase(c) {
		s.addEffect(shell.Safe, shell.ImpactLow, "run", shell.SQLRead, "memory", "uses an in-memory database, which is discarded on exit")
		return singleEffect(c, s.worst)
	}
	s.addArgs(c)
	if !eachInput(c, func(text string) { s.addText(c, text, true) }) {
		if inputBuildsDestructiveSQL(c) {
			s.addEffect(shell.Destructive, shell.ImpactHigh, "drop", shell.SQLDrop, "written", "runs SQL from another command's output that drops or deletes data")
		}
		s.addEffect(shell.Unknown, shell.ImpactMedium, "run", shell.SQLWrite, "statement", "runs unknown statements")
	}
	known := len(c.Files) > 0
	for i := range c.Files {
		s.addText(c, c.Files[i].Text, true)
		known = known && c.Files[i].Complete
	}
	if len(c.Files) == 0 {
		s.addFileNames(c)
	}
	if !s.seen {
		return nil, false
	}
	if s.worst.Label == shell.Safe && !known && (len(c.Files) > 0 || runsSQLFile(c.Args)) {
		s.addEffect(shell.Unknown, shell.ImpactMedium, "run", shell.SQLWrite, "statement", "runs an unknown SQL file")
	}
	return singleEffect(c, s.worst)
}

// addArgs adds the arguments of a client that are or may be statements.
func (s *sqlEffects) addArgs(c *shell.Call) {
	words, dots := 0, program.NestsOf(c.Name) == program.NestsDotClient
	for i := range c.Args {
		t := c.Args[i].Text
		switch {
		case i > 0 && isSQLOption(c.Args[i-1].Text):
			// The value may begin with a comment. In psql, -q is a different option.
			s.addText(c, t, c.Args[i-1].Text != "-q" || strings.Contains(t, " "))
		case len(t) > 2 && t[0] == '-' && t[1] == '-':
			if _, value, ok := strings.Cut(t, "="); ok {
				s.addText(c, value, false)
			}
		case len(t) > 2 && t[0] == '-' && strings.IndexByte("ceqQ", t[1]) >= 0:
			s.addText(c, t[2:], false)
		case len(t) > 1 && t[0] == '-':
		case !dots && !strings.ContainsAny(t, " \t\n\\"): // a name, or a subcommand such as delete
		default:
			// The word may be a name. In sqlite3, statements follow the name of the database.
			s.addText(c, t, words > 0 && dots)
			words++
		}
	}
}

// addText adds the statements in text, as far as maxSQL allows. If sure is false, text may be
// something else, such as a name.
func (s *sqlEffects) addText(c *shell.Call, text string, sure bool) {
	if room := maxSQL - s.bytesRead; len(text) > room {
		text = text[:room]
		s.addEffect(shell.Unknown, shell.ImpactUnknown, "run", shell.SQLWrite, "long", "runs SQL that is too long to be checked")
	}
	s.bytesRead += len(text)
	s.addStatements(text, sure)
}

// isSQLOption reports whether the value of flag is SQL.
func isSQLOption(flag string) bool {
	switch flag {
	case "-c", "--command", "-e", "--execute", "-q", "--query", "-Q", "-execute", "--init-command", "-cmd", "--eval":
		return true
	}
	return false
}

// runsSQLFile reports whether args make a client run a file of statements.
func runsSQLFile(args []shell.Word) bool {
	for i := range args {
		switch t := args[i].Text; {
		case t == "-f", t == "--file", t == "-init", t == "--queries-file", t == "-i", strings.HasPrefix(t, "--file="), strings.HasPrefix(t, "-f"):
			return true
		}
	}
	return false
}

// addFileNames adds the effects that the names of SQL files suggest, like those of project tasks.
func (s *sqlEffects) addFileNames(c *shell.Call) {
	addName := func(file string) {
		if !strings.HasSuffix(file, ".sql") || len(file) > program.MaxMatch {
			return
		}
		if t := parseTaskName(scriptName(file)); t.deletes && !t.harmless {
			s.addEffect(shell.Destructive, shell.ImpactMedium, "drop", shell.SQLDrop, "file-name", "runs a file whose name suggests that it drops or deletes data: "+truncate(file))
		}
	}
	for i := range c.Args {
		t := c.Args[i].Text
		if i > 0 && (c.Args[i-1].Text == "-f" || c.Args[i-1].Text == "--file") {
			addName(t)
		} else if value, ok := strings.CutPrefix(t, "--file="); ok {
			addName(value)
		}
	}
	for i := range c.Redir {
		if c.Redir[i].Op == "<" {
			addName(c.Redir[i].Target.Text)
		}
	}
}

// addEffect adds an effect. Only the worst one is kept.
func (s *sqlEffects) addEffect(l shell.Label, r shell.Impact, kind string, category shell.Category, rule, reason string) {
	e := shell.Effect{Label: l, Kind: kind, Category: category, Rule: rule, Impact: r, Reason: reason}
	if !s.seen || isWorse(&e, &s.worst) {
		s.worst = e
	}
	s.seen = true
}

// addStatements adds the statements and the client's own commands in text. A statement ends at a
// semicolon, and a command of the client at the end of its line.
func (s *sqlEffects) addStatements(text string, sure bool) {
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n;")
		if text == "" {
			return
		}
		if text[0] == '.' || text[0] == '\\' {
			var line string
			line, text, _ = strings.Cut(text, "\n")
			s.addClientCommand(line, sure)
			continue
		}
		var one string
		one, text = cutStatement(text)
		s.addStatement(one, sure)
	}
}

// addClientCommand adds a command of the client itself, such as \dt in psql or .tables in sqlite3. If
// sure is false, line may be something else, such as a path.
func (s *sqlEffects) addClientCommand(line string, sure bool) {
	word, _, _ := strings.Cut(line, " ")
	safe := false
	if word[0] == '.' {
		if strings.ContainsAny(word, "/") || len(word) < 3 || word[1] == '.' {
			return // a path
		}
		safe = inListFold(".tables .table .schema .databases .headers .header .mode .indexes .indices .fullschema .width .show .stats .timer .help .quit .exit .nullvalue .separator .changes .columns .eqp .lint .dump .dbinfo .version .print .echo .limit .explain .bail .timeout .prompt .maxrows .maxwidth .rows .largest .keyword .output .once .backup .save .clone", word)
	} else {
		low := strings.TrimRight(strings.ToLower(word), "+s")
		safe = strings.HasPrefix(low, `\d`) || inListFold(`\l \c \connect \conninfo \x \timing \pset \q \z \f \v \echo \qecho \? \h \a \t \encoding \list \set \unset \prompt \sf \errverbose \crosstabview \g \u \use \statu \help \copy \o \out \w \write \ir \watch`, low) || low == `\`
		safe = safe && !strings.Contains(line, "|")
	}
	switch {
	case word == ".restore":
		s.addEffect(shell.Destructive, shell.ImpactMedium, "drop", shell.SQLDrop, "restore-file", "replaces the whole database")
	case safe:
		s.addEffect(shell.Safe, shell.ImpactLow, "read", shell.SQLRead, "client-command", "queries the database or changes the output format")
	case sure || word[0] == '.':
		s.addEffect(shell.Unknown, shell.ImpactMedium, "run", shell.SQLWrite, "client-command", "runs a client command that reads or writes files or starts programs")
	}
}

// addStatement adds one statement. If sure is false, text may be something else, such as a name.
func (s *sqlEffects) addStatement(text string, sure bool) {
	word, rest := nextSQLWord(text)
	for word == "(" {
		word, rest = nextSQLWord(rest)
	}
	var buf [12]byte
	if len(word) == 0 {
		return
	}
	if len(word) > len(buf) {
		if sure {
			s.addUnknown()
		}
		return
	}
	for i := range len(word) {
		buf[i] = word[i]
		if 'a' <= word[i] && word[i] <= 'z' {
			buf[i] -= 'a' - 'A'
		}
	}
	switch string(buf[:len(word)]) {
	case "WITH", "EXPLAIN", "DO", "BEGIN":
		s.addEnclosing(text, word)
	case "SELECT", "SHOW", "DESCRIBE", "DESC", "TABLE", "VALUES", "PRAGMA", "USE", "HELP", "SET", "COMMIT", "ROLLBACK", "START", "SAVEPOINT", "RELEASE",
		"END", "ANALYZE", "VACUUM", "FETCH", "SUMMARIZE", "FROM", "CHECK", "CHECKSUM", "PRINT", "GO", "LIST", "EXISTS", "REINDEX":
		s.addRead(text, word, sure)
	case "INSERT", "CREATE", "COMMENT":
		s.addInsert(rest, sure)
	case "DELETE":
		s.addRowChange(text, "delete")
	case "UPDATE":
		s.addRowChange(text, "update")
	case "ALTER":
		s.addAlter(text, rest)
	case "DROP":
		s.addDrop(rest)
	case "TRUNCATE":
		s.addEffect(shell.Destructive, shell.ImpactHigh, "truncate", shell.SQLTruncate, "truncate", "empties tables")
	default:
		if sure {
			s.addUnknown()
		}
	}
}

// addInsert adds a statement such as INSERT or CREATE that adds rows or objects, or replaces a table.
// The rest is the text after its verb. If sure is false, it may be something else.
func (s *sqlEffects) addInsert(rest string, sure bool) {
	next, tail := nextSQLWord(rest)
	if strings.EqualFold(next, "or") {
		_, tail = nextSQLWord(tail)
		if what, _ := nextSQLWord(tail); strings.EqualFold(what, "table") {
			s.addEffect(shell.Destructive, shell.ImpactHigh, "drop", shell.SQLDrop, "replace-table", "replaces a table")
			return
		}
	}
	if next != "" && (sure || followsInsertVerb(next)) {
		s.addEffect(shell.Safe, shell.ImpactLow, "modify", shell.SQLWrite, "insert", "adds rows or tables to a database")
	}
}

// addAlter adds the ALTER statement text, which may drop or add a part of a table. The rest is the
// text after its verb.
func (s *sqlEffects) addAlter(text, rest string) {
	if hasSQLWord(text, "drop") || hasSQLWord(text, "detach") || hasSQLWord(text, "truncate") || hasSQLWord(rest, "delete") {
		s.addEffect(shell.Destructive, shell.ImpactMedium, "drop", shell.SQLDrop, "alter-drop", "drops a column or another part of a table")
	} else if what, _ := nextSQLWord(rest); strings.EqualFold(what, "table") && hasSQLWord(text, "add") {
		s.addEffect(shell.Safe, shell.ImpactLow, "modify", shell.SQLAlter, "alter-add", "adds a column or a constraint to a table")
	}
}

// addUnknown adds the effect of an unknown statement.
func (s *sqlEffects) addUnknown() {
	s.addEffect(shell.Unknown, shell.ImpactMedium, "run", shell.SQLWrite, "statement", "runs an unknown statement")
}

// addDrop adds a DROP statement; rest is the text after the verb. If rest is empty, drop is the name
// of a database and nothing is added.
func (s *sqlEffects) addDrop(rest string) {
	what, _ := nextSQLWord(rest)
	switch {
	case what == "":
		return
	case inListFold("index view function procedure trigger user role sequence type extension policy rule constraint event domain aggregate cast collation operator server language", what):
		s.addEffect(shell.Destructive, shell.ImpactMedium, "drop", shell.SQLDrop, "drop-object", "drops part of a database")
	default:
		s.addEffect(shell.Destructive, shell.ImpactHigh, "drop", shell.SQLDrop, "drop-table", "drops a table, a schema or a whole database")
	}
}

// followsInsertVerb reports whether word is a keyword that can follow INSERT or CREATE.
func followsInsertVerb(word string) bool {
	return inListFold("into table or on temp temporary unique index database schema view materialized virtual user role ignore overwrite if unlogged global keyspace sequence type function extension", word)
}

// addRead adds a statement that reads, unless a function in it does more. The word is its verb.
func (s *sqlEffects) addRead(text, word string, sure bool) {
	if !sure && len(strings.TrimSpace(text)) == len(word) {
		return // the word may be the name of a database
	}
	if strings.EqualFold(word, "select") {
		switch {
		case hasSQLWord(text, "outfile") || hasSQLWord(text, "dumpfile"):
			s.addEffect(shell.Unknown, shell.ImpactMedium, "overwrite", shell.FSOverwrite, "outfile", "writes a file on the database server")
			return
		case containsAnyFold(text, "pg_terminate_backend", "pg_cancel_backend", "lo_export", "lo_unlink", "pg_drop_replication_slot", "pg_read_file", "pg_ls_dir", "dblink", "pg_reload_conf", "pg_write", "load_extension", "writefile(", "sys_exec", "xp_cmdshell", "load_file("):
			s.addEffect(shell.Unknown, shell.ImpactHigh, "run", shell.SQLWrite, "function", "calls a function that ends sessions or accesses files or programs")
			return
		}
	}
	s.addEffect(shell.Safe, shell.ImpactLow, "read", shell.SQLRead, "select", "reads a database")
}

// addRowChange adds the statement text, which deletes or updates all rows, or those that a condition
// selects. The verb is "delete" or "update".
func (s *sqlEffects) addRowChange(text, verb string) {
	all := !hasSQLWord(text, "where")
	if !all {
		_, cond, _ := cutAtLastWord(text, "where")
		cond = strings.TrimRight(strings.TrimSpace(cond), "; ")
		all = inListFold("1 1=1 true 't' '1'='1' not", strings.ReplaceAll(cond, " ", "")) || strings.EqualFold(strings.ReplaceAll(cond, " ", ""), "notfalse")
	}
	switch {
	case verb == "delete" && all:
		s.addEffect(shell.Destructive, shell.ImpactHigh, "delete", shell.SQLDelete, "delete-all", "deletes every row of a table")
	case verb == "delete":
		s.addEffect(shell.Destructive, shell.ImpactLow, "delete", shell.SQLDelete, "delete-rows", "deletes rows")
	case all:
		s.addEffect(shell.Destructive, shell.ImpactHigh, "overwrite", shell.SQLUpdate, "update-all", "updates all rows of a table")
	default:
		s.addEffect(shell.Unknown, shell.ImpactMedium, "modify", shell.SQLUpdate, "update", "changes rows")
	}
}

// cutAtLastWord splits the statement text around the last occurrence of word, ignoring case. The word
// ends before. It reports false if text does not contain word.
func cutAtLastWord(text, word string) (before, behind string, ok bool) {
	for rest := text; rest != ""; {
		var got string
		if got, rest = nextSQLWord(rest); strings.EqualFold(got, word) {
			before, behind, ok = text[:len(text)-len(rest)], rest, true
		}
	}
	return before, behind, ok
}

// addEnclosing adds the statement text, which begins with word, such as WITH or DO, and contains
// the decisive verb later.
func (s *sqlEffects) addEnclosing(text, word string) {
	if strings.EqualFold(word, "explain") && !hasSQLWord(text, "analyze") {
		s.addEffect(shell.Safe, shell.ImpactLow, "read", shell.SQLRead, "select", "shows a query plan")
		return
	}
	switch {
	case hasSQLWord(text, "drop"):
		s.addEffect(shell.Destructive, shell.ImpactHigh, "drop", shell.SQLDrop, "drop-table", "drops part of a database")
	case hasSQLWord(text, "truncate"):
		s.addEffect(shell.Destructive, shell.ImpactHigh, "truncate", shell.SQLTruncate, "truncate", "empties tables")
	case hasSQLWord(text, "delete"):
		s.addRowChange(text, "delete")
	case hasSQLWord(text, "update"):
		s.addRowChange(text, "update")
	case (strings.EqualFold(word, "do") || hasSQLWord(text, "execute")) && buildsDestructiveSQL(strings.ToLower(text)):
		s.addEffect(shell.Destructive, shell.ImpactHigh, "drop", shell.SQLDrop, "written", "builds and runs a statement that drops or deletes data")
	case strings.EqualFold(word, "do") || hasSQLWord(text, "execute"):
		s.addUnknown()
	default:
		s.addEffect(shell.Safe, shell.ImpactLow, "read", shell.SQLRead, "select", "reads a database")
	}
}
