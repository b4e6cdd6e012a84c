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

// input judges what a tool is given: first the markers in it, then the secrets.
// The arguments are gone through once; only what has a finding costs more.
func (k *defaultGuard) input(ctx context.Context, call *Call) checkrein.Verdict {
	t := *call.Event.Tool
	t.Canonical = study.Canonical(&t)
	ev := call.Event
	ev.Tool = &t
	call.Event = ev
	var out checkrein.Verdict
	if placeholder.Alike(t.Input) {
		if out = judgeMarkers(call); out.Decision == checkrein.Deny {
			return out
		}
	}
	if list := k.typed(&ev); len(list) > 0 && !stays(&t) {
		j := inputJudge{k: k, call: call, tool: &t, typed: list}
		j.judge(ctx)
		out.Add(&j.verdict)
	}
	if ev.Kind == checkrein.PreToolUse && call.Env.Unreplaced != nil && out.Decision != checkrein.Deny {
		if why := call.Env.Unreplaced(&ev); why != "" {
			v := k.shown(call, &t, why)
			out.Add(&v)
		}
	}
	return out
}

// stays reports whether what a tool is given leaves neither the machine nor the
// conversation.
func stays(t *checkrein.Tool) bool {
	switch t.Canonical {
	case "read", "list", "glob", "search", "todo", "task":
		return true
	}
	return false
}

// typed returns the secrets in the arguments of a call.
func (k *defaultGuard) typed(ev *checkrein.Event) []shell.Typed {
	var out []shell.Typed
	c := SecretsOf(ev)
	c.Mark = func(text string, f secret.Finding) string {
		if value := text[f.Start:f.End]; !strings.Contains(value, "[REDACTED") {
			out = addTyped(out, shell.Typed{Value: inLogin(f.Rule, value), Rule: f.Rule, Issuers: k.domains(f.Rule)})
		}
		return placeholder.Bare
	}
	c.JSON(ev.Tool.Input)
	return out
}

func addTyped(list []shell.Typed, s shell.Typed) []shell.Typed {
	for i := range list {
		if list[i].Value == s.Value {
			return list
		}
	}
	return append(list, s)
}

// inLogin returns a value without the host behind it, where the value is the password
// of an address: https://oauth2:VALUE@host/path.
func inLogin(rule, value string) string {
	i := strings.IndexByte(value, '@')
	if i < 8 || issuers.Of(rule) == nil && !strings.ContainsAny(value[i:], "./") {
		return value
	}
	return value[:i]
}

// An inputJudge is about the secrets in the arguments of one call.
type inputJudge struct {
	k       *defaultGuard
	call    *Call
	tool    *checkrein.Tool
	typed   []shell.Typed
	hosts   []string // that the call talks to
	verdict checkrein.Verdict
}

func (j *inputJudge) judge(ctx context.Context) {
	parts := study.Parts(j.tool, tools.All)
	for i := range parts {
		if parts[i].Role == tools.URL {
			j.hosts = append(j.hosts, facts.HostOf(parts[i].Text).Name)
		}
	}
	var files []secretWrite
	for i := range parts {
		p := &parts[i]
		has := j.within(p.Text)
		if len(has) == 0 {
			continue
		}
		switch p.Role {
		case tools.Command, tools.Argv:
			files = append(files, j.command(p.Text, has)...)
			j.judgeCalls(p.Text, has)
		case tools.Content:
			if p.Path != "" {
				files = append(files, secretWrite{p.Path, has})
			} else {
				j.data(p, has)
			}
		case tools.URL:
			j.address(p.Text, has)
		case tools.Payload:
			j.payload(p, has)
		case tools.Code:
			files = append(files, j.code(p, has)...)
		case tools.Data, tools.SQL, tools.Unread:
			j.data(p, has)
		}
	}
	rawjson.Names(j.tool.Input, func(name string) bool {
		if has := j.within(name); len(has) > 0 {
			j.payload(&tools.Part{Role: tools.Data, Text: name}, has)
		}
		return true
	})
	j.judgeHostArgs()
	j.judgeFiles(ctx, files)
}

// code is about the secrets in code that a tool runs. One whose code names hosts of
// the issuer only goes there.
func (j *inputJudge) code(p *tools.Part, has []shell.Typed) []secretWrite {
	j.data(p, has)
	j.judgeURLs(p.Text, has)
	var out []secretWrite
	if text := study.CellCommands(p.Text); text != "" {
		out = j.command(text, has)
	}
	hosts := quotedHosts(p.Text)
	has = slices.DeleteFunc(slices.Clone(has), func(s shell.Typed) bool {
		return len(hosts) > 0 && !slices.ContainsFunc(hosts, func(host string) bool { return !j.belongs(&s, host) })
	})
	if len(has) == 0 {
		return out
	}
	for _, text := range study.CodeCommands(p) {
		out = append(out, j.shell(text, has, shell.Bash)...)
	}
	return out
}

// quotedHosts are the hosts that code names in quotes, alone or in an address.
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
		if strings.Contains(text, "://") || strings.Contains(text, ".") && isHost(text) {
			out = append(out, facts.HostOf(text).Name)
		}
		code = rest
	}
	return out
}

// within returns the secrets that are in a text.
func (j *inputJudge) within(text string) []shell.Typed {
	var out []shell.Typed
	for i := range j.typed {
		if strings.Contains(text, j.typed[i].Value) {
			out = append(out, j.typed[i])
		}
	}
	return out
}

// decide takes a decision into account; the strictest counts. way is what would be
// fine, in a sentence.
func (j *inputJudge) decide(d checkrein.Decision, rule, why, way string) {
	if d <= j.verdict.Decision {
		return
	}
	j.verdict.Decision, j.verdict.Reason = d, "this "+why
	j.verdict.Metadata = builtin.Metadata(shell.RadiusHigh.String(), shell.ExfilSecret.String(), "")
	if way != "" {
		j.verdict.Reason += ". " + way + "."
		j.verdict.Metadata["instead"] = strings.ToLower(way[:1]) + way[1:]
	}
	j.verdict = builtin.Sign(j.verdict, rule, why)
	j.verdict.Because = []checkrein.Cause{{Label: shell.Exfiltration.String(), Category: shell.ExfilSecret.String(), Rule: rule, Radius: shell.RadiusHigh.String()}}
}

// gives is about a secret that would go where it does not belong. One that is only
// guessed by its name is asked for.
func (j *inputJudge) gives(s *shell.Typed, where string) {
	if where == "" {
		where = "an unknown host"
	}
	if who := issuers.Of(s.Rule); who != nil {
		j.decide(checkrein.Deny, "secrets/payload", "gives a secret ("+s.Rule+") to "+where, "Give it to "+who.Name+" only; if your own host issues such tokens, name it in your configuration: secrets: {issuers: {"+who.Name+": [HOST]}}")
		return
	}
	d := checkrein.Deny
	if secret.Guesses(s.Rule) {
		d = checkrein.Ask
	}
	j.decide(d, "secrets/payload", "sends a secret ("+s.Rule+") to "+where, "Send it as a credential (Authorization header, cookie, user and password), not in the body, path or query")
}

// command is about the secrets in a shell command. It returns the files that they
// are written to.
func (j *inputJudge) command(text string, has []shell.Typed) []secretWrite {
	return j.shell(text, has, windows.Looks(text))
}

// shell is command where the language is known.
func (j *inputJudge) shell(text string, has []shell.Typed, d shell.Dialect) []secretWrite {
	place := study.PlaceOf(&j.call.Event, study.GroundOf(&j.call.Call))
	place.Typed, place.Dialect = has, d
	report, stored := classify.Typed(text, place)
	for i := range report.Effects {
		e := &report.Effects[i]
		if e.Rule != shell.RuleTyped || e.Label != shell.Exfiltration {
			continue
		}
		where := ""
		if len(e.Hosts) > 0 && isHost(e.Hosts[0]) {
			where = e.Hosts[0]
		}
		for k := range has {
			if strings.Contains(e.Reason, "("+has[k].Rule+")") && (where != "" || !j.onlyToIssuer(text, &has[k])) {
				j.gives(&has[k], where)
			}
		}
	}
	var out []secretWrite
	for _, path := range stored {
		if !strings.ContainsRune(path, shell.Hole) {
			out = append(out, secretWrite{path, has})
		}
	}
	return out
}

// isHost reports whether a text can be the name of a host.
func isHost(s string) bool {
	return s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789.-:") == ""
}

// address is about secrets in a URL: user and password are there to sign in.
func (j *inputJudge) address(text string, has []shell.Typed) {
	user, addr, rest := facts.Split(text)
	host := facts.HostOf(text).Name
	for i := range has {
		s := &has[i]
		signsIn := len(s.Issuers) == 0 && strings.Contains(user, s.Value) && !strings.Contains(addr+rest, s.Value)
		if !j.belongs(s, host) && !signsIn {
			j.gives(s, host)
		}
	}
}

// payload is about secrets in what is sent to an address of the same call.
func (j *inputJudge) payload(p *tools.Part, has []shell.Typed) {
	if len(j.hosts) == 0 {
		j.data(p, has)
		return
	}
	for i := range has {
		s := &has[i]
		for _, host := range j.hosts {
			if !j.belongs(s, host) && (len(s.Issuers) > 0 || !credentialKey(p.Key)) {
				j.gives(s, host)
			}
		}
	}
}

// belongs reports whether a secret may go to a host in any place.
func (j *inputJudge) belongs(s *shell.Typed, host string) bool {
	return under(host, s.Issuers) || facts.HostOf(host).Local()
}

// credentialKey reports whether an argument is there for credentials.
func credentialKey(key string) bool {
	return facts.ForCredential(key) || strings.Contains(strings.ToLower(key), "user")
}

// data is about secrets in the text that a tool is given. A search on the web sends
// it away. What a server's tool does with it is not known: one that is called like
// the issuer may have it, and for others a person is asked.
func (j *inputJudge) data(p *tools.Part, has []shell.Typed) {
	name := j.tool.Canonical
	for i := range has {
		s := &has[i]
		switch {
		case name == "websearch":
			j.gives(s, "a search engine")
		case name == "fetch":
			j.payload(&tools.Part{}, has)
		case !strings.HasPrefix(name, "mcp:") || secret.Guesses(s.Rule):
		case issuers.Of(s.Rule) != nil && strings.Contains(strings.ToLower(name), issuers.Of(s.Rule).Name) && (credentialKey(p.Key) || !messages(name)):
		case messages(name):
			j.decide(checkrein.Deny, "secrets/message", "sends a secret ("+s.Rule+") with the messaging tool "+j.tool.Name, "Leave it out, or say where it is stored")
		default:
			j.decide(checkrein.Ask, "secrets/tool", "gives a secret ("+s.Rule+") to "+j.tool.Name+", which may do anything with it", "")
		}
	}
}

// messages reports whether a tool is called like one that sends messages.
func messages(name string) bool {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	for _, w := range [...]string{"send", "post", "message", "comment", "issue", "mail", "publish", "upload", "tweet", "reply", "notify", "gist", "paste", "share"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// argTexts calls fn for every text in a call's arguments with the names of the
// members that lead there.
func argTexts(val []byte, key string, fn func(key, text string)) {
	switch rawjson.Kind(val) {
	case '"':
		if s, ok := rawjson.Text(val); ok {
			fn(key, s)
		}
	case '{':
		rawjson.Each(val, func(k string, v []byte) bool { argTexts(v, k, fn); return true })
	case '[':
		rawjson.Elements(val, func(_ int, v []byte) bool { argTexts(v, key, fn); return true })
	}
}
