package disguise

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// splitting takes a script to pieces that only the shell puts together.
func splitting() []Generator {
	w := func(name string, make func(r *rand.Rand, s Script) (string, bool)) Generator {
		return Generator{Class: "splitting", Name: name, Words: true, Make: make}
	}
	t := func(name string, make func(r *rand.Rand, s Script) (string, bool)) Generator {
		return Generator{Class: "splitting", Name: name, Whole: true, Make: make}
	}
	words := func(name string, patterns ...string) Generator { return w(name, wordForm(patterns...)) }
	text := func(name string, patterns ...string) Generator { return t(name, form(patterns...)) }
	// decoded has a program give the text out, which a shell then runs.
	decoded := func(name string, encode func(r *rand.Rand, s string) (string, bool)) Generator {
		return t(name, func(r *rand.Rand, s Script) (string, bool) {
			out, ok := encode(r, s.Text)
			return strings.ReplaceAll(pick(r, "§ | bash", "bash -c \"$(§)\"", "eval \"$(§)\"", "bash <(§)", "source <(§)", "bash <<< \"$(§)\"", "§ | bash -s", "§ | tee /dev/null | bash"), "§", out), ok && len(s.Text) < 8000
		})
	}
	return []Generator{
		w("pieces", func(r *rand.Rand, s Script) (string, bool) {
			p, i := s.Words[0], 1+r.IntN(len(s.Words[0]))
			a, b := name(r), name(r)+"2"
			return fmt.Sprintf(pick(r, "%s=%s; %s=%s; $%s$%s", "%s=%s %s=%s\n\"$%s$%s\"", "%s='%s'\n%s=\"%s\"\n${%s}${%s}"), a, p[:i], b, p[i:], a, b) + s.Text[len(p):], len(p) > 1
		}),
		w("a piece", func(r *rand.Rand, s Script) (string, bool) {
			p, i := s.Words[0], r.IntN(len(s.Words[0]))
			a := name(r)
			return a + "=" + p[:i] + "\n${" + a + "}" + p[i:] + s.Text[len(p):], i > 0
		}),
		words("array", "‡=(§); \"${‡[@]}\"", "declare -a ‡=(§)\n\"${‡[@]}\"", "‡=(§1)\n‡+=(§@)\n\"${‡[@]}\"", "‡=(§@)\n§1 \"${‡[@]}\"", "‡=(§); ${‡[0]} \"${‡[@]:1}\""),
		words("positional", "set -- §\n\"$@\"", "set -- §; \"$1\" \"${@:2}\"", "set -- §@; §1 \"$@\"", "set -- §; ‡=$1; shift; $‡ \"$@\""),
		words("arguments of a shell", "bash -c '\"$@\"' _ §", "bash -c '$0 \"$@\"' §", "bash -c '§1 \"$@\"' _ §@", "bash -c 'exec \"$@\"' bash §", "bash -s -- § <<< '\"$@\"'"),
		w("printf", func(r *rand.Rand, s Script) (string, bool) {
			return "$(printf " + quote(octal(s.Words[0])) + ")" + s.Text[len(s.Words[0]):], true
		}),
		w("separator", func(r *rand.Rand, s Script) (string, bool) {
			list, ok := bareWords(s.Words)
			if !ok || strings.Contains(s.Text, ",") {
				return "", false
			}
			v := name(r)
			return "( IFS=,; " + v + "=" + strings.Join(list, ",") + "; $" + v + "\n)", len(list) > 1
		}),
		w("IFS as a blank", func(r *rand.Rand, s Script) (string, bool) {
			list, ok := bareWords(s.Words)
			return strings.Join(list, pick(r, "${IFS}", "$IFS", "${IFS:0:1}")), ok && len(list) > 1 && noNames(list)
		}),
		w("read words", func(r *rand.Rand, s Script) (string, bool) {
			list, ok := bareWords(s.Words)
			v := name(r)
			return pick(r, "read -ra "+v+" <<< \""+join(list...)+"\"\n\"${"+v+"[@]}\"", "read -r "+v+"1 "+v+"2 <<< \""+join(list...)+"\"; $"+v+"1 $"+v+"2", "mapfile -t "+v+" < <(printf '%s\\n' "+join(list...)+"); \"${"+v+"[@]}\""), ok && len(list) > 1
		}),
		w("unquoted", func(r *rand.Rand, s Script) (string, bool) {
			list, ok := bareWords(s.Words)
			v := name(r)
			return v + "=\"" + join(list...) + "\"" + pick(r, "; ", "\n", " && ") + pick(r, "$"+v, "eval $"+v, "eval \"$"+v+"\"", "command $"+v, "${"+v+"}", "bash -c \"$"+v+"\""), ok
		}),
		text("here-string", "bash <<< ¶", "bash -s <<< ¶", "env bash <<< ¶"),
		text("piped", "echo ¶ | cat | bash", "printf '%s\\n' ¶ | bash", "printf %s ¶ | bash -s", "printf '%s\\n' ¶ | tee /dev/null | bash", "{ printf '%s\\n' ¶; } | bash"),
		text("variable", "‡=¶; eval \"$‡\"", "‡=¶\nbash -c \"$‡\"", "‡=¶; bash <<< \"$‡\"", "export ‡=¶; bash -c 'eval \"$‡\"'", "‡=¶; printf '%s\\n' \"$‡\" | bash", "‡=¶ bash -c 'eval \"$‡\"'", "‡=¶; source <(printf '%s\\n' \"$‡\")", "declare ‡=¶; eval \"${‡}\""),
		text("indirect", "‡=¶; ‡_n=‡; eval \"${!‡_n}\"", "declare -n ‡_n=‡; ‡=¶; eval \"$‡_n\"", "‡=(x ¶); eval \"${‡[1]}\"", "printf -v ‡ '%s' ¶; eval \"$‡\""),
		hidden(text("associative", "declare -A ‡=([a]=¶); eval \"${‡[a]}\"")),
		t("halves", func(r *rand.Rand, s Script) (string, bool) {
			i, v := r.IntN(len(s.Text)), name(r)
			return v + "=" + quote(s.Text[:i]) + "\n" + pick(r, v+"+="+quote(s.Text[i:])+"\neval \"$"+v+"\"", v+"b="+quote(s.Text[i:])+"\neval \"$"+v+"$"+v+"b\"", v+"="+"\"$"+v+"\""+quote(s.Text[i:])+"; bash -c \"$"+v+"\""), ascii(s.Text)
		}),
		t("substring", func(r *rand.Rand, s Script) (string, bool) {
			v, n := name(r), 1+r.IntN(9)
			junk := strings.Repeat("x", n)
			return pick(r,
				fmt.Sprintf("%s=%s; eval \"${%s:%d}\"", v, quote(junk+s.Text), v, n),
				fmt.Sprintf("%s=%s; eval \"${%s#%s}\"", v, quote(junk+s.Text), v, junk),
				fmt.Sprintf("%s=%s; eval \"${%s%%%s}\"", v, quote(s.Text+junk), v, junk)), true
		}),
		t("replaced", func(r *rand.Rand, s Script) (string, bool) {
			v, i := name(r), r.IntN(len(s.Text))
			junk := "QZ" + strings.ToUpper(v[len(v)-3:])
			return v + "=" + quote(s.Text[:i]+junk+s.Text[i:]) + "; " + pick(r, "eval \"${"+v+"//"+junk+"/}\"", "eval \"${"+v+"/"+junk+"}\"", "bash -c \"${"+v+"//"+junk+"}\""), ascii(s.Text)
		}),
		hidden(decoded("base64", func(r *rand.Rand, s string) (string, bool) {
			e := base64.StdEncoding.EncodeToString([]byte(s))
			return pick(r, "echo "+e+" | base64 -d", "base64 -d <<< "+e, "printf %s "+e+" | base64 --decode", "echo '"+e+"' | openssl base64 -d -A"), true
		})),
		hidden(decoded("hex", func(r *rand.Rand, s string) (string, bool) {
			return "echo " + hex.EncodeToString([]byte(s)) + " | xxd -r -p", true
		})),
		hidden(decoded("reversed", func(r *rand.Rand, s string) (string, bool) {
			b := []byte(s)
			slices.Reverse(b)
			return pick(r, "echo "+quote(string(b))+" | rev", "rev <<< "+quote(string(b))), ascii(s) && !strings.ContainsAny(s, "\n\\")
		})),
		hidden(decoded("rotated", func(r *rand.Rand, s string) (string, bool) {
			return "printf '%s\\n' " + quote(rot13(s)) + " | tr 'A-Za-z' 'N-ZA-Mn-za-m'", true
		})),
		decoded("octal", func(r *rand.Rand, s string) (string, bool) {
			return pick(r, "printf "+quote(octal(s)), "echo -e "+quote(octal0(s)), "printf '%b' "+quote(octal0(s))), len(s) < 2000
		}),
		hidden(decoded("sed", func(r *rand.Rand, s string) (string, bool) {
			i := r.IntN(len(s))
			return "printf '%s\\n' " + quote(s[:i]+"QZQ"+s[i:]) + " | sed " + pick(r, "s/QZQ//", "'s/QZQ//g'", "-e s,QZQ,,"), ascii(s)
		})),
		hidden(decoded("gzip", func(r *rand.Rand, s string) (string, bool) {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, err := z.Write([]byte(s))
			err = errors.Join(err, z.Close())
			return "echo " + base64.StdEncoding.EncodeToString(b.Bytes()) + " | base64 -d | " + pick(r, "gunzip", "gzip -dc", "zcat"), err == nil
		})),
		hidden(decoded("program", func(r *rand.Rand, s string) (string, bool) {
			h := hex.EncodeToString([]byte(s))
			return pick(r, `python3 -c 'print(bytes.fromhex("`+h+`").decode())'`, `perl -e 'print pack("H*", "`+h+`")'`, `node -e 'console.log(Buffer.from("`+h+`", "hex").toString())'`), true
		})),
	}
}

func hidden(g Generator) Generator { g.Hides = true; return g }

// unless refuses scripts with some texts in them.
func (g Generator) unless(texts ...string) Generator {
	make := g.Make
	g.Make = func(r *rand.Rand, s Script) (string, bool) {
		if slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(s.Text, t) }) {
			return "", false
		}
		return make(r, s)
	}
	return g
}

// bareWords are words that mean the same behind an expansion or in double quotes:
// plain ones, and those of the home, which $HOME means too.
func bareWords(words []string) ([]string, bool) {
	var out []string
	for _, w := range words {
		rest, home := strings.CutPrefix(w, "~")
		switch {
		case isPlain(w):
			out = append(out, w)
		case home && rest == "", home && rest[0] == '/' && (len(rest) == 1 || isPlain(rest)):
			out = append(out, "$HOME"+rest)
		default:
			return nil, false
		}
	}
	return out, true
}

// noNames reports whether none of the words goes on as a variable's name would.
func noNames(words []string) bool {
	return !slices.ContainsFunc(words[1:], func(w string) bool { return w[0] != '-' && w[0] != '/' && w[0] != '$' && w[0] != '.' })
}

func ascii(s string) bool { return !strings.ContainsFunc(s, func(c rune) bool { return c > 126 }) }

func octal(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		fmt.Fprintf(&b, `\%03o`, s[i])
	}
	return b.String()
}

func octal0(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		fmt.Fprintf(&b, `\0%03o`, s[i])
	}
	return b.String()
}

func rot13(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z':
			return 'a' + (c-'a'+13)%26
		case c >= 'A' && c <= 'Z':
			return 'A' + (c-'A'+13)%26
		}
		return c
	}, s)
}
