package policy

import (
	"strings"

	"github.com/checkrein/checkrein/internal/hook/match"
)

// hostRule is the rule of package secret for internal hosts. Hosts that the policy names have the same
// rule.
const hostRule = "internal-hostname"

// A hostGlob matches internal host names. It is a glob such as *.corp.acme.example, or a name that
// includes everything below it.
type hostGlob struct {
	glob  string // in lower case
	piece string // the longest part without wildcards, to search for
}

// newHostGlob returns the host glob of glob, or what is wrong with it.
func newHostGlob(glob string) (hostGlob, string) {
	glob = lowerASCII(strings.TrimSuffix(strings.TrimSpace(glob), "."))
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

// matches reports whether the host name matches h.
func (h *hostGlob) matches(name string) bool {
	if h.piece == h.glob && strings.HasSuffix(name, "."+h.glob) {
		return true
	}
	return match.MatchPathGlob(h.glob, name)
}

// addNamedHosts adds findings for the hosts that the policy of names.
func (l *search) addNamedHosts(of *Policy) {
	if len(of.hosts) == 0 {
		return
	}
	s := l.severity(hostRule, setHosts)
	if s == Off {
		return
	}
	text := lowerASCII(l.text)
	for i := range of.hosts {
		h := &of.hosts[i]
		for at := 0; ; {
			n := strings.Index(text[at:], h.piece)
			if n < 0 {
				break
			}
			start, end := hostAround(text, at+n, at+n+len(h.piece))
			at += n + len(h.piece)
			if h.matches(text[start:end]) && !overlapsAny(l.out[l.from:], start, end) {
				l.out = append(l.out, Finding{Rule: hostRule, Kind: "private", Severity: s, Start: start, End: end})
			}
		}
	}
}

// maxHost is the maximum length of a host name in bytes.
const maxHost = 253

// hostAround returns the span of the host name in s that contains s[start:end].
func hostAround(s string, start, end int) (hostStart, hostEnd int) {
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
