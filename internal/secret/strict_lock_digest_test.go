package secret

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/value"
	"github.com/rogpeppe/go-internal/txtar"
)

// lockSet contains lines with digests from the lock files of published modules.
//
//go:embed testdata/locks.txtar.gz
var lockSet []byte

// lockForms lists how lock files of each kind write digests. NAME stands for a name, HEX32
// and the like for a digest of that many characters, and B32 and B64 for one of that many
// bytes.
var lockForms = map[string]string{
	"go.sum":              "github.com/acme/NAME v1.2.3 h1:B32\ngithub.com/acme/NAME v1.2.3/go.mod h1:B32\n",
	"package-lock.json":   "    \"node_modules/NAME\": {\n      \"version\": \"1.2.3\",\n      \"resolved\": \"https://registry.example.com/NAME/-/NAME-1.2.3.tgz\",\n      \"integrity\": \"sha512-B64\",\n    },\n      \"integrity\": \"sha1-B20\"\n",
	"yarn.lock":           "NAME@^1.2.3:\n  version \"1.2.3\"\n  resolved \"https://registry.example.com/NAME/-/NAME-1.2.3.tgz#HEX40\"\n  integrity sha512-B64\n\n",
	"yarn.lock, berry":    "\"NAME@npm:^1.2.3\":\n  version: 1.2.3\n  resolution: \"NAME@npm:1.2.3\"\n  checksum: 10c0/HEX128\n  languageName: node\n\n",
	"pnpm-lock.yaml":      "  NAME@1.2.3:\n    resolution: {integrity: sha512-B64}\n    patch: (patch_hash=HEX64)\n        version: 1.2.3(HEX32)\n  '@acme/NAME@1.2.3-rc.1(HEX32)':\n    dependencies:\n",
	"bun.lock":            "    \"NAME\": [\"NAME@1.2.3\", \"\", {}, \"sha512-B64\"],\n    \"@types/NAME\": [\"@types/NAME@1.2.3\", \"\", { \"dependencies\": { \"tough-NAME\": \"^1.2.3\" } }, \"sha512-B64\"],\n",
	"deno.lock":           "    \"NAME@1.2.3\": {\n      \"integrity\": \"HEX64\"\n    },\n    \"https://deno.example.com/x/NAME@1.2.3/NAME.ts\": \"HEX64\",\n",
	"Cargo.lock":          "[[package]]\nname = \"NAME\"\nversion = \"1.2.3\"\nchecksum = \"HEX64\"\n\n",
	"poetry.lock":         "    {file = \"NAME-1.2.3-py3-none-any.whl\", hash = \"sha256:HEX64\"},\ncontent-hash = \"HEX64\"\n",
	"uv.lock":             "sdist = { url = \"https://files.example.com/packages/ee/67/HEX60/NAME-1.2.3.tar.gz\", hash = \"sha256:HEX64\", size = 16081 }\n",
	"Pipfile.lock":        "        \"NAME\": {\n            \"hashes\": [\n                \"sha256:HEX64\",\n            \"sha256\": \"HEX64\"\n",
	"pylock.toml":         "sdist = { name = \"NAME\", size = 16081, hashes = { sha256 = \"HEX64\" } }\n",
	"pixi.lock":           "- conda: https://conda.example.com/linux-64/NAME-1.2.3.conda\n  sha256: HEX64\n  md5: HEX32\n",
	"Gemfile.lock":        "CHECKSUMS\n  NAME (1.2.3) sha256=HEX64\n",
	"composer.lock":       "    \"content-hash\": \"HEX32\",\n            \"name\": \"acme/NAME\",\n                \"reference\": \"HEX40\",\n                \"shasum\": \"HEX40\"\n",
	"flake.lock":          "    \"NAME\": {\n        \"narHash\": \"sha256-B32\",\n        \"rev\": \"HEX40\",\n",
	"gomod2nix.toml":      "  [mod.\"github.com/acme/NAME\"]\n    version = \"v1.2.3\"\n    hash = \"sha256-B32\"\n",
	"mix.lock":            "  \"NAME\": {:hex, :NAME, \"1.2.3\", \"HEX64\", [:mix], [], \"hexpm\", \"HEX64\"},\n",
	"pubspec.lock":        "  NAME:\n    description:\n      name: NAME\n      sha256: \"HEX64\"\n",
	"Package.resolved":    "  \"originHash\" : \"HEX64\",\n      \"identity\" : \"NAME\",\n        \"revision\" : \"HEX40\",\n",
	"packages.lock.json":  "      \"NAME\": {\n        \"resolved\": \"1.2.3\",\n        \"contentHash\": \"B64\"\n",
	"conan.lock":          "        \"NAME/1.2.3#HEX32%1705999193.687\",\n",
	".terraform.lock.hcl": "provider \"registry.example.com/acme/NAME\" {\n    \"h1:B32\",\n    \"zh:HEX64\",\n",
	"MODULE.bazel.lock":   "    \"https://bcr.example.com/modules/NAME/1.2.3/source.json\": \"HEX64\",\n        \"bzlTransitiveDigest\": \"B32\",\n",
	"buf.lock":            "    repository: NAME\n    commit: HEX32\n    digest: b5:HEX128\n",
	"Podfile.lock":        "SPEC CHECKSUMS:\n  NAME: HEX40\n  AppAuth: HEX40\n",
	"verification.xml":    "         <artifact name=\"NAME-1.2.3.jar\">\n            <sha256 value=\"HEX64\" origin=\"made\"/>\n",
}

// lockPackageNames lists names of packages that contain names of secrets.
var lockPackageNames = []string{
	"left-pad", "docker-credential-helpers", "credentials", "auth0", "api-key", "token-types", "js-tokens", "password-hash", "passport", "secret-store", "cookie", "jsonwebtoken", "sign-in", "keyring", "htpasswd", "session",
}

// sampleDigest returns the nth sample digest, of size bytes.
func sampleDigest(n, size int) []byte {
	sum := sha512.Sum512(fmt.Append(nil, "lock", n))
	return sum[:size]
}

var digestPlace = regexp.MustCompile(`HEX(\d+)|B(20|32|64)\b`)

// fillLock returns a lock file in form with the given number of packages.
func fillLock(form string, packages int) string {
	var b strings.Builder
	n := 0
	for i := range packages {
		text := strings.ReplaceAll(form, "NAME", lockPackageNames[i%len(lockPackageNames)])
		b.WriteString(digestPlace.ReplaceAllStringFunc(text, func(place string) string {
			n++
			var size int
			if _, err := fmt.Sscanf(place, "HEX%d", &size); err == nil {
				return hex.EncodeToString(sampleDigest(n+1000*packages, size/2))
			}
			fmt.Sscanf(place, "B%d", &size)
			return base64.StdEncoding.EncodeToString(sampleDigest(n+1000*packages, size))
		}))
	}
	return b.String()
}

var anyDigest = regexp.MustCompile(`[A-Za-z0-9+/]{27,86}={1,2}|[0-9a-f]{32,128}`)

// digestFindings returns what the normal level finds, and what the strict level masks, in digests of
// the lock file text.
func digestFindings(text string) (usual, masked []string) {
	for _, f := range Find(nil, text, rules.Secrets) {
		usual = append(usual, f.Rule+": "+text[f.Start:f.End])
	}
	kept := map[string]bool{}
	for _, d := range anyDigest.FindAllString(Redactor{}.MaskText(text), -1) {
		kept[d] = true
	}
	for _, d := range anyDigest.FindAllString(text, -1) {
		if !kept[d] {
			masked = append(masked, d)
		}
	}
	return usual, masked
}

// plantedInLocks lists lines with secrets that users leave in lock files; SECRET stands for
// the secret.
var plantedInLocks = []struct{ line, secret string }{
	{`  "resolved": "https://joe:SECRET@npm.example.com/a/-/a-1.tgz",`, "k3Gh" + "7fQ2xLm9"},
	{"//npm.example.com/:_authToken=SECRET", "npm_" + sampleBase62(36)},
	{"# password = \"SECRET\"", "k3Gh" + "7fQ2xLm9!"},
	{"source = \"git+https://SECRET@github.com/acme/a.git\"", SampleTokens()["github classic"]},
	{"// SECRET", SampleTokens()["gitlab"]},
	{"checksum = \"SECRET\"", SampleTokens()["github classic"]},
}

// TestLockFiles checks lock files of all kinds at both levels: no digest is found, and
// secrets that are planted in the same files are. CHECKREIN_LOCKS names a directory with
// further files, as KIND/PROJECT.
func TestLockFiles(t *testing.T) {
	t.Parallel()
	type score struct{ files, digests, planted int }
	kinds := map[string]*score{}
	check := func(t *testing.T, kind, name, text string) {
		s := kinds[kind]
		if s == nil {
			s = &score{}
			kinds[kind] = s
		}
		s.files++
		s.digests += len(anyDigest.FindAllString(text, -1))
		usual, masked := digestFindings(text)
		if len(usual)+len(masked) > 0 {
			t.Errorf("%s: %d findings, such as %q; %d at the strict level, such as %q",
				name, len(usual), usual[:min(3, len(usual))], len(masked), masked[:min(3, len(masked))])
		}
		for _, p := range plantedInLocks {
			at := strings.IndexByte(text[len(text)/2:], '\n') + len(text)/2 + 1
			before := text[:at] + strings.Split(p.line, "SECRET")[0]
			planted := text[:at] + strings.Replace(p.line, "SECRET", p.secret, 1) + "\n" + text[at:]
			covers := func(f Finding) bool { return f.Start <= len(before) && f.End >= len(before)+len(p.secret) }
			if !slices.ContainsFunc(Find(nil, planted, rules.Secrets), covers) {
				t.Errorf("%s: %q is not found", name, p.line)
			}
			s.planted++
		}
	}
	for kind, form := range lockForms {
		check(t, kind, kind, fillLock(form, 400))
	}
	zip, err := gzip.NewReader(bytes.NewReader(lockSet))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(raw).Files {
		check(t, path.Base(f.Name)+", published", f.Name, string(f.Data))
	}
	if dir := os.Getenv("CHECKREIN_LOCKS"); dir != "" {
		files, _ := filepath.Glob(dir + "/*/*")
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			check(t, filepath.Base(filepath.Dir(file))+", given", filepath.Base(file), string(raw))
		}
	}
	for kind, s := range kinds {
		t.Logf("%-32s %3d files, %6d digests, %4d planted", kind, s.files, s.digests, s.planted)
	}
}

// TestDigestsThatDecodeByChance checks digests that are valid base64 of text, and values that look
// like a digest but encode a secret in hexadecimal.
func TestDigestsThatDecodeByChance(t *testing.T) {
	t.Parallel()
	for _, digest := range []string{"f35e956a19955ff08c1258e44a515a6d6248646b"} {
		for _, line := range []string{digest, "  resolved \"https://registry.example.com/a/-/a-1.0.tgz#" + digest + "\"\n"} {
			if got := (Redactor{}).MaskText(line); got != line {
				t.Errorf("%q: got %q", line, got)
			}
		}
	}
	spelt := hex.EncodeToString([]byte("AKIA" + "Z3Q7W5XK2M4N6P8R"))
	if got := (Redactor{}).MaskText("id " + spelt); len(spelt) != 40 || strings.Contains(got, spelt) {
		t.Errorf("a key in hexadecimal: %q", got)
	}
	for _, line := range []string{"version: (VALUE)", "password: x(VALUE)", "token(VALUE)", "login1.2(VALUE"} {
		value := hex.EncodeToString(sampleDigest(2, 16))
		if text := strings.Replace(line, "VALUE", value, 1); strings.Contains((Redactor{}).MaskText(text), value) {
			t.Errorf("%q stays", text)
		}
	}
}

// TestNamedSecretsAreNoDigests checks that values that look like digests but are named like secrets
// are found.
func TestNamedSecretsAreNoDigests(t *testing.T) {
	t.Parallel()
	digest := hex.EncodeToString(sampleDigest(1, 32))
	for _, line := range []string{"api_key = \"VALUE\"", "SECRET_TOKEN_HASH=VALUE", "password_hash: VALUE", "client_secret: VALUE", "{\"auth_token\": \"VALUE\"}"} {
		text := strings.Replace(line, "VALUE", digest, 1)
		if at := strings.Index(text, digest); value.InDigest(text, at, at+len(digest)) {
			t.Errorf("%s: taken for a digest", line)
		}
	}
}
