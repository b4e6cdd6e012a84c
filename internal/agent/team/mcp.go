package team

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/sandbox"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// A Server is an MCP server with tools for an agent: a program to start, or a server reached over
// HTTP.
type Server struct {
	Name    string // the prefix of its tools' names; "" = none
	Label   string // its name in messages, never empty
	Command string // the program; "" = over HTTP
	Args    []string
	Env     []Variable // in addition to what every program needs
	URL     string
	SSE     bool // uses the older HTTP transport
	Headers []Variable
	Sandbox *sandbox.Rules // nil = the program has all rights of its user
	Line    int
}

// A Variable is a name with its value as written in the file. ${env.NAME} in the value is expanded
// when it is used.
type Variable struct{ Name, Value string }

const noCatalog = "checkrein does not download servers from the catalog: write its command and args, or remote: {url: …}"

// checkServers checks the servers under mcps, to which agents may refer, and makes them available.
func (r *reader) checkServers(root *yamldoc.Node) {
	group := r.findMapping(root, "mcps")
	if group == nil {
		return
	}
	for _, p := range group.Pairs {
		if !r.checkName(p, "a server") || !r.checkKeys(p.Value, "mcps."+p.Key, keysOf("toolset", "server")) {
			continue
		}
		if t := r.readText(p.Value.Get("type"), "mcps."+p.Key+".type"); t != "" && t != "mcp" {
			r.addProblem(p.Line, "write type: mcp, or move it to toolsets:", "mcps.%s has type %s", p.Key, t)
		}
	}
	r.shared.mcps = group
}

// readServer reads a toolset of type mcp. Values that it lacks are taken from the entry of mcps to
// which it refers. ok is false if there is a problem.
func (r *reader) readServer(n *yamldoc.Node, at string) (t Toolset, ok bool) {
	r.checkKeys(n, at, keysOf("toolset", "server"))
	before := len(r.problems)
	own := r.readServerFields(n, at)
	t = Toolset{Type: "mcp", Tools: r.readToolNames(n, at), Server: &own}
	ref := r.readText(n.Get("ref"), at+".ref")
	from := n
	if ref != "" && !strings.HasPrefix(ref, "docker:") {
		def := r.findShared(r.shared.mcps, n.Line, at+".ref", ref)
		if def == nil {
			return t, false
		}
		from = def
		base := r.readServerFields(def, "mcps."+ref)
		inheritServer(&own, base)
		if len(t.Tools) == 0 {
			t.Tools = r.readToolNames(def, "mcps."+ref)
		}
		own.Label = cmp.Or(own.Name, ref)
		ref = r.readText(def.Get("ref"), "mcps."+ref+".ref")
	}
	if ref != "" && own.Command == "" && own.URL == "" {
		r.addProblem(from.Line, noCatalog, "%s.ref is %q", at, ref)
		return t, false
	}
	own.Label = cmp.Or(own.Label, own.Name, serverLabel(&own))
	return t, len(r.problems) == before && r.checkAddress(&own, n, at)
}

// inheritServer copies the values of base to own that own does not have.
func inheritServer(own *Server, base Server) {
	own.Name = cmp.Or(own.Name, base.Name)
	if own.Command == "" && own.URL == "" {
		own.Command, own.URL, own.SSE, own.Headers = base.Command, base.URL, base.SSE, base.Headers
	}
	if len(own.Args) == 0 {
		own.Args = base.Args
	}
	own.Sandbox = cmp.Or(own.Sandbox, base.Sandbox)
	for _, v := range base.Env {
		if !slices.ContainsFunc(own.Env, func(o Variable) bool { return o.Name == v.Name }) {
			own.Env = append(own.Env, v)
		}
	}
}

// readServerFields reads the server that n describes, without following its ref.
func (r *reader) readServerFields(n *yamldoc.Node, at string) Server {
	s := Server{
		Name: r.readText(n.Get("name"), at+".name"), Command: r.readText(n.Get("command"), at+".command"),
		Args: r.readWords(n.Get("args"), at+".args"), Env: r.readVariables(n.Get("env"), at+".env"), Line: n.Line,
	}
	if box := n.Get("sandbox"); box != nil {
		var err error
		if s.Sandbox, err = sandbox.ParseValue(box.JSON()); err != nil {
			r.addProblem(box.Line, "write sandbox: walls, or {read: […], write: […], network: false}", "%s: %v", at, err)
		}
	}
	remote := n.Get("remote")
	if !r.checkKeys(remote, at+".remote", keysOf("remote")) {
		return s
	}
	s.URL = r.readText(remote.Get("url"), at+".remote.url")
	s.Headers = r.readVariables(remote.Get("headers"), at+".remote.headers")
	kinds := []string{"streamable", "streamable-http", "sse"}
	switch how := r.readText(remote.Get("transport_type"), at+".remote.transport_type"); {
	case how == "sse":
		s.SSE = true
	case how != "" && !slices.Contains(kinds, how):
		r.addProblem(remote.Line, "write streamable or sse", "%s.remote.transport_type is %q%s", at, how, suggest.Hint(how, kinds))
	}
	return s
}

// checkAddress reports whether s has exactly one valid address, a command or a URL. If not, it adds a
// problem.
func (r *reader) checkAddress(s *Server, n *yamldoc.Node, at string) bool {
	switch {
	case s.Command == "" && s.URL == "":
		r.addProblem(n.Line, "write command: and args:, remote: {url: …}, or ref: with a name from mcps:", "%s has neither a command nor a remote URL", at)
	case s.Command != "" && s.URL != "":
		r.addProblem(n.Line, "keep one of them", "%s has both command and remote", at)
	case s.Command == "" && s.Sandbox != nil:
		r.addProblem(n.Line, "remove sandbox: checkrein does not start this server", "%s has a sandbox but no command", at)
	case s.Command == "" && len(s.Args) > 0:
		r.addProblem(n.Line, "remove args", "%s has args but no command", at)
	case s.Name != "" && strings.ContainsFunc(s.Name, isInvalidInName):
		r.addProblem(n.Line, "use letters, digits, - and _", "%s.name is %q, which is not a valid start of a tool name", at, s.Name)
	case s.URL != "" && !isWebAddress(s.URL):
		r.addProblem(n.Line, "write http:// or https:// and a host", "%s.remote.url is %q", at, s.URL)
	default:
		return true
	}
	return false
}

// isWebAddress reports whether s is an HTTP or HTTPS URL with a host and without credentials.
func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

// isInvalidInName reports whether c is not allowed in the name of a tool.
func isInvalidInName(c rune) bool {
	return c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
}

// serverLabel returns the label of a server without a name: its program, its host, or "server".
func serverLabel(s *Server) string {
	name := path.Base(strings.ReplaceAll(s.Command, `\`, "/"))
	if u, err := url.Parse(s.URL); s.Command == "" && err == nil {
		name = u.Hostname()
	}
	name = strings.Map(func(c rune) rune {
		if isInvalidInName(c) && c != '.' {
			return -1
		}
		return c
	}, name)
	return cmp.Or(name, "server")
}

// readWords reads a list of strings, which may be empty. Numbers and booleans are taken as written.
func (r *reader) readWords(n *yamldoc.Node, at string) []string {
	switch {
	case n.IsNull():
		return nil
	case n.Kind != yamldoc.List:
		r.addProblem(n.Line, "write a list", "%s is %s", at, n.Kind)
		return nil
	}
	var out []string
	for _, item := range n.Items {
		out = append(out, r.readText(item, at))
	}
	return out
}

// readVariables reads a mapping of names to strings.
func (r *reader) readVariables(n *yamldoc.Node, at string) []Variable {
	switch {
	case n.IsNull():
		return nil
	case n.Kind != yamldoc.Map:
		r.addProblem(n.Line, "write {NAME: value}", "%s is %s", at, n.Kind)
		return nil
	}
	var out []Variable
	for _, p := range n.Pairs {
		value := r.readText(p.Value, at+"."+p.Key)
		if p.Key == "" || strings.ContainsAny(p.Key, "= \x00\r\n") || strings.ContainsAny(value, "\x00\r\n") {
			r.addProblem(p.Line, "use letters, digits, - and _ in the name, and a one-line value", "%s: %q is not a valid name, or its value has more than one line", at, p.Key)
			continue
		}
		out = append(out, Variable{p.Key, value})
	}
	return out
}
