package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// An sqlSight is the worst that was seen in the statements of a call.
type sqlSight struct {
	worst shell.Effect
	seen  bool
	used  int // how much of the statements was read
}

// sqlClient returns the statements that a client is given, beyond what the rules
// say of their first words: whether rows are chosen, what stands behind WITH, and
// the client's own commands. A statement that is not known here is unknown.
func sqlClient(c *shell.Call) ([]shell.Effect, bool) {
	var s sqlSight
	if inMemory(c) {
		s.add(shell.Safe, shell.RadiusLow, "run", shell.SQLRead, "memory", "uses an in-memory database, which is discarded on exit")
		return one(c, s.worst)
	}
	s.words(c)
	if !eachInput(c, func(text string) { s.use(c, text, true) }) {
		if printsLoss(c) {
			s.add(shell.Destructive, shell.RadiusHigh, "drop", shell.SQLDrop, "written", "runs SQL from another command's output that drops or deletes data")
		}
		s.add(shell.Unknown, shell.RadiusMedium, "run", shell.SQLWrite, "statement", "runs unknown statements")
	}
	known := len(c.Files) > 0
	for i := range c.Files {
		s.use(c, c.Files[i].Text, true)
		known = known && c.Files[i].Sure
	}
	if len(c.Files) == 0 {
		s.byFile(c)
	}
	if !s.seen {
		return nil, false
	}
	if s.worst.Label == shell.Safe && !known && (len(c.Files) > 0 || runsFile(c.Args)) {
		s.add(shell.Unknown, shell.RadiusMedium, "run", shell.SQLWrite, "statement", "runs an unknown SQL file")
	}
	return one(c, s.worst)
}

// words takes in the words of a client that are statements or may be.
func (s *sqlSight) words(c *shell.Call) {
	words, dots := 0, program.NestsOf(c.Name) == program.NestsDotClient
	for i := range c.Args {
		t := c.Args[i].Text
		switch {
		case i > 0 && sqlOption(c.Args[i-1].Text):
			// It may begin with a comment. With psql -q is no such option.
			s.use(c, t, c.Args[i-1].Text != "-q" || strings.Contains(t, " "))
		case len(t) > 2 && t[0] == '-' && t[1] == '-':
			if _, value, ok := strings.Cut(t, "="); ok {
				s.use(c, value, false)
			}
		case len(t) > 2 && t[0] == '-' && strings.IndexByte("ceqQ", t[1]) >= 0:
			s.use(c, t[2:], false)
		case len(t) > 1 && t[0] == '-':
		case !dots && !strings.ContainsAny(t, " \t\n\\"): // a name, or a subcommand such as delete
		default:
			// It may be a name; sqlite3 takes statements behind that of the database.
			s.use(c, t, words > 0 && dots)
			words++
		}
	}
}

// use takes in a text for a client, as far as there is room for it.
func (s *sqlSight) use(c *shell.Call, text string, sure bool) {
	if room := maxSQL - s.used; len(text) > room {
		text = text[:room]
		s.add(shell.Unknown, shell.RadiusUnknown, "run", shell.SQLWrite, "long", "runs SQL that is too long to be checked")
	}
	s.used += len(text)
	s.text(text, sure)
}

// sqlOption reports whether an option's value is SQL.
func sqlOption(flag string) bool {
	switch flag {
	case "-c", "--command", "-e", "--execute", "-q", "--query", "-Q", "-execute", "--init-command", "-cmd", "--eval":
		return true
	}
	return false
}

// runsFile reports whether a client is told to run a file.
func runsFile(args []shell.Word) bool {
	for i := range args {
		switch t := args[i].Text; {
		case t == "-f", t == "--file", t == "-init", t == "--queries-file", t == "-i", strings.HasPrefix(t, "--file="), strings.HasPrefix(t, "-f"):
			return true
		}
	}
	return false
}

// byFile judges a file of statements by its name, as steps of a project are: what
// drops is called so.
func (s *sqlSight) byFile(c *shell.Call) {
	use := func(file string) {
		if !strings.HasSuffix(file, ".sql") || len(file) > program.MaxFit {
			return
		}
		if t := readTask(scriptName(file)); t.strong && !t.harmless {
			s.add(shell.Destructive, shell.RadiusMedium, "drop", shell.SQLDrop, "file-name", "runs a file whose name suggests that it drops or deletes data: "+clipped(file))
		}
	}
	for i := range c.Args {
		t := c.Args[i].Text
		if i > 0 && (c.Args[i-1].Text == "-f" || c.Args[i-1].Text == "--file") {
			use(t)
		} else if value, ok := strings.CutPrefix(t, "--file="); ok {
			use(value)
		}
	}
	for i := range c.Redir {
		if c.Redir[i].Op == "<" {
			use(c.Redir[i].Target.Text)
		}
	}
}

func (s *sqlSight) add(l shell.Label, r shell.Radius, kind string, category shell.Category, rule, reason string) {
	e := shell.Effect{Label: l, Kind: kind, Category: category, Rule: rule, Radius: r, Reason: reason}
	if !s.seen || worse(&e, &s.worst) {
		s.worst = e
	}
	s.seen = true
}

// text takes in statements. The client's own commands end with their line.
func (s *sqlSight) text(text string, sure bool) {
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n;")
		if text == "" {
			return
		}
		if text[0] == '.' || text[0] == '\\' {
			var line string
			line, text, _ = strings.Cut(text, "\n")
			s.own(line, sure)
			continue
		}
		var one string
		one, text = cutStatement(text)
		s.statement(one, sure)
	}
}

// own takes in a command of the client: \dt of psql, .tables of sqlite3.
func (s *sqlSight) own(line string, sure bool) {
	word, _, _ := strings.Cut(line, " ")
	safe := false
	if word[0] == '.' {
		if strings.ContainsAny(word, "/") || len(word) < 3 || word[1] == '.' {
			return // a path
		}
		safe = listed(".tables .table .schema .databases .headers .header .mode .indexes .indices .fullschema .width .show .stats .timer .help .quit .exit .nullvalue .separator .changes .columns .eqp .lint .dump .dbinfo .version .print .echo .limit .explain .bail .timeout .prompt .maxrows .maxwidth .rows .largest .keyword .output .once .backup .save .clone", word)
	} else {
		low := strings.TrimRight(strings.ToLower(word), "+s")
		safe = strings.HasPrefix(low, `\d`) || listed(`\l \c \connect \conninfo \x \timing \pset \q \z \f \v \echo \qecho \? \h \a \t \encoding \list \set \unset \prompt \sf \errverbose \crosstabview \g \u \use \statu \help \copy \o \out \w \write \ir \watch`, low) || low == `\`
		safe = safe && !strings.Contains(line, "|")
	}
	switch {
	case word == ".restore":
		s.add(shell.Destructive, shell.RadiusMedium, "drop", shell.SQLDrop, "restore-file", "replaces the whole database")
	case safe:
		s.add(shell.Safe, shell.RadiusLow, "read", shell.SQLRead, "client-command", "queries the database or changes the output format")
	case sure || word[0] == '.':
		s.add(shell.Unknown, shell.RadiusMedium, "run", shell.SQLWrite, "client-command", "runs a client command that reads or writes files or starts programs")
	}
}

// statement takes in one statement.
func (s *sqlSight) statement(text string, sure bool) {
	word, rest := nextWord(text)
	for word == "(" {
		word, rest = nextWord(rest)
	}
	var buf [12]byte
	if len(word) == 0 {
		return
	}
	if len(word) > len(buf) {
		if sure {
			s.unknown()
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
		s.compound(text, word)
	case "SELECT", "SHOW", "DESCRIBE", "DESC", "TABLE", "VALUES", "PRAGMA", "USE", "HELP", "SET", "COMMIT", "ROLLBACK", "START", "SAVEPOINT", "RELEASE",
		"END", "ANALYZE", "VACUUM", "FETCH", "SUMMARIZE", "FROM", "CHECK", "CHECKSUM", "PRINT", "GO", "LIST", "EXISTS", "REINDEX":
		s.read(text, word, sure)
	case "INSERT", "CREATE", "COMMENT":
		s.insert(rest, sure)
	case "DELETE":
		s.rows(text, "delete")
	case "UPDATE":
		s.rows(text, "update")
	case "ALTER":
		s.alter(text, rest)
	case "DROP":
		s.drop(rest)
	case "TRUNCATE":
		s.add(shell.Destructive, shell.RadiusHigh, "truncate", shell.SQLTruncate, "truncate", "empties tables")
	default:
		if sure {
			s.unknown()
		}
	}
}

// insert takes in a statement that adds, unless it says OR REPLACE TABLE.
func (s *sqlSight) insert(rest string, sure bool) {
	next, tail := nextWord(rest)
	if strings.EqualFold(next, "or") {
		_, tail = nextWord(tail)
		if what, _ := nextWord(tail); strings.EqualFold(what, "table") {
			s.add(shell.Destructive, shell.RadiusHigh, "drop", shell.SQLDrop, "replace-table", "replaces a table")
			return
		}
	}
	if next != "" && (sure || sqlFollows(next)) {
		s.add(shell.Safe, shell.RadiusLow, "modify", shell.SQLWrite, "insert", "adds rows or tables to a database")
	}
}

// alter reports what drops a part of a table from what adds one.
func (s *sqlSight) alter(text, rest string) {
	if hasWordSQL(text, "drop") || hasWordSQL(text, "detach") || hasWordSQL(text, "truncate") || hasWordSQL(rest, "delete") {
		s.add(shell.Destructive, shell.RadiusMedium, "drop", shell.SQLDrop, "alter-drop", "drops a column or another part of a table")
	} else if what, _ := nextWord(rest); strings.EqualFold(what, "table") && hasWordSQL(text, "add") {
		s.add(shell.Safe, shell.RadiusLow, "modify", shell.SQLAlter, "alter-add", "adds a column or a constraint to a table")
	}
}

func (s *sqlSight) unknown() {
	s.add(shell.Unknown, shell.RadiusMedium, "run", shell.SQLWrite, "statement", "runs an unknown statement")
}

// drop distinguishes a table from a database. A name of a database may be the word drop.
func (s *sqlSight) drop(rest string) {
	what, _ := nextWord(rest)
	switch {
	case what == "":
		return
	case listed("index view function procedure trigger user role sequence type extension policy rule constraint event domain aggregate cast collation operator server language", what):
		s.add(shell.Destructive, shell.RadiusMedium, "drop", shell.SQLDrop, "drop-object", "drops part of a database")
	default:
		s.add(shell.Destructive, shell.RadiusHigh, "drop", shell.SQLDrop, "drop-table", "drops a table, a schema or a whole database")
	}
}

// sqlFollows reports whether a word follows a verb in SQL rather than in a name.
func sqlFollows(word string) bool {
	return listed("into table or on temp temporary unique index database schema view materialized virtual user role ignore overwrite if unlogged global keyspace sequence type function extension", word)
}

// read takes in a statement that reads, unless a function in it does more.
func (s *sqlSight) read(text, word string, sure bool) {
	if !sure && len(strings.TrimSpace(text)) == len(word) {
		return // the name of a database may be such a word
	}
	if strings.EqualFold(word, "select") {
		switch {
		case hasWordSQL(text, "outfile") || hasWordSQL(text, "dumpfile"):
			s.add(shell.Unknown, shell.RadiusMedium, "overwrite", shell.FSOverwrite, "outfile", "writes a file on the database server")
			return
		case containsAnyFold(text, "pg_terminate_backend", "pg_cancel_backend", "lo_export", "lo_unlink", "pg_drop_replication_slot", "pg_read_file", "pg_ls_dir", "dblink", "pg_reload_conf", "pg_write", "load_extension", "writefile(", "sys_exec", "xp_cmdshell", "load_file("):
			s.add(shell.Unknown, shell.RadiusHigh, "run", shell.SQLWrite, "function", "calls a function that ends sessions or accesses files or programs")
			return
		}
	}
	s.add(shell.Safe, shell.RadiusLow, "read", shell.SQLRead, "select", "reads a database")
}

// rows takes in a statement that deletes or changes rows: does it choose them?
func (s *sqlSight) rows(text, verb string) {
	all := !hasWordSQL(text, "where")
	if !all {
		_, cond, _ := cutWord(text, "where")
		cond = strings.TrimRight(strings.TrimSpace(cond), "; ")
		all = listed("1 1=1 true 't' '1'='1' not", strings.ReplaceAll(cond, " ", "")) || strings.EqualFold(strings.ReplaceAll(cond, " ", ""), "notfalse")
	}
	switch {
	case verb == "delete" && all:
		s.add(shell.Destructive, shell.RadiusHigh, "delete", shell.SQLDelete, "delete-all", "deletes every row of a table")
	case verb == "delete":
		s.add(shell.Destructive, shell.RadiusLow, "delete", shell.SQLDelete, "delete-rows", "deletes rows")
	case all:
		s.add(shell.Destructive, shell.RadiusHigh, "overwrite", shell.SQLUpdate, "update-all", "updates all rows of a table")
	default:
		s.add(shell.Unknown, shell.RadiusMedium, "modify", shell.SQLUpdate, "update", "changes rows")
	}
}

// cutWord splits a statement around its last word of a kind.
func cutWord(text, word string) (before, behind string, ok bool) {
	for rest := text; rest != ""; {
		var got string
		if got, rest = nextWord(rest); strings.EqualFold(got, word) {
			before, behind, ok = text[:len(text)-len(rest)], rest, true
		}
	}
	return before, behind, ok
}

// compound takes in a statement whose verb comes later, or that holds several.
func (s *sqlSight) compound(text, word string) {
	if strings.EqualFold(word, "explain") && !hasWordSQL(text, "analyze") {
		s.add(shell.Safe, shell.RadiusLow, "read", shell.SQLRead, "select", "shows a query plan")
		return
	}
	switch {
	case hasWordSQL(text, "drop"):
		s.add(shell.Destructive, shell.RadiusHigh, "drop", shell.SQLDrop, "drop-table", "drops part of a database")
	case hasWordSQL(text, "truncate"):
		s.add(shell.Destructive, shell.RadiusHigh, "truncate", shell.SQLTruncate, "truncate", "empties tables")
	case hasWordSQL(text, "delete"):
		s.rows(text, "delete")
	case hasWordSQL(text, "update"):
		s.rows(text, "update")
	case (strings.EqualFold(word, "do") || hasWordSQL(text, "execute")) && writesLoss(strings.ToLower(text)):
		s.add(shell.Destructive, shell.RadiusHigh, "drop", shell.SQLDrop, "written", "builds and runs a statement that drops or deletes data")
	case strings.EqualFold(word, "do") || hasWordSQL(text, "execute"):
		s.unknown()
	default:
		s.add(shell.Safe, shell.RadiusLow, "read", shell.SQLRead, "select", "reads a database")
	}
}
