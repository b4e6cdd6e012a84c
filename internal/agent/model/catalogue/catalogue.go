// Package catalogue holds the context sizes and prices of models. The user's models.yaml corrects and
// extends the built-in table.
package catalogue

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Model is a row of the table.
type Model struct {
	Name    string  `json:"name"`                   // provider/model
	Context int     `json:"context_size,omitempty"` // maximum tokens of a request; 0 = unknown
	Output  int     `json:"max_output,omitempty"`   // maximum tokens of an answer; 0 = unknown
	Prices  *Prices `json:"cost,omitempty"`
	Same    string  `json:"same_as,omitempty"` // the model that this is another name of; "" = none
	File    string  `json:"-"`                 // the file that declares it; "" = the built-in table
	Line    int     `json:"-"`                 // in that file
}

// A Provider describes how to reach a provider, according to the user's own file.
type Provider struct {
	BaseURL  string // "" = the usual one
	TokenKey string // the environment variable that holds the key; "" = none is sent
	Proxy    string // "" = the caller's choice
	CAFile   string // additional CA certificates; "" = none
}

// A Table holds the known models.
type Table struct {
	rows      map[string]Model
	providers map[string]Provider
	date      string
}

// Provider returns the provider name of the user's own file. It reports false if there is none.
func (t *Table) Provider(name string) (Provider, bool) {
	p, ok := t.providers[name]
	return p, ok
}

//go:embed models.txt
var builtinText string

var builtin = sync.OnceValue(func() *Table {
	t, err := parseTable(builtinText)
	if err != nil {
		panic("models.txt: " + err.Error()) // a test parses it
	}
	return t
})

// Builtin returns the built-in table.
func Builtin() *Table { return builtin() }

// CollectionDate returns the day on which the data of the built-in table was collected.
func (t *Table) CollectionDate() string { return t.date }

// All returns the rows sorted by name.
func (t *Table) All() []Model {
	out := make([]Model, 0, len(t.rows))
	for _, name := range slices.Sorted(maps.Keys(t.rows)) {
		m, _ := t.resolveRow(name)
		out = append(out, m)
	}
	return out
}

// Find returns the row of a model. A snapshot such as gpt-4o-2024-08-06 that has no row has that of
// its model. Of a model of a local engine, only the name and that it is free are known. Find reports
// false if there is no row.
func (t *Table) Find(provider, name string) (Model, bool) {
	for _, n := range [...]string{name, trimSnapshot(name), name + "-latest"} {
		if m, ok := t.resolveRow(provider + "/" + n); ok {
			return m, true
		}
	}
	if isLocal(provider, name) {
		return Model{Name: provider + "/" + name, Prices: &Prices{}}, true
	}
	return Model{}, false
}

// resolveRow returns the row name. If it is another name of a model, it has the values of that model.
func (t *Table) resolveRow(name string) (Model, bool) {
	m, ok := t.rows[name]
	if ok && m.Same != "" {
		of := t.rows[m.Same] // never another name itself
		m.Context, m.Output, m.Prices = of.Context, of.Output, of.Prices
	}
	return m, ok
}

// isLocal reports whether a model runs on the user's own machine. Ollama runs models with a cloud
// suffix elsewhere.
func isLocal(provider, name string) bool {
	return provider == "dmr" || provider == "ollama" && !strings.HasSuffix(name, "-cloud") && !strings.HasSuffix(name, ":cloud")
}

// trimSnapshot returns name without the date or number of a snapshot, such as -2024-08-06, -20250514,
// -0709, -001 or -latest.
func trimSnapshot(name string) string {
	if short, ok := strings.CutSuffix(name, "-latest"); ok {
		return short
	}
	for _, form := range [...]string{"-0000-00-00", "-00000000", "-0000", "-000"} {
		at := len(name) - len(form)
		if at > 0 && strings.Map(digitToZero, name[at:]) == form {
			return name[:at]
		}
	}
	return name
}

func digitToZero(r rune) rune {
	if r >= '0' && r <= '9' {
		return '0'
	}
	return r
}

// parseTable parses s, the built-in table, whose first lines describe the columns.
func parseTable(s string) (*Table, error) {
	t := &Table{rows: map[string]Model{}}
	for line := range strings.Lines(s) {
		if head, ok := strings.CutPrefix(line, "#"); ok {
			if date, ok := strings.CutPrefix(strings.TrimSpace(head), "Date: "); ok {
				t.date = date
			}
			continue
		}
		m, err := parseRow(strings.Fields(line))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		t.rows[m.Name] = m
	}
	return t, nil
}

// parseRow parses the columns of a row.
func parseRow(f []string) (m Model, err error) {
	if len(f) == 3 && f[1] == "=" {
		provider, _, _ := strings.Cut(f[0], "/")
		return Model{Name: f[0], Same: provider + "/" + f[2]}, nil
	}
	if len(f) != 7 && len(f) != 12 {
		return m, fmt.Errorf("%d columns", len(f))
	}
	m.Name = f[0]
	if m.Context, err = strconv.Atoi(f[1]); err != nil {
		return m, err
	}
	if m.Output, err = strconv.Atoi(f[2]); err != nil {
		return m, err
	}
	if m.Prices, err = parsePrices(f[3:7]); err != nil || len(f) == 7 {
		return m, err
	}
	if m.Prices.Above, err = strconv.Atoi(strings.TrimPrefix(f[7], ">")); err != nil {
		return m, err
	}
	m.Prices.Long, err = parsePrices(f[8:])
	return m, err
}

// parsePrices parses four columns with prices, of which the last two may be "-".
func parsePrices(f []string) (*Prices, error) {
	var list [4]*float64
	for i, s := range f {
		if s == "-" && i >= 2 {
			continue
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, err
		}
		list[i] = &v
	}
	return &Prices{Input: *list[0], Output: *list[1], CacheRead: list[2], CacheWrite: list[3]}, nil
}
