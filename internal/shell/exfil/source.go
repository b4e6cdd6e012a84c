package exfil

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// secretOutputTaint returns the taint of the output of c if its program prints secrets, such as the
// environment or a password, without reading a file. It reports false if c does not print any.
func secretOutputTaint(c *shell.Call) (l taint, ok bool) {
	switch program.HandsOf(c.Name) {
	case program.HandsPrintenv, program.HandsEnv, program.HandsSet, program.HandsDeclare:
		return environmentTaint(c)
	case program.HandsHistory:
		return taint{level: secret, from: fromOutput, what: "the shell history"}, true
	case program.HandsClipboard:
		return taint{level: secret, from: fromOutput, what: "the clipboard"}, true
	case program.HandsSelection:
		if hasArg(c, "-o") || hasArg(c, "-out") || hasArg(c, "--output") || hasArg(c, "-ob") || hasArg(c, "-bo") {
			return taint{level: secret, from: fromOutput, what: "the clipboard"}, true
		}
		return taint{}, false
	}
	for i := range secretPrinters {
		if k := &secretPrinters[i]; containsWord(k.names, c.Name) {
			if !hasWords(c, k.verbs) {
				break
			}
			return taint{level: secret, from: fromManager, what: "the output of " + c.Name, vendor: k.home}, true
		}
	}
	return taint{}, false
}

// environmentTaint returns the taint of the variables that env, printenv, set and declare print. It
// reports false if c does not print variables.
func environmentTaint(c *shell.Call) (taint, bool) {
	all := taint{level: secret, from: fromOutput, what: "the environment"}
	switch program.HandsOf(c.Name) {
	case program.HandsPrintenv:
		return variablesTaint(c, all)
	case program.HandsSet:
		return all, len(c.Args) == 0
	case program.HandsEnv:
		return all, !slices.ContainsFunc(c.Args, func(w shell.Word) bool { return !strings.HasPrefix(w.Text, "-") })
	}
	for i := range c.Args {
		a := c.Args[i].Text
		if !strings.HasPrefix(a, "-") {
			return variablesTaint(c, all)
		}
		if strings.IndexByte(a, 'f') > 0 || strings.IndexByte(a, 'F') > 0 {
			return taint{}, false
		}
	}
	return all, true
}

// variablesTaint returns the taint of the variables that `printenv A B` prints, which is a secret if a
// name suggests one. It returns all if c names no variable. It always reports true.
func variablesTaint(c *shell.Call, all taint) (taint, bool) {
	named := false
	for i := range c.Args {
		a := c.Args[i].Text
		if strings.HasPrefix(a, "-") {
			continue
		}
		named = true
		a, _, _ = strings.Cut(a, "=")
		if facts.IsSecretName(a) {
			return taint{level: secret, from: fromVariable, what: "$" + a, vendor: facts.SecretOwner(a)}, true
		}
	}
	if named {
		return taint{level: clean}, true
	}
	return all, true
}

// secretPrinters lists programs that print secrets, the vendor whose hosts may receive the secrets
// (home), and the words that make a program print them (verbs), as for hasWords. With empty verbs,
// every call does.
var secretPrinters = [...]struct{ names, home, verbs string }{
	{"git", "git", "credential fill|credential-store get|credential-cache get|credential-osxkeychain get"},
	{"gh", "github", "auth token|auth status -t|auth status --show-token|config get oauth_token"},
	{"glab", "gitlab", "auth token|auth status -t|config get token"},
	{"aws", "amazonaws", "configure get|configure export-credentials|sts get-session-token|sts assume-role|sts get-federation-token|secretsmanager get-secret-value|secretsmanager batch-get-secret-value|ssm get-parameter|ssm get-parameters|ssm get-parameters-by-path|ecr get-login-password|iam create-access-key|kms decrypt|codeartifact get-authorization-token|rds generate-db-auth-token|eks get-token"},
	{"gcloud", "google", "auth print-access-token|auth print-identity-token|auth application-default print-access-token|secrets versions access|config config-helper|iam service-accounts keys create"},
	{"az", "azure", "account get-access-token|keyvault secret show|keyvault secret download|acr credential show|storage account keys|ad sp create-for-rbac|aks get-credentials"},
	{"vault bao", "vault", "kv get|read|print token|token lookup|token create|unwrap"},
	{"op", "", "read|item get|inject|document get|get item|signin --raw"},
	{"pass gopass", "", "show|"},
	{"bw rbw", "", "get|list|export|unlock --raw"},
	{"lpass", "", "show|export"},
	{"security", "", "find-generic-password|find-internet-password|dump-keychain|export|find-certificate|find-key"},
	{"secret-tool", "", "lookup|search"},
	{"keyring", "", "get"},
	{"kubectl oc", "", "get secret|get secrets|describe secret|config view --raw|whoami -t|create token|config view --flatten|get secrets,configmaps|get all,secrets"},
	{"doppler infisical", "", "secrets|export|run"},
	{"chamber", "", "export|read|env"},
	{"heroku", "heroku", "config|auth:token|config:get"},
	{"fly flyctl", "fly", "auth token|tokens"},
	{"sops", "", "-d|--decrypt|decrypt|exec-env"},
	{"ansible-vault", "", "view|decrypt"},
	{"gpg gpg2", "", "-d|--decrypt|--export-secret-keys|--export-secret-subkeys|--export-secret-key"},
	{"terraform tofu", "", "output|state pull|state show|show"},
	{"pulumi", "", "config --show-secrets|stack output --show-secrets|stack export"},
	{"npm", "npmjs", "config get //registry.npmjs.org/:_authToken|token list|token create"},
	{"getent", "", "shadow|passwd|gshadow"},
	{"nmcli", "", "-s|--show-secrets"},
	{"dscl", "", "-read|-list"},
	{"mimikatz lazagne mimipenguin gimme-aws-creds aws-vault saml2aws unshadow trufflehog gitleaks", "", ""},
	{"docker podman", "", "secret inspect"},
	{"klist", "", "-k"},
}

// containsWord reports whether list, which is separated by spaces, contains word.
func containsWord(list, word string) bool {
	for list != "" {
		var one string
		if one, list, _ = strings.Cut(list, " "); one == word {
			return true
		}
	}
	return false
}

// hasWords reports whether the arguments of c contain all words of one of the rows, in order. Rows are
// separated by |, and words by spaces. An empty row always matches.
func hasWords(c *shell.Call, rows string) bool {
	for {
		row, rest, more := strings.Cut(rows, "|")
		if containsInOrder(c.Args, row) {
			return true
		}
		if !more {
			return false
		}
		rows = rest
	}
}

// containsInOrder reports whether args contain all words of row, in order but not necessarily
// adjacent. A word also matches an argument that continues with a slash.
func containsInOrder(args []shell.Word, row string) bool {
	i := 0
	for row != "" {
		word, rest, _ := strings.Cut(row, " ")
		for i < len(args) && args[i].Text != word && !strings.HasPrefix(args[i].Text, word+"/") {
			i++
		}
		if i == len(args) {
			return false
		}
		i, row = i+1, rest
	}
	return true
}

// hasArg reports whether one of the arguments of c is flag.
func hasArg(c *shell.Call, flag string) bool {
	for i := range c.Args {
		if c.Args[i].Text == flag {
			return true
		}
	}
	return false
}
