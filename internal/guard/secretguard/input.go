package secretguard

import (
	"context"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/catalog/issuers"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
	"github.com/checkrein/checkrein/internal/shell/windows"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// judgeInput returns the verdict for the arguments of a tool call: first for the markers in them, then
// for the secrets.
func (k *defaultGuard) judgeInput(ctx context.Context, call *Call) checkrein.Verdict {
	t := *call.Event.Tool
	t.Canonical = study.CanonicalName(&t)
	ev := call.Event
	ev.Tool = &t
	call.Event = ev
	var out checkrein.Verdict
	if placeholder.MayHaveLookalike(t.Input) {
		if out = judgeMarkers(call); out.Decision == checkrein.Deny {
			return out
		}
	}
	if list := k.findTypedSecrets(&ev); len(list) > 0 && !staysLocal(&t) {
		j := inputJudge{k: k, call: call, tool: &t, typed: list}
		j.judgeParts(ctx)
		out.Add(&j.verdict)
	}
	if ev.Kind == checkrein.PreToolUse && call.Env.Unreplaced != nil && out.Decision != checkrein.Deny {
		if why := call.Env.Unreplaced(&ev); why != "" {
			v := k.judgeReads(call, &t, why)
			out.Add(&v)
		}
	}
	return out
}

// staysLocal reports whether the arguments of t leave neither the machine nor the conversation.
func staysLocal(t *checkrein.Tool) bool {
	switch t.Canonical {
	case "read", "list", "glob", "search", "todo", "task":
		return true
	}
	return false
}

// findTypedSecrets returns the secrets in the arguments of the tool call ev.
func (k *defaultGuard) findTypedSecrets(ev *checkrein.Event) []shell.TypedSecret {
	var out []shell.TypedSecret
	c := NewCleaner(ev)
	c.Mark = func(text string, f secret.Finding) string {
		if value := text[f.Start:f.End]; !strings.Contains(value, "[REDACTED") {
			out = addTyped(out, shell.TypedSecret{Value: trimLoginHost(f.Rule, value), Rule: f.Rule, Issuers: k.issuerDomains(f.Rule)})
		}
		return placeholder.Bare
	}
	c.RedactJSON(ev.Tool.Input)
	return out
}

// addTyped adds s to list unless list already has a secret with the same value.
func addTyped(list []shell.TypedSecret, s shell.TypedSecret) []shell.TypedSecret {
	for i := range list {
		if list[i].Value == s.Value {
			return list
		}
	}
	return append(list, s)
}

// trimLoginHost returns value without the host that follows it if it is the password in a URL such as
// https://oauth2:VALUE@host/path.
func trimLoginHost(rule, value string) string {
	i := strings.IndexByte(value, '@')
	if i < 8 || issuers.ForRule(rule) == nil && !strings.ContainsAny(value[i:], "./") {
		return value
	}
	return value[:i]
}

// An inputJudge judges the secrets in the arguments of one call.
type inputJudge struct {
	k       *defaultGuard
	call    *Call
	tool    *checkrein.Tool
	typed   []shell.TypedSecret
	hosts   []string // the hosts of the call's URLs
	verdict checkrein.Verdict
}

// judgeParts judges all arguments of the call and sets j.verdict.
func (j *inputJudge) judgeParts(ctx context.Context) {
	parts := study.Parts(j.tool, tools.All)
	for i := range parts {
		if parts[i].Role == tools.URL {
			j.hosts = append(j.hosts, facts.HostOf(parts[i].Text).Name)
		}
	}
	var files []secretWrite
	for i := range parts {
		p := &parts[i]
		has := j.knownSecretsIn(p.Text)
		if len(has) == 0 {
			continue
		}
		switch p.Role {
		case tools.Command, tools.Argv:
			files = append(files, j.judgeCommand(p.Text, has)...)
			j.judgeCalls(p.Text, has)
		case tools.Content:
			if p.Path != "" {
				files = append(files, secretWrite{p.Path, has})
			} else {
				j.judgeSecretsInData(p, has)
			}
		case tools.URL:
			j.judgeURL(p.Text, has)
		case tools.Payload:
			j.judgePayload(p, has)
		case tools.Code:
			files = append(files, j.judgeCode(p, has)...)
		case tools.Data, tools.SQL, tools.Unread:
			j.judgeSecretsInData(p, has)
		}
	}
	rawjson.EachKey(j.tool.Input, func(name string) bool {
		if has := j.knownSecretsIn(name); len(has) > 0 {
			j.judgePayload(&tools.Part{Role: tools.Data, Text: name}, has)
		}
		return true
	})
	j.judgeHostArgs()
	j.judgeFiles(ctx, files)
}

// judgeCode judges the secrets has in the code p that a tool runs, and returns the files to which they
// are written. A secret is not a problem if the code names only hosts that may receive it.
func (j *inputJudge) judgeCode(p *tools.Part, has []shell.TypedSecret) []secretWrite {
	j.judgeSecretsInData(p, has)
	j.judgeURLs(p.Text, has)
	var out []secretWrite
	if text := study.CellCommands(p.Text); text != "" {
		out = j.judgeCommand(text, has)
	}
	hosts := quotedHosts(p.Text)
	has = slices.DeleteFunc(slices.Clone(has), func(s shell.TypedSecret) bool {
		return len(hosts) > 0 && !slices.ContainsFunc(hosts, func(host string) bool { return !j.mayReceive(&s, host) })
	})
	if len(has) == 0 {
		return out
	}
	for _, text := range study.CodeCommands(p) {
		out = append(out, j.judgeShell(text, has, shell.Bash)...)
	}
	return out
}

// quotedHosts returns the hosts that code names in quotes, alone or in a URL.
func quotedHosts(code string) []string {
	var out []string
	for code != "" {
		at := strings.IndexAny(code, "'\"`")
		if at < 0 {
			break
		}
		text, rest, ok := strings.Cut(code[at+1:], code[at:at+1])
		if !ok {
			break
		}
		if strings.Contains(text, "://") || strings.Contains(text, ".") && isHostName(text) {
			out = append(out, facts.HostOf(text).Name)
		}
		code = rest
	}
	return out
}

// knownSecretsIn returns the secrets of the call that text contains.
func (j *inputJudge) knownSecretsIn(text string) []shell.TypedSecret {
	var out []shell.TypedSecret
	for i := range j.typed {
		if strings.Contains(text, j.typed[i].Value) {
			out = append(out, j.typed[i])
		}
	}
	return out
}

// decide sets the verdict to the decision d if that is stricter. The text why completes the sentence
// "this ...". The text way is a sentence about what would be acceptable, or "".
func (j *inputJudge) decide(d checkrein.Decision, rule, why, way string) {
	if d <= j.verdict.Decision {
		return
	}
	j.verdict.Decision, j.verdict.Reason = d, "this "+why
	j.verdict.Metadata = builtin.Metadata(shell.ImpactHigh.String(), shell.ExfilSecret.String(), "")
	if way != "" {
		j.verdict.Reason += ". " + way + "."
		j.verdict.Metadata["instead"] = strings.ToLower(way[:1]) + way[1:]
	}
	j.verdict = builtin.SetRule(j.verdict, rule, why)
	j.verdict.Because = []checkrein.Cause{{Label: shell.Exfiltration.String(), Category: shell.ExfilSecret.String(), Rule: rule, Radius: shell.ImpactHigh.String()}}
}

// denyTransfer denies sending the secret s to where, which is not its issuer. If only a name suggests
// that it is a secret, it asks instead.
func (j *inputJudge) denyTransfer(s *shell.TypedSecret, where string) {
	if where == "" {
		where = "an unknown host"
	}
	if who := issuers.ForRule(s.Rule); who != nil {
		j.decide(checkrein.Deny, "secrets/payload", "gives a secret ("+s.Rule+") to "+where, "Give it to "+who.Name+" only; if your own host issues such tokens, name it in your configuration: secrets: {issuers: {"+who.Name+": [HOST]}}")
		return
	}
	d := checkrein.Deny
	if secret.ReliesOnName(s.Rule) {
		d = checkrein.Ask
	}
	j.decide(d, "secrets/payload", "sends a secret ("+s.Rule+") to "+where, "Send it as a credential (Authorization header, cookie, user and password), not in the body, path or query")
}

// judgeCommand judges the secrets has in the shell command text, and returns the files to which they
// are written.
func (j *inputJudge) judgeCommand(text string, has []shell.TypedSecret) []secretWrite {
	return j.judgeShell(text, has, windows.GuessDialect(text))
}

// judgeShell is like judgeCommand for a command in the dialect d.
func (j *inputJudge) judgeShell(text string, has []shell.TypedSecret, d shell.Dialect) []secretWrite {
	place := study.CallPlace(&j.call.Event, study.NewCallEnv(&j.call.Call))
	place.TypedSecrets, place.Dialect = has, d
	report, stored := classify.CommandWithSecrets(text, place)
	for i := range report.Effects {
		e := &report.Effects[i]
		if e.Rule != shell.RuleTyped || e.Label != shell.Exfiltration {
			continue
		}
		where := ""
		if len(e.Hosts) > 0 && isHostName(e.Hosts[0]) {
			where = e.Hosts[0]
		}
		for k := range has {
			if strings.Contains(e.Reason, "("+has[k].Rule+")") && (where != "" || !j.onlyToIssuer(text, &has[k])) {
				j.denyTransfer(&has[k], where)
			}
		}
	}
	var out []secretWrite
	for _, path := range stored {
		if !strings.ContainsRune(path, shell.Placeholder) {
			out = append(out, secretWrite{path, has})
		}
	}
	return out
}

// isHostName reports whether s can be a host name, optionally with a port.
func isHostName(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789.-:") == ""
}

// judgeURL judges the secrets has in the URL text, whose user name and password may be credentials for
// its host.
func (j *inputJudge) judgeURL(text string, has []shell.TypedSecret) {
	user, addr, rest := facts.SplitURL(text)
	host := facts.HostOf(text).Name
	for i := range has {
		s := &has[i]
		signsIn := len(s.Issuers) == 0 && strings.Contains(user, s.Value) && !strings.Contains(addr+rest, s.Value)
		if !j.mayReceive(s, host) && !signsIn {
			j.denyTransfer(s, host)
		}
	}
}

// judgePayload judges the secrets has in the argument p, which is sent to the URLs of the same call.
func (j *inputJudge) judgePayload(p *tools.Part, has []shell.TypedSecret) {
	if len(j.hosts) == 0 {
		j.judgeSecretsInData(p, has)
		return
	}
	for i := range has {
		s := &has[i]
		for _, host := range j.hosts {
			if !j.mayReceive(s, host) && (len(s.Issuers) > 0 || !isCredentialKey(p.Key)) {
				j.denyTransfer(s, host)
			}
		}
	}
}

// mayReceive reports whether host may receive s in any part of a request.
func (j *inputJudge) mayReceive(s *shell.TypedSecret, host string) bool {
	return inDomains(host, s.Issuers) || facts.HostOf(host).IsLocal()
}

// isCredentialKey reports whether an argument called key is meant for credentials.
func isCredentialKey(key string) bool {
	return facts.IsCredentialName(key) || strings.Contains(strings.ToLower(key), "user")
}

// judgeSecretsInData judges the secrets found in the text p of a tool. A web search sends it away.
// The effect of an MCP tool is unknown: a tool that is named after the issuer may get the secret,
// others need the user's permission.
func (j *inputJudge) judgeSecretsInData(p *tools.Part, found []shell.TypedSecret) {
	name := j.tool.Canonical
	for i := range found {
		s := &found[i]
		switch {
		case name == "websearch":
			j.denyTransfer(s, "a search engine")
		case name == "fetch":
			j.judgePayload(&tools.Part{}, found)
		case !strings.HasPrefix(name, "mcp:") || secret.ReliesOnName(s.Rule):
		case issuers.ForRule(s.Rule) != nil && strings.Contains(strings.ToLower(name), issuers.ForRule(s.Rule).Name) && (isCredentialKey(p.Key) || !isMessagingName(name)):
		case isMessagingName(name):
			j.decide(checkrein.Deny, "secrets/message", "sends a secret ("+s.Rule+") with the messaging tool "+j.tool.Name, "Leave it out, or say where it is stored")
		default:
			j.decide(checkrein.Ask, "secrets/tool", "gives a secret ("+s.Rule+") to "+j.tool.Name+", which may do anything with it", "")
		}
	}
}

// isMessagingName reports whether the tool name suggests that the tool sends messages.
func isMessagingName(name string) bool {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	for _, w := range [...]string{"send", "post", "message", "comment", "issue", "mail", "publish", "upload", "tweet", "reply", "notify", "gist", "paste", "share"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// eachText calls fn for every string in val, with the name of the member that holds it. The name of
// val itself is key.
func eachText(val []byte, key string, fn func(key, text string)) {
	switch rawjson.Kind(val) {
	case '"':
		if s, ok := rawjson.Text(val); ok {
			fn(key, s)
		}
	case '{':
		rawjson.Each(val, func(k string, v []byte) bool { eachText(v, k, fn); return true })
	case '[':
		rawjson.Elements(val, func(_ int, v []byte) bool { eachText(v, key, fn); return true })
	}
}
