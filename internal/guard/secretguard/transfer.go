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

// judgeCalls judges secrets that the calls of the command text send away in a way that their arguments
// show, whatever the program is: in a URL, which may be inside code, in an option with which a program
// logs in to a host, or as text that is published.
func (j *inputJudge) judgeCalls(text string, has []shell.TypedSecret) {
	calls := classify.Calls(text, study.CallPlace(&j.call.Event, study.NewCallEnv(&j.call.Call)))
	for _, c := range calls {
		if takesText(c) {
			continue
		}
		for i := range c.Args {
			j.judgeURLs(c.Args[i].Text, has)
		}
		for i := range has {
			if s := &has[i]; len(s.Issuers) > 0 && callContains(c, s.Value) {
				j.judgeLogin(c, s)
			}
		}
	}
}

// judgeURLs judges the secrets has in the URLs in text, which may be code.
func (j *inputJudge) judgeURLs(text string, has []shell.TypedSecret) {
	for _, addr := range findURLs(text) {
		for i := range has {
			if s := &has[i]; strings.Contains(addr, s.Value) && !secret.ReliesOnName(s.Rule) {
				j.judgeURL(addr, has[i:i+1])
			}
		}
	}
}

// findURLs returns the URLs in text, each with the scheme replaced by https.
func findURLs(text string) []string {
	var out []string
	for {
		i := strings.Index(text, "://")
		if i < 0 {
			return out
		}
		rest := text[i+3:]
		end := strings.IndexAny(rest+" ", " \t\r\n\"'`)")
		if at := strings.IndexByte(rest[:end], '\\'); at >= 0 && strings.IndexByte(rest[at:end], '@') < 0 {
			end = at // an escape ends the URL, unless an @ follows and it may be part of a password
		}
		out = append(out, "https://"+rest[:end])
		text = rest
	}
}

// callContains reports whether value is in the arguments, the redirections or the piped input of c.
func callContains(c *shell.Call, value string) bool {
	has := func(c *shell.Call) bool {
		return slices.ContainsFunc(c.Args, func(w shell.Word) bool { return strings.Contains(w.Text, value) })
	}
	return has(c) || c.In != nil && slices.ContainsFunc(c.In.From, func(from *shell.Call) bool { return from != nil && has(from) }) ||
		slices.ContainsFunc(c.Redir, func(r shell.Redirect) bool { return strings.Contains(r.Target.Text, value) })
}

// judgeLogin judges calls of programs that take the secret s in one argument and a host in another.
func (j *inputJudge) judgeLogin(c *shell.Call, s *shell.TypedSecret) {
	words := make([]string, len(c.Args))
	for i := range c.Args {
		words[i] = c.Args[i].Text
	}
	switch c.Name {
	case "gh", "glab", "hub":
		if publishes(words, s.Value) || len(words) > 1 && isPublicNoun(words[0]) && callContains(&shell.Call{In: c.In, Redir: c.Redir}, s.Value) {
			j.decide(checkrein.Deny, "secrets/publish", "publishes a secret ("+s.Rule+") as text that others can read", "Leave it out, and rotate it if others have seen it")
		}
		return
	case "docker", "podman", "buildah", "nerdctl", "skopeo", "crane", "helm", "oras":
		if host := words[len(words)-1]; slices.Contains(words, "login") && !strings.Contains(host, s.Value) && strings.ContainsAny(host, ".:") && host[0] != '-' {
			j.judgeHost(s, host)
		}
	case "npm", "yarn", "pnpm":
		for _, w := range words {
			if rest, ok := strings.CutPrefix(w, "//"); ok && strings.Contains(w, ":_") {
				j.judgeHost(s, rest)
			}
		}
	case "git":
		if slices.ContainsFunc(words, func(w string) bool {
			return strings.Contains(w, s.Value) && strings.Contains(strings.ToLower(w), "extraheader")
		}) {
			for _, w := range words {
				for _, addr := range findURLs(w) {
					j.judgeHost(s, addr)
				}
			}
		}
	}
}

// judgeHost denies sending s to the host of addr unless the host may receive it.
func (j *inputJudge) judgeHost(s *shell.TypedSecret, addr string) {
	if host := facts.HostOf(addr).Name; !j.mayReceive(s, host) {
		j.denyTransfer(s, host)
	}
}

// isPublicNoun reports whether name is a command of a forge's program, such as issue or pr, whose text
// others can read.
func isPublicNoun(name string) bool {
	return slices.Contains([]string{"gist", "issue", "pr", "mr", "release", "discussion", "snippet"}, name)
}

// publishes reports whether words, the arguments of a forge's program, have value in a text that
// others can read.
func publishes(words []string, value string) bool {
	for i, w := range words {
		if !strings.Contains(w, value) {
			continue
		}
		if isPublicNoun(words[0]) {
			return true
		}
		key, _, ok := strings.Cut(w, "=")
		if words[0] == "api" && i > 0 && ok && !isCredentialKey(key) && !strings.Contains(key, value) {
			return true
		}
	}
	return false
}

// onlyToIssuer reports whether the command text only runs code in which all URLs belong to the issuer
// of s.
func (j *inputJudge) onlyToIssuer(text string, s *shell.TypedSecret) bool {
	calls := classify.Calls(text, study.CallPlace(&j.call.Event, study.NewCallEnv(&j.call.Call)))
	for _, c := range calls {
		switch facts.LanguageOf(c.Name) {
		case facts.Python, facts.Node, facts.Deno, facts.Bun, facts.Ruby, facts.PHP, facts.Perl:
		default:
			if c.Name != "cd" && c.Name != "echo" {
				return false
			}
		}
	}
	list := findURLs(text)
	return len(list) > 0 && !slices.ContainsFunc(list, func(addr string) bool {
		return !inDomains(facts.HostOf(addr).Name, s.Issuers)
	})
}

// judgeHostArgs judges calls of MCP tools that have a host in one argument and a secret in another.
func (j *inputJudge) judgeHostArgs() {
	if !strings.HasPrefix(j.tool.Canonical, "mcp:") {
		return
	}
	var hosts []string
	eachText(j.tool.Input, "", func(key, text string) {
		switch strings.ToLower(key) {
		case "host", "hostname", "domain", "server", "authority", "endpoint", "base_url", "baseurl", "origin":
			hosts = append(hosts, text)
		}
	})
	if len(hosts) == 0 {
		return
	}
	eachText(j.tool.Input, "", func(key, text string) {
		for _, s := range j.knownSecretsIn(text) {
			if secret.ReliesOnName(s.Rule) || len(s.Issuers) == 0 && isCredentialKey(key) {
				continue
			}
			for _, host := range hosts {
				j.judgeHost(&s, host)
			}
		}
	})
}
