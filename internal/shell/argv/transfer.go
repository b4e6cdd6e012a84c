package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A Transfer holds the parsed arguments of cp, mv, ln, install or rsync.
type Transfer struct {
	From      []shell.Word // the sources
	To        shell.Word   // the destination
	ToIsDir   bool         // To is a directory
	Recursive bool         // directories are transferred as well
	Force     bool
	Symlink   bool // symlinks are created, as with ln -s
	MakesDirs bool // From are directories to create, as with install -d
}

// ParseTransfer parses the arguments of call, which runs cp or a similar program. To is empty if call
// names no destination.
func ParseTransfer(call *shell.Call) Transfer {
	var t Transfer
	ends := false
	for i := 0; i < len(call.Args); i++ {
		a := call.Args[i]
		switch {
		case ends || len(a.Text) < 2 || a.Text[0] != '-':
			t.From = append(t.From, a)
		case a.Text == "--":
			ends = true
		case a.Text == "-t" || a.Text == "--target-directory":
			if i++; i < len(call.Args) {
				t.To, t.ToIsDir = call.Args[i], true
			}
		case strings.HasPrefix(a.Text, "--target-directory="):
			t.To, t.ToIsDir = a, true
			t.To.Text = a.Text[len("--target-directory="):]
		case strings.HasPrefix(a.Text, "--"):
			t.Recursive = t.Recursive || a.Text == "--recursive" || a.Text == "--archive"
			t.Symlink = t.Symlink || a.Text == "--symbolic"
			t.Force = t.Force || a.Text == "--force"
			t.MakesDirs = t.MakesDirs || a.Text == "--directory"
		case strings.Contains("mgoS", a.Text[1:2]) && strings.HasSuffix(call.Name, "install") || a.Text == "-S" || a.Text == "-e" && program.FilesOf(call.Name) == program.FilesRsync:
			if len(a.Text) == 2 {
				i++
			}
		default:
			t.Recursive = t.Recursive || strings.ContainsAny(a.Text, "rRa")
			t.Symlink = t.Symlink || strings.Contains(a.Text, "s")
			t.Force = t.Force || strings.Contains(a.Text, "f")
			t.MakesDirs = t.MakesDirs || strings.Contains(a.Text, "d") && strings.HasSuffix(call.Name, "install")
		}
	}
	if n := len(t.From); !t.ToIsDir && n > 1 && !t.MakesDirs {
		t.To, t.From = t.From[n-1], t.From[:n-1]
		t.ToIsDir = n > 2 || isDirName(t.To.Text)
	}
	return t
}

// isDirName reports whether path is a directory, as far as its text shows.
func isDirName(path string) bool {
	switch path {
	case ".", "..", "~", "/":
		return true
	}
	return facts.TempDirOf(path) == path || strings.HasSuffix(path, "/") || strings.HasSuffix(path, "/.") || strings.HasSuffix(path, "/..") || IsUsualPathDir(path)
}
