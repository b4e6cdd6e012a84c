package catalogue

// Prices holds the prices of a model in USD per million tokens. Reasoning counts as output.
type Prices struct {
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`
	CacheRead  *float64 `json:"cache_read,omitempty"` // nil = the price of input
	CacheWrite *float64 `json:"cache_write,omitempty"`
	// Long are the prices of requests with more than Above tokens; nil means that they are the same.
	Above int     `json:"above,omitempty"`
	Long  *Prices `json:"long,omitempty"`
}

// Tokens counts the tokens of a call. Input includes those read from and written to a cache.
type Tokens struct{ Input, Output, CacheRead, CacheWrite int }

// IsFree reports whether all prices are 0.
func (p *Prices) IsFree() bool {
	zero := func(f *float64) bool { return f == nil || *f == 0 }
	return p.Input == 0 && p.Output == 0 && zero(p.CacheRead) && zero(p.CacheWrite) && (p.Long == nil || p.Long.IsFree())
}

// Cost returns the cost of a call with t tokens in USD.
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
