package model

import (
	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/agent/team"
)

// learn fills in what the agent file does not say of a model and the table does: the
// size of its context. It returns what the model costs, by the file or else by the
// table; nil when neither knows.
func learn(m *team.Model, table *catalogue.Table) *catalogue.Prices {
	if table == nil {
		table = catalogue.Builtin()
	}
	row, _ := table.Find(m.Provider, m.Model)
	if m.Context == 0 {
		m.Context = row.Context
	}
	if m.InputPrice == nil && m.OutputPrice == nil {
		return row.Prices
	}
	if m.InputPrice == nil || m.OutputPrice == nil {
		return nil
	}
	return &catalogue.Prices{Input: *m.InputPrice, Output: *m.OutputPrice, CacheRead: m.CachedPrice, CacheWrite: m.CacheWritePrice}
}

// cost is the price of a call, nil when it is not known.
func cost(p *catalogue.Prices, u *Usage) *float64 {
	switch {
	case p == nil:
		return nil
	case p.Free():
		return new(float64)
	case u == nil:
		return nil
	}
	sum := p.Cost(catalogue.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CachedInput, CacheWrite: u.CachedWrite})
	return &sum
}
