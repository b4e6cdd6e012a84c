package program

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// OnlyPrintFiles reports whether there are calls and all of them only print files that their arguments
// name, like cat.
func OnlyPrintFiles(calls []*shell.Call) bool {
	for _, c := range calls {
		if !Is(c.Name, IsPlainCopier) || c.In != nil || len(c.Args) == 0 {
			return false
		}
		for i := range c.Args {
			if w := &c.Args[i]; !w.IsKnown() || w.Text == "-" {
				return false
			}
		}
	}
	return len(calls) > 0
}

// FetchCategory returns the category of running code that c downloads, by how far its source is
// authenticated.
func FetchCategory(c *shell.Call) shell.Category {
	if c.Remote != "" {
		return shell.RemoteCode
	}
	for i := range c.Redir {
		if strings.HasPrefix(c.Redir[i].Target.Text, "/dev/tcp/") {
			return shell.RemoteScriptPlain
		}
	}
	switch SendsOf(c.Name) {
	case SendsNetcat, SendsSocat, SendsFtp, SendsNames:
		return shell.RemoteScriptPlain // the sender is not authenticated
	}
	if !Is(c.Name, IsFetcher) {
		return shell.RemoteCode
	}
	worst := shell.NoCategory
	var w Walk
	for w.Start(c); w.Next(); {
		switch w.Name {
		case "k", "insecure", "no-check-certificate": // the server is not authenticated
			return shell.RemoteScriptPlain
		case "":
			worst = shell.WorseScriptCategory(worst, addressCategory(w.Arg.Text))
		}
	}
	if worst == shell.NoCategory {
		return shell.RemoteCode
	}
	return worst
}

// addressCategory returns the category of running code from address, a URL that may lack a scheme.
func addressCategory(address string) shell.Category {
	switch {
	case strings.Contains(address, "://"):
		return shell.ScriptCategory(address)
	case address == "" || strings.ContainsRune(address, shell.Placeholder) || strings.IndexByte(address, '.') <= 0 || address[0] == '/' || address[0] == '~':
		return shell.RemoteCode
	}
	return shell.ScriptCategory("http://" + address)
}
