package facts

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// A keep is where people keep what opens other doors. Paths are in lower case;
// one that ends with / is a directory with all that it holds, and * stands for a
// part of a name.
type keep struct{ path, what string }

const (
	aKey      = "a private key"
	aCred     = "stored credentials"
	aStore    = "a password store"
	aBrowser  = "a browser's profile"
	anAccount = "the system's password file"
)

// homeKeeps lie in a home directory, beside those of hosts.
var homeKeeps = [...]keep{
	{".ssh/", aKey}, {".gnupg/private-keys-v1.d/", aKey}, {".gnupg/secring.gpg", aKey}, {".gnupg/", aKey}, {".putty/", aKey}, {".config/sops/age/", aKey}, {".config/age/", aKey},
	{".step/secrets/", aKey}, {".minisign/", aKey}, {".bitcoin/wallet*", aKey}, {".ethereum/keystore/", aKey}, {".config/solana/id.json", aKey}, {".electrum/wallets/", aKey},

	{".aws/credentials*", aCred}, {".aws/sso/cache/", aCred}, {".aws/cli/cache/", aCred}, {".aws/", aCred},
	{".config/gcloud/application_default_credentials*", aCred}, {".config/gcloud/credentials.db", aCred}, {".config/gcloud/access_tokens.db", aCred}, {".config/gcloud/legacy_credentials/", aCred},
	{".azure/accesstokens.json", aCred}, {".azure/msal_token_cache*", aCred}, {".azure/service_principal_entries*", aCred}, {".kube/config*", aCred}, {".docker/config.json*", aCred},
	{".config/containers/auth.json", aCred}, {".netrc", aCred}, {"_netrc", aCred}, {".authinfo*", aCred}, {".npmrc", aCred}, {".yarnrc.yml", aCred}, {".pypirc", aCred}, {".pgpass", aCred}, {".my.cnf", aCred}, {".mylogin.cnf", aCred},
	{".git-credentials", aCred}, {".config/git/credentials", aCred}, {".config/gh/hosts.yml", aCred}, {".config/hub", aCred}, {".config/glab-cli/config.yml", aCred}, {".cargo/credentials*", aCred}, {".gem/credentials", aCred},
	{".terraform.d/credentials.tfrc.json", aCred}, {".terraformrc", aCred}, {".vault-token", aCred}, {".config/rclone/rclone.conf", aCred}, {".s3cfg", aCred}, {".boto", aCred}, {".oci/", aCred}, {".config/doctl/config.yaml", aCred},
	{".fly/config.yml", aCred}, {".databrickscfg", aCred}, {".snowflake/", aCred}, {".kaggle/kaggle.json", aCred}, {".cloudflared/*.json", aCred}, {".cloudflared/cert.pem", aCred}, {".config/heroku/", aCred},
	{".config/op/", aCred}, {".msmtprc", aCred}, {".m2/settings-security.xml", aCred}, {"appdata/roaming/gcloud/credentials.db", aCred}, {"appdata/roaming/gcloud/application_default_credentials.json", aCred},

	{".password-store/", aStore}, {".local/share/gopass/stores/", aStore}, {".local/share/keyrings/", aStore}, {".gnome2/keyrings/", aStore}, {".local/share/kwalletd/", aStore}, {"library/keychains/", aStore}, {".1password/", aStore}, {".config/1password/", aStore},
	{".config/bitwarden*/", aStore}, {"library/application support/bitwarden*/", aStore}, {"appdata/local/microsoft/credentials/", aStore}, {"appdata/roaming/microsoft/credentials/", aStore}, {"appdata/local/microsoft/vault/", aStore},

	{".mozilla/firefox/", aBrowser}, {".config/google-chrome*/", aBrowser}, {".config/chromium/", aBrowser}, {".config/bravesoftware/", aBrowser}, {".config/microsoft-edge*/", aBrowser}, {".config/vivaldi/", aBrowser}, {".config/opera/", aBrowser},
	{"snap/firefox/common/.mozilla/", aBrowser}, {"library/application support/google/chrome/", aBrowser}, {"library/application support/firefox/", aBrowser}, {"library/application support/bravesoftware/", aBrowser},
	{"library/application support/microsoft edge/", aBrowser}, {"library/cookies/", aBrowser}, {"library/safari/", aBrowser}, {"appdata/local/google/chrome/user data/", aBrowser}, {"appdata/roaming/mozilla/firefox/", aBrowser}, {"appdata/local/microsoft/edge/user data/", aBrowser},
	{".thunderbird/", aBrowser},

	{".cache/huggingface/token", aCred}, {".huggingface/token", aCred}, {".vercel/auth.json", aCred}, {".local/share/com.vercel.cli/auth.json", aCred}, {".supabase/access-token", aCred},
	{".railway/config.json", aCred}, {".netlify/config.json", aCred}, {".config/netlify/config.json", aCred}, {".wrangler/config/", aCred}, {".config/.wrangler/config/", aCred},
	{".config/configstore/firebase-tools.json", aCred}, {".config/stripe/config.toml", aCred}, {".composer/auth.json", aCred}, {".config/composer/auth.json", aCred}, {".config/slack/cookies*", aBrowser},
	{".var/app/org.mozilla.firefox/", aBrowser}, {".config/exodus/", aKey},
}

// openKeeps are those in the same directories that hold no secret.
var openKeeps = [...]string{
	".ssh/config*", ".ssh/known_hosts*", ".ssh/authorized_keys*", ".ssh/allowed_signers*", ".ssh/rc", ".ssh/conf.d/*", ".ssh/config.d/*", ".gnupg/*.conf", ".gnupg/pubring*", ".gnupg/trustdb.gpg", ".aws/config*", ".aws/amazonq/*",
	".oci/config",
}

// rootKeeps are the system's own.
var rootKeeps = [...]keep{
	{"etc/shadow*", anAccount}, {"etc/gshadow*", anAccount}, {"etc/master.passwd", anAccount}, {"etc/ssh/ssh_host_*_key", aKey}, {"etc/ssl/private/", aKey}, {"etc/letsencrypt/live/*/privkey*", aKey}, {"etc/letsencrypt/archive/", aKey}, {"etc/wireguard/", aKey},
	{"etc/kubernetes/admin.conf", aCred}, {"etc/rancher/k3s/k3s.yaml", aCred}, {"library/keychains/", aStore}, {"var/run/secrets/", aCred}, {"run/secrets/", aCred}, {"etc/networkmanager/system-connections/", aCred},
}

// Kept says what a path holds that opens other doors: a private key, stored
// credentials, a password store, a browser's profile. The path is absolute and in
// lower case; rest is what follows the home directory that it lies in.
func Kept(abs, rest string, inHome bool) (what string, ok bool) {
	if inHome {
		for _, open := range openKeeps {
			if fits(open, rest) {
				return "", false
			}
		}
		if what := kept(homeKeeps[:], rest); what != "" {
			return what, true
		}
		for _, s := range hosts.Secrets {
			if s.At == hosts.InHome && isKept(s.Path, rest) {
				return aCred, true
			}
		}
	} else if what := kept(rootKeeps[:], strings.TrimPrefix(abs, "/")); what != "" {
		return what, true
	}
	return keyFile(abs, inHome)
}

// keyFile is about files that are keys and stores by their name, wherever they lie
// outside the project.
func keyFile(abs string, inHome bool) (string, bool) {
	base := abs[strings.LastIndexByte(abs, '/')+1:]
	if base == "" || abs[0] != '/' && abs[0] != '~' || !inHome && strings.HasPrefix(abs, "/tmp/") || sample(base) || strings.Contains(abs, "/certs/") || strings.Contains(abs, "/ca-certificates") || strings.Contains(abs, "/site-packages/") || strings.Contains(abs, "/node_modules/") || strings.Contains(abs, "/testdata/") {
		return "", false
	}
	switch {
	case strings.HasSuffix(base, ".kdbx") || strings.HasSuffix(base, ".psafe3") || strings.HasSuffix(base, ".opvault"):
		return aStore, true
	case strings.HasPrefix(base, "id_") && (strings.HasPrefix(base, "id_rsa") || strings.HasPrefix(base, "id_ed25519") || strings.HasPrefix(base, "id_ecdsa") || strings.HasPrefix(base, "id_dsa")):
		return aKey, !source(base)
	case strings.HasSuffix(base, ".pem") || strings.HasSuffix(base, ".ppk") || strings.HasSuffix(base, ".p12") || strings.HasSuffix(base, ".pfx"):
		return aKey, !certificate(base) && base != "cert.pem"
	}
	return "", false
}

// kept finds what is kept at a path, which may be a pattern.
func kept(list []keep, rest string) string {
	for i := range list {
		if isKept(list[i].path, rest) {
			return list[i].what
		}
	}
	return ""
}

// isKept reports whether a path, which may be a pattern, is that of a keep.
func isKept(keep, rest string) bool {
	dir, whole := strings.CutSuffix(keep, "/")
	switch {
	case whole && (rest == dir || strings.HasPrefix(rest, dir+"/")), !whole && rest == dir:
		return true
	case strings.IndexByte(dir, '*') >= 0:
		return fits(dir, rest) || whole && fits(dir+"/*", rest)
	}
	return strings.ContainsAny(rest, "*?[") && telling(rest) && fits(rest, dir)
}
