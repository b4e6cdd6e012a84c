package catalogue

// Prices are the prices of a model in USD per million tokens. Reasoning counts as output.
type Prices struct {
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`
	CacheRead  *float64 `json:"cache_read,omitempty"` // nil = the price of input
	CacheWrite *float64 `json:"cache_write,omitempty"`
	// Long has the prices of requests with more than Above tokens; nil = the same.
	Above int     `json:"above,omitempty"`
	Long  *Prices `json:"long,omitempty"`
}

// Tokens are the tokens of a call. Input includes cached and written ones.
type Tokens struct{ Input, Output, CacheRead, CacheWrite int }

// Free reports whether all prices are 0.
func (p *Prices) Free() bool {
	zero := func(f *float64) bool { return f == nil || *f == 0 }
	return p.Input == 0 && p.Output == 0 && zero(p.CacheRead) && zero(p.CacheWrite) && (p.Long == nil || p.Long.Free())
}

// Cost returns the price of a call in USD.
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
