package policy

import (
	"strings"

	"github.com/checkrein/checkrein/internal/hook/match"
)

// hostRule is the rule of hosts that the policy names, too.
const hostRule = "internal-hostname"

// A hostGlob is internal host names: *.corp.acme.example, or a name with all
// that is below it.
type hostGlob struct {
	glob  string // in lower case
	piece string // the longest part of it that is no wildcard, to look for
}

// newHostGlob returns what a glob of hosts is, or why it is none.
func newHostGlob(glob string) (hostGlob, string) {
	glob = lower(strings.TrimSuffix(strings.TrimSpace(glob), "."))
	if err := match.CheckGlob(glob); err != nil {
		return hostGlob{}, err.Error()
	}
	h := hostGlob{glob: glob}
	rest := glob
	for rest != "" {
		n := strings.IndexAny(rest, `*?[\`)
		part := rest
		if n >= 0 {
			part = rest[:n]
		}
		if len(part) > len(h.piece) {
			h.piece = part
		}
		if n < 0 {
			break
		}
		if rest = rest[n+1:]; glob[len(glob)-len(rest)-1] == '[' {
			_, rest, _ = strings.Cut(rest, "]")
		}
	}
	switch {
	case len(strings.Trim(h.piece, ".")) < 2:
		return h, "a host glob needs two letters in a row that are not wildcards"
	case strings.ContainsAny(glob, "/:@ "):
		return h, "a host glob must be a name, without a URL or port"
	}
	return h, ""
}

// fits reports whether a host's name is meant.
func (h *hostGlob) fits(name string) bool {
	if h.piece == h.glob && strings.HasSuffix(name, "."+h.glob) {
		return true
	}
	return match.MatchPathGlob(h.glob, name)
}

// namedHosts adds the hosts that the policy names.
func (l *look) namedHosts(of *Policy) {
	if len(of.hosts) == 0 {
		return
	}
	s := l.severity(hostRule, setHosts)
	if s == Off {
		return
	}
	text := lower(l.text)
	for i := range of.hosts {
		h := &of.hosts[i]
		for at := 0; ; {
			n := strings.Index(text[at:], h.piece)
			if n < 0 {
				break
			}
			start, end := hostAround(text, at+n, at+n+len(h.piece))
			at += n + len(h.piece)
			if h.fits(text[start:end]) && !covered(l.out[l.from:], start, end) {
				l.out = append(l.out, Finding{Rule: hostRule, Kind: "private", Severity: s, Start: start, End: end})
			}
		}
	}
}

// maxHost is how long a host's name can be.
const maxHost = 253

// hostAround is the name that a part of a text is in.
func hostAround(s string, start, end int) (int, int) {
	least, most := max(0, start-maxHost), min(len(s), end+maxHost)
	for start > least && isHostByte(s[start-1]) {
		start--
	}
	for end < most && isHostByte(s[end]) {
		end++
	}
	for start < end && (s[start] == '.' || s[start] == '-') {
		start++
	}
	for end > start && (s[end-1] == '.' || s[end-1] == '-') {
		end--
	}
	return start, end
}

func isHostByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_'
}
