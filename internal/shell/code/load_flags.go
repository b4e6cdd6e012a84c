package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// load takes what an interpreter is told to load before the code: -r, -M, -d.
func (g *given) load(l lang, flag, val string) {
	if len(g.loads) >= 16 {
		return
	}
	switch l {
	case perl:
		if flag == "M" || flag == "m" {
			// -MModule is `use Module`, and anything may follow.
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
				return // a part of php itself
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

// outside reports whether what is loaded is not the project's own.
func outside(path, root string) bool {
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

// loaded judges what is loaded before a script that is not seen here.
func loaded(c *shell.Call, l lang, g *given) ([]shell.Effect, []string, bool) {
	o := &result{}
	o.loads(c, l, g)
	if len(o.effects) == 0 && len(o.nested) == 0 && !isURL(g.file) {
		return nil, nil, false
	}
	if isURL(g.file) {
		o.add(shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.ScriptSource(g.file), Radius: shell.RadiusHigh, Words: c.Name + " " + facts.Short(g.file),
			Reason: "runs code received from another machine"})
	}
	return o.finish(c)
}

// loads reads the code that is loaded before the code itself, as far as it is
// known.
func (o *result) loads(c *shell.Call, l lang, g *given) {
	for _, n := range g.modules {
		if n != "" && !isKnownModule(l, n) && writtenFile(c, n) == nil {
			o.add(shell.Unreads(facts.Short(c.Name+" "+n), "loads "+n+", which checkrein did not read"))
		}
	}
	for _, path := range g.loads {
		if strings.HasPrefix(strings.Trim(path, `"'`), "data:") { // code in an address
			o.add(shell.Evaluates(facts.Short(c.Name+" "+path), "runs code in a data: address"))
			continue
		}
		if f := writtenFile(c, path); f != nil {
			effects, nested, _ := fileEffects(c, l, f, nil)
			o.nested = append(o.nested, nested...)
			for i := range effects {
				if effects[i].Label != shell.Safe {
					o.add(effects[i])
				}
			}
			continue
		}
		if outside(path, g.root) {
			o.add(shell.Unreads(facts.Short(c.Name+" "+path), "loads code from outside the project"))
		}
	}
}

// byEnvironment judges variables that make interpreters load code.
func byEnvironment(c *shell.Call, p *shell.Place) []shell.Effect {
	root := p.Root
	if root == "" {
		root = p.Dir
	}
	for i := range c.Env {
		v := &c.Env[i]
		bad := false
		if carriesCode(v) {
			return []shell.Effect{shell.Evaluates(v.Name+"="+facts.Short(v.Value.Text), "runs with "+v.Name+" set, which contains code")}
		}
		h := facts.HijackOf(v.Name)
		if h == nil || v.Value.Text == "" {
			continue
		}
		switch {
		case h.Of == "node" || h.Of == "bun":
			bad = optionsLoad(v.Value.Text, root)
		case h.Means == facts.BySearch:
			for p := range strings.FieldsFuncSeq(v.Value.Text, func(r rune) bool { return r == ':' || r == ';' }) {
				bad = bad || facts.Open(p)
			}
		case h.Means == facts.ByFile:
			bad = !h.Any && !strings.HasPrefix(v.Name, "GIT_") // those are told elsewhere
		}
		if bad {
			return []shell.Effect{shell.Unreads(v.Name+"="+facts.Short(v.Value.Text), "runs with "+v.Name+" set, which loads code from outside the project")}
		}
	}
	return nil
}

// carriesCode reports whether a variable of an interpreter holds code itself, not
// the name of a file with it.
func carriesCode(v *shell.Variable) bool {
	s := v.Value.Text
	switch v.Name {
	case "NODE_OPTIONS", "BUN_OPTIONS":
		return strings.Contains(s, "data:")
	case "PERL5OPT": // -MModule is `use Module`, and anything may follow
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

// optionsLoad reports whether options for node load something from outside.
func optionsLoad(s, root string) bool {
	next := false
	for w := range strings.FieldsSeq(s) {
		if next && outside(w, root) {
			return true
		}
		flag, val, has := strings.Cut(w, "=")
		next = false
		switch flag {
		case "-r", "--require", "--import", "--loader", "--experimental-loader", "--preload":
			if has && outside(val, root) {
				return true
			}
			next = !has
		}
	}
	return false
}
