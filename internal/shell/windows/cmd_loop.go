package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// cmdFor runs a loop's command with its variable set to what the set holds.
func (r *reader) cmdFor(tail string) {
	low := lower(tail)
	do := strings.Index(low, " do ")
	if k := strings.Index(low, ")do "); do < 0 && k >= 0 {
		do = k
	}
	open := strings.IndexByte(tail, '(')
	if do < 0 || open < 0 || open > do {
		r.unknown("loops over unknown values", tail)
		return
	}
	end := strings.LastIndexByte(tail[:do+1], ')')
	if end < open {
		end = do
	}
	head, set := tail[:open], strings.TrimSpace(tail[open+1:end])
	name := ""
	if i := strings.LastIndexByte(head, '%'); i >= 0 && i+1 < len(head) {
		name = lower(head[i+1 : i+2])
	}
	body := strings.TrimSpace(tail[do+1:])
	if len(body) > 3 && strings.EqualFold(body[:3], "do ") {
		body = strings.TrimSpace(body[3:])
	}
	was := r.listed
	for _, v := range r.forValues(head, set) {
		if name != "" {
			r.bind("%"+name, v)
		}
		r.listed = was || !v.fixed
		r.cmdScript(body)
	}
	r.listed = was
}

// maxLoop is how many values of a loop are looked at.
const maxLoop = 16

// forValues are the values that the variable of a loop takes.
func (r *reader) forValues(head, set string) []flow {
	low := lower(head)
	switch {
	case strings.Contains(low, "/f"):
		if cmd := strings.Trim(set, "'`"); len(cmd) < len(set) {
			r.cmdScript(cmd)
			return []flow{r.forOutput(cmd)}
		}
		v := unsure()
		v.secret = !strings.HasPrefix(set, `"`) && facts.SecretFile(set)
		return []flow{v}
	case strings.Contains(low, "/l"):
		return []flow{literal("1")}
	}
	root := ""
	if strings.Contains(low, "/r") {
		for _, f := range strings.Fields(head) {
			if f[0] != '/' && f[0] != '%' && !strings.EqualFold(f, "in") {
				root = strings.TrimRight(strings.Trim(f, `"`), `\/`) + `\`
			}
		}
	}
	var out []flow
	for _, one := range splitArgs(strings.ReplaceAll(set, ",", " ")) {
		if len(out) < maxLoop {
			out = append(out, literal(root+one))
		}
	}
	return out
}

// forOutput is what a loop over the output of a command sees.
func (r *reader) forOutput(cmd string) flow {
	words, _ := r.cmdWords(cmd)
	if len(words) == 0 || !strings.EqualFold(words[0], "dir") {
		return unsure()
	}
	path := ""
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "/") {
			path = w
		}
	}
	switch {
	case path == "":
		path = "*"
	case !strings.ContainsAny(path, "*?"):
		path = strings.TrimRight(path, `\/`) + `\*`
	}
	return literal(path)
}
