package team

import "github.com/checkrein/checkrein/internal/text/yamldoc"

// providers reads the file's own providers. What one says counts for each of
// its models that does not say otherwise.
func (r *reader) providers(n *yamldoc.Node) {
	for _, p := range r.named(n, "providers", "a provider") {
		path := "providers." + p.Key
		if !r.keys(p.Value, path, keysOf("reach", "provider")) {
			continue
		}
		m := r.reach(p.Value, path)
		m.Name = p.Key
		r.apiType(p.Value.Get("api_type"), path+".api_type")
		r.shared.providers = append(r.shared.providers, m)
	}
}

func (r *reader) provider(name string) (Model, bool) {
	for _, p := range r.shared.providers {
		if p.Name == name {
			return p, true
		}
	}
	return Model{}, false
}

func (r *reader) models(n *yamldoc.Node) []Model {
	var out []Model
	for _, p := range r.named(n, "models", "a model") {
		path := "models." + p.Key
		if !r.keys(p.Value, path, keysOf("reach", "model")) {
			if p.Value.IsNull() {
				r.problem(p.Line, "write {provider: …, model: …}", "%s is empty", path)
			}
			continue
		}
		m := r.reach(p.Value, path)
		m.Name = p.Key
		m.Model = r.text(p.Value.Get("model"), path+".model")
		m.CompactAt = r.share(p.Value.Get("compaction_threshold"), path+".compaction_threshold")
		r.cost(p.Value.Get("cost"), path+".cost", &m)
		for _, need := range [...]struct{ key, value string }{{"provider", m.Provider}, {"model", m.Model}} {
			if need.value == "" && p.Value.Get("first_available") == nil {
				r.problem(p.Line, "write {provider: …, model: …}", "%s has no %s", path, need.key)
			}
		}
		if own, ok := r.provider(m.Provider); ok {
			inherit(&m, own)
		}
		out = append(out, m)
	}
	return out
}

// named returns the members of a mapping that have a proper name.
func (r *reader) named(n *yamldoc.Node, path, what string) []yamldoc.Pair {
	if n.IsNull() {
		return nil
	}
	if n.Kind != yamldoc.Map {
		r.problem(n.Line, "write a mapping", "%s is %s", path, n.Kind)
		return nil
	}
	var out []yamldoc.Pair
	for _, p := range n.Pairs {
		if r.name(p, what) {
			out = append(out, p)
		}
	}
	return out
}

// reach reads what models and providers share. unload_api and the size of the
// context may stand under provider_opts, where docker-agent has them for models.
func (r *reader) reach(n *yamldoc.Node, path string) Model {
	m := Model{
		Provider:    r.text(n.Get("provider"), path+".provider"),
		BaseURL:     r.text(n.Get("base_url"), path+".base_url"),
		TokenKey:    r.text(n.Get("token_key"), path+".token_key"),
		UnloadAPI:   r.text(n.Get("unload_api"), path+".unload_api"),
		Context:     r.count(n.Get("context_size"), path+".context_size"),
		MaxTokens:   r.count(n.Get("max_tokens"), path+".max_tokens"),
		Temperature: r.amount(n.Get("temperature"), path+".temperature"),
	}
	if t := n.Get("token_key"); m.TokenKey != "" && !isVariable(m.TokenKey) {
		// The value may be a key that somebody put here, so it is not shown.
		r.problem(t.Line, "write the name of the environment variable that holds the key", "%s.token_key is not a valid variable name", path)
	}
	r.boolean(n.Get("track_usage"), path+".track_usage")
	opts, path := n.Get("provider_opts"), path+".provider_opts"
	if opts.IsNull() {
		return m
	}
	if opts.Kind != yamldoc.Map {
		r.problem(opts.Line, "write a mapping", "%s is %s", path, opts.Kind)
		return m
	}
	for _, p := range opts.Pairs {
		switch p.Key {
		case "unload_api":
			m.UnloadAPI = r.text(p.Value, path+"."+p.Key)
		case "context_size":
			m.Context = r.count(p.Value, path+"."+p.Key)
		case "api_type":
			r.apiType(p.Value, path+"."+p.Key)
		default: // what a provider may take is open
			r.note(p.Line, path+"."+p.Key)
		}
	}
	return m
}

// isVariable reports whether s can be the name of an environment variable.
func isVariable(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func (r *reader) apiType(n *yamldoc.Node, path string) {
	if s := r.text(n, path); s != "" && s != "openai" && s != "openai_chatcompletions" {
		r.problem(n.Line, "write openai_chatcompletions if the provider supports it", "%s is %q: checkrein supports only chat completions", path, s)
	}
}

func (r *reader) cost(n *yamldoc.Node, path string, m *Model) {
	if !r.keys(n, path, keysOf("cost")) {
		return
	}
	m.InputPrice = r.amount(n.Get("input"), path+".input")
	m.OutputPrice = r.amount(n.Get("output"), path+".output")
	m.CachedPrice = r.amount(n.Get("cache_read"), path+".cache_read")
	m.CacheWritePrice = r.amount(n.Get("cache_write"), path+".cache_write")
	// A table without one of the prices means that it is nothing, as in
	// docker-agent.
	for _, p := range [...]**float64{&m.InputPrice, &m.OutputPrice} {
		if *p == nil {
			*p = new(float64)
		}
	}
}

// inherit fills in what a model does not say by its provider.
func inherit(m *Model, p Model) {
	fill := func(to *string, from string) {
		if *to == "" {
			*to = from
		}
	}
	fill(&m.BaseURL, p.BaseURL)
	fill(&m.TokenKey, p.TokenKey)
	fill(&m.UnloadAPI, p.UnloadAPI)
	if m.Context == 0 {
		m.Context = p.Context
	}
	if m.MaxTokens == 0 {
		m.MaxTokens = p.MaxTokens
	}
	if m.Temperature == nil {
		m.Temperature = p.Temperature
	}
	// The provider below decides which words are spoken.
	if p.Provider != "" {
		m.Provider = p.Provider
	}
}
