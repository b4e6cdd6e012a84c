package catalogue

// Prices are what a model costs, in USD for a million tokens. Reasoning counts as
// output.
type Prices struct {
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`
	CacheRead  *float64 `json:"cache_read,omitempty"` // nil = as any input
	CacheWrite *float64 `json:"cache_write,omitempty"`
	// Requests of more than Above tokens cost what Long says; nil = as all others.
	Above int     `json:"above,omitempty"`
	Long  *Prices `json:"long,omitempty"`
}

// Tokens are what a call came to. Input is all that was sent, the cached and written
// ones too.
type Tokens struct{ Input, Output, CacheRead, CacheWrite int }

// Free reports whether nothing costs anything.
func (p *Prices) Free() bool {
	zero := func(f *float64) bool { return f == nil || *f == 0 }
	return p.Input == 0 && p.Output == 0 && zero(p.CacheRead) && zero(p.CacheWrite) && (p.Long == nil || p.Long.Free())
}

// Cost is the price of a call in USD.
func (p *Prices) Cost(t Tokens) float64 {
	if p.Long != nil && t.Input > p.Above {
		p = p.Long
	}
	or := func(f *float64) float64 {
		if f == nil {
			return p.Input
		}
		return *f
	}
	fresh := max(0, t.Input-t.CacheRead-t.CacheWrite)
	sum := float64(fresh)*p.Input + float64(t.CacheRead)*or(p.CacheRead) + float64(t.CacheWrite)*or(p.CacheWrite) + float64(t.Output)*p.Output
	return sum / 1e6
}
