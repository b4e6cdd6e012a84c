package pii

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// This file finds private IP addresses, names of internal hosts, and home directories.

// FindPrivateIPv4 finds the private IPv4 address that starts with the anchor.
func FindPrivateIPv4(f *search.Finder, rule, start, end int) {
	s := f.Text
	if !opensIPv4(s, start) {
		return
	}
	octets, at, ok := parseIPv4(s, start)
	if !ok || !closesIPv4(s, at) || !isPrivateIPv4(octets) || isWholeNetwork(s, at, octets) || namesVersion(f, start) {
		return
	}
	f.Add(rule, start, at)
}

// opensIPv4 reports whether an address may start at i. In pkg@10.0.0.1 a version starts.
func opensIPv4(s string, i int) bool {
	if i == 0 {
		return true
	}
	switch s[i-1] {
	case '/':
		return true
	case '@':
		return !lex.HasPrefixFold(s[i:], "10.")
	}
	return opensNumber(s, i)
}

// parseIPv4 parses the four numbers of an address at i, and returns the offset where they end.
func parseIPv4(s string, i int) (octets [4]int, end int, ok bool) {
	for k := range octets {
		if k > 0 {
			if i >= len(s) || s[i] != '.' {
				return octets, i, false
			}
			i++
		}
		to := lex.Skip(s, i, min(len(s), i+4), lex.IsDigit)
		if to == i || to-i > 3 || to-i > 1 && s[i] == '0' {
			return octets, i, false
		}
		for ; i < to; i++ {
			octets[k] = octets[k]*10 + int(s[i]-'0')
		}
		if octets[k] > 255 {
			return octets, i, false
		}
	}
	return octets, i, true
}

// closesIPv4 reports whether an address may end before s[i], so that it is not part of a longer number
// or name.
func closesIPv4(s string, i int) bool {
	return lex.ClosesWord(s, i) && !(i+1 < len(s) && (s[i] == '.' || s[i] == '-') && lex.IsAlnum(s[i+1]))
}

// isPrivateIPv4 reports whether the address o is private (RFC 1918), from a carrier's shared network,
// or link-local.
func isPrivateIPv4(o [4]int) bool {
	switch o[0] {
	case 10:
		return true
	case 172:
		return o[1]&0xf0 == 16
	case 192:
		return o[1] == 168
	case 169:
		return o[1] == 254 && !(o[2] == 169 && o[3] == 254 || o[2] == 170 && o[3] == 2) // except the metadata services of clouds
	case 100:
		return o[1]&0xc0 == 64
	}
	return false
}

// isWholeNetwork reports whether the address o, which ends at i, and the prefix length after it denote
// a whole private range, such as 10.0.0.0/8, which reveals nothing.
func isWholeNetwork(s string, i int, o [4]int) bool {
	if i >= len(s) || s[i] != '/' {
		return false
	}
	bits := s[i+1 : min(len(s), i+3)]
	switch {
	case o == [4]int{10}:
		return lex.HasPrefixFold(bits, "8")
	case o == [4]int{172, 16}:
		return bits == "12"
	case o == [4]int{192, 168}, o == [4]int{169, 254}:
		return bits == "16"
	case o == [4]int{100, 64}:
		return bits == "10"
	}
	return false
}

// namesVersion reports whether the words before i on its line are about a version.
func namesVersion(f *search.Finder, i int) bool {
	line := f.Text[max(0, i-24):i]
	if at := strings.LastIndexAny(line, "\n[]"); at >= 0 {
		line = line[at+1:]
	}
	return lex.ContainsAnyFold(line, "version release revision build firmware driver sdk upgrade ver.")
}

// FindPrivateIPv6 finds the private IPv6 address that starts with the anchor.
func FindPrivateIPv6(f *search.Finder, rule, start, end int) {
	s := f.Text
	if !lex.OpensWord(s, start) || start > 0 && (s[start-1] == ':' || s[start-1] == '.') {
		return
	}
	to := lex.Skip(s, start, min(len(s), start+46), func(c byte) bool { return lex.IsHex(c) || c == ':' })
	if !lex.ClosesWord(s, to) && !(to < len(s) && s[to] == '%') || to < start+5 || s[start+4] != ':' || !isIPv6(s[start:to]) {
		return
	}
	f.Add(rule, start, to)
}

// isIPv6 reports whether s is an IPv6 address, and not only the prefix of a network.
func isIPv6(s string) bool {
	groups, gaps, digits := 0, 0, 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i < len(s) && s[i] != ':':
			if digits++; digits > 4 {
				return false
			}
		case digits > 0:
			groups++
			digits = 0
		default:
			gaps++
		}
	}
	if s[len(s)-1] == ':' {
		return false
	}
	return gaps == 0 && groups == 8 || gaps == 1 && groups >= 2 && groups < 8
}

// FindInternalHost finds the host name that ends with the anchor. In code, similar names are members
// of a value, so a name without context must look like a host.
func FindInternalHost(f *search.Finder, rule, start, end int) {
	s := f.Text
	if !closesHost(s, end) {
		return
	}
	from := lex.SkipBack(s, start, max(0, start-128), isDomainByte)
	for from < start && !lex.IsAlnum(s[from]) {
		from++
	}
	name := s[from:start]
	dots, signs, ok := countHostMarks(name)
	if !ok || from > 0 && (s[from-1] == '_' || s[from-1] == '$') {
		return
	}
	if !hasHostContext(s, from, end) && (dots+signs == 0 || !isBareHost(s, end, name, signs)) {
		return
	}
	if lex.IsOneOf(name, "host.docker gateway.docker kubernetes.docker metadata.google metadata") || lex.ContainsFold(name, "example") {
		return
	}
	f.Add(rule, from, end)
}

// closesHost reports whether a host name may end before s[i].
func closesHost(s string, i int) bool {
	if i >= len(s) {
		return true
	}
	switch s[i] {
	case '-', '(':
		return false
	case '.':
		return i+1 >= len(s) || !lex.IsAlnum(s[i+1])
	}
	return !lex.IsWordByte(s[i])
}

// countHostMarks returns the number of dots in name, and of its digits and hyphens. It reports false
// if name is empty or has upper-case letters.
func countHostMarks(name string) (dots, signs int, ok bool) {
	for i := range len(name) {
		switch c := name[i]; {
		case lex.IsUpper(c):
			return 0, 0, false
		case c == '.':
			dots++
		case c == '-' || lex.IsDigit(c):
			signs++
		}
	}
	return dots, signs, name != ""
}

// hasHostContext reports whether the text around s[i:end] marks it as a host: a scheme, a user, a port
// or a setting.
func hasHostContext(s string, i, end int) bool {
	return i >= 3 && s[i-3:i] == "://" || i > 0 && s[i-1] == '@' || end+1 < len(s) && s[end] == ':' && lex.IsDigit(s[end+1]) || isHostValue(s, i, end)
}

// isBareHost reports whether name, which ends at end, looks like a host without context, not like a
// path, a setting or a package. The parameter signs is its number of digits and hyphens.
func isBareHost(s string, end int, name string, signs int) bool {
	if end < len(s) && (s[end] == '/' || s[end] == '=') {
		return false
	}
	first := name[:strings.IndexByte(name+".", '.')]
	return signs > 0 || !lex.IsOneOf(first, "com org net java javax jdk sun io github golang kotlin android dart go std core runtime self this")
}

// isHostValue reports whether s[i:end] is the value of a host setting, or the host that a command such
// as ssh contacts.
func isHostValue(s string, i, end int) bool {
	if end < len(s) && !closesSetting(s[end]) {
		return false
	}
	if lex.IsOneOf(s[i:lex.Skip(s, i, end, lex.IsAlnum)], "env config conf settings process window storage self this module app options opts args ctx context") {
		return false
	}
	quote := lex.SkipBack(s, i, max(0, i-4), isEscapedQuote)
	op := lex.SkipBack(s, quote, max(0, quote-4), lex.IsBlank)
	nameTo := lex.SkipBack(s, op, max(0, op-6), isSettingGap)
	name := s[lex.SkipBack(s, nameTo, max(0, nameTo-named.NameReach), lex.IsNameByte):nameTo]
	quoted, spaced := quote < i, op < quote
	if nameTo == op { // a command
		return !quoted && spaced && lex.IsOneOf(name, "ssh ping ping6 scp sftp rsync curl wget nslookup dig telnet traceroute host nc mosh")
	}
	if !quoted && (s[op-1] == '=' && spaced || s[op-1] == ':' && end < len(s) && !lex.IsLineEnd(s[end])) {
		return false // code
	}
	return lex.ContainsAnyFold(name, "host server addr domain endpoint gateway proxy dns upstream broker fqdn nameserver relay master replica")
}

// closesSetting reports whether c may follow the value of a setting.
func closesSetting(c byte) bool {
	switch c {
	case ',', '<', '\\', '}', '&':
		return true
	}
	return lex.IsSpace(c) || lex.IsQuote(c)
}

func isEscapedQuote(c byte) bool { return lex.IsQuote(c) || c == '\\' }

// isSettingGap reports whether c may be between the name of a setting and its value.
func isSettingGap(c byte) bool {
	return isEscapedQuote(c) || lex.IsBlank(c) || c == '=' || c == ':' || c == '>'
}

// FindHomePath finds the home directory whose parent, such as /home/, is the anchor. The path below it
// is not part of the finding.
func FindHomePath(f *search.Finder, rule, start, end int) {
	s := f.Text
	if !lex.OpensWord(s, start) && !followsDrive(s, start) {
		return
	}
	sign := s[end-1]
	if sign == '\\' {
		end = lex.Skip(s, end, min(len(s), end+6), func(c byte) bool { return c == '\\' })
	}
	to := lex.Skip(s, end, min(len(s), end+40), lex.IsNameByte)
	ends := to >= len(s) || s[to] != '/' && (s[to] != '\\' || sign == '/')
	if ends {
		to = lex.SkipBack(s, to, end, func(c byte) bool { return c == '.' || c == '-' })
	}
	if isPersonalAccount(s[end:to]) && (!ends || mayEndHomePath(s, start, end, to)) {
		f.Add(rule, start, to)
	}
}

// isPersonalAccount reports whether name, that of a home directory, is a personal account and not one
// that many machines have.
func isPersonalAccount(name string) bool {
	return len(name) >= 2 && name[0] != '.' &&
		!lex.IsOneOf(name, "user users username user_name user-name you yourname your-name your_name youruser me name runner runneradmin vscode node app root "+
			"example shared public default vagrant circleci jovyan codespace appuser foo bar linuxbrew git www-data ubuntu ec2-user dev sandbox container nonroot "+
			"admin administrator pi deploy deployer jenkins gitpod coder debian centos opc azureuser student guest docker postgres nobody alluserprofile all")
}

// followsDrive reports whether a drive letter precedes i, as in /mnt/c/Users.
func followsDrive(s string, i int) bool { return i >= 2 && lex.IsLetter(s[i-1]) && s[i-2] == '/' }

// mayEndHomePath reports whether the path s[start:to], which ends with the account name s[end:to], can
// be that of a home directory. The path of a URL looks the same.
func mayEndHomePath(s string, start, end, to int) bool {
	if to < len(s) && (lex.IsWordByte(s[to]) || strings.IndexByte("*{$[(%=?#&@~+", s[to]) >= 0 || s[to] >= 0x80) {
		return false
	}
	if s[start] != '/' || followsDrive(s, start) {
		return true
	}
	if s[start+1] == 'u' || lex.Skip(s, end, to, lex.IsDigit) == to { // /users/7
		return false
	}
	if lex.IsOneOf(s[end:to], "about index login logout dashboard page pages contact profile settings news blog products services main list search help details "+
		"overview welcome feed start tab header footer banner hero new edit view screen layout content page.tsx index.html index.js index.php") {
		return false
	}
	before := s[max(0, start-24):start]
	if at := strings.LastIndexByte(before, '\n'); at >= 0 {
		before = before[at+1:]
	}
	return !lex.ContainsAnyFold(before, "href route get put post patch delete src= url link navigat action redirect push( goto endpoint api")
}
