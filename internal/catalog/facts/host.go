package facts

import "strings"

// A Zone is a distance from this machine.
type Zone uint8

// The zones, from near to remote.
const (
	NoZone  Zone = iota // there is no host
	Here                // this machine
	Private             // a private network
	Away                // every other host, and unknown ones
)

// A Host is a network destination.
type Host struct {
	Name string // "" if unknown
	Zone Zone
	Bare bool // the name has no dot: it is a service in a compose file, or an alias
	Open bool // the owner cannot be seen: it is an IP address, or clients parse the address differently
}

// Exists reports whether there is a host.
func (h *Host) Exists() bool { return h.Zone != NoZone }

// IsLocal reports whether the host is certainly this machine.
func (h Host) IsLocal() bool { return h.Zone == Here }

// HidesOwner reports whether the owner of the host cannot be seen or the host is suspicious.
func (h *Host) HidesOwner() bool { return h.Open || IsSuspiciousHost(h.Name) }

// IsLoopback reports whether a server that listens on addr can only be reached from this machine.
func IsLoopback(addr string) bool {
	h := HostOf(addr)
	return h.IsLocal() && (h.Name == "" || strings.Trim(h.Name, "0x.:") != "")
}

// MoreRemote returns the more remote of two hosts, because a call is as bad as its worst target. Of
// two remote hosts it prefers one that hides its owner.
func MoreRemote(a, b Host) Host {
	if !a.Exists() || b.Zone > a.Zone || b.Zone == Away && a.Zone == Away && a.Name != "" && b.HidesOwner() && !a.HidesOwner() {
		return b
	}
	return a
}

// HostOf returns the host in a URL or in an address such as user@name:port. Clients parse odd
// addresses differently: for http://a\@b/ some connect to a and some to b. HostOf returns the most
// remote of these hosts, so that a local host is local for all clients. Text without a readable host
// is never local.
func HostOf(text string) Host {
	text = trimIgnored(text)
	scheme, rest := cutScheme(text)
	switch {
	case scheme == "file" || scheme == "unix":
		if a, _, _ := strings.Cut(strings.ReplaceAll(rest, `\`, "/"), "/"); a == "" || a[0] == '.' || a[0] == '~' || HostOf(a).IsLocal() {
			return Host{Zone: Here}
		}
	case scheme != "":
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, `\\`), strings.HasPrefix(text, `/\`), strings.HasPrefix(text, `\/`):
	case text == "" || strings.IndexByte(`/\.~?#`, text[0]) >= 0:
		return Host{Zone: Away} // it is a path
	}
	h := mostRemoteHost(strings.TrimLeft(rest, `/\`))
	if i := strings.LastIndexAny(scheme, ".:"); i >= 0 && !strings.HasPrefix(scheme, "jdbc:") {
		switch scheme[i+1:] {
		case "http", "https", "ssh", "git": // as in a setting of git: url.https://host/.insteadof
		default:
			h = ambiguousHost(h, mostRemoteHost(text)) // what looks like the scheme may be a host
		}
	}
	return h
}

// trimIgnored returns text without the characters that clients ignore: white space around it, and tabs
// and newlines anywhere.
func trimIgnored(text string) string {
	text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	if strings.ContainsAny(text, "\t\r\n") {
		text = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(text)
	}
	return text
}

// cutScheme returns the scheme of a URL in lower case, and the rest. The scheme is "" if text has
// none.
func cutScheme(text string) (scheme, rest string) {
	const longest = 24
	if i := strings.Index(text, "://"); i > 0 && i <= longest && isScheme(text[:i]) {
		return strings.ToLower(text[:i]), text[i+3:]
	}
	// Browsers accept URLs without slashes or with backslashes.
	for _, s := range [...]string{"https:", "http:", "wss:", "ws:", "ftp:"} {
		if n := len(s); len(text) > n && strings.EqualFold(text[:n], s) && (text[n] == '/' || text[n] == '\\' || IsLetter(text[n]) || text[n] == '[') {
			return s[:n-1], text[n:]
		}
	}
	return "", text
}

// isScheme reports whether s can be the scheme of a URL, such as git+ssh or jdbc:mysql.
func isScheme(s string) bool {
	for i := range len(s) {
		if c := s[i]; !IsLetter(c) && !isDigit(c) && strings.IndexByte("+-.:", c) < 0 {
			return false
		}
	}
	return s != "" && IsLetter(s[0])
}

// mostRemoteHost returns the most remote of the hosts that clients find in rest, the part of a URL
// after the scheme.
func mostRemoteHost(rest string) Host {
	h := parseAuthority(rest, "/?#")
	if i := strings.IndexAny(rest, `\;`); i >= 0 && i < indexOrLen(rest, "/?#") {
		h = ambiguousHost(ambiguousHost(h, parseAuthority(rest, `/?#\`)), parseAuthority(rest, "/?#;"))
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		// Old clients search for the @ only before the first slash.
		upto := indexOrLen(rest, "/")
		if at := strings.LastIndexByte(rest[:upto], '@'); at > i && !strings.ContainsAny(rest[i:at], "=&") {
			h = ambiguousHost(h, parseAuthority(rest, "/"))
		}
	}
	return h
}

// indexOrLen returns the index of the first of marks in text, or the length of text if it has none.
func indexOrLen(text, marks string) int {
	if i := strings.IndexAny(text, marks); i >= 0 {
		return i
	}
	return len(text)
}

// parseAuthority returns the host in text, which is user@host:port up to one of marks. Databases
// accept several hosts separated by commas; it returns the most remote one.
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
		last = MoreRemote(last, parseAddress(one))
	}
	if h.Exists() {
		return ambiguousHost(last, h)
	}
	return last
}

// ambiguousHost returns the host for an address that one client parses as a and another as b.
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

// parseAddress returns the host in an address of the form name:port or [name]:port.
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

// isPort reports whether text is empty or a colon followed by a port.
func isPort(text string) bool {
	if text == "" {
		return true
	}
	return text[0] == ':' && strings.Trim(strings.ReplaceAll(text[1:], placeholder, ""), "0123456789") == ""
}

// ThisMachine is the host name by which all clients reach this machine.
const ThisMachine = "localhost"

// localDomains lists domains of this machine.
const localDomains = ThisMachine + " localhost.localdomain ip6-localhost ip6-loopback host.docker.internal host.containers.internal kubernetes.docker.internal"

// privateDomains lists domains that do not exist in the public DNS.
const privateDomains = "local lan internal home.arpa svc intranet"

// parseName returns the host with this name or IP address.
func parseName(name string) Host {
	name = strings.TrimSuffix(strings.ToLower(unescapeHost(name)), ".")
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
	case InDomains(name, localDomains):
		h.Zone = Here
	case strings.IndexByte(name, '.') < 0:
		h.Bare = true
	case InDomains(name, privateDomains):
		h.Zone = Private
	}
	return h
}

// isInvalidName reports whether name has characters that host names cannot have.
func isInvalidName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c < 0x80 && !IsLetter(c) && !isDigit(c) && strings.IndexByte("-._:", c) < 0 {
			return true
		}
	}
	return false
}

// unescapeHost decodes percent-encoded bytes in a host name, as clients do.
func unescapeHost(name string) string {
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

// InDomains reports whether host is one of domains, which are separated by spaces, or a subdomain of
// one.
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

// SplitURL returns the user and password, the host and port, and the rest of a URL, split as browsers
// do.
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

// IsProxyVar reports whether the environment variable name sets a proxy for requests.
func IsProxyVar(name string) bool {
	switch strings.ToLower(name) {
	case "http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "socks_proxy", "npm_config_proxy", "npm_config_https_proxy", "pip_proxy":
		return true
	}
	return false
}

// IsServerVar reports whether the environment variable name sets the host that programs connect to.
func IsServerVar(name string) bool {
	switch name {
	case "DOCKER_HOST", "CONTAINER_HOST", "PGHOST", "PGHOSTADDR", "MYSQL_HOST", "VAULT_ADDR", "CONSUL_HTTP_ADDR", "ETCDCTL_ENDPOINTS", "AWS_ENDPOINT_URL", "NATS_URL", "INFLUX_HOST":
		return true
	}
	return IsProxyVar(name)
}
