package value

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
)

// Lock files are full of digests of modules, archives and revisions. A digest is
// recognised by its exact length in hexadecimal or base64, together with the text before
// it: the algorithm (sha512-…, h1:…) or a name on the same line (checksum = …). The name
// of the file does not matter, so a token in a lock file is still found.

// A digestPrefix is a prefix that names the algorithm of a digest, with the size of the digest in
// bytes.
type digestPrefix struct {
	prefix string
	size   int
}

var digestPrefixes = [...]digestPrefix{
	{"sha512-", 64}, {"sha256-", 32}, {"h1:", 32}, {"sha256:", 32}, {"zh:", 32}, {"sha1-", 20}, {"sha384-", 48}, {"sha256=", 32},
	{"sha512:", 64}, {"sha512=", 64}, {"sha384:", 48}, {"sha1:", 20}, {"sha224:", 28}, {"md5:", 16}, {"b5:", 64}, {"shake256:", 64},
}

// digestSizes lists the sizes in bytes of digests that only a name on their line identifies.
var digestSizes = []int{16, 20, 32, 64}

// InDigest reports whether s[from:to] is part of a digest. The span may begin with the prefix of the
// algorithm.
func InDigest(s string, from, to int) bool { return DigestEnd(s, from, to) > 0 }

// DigestEnd returns the offset where the digest that contains s[from:to] ends, or 0 if there is none.
func DigestEnd(s string, from, to int) int {
	for _, m := range digestPrefixes {
		if strings.HasPrefix(s[from:to], m.prefix) {
			from += len(m.prefix)
			break
		}
	}
	if strings.HasPrefix(s[from:to], "g") && from > 0 && s[from-1] == '-' {
		from++
	}
	a, b := digestSpan(s, from, lex.IsHex)
	if b >= to && isDigestEnd(s, b) && isOneCase(s[a:b]) {
		size := (b - a) / 2
		if (b-a)%2 == 0 && (hasDigestPrefix(s, a, size) || slices.Contains(digestSizes, size) && isNamedDigest(s, a, b)) || isContentPath(s, a, b) {
			return b
		}
	}
	a, b = digestSpan(s, from, isBase64Digit)
	if b = PaddingEnd(s, b); b < to || !isDigestEnd(s, b) {
		return 0
	}
	if size := base64Size(s[a:b]); hasDigestPrefix(s, a, size) || (size == 32 || size == 64) && isNamedDigest(s, a, b) {
		return b
	}
	return 0
}

// TouchesDigest reports whether a slash-separated part of s[from:to] is in a digest or a commit hash.
// If such a span decodes to text, that is chance. A lone commit hash that decodes to text does not
// count.
func TouchesDigest(s string, from, to int) bool {
	path := strings.IndexByte(s[from:to], '/') >= 0
	for from < to {
		end := to
		if i := strings.IndexByte(s[from:to], '/'); i >= 0 {
			end = from + i
		}
		a, b := digestSpan(s, from, lex.IsHex)
		if end > from && (IsDigest(s, a, b) && (path || end <= b && !decodesToText(s[a:b])) || InDigest(s, from, end)) {
			return true
		}
		from = end + 1
	}
	return false
}

// decodesToText reports whether s is hexadecimal and encodes printable ASCII.
func decodesToText(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && !slices.ContainsFunc(raw, func(c byte) bool { return c < ' ' || c > '~' })
}

// maxDigest is the maximum number of characters that are read on each side of an offset in a digest.
const maxDigest = 130

// digestSpan returns the span of the run of bytes around i for which in returns true.
func digestSpan(s string, i int, in func(byte) bool) (a, b int) {
	for a = i; a > 0 && i-a < maxDigest && in(s[a-1]); a-- {
	}
	for b = i; b < len(s) && b-i < maxDigest && in(s[b]); b++ {
	}
	return a, b
}

// isBase64Digit reports whether c is a base64 digit. Padding is not.
func isBase64Digit(c byte) bool { return lex.IsBase64(c) && c != '=' }

// isDigestEnd reports whether a digest may end before s[i].
func isDigestEnd(s string, i int) bool {
	return i == len(s) || !lex.IsBase64(s[i]) && s[i] != '_' || s[i] == '/'
}

// isOneCase reports whether all letters of s have the same case.
func isOneCase(s string) bool { return strings.ToLower(s) == s || strings.ToUpper(s) == s }

// base64Size returns the number of bytes that the padded base64 text s encodes, or 0 if its padding is
// wrong.
func base64Size(s string) int {
	pad := len(s) - len(strings.TrimRight(s, "="))
	if len(s)%4 != 0 || pad > 2 {
		return 0
	}
	return len(s)/4*3 - pad
}

// hasDigestPrefix reports whether the prefix of an algorithm whose digests have size bytes ends at a.
func hasDigestPrefix(s string, a, size int) bool {
	for _, m := range digestPrefixes {
		if at := a - len(m.prefix); m.size == size && at >= 0 && s[at:a] == m.prefix {
			return at == 0 || !lex.IsAlnum(s[at-1])
		}
	}
	return false
}

// isNamedDigest reports whether the text around s[a:b] on its line marks it as a digest: a name such
// as checksum, or the notation of a known lock file.
func isNamedDigest(s string, a, b int) bool {
	line := s[strings.LastIndexByte(s[max(0, a-lex.LookBack):a], '\n')+1+max(0, a-lex.LookBack) : a]
	sha256 := b-a == 64 && lex.IsHex(s[b-1])
	switch {
	case endsInDigestName(line):
		return true
	case sha256 && (strings.Contains(line, "{:hex, :") || strings.HasSuffix(line, `"hexpm", "`) || strings.HasPrefix(s[b:], `", [:`)): // mix.lock
		return true
	case sha256 && strings.HasSuffix(line, `": "`): // deno.lock: the key is a URL
		key := line[:len(line)-len(`": "`)]
		return strings.HasPrefix(key[strings.LastIndexByte(key, '"')+1:], "https://")
	case b-a == 32 && strings.HasSuffix(line, "#"): // conan.lock: zlib/1.3.1#…%1705999193
		return b < len(s) && strings.IndexByte(`%:#"`, s[b]) >= 0 && strings.Contains(line[strings.LastIndexAny(line, "\"' ")+1:], "/")
	case b-a == 32 && strings.HasSuffix(line, "("): // pnpm-lock.yaml: version: 19.0.0(…), a@1.2.3(…)
		return b < len(s) && s[b] == ')' && endsInVersion(line[:len(line)-1])
	case b-a == 40:
		return strings.HasSuffix(line, "-g") || isPodChecksum(s, a, b) // output of git describe: 5.3.0-1-g…
	}
	return false
}

// endsInVersion reports whether line ends in the version of a package: version: 1.2.3, or NAME@1.2.3.
func endsInVersion(line string) bool {
	from := strings.LastIndexAny(line, "@ ") + 1
	version := line[from:]
	return (strings.HasSuffix(line[:from], "@") || strings.HasSuffix(line[:from], "version: ")) &&
		version != "" && lex.IsDigit(version[0]) && strings.IndexByte(version, '.') > 0
}

// lockDigestNames lists names of digests in lock files, in addition to those of [lex.NamesDigest].
const lockDigestNames = "hashes shasum rev ref reference commit prev package_id"

// endsInDigestName reports whether line ends in the name of a digest, apart from an operator, quotes
// and brackets after it.
func endsInDigestName(line string) bool {
	line = strings.TrimRight(line, "\"' \t=:([{")
	if strings.HasSuffix(line, "/") { // Yarn puts the cache version before the digest: checksum: 10c0/…
		line = strings.TrimRight(line[:strings.LastIndexAny(line[:len(line)-1], " :\"")+1], "\"' :")
	}
	if rest, ok := strings.CutSuffix(line, " value"); ok { // <sha256 value="…"
		line = rest
	}
	from := len(line)
	for from > 0 && len(line)-from < 32 && (lex.IsWordByte(line[from-1]) || line[from-1] == '-') {
		from--
	}
	name := strings.ToLower(line[from:])
	if name == "" || lex.ContainsAnyFold(name, "pass secret token key auth cred salt session sign private seed cookie mac user") {
		return false
	}
	return strings.HasSuffix(name, "hash") || lex.IsOneOf(name, lockDigestNames) || lex.NamesDigest(name)
}

// isContentPath reports whether s[a:b] is the last hexadecimal part of a content-addressed path such
// as …/packages/ee/67/531ea369ba64…/x.whl.
func isContentPath(s string, a, b int) bool {
	return b-a == 60 && a >= 7 && b < len(s) && s[b] == '/' && s[a-1] == '/' && s[a-4] == '/' && s[a-7] == '/' &&
		lex.IsHex(s[a-2]) && lex.IsHex(s[a-3]) && lex.IsHex(s[a-5]) && lex.IsHex(s[a-6])
}

// isPodChecksum reports whether s[a:b] is a digest in the SPEC CHECKSUMS: section of a CocoaPods lock
// file, in which each line has a name and a digest.
func isPodChecksum(s string, a, b int) bool {
	if !strings.HasSuffix(s[:a], ": ") || b < len(s) && s[b] != '\n' && s[b] != '\r' {
		return false
	}
	rest := s[max(0, a-lex.KeyReach):a]
	for {
		nl := strings.LastIndexByte(rest, '\n')
		if nl < 0 {
			return false
		}
		rest = rest[:nl]
		line := strings.TrimRight(rest[strings.LastIndexByte(rest, '\n')+1:], "\r")
		if line == "SPEC CHECKSUMS:" {
			return true
		}
		name, sum, ok := strings.Cut(line, ": ")
		if !ok || !strings.HasPrefix(name, "  ") || len(sum) != 40 {
			return false
		}
	}
}

// PaddingEnd returns the offset after the base64 padding at i, or i if there is none.
func PaddingEnd(s string, i int) int {
	for n := 0; n < 2 && i < len(s) && s[i] == '='; n++ {
		i++
	}
	return i
}

// IsDigest reports whether s[a:b] is a commit hash, or a digest that follows its algorithm: sha256:….
func IsDigest(s string, a, b int) bool {
	n := b - a
	if n != 40 && n != 64 && n != 128 {
		return false
	}
	for i := a; i < b; i++ {
		if !lex.IsHex(s[i]) || lex.IsUpper(s[i]) {
			return false
		}
	}
	if n == 40 || a == 0 {
		return n == 40
	}
	before := s[:a-1]
	switch s[a-1] {
	case ':', '/', '-', '_', '=':
		return n == 64 && strings.HasSuffix(before, "sha256") || n == 128 && strings.HasSuffix(before, "sha512")
	}
	return false
}
