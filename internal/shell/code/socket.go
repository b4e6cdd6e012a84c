package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// connects notes an open connection. Only one to another machine can take data
// away.
func (r *reader) connects(args []value) value {
	if r.quiet == 0 {
		r.out.socket = true
		r.out.meets(peer(args))
	}
	return value{class: "sock", taint: fromNet}
}

// meets notes a connection to a host.
func (o *result) meets(host facts.Host) {
	if host.Local() {
		return
	}
	if o.remote && o.peer != host.Name {
		host.Name = ""
	}
	o.remote, o.peer = true, host.Name
}

// peer is the host among the arguments of a connection; it is not set when none is
// known.
func peer(args []value) facts.Host {
	numbers := len(args) > 0
	for i := range args {
		var host facts.Host
		args[i].each(func(v *value) {
			switch {
			case v.num:
			case v.form == text && !host.Set():
				host = hostish(v.text)
			case v.form == unknown:
				numbers = false
			}
		})
		if host.Set() {
			return host
		}
		numbers = numbers && args[i].num
	}
	if numbers { // only a port: this machine
		return facts.Host{Zone: facts.Here}
	}
	return facts.Host{}
}

// hostish is the host that a text names, if it names one.
func hostish(s string) facts.Host {
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "unix:") {
		return facts.Host{Zone: facts.Here} // a socket in the file system
	}
	if h := facts.HostOf(s); h.Local() || strings.ContainsAny(s, ".:") {
		return h
	}
	return facts.Host{}
}

// sockSends notes that something is written to a connection. A method whose
// owner is not known counts only for what it carries.
func (r *reader) sockSends(v value, args []value, from int) {
	if r.quiet > 0 || len(args) == 0 {
		return
	}
	sock := v.recv != nil && v.recv.class == "sock" || strings.HasPrefix(v.text, "sock.")
	if !sock && (v.recv != nil && v.recv.class == "file" || strings.Contains(v.text, "stdout") || strings.Contains(v.text, "stderr")) {
		return
	}
	if len(args) > 1 && sock { // a datagram says where it goes
		if host := peer(args[1:]); host.Set() {
			r.out.meets(host)
		}
	}
	r.writesTo(args, sock, from)
}

// writesTo notes what goes into a connection.
func (r *reader) writesTo(data []value, sure bool, from int) {
	if r.quiet > 0 {
		return
	}
	r.out.written |= taintOf(data) | deepTaint(data)
	if sure || r.out.sentAs == "" {
		r.out.sentAs = r.snippet(from)
	}
	r.out.wrote = r.out.wrote || sure
}

// connection reports what an open connection to another machine takes away.
func (o *result) connection() {
	if !o.remote {
		return
	}
	t := o.written | o.seen&(fromSecret|fromEnv)
	if o.logs {
		t |= o.seen
	}
	e := shell.Effect{Label: shell.Exfiltration, Kind: "upload", Category: shell.ExfilFile, Radius: shell.RadiusMedium, Words: o.sentAs}
	switch {
	case t&(fromSecret|fromEnv) != 0 || t&fromSetting != 0 && !facts.Belongs(o.owner, o.peer):
		e.Category, e.Radius, e.Reason = shell.ExfilSecret, shell.RadiusHigh, "sends secrets to another machine"
	case t&(fromFile|fromInput|fromCommand) != 0:
		e.Reason = "sends files or command output to another machine"
	case o.wrote || o.seen&fromSetting != 0:
		e.Label, e.Category, e.Radius = shell.Unknown, shell.NetWrite, shell.RadiusLow
		e.Reason = "sends data to another machine"
	default:
		return // it only looks whether something answers
	}
	o.add(e)
}
