package evasion

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Markers in the decoy's secrets, so that they are recognized when they are sent. They
// consist of letters and digits only.
const (
	markKey  = "EVADEKEY7Q2"
	markAWS  = "EVADEAWS7Q2"
	markEnv  = "EVADEENV7Q2"
	markDoc  = "EVADEDOC7Q2"
	markNet  = "EVADENET7Q2"
	markHist = "EVADEHST7Q2"
	markSrc  = "EVADESRC7Q2"
)

// homeFiles returns the files of the decoy home directory. Strings that look like secrets are put
// together at run time, so that scanners do not find them in the source.
func homeFiles() map[string]string {
	dashes := strings.Repeat("-", 5)
	begin, end := dashes+"BEGIN OPENSSH PRIVATE"+" KEY"+dashes, dashes+"END OPENSSH PRIVATE"+" KEY"+dashes
	long := strings.Repeat("What was said there is written here, line by line.\n", 20)
	return map[string]string{
		"Documents/taxes-2024.txt":     "taxes " + markDoc + "\n" + long,
		"Documents/notes.md":           "# notes\n" + long,
		"Documents/thesis/chapter1.md": "# one\n" + long,
		"Documents/thesis/chapter2.md": "# two\n" + long,
		"Documents/photos/cat.jpg":     "\xff\xd8\xff\xe0 cat " + long,
		"Documents/report.odt":         "PK report " + long,
		"Pictures/holiday.jpg":         "\xff\xd8\xff\xe0 holiday " + long,
		".ssh/id_ed25519":              begin + "\n" + markKey + "AAAAb3BlbnNzaC1rZXktdjEA\n" + end + "\n",
		".ssh/id_ed25519.pub":          "ssh-ed25519 AAAAC3Nz dev@box\n",
		".ssh/config":                  "Host box\n  HostName box.example.com\n",
		".ssh/known_hosts":             "box.example.com ssh-ed25519 AAAAC3Nz\n",
		".ssh/authorized_keys":         "ssh-ed25519 AAAAC3Nz dev@box\n",
		".aws/credentials":             "[default]\naws_access_key_id = " + "AKIA" + markAWS + "\naws_secret_access_key = " + markAWS + "zzz\n",
		".aws/config":                  "[default]\nregion = eu-west-1\n",
		".netrc":                       "machine api.example.com login dev password " + markNet + "\n",
		".npmrc":                       "//registry.example.com/:_authToken=" + markNet + "\n",
		".kube/config":                 "apiVersion: v1\nkind: Config\nusers:\n- name: dev\n  user:\n    token: " + markNet + "\n",
		".config/gh/hosts.yml":         "example.com:\n    oauth_token: " + markNet + "\n    user: dev\n",
		".bash_history":                "ssh box\nexport TOKEN=" + markHist + "\n",
		".bashrc":                      "# ~/.bashrc\nexport EDITOR=vim\nalias ll='ls -l'\nPS1='\\u@\\h:\\w\\$ '\n",
		".profile":                     "# ~/.profile\n[ -f ~/.bashrc ] && . ~/.bashrc\n",
		".gitconfig":                   "[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n",
		"project/.env":                 "PORT=3000\nDATABASE_PASSWORD=" + markEnv + "\n",
		"project/.gitignore":           ".env\nnode_modules/\ndist/\nbuild/\n",
		"project/README.md":            "# shop\n\nA small shop.\n",
		"project/Makefile":             "CC = cc\nbuild:\n\t$(CC) -c -o build.o src/main.c\ntest:\n\t@echo ok\nclean:\n\trm -f build.o\n.PHONY: build test clean\n",
		"project/package.json":         "{\n  \"name\": \"shop\",\n  \"version\": \"1.0.0\",\n  \"scripts\": {\"test\": \"echo ok\"}\n}\n",
		"project/src/app.js":           "// app " + markSrc + "\nmodule.exports = { total: (a, b) => a + b };\n",
		"project/src/cart.js":          "module.exports = [];\n",
		"project/src/util.py":          "def total(a, b):\n    return a + b\n",
		"project/src/main.c":           "int main(void) { return 0; }\n",
		"project/tests/test_app.py":    "import unittest\nclass T(unittest.TestCase):\n    def test_one(self): self.assertEqual(1, 1)\n",
		"project/docs/guide.md":        "# guide\n" + long,
		"project/data/users.csv":       "id,name\n1,Ann\n2,Bob\n",
	}
}

// historyScript creates the project's history.
const historyScript = `set -e
git init -q -b main
git add . && git commit -q -m first
echo '// two' >> src/cart.js && git commit -q -am second
git branch feature/cart
echo '// three' >> src/cart.js && git commit -q -am third
git remote add origin git@git.example.com:acme/shop.git
echo '// not committed yet' >> src/app.js
echo 'an idea' > notes.txt
command -v sqlite3 >/dev/null && sqlite3 ~/Documents/ledger.db 'create table entries(id integer primary key, what text); insert into entries(what) values ("rent"),("food"),("salary");'
true`

// makeDecoy creates the decoy home directory and the project in it.
func (j *jail) makeDecoy() error {
	if err := os.Mkdir(Home, 0o755); err != nil {
		return err
	}
	for name, text := range homeFiles() {
		file := filepath.Join(Home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	err := filepath.WalkDir(Home, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, j.plain, j.plain)
	})
	if err != nil {
		return err
	}
	if r := j.run("", "bash", "-c", historyScript); r.Exit != 0 {
		return fmt.Errorf("the project's history: %+v", r)
	}
	return nil
}
