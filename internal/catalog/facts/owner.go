package facts

import "strings"

// SecretOwner returns the service to which the secret in a variable belongs, judging by the first part
// of its name: GITHUB_TOKEN belongs to github. It returns "" if the name does not suggest a service.
func SecretOwner(name string) string {
	first, _, _ := strings.Cut(strings.ToLower(name), "_")
	switch first {
	case "gh", "github":
		return "github"
	case "gl", "gitlab", "ci":
		return "gitlab"
	case "aws":
		return "amazonaws"
	case "google", "gcp", "gcloud", "gemini":
		return "google"
	case "azure", "arm", "ado":
		return "azure"
	case "hf", "huggingface", "huggingfacehub":
		return "huggingface"
	case "cf", "cloudflare":
		return "cloudflare"
	case "do", "digitalocean":
		return "digitalocean"
	case "tg", "telegram":
		return "telegram"
	case "openweather":
		return "openweathermap"
	case "npm":
		return "npmjs"
	case "pypi", "twine":
		return "pypi"
	case "openai", "anthropic", "slack", "discord", "stripe", "twilio", "sendgrid", "mailgun", "heroku", "netlify", "vercel", "datadog", "sentry",
		"linear", "notion", "jira", "atlassian", "bitbucket", "circleci", "travis", "docker", "dockerhub", "groq", "mistral", "cohere", "replicate",
		"openrouter", "deepseek", "perplexity", "tavily", "brave", "serper", "pinecone", "supabase", "firebase", "algolia", "airtable", "asana",
		"figma", "shopify", "paypal", "square", "plaid", "okta", "auth0", "newrelic", "grafana", "pagerduty", "fastly", "linode", "vultr", "hetzner", "fly",
		"railway", "render", "codecov", "snyk", "sonar", "vault", "consul", "artifactory", "jfrog", "nexus", "dropbox", "box", "trello", "zendesk", "hubspot",
		"mapbox", "newsapi", "elevenlabs", "together", "xai", "voyage", "langchain", "langsmith", "wandb", "kaggle", "buildkite", "tailscale":
		return first
	}
	return ""
}

// BelongsTo reports whether host belongs to the service owner, so that a secret of the service may be
// sent there.
func BelongsTo(owner, host string) bool {
	if owner == "" || host == "" {
		return false
	}
	host = strings.ToLower(host)
	switch owner {
	case "google":
		return InDomains(host, "googleapis.com google.com gcr.io pkg.dev run.app cloudfunctions.net appspot.com cloud.goog")
	case "azure":
		return InDomains(host, "azure.com windows.net microsoft.com microsoftonline.com azure.net azurewebsites.net azurecr.io azure-api.net visualstudio.com")
	case "amazonaws":
		return InDomains(host, "amazonaws.com amazonaws.com.cn aws.amazon.com")
	case "github":
		return InDomains(host, "github.com githubusercontent.com ghcr.io githubapp.com") || !IsSuspiciousHost(host) && (strings.HasPrefix(host, "github.") || strings.HasPrefix(host, "ghe."))
	case "telegram":
		return InDomains(host, "telegram.org")
	case "git", "gitlab", "vault", "grafana", "consul", "jira", "sentry", "nexus", "artifactory", "jfrog", "sonar", "bitbucket":
		// People host these services themselves, so their name in the host name is the only indication.
		return strings.Contains(host, owner) && !IsSuspiciousHost(host)
	}
	i := strings.Index(host, owner)
	if i < 0 || i > 0 && host[i-1] != '.' {
		return false
	}
	// openai.com and api.openai.com, not openai.evil.com.
	rest := host[i+len(owner):]
	return strings.Count(rest, ".") == 1 && rest[0] == '.' || owner == "fly" && InDomains(host, "fly.io fly.dev") || owner == "supabase" && InDomains(host, "supabase.co")
}
