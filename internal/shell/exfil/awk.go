package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// awk is about the connections of gawk: print … |& "/inet/tcp/0/HOST/PORT".
func (t *tracer) awk(c *shell.Call) (shell.Effect, bool) {
	for i := range c.Args {
		code := c.Args[i].Text
		at := strings.Index(code, "/inet")
		if at < 0 || len(code) > maxScript {
			continue
		}
		h := inetHost(code[at:])
		if !h.Set() || h.Zone == facts.Here {
			continue
		}
		writes := strings.Contains(code, "print") && strings.Contains(code, "|&")
		if writes && strings.Contains(code, "|& getline") || strings.Contains(code, "system(") {
			return remoteShell(c, h), true
		}
		if !writes {
			continue
		}
		s := sending{to: h}
		s.add(t.input(c), socket)
		s.add(quotedFiles(code), socket)
		for j := i + 1; j < len(c.Args); j++ {
			s.add(t.fileWord(c, &c.Args[j]), socket)
		}
		return s.effect(c)
	}
	return shell.Effect{}, false
}

// inetHost returns the host of /inet/tcp/0/HOST/PORT.
func inetHost(path string) facts.Host {
	for range 4 {
		_, rest, ok := strings.Cut(path, "/")
		if !ok {
			return facts.Host{}
		}
		path = rest
	}
	if i := strings.IndexAny(path, "/\"'"); i > 0 {
		return facts.HostOf(path[:i])
	}
	return facts.Host{Zone: facts.Away} // put together by the program
}

// quotedFiles returns the worst of the files that code names in quotes.
func quotedFiles(code string) load {
	var all load
	for {
		_, rest, ok := strings.Cut(code, `"`)
		if !ok {
			return all
		}
		text, tail, ok := strings.Cut(rest, `"`)
		if !ok {
			return all
		}
		code = tail
		if facts.SecretFile(text) {
			return load{level: secret, from: fromPath, what: text, path: text}
		}
		if strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "/inet") {
			all = load{level: file, from: fromPath, what: text, path: text}
		}
	}
}
