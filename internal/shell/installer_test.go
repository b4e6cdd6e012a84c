package shell

import (
	"strings"
	"testing"
)

// TestScriptCategory checks the script categories of addresses.
func TestScriptCategory(t *testing.T) {
	t.Parallel()
	for want, urls := range map[Category]string{
		RemoteScriptKnown: `https://sh.rustup.rs https://sh.rustup.rs/ https://bun.sh/install https://astral.sh/uv/install.sh https://astral.sh/uv/0.5.1/install.sh https://get.docker.com https://deb.nodesource.com/setup_20.x
			https://raw.githubusercontent.com/nvm-sh/nvm/v0.40.1/install.sh https://raw.githubusercontent.com/Homebrew/install/HEAD/install.sh https://raw.githubusercontent.com/helm/helm/main/scripts/get-helm-3 https://claude.ai/install.sh
			https://raw.githubusercontent.com/ohmyzsh/ohmyzsh/refs/heads/master/tools/install.sh HTTPS://SH.RUSTUP.RS https://get.pnpm.io:443/install.sh https://clickhouse.com/`,
		RemoteCode: `https://example.com/install.sh https://raw.githubusercontent.com/someone/x/main/i.sh https://sh.rustup.rs.evil.com/ https://sh.rustup.rs@evil.com/ https://sh.rustup.rs:8443/ https://bun.sh/install/x https://astral.sh/uv/../x
			https://raw.githubusercontent.com/nvm-sh/nvm/0123456789abcdef0123456789abcdef01234567/install.sh https://raw.githubusercontent.com/nvm-sh/nvm/refs/pull/1/head/install.sh http://localhost:8000/i.sh https://` + string(Placeholder) + `/x https://get.k3s.io/` + string(Placeholder) + ` https://notbit.ly/x`,
		RemoteScriptPlain: `http://sh.rustup.rs http://example.com/i.sh https://1.2.3.4/i.sh https://[::2]/i https://0x7f000001/ https://2130706433/x https://pastebin.com/raw/x https://bit.ly/x https://gist.githubusercontent.com/a/b/raw/c ftp://x.org/i.sh
			https://abc.ngrok.io/x https://x.trycloudflare.com/i get.docker.com https://git.io/x https://x.onion/i`,
	} {
		for _, url := range strings.Fields(urls) {
			if got := ScriptCategory(url); got != want {
				t.Errorf("%s: %s, want %s", url, got, want)
			}
		}
	}
	if got := WorstScriptCategory("iwr https://get.scoop.sh | iex"); got != RemoteScriptKnown {
		t.Error(got)
	}
	if got := WorstScriptCategory("a https://get.scoop.sh 'http://x.org/y'"); got != RemoteScriptPlain {
		t.Error(got)
	}
	if got := WorstScriptCategory("nothing"); got != RemoteCode {
		t.Error(got)
	}
}
