package run

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// loadModels returns the table of models, with the corrections in the user's own file.
func loadModels(env *console.Env) (*catalogue.Table, error) {
	table, err := base.LoadModels(env)
	if err != nil {
		return nil, &base.Exit{Code: console.Config, Err: err}
	}
	return table, nil
}

// A modelReport describes a model for models --json. JSON omits unknown values.
type modelReport struct {
	*catalogue.Model
	From string `json:"from"`
}

// ModelsCommand returns the models command.
func ModelsCommand(env *console.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "models [NAME]", Short: "List the models whose size and prices are known",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			table, err := loadModels(env)
			if err != nil {
				return err
			}
			rows, err := findModels(table, strings.Join(args, ""))
			if err != nil {
				return err
			}
			return modelsReport(env, table, rows).Print(env, asJSON, modelsData(table, rows))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// findModels returns the model called name or, if there is none, all models whose names contain it.
func findModels(table *catalogue.Table, name string) ([]catalogue.Model, error) {
	if provider, model, ok := strings.Cut(name, "/"); ok {
		if m, ok := table.Find(provider, model); ok {
			return []catalogue.Model{m}, nil
		}
	}
	var out []catalogue.Model
	for _, m := range table.All() {
		if strings.Contains(m.Name, name) {
			out = append(out, m)
		}
	}
	if len(out) == 0 {
		return nil, &base.Exit{Code: console.Usage, Err: fmt.Errorf("unknown model %q. To list the known models, run checkrein models; to add this one, put it in your %s", name, catalogue.File)}
	}
	return out, nil
}

// modelsReport returns the screen with the table of models.
func modelsReport(env *console.Env, table *catalogue.Table, rows []catalogue.Model) *report.Report {
	s := report.New(env)
	t := &term.Table{Columns: []term.Column{{Title: "MODEL", Give: 1, Least: 28}, {Title: "REQUEST", Right: true}, {Title: "ANSWER", Right: true},
		{Title: "INPUT", Right: true}, {Title: "OUTPUT", Right: true}, {Title: "CACHED", Right: true}, {Title: "TO CACHE", Right: true}, {Title: "FROM", Give: 1, Least: 8}}}
	if s.Width() > 0 && s.Width() < 100 || !slices.ContainsFunc(rows, func(m catalogue.Model) bool { return sourceOf(s, &m) != "" }) {
		t.Columns = t.Columns[:7]
	}
	for i := range rows {
		m := &rows[i]
		prices := []string{"-", "-", "-", "-"}
		if m.Prices != nil {
			prices = priceCells(m.Prices)
		}
		t.AddRow(plainCells(append([]string{m.Name, sizeText(m.Context), sizeText(m.Output)}, append(prices, sourceOf(s, m))...))...)
		if m.Prices != nil && m.Prices.Long != nil {
			t.AddRow(plainCells(append([]string{"  above " + sizeText(m.Prices.Above) + " tokens", "", ""}, priceCells(m.Prices.Long)...))...)
		}
	}
	s.Table(0, t)
	s.Blank()
	s.Text(0, 0, term.T(term.Faint, "Sizes are in tokens. Prices are in USD per million tokens, as of "+table.CollectionDate()+". A dash means unknown. Cached input without a price costs the same as other input."))
	return s
}

// plainCells returns a table cell for each text, without style.
func plainCells(texts []string) [][]term.Span {
	out := make([][]term.Span, len(texts))
	for i, text := range texts {
		out[i] = []term.Span{term.P(text)}
	}
	return out
}

// priceCells returns the four prices in p for their columns, with a dash for unknown ones.
func priceCells(p *catalogue.Prices) []string {
	or := func(f *float64) string {
		if f == nil {
			return "-"
		}
		return formatUSD(*f)
	}
	return []string{formatUSD(p.Input), formatUSD(p.Output), or(p.CacheRead), or(p.CacheWrite)}
}

// formatUSD formats a price with as many decimals as it needs.
func formatUSD(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// sizeText formats a number of tokens, such as 200k or 1.05M. It returns a dash for 0, which means
// unknown.
func sizeText(n int) string {
	switch {
	case n == 0:
		return "-"
	case n >= 1_000_000:
		return strconv.FormatFloat(float64(n/10_000)/100, 'f', -1, 64) + "M"
	case n >= 1000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n)
}

// sourceOf returns the place in the file that describes m, or which model it equals. It returns "" if
// m is described in checkrein's own table.
func sourceOf(s *report.Report, m *catalogue.Model) string {
	if m.File == "" {
		if m.Same != "" {
			return "= " + m.Same
		}
		return ""
	}
	return fmt.Sprintf("%s:%d", s.ShortPath(m.File), m.Line)
}

// modelsData returns what models --json prints.
func modelsData(table *catalogue.Table, rows []catalogue.Model) any {
	out := struct {
		Version int           `json:"version"`
		Date    string        `json:"date"` // the date of the table that comes with checkrein
		Models  []modelReport `json:"models"`
	}{1, table.CollectionDate(), nil}
	for i := range rows {
		r := modelReport{&rows[i], "checkrein"}
		if r.File != "" {
			r.From = fmt.Sprintf("%s:%d", r.File, r.Line)
		}
		out.Models = append(out.Models, r)
	}
	return out
}
