package resolve

import (
	"strings"
	"testing"
)

// TestRunningDownloadedFiles checks that commands which run downloaded files are reported, and that
// commands which only download, read or build them are not.
func TestRunningDownloadedFiles(t *testing.T) {
	for _, text := range []string{
		`git clone https://h/a/b && cd b && ./install.sh`, `git clone https://h/a/b; bash b/install.sh`, `git clone https://h/a/b.git && cd b && sudo ./install`, `git clone https://h/a/b && . b/env.sh`, `git clone https://h/a/b && cd b && source ./env.sh`,
		`git clone git@h:a/b.git && cd b && python main.py`, `git clone -b x --depth 1 ssh://h/a/b /tmp/z && node /tmp/z/index.js`, `git -C /tmp clone https://h/a/b && sh /tmp/b/x.sh`, `git clone "$URL" x && x/run`, `git clone https://h/a/b && (cd b && ./x.sh)`,
		`git clone https://h/a/b && pushd b && ./scripts/x.sh`, `git clone https://h/a/b && bash -c 'cd b; ./x.sh'`, `git clone https://h/a/b && cp b/x.sh . && sh x.sh`, `git clone https://h/a/b && cd b && make && ./install.sh`, `git clone https://h/a/b && mv b/x /tmp/y && /tmp/y`,
		`gh repo clone a/b && cd b && ./setup.sh`, `hg clone https://h/b && ./b/run`, `svn co https://h/t t && ./t/run`, `git clone https://h/a/b && env X=1 b/run`, `git clone https://h/a/b && timeout 5 perl b/x.pl`, `git clone https://h/a/b && bash -x b/x.sh a b`,
		`curl -L https://h/a.tgz | tar xz && ./a/run.sh`, `curl -L https://h/a.tgz | tar xz && cd a-1 && ./install.sh`, `curl -L https://h/a.tgz | tar xz && ./install.sh`, `wget -qO- https://h/a.tgz | tar -xzf - -C /tmp && /tmp/a/bin/a`, `curl -LO https://h/a.tgz && tar xzf a.tgz && bash a/install.sh`,
		`wget https://h/a.zip && unzip a.zip -d q && python q/x.py`, `curl -o a.tar https://h/x && tar --extract --file a.tar --directory=d && d/x`, `curl -L https://h/a.tgz | sudo tar xz && a/run`, `wget https://h/a.7z && 7z x a.7z -oq && q/x`, `curl -sL https://h/a.tgz | tar xz --strip-components=1 && sh install.sh`,
	} {
		if got := render(text, place); !strings.Contains(got, "!remote-code") {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, text := range []string{
		`git clone https://h/a/b && cd b && make`, `git clone https://h/a/b && cd b && npm install && npm test`, `git clone https://h/a/b && cd b && cargo build && ./target/debug/b`, `git clone https://h/a/b && cd b && ./configure && make && sudo make install`, `git clone https://h/a/b && cd b && make && ./b --version`,
		`git clone https://h/a/b && cd b && go build -o b . && ./b`, `git clone https://h/a/b && cd b && python -m venv .venv && .venv/bin/pip install -e .`, `git clone https://h/a/b && cd b && python setup.py install`, `git clone https://h/a/b && cat b/install.sh`, `git clone https://h/a/b && chmod +x b/install.sh`, `git clone https://h/a/b && cd b && ./gradlew build`,
		`git clone https://h/a/b && ./run.sh`, `git clone https://h/a/b && python train.py b/data`, `git clone ../o b && cd b && ./run.sh`, `git clone /srv/o b && b/run.sh`, `git clone file:///o b && b/run.sh`, `git clone https://h/a/b && cd b && npx tsc && node_modules/.bin/x`, `git clone https://h/a/b && cd b && cd .. && ./run.sh`, `git clone https://h/a/b && echo ls > b/x.sh && sh b/x.sh`,
		`curl -L https://h/a.tgz | tar xz && cd a && ./configure && make`, `curl -L https://h/d.tgz | tar xz && python train.py`, `curl -L https://h/d.tgz | tar xz -C data && python scripts/train.py`, `curl -L https://h/d.tgz | tar xz && bash scripts/run.sh`, `curl -L https://h/a.tgz | tar tz && ./run.sh`, `tar xzf a.tgz && ./a/run.sh`, `unzip a.zip && ./a/run.sh`,
	} {
		if got := render(text, place); strings.Contains(got, "!") {
			t.Errorf("%s: %s", text, got)
		}
	}
}
