package channel

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
)

const maxTokenFile = 4 << 10

// expandURL returns text, a URL, with ${env.NAME} and ${file:PATH} replaced. The values are not
// expanded again.
func expandURL(text string, env []string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		what, after, closed := strings.Cut(rest, "}")
		value, err := "", errors.New("its URL contains ${, but neither ${env.NAME} nor ${file:PATH}")
		if name, ok := strings.CutPrefix(what, "env."); ok && closed {
			value, err = lookupVariable(name, env)
		} else if path, ok := strings.CutPrefix(what, "file:"); ok && closed {
			value, err = readTokenFile(path, env)
		}
		if err != nil {
			return "", err
		}
		out.WriteString(value)
		text = after
	}
}

// lookupVariable returns the value of the variable name in env, or an error if it is not set.
func lookupVariable(name string, env []string) (string, error) {
	if v, ok := environ.Lookup(env, name); ok && v != "" {
		return v, nil
	}
	return "", message.Wrap(fmt.Errorf("the variable %s in its URL is not set", name), message.Do("set it where checkrein run starts, or use ${file:PATH}"))
}

// readTokenFile returns the token in the file at path. The path must be absolute or begin with ~/,
// because the working directory varies.
func readTokenFile(path string, env []string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(environ.Home(env), rest)
	}
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("the file %s in its URL is relative: write an absolute path, or one that begins with ~/", path)
	}
	data, err := state.ReadRegular(path, maxTokenFile)
	value := strings.TrimSpace(string(data))
	switch {
	case err != nil:
		return "", fmt.Errorf("the file in its URL cannot be read: %w", err)
	case value == "":
		return "", fmt.Errorf("the file %s in its URL is empty: write the token into it", path)
	}
	return value, nil
}

// hiddenTexts holds texts that messages must not contain, longest first.
type hiddenTexts []string

const (
	ellipsis  = "…"
	leastPart = 8  // shorter parts are no tokens, and occur in other words
	leastWord = 12 // of a word in a part
	maxAnswer = 400
)

// hiddenInURL returns the parts of the URL raw that could be tokens, and the words in them. These are
// all parts except the scheme and the name of a server.
func hiddenInURL(raw string) hiddenTexts {
	parts := []string{raw}
	if u, err := url.Parse(raw); err == nil {
		if row := findService(u.Scheme); row == nil || !row.hasServer && row.scheme != u.Host {
			parts = append(parts, u.Host)
		}
		password, _ := u.User.Password()
		parts = append(parts, u.User.Username()+":"+password, u.User.Username(), password, u.Opaque, u.Fragment)
		parts = append(parts, strings.Split(u.Path, "/")...)
		for _, list := range u.Query() {
			parts = append(parts, list...)
		}
	}
	var out hiddenTexts
	add := func(least int, list ...string) {
		for _, p := range list {
			if len(p) >= least {
				out = append(out, p)
			}
		}
	}
	for _, p := range parts {
		add(leastPart, p, url.QueryEscape(p), url.PathEscape(p))
		if p != raw {
			add(leastWord, strings.FieldsFunc(p, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })...)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return out
}

// cleanText returns text without hidden texts, and with only the server of each address. It truncates
// the text, since the answer of a service may be a whole page, and a model reads it.
func (h hiddenTexts) cleanText(text string) string {
	text = h.hideAll(text)
	if len(text) > maxAnswer {
		text = strings.ToValidUTF8(text[:maxAnswer], "") + ellipsis
	}
	return text
}

// hideAll returns text with hidden texts, and all but the server of each address, replaced by an
// ellipsis.
func (h hiddenTexts) hideAll(text string) string {
	for _, part := range h {
		text = strings.ReplaceAll(text, part, ellipsis)
	}
	var out strings.Builder
	for {
		i := strings.Index(text, "://")
		if i < 0 {
			return out.String() + text
		}
		out.WriteString(text[:i+3])
		text = text[i+3:]
		end := strings.IndexAny(text, " \t\r\n\"'`<>")
		if end < 0 {
			end = len(text)
		}
		out.WriteString(maskAddress(text[:end]))
		text = text[end:]
	}
}

// maskAddress returns address, which has no scheme, with everything except its server replaced by an
// ellipsis.
func maskAddress(address string) string {
	path := strings.IndexAny(address, "/?#")
	if path < 0 {
		path = len(address)
	}
	host := address[:path]
	if i := strings.LastIndex(host, "@"); i >= 0 {
		host = ellipsis + host[i:]
	}
	if path < len(address) {
		host += "/" + ellipsis
	}
	return host
}
