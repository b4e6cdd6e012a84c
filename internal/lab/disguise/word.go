package disguise

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// quoting writes the words of a command in other ways.
func quoting() []Generator {
	g := func(name string, one func(r *rand.Rand, w string) string) Generator {
		return Generator{Class: "quoting", Name: name, Words: true, One: true, Make: func(r *rand.Rand, s Script) (string, bool) { return requote(r, s, one) }}
	}
	ways := []func(r *rand.Rand, w string) string{
		func(r *rand.Rand, w string) string { return "'" + w + "'" },
		func(r *rand.Rand, w string) string { return `"` + w + `"` },
		func(r *rand.Rand, w string) string { i := 1 + r.IntN(len(w)); return "'" + w[:i] + "'" + w[i:] },
		func(r *rand.Rand, w string) string { i := r.IntN(len(w)); return w[:i] + `\` + w[i:] },
		func(r *rand.Rand, w string) string { i := r.IntN(len(w)); return w[:i] + "''" + w[i:] },
		func(r *rand.Rand, w string) string { i := r.IntN(len(w)); return `""` + w[:i] + `""` + w[i:] + "''" },
		func(r *rand.Rand, w string) string { i := r.IntN(len(w)); return `"` + w[:i] + `"` + "'" + w[i:] + "'" },
		ansi,
		func(r *rand.Rand, w string) string { return strings.Join(strings.Split(w, ""), `\`) },
	}
	return []Generator{
		g("single", ways[0]), g("double", ways[1]), g("part", ways[2]), g("backslash", ways[3]), g("empty", ways[4]), g("empties", ways[5]), g("joined", ways[6]), g("ansi", ansi), g("backslashes", ways[8]),
		g("mixed", func(r *rand.Rand, w string) string { return pick(r, ways...)(r, w) }),
		g("unset", func(r *rand.Rand, w string) string {
			i := r.IntN(len(w))
			return w[:i] + pick(r, "${none_here}", "${none_here:-}", "$(true)", "$(:)", "`:`") + w[i:]
		}),
		g("locale", func(r *rand.Rand, w string) string { return `$"` + w + `"` }),
		{Class: "quoting", Name: "braces", Words: true, One: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			return "{" + strings.Join(s.Words, ",") + "}", len(s.Words) > 1 && !strings.ContainsAny(s.Text, ",{}")
		}},
		{Class: "quoting", Name: "braces inside", Words: true, One: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			if len(s.Words) < 2 || !isPlain(s.Words[1]) || strings.ContainsAny(s.Words[0]+s.Words[1], ",") {
				return "", false
			}
			return join(append([]string{"{" + s.Words[0] + "," + s.Words[1] + "}"}, s.Words[2:]...)...), true
		}},
		{Class: "quoting", Name: "lines", Words: true, One: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			return strings.Join(s.Words, pick(r, " \\\n", "\\\n  ", "\t", "    ")), len(s.Words) > 1
		}},
		{Class: "quoting", Name: "line in a word", Words: true, One: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			w := s.Words[0]
			return w[:len(w)/2] + "\\\n" + w[len(w)/2:] + s.Text[len(w):], true
		}},
	}
}

// ansi writes a word by its characters' numbers.
func ansi(r *rand.Rand, w string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(w); i++ {
		switch r.IntN(5) {
		case 0:
			fmt.Fprintf(&b, `\x%02x`, w[i])
		case 1:
			fmt.Fprintf(&b, `\%03o`, w[i])
		case 2:
			fmt.Fprintf(&b, `\u%04x`, w[i])
		default:
			b.WriteByte(w[i])
		}
	}
	return b.String() + "'"
}

// requote writes some plain words, or what is plain behind ~/, in another way, the
// program's among them more often than not.
func requote(r *rand.Rand, s Script, one func(r *rand.Rand, w string) string) (string, bool) {
	done := false
	words := make([]string, len(s.Words))
	for i, w := range s.Words {
		words[i] = w
		rest, home := strings.CutPrefix(w, "~/")
		switch {
		case i > 0 && r.IntN(2) == 0 || i == 0 && r.IntN(3) == 0:
		case isPlain(w):
			words[i], done = one(r, w), true
		case home && isPlain(rest):
			words[i], done = "~/"+one(r, rest), true
		}
	}
	return join(words...), done
}

// busybox has these under their names.
var busybox = []string{"rm", "find", "cat", "ls", "mv", "cp", "dd", "chmod", "chown", "shred", "truncate", "unlink", "echo", "printf", "head", "tail", "wc", "grep", "sort", "cut", "sed", "tr", "mkdir", "touch", "date", "uname", "id", "whoami", "hostname", "df", "du", "stat",
	"md5sum", "sha256sum", "basename", "dirname", "realpath", "seq", "sleep", "true", "diff", "cmp", "awk", "nc", "wget", "env", "free", "uptime", "ps", "xargs", "nproc", "comm", "paste", "nl", "fold", "rev", "expr", "tee", "ln", "gzip", "tar"}

// renaming starts the program by another name.
func renaming() []Generator {
	g := func(name string, patterns ...string) Generator {
		return Generator{Class: "renaming", Name: name, Words: true, Make: wordForm(patterns...)}
	}
	// bare takes programs that are found by their name.
	bare := func(g Generator) Generator {
		make := g.Make
		g.Make = func(r *rand.Rand, s Script) (string, bool) {
			if strings.ContainsAny(s.Words[0], "/") {
				return "", false
			}
			return make(r, s)
		}
		return g
	}
	alias := g("alias", "shopt -s expand_aliases\nalias ‡=§1\n‡ §@", "shopt -s expand_aliases\nalias ‡='§1 '\n‡ §@", "shopt -s expand_aliases; alias ‡=\"§1\"\n:\n‡ §@")
	alias.Lines = true
	whole := Generator{Class: "renaming", Name: "alias of all", Words: true, Lines: true, Make: wordForm("shopt -s expand_aliases\nalias ‡=¶\n‡")}
	path := bare(g("path", "/bin/§", "/usr/bin/§", "/usr//bin/§", "/bin/../bin/§", "/usr/bin/./§", "../../../../../../../../../../../../usr/bin/§"))
	path.Simple = true
	return []Generator{
		alias, whole, path,
		g("command", "command §", "command -p §", "builtin command §", "command -- §", "command command §"),
		g("function", "‡() { §1 \"$@\"; }\n‡ §@", "‡() { command §1 \"$@\"; }; ‡ §@", "‡() { local a=(\"$@\"); §1 \"${a[@]}\"; }\n‡ §@"),
		g("function of all", "‡() { §; }; ‡", "‡() { \"$@\"; }; ‡ §", "‡() { local p=$1; shift; $p \"$@\"; }; ‡ §"),
		g("variable", "‡=§1; $‡ §@", "‡=§1\n\"$‡\" §@", "‡='§1'; ${‡} §@", "export ‡=§1; $‡ §@", "declare ‡=§1; $‡ §@", "‡=§1 && $‡ §@", "readonly ‡=§1; $‡ §@"),
		bare(g("link", "ln -s /bin/§1 /tmp/‡; /tmp/‡ §@", "ln -s /usr/bin/§1 ./‡ && ./‡ §@", "ln -s \"$(command -v §1)\" ./‡\n./‡ §@", "ln -s \"$(which §1)\" /tmp/‡; /tmp/‡ §@")),
		bare(g("copy", "cp /bin/§1 /tmp/‡; /tmp/‡ §@", "cp /usr/bin/§1 ./‡ && ./‡ §@", "cp \"$(command -v §1)\" ./‡\n./‡ §@", "cat /usr/bin/§1 > ./‡; chmod +x ./‡; ./‡ §@", "install -m 755 /usr/bin/§1 /tmp/‡ && /tmp/‡ §@")),
		bare(g("search path", "ln -s /usr/bin/§1 /tmp/‡; PATH=/tmp:$PATH; ‡ §@", "mkdir -p bin_‡; cp /bin/§1 bin_‡/‡; PATH=$PWD/bin_‡:$PATH ‡ §@")),
		g("output", "$(echo §1) §@", "$(printf '%s' §1) §@", "`echo §1` §@", "\"$(echo §1)\" §@"),
		bare(g("which", "$(which §1) §@", "$(command -v §1) §@", "\"$(type -P §1)\" §@")),
		g("exec", "(exec §)", "(exec -a worker §)", "( exec -- § )"),
		bare(g("hash", "hash -p /usr/bin/§1 ‡; ‡ §@")),
		{Class: "renaming", Name: "busybox", Words: true, Simple: true, Make: func(r *rand.Rand, s Script) (string, bool) { return "busybox " + s.Text, has(busybox, s.Words[0]) }},
	}
}
