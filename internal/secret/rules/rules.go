// Package rules is the table of everything that can be found, a row for each kind, and
// the automaton over the anchors of all rows, which is generated from it. rule.go says
// what a column means.
package rules

//go:generate go test -run TestAutomaton -update .

// Table is the table of everything that can be found. A row: id, kind, how a
// hit is looked at, the anchors, the shape, what stands before the anchor, the
// least entropy in tenths, demands, and what it is. The automaton is made of
// the anchors: go generate after a change here. Of two rows
// that see the same thing the later counts, so the more general come first.
//
// Ids are those of gitleaks where it knows the vendor too, so that lists of
// allowed findings can be kept.
var Table = [...]Rule{
	// Models and their tools.
	{"sk-api-key", Secrets, ByShape, "sk-", `sk-[0-9A-Za-z]{32,64}`, "", 30, digit | odd, "API key of a model service whose keys start with sk- (DeepSeek, Moonshot, DashScope, older OpenAI)"},
	{"anthropic-api-key", Secrets, ByShape, "sk-ant-api", `sk-ant-api\d\d-[\w-]{80,120}`, "", 35, Loose, "Anthropic API key"},
	{"anthropic-admin-api-key", Secrets, ByShape, "sk-ant-admin", `sk-ant-admin\d\d-[\w-]{80,120}`, "", 35, Loose, "Anthropic admin API key"},
	{"anthropic-oauth-token", Secrets, ByShape, "sk-ant-oat sk-ant-ort sk-ant-sid", `sk-ant-(oat|ort|sid)\d\d-[\w-]{60,140}`, "", 35, Loose, "Anthropic OAuth or session token"},
	{"openai-api-key", Secrets, ByShape, "sk-proj- sk-svcacct- sk-admin- sk-none-", `sk-(proj|svcacct|admin|None|none)-[\w-]{40,200}`, "", 35, Loose | digit, "OpenAI API key"},
	{"openai-api-key", Secrets, ByShape, "t3blbkfj", `T3BlbkFJ[\w-]{20,80}`, `[\w-]{23,110}`, 30, Loose, "OpenAI API key"},
	{"openrouter-api-key", Secrets, ByShape, "sk-or-v1-", `sk-or-v1-[0-9a-f]{64}`, "", 30, Loose, "OpenRouter API key"},
	{"langfuse-secret-key", Secrets, ByShape, "sk-lf-", `sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "", 25, Loose, "Langfuse secret key"},
	{"helicone-api-key", Secrets, ByShape, "sk-helicone-", `sk-helicone-[\w-]{20,80}`, "", 30, Loose | digit, "Helicone API key"},
	{"elevenlabs-api-key", Secrets, ByShape, "sk_", `sk_[0-9a-f]{48}`, "", 30, 0, "ElevenLabs API key"},
	{"gcp-api-key", Secrets, ByShape, "aiza", `AIza[\w-]{35}`, "", 35, 0, "Google API key"},
	{"google-gemini-key", Secrets, ByShape, "aq.", `AQ\.[\w-]{36,120}`, "", 40, digit | mixed | odd, "Google API key in the newer format"},
	{"google-oauth-client-secret", Secrets, ByShape, "gocspx-", `GOCSPX-[\w-]{28}`, "", 30, Loose, "Google OAuth client secret"},
	{"google-oauth-access-token", Secrets, ByShape, "ya29.", `ya29\.[\w.-]{30,1000}`, "", 35, Loose, "Google OAuth access token"},
	{"google-oauth-refresh-token", Secrets, ByShape, "1//0", `1//0[\w-]{40,200}`, "", 40, digit | mixed, "Google OAuth refresh token"},
	{"groq-api-key", Secrets, ByShape, "gsk_", `gsk_[0-9A-Za-z]{48,60}`, "", 35, Loose, "Groq API key"},
	{"xai-api-key", Secrets, ByShape, "xai-", `xai-[0-9A-Za-z]{70,100}`, "", 35, Loose, "xAI API key"},
	{"perplexity-api-key", Secrets, ByShape, "pplx-", `pplx-[0-9A-Za-z]{32,64}`, "", 35, Loose | mixed, "Perplexity API key"},
	{"replicate-api-token", Secrets, ByShape, "r8_", `r8_[0-9A-Za-z]{37}`, "", 35, digit | mixed, "Replicate API token"},
	{"huggingface-access-token", Secrets, ByShape, "hf_", `hf_[0-9A-Za-z]{34,40}`, "", 30, mixed | odd, "Hugging Face access token"},
	{"huggingface-organization-api-token", Secrets, ByShape, "api_org_", `api_org_[0-9A-Za-z]{34,40}`, "", 30, mixed | odd, "Hugging Face organization token"},
	{"fireworks-api-key", Secrets, ByShape, "fw_", `fw_[0-9A-Za-z]{20,40}`, "", 35, digit | mixed | odd, "Fireworks API key"},
	{"together-api-key", Secrets, ByShape, "tgp_v1_", `tgp_v1_[\w-]{40,60}`, "", 35, Loose, "Together API key"},
	{"together-api-key", Secrets, ByName, "together", `[0-9a-f]{64}`, "", 30, 0, "Together API key"},
	{"tavily-api-key", Secrets, ByShape, "tvly-", `tvly-((dev|prod)-)?[0-9A-Za-z-]{28,64}`, "", 33, Loose | digit, "Tavily API key"},
	{"exa-api-key", Secrets, ByName, "exa_api exaapi", UUID, "", 25, 0, "Exa API key"},
	{"langsmith-api-key", Secrets, ByShape, "lsv2_", `lsv2_(pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}`, "", 30, Loose, "LangSmith API key"},
	{"pinecone-api-key", Secrets, ByShape, "pcsk_", `pcsk_[0-9A-Za-z_]{40,90}`, "", 35, Loose | mixed, "Pinecone API key"},
	{"wandb-api-key", Secrets, ByName, "wandb weights_and_biases", `[0-9a-f]{40}`, "", 30, 0, "Weights & Biases API key"},
	{"wandb-api-key", Secrets, ByShape, "wandb_v1_", `wandb_v1_[\w]{40,100}`, "", 35, Loose, "Weights & Biases API key"},
	{"deepgram-api-key", Secrets, ByName, "deepgram", `[0-9a-f]{40}`, "", 30, 0, "Deepgram API key"},
	{"assemblyai-api-key", Secrets, ByName, "assemblyai assembly_ai", `[0-9a-f]{32}`, "", 30, 0, "AssemblyAI API key"},
	{"cerebras-api-key", Secrets, ByShape, "csk-", `csk-[0-9a-z]{40,60}`, "", 35, digit | odd, "Cerebras API key"},
	{"nvidia-api-key", Secrets, ByShape, "nvapi-", `nvapi-[\w-]{50,90}`, "", 35, Loose, "NVIDIA API key"},
	{"jina-api-key", Secrets, ByShape, "jina_", `jina_[0-9A-Za-z_-]{50,80}`, "", 35, digit | mixed, "Jina API key"},
	{"voyage-api-key", Secrets, ByShape, "pa-", `pa-[\w-]{40,50}`, "", 42, digit | mixed | odd, "Voyage API key"},
	{"firecrawl-api-key", Secrets, ByShape, "fc-", `fc-[0-9a-f]{32}`, "", 30, 0, "Firecrawl API key"},
	{"e2b-api-key", Secrets, ByShape, "e2b_", `e2b_[0-9a-f]{40}`, "", 30, 0, "E2B API key"},
	{"mistral-api-key", Secrets, ByName, "mistral", `[0-9A-Za-z]{32}`, "", 35, digit | odd, "Mistral API key"},
	{"cohere-api-token", Secrets, ByName, "cohere co_api_key", `[0-9A-Za-z]{40}`, "", 38, 0, "Cohere API key"},
	{"privateai-api-token", Secrets, ByName, "privateai private_ai private-ai", `[0-9a-z]{32}`, "", 30, 0, "Private AI API token"},

	// Forges and packages.
	{"github-pat", Secrets, ByShape, "ghp_", `ghp_[0-9A-Za-z]{36,}`, "", 30, Loose | Checksum, "GitHub personal access token"},
	{"github-fine-grained-pat", Secrets, ByShape, "github_pat_", `github_pat_\w{36,255}`, "", 30, Loose, "GitHub fine-grained token"},
	{"github-oauth", Secrets, ByShape, "gho_", `gho_[0-9A-Za-z]{36,}`, "", 30, Loose | Checksum, "GitHub OAuth token"},
	{"github-app-token", Secrets, ByShape, "ghu_ ghs_", `gh[us]_[0-9A-Za-z]{36,}`, "", 30, Loose | Checksum, "GitHub app token"},
	{"github-refresh-token", Secrets, ByShape, "ghr_", `ghr_[0-9A-Za-z]{36,}`, "", 30, Loose | Checksum, "GitHub refresh token"},
	{"gitlab-pat", Secrets, ByShape, "glpat-", `glpat-[\w-]{20,300}(\.[0-9a-z]{2}\.?[0-9a-z]{7})?`, "", 30, Loose, "GitLab personal access token"},
	{"gitlab-pat-routable", Secrets, ByShape, "glpat-", `glpat-[\w-]{27,300}\.[0-9a-z]{2}\.?[0-9a-z]{7}`, "", 40, Loose, "GitLab personal access token, routable"},
	{"gitlab-cicd-job-token", Secrets, ByShape, "glcbt-", `glcbt-[0-9A-Za-z]{1,5}_[\w-]{20,}`, "", 30, Loose, "GitLab CI/CD job token"},
	{"gitlab-deploy-token", Secrets, ByShape, "gldt-", `gldt-[\w-]{20,}`, "", 30, Loose, "GitLab deploy token"},
	{"gitlab-feature-flag-client-token", Secrets, ByShape, "glffct-", `glffct-[\w-]{20,}`, "", 30, Loose, "GitLab feature flag client token"},
	{"gitlab-feed-token", Secrets, ByShape, "glft-", `glft-[\w-]{20,}`, "", 30, Loose, "GitLab feed token"},
	{"gitlab-incoming-mail-token", Secrets, ByShape, "glimt-", `glimt-[\w-]{25,}`, "", 30, Loose, "GitLab incoming mail token"},
	{"gitlab-kubernetes-agent-token", Secrets, ByShape, "glagent-", `glagent-[\w-]{50,}`, "", 30, Loose, "GitLab agent token"},
	{"gitlab-oauth-app-secret", Secrets, ByShape, "gloas-", `gloas-[\w-]{64,}`, "", 30, Loose, "GitLab OAuth application secret"},
	{"gitlab-ptt", Secrets, ByShape, "glptt-", `glptt-[0-9a-f]{40}`, "", 30, Loose, "GitLab pipeline trigger token"},
	{"gitlab-rrt", Secrets, ByShape, "gr1348941", `GR1348941[\w-]{20,}`, "", 30, Loose, "GitLab runner registration token"},
	{"gitlab-runner-authentication-token", Secrets, ByShape, "glrt- glrtr-", `glrtr?-[\w-]{20,}`, "", 30, Loose, "GitLab runner authentication token"},
	{"gitlab-runner-authentication-token-routable", Secrets, ByShape, "glrt-", `glrt-t\d_[\w-]{27,300}\.[0-9a-z]{2}\.?[0-9a-z]{7}`, "", 40, Loose, "GitLab runner authentication token, routable"},
	{"gitlab-scim-token", Secrets, ByShape, "glsoat-", `glsoat-[\w-]{20,}`, "", 30, Loose, "GitLab SCIM token"},
	{"gitlab-session-cookie", Secrets, ByShape, "_gitlab_session=", `_gitlab_session=[0-9a-z]{32}`, "", 30, Loose | Inside, "GitLab session cookie"},
	{"bitbucket-client-id", Secrets, ByName, "bitbucket", `(?i)[0-9a-z]{32}`, "", 25, 0, "Bitbucket client id"},
	{"bitbucket-client-secret", Secrets, ByName, "bitbucket", `(?i)[0-9a-z=_-]{64}`, "", 30, 0, "Bitbucket client secret"},
	{"bitbucket-app-password", Secrets, ByShape, "atbb", `ATBB[0-9A-Za-z]{24,40}`, "", 35, digit, "Bitbucket app password"},
	{"sourcegraph-access-token", Secrets, ByShape, "sgp_", `sgp_((local|[0-9a-fA-F]{16})_)?[0-9a-fA-F]{40}`, "", 30, 0, "Sourcegraph access token"},
	{"sourcegraph-access-token", Secrets, ByName, "sourcegraph", `[0-9a-fA-F]{40}`, "", 30, 0, "Sourcegraph access token"},
	{"npm-access-token", Secrets, ByShape, "npm_", `(?i)npm_[0-9a-z]{36}`, "", 28, digit, "npm access token"},
	{"pypi-upload-token", Secrets, ByShape, "pypi-age", `pypi-AgE[\w-]{50,1000}`, "", 30, Loose, "PyPI upload token"},
	{"rubygems-api-token", Secrets, ByShape, "rubygems_", `rubygems_[0-9a-f]{48}`, "", 25, 0, "RubyGems API token"},
	{"crates-io-token", Secrets, ByShape, "cio", `cio[0-9A-Za-z]{32}`, "", 38, digit | mixed | odd, "crates.io token"},
	{"nuget-api-key", Secrets, ByShape, "oy2", `oy2[0-9a-z]{43}`, "", 35, digit | odd, "NuGet API key"},
	{"clojars-api-token", Secrets, ByShape, "clojars_", `(?i)clojars_[0-9a-z]{60}`, "", 25, Loose, "Clojars token"},
	{"docker-access-token", Secrets, ByShape, "dckr_pat_ dckr_oat_", `dckr_(pat|oat)_[\w-]{27,40}`, "", 30, Loose, "Docker access token"},
	{"docker-registry-auth", Secrets, ByDockerAuth, `"auth"`, `[0-9A-Za-z+/]{8,}={0,2}`, "", 0, 0, "Docker registry login"},
	{"artifactory-api-key", Secrets, ByShape, "akcp", `AKCp[0-9A-Za-z]{69}`, "", 40, 0, "Artifactory API key"},
	{"artifactory-reference-token", Secrets, ByShape, "cmvmd", `cmVmd[0-9A-Za-z]{59}`, "", 40, 0, "Artifactory reference token"},
	{"jfrog-api-key", Secrets, ByName, "jfrog artifactory bintray xray", `(?i)[0-9a-z]{73}`, "", 30, 0, "JFrog API key"},
	{"jfrog-identity-token", Secrets, ByName, "jfrog artifactory bintray xray", `(?i)[0-9a-z]{64}`, "", 30, 0, "JFrog identity token"},
	{"npmrc-auth", Secrets, ByName, "_authtoken _auth", `[\w+/=-]{8,256}`, "", 28, Exact | odd, "npm registry credentials"},
	{"sidekiq-secret", Secrets, ByName, "bundle_enterprise__contribsys__com bundle_gems__contribsys__com", `(?i)[0-9a-f]{8}:[0-9a-f]{8}`, "", 20, 0, "Sidekiq secret"},
	{"sidekiq-sensitive-url", Secrets, ByShape, "@gems.contribsys.com @enterprise.contribsys.com", `(?i)@(gems|enterprise)\.contribsys\.com`, `[0-9a-fA-F]{8}:[0-9a-fA-F]{8}`, 20, 0, "Sidekiq gem source URL with credentials"},
	{"intra42-client-secret", Secrets, ByShape, "s-s4t2", `s-s4t2(ud|af)-[0-9a-fA-F]{64}`, "", 30, 0, "Intra42 client secret"},

	// Clouds, hosting, databases.
	{"aws-access-token", Secrets, ByAWSID, "akia asia abia acca a3t", `(A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}`, "", 30, 0, "AWS access key id"},
	{"aws-secret-access-key", Secrets, ByName, "aws_secret awssecret secret_access_key secretaccesskey secret-access-key secret_key secretkey", `[0-9A-Za-z+/]{40}`, "", 40, digit | mixed | odd, "AWS secret access key"},
	{"aws-session-token", Secrets, ByShape, "fwogzxivyxdz iqojb3jpz2lu fqogzxivyxdz aqodyxdz", `(FwoGZXIvYXdz|IQoJb3JpZ2lu|FQoGZXIvYXdz|AQoDYXdz)[0-9A-Za-z+/]{80,}={0,2}`, "", 40, Long | mixed, "AWS session token"},
	{"aws-amazon-bedrock-api-key-long-lived", Secrets, ByShape, "absk", `ABSK[0-9A-Za-z+/]{80,300}={0,2}`, "", 30, mixed, "Amazon Bedrock API key"},
	{"aws-amazon-bedrock-api-key-short-lived", Secrets, ByShape, "bedrock-api-key-", `bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[0-9A-Za-z+/_-]*={0,2}`, "", 30, Long, "Amazon Bedrock API key, short-lived"},
	{"azure-ad-client-secret", Secrets, ByShape, "q~", `Q~[\w~.-]{31,34}`, `[\w~.]{3}[0-9]`, 30, 0, "Microsoft Entra client secret"},
	{"azure-storage-key", Secrets, ByShape, "accountkey=", `(?i)accountkey=[0-9a-z+/]{40,90}={0,2}`, "", 40, Inside | Loose, "Azure storage account key"},
	{"azure-shared-access-key", Secrets, ByShape, "sharedaccesskey=", `(?i)sharedaccesskey=[0-9a-z+/]{40,90}={0,2}`, "", 40, Inside | Loose, "Azure Service Bus or Event Hubs key"},
	{"azure-sas-signature", Secrets, ByShape, "&sig= ?sig=", `[&?]sig=[0-9A-Za-z%+/_-]{40,100}={0,2}`, "", 40, Inside | Loose, "Azure shared access signature"},
	{"azure-devops-pat", Secrets, ByShape, "azdo", `AZDO[0-9A-Za-z]{4}`, `[0-9A-Za-z]{76}`, 40, 0, "Azure DevOps personal access token"},
	{"azure-devops-pat", Secrets, ByName, "azure_devops azuredevops azure-devops ado_pat ado_token azdo vsts devops_pat devops_token", `[0-9a-z]{52}`, "", 35, digit, "Azure DevOps personal access token"},
	{"azure-service-key", Secrets, ByShape, "jqqj99", `JQQJ99[0-9A-Za-z]{26}`, `[0-9A-Za-z]{52}`, 40, 0, "Azure AI service key"},
	{"azure-service-key", Secrets, ByShape, "azfu azse azca +ast +amc", `(AzFu|AzSe|AzCa|\+ASt|\+AMC)[0-9A-Za-z+/_-]{4,12}={0,2}`, `[0-9A-Za-z+/_-]{30,80}`, 40, 0, "Azure service key"},
	{"gcp-service-account", Secrets, ByName, "private_key_id", `[0-9a-f]{40}`, "", 30, 0, "Google service account key id"},
	{"alibaba-access-key-id", Secrets, ByShape, "ltai", `LTAI[0-9A-Za-z]{12,26}`, "", 28, digit | mixed, "Alibaba Cloud access key id"},
	{"alibaba-secret-key", Secrets, ByName, "alibaba aliyun", `(?i)[0-9a-z]{30}`, "", 25, digit, "Alibaba Cloud secret key"},
	{"tencent-secret-id", Secrets, ByShape, "akid", `AKID[0-9A-Za-z]{30,40}`, "", 35, digit | mixed, "Tencent Cloud secret id"},
	{"tencent-secret-key", Secrets, ByName, "tencent qcloud", `[0-9A-Za-z]{32}`, "", 35, digit | mixed, "Tencent Cloud secret key"},
	{"ibm-cloud-api-key", Secrets, ByName, "ibm bluemix", `[\w-]{44}`, "", 40, digit | mixed | odd, "IBM Cloud API key"},
	{"oracle-cloud-token", Secrets, ByName, "oci_auth oci_token oracle_token ocir", `[!#-&(-~]{20}`, "", 35, digit, "Oracle Cloud auth token"},
	{"yandex-access-token", Secrets, ByName, "yandex", `t1\.[\w-]+={0,2}\.[\w-]{86}={0,2}`, "", 30, 0, "Yandex Cloud access token"},
	{"yandex-api-key", Secrets, ByName, "yandex", `AQVN[\w-]{35,38}`, "", 30, 0, "Yandex API key"},
	{"yandex-aws-access-token", Secrets, ByName, "yandex", `YC[\w-]{38}`, "", 30, 0, "Yandex static access key"},
	{"yandex-api-key", Secrets, ByShape, "aqvn", `AQVN[\w-]{35,38}`, "", 38, digit | mixed | odd, "Yandex API key"},
	{"yandex-oauth-token", Secrets, ByShape, "y0_", `y0_[\w-]{40,80}`, "", 38, digit | mixed, "Yandex OAuth token"},
	{"cloudflare-api-key", Secrets, ByName, "cloudflare cf_api cf_token", `(?i)[0-9a-z_-]{40}`, "", 28, odd, "Cloudflare API token"},
	{"cloudflare-global-api-key", Secrets, ByName, "cloudflare cf_api", `(?i)[0-9a-f]{37}`, "", 25, 0, "Cloudflare global API key"},
	{"cloudflare-origin-ca-key", Secrets, ByShape, "v1.0-", `v1\.0-[0-9a-f]{24}-[0-9a-f]{146}`, "", 25, 0, "Cloudflare origin CA key"},
	{"cloudflare-api-key", Secrets, ByShape, "cfut_ cfat_ cfk_", `cf(ut|at|k)_[\w-]{40,60}`, "", 35, digit | mixed, "Cloudflare API token"},
	{"digitalocean-access-token", Secrets, ByShape, "doo_v1_", `doo_v1_[0-9a-f]{64}`, "", 30, Loose, "DigitalOcean OAuth token"},
	{"digitalocean-pat", Secrets, ByShape, "dop_v1_", `dop_v1_[0-9a-f]{64}`, "", 30, Loose, "DigitalOcean personal access token"},
	{"digitalocean-refresh-token", Secrets, ByShape, "dor_v1_", `(?i)dor_v1_[0-9a-f]{64}`, "", 30, Loose, "DigitalOcean refresh token"},
	{"linode-access-token", Secrets, ByName, "linode", `[0-9a-f]{64}`, "", 30, 0, "Linode access token"},
	{"hetzner-api-token", Secrets, ByName, "hetzner hcloud", `[0-9A-Za-z]{64}`, "", 40, digit | mixed, "Hetzner API token"},
	{"scaleway-secret-key", Secrets, ByName, "scaleway scw_secret", UUID, "", 25, 0, "Scaleway secret key"},
	{"vultr-api-key", Secrets, ByName, "vultr", `[0-9A-Z]{36}`, "", 35, digit, "Vultr API key"},
	{"heroku-api-key", Secrets, ByName, "heroku", UUID, "", 25, 0, "Heroku API key"},
	{"heroku-api-key-v2", Secrets, ByShape, "hrku-", `HRKU-[\w-]{36,80}`, "", 35, Loose, "Heroku API key"},
	{"vercel-access-token", Secrets, ByShape, "vcp_ vck_ vci_ vca_ vcr_", `vc[pkiar]_[0-9A-Za-z]{24,80}`, "", 35, digit | mixed, "Vercel access token"},
	{"vercel-access-token", Secrets, ByName, "vercel", `[0-9A-Za-z]{24}`, "", 35, digit | mixed | odd, "Vercel access token"},
	{"vercel-blob-token", Secrets, ByShape, "vercel_blob_rw_", `vercel_blob_rw_[0-9A-Za-z]{16}_[0-9A-Za-z]{20,40}`, "", 30, Loose, "Vercel Blob token"},
	{"netlify-access-token", Secrets, ByName, "netlify", `(?i)[0-9a-z=_-]{40,46}`, "", 30, odd, "Netlify access token"},
	{"netlify-access-token", Secrets, ByShape, "nfp_ nfc_ nfo_ nfu_ nfb_", `nf[pcoub]_[0-9A-Za-z]{36,40}`, "", 35, digit | mixed, "Netlify access token"},
	{"render-api-key", Secrets, ByShape, "rnd_", `rnd_[0-9A-Za-z]{28,40}`, "", 35, digit | mixed | odd, "Render API key"},
	{"railway-token", Secrets, ByName, "railway", UUID, "", 25, 0, "Railway token"},
	{"amazon-mws-auth-token", Secrets, ByShape, "amzn.mws.", `amzn\.mws\.` + UUID, "", 28, 0, "Amazon MWS token"},
	{"deno-deploy-token", Secrets, ByShape, "ddp_ ddo_", `dd[po]_[0-9A-Za-z]{36}`, "", 35, digit | mixed, "Deno Deploy token"},
	{"zoho-oauth-token", Secrets, ByShape, "1000.", `1000\.[0-9a-f]{32}\.[0-9a-f]{32}`, "", 30, 0, "Zoho OAuth token"},
	{"flyio-access-token", Secrets, ByShape, "fo1_", `fo1_[\w-]{43}`, "", 40, 0, "Fly.io access token"},
	{"flyio-access-token", Secrets, ByShape, "fm1a_ fm1r_ fm2_", `fm(1[ar]|2)_[0-9A-Za-z+/]{80,}={0,3}`, "", 40, Long, "Fly.io access token"},
	{"supabase-access-token", Secrets, ByShape, "sbp_", `sbp_(v0_)?[0-9a-f]{40}`, "", 30, 0, "Supabase access token"},
	{"supabase-secret-key", Secrets, ByShape, "sb_secret_", `sb_secret_[\w-]{24,60}`, "", 35, Loose, "Supabase secret key"},
	{"neon-api-key", Secrets, ByShape, "napi_", `napi_[0-9a-z]{48,80}`, "", 35, digit, "Neon API key"},
	{"planetscale-api-token", Secrets, ByShape, "pscale_tkn_", `(?i)pscale_tkn_[\w=.-]{32,64}`, "", 30, 0, "PlanetScale API token"},
	{"planetscale-oauth-token", Secrets, ByShape, "pscale_oauth_", `pscale_oauth_[\w=.-]{32,64}`, "", 30, 0, "PlanetScale OAuth token"},
	{"planetscale-password", Secrets, ByShape, "pscale_pw_", `(?i)pscale_pw_[\w=.-]{32,64}`, "", 30, 0, "PlanetScale password"},
	{"upstash-token", Secrets, ByName, "upstash kv_rest_api", `[0-9A-Za-z+/_-]{36,200}={0,2}`, "", 40, digit | mixed | odd, "Upstash token"},
	{"clickhouse-cloud-api-secret-key", Secrets, ByShape, "4b1d", `4b1d[0-9A-Za-z]{38}`, "", 30, mixed, "ClickHouse Cloud API key"},
	{"databricks-api-token", Secrets, ByShape, "dapi", `dapi[0-9a-f]{32}(-\d)?`, "", 28, 0, "Databricks access token"},
	{"snowflake-token", Secrets, ByName, "snowflake", `[0-9A-Za-z+/=._-]{40,600}`, "", 40, digit | mixed | odd, "Snowflake token"},
	{"confluent-access-token", Secrets, ByName, "confluent", `(?i)[0-9a-z]{16}`, "", 25, 0, "Confluent access token"},
	{"confluent-secret-key", Secrets, ByName, "confluent", `(?i)[0-9a-z]{64}`, "", 30, 0, "Confluent secret key"},
	{"openshift-user-token", Secrets, ByShape, "sha256~", `sha256~[\w-]{43}`, "", 35, 0, "OpenShift user token"},
	{"scalingo-api-token", Secrets, ByShape, "tk-us- tk-fr-", `tk-(us|fr)-[\w-]{48}`, "", 30, 0, "Scalingo API token"},
	{"kubernetes-secret-yaml", Secrets, ByKube, "kind:", "", "", 0, 0, "data in a Kubernetes Secret"},
	{"kubeconfig-client-key", Secrets, ByName, "client-key-data", `[0-9A-Za-z+/]{40,}={0,2}`, "", 30, 0, "client key in a kubeconfig"},

	// Secret stores and infrastructure tools.
	{"1password-secret-key", Secrets, ByShape, "a3-", `A3-[0-9A-Z]{6}-([0-9A-Z]{11}|[0-9A-Z]{6}-[0-9A-Z]{5})-[0-9A-Z]{5}-[0-9A-Z]{5}-[0-9A-Z]{5}`, "", 35, 0, "1Password secret key"},
	{"1password-service-account-token", Secrets, ByShape, "ops_eyj", `ops_eyJ[0-9A-Za-z+/_-]{200,}={0,3}`, "", 40, Long, "1Password service account token"},
	{"bitwarden-access-token", Secrets, ByName, "bws bitwarden", `0\.` + UUID + `\.[0-9A-Za-z]{20,40}(:[0-9A-Za-z+/=]{20,})?`, "", 30, 0, "Bitwarden machine account token"},
	{"doppler-api-token", Secrets, ByShape, "dp.pt.", `dp\.pt\.[0-9A-Za-z]{40,44}`, "", 28, Loose, "Doppler personal token"},
	{"doppler-token", Secrets, ByShape, "dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", `dp\.(st|ct|sa|scim|audit)\.([\w-]{2,35}\.)?[0-9A-Za-z]{40,44}`, "", 30, Loose, "Doppler token"},
	{"infisical-token", Secrets, ByShape, "st.", `st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}`, "", 30, 0, "Infisical service token"},
	{"vault-service-token", Secrets, ByShape, "hvs.", `hvs\.[\w-]{24,300}`, "", 35, Loose | digit | mixed, "HashiCorp Vault service token"},
	{"vault-service-token", Secrets, ByShape, "s.", `s\.[0-9A-Za-z]{24}`, "", 35, digit | mixed | odd, "HashiCorp Vault service token"},
	{"vault-batch-token", Secrets, ByShape, "hvb.", `hvb\.[\w-]{90,400}`, "", 40, Loose, "HashiCorp Vault batch token"},
	{"vault-recovery-token", Secrets, ByShape, "hvr.", `hvr\.[\w-]{24,300}`, "", 35, Loose | digit | mixed, "HashiCorp Vault recovery token"},
	{"hashicorp-tf-api-token", Secrets, ByShape, ".atlasv1.", `\.atlasv1\.[\w=-]{60,70}`, `[0-9A-Za-z]{14}`, 35, 0, "HCP Terraform API token"},
	{"pulumi-api-token", Secrets, ByShape, "pul-", `pul-[0-9a-f]{40}`, "", 25, 0, "Pulumi access token"},
	{"infracost-api-token", Secrets, ByShape, "ico-", `ico-[0-9A-Za-z]{32}`, "", 30, mixed, "Infracost API token"},
	{"prefect-api-token", Secrets, ByShape, "pnu_ pnb_", `pn[ub]_[0-9A-Za-z]{36}`, "", 28, 0, "Prefect API token"},
	{"octopus-deploy-api-key", Secrets, ByShape, "api-", `API-[0-9A-Z]{26}`, "", 30, digit, "Octopus Deploy API key"},
	{"harness-api-key", Secrets, ByShape, "pat. sat.", `(pat|sat)\.[\w-]{22}\.[0-9A-Za-z]{24}\.[0-9A-Za-z]{20}`, "", 30, 0, "Harness API key"},
	{"authress-service-client-access-key", Secrets, ByShape, "sc_ ext_ scauth_ authress_", `(scauth|sc|ext|authress)_[0-9A-Za-z]{5,30}\.[0-9A-Za-z]{4,6}\.acc[_-][0-9A-Za-z-]{10,32}\.[\w+/=-]{30,120}`, "", 25, 0, "Authress access key"},
	{"defined-networking-api-token", Secrets, ByShape, "dnkey-", `dnkey-[\w=-]{26}-[\w=-]{52}`, "", 30, 0, "Defined Networking API token"},
	{"tailscale-key", Secrets, ByShape, "tskey-", `tskey-(auth-|api-|client-|scim-|webhook-)?[0-9A-Za-z]{8,}-[0-9A-Za-z]{16,}`, "", 30, Loose, "Tailscale key"},
	{"ngrok-api-key", Secrets, ByName, "ngrok", `[0-9A-Za-z]{20,30}_[0-9A-Za-z]{16,30}`, "", 35, digit | mixed, "ngrok token"},
	{"cisco-meraki-api-key", Secrets, ByName, "meraki", `[0-9a-f]{40}`, "", 28, 0, "Cisco Meraki API key"},
	{"okta-access-token", Secrets, ByName, "okta", `00[\w=-]{40}`, "", 38, 0, "Okta access token"},
	{"launchdarkly-access-token", Secrets, ByName, "launchdarkly", `(?i)((sdk|mob|api)-` + UUID + `|[0-9a-z=_-]{40})`, "", 28, 0, "LaunchDarkly access token"},
	{"wireguard-private-key", Secrets, ByName, "privatekey presharedkey", `[0-9A-Za-z+/]{43}=`, "", 38, mixed, "WireGuard key"},

	// Building, testing, watching.
	{"snyk-api-token", Secrets, ByName, "snyk", UUID, "", 25, 0, "Snyk API token"},
	{"sonar-api-token", Secrets, ByName, "sonar", `(?i)(sq[upa]_)?[0-9a-z=_-]{40}`, "", 28, 0, "Sonar token"},
	{"sonar-api-token", Secrets, ByShape, "sqp_ squ_ sqa_", `sq[pua]_[0-9a-f]{40}`, "", 30, 0, "Sonar token"},
	{"codecov-access-token", Secrets, ByName, "codecov", `(?i)(` + UUID + `|[0-9a-z]{32})`, "", 25, 0, "Codecov token"},
	{"travisci-access-token", Secrets, ByName, "travis", `(?i)[\w-]{22}`, "", 28, 0, "Travis CI token"},
	{"droneci-access-token", Secrets, ByName, "droneci drone_token", `(?i)[0-9a-z]{32}`, "", 25, 0, "Drone CI token"},
	{"circleci-token", Secrets, ByShape, "ccip", `(?i)ccip[a-z]{2,3}_[0-9a-z]{20,24}_[0-9a-f]{40}`, "", 30, Loose, "CircleCI token"},
	{"circleci-token", Secrets, ByName, "circleci circle_token", `[0-9a-f]{40}`, "", 30, 0, "CircleCI token"},
	{"buildkite-token", Secrets, ByShape, "bkua_", `bkua_[0-9a-f]{40}`, "", 30, Loose, "Buildkite token"},
	{"sentry-access-token", Secrets, ByName, "sentry", `(?i)[0-9a-f]{64}`, "", 28, 0, "Sentry access token"},
	{"sentry-org-token", Secrets, ByShape, "sntrys_", `sntrys_eyJ[0-9A-Za-z+/=_-]{80,600}`, "", 38, Loose, "Sentry organization token"},
	{"sentry-user-token", Secrets, ByShape, "sntryu_", `sntryu_[0-9a-f]{64}`, "", 30, 0, "Sentry user token"},
	{"datadog-access-token", Secrets, ByName, "datadog dd_api dd_app", `(?i)[0-9a-z]{40}`, "", 28, 0, "Datadog application key"},
	{"datadog-api-key", Secrets, ByName, "datadog dd_api", `(?i)[0-9a-f]{32}`, "", 28, 0, "Datadog API key"},
	{"new-relic-browser-api-token", Secrets, ByShape, "nrjs-", `(?i)nrjs-[0-9a-f]{19}`, "", 25, 0, "New Relic browser key"},
	{"new-relic-insert-key", Secrets, ByShape, "nrii-", `(?i)nrii-[0-9a-z_-]{32}`, "", 28, 0, "New Relic insert key"},
	{"new-relic-user-api-key", Secrets, ByShape, "nrak-", `(?i)nrak-[0-9a-z]{27}`, "", 28, 0, "New Relic user key"},
	{"new-relic-user-api-id", Secrets, ByName, "new-relic newrelic new_relic", `(?i)[0-9a-z]{64}`, "", 28, 0, "New Relic user id"},
	{"new-relic-license-key", Secrets, ByShape, "nral", `NRAL`, `[0-9a-f]{36}`, 28, 0, "New Relic licence key"},
	{"grafana-api-key", Secrets, ByShape, "eyjrijoi", `(?i)eyjrijoi[0-9a-z+/_-]{40,400}={0,3}`, "", 30, 0, "Grafana API key"},
	{"grafana-cloud-api-token", Secrets, ByShape, "glc_", `(?i)glc_[0-9a-z+/]{32,400}={0,3}`, "", 30, digit, "Grafana Cloud token"},
	{"grafana-service-account-token", Secrets, ByShape, "glsa_", `(?i)glsa_[0-9a-z]{32}_[0-9a-f]{8}`, "", 30, 0, "Grafana service account token"},
	{"dynatrace-api-token", Secrets, ByShape, "dt0", `(?i)dt0[a-z]\d\d\.[0-9a-z]{8,24}\.[0-9a-z]{64}`, "", 35, Loose, "Dynatrace token"},
	{"honeycomb-api-key", Secrets, ByShape, "hcaik_ hcaic_ hcxik_ hcamk_", `hc(aik|aic|xik|amk)_[0-9a-z]{58,64}`, "", 35, digit, "Honeycomb key"},
	{"checkly-api-key", Secrets, ByShape, "cu_", `cu_[0-9a-f]{32}`, "", 30, 0, "Checkly API key"},
	{"rootly-api-token", Secrets, ByShape, "rootly_", `rootly_[0-9a-f]{64}`, "", 30, 0, "Rootly API token"},
	{"posthog-personal-api-key", Secrets, ByShape, "phx_", `phx_[0-9A-Za-z]{40,60}`, "", 35, digit, "PostHog personal API key"},
	{"posthog-project-api-key", Secrets, ByShape, "phc_", `phc_[0-9A-Za-z]{40,60}`, "", 35, digit, "PostHog project API key"},
	{"segment-api-token", Secrets, ByShape, "sgp_", `sgp_[0-9A-Za-z]{64}`, "", 35, 0, "Segment API token"},
	{"mixpanel-secret", Secrets, ByName, "mixpanel", `[0-9a-zA-Z]{32}`, "", 30, digit, "Mixpanel secret"},
	{"amplitude-secret", Secrets, ByName, "amplitude", `[0-9a-f]{32}`, "", 30, 0, "Amplitude key"},
	{"sumologic-access-id", Secrets, ByName, "sumo", `su[0-9A-Za-z]{12}`, "", 28, mixed | odd, "Sumo Logic access id"},
	{"sumologic-access-token", Secrets, ByName, "sumo", `(?i)[0-9a-z]{64}`, "", 30, 0, "Sumo Logic access key"},
	{"maxmind-license-key", Secrets, ByShape, "_mmk", `_mmk`, `[0-9A-Za-z]{6}_[0-9A-Za-z]{29}`, 35, 0, "MaxMind licence key"},
	{"postman-api-token", Secrets, ByShape, "pmak-", `PMAK-[0-9a-fA-F]{24}-[0-9a-fA-F]{34}`, "", 28, 0, "Postman API token"},
	{"readme-api-token", Secrets, ByShape, "rdme_", `rdme_[0-9a-z]{70,90}`, "", 28, 0, "ReadMe API token"},
	{"settlemint-application-access-token", Secrets, ByShape, "sm_aat_", `sm_aat_[0-9A-Za-z]{16}`, "", 30, 0, "SettleMint application token"},
	{"settlemint-personal-access-token", Secrets, ByShape, "sm_pat_", `sm_pat_[0-9A-Za-z]{16}`, "", 30, 0, "SettleMint personal token"},
	{"settlemint-service-access-token", Secrets, ByShape, "sm_sat_", `sm_sat_[0-9A-Za-z]{16}`, "", 30, 0, "SettleMint service token"},

	// Work and talk.
	{"slack-legacy-bot-token", Secrets, ByShape, "xoxb-", `xoxb-\d{8,14}-[0-9A-Za-z]{18,26}`, "", 20, Loose, "Slack bot token, legacy"},
	{"slack-bot-token", Secrets, ByShape, "xoxb-", `xoxb-\d{10,13}-\d{10,13}[0-9A-Za-z-]*`, "", 28, Loose, "Slack bot token"},
	{"slack-user-token", Secrets, ByShape, "xoxp- xoxe-", `xox[pe](-\d{10,13}){3}-[0-9A-Za-z-]{28,34}`, "", 20, Loose, "Slack user token"},
	{"slack-config-access-token", Secrets, ByShape, "xoxe.xoxb- xoxe.xoxp-", `(?i)xoxe\.xox[bp]-\d-[0-9a-z]{100,200}`, "", 20, Loose, "Slack configuration token"},
	{"slack-config-refresh-token", Secrets, ByShape, "xoxe-", `(?i)xoxe-\d-[0-9a-z]{100,200}`, "", 20, Loose, "Slack configuration refresh token"},
	{"slack-legacy-token", Secrets, ByShape, "xoxo- xoxs-", `xox[os]-\d+-\d+-\d+-[0-9a-fA-F]+`, "", 20, Loose, "Slack token, legacy"},
	{"slack-legacy-workspace-token", Secrets, ByShape, "xoxa- xoxr-", `xox[ar]-(\d-)?[0-9A-Za-z]{8,48}[0-9A-Za-z-]*`, "", 20, Loose | runs, "Slack workspace token"},
	{"slack-session-token", Secrets, ByShape, "xoxc- xoxd-", `xox[cd]-[0-9A-Za-z%+/=-]{40,300}`, "", 28, Loose, "Slack session token"},
	{"slack-app-token", Secrets, ByShape, "xapp-", `(?i)xapp-\d-[0-9a-z]+-\d+-[0-9a-z]+`, "", 20, Loose, "Slack app token"},
	{"slack-webhook-url", Secrets, ByShape, "hooks.slack.com/", `hooks\.slack\.com/(services|workflows|triggers)/[0-9A-Za-z+/]{43,60}`, `[:/a-z]{0,8}`, 25, Loose, "Slack webhook"},
	{"microsoft-teams-webhook", Secrets, ByShape, ".webhook.office.com/", `\.webhook\.office\.com/webhookb2/[0-9A-Za-z-]{36}@[0-9A-Za-z-]{36}/IncomingWebhook/[0-9A-Za-z]{32}/[0-9A-Za-z-]{36}`, `[0-9a-z:/-]{1,80}`, 25, Loose, "Microsoft Teams webhook"},
	{"discord-webhook-url", Secrets, ByShape, "discord.com/api/webhooks/ discordapp.com/api/webhooks/", `(discordapp|discord)\.com/api/webhooks/\d{16,20}/[\w-]{60,80}`, `[0-9a-z:/.]{0,16}`, 25, Loose, "Discord webhook"},
	{"discord-bot-token", Secrets, ByRun, "", "", "", 0, 0, "Discord bot token"},
	{"discord-api-token", Secrets, ByName, "discord", `(?i)[0-9a-f]{64}`, "", 28, 0, "Discord API key"},
	{"discord-client-id", Secrets, ByName, "discord", `\d{17,19}`, "", 18, 0, "Discord client id"},
	{"discord-client-secret", Secrets, ByName, "discord", `(?i)[0-9a-z=_-]{32}`, "", 24, odd, "Discord client secret"},
	{"telegram-bot-api-token", Secrets, ByShape, ":aa", `:AA[\w-]{33}`, `[0-9]{5,16}`, 30, Loose, "Telegram bot token"},
	{"telegram-bot-api-token", Secrets, ByName, "telegr", `[0-9]{5,16}:A[\w-]{34}`, "", 30, 0, "Telegram bot token"},
	{"mattermost-access-token", Secrets, ByName, "mattermost", `(?i)[0-9a-z]{26}`, "", 28, 0, "Mattermost access token"},
	{"gitter-access-token", Secrets, ByName, "gitter", `(?i)[0-9a-z_-]{40}`, "", 28, 0, "Gitter access token"},
	{"twilio-api-key", Secrets, ByRun, "", "", "", 0, 0, "Twilio API key"},
	{"twilio-auth-token", Secrets, ByName, "twilio", `[0-9a-f]{32}`, "", 28, 0, "Twilio auth token"},
	{"sendgrid-api-token", Secrets, ByShape, "sg.", `SG\.[\w=.-]{60,70}`, "", 28, mixed, "SendGrid API key"},
	{"sendinblue-api-token", Secrets, ByShape, "xkeysib- xsmtpsib-", `x(key|smtp)sib-[0-9a-f]{64}-[0-9A-Za-z]{16}`, "", 28, 0, "Brevo API key"},
	{"mailgun-private-api-token", Secrets, ByShape, "key-", `key-[0-9a-f]{32}`, "", 28, 0, "Mailgun API key"},
	{"mailgun-pub-key", Secrets, ByShape, "pubkey-", `pubkey-[0-9a-f]{32}`, "", 28, 0, "Mailgun validation key"},
	{"mailgun-signing-key", Secrets, ByName, "mailgun", `(?i)[0-9a-h]{32}-[0-9a-h]{8}-[0-9a-h]{8}`, "", 28, 0, "Mailgun signing key"},
	{"mailchimp-api-key", Secrets, ByShape, "-us", `-us\d{1,2}`, `[0-9a-fA-F]{32}`, 28, 0, "Mailchimp API key"},
	{"postmark-server-token", Secrets, ByName, "postmark", UUID, "", 25, 0, "Postmark server token"},
	{"resend-api-key", Secrets, ByShape, "re_", `re_[0-9A-Za-z]{6,10}_[0-9A-Za-z]{20,32}`, "", 33, digit | mixed, "Resend API key"},
	{"sendbird-access-id", Secrets, ByName, "sendbird", UUID, "", 25, 0, "Sendbird id"},
	{"sendbird-access-token", Secrets, ByName, "sendbird", `(?i)[0-9a-f]{40}`, "", 28, 0, "Sendbird token"},
	{"messagebird-api-token", Secrets, ByName, "messagebird message-bird message_bird", `(?i)[0-9a-z]{25}`, "", 28, 0, "MessageBird API key"},
	{"messagebird-client-id", Secrets, ByName, "messagebird message-bird message_bird", UUID, "", 25, 0, "MessageBird client id"},
	{"intercom-api-key", Secrets, ByName, "intercom", `(?i)[0-9a-z=_-]{60}`, "", 28, 0, "Intercom token"},
	{"zendesk-secret-key", Secrets, ByName, "zendesk", `(?i)[0-9a-z]{40}`, "", 28, 0, "Zendesk secret"},
	{"freshbooks-access-token", Secrets, ByName, "freshbooks", `(?i)[0-9a-z]{64}`, "", 28, 0, "FreshBooks token"},
	{"linear-api-key", Secrets, ByShape, "lin_api_ lin_oauth_", `lin_(api|oauth)_[0-9A-Za-z]{40,80}`, "", 25, Loose, "Linear API key"},
	{"linear-client-secret", Secrets, ByName, "linear", `(?i)[0-9a-f]{32}`, "", 28, 0, "Linear client secret"},
	{"notion-api-token", Secrets, ByShape, "ntn_", `ntn_\d{11}[0-9A-Za-z]{35}`, "", 38, 0, "Notion token"},
	{"notion-api-token", Secrets, ByShape, "secret_", `secret_[0-9A-Za-z]{43}`, "", 38, digit | mixed | odd, "Notion token"},
	{"figma-access-token", Secrets, ByShape, "figd_ figu_ figo_", `fig[duo]_[\w-]{38,60}`, "", 35, digit | mixed, "Figma access token"},
	{"airtable-api-key", Secrets, ByName, "airtable", `(?i)[0-9a-z]{17}`, "", 25, digit, "Airtable API key"},
	{"airtable-personnal-access-token", Secrets, ByRun, "", "", "", 0, 0, "Airtable personal access token"},
	{"asana-client-id", Secrets, ByName, "asana", `\d{16}`, "", 18, 0, "Asana client id"},
	{"asana-client-secret", Secrets, ByName, "asana", `(?i)[0-9a-z]{32}`, "", 28, 0, "Asana client secret"},
	{"asana-personal-access-token", Secrets, ByShape, "2/", `2/\d{13,19}/\d{13,19}:[0-9a-f]{32}`, "", 28, 0, "Asana personal access token"},
	{"asana-personal-access-token", Secrets, ByName, "asana", `[0-2]/\d{13,19}(/\d{13,19})?:[0-9a-f]{32}`, "", 28, 0, "Asana personal access token"},
	{"clickup-api-token", Secrets, ByShape, "pk_", `pk_\d{4,12}_[0-9A-Z]{32}`, "", 30, 0, "ClickUp API token"},
	{"atlassian-api-token", Secrets, ByShape, "atatt3 atctt3", `AT[AC]TT3[\w=-]{150,260}`, "", 35, 0, "Atlassian API token"},
	{"atlassian-api-token", Secrets, ByName, "atlassian confluence jira", `(?i)[0-9a-z]{20}[0-9a-f]{4}`, "", 33, digit, "Atlassian API token"},
	{"hubspot-api-key", Secrets, ByName, "hubspot", UUID, "", 25, 0, "HubSpot API key"},
	{"hubspot-private-app-token", Secrets, ByShape, "pat-na pat-eu pat-ap", `pat-(na|eu|ap)\d-` + UUID, "", 28, 0, "HubSpot private app token"},
	{"typeform-api-token", Secrets, ByShape, "tfp_", `(?i)tfp_[\w.=-]{40,64}`, "", 30, 0, "Typeform token"},
	{"frameio-api-token", Secrets, ByShape, "fio-u-", `(?i)fio-u-[\w=-]{64}`, "", 28, Loose, "Frame.io token"},
	{"contentful-delivery-api-token", Secrets, ByName, "contentful", `(?i)[0-9a-z=_-]{43}`, "", 28, 0, "Contentful delivery token"},
	{"contentful-management-token", Secrets, ByShape, "cfpat-", `CFPAT-[\w-]{43}`, "", 30, 0, "Contentful management token"},
	{"algolia-api-key", Secrets, ByName, "algolia", `(?i)[0-9a-z]{32}`, "", 28, 0, "Algolia API key"},
	{"beamer-api-token", Secrets, ByName, "beamer", `(?i)b_[0-9a-z=_-]{44}`, "", 28, 0, "Beamer token"},
	{"looker-client-id", Secrets, ByName, "looker", `(?i)[0-9a-z]{20}`, "", 28, 0, "Looker client id"},
	{"looker-client-secret", Secrets, ByName, "looker", `(?i)[0-9a-z]{24}`, "", 28, 0, "Looker client secret"},
	{"mapbox-api-token", Secrets, ByName, "mapbox", `(?i)pk\.[0-9a-z]{60}\.[0-9a-z]{22}`, "", 28, 0, "Mapbox token"},
	{"mapbox-secret-token", Secrets, ByShape, "sk.eyj", `sk\.eyJ[\w-]{40,120}\.[\w-]{20,24}`, "", 28, 0, "Mapbox secret token"},
	{"duffel-api-token", Secrets, ByShape, "duffel_", `duffel_(test|live)_[\w=-]{43}`, "", 28, Loose, "Duffel API token"},
	{"rapidapi-access-token", Secrets, ByName, "rapidapi", `(?i)[0-9a-z_-]{50,52}`, "", 28, 0, "RapidAPI key"},
	{"nytimes-access-token", Secrets, ByName, "nytimes new-york-times newyorktimes", `(?i)[0-9a-z=_-]{32}`, "", 28, 0, "New York Times token"},

	// Social networks and consumer services.
	{"facebook-access-token", Secrets, ByShape, "| %7c", `(\||%7[cC])[0-9A-Za-z_-]{27,40}`, `[0-9]{15,16}`, 30, digit | odd, "Facebook app token"},
	{"facebook-page-access-token", Secrets, ByShape, "eaa", `EAA[A-Za-z][0-9A-Za-z]{90,400}`, "", 38, mixed, "Facebook access token"},
	{"facebook-secret", Secrets, ByName, "facebook", `(?i)[0-9a-f]{32}`, "", 28, 0, "Facebook app secret"},
	{"twitter-access-secret", Secrets, ByName, "twitter", `(?i)[0-9a-z]{45}`, "", 28, 0, "Twitter access secret"},
	{"twitter-access-token", Secrets, ByName, "twitter", `\d{15,25}-[0-9A-Za-z]{20,40}`, "", 28, 0, "Twitter access token"},
	{"twitter-api-key", Secrets, ByName, "twitter", `(?i)[0-9a-z]{25}`, "", 28, 0, "Twitter API key"},
	{"twitter-api-secret", Secrets, ByName, "twitter", `(?i)[0-9a-z]{50}`, "", 28, 0, "Twitter API secret"},
	{"twitter-bearer-token", Secrets, ByShape, "aaaaaaaaaaaaaaaaaaaa", `A{20}[0-9A-Za-z%]{60,130}`, "", 25, runs | digit, "Twitter bearer token"},
	{"linkedin-client-id", Secrets, ByName, "linkedin linked_in linked-in", `(?i)[0-9a-z]{14}`, "", 25, digit, "LinkedIn client id"},
	{"linkedin-client-secret", Secrets, ByName, "linkedin linked_in linked-in", `(?i)[0-9a-z]{16}`, "", 25, 0, "LinkedIn client secret"},
	{"twitch-api-token", Secrets, ByName, "twitch", `(?i)[0-9a-z]{30}`, "", 28, 0, "Twitch token"},
	{"flickr-access-token", Secrets, ByName, "flickr", `(?i)[0-9a-z]{32}`, "", 28, 0, "Flickr token"},
	{"dropbox-api-token", Secrets, ByName, "dropbox", `(?i)[0-9a-z]{15}`, "", 25, digit, "Dropbox API secret"},
	{"dropbox-long-lived-api-token", Secrets, ByName, "dropbox", `(?i)[0-9a-z]{11}aaaaaaaaaa[0-9a-z_=-]{43}`, "", 25, runs, "Dropbox token, long-lived"},
	{"dropbox-short-lived-api-token", Secrets, ByShape, "sl.", `sl\.(u\.)?[\w=-]{130,180}`, "", 38, 0, "Dropbox token, short-lived"},
	{"adafruit-api-key", Secrets, ByName, "adafruit", `(?i)[0-9a-z_-]{32}`, "", 28, 0, "Adafruit key"},
	{"adafruit-io-key", Secrets, ByShape, "aio_", `aio_[0-9A-Za-z]{28}`, "", 33, digit | mixed, "Adafruit IO key"},
	{"adobe-client-id", Secrets, ByName, "adobe", `(?i)[0-9a-f]{32}`, "", 25, 0, "Adobe client id"},
	{"adobe-client-secret", Secrets, ByShape, "p8e-", `p8e-[0-9A-Za-z]{32}`, "", 25, 0, "Adobe client secret"},
	{"etsy-access-token", Secrets, ByName, "etsy", `(?i)[0-9a-z]{24}`, "", 30, digit, "Etsy token"},
	{"fastly-api-token", Secrets, ByName, "fastly", `(?i)[0-9a-z=_-]{32}`, "", 28, odd, "Fastly token"},
	{"spotify-client-secret", Secrets, ByName, "spotify", `[0-9a-f]{32}`, "", 28, 0, "Spotify client secret"},
	{"squarespace-access-token", Secrets, ByName, "squarespace", UUID, "", 25, 0, "Squarespace token"},
	{"freemius-secret-key", Secrets, ByName, "secret_key", `sk_[!#-&(-~]{29}`, "", 38, digit, "Freemius secret key"},

	// Money.
	{"stripe-access-token", Secrets, ByShape, "sk_test_ sk_live_ sk_prod_ rk_test_ rk_live_ rk_prod_", `[sr]k_(test|live|prod)_[0-9A-Za-z]{10,250}`, "", 25, 0, "Stripe key"},
	{"stripe-webhook-secret", Secrets, ByShape, "whsec_", `whsec_[0-9A-Za-z+/]{24,80}={0,2}`, "", 33, 0, "Stripe or Svix webhook secret"},
	{"square-access-token", Secrets, ByShape, "sq0atp-", `sq0atp-[\w-]{22,60}`, "", 28, 0, "Square access token"},
	{"square-access-token", Secrets, ByShape, "eaaa", `EAAA[\w-]{22,60}`, "", 33, digit | mixed, "Square access token"},
	{"square-secret", Secrets, ByShape, "sq0csp- sq0idp-", `sq0(csp|idp)-[\w-]{22,60}`, "", 28, 0, "Square application secret"},
	{"paypal-client-secret", Secrets, ByName, "paypal", `[\w-]{70,90}`, "", 40, digit | mixed, "PayPal client secret"},
	{"braintree-access-token", Secrets, ByShape, "access_token$", `access_token\$(production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}`, "", 28, Loose, "Braintree access token"},
	{"plaid-api-token", Secrets, ByShape, "access-sandbox- access-development- access-production-", `access-(sandbox|development|production)-` + UUID, "", 28, 0, "Plaid access token"},
	{"plaid-client-id", Secrets, ByName, "plaid", `(?i)[0-9a-z]{24}`, "", 30, digit, "Plaid client id"},
	{"plaid-secret-key", Secrets, ByName, "plaid", `(?i)[0-9a-z]{30}`, "", 30, digit, "Plaid secret"},
	{"shopify-access-token", Secrets, ByShape, "shpat_", `shpat_[0-9a-fA-F]{32}`, "", 25, Loose, "Shopify access token"},
	{"shopify-custom-access-token", Secrets, ByShape, "shpca_", `shpca_[0-9a-fA-F]{32}`, "", 25, Loose, "Shopify custom app token"},
	{"shopify-private-app-access-token", Secrets, ByShape, "shppa_", `shppa_[0-9a-fA-F]{32}`, "", 25, Loose, "Shopify private app token"},
	{"shopify-shared-secret", Secrets, ByShape, "shpss_", `shpss_[0-9a-fA-F]{32}`, "", 25, Loose, "Shopify shared secret"},
	{"adyen-api-key", Secrets, ByShape, "aqe", `AQE[0-9A-Za-z+/=]{60,200}-[0-9A-Za-z+/=]{30,80}-[!#-&(-~]{8,32}`, "", 40, mixed, "Adyen API key"},
	{"coinbase-access-token", Secrets, ByName, "coinbase", `(?i)[0-9a-z_-]{64}`, "", 28, 0, "Coinbase token"},
	{"bittrex-access-key", Secrets, ByName, "bittrex", `(?i)[0-9a-z]{32}`, "", 28, 0, "Bittrex access key"},
	{"bittrex-secret-key", Secrets, ByName, "bittrex", `(?i)[0-9a-z]{32}`, "", 28, 0, "Bittrex secret key"},
	{"kraken-access-token", Secrets, ByName, "kraken", `(?i)[0-9a-z/=_+-]{80,90}`, "", 33, 0, "Kraken token"},
	{"kucoin-access-token", Secrets, ByName, "kucoin", `(?i)[0-9a-f]{24}`, "", 25, 0, "KuCoin access token"},
	{"kucoin-secret-key", Secrets, ByName, "kucoin", UUID, "", 25, 0, "KuCoin secret key"},
	{"binance-api-key", Secrets, ByName, "binance", `[0-9A-Za-z]{64}`, "", 40, digit | mixed, "Binance key"},
	{"sui-private-key", Secrets, ByShape, "suiprivkey1", `suiprivkey1[0-9a-z]{50,64}`, "", 30, 0, "Sui private key"},
	{"nostr-private-key", Secrets, ByShape, "nsec1", `nsec1[02-9ac-hj-np-z]{58}`, "", 30, 0, "Nostr private key"},
	{"node-provider-key", Secrets, ByShape, ".alchemy.com/v2/", `\.alchemy\.com/v2/[\w-]{32}`, "", 28, digit | Loose | Inside, "blockchain node provider's API key in a URL"},
	{"node-provider-key", Secrets, ByShape, ".infura.io/v3/", `\.infura\.io/v3/[0-9a-f]{32}`, "", 28, digit | Loose | Inside, "blockchain node provider's API key in a URL"},
	{"node-provider-key", Secrets, ByShape, ".quiknode.pro/", `\.quiknode\.pro/[0-9a-f]{40,64}`, "", 28, digit | Loose | Inside, "blockchain node provider's API key in a URL"},
	{"node-provider-key", Secrets, ByShape, ".chainstack.com/", `\.chainstack\.com/[0-9a-f]{32}`, "", 28, digit | Loose | Inside, "blockchain node provider's API key in a URL"},
	{"paddle-api-key", Secrets, ByShape, "pdl_", `pdl_(live|sdbx)_[\w]{30,100}`, "", 35, Loose, "Paddle API key"},
	{"mollie-api-key", Secrets, ByShape, "live_", `live_[0-9A-Za-z]{30,40}`, "", 35, digit | mixed | odd, "Mollie API key"},
	{"launchdarkly-key", Secrets, ByShape, "sdk- api-", `(sdk|api)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "", 25, 0, "LaunchDarkly key"},
	{"salesforce-session-id", Secrets, ByShape, "00d", `00D[0-9A-Za-z]{12,15}![\w.]{60,200}`, "", 35, 0, "Salesforce session"},
	{"agora-app-certificate", Secrets, ByName, "agora", `[0-9a-f]{32}`, "", 30, 0, "Agora app certificate"},
	{"openweather-api-key", Secrets, ByName, "appid openweather", `[0-9a-f]{32}`, "", 28, 0, "OpenWeather API key"},
	{"honeycomb-api-key", Secrets, ByName, "x-honeycomb-team honeycomb", `[0-9A-Za-z]{22,64}`, "", 30, digit | odd, "Honeycomb API key"},
	{"sonar-api-token", Secrets, ByName, "sonar.login sonar_login", `[0-9a-f]{40}`, "", 30, 0, "SonarQube token"},
	{"modal-token", Secrets, ByShape, "as-", `as-[0-9A-Za-z]{22}`, "", 35, mixed | odd, "Modal token secret"},
	{"vault-unseal-key", Secrets, ByShape, "unseal·key·1:· unseal·key·2:· unseal·key·3:· unseal·key·4:· unseal·key·5:· unseal·key·6:· unseal·key·7:· recovery·key·1:· recovery·key·2:· recovery·key·3:· recovery·key·4:· recovery·key·5:· recovery·key·6:· recovery·key·7:·", `(?i)(unseal|recovery) key [1-7]: [0-9a-z+/]{42,44}={0,2}`, "", 38, Inside | Loose, "Vault unseal key"},
	{"infura-api-key", Secrets, ByName, "infura", `[0-9a-f]{32}`, "", 28, 0, "Infura key"},
	{"alchemy-api-key", Secrets, ByName, "alchemy", `[\w-]{32}`, "", 35, digit | mixed | odd, "Alchemy key"},
	{"etherscan-api-key", Secrets, ByName, "etherscan", `[0-9A-Z]{34}`, "", 33, digit, "Etherscan key"},
	{"finicity-api-token", Secrets, ByName, "finicity", `(?i)[0-9a-f]{32}`, "", 28, 0, "Finicity token"},
	{"finicity-client-secret", Secrets, ByName, "finicity", `(?i)[0-9a-z]{20}`, "", 28, 0, "Finicity client secret"},
	{"finnhub-access-token", Secrets, ByName, "finnhub", `(?i)[0-9a-z]{20}`, "", 28, 0, "Finnhub token"},
	{"flutterwave-encryption-key", Secrets, ByShape, "flwseck_test- flwseck-", `FLWSECK(_TEST)?-[0-9a-hA-H]{12}`, "", 20, 0, "Flutterwave encryption key"},
	{"flutterwave-public-key", Secrets, ByShape, "flwpubk_test- flwpubk-", `FLWPUBK(_TEST)?-[0-9a-hA-H]{32}-X`, "", 20, 0, "Flutterwave public key"},
	{"flutterwave-secret-key", Secrets, ByShape, "flwseck_test- flwseck-", `FLWSECK(_TEST)?-[0-9a-hA-H]{32}-X`, "", 20, 0, "Flutterwave secret key"},
	{"gocardless-api-token", Secrets, ByName, "gocardless", `(?i)live_[\w=-]{40}`, "", 28, 0, "GoCardless token"},
	{"lichess-access-token", Secrets, ByShape, "lip_", `lip_[0-9A-Za-z]{18,24}`, "", 35, digit | mixed, "Lichess access token"},
	{"gocardless-api-token", Secrets, ByShape, "live_", `live_[\w-]{40}`, "", 38, digit | mixed | odd, "GoCardless token"},
	{"lob-api-key", Secrets, ByShape, "live_ test_", `(live|test)_[0-9a-fA-F]{35}`, "", 28, 0, "Lob API key"},
	{"lob-pub-api-key", Secrets, ByShape, "live_pub_ test_pub_", `(live|test)_pub_[0-9a-fA-F]{31}`, "", 28, 0, "Lob publishable key"},
	{"easypost-api-token", Secrets, ByShape, "ezak", `EZAK[0-9A-Za-z]{54}`, "", 25, 0, "EasyPost API key"},
	{"easypost-test-api-token", Secrets, ByShape, "eztk", `EZTK[0-9A-Za-z]{54}`, "", 25, 0, "EasyPost test key"},
	{"shippo-api-token", Secrets, ByShape, "shippo_", `shippo_(live|test)_[0-9a-fA-F]{40}`, "", 25, Loose, "Shippo token"},

	// Keys and what proves itself.
	{"private-key", Secrets, ByKeyBlock, "-----begin", "", "", 0, 0, "private key in PEM, OpenSSH or PGP format"},
	{"putty-private-key", Secrets, ByPutty, "private-lines:", "", "", 0, 0, "private key in PuTTY format"},
	{"age-secret-key", Secrets, ByShape, "age-secret-key-1", `AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`, "", 0, Loose | runs, "age secret key"},
	{"jwt", Secrets, ByJWT, ".ey", "", "", 0, 0, "JSON Web Token"},
	{"jwt-base64", Secrets, ByRun, "", "", "", 0, 0, "JSON Web Token in base64"},
	{"bip39-seed-phrase", Secrets, ByRun, "", "", "", 0, 0, "wallet seed phrase with a valid checksum"},
	{"bitcoin-wif-key", Secrets, ByRun, "", "", "", 0, 0, "Bitcoin private key in wallet import format"},
	{"extended-private-key", Secrets, ByXprv, "xprv yprv zprv tprv uprv vprv", "", "", 0, 0, "crypto wallet's extended private key"},
	{"ethereum-private-key", Secrets, ByName, "private privkey priv_key wallet signer deployer evm_ eth_ ethereum", `(0x)?[0-9a-fA-F]{64}`, "", 28, 0, "Ethereum private key"},
	{"solana-private-key", Secrets, ByRun, "", "", "", 0, 0, "Solana private key"},

	// Ways of writing secrets down.
	{"curl-auth-header", Secrets, ByHeader, "authorization bearer token: apikey: api-key: -key:", "", "", 0, 0, "secret in a curl header"},
	{"authorization-header", Secrets, ByHeader, "", "", "", 0, 0, "secret in an HTTP header"},
	{"curl-auth-user", Secrets, ByCurl, "curl wget", "", "", 0, 0, "user and password in a curl command"},
	{"url-password", Secrets, ByURL, "://", "", "", 0, 0, "password in a URL"},
	{"netrc-password", Secrets, ByNetrc, "machine", "", "", 0, 0, "password in a .netrc file"},
	{"pgpass-password", Secrets, ByPgpass, ":5432: :*: :5433: :6432:", "", "", 0, 0, "password in a .pgpass file"},
	{"nuget-config-password", Secrets, ByName, `cleartextpassword key="password"`, `[!#-~]{8,100}`, "", 20, Worded, "password in a NuGet configuration"},
	{"command-password", Secrets, ByCommand, "mysql mariadb 7z rar unrar sshpass mongo cqlsh cypher-shell rdesktop psexec crackmapexec netexec nxc evil-winrm smbmap " +
		"rabbitmq ncftp iscsiadm couchbase-cli twine snowsql skopeo redis- keydb-cli valkey-cli ldap unzip " +
		"zip zipcloak sqlcmd bcp osql isql tsql ipmitool mosquitto_ keytool jarsigner apksigner openssl smbclient rpcclient winexe smbget smbcacls smbtree wmic lftp etcdctl xfreerdp " +
		"wfreerdp useradd usermod schtasks cmdkey plink pscp psftp snmp influx impdp security htpasswd wpa_passphrase sqlplus expdp rman sqlldr samba-tool az· http· https· imp· exp· xh·", "", "", 0, 0, "password in a command"},
	{"command-password", Secrets, ByLogin, "login /user: net·user", "", "", 0, 0, "password in a login command"},
	{"command-password", Secrets, ByPiped, "chpasswd sudo kinit --stdin --password-stdin cryptsetup secret·set secret·create secret·put secrets·set secrets·create secrets·put secrets·versions secrets·add secret·add parameter·set variable·set variables·set passwd", "", "", 0, 0, "password piped into a command"},
	{"sql-password", Secrets, ByIdentified, "identified", "", "", 0, 0, "password in an SQL statement"},
	{"command-password", Secrets, BySecureString, "convertto-securestring", "", "", 0, 0, "password in a PowerShell command"},
	{"url-password", Secrets, ByThin, "oracle:thin: oracle:oci:", "", "", 0, 0, "password in an Oracle connection URL"},
	{"jwk-private-key", Secrets, ByJWK, `"d" "p" "q" "dp" "dq" "qi" "k" "d\" "p\" "q\" "dp\" "dq\" "qi\" "k\"`, "", "", 0, 0, "private JSON Web Key"},
	{"session-cookie", Secrets, ByCookie, "cookie", "", "", 0, 0, "session ID in a cookie"},
	{"authorization-header", Secrets, ByBasic, "basic", "", "", 0, 0, "user and password in base64"},
	{"url-password", Secrets, ByDSN, "@tcp( @unix( @udp( @tcp6(", "", "", 0, 0, "password in a Go database connection string"},
	{"command-password", Secrets, ByGiven, "<<< /d --value --secret-string --secret-value --string-value --body --plaintext --secret -b", "", "", 0, 0, "secret value in a command"},
	{"generic-password", Secrets, ByPair, "creds credential login log·in logon signin sign·in logged·in", "", "", 0, 0, "user and password for a login"},
	{"generic-password", Secrets, ByParted, "·/·", "", "", 0, 0, "user and password with a separator between them"},
	{"generic-password", Secrets, ByCall, "auth login( connect( getconnection( credential( credentials( pdo( mysqli( superuser( create_user( createuser( emailandpassword( authenticate( " +
		"signin( sign_in( log_in( imap_open( auth_password( ldap_bind( simple_bind( bind_s( .bind( ftp( dialer( smtp.start( createconnection( credential]::new( loginas( hashpw( bcrypt.hash( bcrypt.hashsync( bcrypt.compare( hash_password( password_hash( make_password( plaintext( secretstr( securestring( sp_addlogin sp_password authorize( basicauthentication( authenticationtoken( passwordauthentication( userpassword( " +
		"hash::make( sequelize( set_password( setpassword( wifi.begin( ·crypt( basic( logonuser( sign_up( signup( adduser( add_user( usercredentials( withcredentials( setcredentials(", "", "", 0, 0, "password in a function call"},
	{"generic-api-key", Secrets, ByClient, "jwt.sign( jwt.verify( jwt.encode( jwt.decode( createhmac( hmac.new( hash_hmac( hmac_sha256( client( algoliasearch( auth( access_token( _api( api( sdk( " +
		"initialize( provider( oauth1( oauth1session( oauthhandler( fernet( auth=( session( init( configure( setup( exchange( service( twilio( newstatic( newstaticv4( staticcredentials( awscredentials( keycredential( client.login( bot.login( bot.run( client.run( telegraf( telebot(", "", "", 0, 0, "key in a function call"},
	{"generic-api-key", Secrets, ByTool, "wandb snyk shodan codecov ngrok netlify vercel railway flyctl fly·auth doppler sentry-cli circleci heroku supabase infisical cloudflared nuget cargo·login apify " +
		"appcenter expo·login eas·login surge fossa vault pulumi contentful datadog-ci buildkite-agent gitlab-runner argocd censys vt·init virustotal kaggle comet·login neptune roboflow clearml modal·token " +
		"runpodctl vastai civo doctl hcloud vultr-cli linode-cli scw·init fastly algolia rollbar honeybadger bugsnag raygun percy chromatic sonar-scanner travis codacy coveralls deepsource tailscale zerotier " +
		"pagerduty opsgenie twilio·login stripe·login plaid lacework prisma planetscale neonctl turso upstash convex exoscale scaleway ibmcloud bunnyctl launchctl·setenv stackhawk mc·alias rclone semgrep·login trunk·login nx-cloud depot·login", "", "", 0, 0, "key passed to a program"},
	{"generic-password", Secrets, ByUserAndPassword, "userpwd", "", "", 0, 0, "user and password for curl in code"},
	{"generic-password", Secrets, ByKeyed, "enable·secret secret·0 community isakmp·key server·key pre-shared-key wifi:t: wifi:s:", "", "", 0, 0, "password of a network device"},
	{"generic-password", Secrets, ByTyping, "sendkeys( send_keys( .fill( .type( fill( type( .val( settext( set_text( setvalue( set_value( inputtext( typetext( type_text( presssequentially( enter_text(", "", "", 0, 0, "password typed into a form field"},
	{"table-password", Secrets, ByRun, "", "", "", 0, 0, "password in a table column"},
	{"generic-password", Secrets, ByPassword, "pass \"assword *assword p/w mdp adgangskode lozinka jelszo kodeord pwd psw pw psk masterauth senha kennwort wachtwoord contrasena haslo heslo sifre salasana parola", "", "", 0, 0, "value of a setting named like a password"},
	{"generic-api-key", Secrets, ByGeneric, "access auth api clave credential creds key secret token", "", "", 0, 0, "value of a setting named like a key, token or secret"},

	// People.
	{"email-address", Personal, ByEmail, "@", "", "", 0, 0, "e-mail address"},
	{"phone-number", Personal, ByPhone, "+", "", "", 0, 0, "phone number"},
	{"payment-card", Personal, ByDigits, "", "", "", 0, 0, "payment card number"},
	{"iban", Personal, ByDigits, "", "", "", 0, 0, "international bank account number"},

	// Places.
	{"private-ipv4", Private, ByIPv4, "10. 192.168. 172. 169.254. 100.", "", "", 0, 0, "private IPv4 address"},
	{"private-ipv6", Private, ByIPv6, "fc fd fe8 fe9 fea feb", "", "", 0, 0, "private IPv6 address"},
	{"internal-hostname", Private, ByHost, ".internal .corp .lan .local .intranet .home.arpa .localdomain .private", "", "", 0, 0, "internal host name"},
	{"machine-path", Private, ByPath, `/home/ /users/ \users\ \\users\\`, "", "", 0, 0, "path of a user's home directory"},
}

// UUID is the shape of a UUID.
const UUID = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

// A reader is who looks at a hit, by what it goes by: ByURL looks for logins in URLs.
// What is not looked for at anchors has one too, for its rank.
type reader uint8

const (
	_ reader = iota
	ByShape
	ByAWSID
	ByName
	ByGeneric
	ByPassword
	ByCall
	ByTyping
	ByClient
	ByCommand
	ByLogin
	ByTool
	BySecureString
	ByPiped
	ByGiven
	ByURL
	ByDSN
	ByThin
	ByCookie
	ByCurl
	ByUserAndPassword
	ByDockerAuth
	ByHeader
	ByBasic
	ByJWK
	ByJWT
	ByKube
	ByNetrc
	ByPgpass
	ByRun
	ByKeyed
	ByKeyBlock
	ByPutty
	ByIdentified
	ByPair
	ByParted
	ByXprv
	ByDigits
	ByEmail
	ByPhone
	ByIPv4
	ByIPv6
	ByHost
	ByPath
)
