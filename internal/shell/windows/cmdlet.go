package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// known reports whether a cmdlet of that name is known by itself.
func known(n string) bool {
	for _, list := range [...]string{fileCmdlets, runCmdlets, webCmdlets, shellCmdlets, readCmdlets} {
		if facts.InList(list, n) {
			return true
		}
	}
	return hasRow(n)
}

// cmdlet runs a cmdlet.
func (r *reader) cmdlet(name string, p *params, in flow, piped bool) flow {
	low := strings.Fields(lower(p.source))
	if r.tool(name, low[min(1, len(low)):], p.source) {
		return flow{}
	}
	switch {
	case facts.InList(fileCmdlets, name):
		return r.fileCmdlet(name, p, in, piped)
	case facts.InList(runCmdlets, name):
		return r.runCmdlet(name, p, in)
	case facts.InList(webCmdlets, name):
		return r.webCmdlet(name, p, in)
	case facts.InList(shellCmdlets, name):
		return r.shellCmdlet(name, p)
	}
	return r.byVerb(name, p, in)
}

// shellCmdlet runs the cmdlets that change what later commands mean.
func (r *reader) shellCmdlet(name string, p *params) flow {
	n, _ := p.one("name path literalpath", 0)
	v, _ := p.one("value", 1)
	out := flow{}
	switch name {
	case "set-variable", "new-variable":
		r.bind(n.text, v)
	case "set-alias", "new-alias":
		r.bind("alias:"+n.text, v)
	case "get-command":
		out = n
		if strings.ContainsAny(n.text, "*?[") {
			out = computed(n)
		}
	case "invoke-sqlcmd":
		q, _ := p.one("query", 0)
		if q.text == "" || strings.Contains(q.text, hole) {
			r.opaque("runs unknown SQL", p.source)
		} else {
			r.hand([]string{"sqlcmd", "-Q", q.text})
		}
		return unsure()
	default:
		r.dir = n.text
	}
	r.safe(shell.IO, p.source)
	return out
}

// harmless are the nouns with which verbs that change something change nothing that
// matters.
func harmless(verb string) string {
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

// byVerb judges a cmdlet by its verb.
func (r *reader) byVerb(name string, p *params, in flow) flow {
	verb, noun, _ := strings.Cut(name, "-")
	words := p.source
	if facts.InList(harmless(verb), noun) {
		r.safe(shell.IO, words)
		switch {
		case noun == "temporaryfile":
			return literal(`$env:temp\x.tmp`)
		case verb == "new":
			return unsure()
		case facts.InList("clear remove unregister uninstall", verb):
			return unsure().from(in)
		}
		return flow{}
	}
	switch verb {
	case "get", "select", "where", "measure", "test", "write", "format", "out", "compare", "sort", "group", "convertto", "convertfrom", "resolve", "split", "join", "show", "find", "search", "wait",
		"read", "import", "trace", "debug", "receive":
		return r.readVerb(verb, noun, p, in)
	case "remove", "unregister", "uninstall":
		r.removes(verb, noun, words, in)
	case "disable", "reset", "revoke", "block", "stop", "suspend", "dismount", "lock":
		r.loses(shell.SvcStop, verb, shell.ImpactMedium, words, "disables or stops something")
	case "clear":
		r.loses(shell.AppReset, "clear", shell.ImpactMedium, words, "clears data")
	default:
		r.unknown("does something unknown", words)
	}
	return flow{text: hole}.from(in)
}

// readVerb judges a cmdlet whose verb only reads or prints.
func (r *reader) readVerb(verb, noun string, p *params, in flow) flow {
	if facts.InList("dnsname connection netconnection", noun) {
		host, _ := p.one("name computername targetname", 0)
		r.lookUp(host, p.source)
	}
	r.safe(readCategory(noun), p.source)
	switch verb {
	case "get":
		if strings.Contains(lower(p.source), "shadowcopy") {
			return flow{text: hole, class: "shadowcopy"}
		}
	case "write", "join":
		v, ok := p.one("inputobject message path", 0)
		if !ok {
			return in
		}
		if child, ok := p.one("childpath", 1); ok && verb == "join" {
			return literal(v.text + `\` + child.text)
		}
		return v
	}
	return in
}

// removes judges the cmdlets that remove something other than files.
func (r *reader) removes(verb, noun, words string, in flow) {
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
	radius := shell.ImpactMedium
	if category == shell.CloudDelete || category == shell.AccountDelete || category == shell.BackupDelete {
		radius = shell.ImpactHigh
	}
	r.loses(category, "delete", radius, words, "removes something that would have to be set up again")
}

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

// runCmdlet runs the cmdlets that run other things.
func (r *reader) runCmdlet(name string, p *params, in flow) flow {
	words := p.source
	switch name {
	case "invoke-expression":
		src, ok := p.one("command", 0)
		for i := 1; i < len(p.pos); i++ {
			src = joined(src, p.pos[i].flow)
		}
		if !ok {
			src = in
		}
		r.invoke(src, words)
	case "foreach-object", "where-object", "measure-command", "start-job", "start-threadjob", "invoke-command":
		return r.runBlocks(name, p, in)
	case "start-process":
		prog, _ := p.one("filepath", 0)
		args := p.texts("argumentlist args", 1)
		if len(args) == 1 {
			args = splitArgs(args[0])
		}
		r.start(prog, args, words)
	case "import-module":
		if m, ok := p.one("name", 0); ok && (isURL(m.text) || strings.HasPrefix(m.text, `\\`)) {
			r.remoteCode(words)
		}
		r.safe(shell.IO, words)
	case "new-object":
		t, _ := p.one("typename comobject", 0)
		arg, _ := p.one("argumentlist", 1)
		return r.newObject(t.text, arg, words)
	default:
		r.opaque("runs unknown code", words)
	}
	return flow{}
}

// runBlocks runs the cmdlets that are given script blocks.
func (r *reader) runBlocks(name string, p *params, in flow) flow {
	out := in
	for _, ws := range append(p.values, p.pos) {
		for i := range ws {
			if ws[i].block || ws[i].class == "block" {
				out = r.runBlock(ws[i].flow, in)
			}
		}
	}
	if f, ok := p.one("filepath", -1); ok && (strings.Contains(name, "job") || name == "invoke-command") {
		r.unknown("runs a file", f.text)
	}
	if m, ok := p.one("membername", 0); ok && name == "foreach-object" && !m.fixed && strings.EqualFold(m.text, "delete") {
		r.method(&methodCall{on: in, name: "delete", words: p.source})
	}
	r.safe(shell.IO, p.source)
	if name == "where-object" {
		return in
	}
	return out.from(in)
}
