package team

import "github.com/checkrein/checkrein/internal/text/yamldoc"

// readProviders reads the providers that the file describes. Their values are the defaults of their
// models.
func (r *reader) readProviders(n *yamldoc.Node) {
	for _, p := range r.namedPairs(n, "providers", "a provider") {
		path := "providers." + p.Key
		if !r.checkKeys(p.Value, path, keysOf("reach", "provider")) {
			continue
		}
		m := r.readModel(p.Value, path)
		m.Name = p.Key
		r.checkAPIType(p.Value.Get("api_type"), path+".api_type")
		r.shared.providers = append(r.shared.providers, m)
	}
}

// findProvider returns the provider name that the file describes. It reports false if there is none.
func (r *reader) findProvider(name string) (Model, bool) {
	for _, p := range r.shared.providers {
		if p.Name == name {
			return p, true
		}
	}
	return Model{}, false
}

// readModels reads the models of the file.
func (r *reader) readModels(n *yamldoc.Node) []Model {
	var out []Model
	for _, p := range r.namedPairs(n, "models", "a model") {
		path := "models." + p.Key
		if !r.checkKeys(p.Value, path, keysOf("reach", "model")) {
			if p.Value.IsNull() {
				r.addProblem(p.Line, "write {provider: …, model: …}", "%s is empty", path)
			}
			continue
		}
		m := r.readModel(p.Value, path)
		m.Name = p.Key
		m.Model = r.readText(p.Value.Get("model"), path+".model")
		m.CompactAt = r.readShare(p.Value.Get("compaction_threshold"), path+".compaction_threshold")
		r.readCost(p.Value.Get("cost"), path+".cost", &m)
		for _, need := range [...]struct{ key, value string }{{"provider", m.Provider}, {"model", m.Model}} {
			if need.value == "" && p.Value.Get("first_available") == nil {
				r.addProblem(p.Line, "write {provider: …, model: …}", "%s has no %s", path, need.key)
			}
		}
		if own, ok := r.findProvider(m.Provider); ok {
			inheritProvider(&m, own)
		}
		out = append(out, m)
	}
	return out
}

// namedPairs returns the members of the mapping n that have a valid name. what describes a member in
// messages, such as "a model".
func (r *reader) namedPairs(n *yamldoc.Node, path, what string) []yamldoc.Pair {
	if n.IsNull() {
		return nil
	}
	if n.Kind != yamldoc.Map {
		r.addProblem(n.Line, "write a mapping", "%s is %s", path, n.Kind)
		return nil
	}
	var out []yamldoc.Pair
	for _, p := range n.Pairs {
		if r.checkName(p, what) {
			out = append(out, p)
		}
	}
	return out
}

// readModel reads the keys that models and providers have in common. unload_api and context_size may
// also be under provider_opts, as in docker-agent.
func (r *reader) readModel(n *yamldoc.Node, path string) Model {
	m := Model{
		Provider:    r.readText(n.Get("provider"), path+".provider"),
		BaseURL:     r.readText(n.Get("base_url"), path+".base_url"),
		TokenKey:    r.readText(n.Get("token_key"), path+".token_key"),
		UnloadAPI:   r.readText(n.Get("unload_api"), path+".unload_api"),
		Context:     r.readCount(n.Get("context_size"), path+".context_size"),
		MaxTokens:   r.readCount(n.Get("max_tokens"), path+".max_tokens"),
		Temperature: r.readAmount(n.Get("temperature"), path+".temperature"),
	}
	if t := n.Get("token_key"); m.TokenKey != "" && !isVariableName(m.TokenKey) {
		// The value may be a key written here by mistake, so it is not shown.
		r.addProblem(t.Line, "write the name of the environment variable that holds the key", "%s.token_key is not a valid variable name", path)
	}
	r.readBool(n.Get("track_usage"), path+".track_usage")
	opts, path := n.Get("provider_opts"), path+".provider_opts"
	if opts.IsNull() {
		return m
	}
	if opts.Kind != yamldoc.Map {
		r.addProblem(opts.Line, "write a mapping", "%s is %s", path, opts.Kind)
		return m
	}
	for _, p := range opts.Pairs {
		switch p.Key {
		case "unload_api":
			m.UnloadAPI = r.readText(p.Value, path+"."+p.Key)
		case "context_size":
			m.Context = r.readCount(p.Value, path+"."+p.Key)
		case "api_type":
			r.checkAPIType(p.Value, path+"."+p.Key)
		default: // providers may take any option
			r.noteIgnored(p.Line, path+"."+p.Key)
		}
	}
	return m
}

// isVariableName reports whether s can be the name of an environment variable.
func isVariableName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// checkAPIType adds a problem if n names an API other than OpenAI's chat completions.
func (r *reader) checkAPIType(n *yamldoc.Node, path string) {
	if s := r.readText(n, path); s != "" && s != "openai" && s != "openai_chatcompletions" {
		r.addProblem(n.Line, "write openai_chatcompletions if the provider supports it", "%s is %q: checkrein supports only chat completions", path, s)
	}
}

// readCost sets the prices of m.
func (r *reader) readCost(n *yamldoc.Node, path string, m *Model) {
	if !r.checkKeys(n, path, keysOf("cost")) {
		return
	}
	m.InputPrice = r.readAmount(n.Get("input"), path+".input")
	m.OutputPrice = r.readAmount(n.Get("output"), path+".output")
	m.CachedPrice = r.readAmount(n.Get("cache_read"), path+".cache_read")
	m.CacheWritePrice = r.readAmount(n.Get("cache_write"), path+".cache_write")
	// A missing price is 0, as in docker-agent.
	for _, p := range [...]**float64{&m.InputPrice, &m.OutputPrice} {
		if *p == nil {
			*p = new(float64)
		}
	}
}

// inheritProvider copies the values of the provider p to m that m does not have.
func inheritProvider(m *Model, p Model) {
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
	// The underlying provider determines the protocol.
	if p.Provider != "" {
		m.Provider = p.Provider
	}
}
