package windows

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// typed reads [type]value and [type]::member.
func (r *reader) typed(s string, i int) (flow, int) {
	in, n := nested(s, i)
	name := strings.TrimPrefix(lower(strings.TrimSpace(in)), "system.")
	if strings.HasPrefix(s[n:], "::") || n >= len(s) {
		return flow{text: name, class: "type"}, n
	}
	n = skip(s, n, " ")
	if n >= len(s) || !expressive(s[n:]) || r.depth >= maxDepth {
		return flow{text: name, class: "type"}, n
	}
	r.depth++
	v, end := r.operand(s, n)
	r.depth--
	switch name {
	case "char":
		return char(v), end
	case "char[]":
		if len(v.items) > 0 {
			v.items = append([]string(nil), v.items...)
			for k, it := range v.items {
				v.items[k] = char(literal(it)).text
			}
		}
		return v, end
	case "scriptblock":
		v.class = "block"
	case "string":
		if len(v.items) > 0 {
			v.text = strings.Join(v.items, " ")
		}
	}
	return v, end
}

func char(v flow) flow {
	n, err := strconv.ParseInt(v.text, 0, 32)
	if err != nil || n <= 0 || n > 0x10FFFF {
		return unsure()
	}
	return literal(string(rune(n)))
}

// index is a part of a value: (…)[0].
func (r *reader) index(v flow, in string) flow {
	n, err := strconv.Atoi(strings.TrimSpace(in))
	if err != nil {
		if strings.ReplaceAll(in, " ", "") == "-1..-100" || strings.HasPrefix(strings.TrimSpace(in), "-1..") {
			b := []rune(v.text)
			for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
				b[i], b[j] = b[j], b[i]
			}
			out := v
			out.text = string(b)
			out.items = strings.Split(out.text, "")
			return out
		}
		return unsure().from(v)
	}
	if n < 0 {
		n += len(v.items)
	}
	if n >= 0 && n < len(v.items) {
		return literal(v.items[n]).from(v)
	}
	return unsure().from(v)
}

// member is a property of a value.
func member(v flow, name string) flow {
	switch name {
	case "fullname", "name", "path", "pspath", "basename", "directoryname":
		if len(v.paths) > 0 {
			return v
		}
	case "historysavepath":
		return literal(`~\AppData\Roaming\Microsoft\Windows\PowerShell\PSReadLine\ConsoleHost_history.txt`)
	}
	if strings.HasPrefix(v.class, "webclient") || v.class == "socket" {
		return flow{text: hole, class: v.class}
	}
	return flow{text: hole, class: name}.from(v)
}

// method is a call on a value: $x.Replace('a','b'), $client.UploadFile(u, f).
func (r *reader) method(v flow, name string, args []flow, words string) flow {
	arg := func(i int) flow {
		if i < len(args) {
			return args[i]
		}
		return flow{}
	}
	if out, ok := r.webMethod(name, args, words); ok {
		return out
	}
	switch name {
	case "replace":
		if arg(0).text != "" {
			v.text = strings.ReplaceAll(v.text, arg(0).text, arg(1).text)
		}
		return v
	case "tolower", "toupper", "tostring", "trim", "normalize", "getenumerator", "toarray":
		if name == "tolower" {
			v.text = lower(v.text)
		}
		return v
	case "split":
		v.items = strings.Split(v.text, arg(0).text)
		return v
	case "delete", "deletetree", "moveto", "copyto":
		return r.objectFile(v, name, args)
	case "kill":
		r.loses(shell.ProcSignal, "kill", shell.RadiusMedium, words, "stops a process")
	case "getstring", "getbytes":
		if len(args) > 0 && strings.Contains(v.class, "encoding") {
			a := args[0]
			a.text = strings.ReplaceAll(a.text, "\x00", "") // as UTF-16 has them
			return a
		}
		if name == "getbytes" {
			return arg(0)
		}
		r.fetch(arg(0), words)
		return flow{text: hole, net: true}.from(v)
	case "invoke", "invokereturnasis", "invokescript", "newscriptblock":
		src := v
		if len(args) > 0 {
			src = args[0]
		}
		r.invoke(src, words)
	case "foreach", "where":
		for i := range args {
			if args[i].class == "block" {
				r.runBlock(args[i], v)
			}
		}
		return v
	case "connect":
		r.socket = true
	case "deletefolder", "deletefile", "deletedirectory":
		for i := range args[:min(1, len(args))] {
			r.remove(args[i].text, name != "deletefile", true)
		}
	default:
		r.methodByName(name, words)
	}
	return flow{text: hole}.from(v)
}

// methodByName judges a method that nobody knows: names say what is lost.
func (r *reader) methodByName(name, words string) {
	for _, verb := range [...]string{"delete", "destroy", "terminate", "erase", "wipe", "shutdown", "win32shutdown", "reboot", "uninstall", "formatvolume", "dropdatabase"} {
		if strings.HasPrefix(name, verb) {
			r.loses(shell.AppReset, "delete", shell.RadiusUnknown, words, "calls a method whose name suggests that it deletes or stops something")
			return
		}
	}
}

// objectFile is a method of a file object.
func (r *reader) objectFile(v flow, name string, args []flow) flow {
	paths := v.paths
	if len(paths) == 0 && v.fixed && v.text != "" && v.class != "word" {
		paths = []string{v.text}
	}
	tree := len(args) > 0 && !strings.EqualFold(args[0].text, "$false")
	for _, p := range paths {
		switch {
		case strings.HasPrefix(name, "delete"):
			r.remove(p, tree || v.deep, true)
		case len(args) > 0 && name == "moveto":
			r.file("mv", p, args[0].text)
		case len(args) > 0:
			r.file("cp", p, args[0].text)
		}
	}
	if len(paths) == 0 && strings.HasPrefix(name, "delete") {
		if v.class == "shadowcopy" {
			r.loses(shell.BackupDelete, "delete", shell.RadiusHigh, "Delete()", "deletes shadow copies")
		} else {
			r.loses(shell.AppReset, "delete", shell.RadiusUnknown, "Delete()", "deletes something that is known only at run time")
		}
	}
	return flow{}
}

// static is a call of a type: [IO.File]::Delete('x').
func (r *reader) static(typ, name string, args []flow, words string) flow {
	switch typ {
	case "io.file", "io.directory", "io.fileinfo", "io.directoryinfo", "io.path", "io.filestream":
		return r.staticFile(typ, name, args)
	case "net.webclient", "net.http.httpclient", "net.webrequest", "net.httpwebrequest", "net.dns", "net.sockets.tcpclient", "net.sockets.socket":
		return r.staticNet(typ, args, words)
	}
	if out, ok := r.staticValue(typ, name, args); ok {
		return out
	}
	switch {
	case typ == "diagnostics.process" && name == "start":
		r.psText(append([]string{argText(args, 0)}, strings.Fields(argText(args, 1))...), words)
	case facts.InList("reflection.assembly runtime.interopservices.marshal activator appdomain", typ):
		r.opaque("loads unknown code", words)
	case typ == "microsoft.win32.registry" && strings.Contains(name, "delete"):
		r.loses(shell.RegDelete, "delete", shell.RadiusHigh, words, "deletes keys or values from the Windows registry")
	}
	switch name {
	case "deletedirectory", "deletefile":
		if len(args) > 0 {
			r.remove(argText(args, 0), name == "deletedirectory", true)
		}
	default:
		r.methodByName(name, words)
	}
	out := flow{text: hole}
	for _, a := range args {
		out = out.from(a)
	}
	return out
}

func argText(args []flow, i int) string {
	if i < len(args) {
		return args[i].text
	}
	return ""
}

// staticValue is a call of a type that only makes a value.
func (r *reader) staticValue(typ, name string, args []flow) (flow, bool) {
	switch typ + "::" + name {
	case "convert::frombase64string":
		if t, ok := facts.Base64(argText(args, 0)); ok {
			return literal(t), true
		}
	case "scriptblock::create":
		if len(args) > 0 {
			return flow{text: args[0].text, class: "block", fixed: args[0].fixed}.from(args[0]), true
		}
	case "string::join":
		if len(args) > 1 {
			return literal(strings.Join(listOf(args[1]), args[0].text)), true
		}
	case "string::concat", "string::format":
		out := literal("")
		for _, a := range args {
			out = joined(out, a)
		}
		return out, true
	case "environment::getfolderpath":
		return literal("~"), true
	case "environment::getenvironmentvariables":
		return flow{text: hole, secret: true}, true
	case "environment::getenvironmentvariable":
		return r.variable("env:" + argText(args, 0)), true
	case "environment::exit":
		return flow{}, true
	}
	switch {
	case typ == "array":
		return unsure(), true
	case len(args) > 0 && (typ == "convert" || strings.HasPrefix(typ, "text.")):
		return args[0], true
	}
	return flow{}, false
}

// staticFile is a call of the file classes.
func (r *reader) staticFile(typ, name string, args []flow) flow {
	arg := func(i int) flow {
		if i < len(args) {
			return args[i]
		}
		return flow{text: hole}
	}
	p := arg(0).text
	switch {
	case name == "delete" && len(arg(0).paths) > 0:
		for _, one := range arg(0).paths {
			r.remove(one, typ == "io.directory", true)
		}
	case name == "delete":
		r.remove(p, typ == "io.directory" && len(args) > 1 && !strings.EqualFold(arg(1).text, "$false"), true)
	case name == "new":
		return flow{text: p, fixed: true, paths: []string{p}}
	case strings.HasPrefix(name, "write") && len(args) > 1 && printer(args[1]) == ":":
		r.redirect(":", ">", p)
	case strings.HasPrefix(name, "write"), name == "create", name == "createtext", name == "open", name == "openwrite":
		r.file("tee", p)
	case strings.HasPrefix(name, "append"):
		r.file("tee", "-a", p)
	case name == "move", name == "replace":
		r.file("mv", p, arg(1).text)
	case name == "copy":
		r.file("cp", p, arg(1).text)
	case strings.HasPrefix(name, "read"), name == "openread", name == "opentext":
		return r.readFile(p)
	case name == "combine":
		var parts []string
		for _, a := range args {
			parts = append(parts, a.text)
		}
		return literal(strings.Join(parts, `\`))
	case strings.HasPrefix(name, "getfiles"), strings.HasPrefix(name, "enumerate"), strings.HasPrefix(name, "getdirectories"):
		pattern := "*"
		if len(args) > 1 {
			pattern = arg(1).text
		}
		return flow{text: hole, paths: []string{strings.TrimRight(p, `\/`) + `\` + pattern}}
	case name == "gettemppath":
		return literal("$env:temp")
	case name == "gettempfilename":
		return literal(`$env:temp\x.tmp`)
	}
	return unsure()
}

// staticNet is a call of the classes that talk to other machines.
func (r *reader) staticNet(typ string, args []flow, words string) flow {
	url := flow{}
	if len(args) > 0 {
		url = args[0]
	}
	switch typ {
	case "net.webclient", "net.http.httpclient":
		return flow{text: hole, class: "webclient"}
	case "net.webrequest", "net.httpwebrequest":
		r.fetch(url, words)
		return flow{text: hole, class: "webclient", net: true}
	case "net.dns":
		for _, a := range args {
			if a.secret || a.file {
				r.leaks(shell.ExfilDNS, shell.RadiusHigh, "", words, "sends data off the machine, hidden in a DNS lookup")
			}
		}
	case "net.sockets.tcpclient", "net.sockets.socket":
		r.socket = true
		return flow{text: hole, class: "socket", net: true}
	}
	return unsure()
}
