package resolve

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// BenchmarkCalls measures typical commands, including parsing.
func BenchmarkCalls(b *testing.B) {
	rows := []struct{ name, text string }{
		{"plain", "ls -la src"},
		{"chain", "cd app && npm install --save-dev typescript 2>&1 | tail -5"},
		{"git", "git status && git diff --stat | head -20"},
		{"sudo", "sudo rm -rf /var/log/*.gz"},
		{"nested", `bash -c "r=rm; \$r -rf /tmp/x"`},
		{"find", `find . -name '*.pyc' -exec rm -f {} +`},
		{"substitution", `git commit -m "$(printf 'fix: %s' thing)"`},
		{"script", script7k()},
	}
	p := shell.Place{Dir: "/work/app", Root: "/work/app", Home: "/home/u"}
	for _, r := range rows {
		b.Run(r.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				Calls(r.text, p)
			}
		})
	}
}

// script7k returns an ordinary script of about 7 KB.
func script7k() string {
	const part = `#!/usr/bin/env bash
set -euo pipefail
name=${1:-app}
out="$HOME/build/$name"
build() {
  local target=$1
  if [ ! -d "$out" ]; then
    mkdir -p "$out"
  fi
  for f in a.c b.c; do
    cc -O2 -c "$f" -o "$out/${f%.c}.o" || { echo "no $f" >&2; return 1; }
  done
  tar -C "$out" -czf "$target.tgz" . | tee log.txt
}
case "$name" in
  app) build "$name" ;;
  *) echo "unknown $name" ;;
esac
cat > notes.txt <<EOF2
Built $name on $(date)
EOF2
`
	return strings.Repeat(part, 14)
}
