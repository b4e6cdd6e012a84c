package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell/program"
)

// A runSyntax is syntax by which a database client or a statement starts a program.
type runSyntax struct {
	open  string // the text before the program, in lower case
	close string // the text after it; "" for the end of the line
	start bool   // only valid at the beginning of a line
	dot   bool   // valid in sqlite3 and duckdb
	slash bool   // valid in the other clients
}

var runSyntaxes = [...]runSyntax{
	{open: `\!`, slash: true},
	{open: `\g |`, slash: true},
	{open: `\gx |`, slash: true},
	{open: `\o |`, slash: true},
	{open: `\w |`, slash: true},
	{open: "program '", close: "'", slash: true},
	{open: "system ", start: true, slash: true},
	{open: "pager ", start: true, slash: true},
	{open: ":!!", start: true, slash: true},
	{open: "xp_cmdshell '", close: "'", slash: true},
	{open: "executable('", close: "'", slash: true},
	{open: ".shell ", start: true, dot: true},
	{open: ".system ", start: true, dot: true},
	{open: ".sh ", start: true, dot: true},
	{open: ".sy ", start: true, dot: true},
	{open: ".read |", start: true, dot: true},
	{open: ".import |", start: true, dot: true},
	{open: ".import '|", close: "'", start: true, dot: true},
	{open: `.import "|`, close: `"`, start: true, dot: true},
	{open: ".output |", start: true, dot: true},
	{open: ".once |", start: true, dot: true},
	{open: ",'", close: "'", dot: true}, // the editor of edit(x,'vi'); see addStartedPrograms
}

// addClientCommands adds the commands that a database client starts, such as \! x in psql and mysql,
// system x in mysql and .shell x in sqlite3.
func (n *nestedCollector) addClientCommands() {
	for i := range n.r.Flags {
		n.addClientText(n.r.Flags[i].Value)
	}
	for i := range n.r.Words {
		n.addClientText(n.r.Words[i].Text)
	}
	c := n.r.Call
	if c.In != nil {
		n.addClientText(c.In.Text)
	}
	for i := range c.Redir {
		if strings.HasPrefix(c.Redir[i].Op, "<<") {
			n.addClientText(c.Redir[i].Target.Text)
		}
	}
	for i := range c.Files {
		n.addClientText(c.Files[i].Text)
	}
}

// addClientText adds the commands that the lines of text run, and commands that stand for the files
// that they read or write.
func (n *nestedCollector) addClientText(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if line[0] == '.' {
			line = expandDotCommand(line)
		}
		n.addStartedPrograms(line)
		n.addClientOutputFile(line)
		n.addStatementFiles(line)
		if len(n.out) >= maxNested {
			return
		}
	}
}

// expandDotCommand returns line, a command of sqlite3, with its name in full and without quotes around
// a pipe.
func expandDotCommand(line string) string {
	word, rest, _ := strings.Cut(line, " ")
	for _, full := range [...]string{".shell", ".system", ".output", ".once", ".read", ".import", ".backup", ".save", ".clone", ".log"} {
		if len(word) > 2 && strings.HasPrefix(full, strings.ToLower(word)) {
			word = full
			break
		}
	}
	rest = strings.TrimSpace(rest)
	if len(rest) > 2 && (rest[0] == '\'' || rest[0] == '"') && rest[1] == '|' && word != ".import" {
		rest = strings.TrimRight(rest[1:], rest[:1])
	}
	if rest == "" {
		return word
	}
	return word + " " + rest
}

// addStartedPrograms adds the programs that line, text for a database client, starts.
func (n *nestedCollector) addStartedPrograms(line string) {
	small := strings.ToLower(line)
	dots := program.NestsOf(n.r.Name) == program.NestsDotClient
	for i := range runSyntaxes {
		run := &runSyntaxes[i]
		if dots && !run.dot || !dots && !run.slash || run.open == ",'" && !strings.Contains(small, "edit(") {
			continue
		}
		at := strings.Index(small, run.open)
		if at < 0 || run.start && at > 0 || len(small) != len(line) {
			continue
		}
		rest := line[at+len(run.open):]
		if run.close != "" {
			rest, _, _ = strings.Cut(rest, run.close)
		}
		if rest = strings.TrimSuffix(strings.TrimSpace(rest), ";"); strings.HasPrefix(rest, `"`) && strings.HasPrefix(run.open, ".import") {
			rest, _, _ = strings.Cut(rest[1:], `"`)
		}
		n.addCommand(rest)
	}
}

// addStatementFiles adds commands for the files outside the project that the statements in line read
// or write, as with load_file, into outfile, copy … to and vacuum into.
func (n *nestedCollector) addStatementFiles(line string) {
	small := strings.ToLower(line)
	if len(small) != len(line) {
		return
	}
	for _, open := range [...]string{"readfile('", "fsdir('", "load_file('", "read_text('", "read_blob('", "pg_read_file('"} {
		_, path, ok := strings.Cut(line, open)
		if at := strings.Index(small, open); !ok && at >= 0 {
			path, ok = line[at+len(open):], true
		}
		if path, _, _ = strings.Cut(path, "'"); ok && n.mayBeOutsideProject(path) {
			n.addFileCommand("cat ", path)
		}
	}
	for _, open := range [...]string{"into outfile '", "into dumpfile '", "vacuum into '", " to '"} {
		at := strings.Index(small, open)
		if at < 0 || open == " to '" && !strings.HasPrefix(small, "copy ") && !strings.Contains(small, "; copy ") {
			continue
		}
		path, _, _ := strings.Cut(line[at+len(open):], "'")
		if n.mayBeOutsideProject(path) {
			n.addWriteCommand(path)
		}
	}
}
