// Package issuers lists who issues the tokens that are known by their shape, and on
// which network hosts they belong.
package issuers

import "strings"

// An Issuer is someone who gives out tokens. They may go to its domains, in any place
// of a request, and nowhere else.
type Issuer struct {
	Name    string
	rules   string // what the ids of its rules begin with, a blank between them
	domains string // a blank between them
}

// Domains are the issuer's own.
func (i *Issuer) Domains() []string { return strings.Fields(i.domains) }

// Of returns who gave out what a rule of package secret finds, nil when that is not
// known.
func Of(rule string) *Issuer {
	for i := range table {
		for prefix := range strings.FieldsSeq(table[i].rules) {
			if strings.HasPrefix(rule, prefix) {
				return &table[i]
			}
		}
	}
	return nil
}

// Names lists the issuers, in the order of the table.
func Names() []string {
	out := make([]string, len(table))
	for i := range table {
		out[i] = table[i].Name
	}
	return out
}

// table holds those that run a service of their own. Tokens of what people mostly
// run themselves (Vault, Artifactory, Grafana) have no row: where they belong is not
// known, so they count as credentials of the host that is named.
var table = [...]Issuer{
	{"github", "github-", "github.com githubusercontent.com ghcr.io githubapp.com githubcopilot.com"},
	{"gitlab", "gitlab-", "gitlab.com"},
	{"bitbucket", "bitbucket-", "bitbucket.org atlassian.com"},
	{"atlassian", "atlassian-", "atlassian.com atlassian.net bitbucket.org jira.com"},
	{"aws", "aws-", "amazonaws.com amazonaws.com.cn amazon.com api.aws on.aws"},
	{"azure", "azure-ad- azure-devops- azure-sas- azure-service- azure-shared- azure-storage-", "azure.com windows.net microsoft.com microsoftonline.com azure.net azurewebsites.net azurecr.io azure-api.net visualstudio.com azuredatabricks.net"},
	{"google", "gcp- google-", "googleapis.com google.com gcr.io pkg.dev run.app cloudfunctions.net appspot.com cloud.goog"},
	{"digitalocean", "digitalocean-", "digitalocean.com digitaloceanspaces.com"},
	{"cloudflare", "cloudflare-", "cloudflare.com workers.dev"},
	{"heroku", "heroku-", "heroku.com herokuapp.com"},
	{"flyio", "flyio-", "fly.io fly.dev"},
	{"vercel", "vercel-", "vercel.com vercel-storage.com"},
	{"netlify", "netlify-", "netlify.com"},
	{"hetzner", "hetzner-", "hetzner.cloud hetzner.com"},
	{"linode", "linode-", "linode.com"},
	{"supabase", "supabase-", "supabase.com supabase.co"},
	{"planetscale", "planetscale-", "planetscale.com psdb.cloud"},
	{"neon", "neon-", "neon.tech"},
	{"databricks", "databricks-", "databricks.com azuredatabricks.net"},
	{"pulumi", "pulumi-", "pulumi.com"},
	{"terraform", "hashicorp-tf-", "terraform.io hashicorp.com"},
	{"doppler", "doppler-", "doppler.com"},
	{"tailscale", "tailscale-", "tailscale.com"},

	{"openai", "openai-", "openai.com"},
	{"anthropic", "anthropic-", "anthropic.com claude.ai claude.com"},
	{"openrouter", "openrouter-", "openrouter.ai"},
	{"groq", "groq-", "groq.com"},
	{"xai", "xai-", "x.ai"},
	{"perplexity", "perplexity-", "perplexity.ai"},
	{"replicate", "replicate-", "replicate.com"},
	{"huggingface", "huggingface-", "huggingface.co hf.co"},
	{"nvidia", "nvidia-", "nvidia.com"},
	{"elevenlabs", "elevenlabs-", "elevenlabs.io"},
	{"tavily", "tavily-", "tavily.com"},
	{"pinecone", "pinecone-", "pinecone.io"},

	{"npm", "npm-", "npmjs.org npmjs.com"},
	{"pypi", "pypi-", "pypi.org"},
	{"rubygems", "rubygems-", "rubygems.org"},
	{"crates", "crates-io-", "crates.io"},
	{"nuget", "nuget-api-", "nuget.org"},
	{"docker", "docker-access-", "docker.com docker.io"},

	{"slack", "slack-", "slack.com"},
	{"discord", "discord-", "discord.com discordapp.com discord.gg"},
	{"telegram", "telegram-", "telegram.org"},
	{"teams", "microsoft-teams-", "office.com microsoft.com logic.azure.com"},
	{"notion", "notion-", "notion.com notion.so"},
	{"linear", "linear-", "linear.app"},
	{"figma", "figma-", "figma.com"},
	{"airtable", "airtable-", "airtable.com"},
	{"asana", "asana-", "asana.com"},
	{"dropbox", "dropbox-", "dropbox.com dropboxapi.com"},
	{"postman", "postman-", "postman.com getpostman.com"},
	{"sentry", "sentry-", "sentry.io"},
	{"datadog", "datadog-", "datadoghq.com datadoghq.eu ddog-gov.com"},
	{"newrelic", "new-relic-", "newrelic.com nr-data.net"},

	{"stripe", "stripe-", "stripe.com"},
	{"square", "square-", "squareup.com squareupsandbox.com"},
	{"paypal", "paypal- braintree-", "paypal.com braintreegateway.com braintree-api.com"},
	{"plaid", "plaid-", "plaid.com"},
	{"shopify", "shopify-", "shopify.com myshopify.com"},
	{"sendgrid", "sendgrid-", "sendgrid.com"},
	{"mailgun", "mailgun-", "mailgun.net mailgun.com"},
	{"mailchimp", "mailchimp-", "mailchimp.com"},
	{"resend", "resend-", "resend.com"},
	{"twilio", "twilio-", "twilio.com"},
	{"hubspot", "hubspot-", "hubspot.com hubapi.com"},
}
