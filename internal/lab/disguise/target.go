package disguise

import (
	"math/rand/v2"
	"strings"
)

// variables put one argument of a command, the last that can be, into a variable.
func variables() []Generator {
	g := func(title string, make func(r *rand.Rand, v, w string) (before, now string)) Generator {
		return Generator{Class: "variables", Name: title, Words: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			i := target(s.Words)
			if i < 0 {
				return "", false
			}
			before, now := make(r, name(r), s.Words[i])
			if now == "" {
				return "", false
			}
			words := append([]string{}, s.Words...)
			words[i] = now
			return before + join(words...), true
		}}
	}
	// home writes the home in other ways.
	home := func(name string, forms ...string) Generator {
		return Generator{Class: "variables", Name: name, Words: true, Simple: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			words := append([]string{}, s.Words...)
			for i, w := range words {
				if rest, ok := strings.CutPrefix(w, "~"); i > 0 && ok && (rest == "" || rest[0] == '/') {
					words[i] = pick(r, forms...) + rest
					return join(words...), true
				}
			}
			return "", false
		}}
	}
	// around puts the whole command behind the variable: a pattern is the word that the
	// argument becomes, ¤, and the text, in which † is the argument.
	around := func(title string, patterns ...string) Generator {
		return Generator{Class: "variables", Name: title, Words: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			i := target(s.Words)
			if i < 0 || isPattern(s.Words[i]) {
				return "", false
			}
			now, p, _ := strings.Cut(pick(r, patterns...), "¤")
			words := append([]string{}, s.Words...)
			words[i] = now
			p = strings.Replace(p, "§", join(words...), 1)
			return strings.NewReplacer("†", s.Words[i], "‡", name(r)).Replace(p), !strings.Contains(join(words...), "'")
		}}
	}
	deref := func(w, v string) string {
		if isPattern(w) {
			return "$" + v // a pattern
		}
		return "\"$" + v + "\""
	}
	braced := func(w, e string) string {
		if isPattern(w) {
			return "${" + e + "}"
		}
		return "\"${" + e + "}\""
	}
	return []Generator{
		g("assigned", func(r *rand.Rand, v, w string) (string, string) {
			return pick(r, "", "export ", "readonly ", "declare ") + v + "=" + w + pick(r, "; ", "\n", " && "), deref(w, v)
		}),
		g("twice", func(r *rand.Rand, v, w string) (string, string) {
			return v + "=" + w + "\n" + v + "b=$" + v + "\n" + v + "c=\"${" + v + "b}\"\n", deref(w, v+"c")
		}),
		g("default", func(r *rand.Rand, v, w string) (string, string) {
			if !isPlain(w) {
				return "", ""
			}
			return "", pick(r, "${"+v+":-"+w+"}", "\"${"+v+"-"+w+"}\"", "\"${"+v+":="+w+"}\"")
		}),
		g("alternative", func(r *rand.Rand, v, w string) (string, string) {
			if !isPlain(w) {
				return "", ""
			}
			return v + "=1; ", "${" + v + ":+" + w + "}"
		}),
		g("default of a variable", func(r *rand.Rand, v, w string) (string, string) {
			return v + "=" + w + "\n", braced(w, "none_"+v+":-$"+v)
		}),
		g("prefix", func(r *rand.Rand, v, w string) (string, string) {
			if !isPlain(w) {
				return "", ""
			}
			return v + "=xx" + w + "; ", pick(r, "${"+v+"#xx}", "\"${"+v+":2}\"", "\"${"+v+"/xx/}\"", "${"+v+"##xx}")
		}),
		g("suffix", func(r *rand.Rand, v, w string) (string, string) {
			if w == "~" {
				return "", ""
			}
			return v + "=" + w + "@end; ", braced(w, v+"%@end")
		}),
		g("replaced", func(r *rand.Rand, v, w string) (string, string) {
			if !isPlain(w) || strings.ContainsAny(w, "QZ") {
				return "", ""
			}
			i := r.IntN(len(w))
			return v + "=" + w[:i] + "QZQ" + w[i:] + "; ", pick(r, "\"${"+v+"//QZQ/}\"", "${"+v+"/QZQ}", "\"$(echo \"$"+v+"\" | sed s/QZQ//)\"", "$(echo $"+v+" | tr -d QZ)")
		}),
		g("cut", func(r *rand.Rand, v, w string) (string, string) {
			if !isPlain(w) || strings.Contains(w, ":") {
				return "", ""
			}
			return "", pick(r, "$(echo a:"+w+":b | cut -d: -f2)", "\"$(echo "+w+")\"", "$(printf '%s' "+w+")", "`echo "+w+"`", "\"$(cut -d: -f2 <<< a:"+w+")\"", "\"$(echo \"a "+w+"\" | awk '{print $2}')\"")
		}),
		g("array", func(r *rand.Rand, v, w string) (string, string) {
			if isPattern(w) {
				return "", ""
			}
			return pick(r, v+"=("+w+")\n", "declare -a "+v+"; "+v+"[0]="+w+"\n"), braced(w, v+pick(r, "[0]", "[@]", "[*]"))
		}),
		g("read", func(r *rand.Rand, v, w string) (string, string) {
			if !isPlain(w) {
				return "", ""
			}
			return pick(r, "read -r "+v+" <<< "+w+"\n", "read "+v+" < <(echo "+w+")\n", "printf -v "+v+" %s "+w+"\n", "mapfile -t "+v+" <<< "+w+"\n"), "\"$" + v + "\""
		}),
		g("assigned inside", func(r *rand.Rand, v, w string) (string, string) {
			return pick(r, "{ "+v+"="+w+"; }; ", "if true; then "+v+"="+w+"; fi\n", "for i in 1; do "+v+"="+w+"; done\n", "case x in x) "+v+"="+w+";; esac\n", "eval "+quote(v+"="+w)+"\n", "set_"+v+"() { "+v+"="+w+"; }; set_"+v+"\n", "true && "+v+"="+w+"\n", ": ${"+v+":=} && "+v+"="+w+"\n"), deref(w, v)
		}),
		g("set late", func(r *rand.Rand, v, w string) (string, string) {
			return v + "=build/none\n" + v + "=" + w + "\n", deref(w, v)
		}),
		home("home", "$HOME", "${HOME}", "\"$HOME\"", "${HOME%/}", "\"${HOME}\"", "${HOME:-/nope}", "${NOPE_X:-$HOME}"),
		{Class: "variables", Name: "home by output", Words: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			return home("", "$(echo ~)", "\"$(echo $HOME)\"", "\"$(cd ~ && pwd)\"", "$(cd; pwd)", "$(printenv HOME)", "\"$(realpath ~)\"", "`echo ~`", "$(eval echo '~')", "$(readlink -f ~)", "\"$(sh -c 'echo $HOME')\"").Make(r, s)
		}},
		around("child", "\"$‡\"¤export ‡=†\nbash -c '§'", "\"$‡\"¤‡=† bash -c '§'", "\"$‡\"¤env ‡=† bash -c '§'", "\"$1\"¤bash -c '§' _ †", "\"$0\"¤bash -c '§' †"),
		around("function", "\"$1\"¤‡() { §; }; ‡ †", "\"$d\"¤‡() { local d=$1; §; }\n‡ †", "\"${1}\"¤‡() { §; }\n‡ † b", "\"${@: -1}\"¤‡() { §; }; ‡ a †"),
		around("loop", "\"$‡\"¤for ‡ in †; do §; done", "\"$‡\"¤printf '%s\\n' † | while read -r ‡; do §; done", "\"$‡\"¤while read -r ‡; do §; done < <(printf '%s\\n' †)", "\"$‡\"¤while IFS= read -r ‡; do §; done <<< \"$(printf '%s\\n' †)\""),
		around("xargs", "%%¤printf '%s\\0' † | xargs -0 -I%% §"),
	}
}

// isPattern reports whether a word names files by a pattern.
func isPattern(w string) bool { return strings.ContainsAny(w, "*?[") && w[0] != '"' && w[0] != '\'' }

// target is the index of the last argument that can go into a variable; -1 = none.
func target(words []string) int {
	for i := len(words) - 1; i > 0; i-- {
		w := words[i]
		if strings.HasPrefix(w, "-") || strings.ContainsAny(w, "{}\\!") || strings.Count(w, "'")%2 != 0 || strings.Count(w, "\"")%2 != 0 {
			continue
		}
		if isPlain(w) || w[0] == '~' || w[0] == '$' || w[0] == '/' || w[0] == '"' || w[0] == '\'' || w == "*" {
			return i
		}
	}
	return -1
}
