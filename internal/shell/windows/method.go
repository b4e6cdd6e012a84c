package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A methodCall is a call of a method of .NET: $x.Name(args) or [type]::Name(args).
type methodCall struct {
	on    flow
	typ   string // of a static call
	name  string
	args  []flow
	words string
}

// arg returns an argument, or an unknown value.
func (c *methodCall) arg(i int) flow {
	if i >= 0 && i < len(c.args) {
		return c.args[i]
	}
	return unsure()
}

// value returns what the call yields: nothing more is known of it than what it is made of.
func (c *methodCall) value() flow {
	of := c.args
	if c.typ == "" {
		of = append([]flow{c.on}, of...)
	}
	return computed(of...)
}

// method names the effects of a call and returns what it yields.
func (r *reader) method(c *methodCall) flow {
	switch {
	case c.typ == "scriptblock":
		v := c.arg(0)
		v.class = "block"
		return v
	case c.typ == "diagnostics.process" && c.name == "start":
		r.start(c.arg(0), strings.Fields(c.arg(1).text), c.words)
		return unsure()
	case c.typ == "net.webrequest" || c.typ == "net.httpwebrequest":
		return r.downloadMethod(c)
	case facts.InList("reflection.assembly runtime.interopservices.marshal activator appdomain", c.typ):
		r.opaque("loads unknown code", c.words)
		return unsure()
	case c.name == "new":
		return r.newObject(c.typ, c.arg(0), c.words).from(c.value())
	}
	return r.methodByName(c)
}

// methodByName calls a method that matters whatever its object is.
func (r *reader) methodByName(c *methodCall) flow {
	switch c.name {
	case "delete", "deletetree", "deletedirectory", "deletefile", "deletefolder":
		return r.deleteMethod(c)
	case "moveto", "move", "copyto", "copy":
		return r.moveMethod(c)
	case "writealltext", "writeallbytes", "writealllines", "create", "createtext", "openwrite",
		"appendalltext", "appendalllines", "appendtext":
		return r.writeMethod(c)
	case "readalltext", "readalllines", "readallbytes", "readlines", "opentext", "openread":
		return r.readFile(c.arg(0).text)
	case "getfiles", "getdirectories", "enumeratefiles", "enumeratedirectories":
		return flow{text: hole, paths: []string{strings.TrimRight(c.arg(0).text, `\/`) + `\*`}}
	case "downloadstring", "downloaddata", "downloadfile", "downloadfileasync", "getasync", "getstring", "getstringasync":
		return r.downloadMethod(c)
	case "uploadfile", "uploadfileasync", "uploadstring", "uploaddata", "uploadvalues", "postasync", "putasync", "send":
		return r.uploadMethod(c)
	case "connect":
		r.socket = true
	case "gethostaddresses", "gethostentry", "gethostbyname":
		r.lookUp(c.arg(0), c.words)
	case "invoke", "invokereturnasis", "invokescript", "newscriptblock":
		if len(c.args) > 0 {
			c.on = c.args[0]
		}
		r.invoke(c.on, c.words)
	case "foreach", "where":
		for i := range c.args {
			if c.args[i].class == "block" {
				r.runBlock(c.args[i], c.on)
			}
		}
		return c.on
	case "kill":
		r.loses(shell.ProcSignal, "kill", shell.RadiusMedium, c.words, "stops a process")
	case "getenvironmentvariable":
		return r.variable("env:" + c.arg(0).text)
	case "getenvironmentvariables":
		return flow{text: hole, secret: true}
	case "getfolderpath":
		return literal("~")
	case "gettemppath":
		return literal("$env:temp")
	case "gettempfilename":
		return literal(`$env:temp\x.tmp`)
	}
	if begins(c.name, "delete", "destroy", "terminate", "erase", "wipe", "shutdown", "win32shutdown", "reboot",
		"uninstall", "formatvolume", "dropdatabase") {
		r.loses(shell.AppReset, "delete", shell.RadiusUnknown, c.words,
			"calls a method whose name suggests that it deletes or stops something")
	}
	return c.value()
}

// files returns the files that a method works on: its object, or the first argument of
// a method that names files; and the arguments behind them.
func (c *methodCall) files() (flow, []flow) {
	of, rest := c.on, c.args
	if c.typ != "" || strings.HasSuffix(c.name, "file") || strings.HasSuffix(c.name, "folder") {
		of, rest = c.arg(0), c.args[min(1, len(c.args)):]
	}
	if len(of.paths) == 0 && of.fixed && of.text != "" {
		of.paths = []string{of.text}
	}
	if c.typ != "" && !strings.HasPrefix(c.typ, "io.") && !strings.Contains(c.typ, "filesystem") {
		of.paths = nil
	}
	return of, rest
}

// deleteMethod deletes files, or something that is no file.
func (r *reader) deleteMethod(c *methodCall) flow {
	of, rest := c.files()
	tree := of.deep || strings.HasSuffix(c.name, "directory") || strings.HasSuffix(c.name, "folder")
	if len(rest) > 0 {
		tree = tree || !strings.EqualFold(rest[0].text, "$false")
	}
	for _, p := range of.paths {
		r.remove(p, tree, true)
	}
	switch {
	case len(of.paths) > 0:
	case c.on.class == "shadowcopy":
		r.loses(shell.BackupDelete, "delete", shell.RadiusHigh, "Delete()", "deletes shadow copies")
	default:
		r.loses(shell.AppReset, "delete", shell.RadiusUnknown, "Delete()", "deletes something that is known only at run time")
	}
	return flow{}
}

// moveMethod moves or copies files.
func (r *reader) moveMethod(c *methodCall) flow {
	of, rest := c.files()
	tool := "mv"
	if strings.HasPrefix(c.name, "copy") {
		tool = "cp"
	}
	for _, p := range of.paths {
		if len(rest) > 0 {
			r.file(tool, p, rest[0].text)
		}
	}
	return unsure()
}

// writeMethod writes a file.
func (r *reader) writeMethod(c *methodCall) flow {
	if !strings.HasPrefix(c.typ, "io.file") {
		return c.value()
	}
	switch p := c.arg(0).text; {
	case strings.HasPrefix(c.name, "append"):
		r.file("tee", "-a", p)
	case len(c.args) > 1 && printer(c.args[1]) == ":":
		r.redirect(":", ">", p)
	default:
		r.file("tee", p)
	}
	return unsure()
}

// downloadMethod asks an address.
func (r *reader) downloadMethod(c *methodCall) flow {
	if c.name == "getstring" && !isURL(c.arg(0).text) { // of an encoding
		return c.value()
	}
	if strings.HasPrefix(c.name, "downloadfile") {
		r.hand([]string{"curl", "-o", unix(c.arg(1).text), c.arg(0).text})
	} else {
		r.fetch(c.arg(0), c.words)
	}
	return flow{text: hole, net: true}
}

// uploadMethod sends something to an address, or through a socket.
func (r *reader) uploadMethod(c *methodCall) flow {
	body := c.value()
	switch last := c.arg(len(c.args) - 1); {
	case strings.HasPrefix(c.name, "uploadfile"):
		r.upload(c.arg(0).text, flow{file: true, secret: facts.SecretFile(last.text)}, c.words)
	case c.name != "send":
		r.post(c.arg(0).text, body, c.words)
	case body.file || body.secret:
		r.upload("", body, c.words)
	}
	return unsure()
}

// newObject makes an object of a type.
func (r *reader) newObject(typ string, arg flow, words string) flow {
	out := unsure()
	switch typ, _, _ = strings.Cut(strings.TrimPrefix(lower(typ), "system."), "("); {
	case strings.HasPrefix(typ, "net.sockets."):
		r.socket, out.net = true, true
	case typ == "io.fileinfo" || typ == "io.directoryinfo":
		return flow{text: arg.text, fixed: true, paths: []string{arg.text}}
	case typ == "wscript.shell" || typ == "shell.application":
		r.unknown("creates an object that can run programs", words)
	}
	return out
}
