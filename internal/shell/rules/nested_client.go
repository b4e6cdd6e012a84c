package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell/program"
)

// A clientRun is a command of database clients that starts a program, or a place
// within statements where one is named.
type clientRun struct {
	open  string // what stands before it, in lower case
	close string // what ends it; "" = the end of the line
	start bool   // at the beginning of a line only
	dot   bool   // sqlite3 and duckdb have it
	slash bool   // the others have it
}

var clientRuns = [...]clientRun{
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
	{open: ",'", close: "'", dot: true}, // the editor of edit(x,'vi'), see runsIn
}

// client takes in the commands by which database clients start a shell: \! x of
// psql and mysql, system x of mysql, .shell x of sqlite3.
func (n *nest) client() {
	for i := range n.r.Flags {
		n.clientText(n.r.Flags[i].Value)
	}
	for i := range n.r.Words {
		n.clientText(n.r.Words[i].Text)
	}
	c := n.r.Call
	if c.In != nil {
		n.clientText(c.In.Text)
	}
	for i := range c.Redir {
		if strings.HasPrefix(c.Redir[i].Op, "<<") {
			n.clientText(c.Redir[i].Target.Text)
		}
	}
	for i := range c.Files {
		n.clientText(c.Files[i].Text)
	}
}

// clientText takes in what the lines of a text run and write.
func (n *nest) clientText(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if line[0] == '.' {
			line = dotCommand(line)
		}
		n.clientRuns(line)
		n.clientFile(line)
		n.clientWrites(line)
		if len(n.out) >= maxNest {
			return
		}
	}
}

// dotCommand writes a command of sqlite3 out, which may be cut short, and takes the
// quotes off a pipe that it names.
func dotCommand(line string) string {
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

func (n *nest) clientRuns(line string) {
	small := strings.ToLower(line)
	dots := program.NestsOf(n.r.Name) == program.NestsDotClient
	for i := range clientRuns {
		run := &clientRuns[i]
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
		n.add(rest)
	}
}

// clientWrites takes in the files that statements write: into outfile, copy … to,
// vacuum into.
func (n *nest) clientWrites(line string) {
	small := strings.ToLower(line)
	if len(small) != len(line) {
		return
	}
	for _, open := range [...]string{"readfile('", "fsdir('", "load_file('", "read_text('", "read_blob('", "pg_read_file('"} {
		_, path, ok := strings.Cut(line, open)
		if at := strings.Index(small, open); !ok && at >= 0 {
			path, ok = line[at+len(open):], true
		}
		if path, _, _ = strings.Cut(path, "'"); ok && n.isElsewhere(path) {
			n.put("cat ", path)
		}
	}
	for _, open := range [...]string{"into outfile '", "into dumpfile '", "vacuum into '", " to '"} {
		at := strings.Index(small, open)
		if at < 0 || open == " to '" && !strings.HasPrefix(small, "copy ") && !strings.Contains(small, "; copy ") {
			continue
		}
		path, _, _ := strings.Cut(line[at+len(open):], "'")
		if n.isElsewhere(path) {
			n.write(path)
		}
	}
}
