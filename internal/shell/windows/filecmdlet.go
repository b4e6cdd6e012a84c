package windows

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// addDeletion adds the effect of deleting path, which may be on any PowerShell drive, such as the
// registry. If tree is set, subdirectories are deleted too.
func (r *evaluator) addDeletion(path string, tree, force bool) {
	low := lower(path)
	switch {
	case isRegistryPath(low):
		r.addDestructive(shell.RegDelete, "delete", registryImpact(low), path, "deletes keys or values from the Windows registry")
		return
	case hasAnyPrefix(low, "env:", "variable:", "alias:", "function:"):
		r.addSafe(shell.IO, path)
		return
	case strings.HasPrefix(low, "cert:"):
		r.addDestructive(shell.SecretDelete, "delete", shell.ImpactHigh, path, "deletes certificates")
		return
	}
	var args []string
	if tree {
		args = append(args, "-r")
	}
	if force {
		args = append(args, "-f")
	}
	r.addFileCommand("rm", append(args, path)...)
}

// isRegistryPath reports whether low, a path in lower case, is in the registry.
func isRegistryPath(low string) bool {
	return hasAnyPrefix(low, "hklm", "hkcu", "hkcr", "hku:", "hkey_", "registry::")
}

// evalFileCmdlet adds the effects of the cmdlet name, which works on files, and returns its output. If
// piped is set, in is piped into it.
func (r *evaluator) evalFileCmdlet(name string, p *params, in flow, piped bool) flow {
	paths := p.texts("path literalpath filepath lp pspath fullname", 0)
	if len(paths) == 0 && piped {
		paths = in.paths
		if len(paths) == 0 && (in.text != "" || len(in.items) > 0) {
			paths = itemsOf(in)
		}
	}
	switch name {
	case "remove-item":
		r.evalRemoveItem(p, paths, in, piped)
	case "clear-content", "clear-item":
		for _, f := range orPlaceholder(paths) {
			if isRegistryPath(lower(f)) {
				r.addDestructive(shell.RegDelete, "clear", shell.ImpactMedium, p.source, "clears part of the Windows registry")
				continue
			}
			r.addFileCommand("truncate", "-s", "0", f)
		}
	case "set-content", "out-file", "export-csv", "export-clixml", "tee-object", "add-content":
		r.evalWriteCmdlet(name, p, in)
		return in
	case "new-item", "new-item-directory":
		r.evalNewItem(name, p, paths)
	case "copy-item":
		put := []string{"cp"}
		if p.hasSwitch("recurse") {
			put = append(put, "-r")
		}
		r.evalCopyOrMove(put, p, paths, false)
	case "move-item", "rename-item":
		put := []string{"mv"}
		if p.hasSwitch("force") {
			put = append(put, "-f")
		}
		r.evalCopyOrMove(put, p, paths, name == "rename-item")
	case "get-childitem", "get-item", "resolve-path", "convert-path":
		r.addSafe(shell.FSRead, p.source)
		return listedItems(name, p, paths)
	case "get-content", "import-csv":
		r.addSafe(shell.FSRead, p.source)
		out := flow{text: placeholder, fromFile: true}
		for _, f := range paths {
			out = out.withSourcesOf(r.evalFileRead(f))
		}
		return out
	case "compress-archive", "expand-archive":
		dest, ok := p.value("destinationpath", 1)
		if !ok {
			dest = literalFlow(".")
		}
		if name == "compress-archive" {
			r.addFileCommand("tee", dest.text)
		} else {
			r.addFileCommand("mkdir", dest.text)
		}
		for _, f := range paths {
			if facts.IsSecretFile(f) {
				r.packedSecret = true
			}
		}
	case "set-acl":
		for _, f := range orPlaceholder(paths) {
			r.addFileCommand("chown", "someone", f)
		}
	}
	return flow{text: placeholder}
}

// orPlaceholder returns paths, or a single placeholder if there are none.
func orPlaceholder(paths []string) []string {
	if len(paths) == 0 {
		return []string{placeholder}
	}
	return paths
}

// evalRemoveItem adds the effects of Remove-Item on paths.
func (r *evaluator) evalRemoveItem(p *params, paths []string, in flow, piped bool) {
	tree, force := p.hasSwitch("recurse"), p.hasSwitch("force")
	if piped && in.deep {
		tree = true
	}
	filter := p.texts("include filter", -1)
	was, unread := r.fromList, piped && in.computed
	r.fromList = was || piped && in.fromFile
	for _, w := range append(p.lookup("path literalpath"), p.pos...) {
		r.fromList, unread = r.fromList || w.fromFile, unread || w.computed
	}
	if unread {
		r.addOpaque("deletes files whose names are computed at run time", p.source)
	}
	defer func() { r.fromList = was }()
	for _, f := range orPlaceholder(paths) {
		if len(filter) > 0 {
			for _, pat := range filter {
				r.addDeletion(strings.TrimRight(strings.TrimRight(f, "*"), `\/`)+`\`+pat, tree, force)
			}
			continue
		}
		r.addDeletion(f, tree, force)
	}
}

// listedItems returns the output of Get-ChildItem and similar cmdlets. The files in it are patterns.
func listedItems(name string, p *params, paths []string) flow {
	out := flow{text: placeholder, deep: p.hasSwitch("recurse")}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	if len(paths) == 1 && strings.HasPrefix(lower(paths[0]), "env:") {
		out.secret = true
		return out
	}
	pats := p.texts("filter include", -1)
	if len(p.pos) > 1 && len(pats) == 0 && !p.pos[1].joined {
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
				out.paths = append(out.paths, joinPath(f, pat))
			}
		case strings.ContainsAny(f, "*?") || isRegistryPath(lower(f)):
			out.paths = append(out.paths, f)
		default:
			out.paths = append(out.paths, joinPath(f, "*"))
		}
	}
	if len(out.paths) > 0 && out.text == placeholder {
		out.text = out.paths[0]
	}
	return out
}

// joinPath returns the path of name in dir. A wildcard at the end of dir is dropped.
func joinPath(dir, name string) string {
	dir = strings.TrimRight(strings.TrimRight(dir, "*"), `\/`)
	if dir == "." || dir == "" {
		return name
	}
	return dir + `\` + name
}

// evalWriteCmdlet adds the effects of the cmdlet name, which writes files.
func (r *evaluator) evalWriteCmdlet(name string, p *params, in flow) {
	paths := p.texts("filepath path literalpath", 0)
	if name == "set-content" || name == "add-content" {
		if v := p.lookup("path literalpath"); len(v) == 0 && len(p.pos) > 1 {
			paths = paths[:min(1, len(paths))]
		}
	}
	if len(paths) == 0 && (name == "set-content" || name == "add-content") {
		paths = in.paths
	}
	value, ok := p.value("value inputobject", -1)
	switch {
	case ok:
	case name == "set-content" && len(p.pos) > 1:
		value = p.pos[len(p.pos)-1].flow
	default:
		value = in
	}
	prints := printerFor(value)
	for _, f := range orPlaceholder(paths) {
		low := lower(f)
		switch {
		case strings.HasPrefix(low, "env:") || strings.HasPrefix(low, "variable:"):
			r.addSafe(shell.IO, p.source)
		case name == "add-content" || p.hasSwitch("append"):
			r.addRedirect("echo", ">>", f)
		default:
			r.addRedirect(prints, ">", f)
		}
	}
}

// evalNewItem adds the effects of New-Item, or of an alias that creates directories.
func (r *evaluator) evalNewItem(name string, p *params, paths []string) {
	if n, ok := p.value("name", -1); ok && len(paths) > 0 {
		paths = []string{joinPath(paths[0], n.text)}
	} else if ok {
		paths = []string{n.text}
	}
	kind, _ := p.value("itemtype type", -1)
	for _, f := range orPlaceholder(paths) {
		switch {
		case isRegistryPath(lower(f)):
			r.addEffect(shell.Effect{Label: shell.Unknown, Kind: "modify", Category: shell.RegModify, Impact: shell.ImpactMedium, Words: facts.ShortFirstLine(p.source), Reason: "changes the Windows registry"})
		case name == "new-item-directory" || strings.EqualFold(kind.text, "directory"):
			r.addFileCommand("mkdir", "-p", f)
		case p.hasSwitch("force"):
			r.addRedirect("echo", ">", f)
		default:
			r.addFileCommand("touch", f)
		}
	}
}

// evalCopyOrMove adds the effects of Copy-Item, Move-Item or Rename-Item on paths. The equivalent
// POSIX command with its options is put. If renames is set, the new name is relative to the directory
// of the file.
func (r *evaluator) evalCopyOrMove(put []string, p *params, paths []string, renames bool) {
	dest, ok := p.value("destination newname", 1)
	if !ok {
		if len(p.pos) > 0 && len(p.lookup("path literalpath")) > 0 {
			dest, ok = p.pos[0].flow, true
		}
	}
	if ok && len(p.lookup("destination newname")) == 0 && len(p.lookup("path literalpath")) == 0 && len(paths) > 1 {
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
	r.addShareCopy(paths, to, p.source)
	for _, f := range orPlaceholder(paths) {
		r.addFileCommand(put[0], append(put[1:len(put):len(put)], f, to)...)
	}
}
