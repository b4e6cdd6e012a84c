package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// remove deletes a path, whatever drive of PowerShell it lies on.
func (r *reader) remove(path string, tree, force bool) {
	low := lower(path)
	switch {
	case registry(low):
		r.loses(shell.RegDelete, "delete", hive(low), path, "deletes keys or values from the Windows registry")
		return
	case begins(low, "env:", "variable:", "alias:", "function:"):
		r.safe(shell.IO, path)
		return
	case strings.HasPrefix(low, "cert:"):
		r.loses(shell.SecretDelete, "delete", shell.ImpactHigh, path, "deletes certificates")
		return
	}
	var args []string
	if tree {
		args = append(args, "-r")
	}
	if force {
		args = append(args, "-f")
	}
	r.file("rm", append(args, path)...)
}

func registry(low string) bool {
	return begins(low, "hklm", "hkcu", "hkcr", "hku:", "hkey_", "registry::")
}

// fileCmdlet runs the cmdlets that work on files.
func (r *reader) fileCmdlet(name string, p *params, in flow, piped bool) flow {
	paths := p.texts("path literalpath filepath lp pspath fullname", 0)
	if len(paths) == 0 && piped {
		paths = in.paths
		if len(paths) == 0 && (in.text != "" || len(in.items) > 0) {
			paths = listOf(in)
		}
	}
	switch name {
	case "remove-item":
		r.removeItem(p, paths, in, piped)
	case "clear-content", "clear-item":
		for _, f := range orHole(paths) {
			if registry(lower(f)) {
				r.loses(shell.RegDelete, "clear", shell.ImpactMedium, p.source, "clears part of the Windows registry")
				continue
			}
			r.file("truncate", "-s", "0", f)
		}
	case "set-content", "out-file", "export-csv", "export-clixml", "tee-object", "add-content":
		r.writeCmdlet(name, p, in)
		return in
	case "new-item", "new-item-directory":
		r.newItem(name, p, paths)
	case "copy-item":
		put := []string{"cp"}
		if p.on("recurse") {
			put = append(put, "-r")
		}
		r.moveItem(put, p, paths, false)
	case "move-item", "rename-item":
		put := []string{"mv"}
		if p.on("force") {
			put = append(put, "-f")
		}
		r.moveItem(put, p, paths, name == "rename-item")
	case "get-childitem", "get-item", "resolve-path", "convert-path":
		r.safe(shell.FSRead, p.source)
		return listing(name, p, paths)
	case "get-content", "import-csv":
		r.safe(shell.FSRead, p.source)
		out := flow{text: hole, file: true}
		for _, f := range paths {
			out = out.from(r.readFile(f))
		}
		return out
	case "compress-archive", "expand-archive":
		dest, ok := p.one("destinationpath", 1)
		if !ok {
			dest = literal(".")
		}
		if name == "compress-archive" {
			r.file("tee", dest.text)
		} else {
			r.file("mkdir", dest.text)
		}
		for _, f := range paths {
			if facts.SecretFile(f) {
				r.secret = true
			}
		}
	case "set-acl":
		for _, f := range orHole(paths) {
			r.file("chown", "someone", f)
		}
	}
	return flow{text: hole}
}

func orHole(paths []string) []string {
	if len(paths) == 0 {
		return []string{hole}
	}
	return paths
}

// removeItem runs Remove-Item.
func (r *reader) removeItem(p *params, paths []string, in flow, piped bool) {
	tree, force := p.on("recurse"), p.on("force")
	if piped && in.deep {
		tree = true
	}
	filter := p.texts("include filter", -1)
	was, unread := r.listed, piped && in.computed
	r.listed = was || piped && in.file
	for _, w := range append(p.get("path literalpath"), p.pos...) {
		r.listed, unread = r.listed || w.file, unread || w.computed
	}
	if unread {
		r.opaque("deletes what is computed at run time", p.source)
	}
	defer func() { r.listed = was }()
	for _, f := range orHole(paths) {
		if len(filter) > 0 {
			for _, pat := range filter {
				r.remove(strings.TrimRight(strings.TrimRight(f, "*"), `\/`)+`\`+pat, tree, force)
			}
			continue
		}
		r.remove(f, tree, force)
	}
}

// listing is what Get-ChildItem gives: the files as patterns.
func listing(name string, p *params, paths []string) flow {
	out := flow{text: hole, deep: p.on("recurse")}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	if len(paths) == 1 && strings.HasPrefix(lower(paths[0]), "env:") {
		out.secret = true
		return out
	}
	pats := p.texts("filter include", -1)
	if len(p.pos) > 1 && len(pats) == 0 && !p.pos[1].more {
		pats = []string{p.pos[1].text}
		paths = paths[:1]
	}
	for _, f := range paths {
		switch {
		case name != "get-childitem":
			out.paths = append(out.paths, f)
			out.text = f
		case len(pats) > 0:
			for _, pat := range pats {
				out.paths = append(out.paths, child(f, pat))
			}
		case strings.ContainsAny(f, "*?") || registry(lower(f)):
			out.paths = append(out.paths, f)
		default:
			out.paths = append(out.paths, child(f, "*"))
		}
	}
	if len(out.paths) > 0 && out.text == hole {
		out.text = out.paths[0]
	}
	return out
}

func child(dir, name string) string {
	dir = strings.TrimRight(strings.TrimRight(dir, "*"), `\/`)
	if dir == "." || dir == "" {
		return name
	}
	return dir + `\` + name
}

// writeCmdlet runs the cmdlets that write files.
func (r *reader) writeCmdlet(name string, p *params, in flow) {
	paths := p.texts("filepath path literalpath", 0)
	if name == "set-content" || name == "add-content" {
		if v := p.get("path literalpath"); len(v) == 0 && len(p.pos) > 1 {
			paths = paths[:min(1, len(paths))]
		}
	}
	if len(paths) == 0 && (name == "set-content" || name == "add-content") {
		paths = in.paths
	}
	value, ok := p.one("value inputobject", -1)
	switch {
	case ok:
	case name == "set-content" && len(p.pos) > 1:
		value = p.pos[len(p.pos)-1].flow
	default:
		value = in
	}
	prints := printer(value)
	for _, f := range orHole(paths) {
		low := lower(f)
		switch {
		case strings.HasPrefix(low, "env:") || strings.HasPrefix(low, "variable:"):
			r.safe(shell.IO, p.source)
		case name == "add-content" || p.on("append"):
			r.redirect("echo", ">>", f)
		default:
			r.redirect(prints, ">", f)
		}
	}
}

// newItem runs New-Item.
func (r *reader) newItem(name string, p *params, paths []string) {
	if n, ok := p.one("name", -1); ok && len(paths) > 0 {
		paths = []string{child(paths[0], n.text)}
	} else if ok {
		paths = []string{n.text}
	}
	kind, _ := p.one("itemtype type", -1)
	for _, f := range orHole(paths) {
		switch {
		case registry(lower(f)):
			r.add(shell.Effect{Label: shell.Unknown, Kind: "modify", Category: shell.RegModify, Impact: shell.ImpactMedium, Words: facts.Short(p.source), Reason: "changes the Windows registry"})
		case name == "new-item-directory" || strings.EqualFold(kind.text, "directory"):
			r.file("mkdir", "-p", f)
		case p.on("force"):
			r.redirect("echo", ">", f)
		default:
			r.file("touch", f)
		}
	}
}

// moveItem runs Move-Item, Copy-Item and Rename-Item, which do what the command put does.
func (r *reader) moveItem(put []string, p *params, paths []string, renames bool) {
	dest, ok := p.one("destination newname", 1)
	if !ok {
		if len(p.pos) > 0 && len(p.get("path literalpath")) > 0 {
			dest, ok = p.pos[0].flow, true
		}
	}
	if ok && len(p.get("destination newname")) == 0 && len(p.get("path literalpath")) == 0 && len(paths) > 1 {
		paths = paths[:1]
	}
	to := dest.text
	if !ok {
		to = "."
	}
	if renames && !strings.ContainsAny(to, `\/`) && len(paths) == 1 {
		if i := strings.LastIndexAny(paths[0], `\/`); i >= 0 {
			to = paths[0][:i+1] + to
		}
	}
	r.shared(paths, to, p.source)
	for _, f := range orHole(paths) {
		r.file(put[0], append(put[1:len(put):len(put)], f, to)...)
	}
}
