package facts

import "strings"

// A Zone is how far away a host is.
type Zone uint8

// The zones, from near to far.
const (
	NoZone  Zone = iota // there is no host at all
	Here                // this machine
	Private             // a private network
	Away                // everything else, and what is not known
)

// A Host is where something goes to.
type Host struct {
	Name string // "" = not known
	Zone Zone
	Bare bool // one label without a dot: a service of a compose file, or an alias
	Open bool // an address that hides its owner: a number, or one that clients read differently
}

// Set reports whether there is a host at all.
func (h *Host) Set() bool { return h.Zone != NoZone }

// Local reports whether a host is surely this machine.
func (h Host) Local() bool { return h.Zone == Here }

// Drop reports whether a host is a place where an owner does not show himself.
func (h *Host) Drop() bool { return h.Open || Shady(h.Name) }

// OnlyHere reports whether none but this machine reaches a server that listens on an
// address.
func OnlyHere(addr string) bool {
	h := HostOf(addr)
	return h.Local() && (h.Name == "" || strings.Trim(h.Name, "0x.:") != "")
}

// Farther returns the host that is farther away: a call is as bad as its worst
// target.
func Farther(a, b Host) Host {
	if !a.Set() || b.Zone > a.Zone || b.Zone == Away && a.Zone == Away && a.Name != "" && b.Drop() && !a.Drop() {
		return b
	}
	return a
}

// HostOf returns the host of a URL or of user@name:port. Clients read odd addresses
// differently: those of http://a\@b/ talk to a or to b. The reading that leads
// farthest counts, so that what is local is local for all of them; a text without a
// host that can be read is never local.
func HostOf(text string) Host {
	text = visible(text)
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
	h := farthest(strings.TrimLeft(rest, `/\`))
	if i := strings.LastIndexAny(scheme, ".:"); i >= 0 && !strings.HasPrefix(scheme, "jdbc:") {
		switch scheme[i+1:] {
		case "http", "https", "ssh", "git": // a setting of git: url.https://host/.insteadof
		default:
			h = differ(h, farthest(text)) // the scheme may be a host
		}
	}
	return h
}

// visible takes off what clients skip: spaces around an address, and tabs and ends
// of lines anywhere.
func visible(text string) string {
	text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	if strings.ContainsAny(text, "\t\r\n") {
		text = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(text)
	}
	return text
}

// cutScheme returns the scheme of a URL in lower case, or "", and what follows it.
func cutScheme(text string) (scheme, rest string) {
	const longest = 24
	if i := strings.Index(text, "://"); i > 0 && i <= longest && isScheme(text[:i]) {
		return strings.ToLower(text[:i]), text[i+3:]
	}
	// Browsers and their kin do without the slashes, or take others.
	for _, s := range [...]string{"https:", "http:", "wss:", "ws:", "ftp:"} {
		if n := len(s); len(text) > n && strings.EqualFold(text[:n], s) && (text[n] == '/' || text[n] == '\\' || Letter(text[n]) || text[n] == '[') {
			return s[:n-1], text[n:]
		}
	}
	return "", text
}

// isScheme reports whether a text can be a URL's scheme: git+ssh, jdbc:mysql.
func isScheme(s string) bool {
	for i := range len(s) {
		if c := s[i]; !Letter(c) && !digit(c) && strings.IndexByte("+-.:", c) < 0 {
			return false
		}
	}
	return s != "" && Letter(s[0])
}

// farthest returns the farthest of the hosts that clients read in what follows the
// scheme.
func farthest(rest string) Host {
	h := authority(rest, "/?#")
	if i := strings.IndexAny(rest, `\;`); i >= 0 && i < end(rest, "/?#") {
		h = differ(differ(h, authority(rest, `/?#\`)), authority(rest, "/?#;"))
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		// Old clients look for the @ as far as the first slash.
		upto := end(rest, "/")
		if at := strings.LastIndexByte(rest[:upto], '@'); at > i && !strings.ContainsAny(rest[i:at], "=&") {
			h = differ(h, authority(rest, "/"))
		}
	}
	return h
}

// end is where the first of the marks is.
func end(text, marks string) int {
	if i := strings.IndexAny(text, marks); i >= 0 {
		return i
	}
	return len(text)
}

// authority reads user@host:port as far as one of the marks. Databases take several
// hosts with commas between.
func authority(text, marks string) Host {
	text = text[:end(text, marks)]
	var h Host
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		user := text[:i]
		text = text[i+1:]
		if j := strings.IndexByte(user, '@'); j >= 0 && strings.IndexByte(user[j:], '.') >= 0 {
			h = address(user[j+1:]) // some take the first @
		}
	}
	var last Host
	for one, more := "", true; more; {
		one, text, more = strings.Cut(text, ",")
		last = Farther(last, address(one))
	}
	if h.Set() {
		return differ(last, h)
	}
	return last
}

// differ is the host of an address in which two clients read two hosts.
func differ(a, b Host) Host {
	switch {
	case a == b:
		return a
	case odd(a.Name) != odd(b.Name): // one of them will hardly find it
		if odd(a.Name) {
			a, b = b, a
		}
		a.Zone = max(a.Zone, b.Zone)
		return a
	case a.Zone < b.Zone:
		a = b
	case a.Zone == b.Zone && a.Name != b.Name:
		a.Name = "" // none of them may vouch for the other
	}
	a.Open = true
	return a
}

// address finds out how far away name:port is.
func address(text string) Host {
	if strings.HasPrefix(text, "[") {
		if i := strings.IndexByte(text, ']'); i > 0 {
			h := named(text[1:i])
			if !isPort(text[i+1:]) {
				h.Zone = Away
			}
			return h
		}
	}
	if i := strings.IndexByte(text, ':'); i >= 0 && strings.IndexByte(text[i+1:], ':') < 0 {
		h := named(text[:i])
		if !isPort(text[i:]) {
			h.Zone = Away
		}
		return h
	}
	return named(text)
}

// isPort reports whether a text is :port, or nothing.
func isPort(text string) bool {
	if text == "" {
		return true
	}
	return text[0] == ':' && strings.Trim(strings.ReplaceAll(text[1:], holeText, ""), "0123456789") == ""
}

// ThisMachine is the name by which all clients know it.
const ThisMachine = "localhost"

// hereNames are this machine's, besides all that lies under them.
const hereNames = ThisMachine + " localhost.localdomain ip6-localhost ip6-loopback host.docker.internal host.containers.internal kubernetes.docker.internal"

// privateNames are domains that lead nowhere on the open network.
const privateNames = "local lan internal home.arpa svc intranet"

// named finds out how far away a name or a number is.
func named(name string) Host {
	name = strings.TrimSuffix(strings.ToLower(unescape(name)), ".")
	h := Host{Name: name, Zone: Away}
	if i := strings.LastIndex(name, holeText); i >= 0 {
		// Of data.evil.com the part after the hole is known: it is where the name leads.
		h.Name = strings.TrimLeft(name[i+len(holeText):], ".")
		if strings.IndexByte(h.Name, '.') < 0 {
			h.Name = ""
		}
		return h
	}
	if zone, ok := numbered(name); ok {
		h.Zone, h.Open = zone, zone == Away || !usual(name)
		return h
	}
	switch {
	case name == "" || odd(name):
	case Under(name, hereNames):
		h.Zone = Here
	case strings.IndexByte(name, '.') < 0:
		h.Bare = true
	case Under(name, privateNames):
		h.Zone = Private
	}
	return h
}

// odd reports whether a name has characters that no name of a host has.
func odd(name string) bool {
	for i := range len(name) {
		if c := name[i]; c < 0x80 && !Letter(c) && !digit(c) && strings.IndexByte("-._:", c) < 0 {
			return true
		}
	}
	return false
}

// unescape decodes %2e in the name of a host, as clients do.
func unescape(name string) string {
	if strings.IndexByte(name, '%') < 0 || strings.IndexByte(name, ':') >= 0 {
		return name // the % of fe80::1%eth0 is none
	}
	out := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		if name[i] == '%' && i+2 < len(name) {
			if hi, lo := hex(name[i+1]), hex(name[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, name[i])
	}
	return string(out)
}

// Under reports whether a host is one of the domains, which are separated by
// spaces, or lies under one.
func Under(host, domains string) bool {
	for domains != "" {
		d, rest, _ := strings.Cut(domains, " ")
		domains = rest
		if n := len(host) - len(d); n == 0 && host == d || n > 0 && host[n-1] == '.' && host[n:] == d {
			return true
		}
	}
	return false
}

// Split cuts a URL into the name and password, the host and port, and what follows,
// as browsers read it.
func Split(url string) (user, addr, rest string) {
	_, addr = cutScheme(visible(url))
	addr = strings.TrimLeft(addr, `/\`)
	i := end(addr, `/?#\`)
	addr, rest = addr[:i], addr[i:]
	if i := strings.LastIndexByte(addr, '@'); i >= 0 {
		user, addr = addr[:i], addr[i+1:]
	}
	return user, addr, rest
}

// Proxy reports whether a variable names a proxy, through which requests go.
func Proxy(name string) bool {
	switch strings.ToLower(name) {
	case "http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "socks_proxy", "npm_config_proxy", "npm_config_https_proxy", "pip_proxy":
		return true
	}
	return false
}

// LeadsAway reports whether a variable names the host that programs talk to.
func LeadsAway(name string) bool {
	switch name {
	case "DOCKER_HOST", "CONTAINER_HOST", "PGHOST", "PGHOSTADDR", "MYSQL_HOST", "VAULT_ADDR", "CONSUL_HTTP_ADDR", "ETCDCTL_ENDPOINTS", "AWS_ENDPOINT_URL", "NATS_URL", "INFLUX_HOST":
		return true
	}
	return Proxy(name)
}
