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

// fill puts variables and files into a URL as it is written. What they hold is not
// looked into again.
func fill(text string, env []string) (string, error) {
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
			value, err = variable(name, env)
		} else if path, ok := strings.CutPrefix(what, "file:"); ok && closed {
			value, err = inFile(path, env)
		}
		if err != nil {
			return "", err
		}
		out.WriteString(value)
		text = after
	}
}

func variable(name string, env []string) (string, error) {
	if v, ok := environ.Lookup(env, name); ok && v != "" {
		return v, nil
	}
	return "", message.Wrap(fmt.Errorf("the variable %s in its URL is not set", name), message.Do("set it where checkrein run starts, or use ${file:PATH}"))
}

// inFile reads a token. Who calls is in any directory, so a relative path would be
// another file in each.
func inFile(path string, env []string) (string, error) {
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

// hidden are texts that no message may have.
type hidden []string

const (
	cover     = "…"
	leastPart = 8  // shorter parts are no tokens, and would take words apart
	leastWord = 12 // of a part
	maxAnswer = 400
)

// hiddenIn are the parts of a URL that could be tokens: all of them but its scheme and
// the name of a server, and the words of which they are made.
func hiddenIn(raw string) hidden {
	parts := []string{raw}
	if u, err := url.Parse(raw); err == nil {
		if row := serviceNamed(u.Scheme); row == nil || !row.server && row.scheme != u.Host {
			parts = append(parts, u.Host)
		}
		password, _ := u.User.Password()
		parts = append(parts, u.User.Username()+":"+password, u.User.Username(), password, u.Opaque, u.Fragment)
		parts = append(parts, strings.Split(u.Path, "/")...)
		for _, list := range u.Query() {
			parts = append(parts, list...)
		}
	}
	var out hidden
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

// clean is a text without what is hidden, and of addresses in it only the server. It is
// short: a service's answer may be a page, which a model is to read.
func (h hidden) clean(text string) string {
	text = h.uncut(text)
	if len(text) > maxAnswer {
		text = strings.ToValidUTF8(text[:maxAnswer], "") + cover
	}
	return text
}

func (h hidden) uncut(text string) string {
	for _, part := range h {
		text = strings.ReplaceAll(text, part, cover)
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
		out.WriteString(server(text[:end]))
		text = text[end:]
	}
}

// server is the name of the server in an address whose scheme is cut off.
func server(address string) string {
	path := strings.IndexAny(address, "/?#")
	if path < 0 {
		path = len(address)
	}
	host := address[:path]
	if i := strings.LastIndex(host, "@"); i >= 0 {
		host = cover + host[i:]
	}
	if path < len(address) {
		host += "/" + cover
	}
	return host
}
