package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// recordConnection records that the code opens a connection with args, and returns the connection.
func (r *reader) recordConnection(args []value) value {
	if r.quiet == 0 {
		r.out.socket = true
		r.out.recordPeer(peerHost(args))
	}
	return value{class: "sock", taint: fromNet}
}

// recordPeer records a connection to host, unless host is this machine. If the code connects to
// several machines, the peer becomes unknown.
func (o *result) recordPeer(host facts.Host) {
	if host.IsLocal() {
		return
	}
	if o.remote && o.peer != host.Name {
		host.Name = ""
	}
	o.remote, o.peer = true, host.Name
}

// peerHost returns the host among args, the arguments of a function that connects. If they contain
// only a port, that is this machine. The host is not set if it is unknown.
func peerHost(args []value) facts.Host {
	numbers := len(args) > 0
	for i := range args {
		var host facts.Host
		args[i].eachLeaf(func(v *value) {
			switch {
			case v.num:
			case v.form == text && !host.Exists():
				host = hostInText(v.text)
			case v.form == unknown:
				numbers = false
			}
		})
		if host.Exists() {
			return host
		}
		numbers = numbers && args[i].num
	}
	if numbers { // the arguments are only a port
		return facts.Host{Zone: facts.Here}
	}
	return facts.Host{}
}

// hostInText returns the host that s names. A path of a Unix socket means this machine. The host is
// not set if s names none.
func hostInText(s string) facts.Host {
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "unix:") {
		return facts.Host{Zone: facts.Here} // a Unix socket
	}
	if h := facts.HostOf(s); h.IsLocal() || strings.ContainsAny(s, ".:") {
		return h
	}
	return facts.Host{}
}

// recordSocketSend records a call of v that writes args to a connection, or to an object that may be
// one. It ignores files, standard output and standard error.
func (r *reader) recordSocketSend(v value, args []value, from int) {
	if r.quiet > 0 || len(args) == 0 {
		return
	}
	sock := v.recv != nil && v.recv.class == "sock" || strings.HasPrefix(v.text, "sock.")
	if !sock && (v.recv != nil && v.recv.class == "file" || strings.Contains(v.text, "stdout") || strings.Contains(v.text, "stderr")) {
		return
	}
	if len(args) > 1 && sock { // sendto, whose arguments include the destination
		if host := peerHost(args[1:]); host.Exists() {
			r.out.recordPeer(host)
		}
	}
	r.recordSocketData(args, sock, from)
}

// recordSocketData records that data is written to a connection. Sure is false if the receiver may be
// something else.
func (r *reader) recordSocketData(data []value, sure bool, from int) {
	if r.quiet > 0 {
		return
	}
	r.out.written |= taintOf(data) | deepTaint(data)
	if sure || r.out.sentAs == "" {
		r.out.sentAs = r.snippet(from)
	}
	r.out.wrote = r.out.wrote || sure
}

// addConnectionEffect adds the effect of data that the code sends to another machine over a
// connection. It adds none if the code only connects.
func (o *result) addConnectionEffect() {
	if !o.remote {
		return
	}
	t := o.written | o.seen&(fromSecret|fromEnv)
	if o.logs {
		t |= o.seen
	}
	e := shell.Effect{Label: shell.Exfiltration, Kind: "upload", Category: shell.ExfilFile, Impact: shell.ImpactMedium, Words: o.sentAs}
	switch {
	case t&(fromSecret|fromEnv) != 0 || t&fromSetting != 0 && !facts.BelongsTo(o.owner, o.peer):
		e.Category, e.Impact, e.Reason = shell.ExfilSecret, shell.ImpactHigh, "sends secrets to another machine"
	case t&(fromFile|fromInput|fromCommand) != 0:
		e.Reason = "sends files or command output to another machine"
	case o.wrote || o.seen&fromSetting != 0:
		e.Label, e.Category, e.Impact = shell.Unknown, shell.NetWrite, shell.ImpactLow
		e.Reason = "sends data to another machine"
	default:
		return // the code only checks whether the host answers
	}
	o.addEffect(e)
}
