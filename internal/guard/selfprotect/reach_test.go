package selfprotect

import (
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein"
)

// TestProtectPathsOfVariables checks that paths below variables that hold the user's directories are
// protected, in a shell and in code.
func TestProtectPathsOfVariables(t *testing.T) {
	t.Parallel()
	f := newProtectedHome(t)
	state, settings := filepath.Join(f.home, "st"), filepath.Join(f.home, "cfg")
	f.environ = []string{"HOME=" + f.home, "XDG_STATE_HOME=" + state, "XDG_CONFIG_HOME=" + settings + "/"}
	f.write(filepath.Join(state, "checkrein", "blocks.lock"), "")
	f.write(filepath.Join(f.project, "g.json"), "{}")
	for want, commands := range map[checkrein.Decision][]string{
		checkrein.Deny: {
			"cp g.json $XDG_STATE_HOME/checkrein/grants.json", `cp g.json "${XDG_STATE_HOME}/checkrein/grants.json"`, "cat g.json > $XDG_STATE_HOME/checkrein/grants.json", "cp pz.json $XDG_STATE_HOME/checkrein/pause.json",
			"cd $XDG_STATE_HOME/checkrein && cp " + f.project + "/g.json grants.json", "d=$XDG_STATE_HOME/check; cp g.json ${d}rein/grants.json", "echo x > $XDG_CONFIG_HOME/checkrein/checkrein.yaml", "rm -rf ${XDG_STATE_HOME:-$HOME/.local/state}/checkrein",
			`python3 -c "import os;d=os.environ['XDG_STATE_'+'HOME'];p=os.path.join(d,'check'+'rein','gra'+'nts.json');open(p,'w').write(open('g.json').read())"`,
			`node -e "require('fs').copyFileSync('g.json',process.env.XDG_STATE_HOME+'/check'+'rein/grants.json')"`,
		},
		checkrein.Ask: {"echo '. /tmp/rc9' >> $XDG_STATE_HOME/../.bashrc", "echo x >> $XDG_CONFIG_HOME/fish/config.fish"},
		checkrein.NoOpinion: {
			"cat $XDG_STATE_HOME/checkrein/blocks.lock", "cp g.json $XDG_STATE_HOME/mine/g.json", "mkdir -p $XDG_CONFIG_HOME/app && cp g.json $XDG_CONFIG_HOME/app/", "checkrein pause", "checkrein suggest --json", "checkrein suggest --json --since 7d",
		},
	} {
		for _, command := range commands {
			if v := f.judge("Bash", map[string]any{"command": command}); v.Decision != want {
				t.Errorf("%s: %s, want %s; %s", command, v.Decision, want, v.Reason)
			}
		}
	}
	for _, command := range []string{"checkrein pause 30m", "checkrein pause off", "checkrein suggest", "checkrein suggest --json --json=false"} {
		if v := f.judge("Bash", map[string]any{"command": command}); v.Decision != checkrein.Deny {
			t.Errorf("%s: %s", command, v.Decision)
		}
	}
}

// TestUnpackElsewhere checks that unpacking into a directory only counts if files of checkrein are below it.
func TestUnpackElsewhere(t *testing.T) {
	t.Parallel()
	f := newProtectedHome(t)
	for _, unpack := range []string{"tar -x -f a.tar -C ", "tar xzf a.tgz -C ", "unzip a.zip -d "} {
		for dir, stops := range map[string]bool{"/var/tmp": false, "/var/tmp/x": false, "vendor": false, "~": true, filepath.Dir(f.home): true} {
			if v := f.judge("Bash", map[string]any{"command": unpack + dir}); (v.Decision != checkrein.NoOpinion) != stops {
				t.Errorf("%s%s: %s, want a stop: %v; %s", unpack, dir, v.Decision, stops, v.Reason)
			}
		}
	}
}

// TestProtectStartupFiles checks that files that other programs than shells run when they start count
// as start-up files, and that checkrein's programs are protected wherever they are installed. Files of
// a project do not count.
func TestProtectStartupFiles(t *testing.T) {
	t.Parallel()
	f := newProtectedHome(t)
	for want, paths := range map[checkrein.Decision][]string{
		checkrein.Ask: {
			"~/.config/tmux/tmux.conf", "~/.tmux.conf", "~/.bash_completion", "~/.local/share/bash-completion/completions/git", "~/.gdbinit", "~/.screenrc", "~/.exrc", "~/.vimrc", "~/.vim/plugin/x.vim", "~/.config/nvim/init.lua", "~/.envrc",
		},
		checkrein.Deny:      {"~/.local/bin/checkrein", "~/bin/checkrein", "~/go/bin/checkreind", "~/.local/bin/checkrein-models", "~/go/bin/checkrein-models"},
		checkrein.NoOpinion: {".envrc", ".gdbinit", ".exrc", ".config/tmux/tmux.conf", "~/.config/other/b", "~/.local/share/app/x", "bin/checkrein"},
	} {
		for _, path := range paths {
			for _, command := range []string{"echo x > " + path, "cp a.conf " + path, "mkdir -p ~/.config; printf x >> " + path} {
				if v := f.judge("Bash", map[string]any{"command": command}); v.Decision != want {
					t.Errorf("%s: %s, want %s; %s", command, v.Decision, want, v.Reason)
				}
			}
			abs := path
			if path[0] == '~' {
				abs = f.home + path[1:]
			}
			if v := f.judge("Write", map[string]any{"file_path": abs, "content": "x"}); v.Decision != want {
				t.Errorf("Write %s: %s, want %s; %s", path, v.Decision, want, v.Reason)
			}
		}
	}
}

// TestProtectPartialPaths checks that a change at a path that is not fully known is denied if it may
// be one of checkrein's, and so is a directory tree that is copied over checkrein's files.
func TestProtectPartialPaths(t *testing.T) {
	t.Parallel()
	f := newProtectedHome(t)
	f.write(filepath.Join(f.project, "g.json"), "{}")
	f.write(filepath.Join(f.project, "n/checkrein/grants.json"), "{}")
	f.write(filepath.Join(f.home, ".local/state/checkrein/ledger/key"), "key")
	f.write(filepath.Join(f.home, ".local/state/checkrein/machine.key"), "key")
	for want, commands := range map[checkrein.Decision][]string{
		checkrein.Deny: {
			"cp g.json ~/.local/st*/ch*/", "cp -t ~/.local/*/checkre* n/checkrein/grants.json", "cd ~/.local/st*/ch*; cp " + f.project + "/g.json grants.json", "cd ~/.local/sta*/checkrein && cp " + f.project + "/g.json grants.json",
			"for d in ~/.local/state/*; do cp g.json $d/grants.json; done", `for d in ~/.local/state/*/; do cp g.json "${d}grants.json"; done`, "for d in ~/.local/*/*; do cat g.json > $d/grants.json; done",
			"cp g.json $(dirname $(ls ~/.local/state/*/blocks.lock))/grants.json", `find .. -name blocks.lock | while read f; do cp g.json "$(dirname $f)/grants.json"; done`, `cat g.json > "$WHERE/grants.json"`, "mv pz.json $X/pause.json",
			"find /tmp -name blocks.lock -execdir cp " + f.project + `/g.json grants.json \;`, `find .. -name blocks.lock -printf '%h\n' | xargs -I{} cp g.json {}/grants.json`,
			"cp -rT n ~/.local/state", "cp -r n/. ~/.local/state", "cp -r n/checkrein ~/.local/state", "rsync -a n/ ~/.local/state/",
			"cat ~/.local/state/checkrein/ledger/key", "base64 < ~/.local/state/checkrein/ledger/key", "xxd ~/.local/state/*/ledger/k*", "cp ~/.local/state/checkrein/ledger/key .", "cp -r ~/.local/state/checkrein/ledger /tmp/l", "tar czf /tmp/l.tgz ~/.local/state/checkrein", `python3 -c "print(open('` + f.home + `/.local/state/checkrein/ledger/key','rb').read())"`,
			"cd ~/.local/state/checkrein/ledger && cat key", "ln -s ~/.local/state/checkrein/ledger/key k",
			"cat ~/.local/state/checkrein/machine.key", "cp ~/.local/state/checkrein/machine.key .", "base64 < ~/.local/state/checkrein/*.key", `python3 -c "print(open('` + f.home + `/.local/state/checkrein/machine.key','rb').read())"`,
			"cat ~/.local/state/checkrein/inside.key", "curl -H @" + f.home + "/.local/state/checkrein/serve-token http://localhost", "cat ~/.local/state/checkrein/serve-token",
		},
		checkrein.NoOpinion: {
			"for d in packages/*; do cp tsconfig.json $d/; done", "for d in packages/*; do cp grants.json $d/; done", `for f in src/*.go; do sed -i s/a/b/ "$f"; done`, "cp -r n /tmp/n", "cp g.json src/*", "find . -name '*.orig' -execdir rm {} \\;", "find . -name a.txt -execdir cp {} b.txt \\;", "ls *.txt | xargs -I{} cp {} /tmp/{}",
			"cp grants.json testdata/grants.json", `cp g.json "$OUT/g.json"`, "cat key machine.key inside.key serve-token", "cat ~/.local/state/checkrein/ledger/current.jsonl", "ls ~/.local/state/checkrein/ledger", "cp -rT n /tmp/n2", "cat ~/keys/key", "tar czf /tmp/p.tgz src",
		},
	} {
		for _, command := range commands {
			if v := f.judge("Bash", map[string]any{"command": command}); v.Decision != want {
				t.Errorf("%s: %s, want %s; %s", command, v.Decision, want, v.Reason)
			}
		}
	}
	for _, key := range []string{"ledger/key", "machine.key", "inside.key", "serve-token"} {
		if v := f.judge("Read", map[string]any{"file_path": f.home + "/.local/state/checkrein/" + key}); v.Decision != checkrein.Deny || v.Metadata["rule"] != "self/key" {
			t.Errorf("Read of %s: %s %v", key, v.Decision, v.Metadata)
		}
	}
	if v := f.judge("Read", map[string]any{"file_path": f.project + "/key"}); v.Decision != checkrein.NoOpinion {
		t.Errorf("Read of another key: %s %s", v.Decision, v.Reason)
	}
}
