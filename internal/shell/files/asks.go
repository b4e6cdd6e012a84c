package files

import "github.com/checkrein/checkrein/internal/shell"

// asksOnly reports whether a program is only asked for its help or version.
func asksOnly(args []shell.Word) bool {
	if len(args) != 1 {
		return false
	}
	switch args[0].Text {
	case "--help", "--version", "-h":
		return true
	}
	return false
}
