// Package catalogue holds what is known of models: how many tokens they take, and what
// they cost. The table that comes with the program is corrected and added to by the
// person's models.yaml.
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
	Context int     `json:"context_size,omitempty"` // how many tokens a request may have; 0 = not known
	Output  int     `json:"max_output,omitempty"`   // how many the answer may have; 0 = not known
	Prices  *Prices `json:"cost,omitempty"`
	Same    string  `json:"same_as,omitempty"` // the model that it is another name of; "" = it is its own
	File    string  `json:"-"`                 // that says so; "" = the table of the program
	Line    int     `json:"-"`                 // of that file
}

// A Provider is where the person has a provider's models served, and how it is reached.
type Provider struct {
	BaseURL  string // "" = where it is usually
	TokenKey string // the environment variable that holds the key; "" = none is sent
	Proxy    string // through which it is reached; "" = as the caller sees fit
	CAFile   string // more certificates that vouch for it; "" = none
}

// A Table is the models that are known.
type Table struct {
	rows      map[string]Model
	providers map[string]Provider
	date      string
}

// Provider is what the person's file says of a provider.
func (t *Table) Provider(name string) (Provider, bool) {
	p, ok := t.providers[name]
	return p, ok
}

//go:embed models.txt
var text string

var builtin = sync.OnceValue(func() *Table {
	t, err := parse(text)
	if err != nil {
		panic("models.txt: " + err.Error()) // a test reads it
	}
	return t
})

// Builtin is the table that comes with the program.
func Builtin() *Table { return builtin() }

// Date is the day on which the sources of the program's table were read.
func (t *Table) Date() string { return t.date }

// All lists the rows by name.
func (t *Table) All() []Model {
	out := make([]Model, 0, len(t.rows))
	for _, name := range slices.Sorted(maps.Keys(t.rows)) {
		m, _ := t.row(name)
		out = append(out, m)
	}
	return out
}

// Find returns what is known of a model. A snapshot such as gpt-4o-2024-08-06 that has
// no row of its own is the model that it is of. What a local engine serves is free,
// and no more is known of it.
func (t *Table) Find(provider, name string) (Model, bool) {
	for _, n := range [...]string{name, undated(name), name + "-latest"} {
		if m, ok := t.row(provider + "/" + n); ok {
			return m, true
		}
	}
	if local(provider, name) {
		return Model{Name: provider + "/" + name, Prices: &Prices{}}, true
	}
	return Model{}, false
}

// row is a row with what the row that it is another name of says.
func (t *Table) row(name string) (Model, bool) {
	m, ok := t.rows[name]
	if ok && m.Same != "" {
		of := t.rows[m.Same] // which is no other name itself
		m.Context, m.Output, m.Prices = of.Context, of.Output, of.Prices
	}
	return m, ok
}

// local reports whether a model runs on the person's own machine. Ollama passes those
// named so on to its cloud.
func local(provider, name string) bool {
	return provider == "dmr" || provider == "ollama" && !strings.HasSuffix(name, "-cloud") && !strings.HasSuffix(name, ":cloud")
}

// undated is a name without the date or number of a snapshot: -2024-08-06, -20250514,
// -0709, -001, or -latest.
func undated(name string) string {
	if short, ok := strings.CutSuffix(name, "-latest"); ok {
		return short
	}
	for _, form := range [...]string{"-0000-00-00", "-00000000", "-0000", "-000"} {
		at := len(name) - len(form)
		if at > 0 && strings.Map(zeros, name[at:]) == form {
			return name[:at]
		}
	}
	return name
}

func zeros(r rune) rune {
	if r >= '0' && r <= '9' {
		return '0'
	}
	return r
}

// parse reads the program's table: its head says what the columns are.
func parse(s string) (*Table, error) {
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
