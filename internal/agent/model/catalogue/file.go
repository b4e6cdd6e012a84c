package catalogue

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// File is the name of the user's own table in the configuration directory, and of the administrator's.
const File = "models.yaml"

// Load returns the built-in table with the corrections of those of the files at paths that exist, one after
// the other. If one is invalid, the error lists all of its problems in order of lines, and there is no table.
func Load(paths ...string) (t *Table, err error) {
	t = Builtin()
	for _, path := range paths {
		if t, err = t.loadCorrections(path); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// loadCorrections returns t with the corrections of the file at path, if there is one.
func (t *Table) loadCorrections(path string) (*Table, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read models.yaml: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, yamldoc.MaxSize+1)) // one more, so that Parse rejects a larger file
	if err != nil {
		return nil, fmt.Errorf("cannot read models.yaml: %w", err)
	}
	return t.correct(path, data)
}

// ParseCorrections returns the built-in table with the corrections in data, the text of a models.yaml.
// file is its name for messages.
func ParseCorrections(file string, data []byte) (*Table, error) { return Builtin().correct(file, data) }

// correct returns t with the corrections in data.
func (t *Table) correct(file string, data []byte) (*Table, error) {
	r := reader{file: file, table: &Table{rows: maps.Clone(t.rows), providers: map[string]Provider{}, date: t.date}}
	maps.Copy(r.table.providers, t.providers)
	root, _, err := yamldoc.Parse(data)
	if err != nil {
		at := &yamldoc.Error{Line: 1, Msg: err.Error()}
		errors.As(err, &at)
		return nil, fmt.Errorf("%s:%d: %s", file, at.Line, at.Msg)
	}
	if r.checkMappingKeys(root, "the file", "models", "providers") {
		if n := root.Get("models"); r.checkMapping(n, "models") {
			for _, p := range n.Pairs {
				r.readModel(p)
			}
		}
		if n := root.Get("providers"); r.checkMapping(n, "providers") {
			for _, p := range n.Pairs {
				r.readProvider(p)
			}
		}
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b problem) int { return a.line - b.line })
		errs := make([]error, len(r.problems))
		for i, p := range r.problems {
			errs[i] = fmt.Errorf("%s:%d: %s: %s", file, p.line, p.text, p.remedy)
		}
		return nil, errors.Join(errs...)
	}
	return r.table, nil
}

type problem struct {
	line         int
	text, remedy string
}

// A reader reads a models.yaml and collects its problems.
type reader struct {
	file     string
	table    *Table
	problems []problem
}

// addProblem adds a problem at line with a formatted text and a remedy.
func (r *reader) addProblem(line int, remedy, format string, args ...any) {
	r.problems = append(r.problems, problem{line, fmt.Sprintf(format, args...), remedy})
}

// readModel reads a row, which corrects one of the table or adds one.
func (r *reader) readModel(p yamldoc.Pair) {
	provider, name, _ := strings.Cut(p.Key, "/")
	if provider == "" || name == "" || strings.ContainsAny(p.Key, " \t\n") {
		r.addProblem(p.Line, "write provider/model, such as openai/gpt-4o", "%q is not a valid model name", p.Key)
		return
	}
	if p.Value.IsNull() {
		r.addProblem(p.Line, "write {context_size: …, cost: {input: …, output: …}}", "%s is empty", p.Key)
		return
	}
	if !r.checkMappingKeys(p.Value, p.Key, "context_size", "max_output", "cost", "same_as") {
		return
	}
	m, _ := r.table.Find(provider, name)
	if same := p.Value.Get("same_as"); !same.IsNull() {
		of, model, _ := strings.Cut(same.ScalarText(), "/")
		known, ok := Builtin().Find(of, model)
		if !ok {
			r.addProblem(same.Line, "write a name that checkrein models lists", "%s.same_as names the unknown model %q", p.Key, same.ScalarText())
			return
		}
		m = known
	}
	m.Name, m.Same, m.File, m.Line = p.Key, "", r.file, p.Line
	m.Context = r.readCount(p.Value.Get("context_size"), p.Key+".context_size", m.Context)
	m.Output = r.readCount(p.Value.Get("max_output"), p.Key+".max_output", m.Output)
	m.Prices = r.readPrices(p.Value.Get("cost"), p.Key+".cost", m.Prices)
	r.table.rows[p.Key] = m
}

// readProvider reads how to reach a provider. A server with a base_url gets only the key that is named
// with it.
func (r *reader) readProvider(p yamldoc.Pair) {
	path := "providers." + p.Key
	if p.Key == "" || strings.ContainsAny(p.Key, "/ \t\n") {
		r.addProblem(p.Line, "write the part of provider/model before the /", "%q is not a valid provider name", p.Key)
		return
	}
	if p.Value.IsNull() {
		r.addProblem(p.Line, "write {base_url: https://host/v1, token_key: VARIABLE}", "%s is empty", path)
		return
	}
	if !r.checkMappingKeys(p.Value, path, "base_url", "token_key", "proxy", "ca_file") {
		return
	}
	base, key, proxy, ca := p.Value.Get("base_url"), p.Value.Get("token_key"), p.Value.Get("proxy"), p.Value.Get("ca_file")
	usual := base.IsNull() && key.IsNull() && (!proxy.IsNull() || !ca.IsNull()) // the usual address, and so the usual key
	if strings.Contains(base.ScalarText(), "$") {
		r.addProblem(base.Line, "write the address itself", "%s.base_url contains a variable, which a project could set", path)
	} else if !usual && (base.IsNull() || base.Kind != yamldoc.Text || !strings.HasPrefix(base.Text, "https://") && !strings.HasPrefix(base.Text, "http://")) {
		r.addProblem(p.Line, "write https://host/v1", "%s.base_url is missing or not a valid URL", path)
	}
	if !key.IsNull() && (key.Kind != yamldoc.Text || strings.Trim(key.Text, variableBytes) != "") {
		// The value may be a key written here by mistake, so it is not shown.
		r.addProblem(key.Line, "write the name of the environment variable that holds the key", "%s.token_key is not a valid variable name", path)
	}
	if !proxy.IsNull() && (proxy.Kind != yamldoc.Text || !isProxyURL(proxy.Text)) { // not shown: it may have a password
		r.addProblem(proxy.Line, "write http://host:port", "%s.proxy is not the URL of a proxy", path)
	}
	file := ca.ScalarText()
	if !ca.IsNull() && (ca.Kind != yamldoc.Text || file == "") {
		r.addProblem(ca.Line, "write the path of a PEM file", "%s.ca_file is not a path", path)
	}
	if file != "" && !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(r.file), file)
	}
	r.table.providers[p.Key] = Provider{BaseURL: base.ScalarText(), TokenKey: key.ScalarText(), Proxy: proxy.ScalarText(), CAFile: file}
}

// isProxyURL reports whether s is the URL of an HTTP or SOCKS5 proxy.
func isProxyURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Hostname() != "" && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "socks5")
}

const variableBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

// readPrices reads the prices of a model, or returns unless if there are none. It does not mix them
// with those of the table, which would be wrong.
func (r *reader) readPrices(n *yamldoc.Node, path string, unless *Prices) *Prices {
	if n.IsNull() || !r.checkMappingKeys(n, path, "input", "output", "cache_read", "cache_write") {
		return unless
	}
	in, out := r.readAmount(n.Get("input"), path+".input"), r.readAmount(n.Get("output"), path+".output")
	for key, v := range map[string]*float64{"input": in, "output": out} {
		if v == nil && n.Get(key).IsNull() {
			r.addProblem(n.Line, "write the price in USD per million tokens, or 0 if it is free", "%s has no %s", path, key)
		}
	}
	if in == nil || out == nil {
		return unless
	}
	return &Prices{Input: *in, Output: *out, CacheRead: r.readAmount(n.Get("cache_read"), path+".cache_read"), CacheWrite: r.readAmount(n.Get("cache_write"), path+".cache_write")}
}

// checkMapping reports whether n is a mapping. If it is something else, it adds a problem.
func (r *reader) checkMapping(n *yamldoc.Node, path string) bool {
	if !n.IsNull() && n.Kind != yamldoc.Map {
		r.addProblem(n.Line, "write a mapping", "%s is %s", path, n.Kind)
	}
	return !n.IsNull() && n.Kind == yamldoc.Map
}

// checkMappingKeys reports whether n is a mapping, and adds a problem for each key that is not in
// names.
func (r *reader) checkMappingKeys(n *yamldoc.Node, path string, names ...string) bool {
	if !r.checkMapping(n, path) {
		return false
	}
	for _, p := range n.Pairs {
		if !slices.Contains(names, p.Key) {
			r.addProblem(p.Line, "write "+strings.Join(names, ", "), "unknown key %q in %s%s", p.Key, path, suggest.Hint(p.Key, names))
		}
	}
	return true
}

// readCount reads a positive number of tokens, or returns unless if there is none or it is invalid.
func (r *reader) readCount(n *yamldoc.Node, path string, unless int) int {
	if n.IsNull() {
		return unless
	}
	i, err := strconv.Atoi(n.ScalarText())
	if err != nil || i <= 0 || n.Kind != yamldoc.Number {
		r.addProblem(n.Line, "write a number of tokens, such as 128000", "%s is %s", path, n.Display())
		return unless
	}
	return i
}

// readAmount reads a price, or returns nil if there is none or it is invalid.
func (r *reader) readAmount(n *yamldoc.Node, path string) *float64 {
	if n.IsNull() {
		return nil
	}
	f, ok := n.Amount()
	if !ok {
		r.addProblem(n.Line, "write the price in USD per million tokens, 0 or more", "%s is %s", path, n.Display())
		return nil
	}
	return &f
}
