package reader

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/named"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// This file finds passwords and keys in commands that log in or store a secret:
// docker login -p X, wandb login X, gh secret set NAME --body X.

// FindLoginPassword finds the password of docker login -p X and similar commands, of net user joe X,
// and of net use share /user:joe X.
func FindLoginPassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	if start > 0 && !lex.IsSpace(s[start-1]) {
		return
	}
	before := s[max(0, start-64):start]
	w := wordReader{s: s, at: end, limit: min(len(s), end+maxCommand)}
	switch {
	case s[start] == 'n': // net user joe X
		if w.advance(2) && w.to > w.from && s[w.from] != '/' && s[w.from] != '*' {
			from, to := w.valueSpan()
			addTypedPassword(f, rule, from, to)
		}
	case s[start] == '/':
		if lex.ContainsFold(before, "net use") {
			addSharePassword(f, rule, &w, start)
		}
	case lex.IsBlank(s[min(end, len(s)-1)]) && hasWord(before, loginTools):
		addFlagValues(f, rule, &w, "-p~")
	}
}

// loginTools lists programs with a login command that has a -p flag.
const loginTools = "docker podman nerdctl buildah skopeo oras helm crane cosign az oc cf ibmcloud regctl finch mc gh acr registry auth"

// advance moves n words forward. It reports false if the command has fewer words.
func (w *wordReader) advance(n int) bool {
	for range n {
		if !w.next() {
			return false
		}
	}
	return true
}

// addSharePassword adds the password of net use share /user:joe X, or of net use share X /user:joe.
// The /user flag is at i.
func addSharePassword(f *search.Finder, rule int, w *wordReader, i int) {
	s := f.Text
	to := lex.SkipBack(s, i, max(0, i-8), lex.IsBlank)
	if from := lex.SkipBack(s, to, max(0, to-maxLogin), lex.IsTokenByte); from < to && s[from] != '\\' && s[from] != '/' {
		addTypedPassword(f, rule, from, to)
		return
	}
	if w.advance(2) { // joe, X
		from, to := w.valueSpan()
		addTypedPassword(f, rule, from, to)
	}
}

// hasWord reports whether s contains a word of list.
func hasWord(s, list string) bool {
	for i := 0; i < len(s); {
		to := lex.Skip(s, i, len(s), lex.IsNameByte)
		if lex.IsOneOf(s[i:to], list) {
			return true
		}
		i = to + 1
	}
	return false
}

// FindToolKey finds the key in the login or setup command of a program: wandb login X, snyk auth X,
// shodan init X.
func FindToolKey(f *search.Finder, rule, start, end int) {
	s := f.Text
	at := lex.Skip(s, end, min(len(s), end+8), lex.IsNameByte)
	if !lex.OpensWord(s, start) || at >= len(s) {
		return
	}
	if lex.HasPrefixFold(s[start:end], "codecov") && !lex.IsBlank(s[at]) { // bash <(curl -s https://codecov.io/bash) -t X
		rest := s[at:lex.Skip(s, at, min(len(s), at+named.NameReach), func(c byte) bool { return c != '\n' })]
		k := strings.Index(rest, " -t ")
		if k < 0 {
			return
		}
		at += k
	}
	if !lex.IsBlank(s[at]) {
		return
	}
	w := wordReader{s: s, at: at, limit: min(len(s), at+maxCommand/2)}
	given := lex.HasPrefixFold(s[start:end], "codecov") || s[end-1] == ' '
	for n := 0; n < 12 && w.next(); n++ {
		from, to := w.valueSpan()
		if given && to-from >= 16 && isRandomKey(s[from:to]) {
			f.Add(rule, from, to)
			return
		}
		given = given || lex.ContainsAnyFold(w.text(), "login auth init token key secret unseal config setup register connect") ||
			lex.IsOneOf(w.text(), "-t -k -a set add push create alias")
	}
}

// FindSecureString finds the password of ConvertTo-SecureString "X".
func FindSecureString(f *search.Finder, rule, start, end int) {
	w := wordReader{s: f.Text, at: end, limit: min(len(f.Text), end+maxCommand)}
	for w.next() {
		if !w.quoted && w.text()[0] == '-' {
			continue // -AsPlainText, -String
		}
		from, to := w.valueSpan()
		addTypedPassword(f, rule, from, to)
		return
	}
}

// FindFlagSecret finds the value of a flag such as --value if words around it in the same command name
// a secret.
func FindFlagSecret(f *search.Finder, rule, start, end int) {
	s := f.Text
	if start == 0 || !lex.IsSpace(s[start-1]) || end >= len(s) || !lex.IsBlank(s[end]) && s[end] != '=' && !lex.IsQuote(s[end]) {
		return
	}
	w := wordReader{s: s, at: end + 1 - quoteLen(s, end), limit: min(len(s), end+maxCommand)}
	if !w.next() {
		return
	}
	from, to := w.valueSpan()
	before, after := s[max(0, start-240):start], s[to:min(len(s), to+160)]
	if !hasWord(before, "pw pass") && !lex.ContainsAnyFold(before, "secret passw pwd token apikey api-key api_key _key credential securestring") &&
		!lex.ContainsAnyFold(after, "passw secret pwd securestring") {
		return
	}
	if l := value.LookAt(s[from:to]); l.Has&value.Of6 != 0 && (w.quoted || !l.Is(value.Location)) && l.IsAny(value.AsChosen|value.AsMade) {
		f.Add(rule, from, to)
	}
}

// quoteLen returns 1 if a quote is at i, otherwise 0.
func quoteLen(s string, i int) int {
	if lex.IsQuote(s[i]) {
		return 1
	}
	return 0
}
