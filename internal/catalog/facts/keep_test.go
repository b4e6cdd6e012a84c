package facts

import (
	"strings"
	"testing"
)

// TestPrivatePathsAreSecretFiles checks that files with private content are secret files.
func TestPrivatePathsAreSecretFiles(t *testing.T) {
	t.Parallel()
	for top, list := range map[string][]privatePath{"~/": homePrivatePaths[:], "/": rootPrivatePaths[:]} {
		for _, k := range list {
			path := strings.ReplaceAll(k.path, "*", "x")
			if strings.HasSuffix(path, "/") {
				path += "x"
			}
			if !IsSecretFile(top+path) && !IsSecretFile(top+strings.ReplaceAll(k.path, "*", "")) {
				t.Errorf("%s%s holds %s, and is no secret file", top, k.path, k.what)
			}
		}
	}
}

func TestIsCredentialName(t *testing.T) {
	t.Parallel()
	for _, name := range strings.Fields(`Authorization X-Auth-Token X-API-Key x-goog-api-key Private-Token Cookie --password --token --api-key -pass api_key key appid access_token sig client_secret --identity-file --ssl-key Ocp-Apim-Subscription-Key X-Vault-Token auth oauth_token`) {
		if !IsCredentialName(name) {
			t.Errorf("%s is not there for a credential", name)
		}
	}
	for _, name := range strings.Fields(`X-Data User-Agent Content-Type author X-Author --output data body q keyword monkeys message X-Request-Id page`) {
		if IsCredentialName(name) {
			t.Errorf("%s is there for a credential", name)
		}
	}
}

func TestFindSecretFile(t *testing.T) {
	t.Parallel()
	for _, code := range []string{`print(open('.env').read())`, `open(home + "/.ssh/id_rsa")`, `os.path.join(h, ".ssh", "x")`, `open(F,"<id_rsa")`, "fs.readFileSync(`/etc/shadow`)", `cat(~/.aws/credentials)`, `File.read('server.key')`} {
		if _, ok := FindSecretFile(code); !ok {
			t.Errorf("%s names no secret", code)
		}
	}
	for _, code := range []string{`import secrets; secrets.token`, `self.token = data.key`, `d["secrets"]`, `x["token"]`, `open("README.md")`, `process.env.HOME`, `print(".env.example")`, ``, `"`} {
		if path, ok := FindSecretFile(code); ok {
			t.Errorf("%s names the secret %s", code, path)
		}
	}
}
