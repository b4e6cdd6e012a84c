package facts

import "strings"

// A Zone is the distance of a host.
type Zone uint8

// The zones, from near to remote.
const (
	NoZone  Zone = iota // there is no host
	Here                // this machine
	Private             // a private network
	Away                // everything else, and unknown hosts
)

// A Host is a network destination.
type Host struct {
	Name string // "" if unknown
	Zone Zone
	Bare bool // a single label without a dot: a service in a compose file, or an alias
	Open bool // an address without a visible owner: an IP address, or one that clients parse differently
}

// Set reports whether there is a host.
func (h *Host) Set() bool { return h.Zone != NoZone }

// Local reports whether a host is certainly this machine.
func (h Host) Local() bool { return h.Zone == Here }

// Drop reports whether a host hides its owner.
func (h *Host) Drop() bool { return h.Open || IsSuspiciousHost(h.Name) }

// IsLoopback reports whether a server that listens on an address is only reachable from this machine.
func IsLoopback(addr string) bool {
	h := HostOf(addr)
	return h.Local() && (h.Name == "" || strings.Trim(h.Name, "0x.:") != "")
}

// Farther returns the more remote host: a call is as bad as its worst target.
func Farther(a, b Host) Host {
	if !a.Set() || b.Zone > a.Zone || b.Zone == Away && a.Zone == Away && a.Name != "" && b.Drop() && !a.Drop() {
		return b
	}
	return a
}

// HostOf returns the host of a URL or of user@name:port. Clients parse odd addresses differently: for
// http://a\@b/ some connect to a and some to b. The most remote result counts, so that a local host is
// local for all clients; a text without a readable host is never local.
func HostOf(text string) Host {
	text = trimIgnored(text)
	scheme, rest := cutScheme(text)
	switch {
	case scheme == "file" || scheme == "unix":
		if a, _, _ := strings.Cut(strings.ReplaceAll(rest, `\`, "/"), "/"); a == "" || a[0] == '.' || a[0] == '~' || HostOf(a).Local() {
			return Host{Zone: Here}
		}
	case scheme != "":
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, `\\`), strings.HasPrefix(text, `/\`), strings.HasPrefix(text, `\/`):
	case text == "" || strings.IndexByte(`/\.~?#`, text[0]) >= 0:
		return Host{Zone: Away} // a path
	}
	h := farthestHost(strings.TrimLeft(rest, `/\`))
	if i := strings.LastIndexAny(scheme, ".:"); i >= 0 && !strings.HasPrefix(scheme, "jdbc:") {
		switch scheme[i+1:] {
		case "http", "https", "ssh", "git": // a setting of git: url.https://host/.insteadof
		default:
			h = ambiguousHost(h, farthestHost(text)) // the scheme may be a host
		}
	}
	return h
}

// trimIgnored returns text without the characters that clients ignore: spaces around it, and tabs and
// newlines anywhere.
func trimIgnored(text string) string {
	text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	if strings.ContainsAny(text, "\t\r\n") {
		text = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(text)
	}
	return text
}

// cutScheme returns the scheme of a URL in lower case, or "", and the rest.
func cutScheme(text string) (scheme, rest string) {
	const longest = 24
	if i := strings.Index(text, "://"); i > 0 && i <= longest && isScheme(text[:i]) {
		return strings.ToLower(text[:i]), text[i+3:]
	}
	// Browsers accept URLs without slashes or with backslashes.
	for _, s := range [...]string{"https:", "http:", "wss:", "ws:", "ftp:"} {
		if n := len(s); len(text) > n && strings.EqualFold(text[:n], s) && (text[n] == '/' || text[n] == '\\' || Letter(text[n]) || text[n] == '[') {
			return s[:n-1], text[n:]
		}
	}
	return "", text
}

// isScheme reports whether a text can be the scheme of a URL: git+ssh, jdbc:mysql.
func isScheme(s string) bool {
	for i := range len(s) {
		if c := s[i]; !Letter(c) && !isDigit(c) && strings.IndexByte("+-.:", c) < 0 {
			return false
		}
	}
	return s != "" && Letter(s[0])
}

// farthestHost returns the most remote of the hosts that clients find in the text after the scheme.
func farthestHost(rest string) Host {
	h := parseAuthority(rest, "/?#")
	if i := strings.IndexAny(rest, `\;`); i >= 0 && i < indexOrLen(rest, "/?#") {
		h = ambiguousHost(ambiguousHost(h, parseAuthority(rest, `/?#\`)), parseAuthority(rest, "/?#;"))
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		// Old clients search for the @ up to the first slash.
		upto := indexOrLen(rest, "/")
		if at := strings.LastIndexByte(rest[:upto], '@'); at > i && !strings.ContainsAny(rest[i:at], "=&") {
			h = ambiguousHost(h, parseAuthority(rest, "/"))
		}
	}
	return h
}

// indexOrLen returns the index of the first of the marks, or the length of text.
func indexOrLen(text, marks string) int {
	if i := strings.IndexAny(text, marks); i >= 0 {
		return i
	}
	return len(text)
}

// parseAuthority parses user@host:port up to one of the marks. Databases accept several hosts
// separated by commas.
func parseAuthority(text, marks string) Host {
	text = text[:indexOrLen(text, marks)]
	var h Host
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		user := text[:i]
		text = text[i+1:]
		if j := strings.IndexByte(user, '@'); j >= 0 && strings.IndexByte(user[j:], '.') >= 0 {
			h = parseAddress(user[j+1:]) // some clients use the first @
		}
	}
	var last Host
	for one, more := "", true; more; {
		one, text, more = strings.Cut(text, ",")
		last = Farther(last, parseAddress(one))
	}
	if h.Set() {
		return ambiguousHost(last, h)
	}
	return last
}

// ambiguousHost returns the host of an address that two clients parse as a and as b.
func ambiguousHost(a, b Host) Host {
	switch {
	case a == b:
		return a
	case isInvalidName(a.Name) != isInvalidName(b.Name): // one of them cannot be resolved
		if isInvalidName(a.Name) {
			a, b = b, a
		}
		a.Zone = max(a.Zone, b.Zone)
		return a
	case a.Zone < b.Zone:
		a = b
	case a.Zone == b.Zone && a.Name != b.Name:
		a.Name = "" // neither name can be relied on
	}
	a.Open = true
	return a
}

// parseAddress returns the host of name:port.
func parseAddress(text string) Host {
	if strings.HasPrefix(text, "[") {
		if i := strings.IndexByte(text, ']'); i > 0 {
			h := parseName(text[1:i])
			if !isPort(text[i+1:]) {
				h.Zone = Away
			}
			return h
		}
	}
	if i := strings.IndexByte(text, ':'); i >= 0 && strings.IndexByte(text[i+1:], ':') < 0 {
		h := parseName(text[:i])
		if !isPort(text[i:]) {
			h.Zone = Away
		}
		return h
	}
	return parseName(text)
}

// isPort reports whether a text is empty or :port.
func isPort(text string) bool {
	if text == "" {
		return true
	}
	return text[0] == ':' && strings.Trim(strings.ReplaceAll(text[1:], placeholder, ""), "0123456789") == ""
}

// ThisMachine is the name of this machine for all clients.
const ThisMachine = "localhost"

// hereNames are domains of this machine.
const hereNames = ThisMachine + " localhost.localdomain ip6-localhost ip6-loopback host.docker.internal host.containers.internal kubernetes.docker.internal"

// privateNames are domains that do not exist on the public network.
const privateNames = "local lan internal home.arpa svc intranet"

// parseName returns the host with a name or an IP address.
func parseName(name string) Host {
	name = strings.TrimSuffix(strings.ToLower(unescape(name)), ".")
	h := Host{Name: name, Zone: Away}
	if i := strings.LastIndex(name, placeholder); i >= 0 {
		// The known part after the placeholder is the domain: PLACEHOLDER.evil.com.
		h.Name = strings.TrimLeft(name[i+len(placeholder):], ".")
		if strings.IndexByte(h.Name, '.') < 0 {
			h.Name = ""
		}
		return h
	}
	if zone, ok := ipZone(name); ok {
		h.Zone, h.Open = zone, zone == Away || !isUsualIP(name)
		return h
	}
	switch {
	case name == "" || isInvalidName(name):
	case InDomains(name, hereNames):
		h.Zone = Here
	case strings.IndexByte(name, '.') < 0:
		h.Bare = true
	case InDomains(name, privateNames):
		h.Zone = Private
	}
	return h
}

// isInvalidName reports whether a name has characters that no host name has.
func isInvalidName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c < 0x80 && !Letter(c) && !isDigit(c) && strings.IndexByte("-._:", c) < 0 {
			return true
		}
	}
	return false
}

// unescape decodes %2e in a host name, as clients do.
func unescape(name string) string {
	if strings.IndexByte(name, '%') < 0 || strings.IndexByte(name, ':') >= 0 {
		return name // in fe80::1%eth0, % begins a zone
	}
	out := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		if name[i] == '%' && i+2 < len(name) {
			if hi, lo := hexValue(name[i+1]), hexValue(name[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, name[i])
	}
	return string(out)
}

// InDomains reports whether a host is one of the domains, which are separated by spaces, or a
// subdomain of one.
func InDomains(host, domains string) bool {
	for domains != "" {
		d, rest, _ := strings.Cut(domains, " ")
		domains = rest
		if n := len(host) - len(d); n == 0 && host == d || n > 0 && host[n-1] == '.' && host[n:] == d {
			return true
		}
	}
	return false
}

// SplitURL splits a URL into user and password, host and port, and the rest, as browsers do.
func SplitURL(url string) (user, addr, rest string) {
	_, addr = cutScheme(trimIgnored(url))
	addr = strings.TrimLeft(addr, `/\`)
	i := indexOrLen(addr, `/?#\`)
	addr, rest = addr[:i], addr[i:]
	if i := strings.LastIndexByte(addr, '@'); i >= 0 {
		user, addr = addr[:i], addr[i+1:]
	}
	return user, addr, rest
}

// IsProxyVar reports whether a variable names a proxy for requests.
func IsProxyVar(name string) bool {
	switch strings.ToLower(name) {
	case "http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "socks_proxy", "npm_config_proxy", "npm_config_https_proxy", "pip_proxy":
		return true
	}
	return false
}

// NamesServer reports whether a variable names the host that programs talk to.
func NamesServer(name string) bool {
	switch name {
	case "DOCKER_HOST", "CONTAINER_HOST", "PGHOST", "PGHOSTADDR", "MYSQL_HOST", "VAULT_ADDR", "CONSUL_HTTP_ADDR", "ETCDCTL_ENDPOINTS", "AWS_ENDPOINT_URL", "NATS_URL", "INFLUX_HOST":
		return true
	}
	return IsProxyVar(name)
}
