package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
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
	if i < len(c.args) {
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

// method names the effects of a call and returns what it yields. Methods that act are not
// followed.
func (r *reader) method(c *methodCall) flow {
	switch {
	case c.typ == "scriptblock":
		v := c.arg(0)
		v.class = "block"
		return v
	case c.name == "new":
		return r.newObject(c.typ, c.arg(0), c.words).from(c.value())
	case facts.InList("reflection.assembly runtime.interopservices.marshal activator appdomain diagnostics.process", c.typ):
		r.opaque("runs unknown code", c.words)
	case facts.InList("readalltext readalllines readallbytes readlines opentext openread", c.name):
		return r.readFile(c.arg(0).text)
	case facts.InList("downloadstring downloaddata getasync getstringasync", c.name), strings.HasPrefix(c.typ, "net.") && c.name == "create":
		r.fetch(c.arg(0), c.words)
		return flow{text: hole, net: true}
	case c.name == "connect":
		r.socket = true
	case facts.InList("gethostaddresses gethostentry gethostbyname", c.name):
		r.lookUp(c.arg(0), c.words)
	case facts.InList("invoke invokereturnasis invokescript newscriptblock", c.name):
		if len(c.args) > 0 {
			c.on = c.args[0]
		}
		r.invoke(c.on, c.words)
	case facts.InList("foreach where", c.name):
		for i := range c.args {
			if c.args[i].class == "block" {
				r.runBlock(c.args[i], c.on)
			}
		}
		return c.on
	case c.name == "getenvironmentvariable":
		return r.variable("env:" + c.arg(0).text)
	case c.name == "getenvironmentvariables":
		return flow{text: hole, secret: true}
	case c.name == "getfolderpath":
		return literal("~")
	case c.typ == "io.file" && begins(c.name, "writeall", "appendall") && c.arg(0).fixed:
		r.file("tee", c.arg(0).text)
	case begins(c.name, actingMethods...):
		r.opaque("calls a method that may delete, write or send something", c.words)
	}
	return c.value()
}

// actingMethods are how the names of methods begin that change or send something.
var actingMethods = []string{"delete", "move", "copyto", "copy", "writeall", "create", "openwrite", "append", "download", "upload", "post", "put",
	"send", "kill", "destroy", "terminate", "erase", "wipe", "shutdown", "win32shutdown", "reboot", "uninstall", "formatvolume", "dropdatabase"}

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
