package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// wget sends by --post-file and --body-file, by headers and by the URL.
func (t *tracer) wget(c *shell.Call) (shell.Effect, bool) {
	r := request{c: c}
	var w program.Walk
	for w.Start(c); w.Next(); {
		v := &w.Arg
		switch w.Name {
		case "":
			r.target(t, v)
		case "post-file", "body-file":
			r.file(t, v, v.Text)
		case "post-data", "body-data":
			r.text(t, v)
		case "U", "user-agent", "referer", "method":
			r.body = more(r.body, t.word(v))
		case "header":
			r.header(t, v)
		case "user", "password", "http-user", "http-password", "ftp-user", "ftp-password":
			r.auth = more(r.auth, t.word(v))
		case "load-cookies":
			r.cookies(t, v)
		case "i", "input-file":
			// Each line is fetched as an address, so a file of secrets is sent line by line.
			if l := t.fileWord(c, v); l.level == secret && !strings.Contains(v.Text, "://") {
				r.body = more(r.body, l)
				r.to = facts.Farther(r.to, facts.Host{Zone: facts.Away})
			}
		case "B", "base":
			r.target(t, v)
		case "e", "execute": // post_file=x
			_, path, _ := strings.Cut(v.Text, "=")
			r.data(t, &shell.Word{Text: "@" + strings.TrimSpace(path), From: v.From})
		default:
			if len(v.From) > 0 {
				if l := t.word(v); l.level == secret && !l.token() {
					r.body = more(r.body, l)
				}
			}
		}
	}
	return r.done(t)
}

// httpie sends its items: name=value, name@file, name=@file, name:=@file, Header:value, @file.
func (t *tracer) httpie(c *shell.Call) (shell.Effect, bool) {
	r := request{c: c, stdin: fed(c)}
	seen := false
	var w program.Walk
	for w.Start(c); w.Next(); {
		v := &w.Arg
		switch {
		case w.Name == "offline":
			return shell.Effect{}, false
		case w.Name == "raw":
			r.text(t, v)
		case w.Name == "a" || w.Name == "auth" || w.Name == "bearer":
			r.auth = more(r.auth, t.word(v))
		case w.Name == "proxy":
			_, proxy, _ := strings.Cut(v.Text, ":")
			r.target(t, &shell.Word{Text: proxy, From: v.From})
		case w.Name != "":
		case !seen && method(v.Text):
		case !seen:
			seen = true
			r.target(t, v)
			if strings.HasPrefix(v.Text, ":") {
				r.to = facts.Host{Zone: facts.Here}
			}
		default:
			r.item(t, v)
		}
	}
	return r.done(t)
}

// method reports whether a word is the method of a request.
func method(s string) bool {
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

// item takes one item of httpie.
func (r *request) item(t *tracer, v *shell.Word) {
	i := strings.IndexAny(v.Text, "=:@")
	if i < 0 {
		r.text(t, v)
		return
	}
	rest := v.Text[i:]
	switch {
	case rest[0] == '@':
		r.file(t, v, rest[1:])
	case strings.HasPrefix(rest, ":=@"):
		r.file(t, v, rest[3:])
	case strings.HasPrefix(rest, "=@"), strings.HasPrefix(rest, ":@"):
		r.file(t, v, rest[2:])
	case strings.HasPrefix(rest, "==@"):
		r.file(t, v, rest[3:])
	case rest[0] == ':' && !strings.HasPrefix(rest, ":="):
		r.header(t, v)
	case strings.HasPrefix(rest, "=="):
		r.url = more(r.url, t.word(v))
	default:
		r.text(t, v)
	}
}

// browser is about other programs that fetch URLs: what is in the URL is sent,
// and with some the file of -p, -post or -d.
func (t *tracer) browser(c *shell.Call) (shell.Effect, bool) {
	if (c.Name == "post" || c.Name == "put") && len(c.Args) == 0 {
		return shell.Effect{}, false
	}
	r := request{c: c}
	switch c.Name {
	case "lwp-request", "post", "put", "websocat", "wscat", "lynx":
		r.stdin = fed(c)
	}
	after := ""
	for i := range c.Args {
		v := &c.Args[i]
		if c.Name == "aria2c" {
			r.list(t, v, after)
		}
		switch browserOption(c.Name, after) {
		case shell.Reads:
			r.file(t, v, v.Text)
		case shell.Payload:
			r.data(t, v)
		case shell.Header:
			r.header(t, v)
		default:
			r.visit(t, v)
		}
		after = v.Text
	}
	return r.done(t)
}

// browserOption returns the role of an option's value.
func browserOption(program, option string) shell.Role {
	switch option {
	case "-post":
		return shell.Reads
	case "-p", "-u":
		if program == "ab" {
			return shell.Reads
		}
	case "-D":
		if program == "hey" {
			return shell.Reads
		}
	case "-d":
		if program != "aria2c" {
			return shell.Payload
		}
	case "-data":
		return shell.Payload
	case "-H", "-header", "--header":
		return shell.Header
	}
	return shell.Plain
}

// visit takes a word that may be an address, or a text that is made of data.
func (r *request) visit(t *tracer, v *shell.Word) {
	switch {
	case local(v.Text):
	case strings.Contains(v.Text, "://") || len(v.From) > 0 && strings.IndexByte(v.Text, '.') > 0:
		r.target(t, v)
	case len(v.From) > 0:
		r.body = more(r.body, t.word(v))
	case r.c.Name == "grpcurl" && strings.IndexByte(v.Text, ':') > 0 && !strings.HasPrefix(v.Text, "-"):
		r.target(t, v)
	}
}

// list takes a file with addresses or cookies that aria2c is given.
func (r *request) list(t *tracer, v *shell.Word, after string) {
	name, value, eq := strings.Cut(v.Text, "=")
	if !eq {
		value = v.Text
	}
	if !(eq && takesList(name) || takesList(after)) {
		return
	}
	if l := t.fileWord(r.c, &shell.Word{Text: value, From: v.From}); l.level == secret && !cookieJar(value) {
		r.body = more(r.body, l)
		r.to = facts.Farther(r.to, facts.Host{Zone: facts.Away})
	}
}

// local reports whether a URL is for a program of this machine: vscode://file/…
func local(url string) bool {
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

// takesList reports whether an option of aria2c names a file with addresses or
// cookies.
func takesList(option string) bool {
	return option == "-i" || option == "--load-cookies" || option == "--input-file"
}
