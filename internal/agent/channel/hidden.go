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

// expandURL replaces ${env.NAME} and ${file:PATH} in a URL. The values are not expanded again.
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

func lookupVariable(name string, env []string) (string, error) {
	if v, ok := environ.Lookup(env, name); ok && v != "" {
		return v, nil
	}
	return "", message.Wrap(fmt.Errorf("the variable %s in its URL is not set", name), message.Do("set it where checkrein run starts, or use ${file:PATH}"))
}

// readTokenFile reads a token. The path must be absolute, because the working directory varies.
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

// hiddenTexts are texts that no message may contain, longest first.
type hiddenTexts []string

const (
	ellipsis  = "…"
	leastPart = 8  // shorter parts are no tokens, and occur in other words
	leastWord = 12 // of a word in a part
	maxAnswer = 400
)

// hiddenInURL returns the parts of a URL that could be tokens, which are all but the scheme and the
// name of a server, and the words in them.
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

// clean returns a text without hidden texts and with only the server of each address. It truncates the
// text: a service's answer may be a whole page, and a model reads it.
func (h hiddenTexts) clean(text string) string {
	text = h.hideAll(text)
	if len(text) > maxAnswer {
		text = strings.ToValidUTF8(text[:maxAnswer], "") + ellipsis
	}
	return text
}

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

// maskAddress returns the server of an address without its scheme.
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
