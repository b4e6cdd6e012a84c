package shell

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// An installer is the address of a well-known project's own install script. If path ends in *, it is a
// prefix.
type installer struct{ host, path string }

// installers lists the scripts that the projects' own pages tell users to run. Hosts and paths are in
// lower case. Those of agents are in [hosts.Installers].
var installers = [...]installer{
	// Languages and their tools.
	{"sh.rustup.rs", ""}, {"win.rustup.rs", "*"}, {"static.rust-lang.org", "/rustup/*"}, {"bun.sh", "/install"}, {"bun.sh", "/install.ps1"}, {"bun.com", "/install"}, {"bun.com", "/install.ps1"},
	{"deno.land", "/install.sh"}, {"deno.land", "/install.ps1"}, {"deno.land", "/x/install/install.sh"}, {"astral.sh", "/uv/*"}, {"astral.sh", "/ruff/*"}, {"install.python-poetry.org", ""}, {"bootstrap.pypa.io", "/get-pip.py"}, {"pyenv.run", ""},
	{"get.pnpm.io", "/install.sh"}, {"get.pnpm.io", "/install.ps1"}, {"get.volta.sh", ""}, {"fnm.vercel.app", "/install"}, {"deb.nodesource.com", "/setup_*"}, {"rpm.nodesource.com", "/setup_*"}, {"yarnpkg.com", "/install.sh"},
	{"get.sdkman.io", ""}, {"get.rvm.io", ""}, {"mise.run", ""}, {"mise.jdx.dev", "/install.sh"}, {"get-ghcup.haskell.org", ""}, {"get.haskellstack.org", ""}, {"elixir-lang.org", "/install.sh"}, {"install.julialang.org", ""},
	{"getcomposer.org", "/installer"}, {"get.symfony.com", "/cli/installer"}, {"dot.net", "/v1/dotnet-install.sh"}, {"dot.net", "/v1/dotnet-install.ps1"}, {"wasmtime.dev", "/install.sh"}, {"get.wasmer.io", ""}, {"pixi.sh", "/install.sh"}, {"micro.mamba.pm", "/install.sh"},
	{"golangci-lint.run", "/install.sh"}, {"taskfile.dev", "/install.sh"}, {"just.systems", "/install.sh"}, {"goreleaser.com", "/static/run"}, {"nixos.org", "/nix/install"}, {"install.determinate.systems", "/nix*"}, {"get.scoop.sh", ""}, {"community.chocolatey.org", "/install.ps1"},
	{"raw.githubusercontent.com", "/homebrew/install/head/install.sh"}, {"raw.githubusercontent.com", "/homebrew/install/master/install.sh"}, {"raw.githubusercontent.com", "/homebrew/install/main/install.sh"}, {"raw.githubusercontent.com", "/nvm-sh/nvm/*"}, {"raw.githubusercontent.com", "/pyenv/pyenv-installer/*"}, {"raw.githubusercontent.com", "/rbenv/rbenv-installer/*"}, {"raw.githubusercontent.com", "/tj/n/*"}, {"raw.githubusercontent.com", "/golangci/golangci-lint/*"},

	// Containers, clusters and clouds.
	{"get.docker.com", "*"}, {"get.helm.sh", "*"}, {"raw.githubusercontent.com", "/helm/helm/*"}, {"get.k3s.io", ""}, {"get.k0s.sh", ""}, {"get.rke2.io", ""}, {"raw.githubusercontent.com", "/k3d-io/k3d/*"}, {"raw.githubusercontent.com", "/kubernetes-sigs/kustomize/*"}, {"fluxcd.io", "/install.sh"},
	{"run.linkerd.io", "/install*"}, {"istio.io", "/downloadistio"}, {"get.okteto.com", ""}, {"raw.githubusercontent.com", "/tilt-dev/tilt/*"}, {"raw.githubusercontent.com", "/aquasecurity/trivy/*"}, {"raw.githubusercontent.com", "/anchore/syft/*"}, {"raw.githubusercontent.com", "/anchore/grype/*"},
	{"raw.githubusercontent.com", "/nektos/act/*"}, {"raw.githubusercontent.com", "/terraform-linters/tflint/*"}, {"get.pulumi.com", ""}, {"get.opentofu.org", "/install-opentofu.sh"}, {"fly.io", "/install.sh"}, {"cli-assets.heroku.com", "/install*"}, {"railway.com", "/install.sh"}, {"dl.dagger.io", "/dagger/install.sh"},
	{"aka.ms", "/installazureclideb"}, {"aka.ms", "/install-azd.sh"}, {"sdk.cloud.google.com", ""}, {"cli.doppler.com", "/install.sh"}, {"get.tur.so", "/install.sh"}, {"install.duckdb.org", ""}, {"clickhouse.com", ""}, {"sentry.io", "/get-cli/"}, {"get.acme.sh", ""}, {"rclone.org", "/install.sh"},
	{"tailscale.com", "/install.sh"}, {"ollama.com", "/install.sh"}, {"encore.dev", "/install.sh"}, {"coder.com", "/install.sh"}, {"code-server.dev", "/install.sh"},

	// Shells, editors and agents.
	{"starship.rs", "/install.sh"}, {"install.ohmyz.sh", ""}, {"raw.githubusercontent.com", "/ohmyzsh/ohmyzsh/*"}, {"raw.githubusercontent.com", "/ajeetdsouza/zoxide/*"}, {"raw.githubusercontent.com", "/zimfw/install/*"}, {"ohmyposh.dev", "/install.sh"}, {"setup.atuin.sh", ""}, {"zed.dev", "/install.sh"},
	{"aider.chat", "/install.sh"}, {"aider.chat", "/install.ps1"}, {"ampcode.com", "/install.sh"}, {"app.factory.ai", "/cli"},
}

// sharedHosts lists hosts to which anyone can upload, or whose names do not show where they lead: link
// shorteners, and the user content of forges and messengers. Drop hosts, which facts.IsDropHost lists,
// count as well.
const sharedHosts = "toptal.com gist.github.com gist.githubusercontent.com cdn.discordapp.com media.discordapp.net bit.ly tinyurl.com t.co goo.gl is.gd v.gd ow.ly git.io rb.gy cutt.ly shorturl.at tiny.cc s.id t.ly rebrand.ly " +
	"bl.ink buff.ly lnkd.in tiny.one da.gd u.to adf.ly cutt.us short.io"

// ScriptCategory returns the category of running the script at url: RemoteScriptKnown for the
// installer of a well-known project, RemoteScriptPlain for an address that anyone may control, and
// otherwise RemoteCode.
func ScriptCategory(url string) Category {
	scheme, rest, ok := strings.Cut(strings.ToLower(strings.Trim(url, `"'`)), "://")
	if !ok {
		scheme, rest = "http", strings.ToLower(url) // the default of curl and wget
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, path := rest[:end], rest[end:]
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	name, port, _ := strings.Cut(host, ":")
	to := facts.HostOf(url)
	switch {
	case strings.ContainsRune(scheme+host, Placeholder):
		return RemoteCode
	case to.IsLocal() && !to.Open:
		return RemoteCode
	case scheme != "https" || to.Open || facts.IsIPAddress(to.Name) || to.Name == "" || isSharedHost(to.Name) || strings.HasSuffix(name, ".onion"):
		return RemoteScriptPlain
	case strings.IndexByte(host, '@') >= 0 || port != "" && port != "443" || strings.Contains(path, "..") || strings.ContainsAny(path, "%\\\uFFFC") || strings.Contains(path, "//"):
		return RemoteCode
	}
	for i := range installers {
		in := &installers[i]
		if in.host == name && in.matchesPath(path) {
			return RemoteScriptKnown
		}
	}
	for i := range hosts.Installers {
		in := &installer{hosts.Installers[i].Domain, hosts.Installers[i].Path}
		if in.host == name && in.matchesPath(path) {
			return RemoteScriptKnown
		}
	}
	return RemoteCode
}

// matchesPath reports whether path is that of the installer.
func (in *installer) matchesPath(path string) bool {
	begin, open := strings.CutSuffix(in.path, "*")
	if !open {
		return strings.TrimSuffix(path, "/") == strings.TrimSuffix(in.path, "/")
	}
	rest, ok := strings.CutPrefix(path, begin)
	if !ok {
		return false
	}
	// GitHub serves the commits of every fork under the name of the original, so
	// only branches and tags certainly belong to the project.
	ref, _, _ := strings.Cut(rest, "/")
	return in.host != "raw.githubusercontent.com" || ref != "refs" && (len(ref) < 7 || strings.Trim(ref, "0123456789abcdef") != "") || strings.HasPrefix(rest, "refs/heads/") || strings.HasPrefix(rest, "refs/tags/")
}

// isSharedHost reports whether anyone can upload to host or to a parent domain of it, or whether it
// shortens links.
func isSharedHost(host string) bool {
	return facts.IsDropHost(host) || facts.InDomains(host, sharedHosts)
}

// WorstScriptCategory returns the worst script category of the addresses in text, or RemoteCode if
// there are none.
func WorstScriptCategory(text string) Category {
	worst := NoCategory
	for rest := text; ; {
		i := strings.Index(rest, "://")
		if i < 0 {
			break
		}
		from := strings.LastIndexAny(rest[:i], " \t\n\"'`(=<|;,") + 1
		to := i + strings.IndexAny(rest[i:]+" ", " \t\n\"'`)>|;,")
		worst = WorseScriptCategory(worst, ScriptCategory(rest[from:min(to, len(rest))]))
		rest = rest[min(to, len(rest)):]
	}
	if worst == NoCategory {
		return RemoteCode
	}
	return worst
}

// WorseScriptCategory returns the worse of the script categories a and b. Any of them is worse than
// NoCategory.
func WorseScriptCategory(a, b Category) Category {
	if a == NoCategory || b == RemoteScriptPlain || b == RemoteCode && a == RemoteScriptKnown {
		return b
	}
	return a
}
