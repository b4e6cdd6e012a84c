package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A methodCall is a call of a .NET method: $x.Name(args) or [type]::Name(args).
type methodCall struct {
	on    flow
	typ   string // the type of a static call, or ""
	name  string
	args  []flow
	words string
}

// arg returns argument i, or an unknown value if there is none.
func (c *methodCall) arg(i int) flow {
	if i < len(c.args) {
		return c.args[i]
	}
	return unknownFlow()
}

// unknownResult returns the result of the call as an unknown value with the sources of its arguments.
func (c *methodCall) unknownResult() flow {
	of := c.args
	if c.typ == "" {
		of = append([]flow{c.on}, of...)
	}
	return computedFlow(of...)
}

// evalMethod adds the effects of the method call c and returns its result. Methods that are not listed
// are assumed to have no effect.
func (r *evaluator) evalMethod(c *methodCall) flow {
	switch {
	case c.typ == "scriptblock":
		v := c.arg(0)
		v.class = "block"
		return v
	case c.name == "new":
		return r.evalNewObject(c.typ, c.arg(0), c.words).withSourcesOf(c.unknownResult())
	case facts.InList("reflection.assembly runtime.interopservices.marshal activator appdomain diagnostics.process", c.typ):
		r.addOpaque("runs unknown code", c.words)
	case facts.InList("readalltext readalllines readallbytes readlines opentext openread", c.name):
		return r.evalFileRead(c.arg(0).text)
	case facts.InList("downloadstring downloaddata getasync getstringasync", c.name), strings.HasPrefix(c.typ, "net.") && c.name == "create":
		r.evalFetch(c.arg(0), c.words)
		return flow{text: placeholder, fromNet: true}
	case c.name == "connect":
		r.opensSocket = true
	case facts.InList("gethostaddresses gethostentry gethostbyname", c.name):
		r.addDNSLookup(c.arg(0), c.words)
	case facts.InList("invoke invokereturnasis invokescript newscriptblock", c.name):
		if len(c.args) > 0 {
			c.on = c.args[0]
		}
		r.evalCode(c.on, c.words)
	case facts.InList("foreach where", c.name):
		for i := range c.args {
			if c.args[i].class == "block" {
				r.evalBlock(c.args[i], c.on)
			}
		}
		return c.on
	case c.name == "getenvironmentvariable":
		return r.variableValue("env:" + c.arg(0).text)
	case c.name == "getenvironmentvariables":
		return flow{text: placeholder, secret: true}
	case c.name == "getfolderpath":
		return literalFlow("~")
	case c.typ == "io.file" && hasAnyPrefix(c.name, "writeall", "appendall") && c.arg(0).literal:
		r.addFileCommand("tee", c.arg(0).text)
	case hasAnyPrefix(c.name, effectMethods...):
		r.addOpaque("calls a method that may delete, write or send something", c.words)
	}
	return c.unknownResult()
}

// effectMethods lists prefixes of the names of methods that change or send something.
var effectMethods = []string{"delete", "move", "copyto", "copy", "writeall", "create", "openwrite", "append", "download", "upload", "post", "put",
	"send", "kill", "destroy", "terminate", "erase", "wipe", "shutdown", "win32shutdown", "reboot", "uninstall", "formatvolume", "dropdatabase"}

// evalNewObject adds the effects of creating an object of type typ with the argument arg, and returns
// the object.
func (r *evaluator) evalNewObject(typ string, arg flow, words string) flow {
	out := unknownFlow()
	switch typ, _, _ = strings.Cut(strings.TrimPrefix(lower(typ), "system."), "("); {
	case strings.HasPrefix(typ, "net.sockets."):
		r.opensSocket, out.fromNet = true, true
	case typ == "io.fileinfo" || typ == "io.directoryinfo":
		return flow{text: arg.text, literal: true, paths: []string{arg.text}}
	case typ == "wscript.shell" || typ == "shell.application":
		r.addUnknown("creates an object that can run programs", words)
	}
	return out
}
