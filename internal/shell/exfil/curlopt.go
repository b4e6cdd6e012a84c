package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// addCookies adds the value v of -b, which is name=text or the name of a file.
func (r *request) addCookies(t *tracer, v *shell.Word) {
	if strings.IndexByte(v.Text, '=') >= 0 || len(v.From) > 0 {
		r.auth = worseTaint(r.auth, t.wordTaint(v))
		return
	}
	if l := t.fileWordTaint(r.c, v); l.level == secret && !isCookieJar(v.Text) {
		r.body = worseTaint(r.body, l)
	}
}

// isCookieJar reports whether path looks like a cookie file that curl wrote, as opposed to one of a
// browser.
func isCookieJar(path string) bool {
	base := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	return strings.Contains(base, "cookie") && !facts.IsInSecretDir(strings.ToLower(path)) && !strings.HasSuffix(base, ".sqlite")
}

// addUploads adds the files in the value v of -T, which may be a list such as {a,b}.
func (r *request) addUploads(t *tracer, v *shell.Word) {
	open := strings.IndexByte(v.Text, '{')
	end := strings.IndexByte(v.Text, '}')
	if open < 0 || end < open || len(v.Text) > facts.MaxPath {
		r.addFile(t, v, v.Text)
		return
	}
	head, tail := v.Text[:open], v.Text[end+1:]
	for list := v.Text[open+1 : end]; list != ""; {
		part, rest, _ := strings.Cut(list, ",")
		list = rest
		r.addFile(t, v, head+part+tail)
	}
}

// addConfigOptions adds the options that curl reads from standard input or from its options file, if
// their text is known. The text of a file is known if the same command wrote or printed it.
func (r *request) addConfigOptions(t *tracer) {
	text := ""
	if r.configStdin {
		if r.c.In != nil && r.c.In.Complete {
			text = r.c.In.Text
		}
		for i := range r.c.Redir {
			if strings.HasPrefix(r.c.Redir[i].Op, "<<") {
				text = r.c.Redir[i].Target.Text
			}
		}
	}
	for i := range r.c.Files {
		if f := &r.c.Files[i]; f.Path == r.config && f.Complete {
			text, r.config = f.Text, ""
		}
	}
	for _, c := range r.configFrom {
		if c != nil && program.OutputOf(c.Name) == program.OutputPrints && len(c.Args) > 0 {
			text = strings.ReplaceAll(c.Args[len(c.Args)-1].Text, `\n`, "\n")
		}
	}
	if len(text) > maxScript {
		return
	}
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		line = strings.TrimLeft(line, " \t-")
		i := strings.IndexAny(line, "=: \t")
		if i <= 0 || line[0] == '#' {
			continue
		}
		value := strings.Trim(line[i:], "=: \t\"")
		r.addCurlOption(t, line[:i], &shell.Word{Text: value})
	}
}
