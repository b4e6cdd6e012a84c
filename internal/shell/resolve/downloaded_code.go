package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell/argv"
)

// runsStdin reports whether an interpreter with the words of c runs its standard input, because they
// contain neither code nor a script.
func runsStdin(c *command) bool {
	for _, a := range c.words[1:] {
		if a.Text == "-" || a.Text == "/dev/stdin" {
			return true
		}
		if strings.HasPrefix(a.Text, "/dev/fd/") {
			return false
		}
		if a.Text == "" || a.Text[0] != '-' {
			return false
		}
		switch a.Text {
		case "-u", "-i", "-B", "-E", "-I", "-s", "-S", "-O", "-q", "-w", "-T", "--interactive", "-x":
		default:
			return false
		}
	}
	return true
}

// reportDownloaded reports c if its program, an interpreter, runs downloaded code.
func (w *walker) reportDownloaded(c *command) {
	if c.in != nil && argv.FindDownload(c.in.From) != nil && runsStdin(c) {
		w.reportRemoteCode(argv.FindDownload(c.in.From), c.words)
		return
	}
	for i, a := range c.words[1:] {
		f := w.fileHere(a.Text)
		if f != nil && argv.FindDownload(f.from) != nil {
			w.reportRemoteCode(argv.FindDownload(f.from), c.words)
			return
		}
		if f == nil && a.Text != "" && a.Text[0] != '-' {
			w.reportUnreadable(c, a.Text)
		}
		if d := argv.FindDownload(a.From); d != nil && (strings.HasPrefix(a.Text, "/dev/fd/") || i > 0 && strings.TrimSpace(a.Text) == placeholder) {
			w.reportRemoteCode(d, c.words)
			return
		}
		if a.Text != "run" && !strings.HasPrefix(a.Text, "-") && !argv.InterpreterFlagTakesValue(c.words[i].Text) {
			break // the arguments of the script follow
		}
	}
	if len(w.fetchedDirs) > 0 {
		w.reportFetchedScript(c)
	}
}
