package secretguard

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// away is about secrets that the calls of a command take elsewhere in a way that
// their words show whatever the program is: in an address, be it in code, in an
// option that signs in at a host, or as text that others can read.
func (j *inputJudge) away(text string, has []shell.Typed) {
	calls := classify.Calls(text, study.PlaceOf(&j.call.Event, study.GroundOf(&j.call.Call)))
	for _, c := range calls {
		if speaks(c) {
			continue
		}
		for i := range c.Args {
			j.addresses(c.Args[i].Text, has)
		}
		for i := range has {
			if s := &has[i]; len(s.Issuers) > 0 && carries(c, s.Value) {
				j.handed(c, s)
			}
		}
	}
}

// addresses is about the addresses in a text, code too.
func (j *inputJudge) addresses(text string, has []shell.Typed) {
	for _, addr := range urlsIn(text) {
		for i := range has {
			if s := &has[i]; strings.Contains(addr, s.Value) && !secret.Guesses(s.Rule) {
				j.address(addr, has[i:i+1])
			}
		}
	}
}

// urlsIn returns the addresses in a text.
func urlsIn(text string) []string {
	var out []string
	for {
		i := strings.Index(text, "://")
		if i < 0 {
			return out
		}
		rest := text[i+3:]
		end := strings.IndexAny(rest+" ", " \t\r\n\"'`)")
		if at := strings.IndexByte(rest[:end], '\\'); at >= 0 && strings.IndexByte(rest[at:end], '@') < 0 {
			end = at // \" or \n; what has an @ behind it may be the host
		}
		out = append(out, "https://"+rest[:end])
		text = rest
	}
}

// carries reports whether a secret is in the words of a call or in what it reads.
func carries(c *shell.Call, value string) bool {
	has := func(c *shell.Call) bool {
		return slices.ContainsFunc(c.Args, func(w shell.Word) bool { return strings.Contains(w.Text, value) })
	}
	return has(c) || c.In != nil && slices.ContainsFunc(c.In.From, func(from *shell.Call) bool { return from != nil && has(from) }) ||
		slices.ContainsFunc(c.Redir, func(r shell.Redirect) bool { return strings.Contains(r.Target.Text, value) })
}

// handed is about programs that are given a secret in one word and a host in another.
func (j *inputJudge) handed(c *shell.Call, s *shell.Typed) {
	words := make([]string, len(c.Args))
	for i := range c.Args {
		words[i] = c.Args[i].Text
	}
	switch c.Name {
	case "gh", "glab", "hub":
		if published(words, s.Value) || len(words) > 1 && publicThings(words[0]) && carries(&shell.Call{In: c.In, Redir: c.Redir}, s.Value) {
			j.decide(checkrein.Deny, "secrets/publish", "publishes a secret ("+s.Rule+") as text that others can read", "Leave it out, and rotate it if others have seen it")
		}
		return
	case "docker", "podman", "buildah", "nerdctl", "skopeo", "crane", "helm", "oras":
		if host := words[len(words)-1]; slices.Contains(words, "login") && !strings.Contains(host, s.Value) && strings.ContainsAny(host, ".:") && host[0] != '-' {
			j.toHost(s, host)
		}
	case "npm", "yarn", "pnpm":
		for _, w := range words {
			if rest, ok := strings.CutPrefix(w, "//"); ok && strings.Contains(w, ":_") {
				j.toHost(s, rest)
			}
		}
	case "git":
		if slices.ContainsFunc(words, func(w string) bool {
			return strings.Contains(w, s.Value) && strings.Contains(strings.ToLower(w), "extraheader")
		}) {
			for _, w := range words {
				for _, addr := range urlsIn(w) {
					j.toHost(s, addr)
				}
			}
		}
	}
}

func (j *inputJudge) toHost(s *shell.Typed, addr string) {
	if host := facts.HostOf(addr).Name; !j.belongs(s, host) {
		j.gives(s, host)
	}
}

// publicThings reports whether a forge shows others what a command about it writes.
func publicThings(name string) bool {
	return slices.Contains([]string{"gist", "issue", "pr", "mr", "release", "discussion", "snippet"}, name)
}

// published reports whether the words of a forge's program have a value in a text
// that others can read.
func published(words []string, value string) bool {
	for i, w := range words {
		if !strings.Contains(w, value) {
			continue
		}
		if publicThings(words[0]) {
			return true
		}
		key, _, ok := strings.Cut(w, "=")
		if words[0] == "api" && i > 0 && ok && !credentialKey(key) && !strings.Contains(key, value) {
			return true
		}
	}
	return false
}

// onlyTo reports whether a command is code whose addresses all are a secret's own.
func (j *inputJudge) onlyTo(text string, s *shell.Typed) bool {
	calls := classify.Calls(text, study.PlaceOf(&j.call.Event, study.GroundOf(&j.call.Call)))
	for _, c := range calls {
		switch facts.TongueOf(c.Name) {
		case facts.Python, facts.Node, facts.Deno, facts.Bun, facts.Ruby, facts.PHP, facts.Perl:
		default:
			if c.Name != "cd" && c.Name != "echo" {
				return false
			}
		}
	}
	list := urlsIn(text)
	return len(list) > 0 && !slices.ContainsFunc(list, func(addr string) bool {
		return !under(facts.HostOf(addr).Name, s.Issuers)
	})
}

// named is about a server's tool that is given a host apart from what it sends there.
func (j *inputJudge) named() {
	if !strings.HasPrefix(j.tool.Canonical, "mcp:") {
		return
	}
	var hosts []string
	argTexts(j.tool.Input, "", func(key, text string) {
		switch strings.ToLower(key) {
		case "host", "hostname", "domain", "server", "authority", "endpoint", "base_url", "baseurl", "origin":
			hosts = append(hosts, text)
		}
	})
	if len(hosts) == 0 {
		return
	}
	argTexts(j.tool.Input, "", func(key, text string) {
		for _, s := range j.within(text) {
			if secret.Guesses(s.Rule) || len(s.Issuers) == 0 && credentialKey(key) {
				continue
			}
			for _, host := range hosts {
				j.toHost(&s, host)
			}
		}
	})
}
