package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// isKnownCmdlet reports whether the cmdlet n is in one of the lists or has a row.
func isKnownCmdlet(n string) bool {
	for _, list := range [...]string{fileCmdlets, runCmdlets, webCmdlets, shellCmdlets, readCmdlets} {
		if facts.InList(list, n) {
			return true
		}
	}
	return hasRow(n)
}

// evalCmdlet adds the effects of the cmdlet name and returns its output. If piped is set, in is piped
// into it.
func (r *evaluator) evalCmdlet(name string, p *params, in flow, piped bool) flow {
	low := strings.Fields(lower(p.source))
	if r.addRowEffect(name, low[min(1, len(low)):], p.source) {
		return flow{}
	}
	switch {
	case facts.InList(fileCmdlets, name):
		return r.evalFileCmdlet(name, p, in, piped)
	case facts.InList(runCmdlets, name):
		return r.evalRunCmdlet(name, p, in)
	case facts.InList(webCmdlets, name):
		return r.evalWebCmdlet(name, p, in)
	case facts.InList(shellCmdlets, name):
		return r.evalSessionCmdlet(name, p)
	}
	return r.evalCmdletByVerb(name, p, in)
}

// evalSessionCmdlet evaluates a cmdlet that changes variables, aliases or the directory, or that
// returns a command, and returns its output.
func (r *evaluator) evalSessionCmdlet(name string, p *params) flow {
	n, _ := p.value("name path literalpath", 0)
	v, _ := p.value("value", 1)
	out := flow{}
	switch name {
	case "set-variable", "new-variable":
		r.setVariable(n.text, v)
	case "set-alias", "new-alias":
		r.setVariable("alias:"+n.text, v)
	case "get-command":
		out = n
		if strings.ContainsAny(n.text, "*?[") {
			out = computedFlow(n)
		}
	case "invoke-sqlcmd":
		q, _ := p.value("query", 0)
		if q.text == "" || strings.Contains(q.text, placeholder) {
			r.addOpaque("runs unknown SQL", p.source)
		} else {
			r.addNestedCommand([]string{"sqlcmd", "-Q", q.text})
		}
		return unknownFlow()
	default:
		r.dir = n.text
	}
	r.addSafe(shell.IO, p.source)
	return out
}

// harmlessNouns returns the nouns, separated by spaces, with which a cmdlet of this verb changes
// nothing of importance.
func harmlessNouns(verb string) string {
	switch verb {
	case "disable", "reset", "revoke", "block", "stop", "suspend", "dismount", "lock":
		return "transcript job psbreakpoint psremoting trace pssessionconfiguration"
	case "clear":
		return "host variable dnsclientcache history"
	case "start":
		return "sleep transcript"
	case "set":
		return "strictmode psdebug clipboard psreadlineoption tracesource"
	case "new":
		return "guid timespan temporaryfile pssession uri"
	case "remove", "unregister", "uninstall":
		return "variable module pssession job alias typedata psbreakpoint event psdrive cimsession pssnapin formatdata"
	}
	return ""
}

// evalCmdletByVerb adds the effects that the verb of the cmdlet name suggests, and returns its output.
func (r *evaluator) evalCmdletByVerb(name string, p *params, in flow) flow {
	verb, noun, _ := strings.Cut(name, "-")
	words := p.source
	if facts.InList(harmlessNouns(verb), noun) {
		r.addSafe(shell.IO, words)
		switch {
		case noun == "temporaryfile":
			return literalFlow(`$env:temp\x.tmp`)
		case verb == "new":
			return unknownFlow()
		case facts.InList("clear remove unregister uninstall", verb):
			return unknownFlow().withSourcesOf(in)
		}
		return flow{}
	}
	switch verb {
	case "get", "select", "where", "measure", "test", "write", "format", "out", "compare", "sort", "group", "convertto", "convertfrom", "resolve", "split", "join", "show", "find", "search", "wait",
		"read", "import", "trace", "debug", "receive":
		return r.evalReadVerb(verb, noun, p, in)
	case "remove", "unregister", "uninstall":
		r.addRemoval(verb, noun, words, in)
	case "disable", "reset", "revoke", "block", "stop", "suspend", "dismount", "lock":
		r.addDestructive(shell.SvcStop, verb, shell.ImpactMedium, words, "disables or stops something")
	case "clear":
		r.addDestructive(shell.AppReset, "clear", shell.ImpactMedium, words, "clears data")
	default:
		r.addUnknown("runs a command with unknown effects", words)
	}
	return flow{text: placeholder}.withSourcesOf(in)
}

// evalReadVerb adds the effects of a cmdlet whose verb only reads or prints, and returns its output.
func (r *evaluator) evalReadVerb(verb, noun string, p *params, in flow) flow {
	if facts.InList("dnsname connection netconnection", noun) {
		host, _ := p.value("name computername targetname", 0)
		r.addDNSLookup(host, p.source)
	}
	r.addSafe(readCategory(noun), p.source)
	switch verb {
	case "get":
		if strings.Contains(lower(p.source), "shadowcopy") {
			return flow{text: placeholder, class: "shadowcopy"}
		}
	case "write", "join":
		v, ok := p.value("inputobject message path", 0)
		if !ok {
			return in
		}
		if child, ok := p.value("childpath", 1); ok && verb == "join" {
			return literalFlow(v.text + `\` + child.text)
		}
		return v
	}
	return in
}

// addRemoval adds the effect of a cmdlet that removes something other than files.
func (r *evaluator) addRemoval(verb, noun, words string, in flow) {
	category := shell.AppReset
	switch {
	case in.class == "shadowcopy":
		category = shell.BackupDelete
	case verb == "uninstall" || strings.Contains(noun, "package") || strings.Contains(noun, "appx") || strings.Contains(noun, "windowsfeature"):
		category = shell.PkgRemove
	case strings.HasPrefix(noun, "az") || strings.HasPrefix(noun, "ec2") || strings.HasPrefix(noun, "s3") || strings.HasPrefix(noun, "gc"):
		category = shell.CloudDelete
	case strings.Contains(noun, "user") || strings.Contains(noun, "group") || strings.HasPrefix(noun, "ad"):
		category = shell.AccountDelete
	}
	impact := shell.ImpactMedium
	if category == shell.CloudDelete || category == shell.AccountDelete || category == shell.BackupDelete {
		impact = shell.ImpactHigh
	}
	r.addDestructive(category, "delete", impact, words, "removes something that would have to be set up again")
}

// readCategory returns the category of a cmdlet that reads noun.
func readCategory(noun string) shell.Category {
	switch noun {
	case "childitem", "item", "content", "location", "path", "acl", "filehash":
		return shell.FSRead
	case "process", "service", "computerinfo", "date", "command", "host", "wmiobject", "ciminstance", "eventlog", "winevent":
		return shell.ProcRead
	case "string", "object":
		return shell.TextRead
	}
	return shell.IO
}

// evalRunCmdlet adds the effects of the cmdlet name, which runs other commands, and returns its
// output.
func (r *evaluator) evalRunCmdlet(name string, p *params, in flow) flow {
	words := p.source
	switch name {
	case "invoke-expression":
		src, ok := p.value("command", 0)
		for i := 1; i < len(p.pos); i++ {
			src = joinFlows(src, p.pos[i].flow)
		}
		if !ok {
			src = in
		}
		r.evalCode(src, words)
	case "foreach-object", "where-object", "measure-command", "start-job", "start-threadjob", "invoke-command":
		return r.evalBlockCmdlet(name, p, in)
	case "start-process":
		prog, _ := p.value("filepath", 0)
		args := p.texts("argumentlist args", 1)
		if len(args) == 1 {
			args = splitWindowsArgs(args[0])
		}
		r.evalStartProcess(prog, args, words)
	case "import-module":
		if m, ok := p.value("name", 0); ok && (isURL(m.text) || strings.HasPrefix(m.text, `\\`)) {
			r.addRemoteCode(words)
		}
		r.addSafe(shell.IO, words)
	case "new-object":
		t, _ := p.value("typename comobject", 0)
		arg, _ := p.value("argumentlist", 1)
		return r.evalNewObject(t.text, arg, words)
	default:
		r.addOpaque("runs unknown code", words)
	}
	return flow{}
}

// evalBlockCmdlet adds the effects of the cmdlet name, which runs script blocks, and returns its
// output.
func (r *evaluator) evalBlockCmdlet(name string, p *params, in flow) flow {
	out := in
	for _, ws := range append(p.values, p.pos) {
		for i := range ws {
			if ws[i].block || ws[i].class == "block" {
				out = r.evalBlock(ws[i].flow, in)
			}
		}
	}
	if f, ok := p.value("filepath", -1); ok && (strings.Contains(name, "job") || name == "invoke-command") {
		r.addUnknown("runs a file", f.text)
	}
	if m, ok := p.value("membername", 0); ok && name == "foreach-object" && !m.literal && strings.EqualFold(m.text, "delete") {
		r.evalMethod(&methodCall{on: in, name: "delete", words: p.source})
	}
	r.addSafe(shell.IO, p.source)
	if name == "where-object" {
		return in
	}
	return out.withSourcesOf(in)
}
