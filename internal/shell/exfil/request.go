package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// wgetEffect returns the effect of wget, which sends data with --post-file and --body-file, in headers
// and in the URL.
func (t *tracer) wgetEffect(c *shell.Call) (shell.Effect, bool) {
	r := request{c: c}
	var w program.Walk
	for w.Start(c); w.Next(); {
		v := &w.Arg
		switch w.Name {
		case "":
			r.addURL(t, v)
		case "post-file", "body-file":
			r.addFile(t, v, v.Text)
		case "post-data", "body-data":
			r.addText(t, v)
		case "U", "user-agent", "referer", "method":
			r.body = worseTaint(r.body, t.wordTaint(v))
		case "header":
			r.addHeader(t, v)
		case "user", "password", "http-user", "http-password", "ftp-user", "ftp-password":
			r.auth = worseTaint(r.auth, t.wordTaint(v))
		case "load-cookies":
			r.addCookies(t, v)
		case "i", "input-file":
			// wget fetches each line as a URL, so it sends a file of secrets line by line.
			if l := t.fileWordTaint(c, v); l.level == secret && !strings.Contains(v.Text, "://") {
				r.body = worseTaint(r.body, l)
				r.to = facts.MoreRemote(r.to, facts.Host{Zone: facts.Away})
			}
		case "B", "base":
			r.addURL(t, v)
		case "e", "execute": // as in post_file=x
			_, path, _ := strings.Cut(v.Text, "=")
			r.addData(t, &shell.Word{Text: "@" + strings.TrimSpace(path), From: v.From})
		default:
			if len(v.From) > 0 {
				if l := t.wordTaint(v); l.level == secret && !l.isToken() {
					r.body = worseTaint(r.body, l)
				}
			}
		}
	}
	return r.effect(t)
}

// httpieEffect returns the effect of HTTPie, which sends its request items: name=value, name@file,
// name=@file, name:=@file, Header:value, @file. It reports false for --offline.
func (t *tracer) httpieEffect(c *shell.Call) (shell.Effect, bool) {
	r := request{c: c, stdin: hasInput(c)}
	seen := false
	var w program.Walk
	for w.Start(c); w.Next(); {
		v := &w.Arg
		switch {
		case w.Name == "offline":
			return shell.Effect{}, false
		case w.Name == "raw":
			r.addText(t, v)
		case w.Name == "a" || w.Name == "auth" || w.Name == "bearer":
			r.auth = worseTaint(r.auth, t.wordTaint(v))
		case w.Name == "proxy":
			_, proxy, _ := strings.Cut(v.Text, ":")
			r.addURL(t, &shell.Word{Text: proxy, From: v.From})
		case w.Name != "":
		case !seen && isHTTPMethod(v.Text):
		case !seen:
			seen = true
			r.addURL(t, v)
			if strings.HasPrefix(v.Text, ":") {
				r.to = facts.Host{Zone: facts.Here}
			}
		default:
			r.addHTTPieItem(t, v)
		}
	}
	return r.effect(t)
}

// isHTTPMethod reports whether s is an HTTP method, or could be one because it is all upper case.
func isHTTPMethod(s string) bool {
	switch s {
	case "get", "post", "put", "patch", "delete", "head", "options":
		return true
	}
	for i := range len(s) {
		if s[i] < 'A' || s[i] > 'Z' {
			return false
		}
	}
	return len(s) >= 3
}

// addHTTPieItem adds the data in v, a request item of HTTPie.
func (r *request) addHTTPieItem(t *tracer, v *shell.Word) {
	i := strings.IndexAny(v.Text, "=:@")
	if i < 0 {
		r.addText(t, v)
		return
	}
	rest := v.Text[i:]
	switch {
	case rest[0] == '@':
		r.addFile(t, v, rest[1:])
	case strings.HasPrefix(rest, ":=@"):
		r.addFile(t, v, rest[3:])
	case strings.HasPrefix(rest, "=@"), strings.HasPrefix(rest, ":@"):
		r.addFile(t, v, rest[2:])
	case strings.HasPrefix(rest, "==@"):
		r.addFile(t, v, rest[3:])
	case rest[0] == ':' && !strings.HasPrefix(rest, ":="):
		r.addHeader(t, v)
	case strings.HasPrefix(rest, "=="):
		r.url = worseTaint(r.url, t.wordTaint(v))
	default:
		r.addText(t, v)
	}
}

// isLocalURL reports whether the scheme of url is for a program on this machine, as in
// vscode://file/….
func isLocalURL(url string) bool {
	scheme, _, ok := strings.Cut(url, "://")
	if !ok {
		return false
	}
	switch strings.ToLower(scheme) {
	case "vscode", "vscode-insiders", "cursor", "file", "idea", "jetbrains", "subl", "txmt", "x-devonthink", "obsidian", "zed", "windsurf":
		return true
	}
	return false
}
