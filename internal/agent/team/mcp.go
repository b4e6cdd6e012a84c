package team

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// A Server is an MCP server, whose tools an agent has: a program that is started, or
// one that is reached over HTTP.
type Server struct {
	Name    string // what comes before the names of its tools; "" = nothing
	Label   string // what to call it: never empty
	Command string // the program; "" = it is reached over HTTP
	Args    []string
	Env     []Variable // beside what every program needs
	URL     string
	SSE     bool // by the older of the two ways over HTTP
	Headers []Variable
	Line    int
}

// A Variable is a name with its text as the file has it: ${env.NAME} in it is filled in
// when it is used.
type Variable struct{ Name, Value string }

const noCatalog = "checkrein does not download servers from the catalog: write its command and args, or remote: {url: …}"

// servers checks the servers that agents may refer to.
func (r *reader) servers(root *yamldoc.Node) {
	group := r.group(root, "mcps")
	if group == nil {
		return
	}
	for _, p := range group.Pairs {
		if !r.name(p, "a server") || !r.keys(p.Value, "mcps."+p.Key, keysOf("toolset", "server")) {
			continue
		}
		if t := r.text(p.Value.Get("type"), "mcps."+p.Key+".type"); t != "" && t != "mcp" {
			r.problem(p.Line, "write type: mcp, or move it to toolsets:", "mcps.%s has type %s", p.Key, t)
		}
	}
	r.shared.mcps = group
}

// server reads a toolset of type mcp: what it says itself, and what the entry of mcps:
// says to which it refers. What it says itself counts first.
func (r *reader) server(n *yamldoc.Node, at string) (t Toolset, ok bool) {
	r.keys(n, at, keysOf("toolset", "server"))
	before := len(r.problems)
	own := r.serverOf(n, at)
	t = Toolset{Type: "mcp", Tools: r.toolNames(n, at), Server: &own}
	ref := r.text(n.Get("ref"), at+".ref")
	from := n
	if ref != "" && !strings.HasPrefix(ref, "docker:") {
		def := r.lookUp(r.shared.mcps, n.Line, at+".ref", ref)
		if def == nil {
			return t, false
		}
		from = def
		base := r.serverOf(def, "mcps."+ref)
		inherited(&own, base)
		if len(t.Tools) == 0 {
			t.Tools = r.toolNames(def, "mcps."+ref)
		}
		own.Label = cmp.Or(own.Name, ref)
		ref = r.text(def.Get("ref"), "mcps."+ref+".ref")
	}
	if ref != "" && own.Command == "" && own.URL == "" {
		r.problem(from.Line, noCatalog, "%s.ref is %q", at, ref)
		return t, false
	}
	own.Label = cmp.Or(own.Label, own.Name, label(&own))
	return t, len(r.problems) == before && r.reachable(&own, n, at)
}

// inherited takes over what a toolset does not say itself.
func inherited(own *Server, base Server) {
	own.Name = cmp.Or(own.Name, base.Name)
	if own.Command == "" && own.URL == "" {
		own.Command, own.URL, own.SSE, own.Headers = base.Command, base.URL, base.SSE, base.Headers
	}
	if len(own.Args) == 0 {
		own.Args = base.Args
	}
	for _, v := range base.Env {
		if !slices.ContainsFunc(own.Env, func(o Variable) bool { return o.Name == v.Name }) {
			own.Env = append(own.Env, v)
		}
	}
}

func (r *reader) serverOf(n *yamldoc.Node, at string) Server {
	s := Server{
		Name: r.text(n.Get("name"), at+".name"), Command: r.text(n.Get("command"), at+".command"),
		Args: r.words(n.Get("args"), at+".args"), Env: r.variables(n.Get("env"), at+".env"), Line: n.Line,
	}
	remote := n.Get("remote")
	if !r.keys(remote, at+".remote", keysOf("remote")) {
		return s
	}
	s.URL = r.text(remote.Get("url"), at+".remote.url")
	s.Headers = r.variables(remote.Get("headers"), at+".remote.headers")
	kinds := []string{"streamable", "streamable-http", "sse"}
	switch how := r.text(remote.Get("transport_type"), at+".remote.transport_type"); {
	case how == "sse":
		s.SSE = true
	case how != "" && !slices.Contains(kinds, how):
		r.problem(remote.Line, "write streamable or sse", "%s.remote.transport_type is %q%s", at, how, suggest.Hint(how, kinds))
	}
	return s
}

// reachable checks that it is known where a server is, and only one place.
func (r *reader) reachable(s *Server, n *yamldoc.Node, at string) bool {
	switch {
	case s.Command == "" && s.URL == "":
		r.problem(n.Line, "write command: and args:, remote: {url: …}, or ref: with a name from mcps:", "%s has neither a command nor a remote URL", at)
	case s.Command != "" && s.URL != "":
		r.problem(n.Line, "keep one of them", "%s has both command and remote", at)
	case s.Command == "" && len(s.Args) > 0:
		r.problem(n.Line, "remove args", "%s has args but no command", at)
	case s.Name != "" && strings.ContainsFunc(s.Name, oddInName):
		r.problem(n.Line, "use letters, digits, - and _", "%s.name is %q, which is not a valid start of a tool name", at, s.Name)
	case s.URL != "" && !webAddress(s.URL):
		r.problem(n.Line, "write http:// or https:// and a host", "%s.remote.url is %q", at, s.URL)
	default:
		return true
	}
	return false
}

func webAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

func oddInName(c rune) bool {
	return c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
}

// label is what to call a server that has no name.
func label(s *Server) string {
	name := path.Base(strings.ReplaceAll(s.Command, `\`, "/"))
	if u, err := url.Parse(s.URL); s.Command == "" && err == nil {
		name = u.Hostname()
	}
	name = strings.Map(func(c rune) rune {
		if oddInName(c) && c != '.' {
			return -1
		}
		return c
	}, name)
	return cmp.Or(name, "server")
}

// words reads a list of texts in which numbers and the like are taken as written, and
// empty ones count.
func (r *reader) words(n *yamldoc.Node, at string) []string {
	switch {
	case n.IsNull():
		return nil
	case n.Kind != yamldoc.List:
		r.problem(n.Line, "write a list", "%s is %s", at, n.Kind)
		return nil
	}
	var out []string
	for _, item := range n.Items {
		out = append(out, r.text(item, at))
	}
	return out
}

// variables reads a mapping of names to texts.
func (r *reader) variables(n *yamldoc.Node, at string) []Variable {
	switch {
	case n.IsNull():
		return nil
	case n.Kind != yamldoc.Map:
		r.problem(n.Line, "write {NAME: value}", "%s is %s", at, n.Kind)
		return nil
	}
	var out []Variable
	for _, p := range n.Pairs {
		value := r.text(p.Value, at+"."+p.Key)
		if p.Key == "" || strings.ContainsAny(p.Key, "= \x00\r\n") || strings.ContainsAny(value, "\x00\r\n") {
			r.problem(p.Line, "use letters, digits, - and _ in the name, and a one-line value", "%s: %q is not a valid name, or its value has more than one line", at, p.Key)
			continue
		}
		out = append(out, Variable{p.Key, value})
	}
	return out
}
