package model

import (
	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/agent/team"
)

// setContextAndFindPrices sets the context size of m from table, unless it is set. It returns the
// prices of m from the agent file or the table, or nil if they are unknown.
func setContextAndFindPrices(m *team.Model, table *catalogue.Table) *catalogue.Prices {
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

// callCost returns the cost of a call with the usage u, or nil if it is unknown.
func callCost(p *catalogue.Prices, u *Usage) *float64 {
	switch {
	case p == nil:
		return nil
	case p.IsFree():
		return new(float64)
	case u == nil:
		return nil
	}
	sum := p.Cost(catalogue.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CachedInput, CacheWrite: u.CachedWrite})
	return &sum
}
