package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// addLoad adds the value val of an option that makes an interpreter of l load a file or module before
// the code, such as -r, -M or -d. Flag is the option without its dash. Beyond 16 files, the option is
// ignored.
func (g *codeSource) addLoad(l lang, flag, val string) {
	if len(g.loads) >= 16 {
		return
	}
	switch l {
	case perl:
		if flag == "M" || flag == "m" {
			// -MModule means `use Module`, and more code may follow the name.
			if i := strings.IndexAny(val, ";("); i >= 0 {
				g.before += "use " + val + ";\n"
			} else {
				n, _, _ := strings.Cut(strings.TrimPrefix(val, "-"), "=")
				n, _, _ = strings.Cut(n, " ")
				if _, dirs, ok := strings.Cut(val, "="); ok && n == "lib" {
					g.loads = append(g.loads, dirs)
				}
				g.modules = append(g.modules, n)
			}
			return
		}
	case php:
		key, file, _ := strings.Cut(val, "=")
		switch key {
		case "auto_prepend_file", "auto_append_file", "extension", "zend_extension":
			if flag == "d" && !strings.ContainsAny(file, "/.:") {
				return // an extension that comes with PHP
			}
			g.loads = append(g.loads, file)
		}
		return
	}
	if (flag == "r" || flag == "l") && !strings.HasPrefix(val, ".") && !strings.Contains(val, ":") && !strings.HasPrefix(val, "/") {
		g.modules = append(g.modules, val)
	}
	g.loads = append(g.loads, val)
}

// isOutsideProject reports whether path, which an interpreter loads, may be outside the project
// directory root. It reports true for unknown paths and URLs.
func isOutsideProject(path, root string) bool {
	path = strings.Trim(path, `"' `)
	switch {
	case strings.Contains(path, placeholder), strings.HasPrefix(path, "~"), strings.HasPrefix(path, ".."):
		return true
	case strings.HasPrefix(path, "/"):
		return root == "" || !strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")
	case strings.Contains(path, "://"), strings.HasPrefix(path, "data:"), strings.HasPrefix(path, "file:"), strings.HasPrefix(path, `\\`):
		return true
	}
	return false
}

// preloadEffects returns the effects of code that is loaded before a script whose text is not known,
// and of a script at a URL. It reports false if there are none.
func preloadEffects(c *shell.Call, l lang, g *codeSource) ([]shell.Effect, []string, bool) {
	o := &result{}
	o.addPreloads(c, l, g)
	if len(o.effects) == 0 && len(o.nested) == 0 && !isURL(g.file) {
		return nil, nil, false
	}
	if isURL(g.file) {
		o.addEffect(shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.ScriptCategory(g.file), Impact: shell.ImpactHigh, Words: c.Name + " " + facts.ShortFirstLine(g.file),
			Reason: "runs code received from another machine"})
	}
	return o.finish(c)
}

// addPreloads adds the effects of the files and modules that are loaded before the code of g.
func (o *result) addPreloads(c *shell.Call, l lang, g *codeSource) {
	for _, n := range g.modules {
		if n != "" && !isKnownModule(l, n) && knownFile(c, n) == nil {
			o.addEffect(shell.UnreadEffect(facts.ShortFirstLine(c.Name+" "+n), "loads "+n+", which checkrein did not read"))
		}
	}
	for _, path := range g.loads {
		if strings.HasPrefix(strings.Trim(path, `"'`), "data:") {
			o.addEffect(shell.OpaqueEffect(facts.ShortFirstLine(c.Name+" "+path), "runs code in a data: URL"))
			continue
		}
		if f := knownFile(c, path); f != nil {
			effects, nested, _ := knownFileEffects(c, l, f, nil)
			o.nested = append(o.nested, nested...)
			for i := range effects {
				if effects[i].Label != shell.Safe {
					o.addEffect(effects[i])
				}
			}
			continue
		}
		if isOutsideProject(path, g.root) {
			o.addEffect(shell.UnreadEffect(facts.ShortFirstLine(c.Name+" "+path), "loads code from outside the project"))
		}
	}
}

// hijackVarEffects returns the effect of the first variable of c that contains code or makes an
// interpreter load code from outside the project, or nil if there is none.
func hijackVarEffects(c *shell.Call, p *shell.Place) []shell.Effect {
	root := p.Root
	if root == "" {
		root = p.Dir
	}
	for i := range c.Env {
		v := &c.Env[i]
		bad := false
		if containsCode(v) {
			return []shell.Effect{shell.OpaqueEffect(v.Name+"="+facts.ShortFirstLine(v.Value.Text), "runs with "+v.Name+" set, which contains code")}
		}
		h := facts.FindHijack(v.Name)
		if h == nil || v.Value.Text == "" {
			continue
		}
		switch {
		case h.Of == "node" || h.Of == "bun":
			bad = optionsLoadOutside(v.Value.Text, root)
		case h.Means == facts.BySearch:
			for p := range strings.FieldsFuncSeq(v.Value.Text, func(r rune) bool { return r == ':' || r == ';' }) {
				bad = bad || facts.IsOpenToAll(p)
			}
		case h.Means == facts.ByFile:
			bad = !h.Any && !strings.HasPrefix(v.Name, "GIT_") // package rules judges variables of git
		}
		if bad {
			return []shell.Effect{shell.UnreadEffect(v.Name+"="+facts.ShortFirstLine(v.Value.Text), "runs with "+v.Name+" set, which loads code from outside the project")}
		}
	}
	return nil
}

// containsCode reports whether the value of v, a variable of an interpreter or editor, contains code
// instead of a file name.
func containsCode(v *shell.Variable) bool {
	s := v.Value.Text
	switch v.Name {
	case "NODE_OPTIONS", "BUN_OPTIONS":
		return strings.Contains(s, "data:")
	case "PERL5OPT": // -MModule means `use Module`, and more code may follow the name
		return strings.ContainsAny(s, ";({") || strings.Contains(s, "q(")
	case "PERL5DB", "VIMINIT", "EXINIT", "GVIMINIT":
		return s != ""
	case "LUA_INIT", "LUA_INIT_5_1", "LUA_INIT_5_2", "LUA_INIT_5_3", "LUA_INIT_5_4":
		return s != "" && s[0] != '@'
	case "GUILE_AUTO_COMPILE", "ERL_FLAGS", "ERL_AFLAGS", "ERL_ZFLAGS", "ELIXIR_ERL_OPTIONS":
		return strings.Contains(s, "-eval") || strings.Contains(s, "-run") || strings.Contains(s, "-s ")
	}
	return false
}

// optionsLoadOutside reports whether the command-line options of node or bun in s load code from
// outside the project directory root.
func optionsLoadOutside(s, root string) bool {
	next := false
	for w := range strings.FieldsSeq(s) {
		if next && isOutsideProject(w, root) {
			return true
		}
		flag, val, has := strings.Cut(w, "=")
		next = false
		switch flag {
		case "-r", "--require", "--import", "--loader", "--experimental-loader", "--preload":
			if has && isOutsideProject(val, root) {
				return true
			}
			next = !has
		}
	}
	return false
}
