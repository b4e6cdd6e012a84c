package windows

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A cmdletRow says what a cmdlet does that needs no look at its arguments.
type cmdletRow struct {
	name     string
	label    shell.Label
	radius   shell.Radius
	category shell.Category
	reason   string
}

// cmdlets are those that do the same whatever their arguments are, but for a dry
// run. Sorted by name.
var cmdlets = [...]cmdletRow{
	{"add-adgroupmember", shell.Destructive, shell.RadiusHigh, shell.Privilege, "gives an account more rights"},
	{"add-localgroupmember", shell.Destructive, shell.RadiusHigh, shell.Privilege, "gives an account more rights"},
	{"clear-disk", shell.Destructive, shell.RadiusHigh, shell.BlockDevice, "wipes a disk"},
	{"clear-eventlog", shell.Destructive, shell.RadiusMedium, shell.LogDelete, "deletes event logs"},
	{"clear-recyclebin", shell.Destructive, shell.RadiusMedium, shell.FSDelete, "empties the recycle bin"},
	{"clear-storagediagnosticinfo", shell.Destructive, shell.RadiusLow, shell.LogDelete, "deletes diagnostic data"},
	{"disable-computerrestore", shell.Destructive, shell.RadiusHigh, shell.BackupDelete, "turns restore points off"},
	{"dismount-volume", shell.Unknown, shell.RadiusMedium, shell.BlockDevice, "removes a volume"},
	{"format-volume", shell.Destructive, shell.RadiusHigh, shell.BlockDevice, "formats a volume"},
	{"initialize-disk", shell.Destructive, shell.RadiusHigh, shell.BlockDevice, "initializes a disk and erases it"},
	{"install-module", shell.Safe, shell.RadiusLow, shell.PkgInstall, "installs a module"},
	{"install-package", shell.Safe, shell.RadiusLow, shell.PkgInstall, "installs a package"},
	{"invoke-pester", shell.Safe, shell.RadiusLow, shell.Test, "runs tests"},
	{"invoke-scriptanalyzer", shell.Safe, shell.RadiusLow, shell.Test, "checks scripts"},
	{"remove-partition", shell.Destructive, shell.RadiusHigh, shell.BlockDevice, "deletes a partition"},
	{"remove-physicaldisk", shell.Destructive, shell.RadiusHigh, shell.BlockDevice, "removes a disk from a storage pool"},
	{"remove-storagepool", shell.Destructive, shell.RadiusHigh, shell.BlockDevice, "deletes a storage pool"},
	{"remove-virtualdisk", shell.Destructive, shell.RadiusHigh, shell.BlockDevice, "deletes a virtual disk"},
	{"remove-vm", shell.Destructive, shell.RadiusHigh, shell.CloudDelete, "deletes a virtual machine"},
	{"reset-physicaldisk", shell.Destructive, shell.RadiusHigh, shell.BlockDevice, "wipes a disk"},
	{"resize-partition", shell.Destructive, shell.RadiusMedium, shell.BlockDevice, "resizes a partition"},
	{"restart-computer", shell.Destructive, shell.RadiusHigh, shell.SvcStop, "restarts the machine"},
	{"restart-service", shell.Destructive, shell.RadiusLow, shell.SvcStop, "restarts a service"},
	{"restore-computer", shell.Destructive, shell.RadiusHigh, shell.SvcStop, "restores the machine to an earlier state"},
	{"set-adaccountpassword", shell.Destructive, shell.RadiusMedium, shell.AccountDelete, "changes an account's password"},
	{"set-localuser", shell.Unknown, shell.RadiusMedium, shell.Privilege, "changes an account"},
	{"start-service", shell.Safe, shell.RadiusLow, shell.SvcStart, "starts a service"},
	{"stop-computer", shell.Destructive, shell.RadiusHigh, shell.SvcStop, "shuts down the machine"},
	{"stop-process", shell.Destructive, shell.RadiusMedium, shell.ProcSignal, "stops processes"},
	{"stop-service", shell.Destructive, shell.RadiusMedium, shell.SvcStop, "stops a service"},
	{"stop-vm", shell.Destructive, shell.RadiusMedium, shell.SvcStop, "stops a virtual machine"},
	{"suspend-service", shell.Destructive, shell.RadiusMedium, shell.SvcStop, "stops a service"},
	{"update-help", shell.Safe, shell.RadiusLow, shell.PkgInstall, "updates PowerShell's help files"},
	{"update-module", shell.Safe, shell.RadiusLow, shell.PkgInstall, "updates a module"},
}

// handled reports whether [reader.cmdlet] looks at a cmdlet more closely.
func handled(n string) bool {
	switch n {
	case "remove-item", "clear-content", "clear-item", "set-content", "add-content", "out-file", "tee-object", "new-item", "new-item-directory", "move-item",
		"copy-item", "rename-item", "remove-itemproperty", "clear-itemproperty", "set-itemproperty", "set-item", "new-itemproperty", "rename-itemproperty",
		"move-itemproperty", "copy-itemproperty", "get-childitem", "get-item", "get-content", "foreach-object", "where-object", "invoke-expression",
		"invoke-command", "invoke-webrequest", "invoke-restmethod", "start-process", "start-job", "invoke-item", "send-mailmessage", "compress-archive",
		"expand-archive", "set-executionpolicy", "set-mppreference", "add-mppreference", "set-netfirewallprofile", "set-service", "set-location", "push-location",
		"pop-location", "set-variable", "new-variable", "new-object", "add-type", "import-module", "start-bitstransfer", "export-csv", "export-clixml",
		"start-threadjob", "invoke-wmimethod", "invoke-cimmethod", "set-acl", "remove-variable", "set-alias", "new-alias", "write-output", "measure-command",
		"get-clipboard", "get-command", "invoke-sqlcmd", "select-object", "sort-object", "group-object", "convertto-json", "convertto-csv", "out-string", "get-itemproperty", "join-path",
		"resolve-path", "split-path", "convert-path", "set-clipboard", "test-path", "write-host", "format-table", "import-csv", "select-string":
		return true
	}
	return false
}

// known reports whether a cmdlet of that name is known by itself.
func known(n string) bool {
	if handled(n) {
		return true
	}
	_, ok := findCmdlet(n)
	return ok
}

func findCmdlet(n string) (*cmdletRow, bool) {
	lo, hi := 0, len(cmdlets)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if cmdlets[mid].name < n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(cmdlets) && cmdlets[lo].name == n {
		return &cmdlets[lo], true
	}
	return nil, false
}

// cmdlet runs a cmdlet.
func (r *reader) cmdlet(name string, p *params, in flow, piped bool) flow {
	if row, ok := findCmdlet(name); ok {
		radius := row.radius
		if _, one := p.one("id", -1); one && name == "stop-process" {
			radius = shell.RadiusLow // one that is known by its number
		}
		r.add(shell.Effect{Label: row.label, Kind: strings.SplitN(name, "-", 2)[0], Category: row.category, Radius: radius, Words: facts.Short(p.source), Reason: row.reason})
		return flow{}
	}
	switch name {
	case "remove-item", "clear-content", "clear-item", "set-content", "add-content", "out-file", "tee-object", "export-csv", "export-clixml", "new-item", "new-item-directory",
		"move-item", "copy-item", "rename-item", "get-childitem", "get-item", "get-content", "compress-archive", "expand-archive", "set-acl", "resolve-path", "convert-path", "import-csv":
		return r.fileCmdlet(name, p, in, piped)
	case "remove-itemproperty", "clear-itemproperty", "set-itemproperty", "new-itemproperty", "set-item", "rename-itemproperty", "move-itemproperty", "copy-itemproperty":
		r.property(name, p)
		return flow{}
	case "foreach-object", "where-object", "measure-command", "start-job", "start-threadjob", "invoke-command", "invoke-expression", "invoke-item", "start-process", "add-type",
		"import-module", "new-object", "invoke-wmimethod", "invoke-cimmethod":
		return r.runCmdlet(name, p, in)
	case "invoke-webrequest", "invoke-restmethod", "send-mailmessage", "start-bitstransfer":
		return r.webCmdlet(name, p, in)
	case "set-executionpolicy", "set-mppreference", "add-mppreference", "set-netfirewallprofile", "set-service":
		r.policy(name, p)
		return flow{}
	case "set-location", "push-location", "pop-location":
		if d, ok := p.one("path literalpath", 0); ok {
			r.dir = d.text
		} else {
			r.dir = ""
		}
		r.safe(shell.IO, p.source)
		return flow{}
	case "set-variable", "new-variable":
		n, _ := p.one("name", 0)
		v, _ := p.one("value", 1)
		r.bind(n.text, v)
		r.safe(shell.IO, p.source)
		return flow{}
	case "get-command":
		r.safe(shell.ProcRead, p.source)
		n, _ := p.one("name", 0)
		return literal(commandFor(n.text))
	case "invoke-sqlcmd":
		if q, ok := p.one("query", 0); ok && q.text != "" && !strings.Contains(q.text, hole) {
			r.hand([]string{"sqlcmd", "-Q", q.text})
			return unsure()
		}
		r.opaque("runs unknown SQL", p.source)
		return unsure()
	case "set-alias", "new-alias":
		n, _ := p.one("name", 0)
		v, _ := p.one("value", 1)
		r.bind("alias:"+lower(n.text), v)
		r.safe(shell.IO, p.source)
		return flow{}
	}
	return r.byVerb(name, p, in)
}

// commandFor is the worst command that a name with wildcards fits.
func commandFor(name string) string {
	if !strings.ContainsAny(name, "*?[") {
		return name
	}
	for _, n := range [...]string{"remove-item", "invoke-expression", "clear-content", "invoke-webrequest", "invoke-restmethod", "format-volume", "stop-process"} {
		if ok, err := path.Match(lower(name), n); err == nil && ok {
			return n
		}
	}
	return hole
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
		r.loses(shell.SvcStop, verb, shell.RadiusMedium, words, "disables or stops something")
	case "clear":
		r.loses(shell.AppReset, "clear", shell.RadiusMedium, words, "clears data")
	default:
		r.unknown("does something unknown", words)
	}
	return flow{text: hole}.from(in)
}

// readVerb judges a cmdlet whose verb only reads or prints.
func (r *reader) readVerb(verb, noun string, p *params, in flow) flow {
	if facts.InList("dnsname connection netconnection", noun) {
		if host, ok := p.one("name computername targetname", 0); ok && (host.secret || host.file) {
			r.leaks(shell.ExfilDNS, shell.RadiusHigh, "", p.source, "sends data off the machine, hidden in a DNS lookup")
			return unsure()
		}
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
	radius := shell.RadiusMedium
	if category == shell.CloudDelete || category == shell.AccountDelete || category == shell.BackupDelete {
		radius = shell.RadiusHigh
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
		if prog.text == "" || strings.Contains(prog.text, hole) {
			r.unknown("runs an unknown program", words)
			return flow{}
		}
		r.program(prog.text, args, flow{}, words)
	case "import-module":
		if m, ok := p.one("name", 0); ok && (isURL(m.text) || strings.HasPrefix(m.text, `\\`)) {
			r.remoteCode(words)
		}
		r.safe(shell.IO, words)
	case "new-object":
		return r.newObject(p)
	case "invoke-wmimethod", "invoke-cimmethod":
		r.callMethod(p)
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
		r.objectFile(in, "delete", nil)
	}
	r.safe(shell.IO, p.source)
	if name == "where-object" {
		return in
	}
	return out.from(in)
}

// callMethod calls a method of the system's own objects, which may start a program.
func (r *reader) callMethod(p *params) {
	low := lower(p.source)
	args := p.texts("argumentlist arguments", 2)
	if len(args) == 0 || !strings.Contains(low, "create") {
		r.unknown("does something unknown", p.source)
		return
	}
	text := args[0]
	if i := strings.Index(low, "commandline"); i >= 0 {
		if q := strings.IndexAny(p.source[i:], `'"`); q >= 0 {
			v, _ := r.operand(p.source, i+q)
			text = v.text
		}
	}
	r.cmdScript(text)
}

// newObject makes an object.
func (r *reader) newObject(p *params) flow {
	t, _ := p.one("typename comobject", 0)
	name := strings.TrimPrefix(lower(t.text), "system.")
	switch name {
	case "net.webclient", "net.http.httpclient", "msxml2.xmlhttp", "winhttp.winhttprequest.5.1":
		return flow{text: hole, class: "webclient"}
	case "net.sockets.tcpclient", "net.sockets.tcplistener", "net.sockets.udpclient":
		r.socket = true
		return flow{text: hole, class: "socket", net: true}
	case "io.fileinfo", "io.directoryinfo":
		if f, ok := p.one("argumentlist", 1); ok {
			return flow{text: f.text, fixed: true, paths: []string{f.text}}
		}
	case "wscript.shell", "shell.application":
		r.unknown("creates an object that can run programs", p.source)
	}
	if len(t.items) > 0 || strings.Contains(name, "(") {
		return unsure()
	}
	out := flow{text: hole, class: name}
	if i := strings.IndexByte(name, '('); i > 0 {
		out.class = name[:i]
	}
	return out
}
