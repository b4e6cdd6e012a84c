package builtin

import (
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein"
)

// Variables that say where a person's directories are name what lies there, in a
// shell and in code.
func TestProtectByVariable(t *testing.T) {
	t.Parallel()
	f := newField(t)
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

// What other programs than shells run when they start is a start-up file too, and
// our programs are ours wherever a person has them. A project's own are its own.
func TestProtectStartups(t *testing.T) {
	t.Parallel()
	f := newField(t)
	for want, paths := range map[checkrein.Decision][]string{
		checkrein.Ask: {
			"~/.config/tmux/tmux.conf", "~/.tmux.conf", "~/.bash_completion", "~/.local/share/bash-completion/completions/git", "~/.gdbinit", "~/.screenrc", "~/.exrc", "~/.vimrc", "~/.vim/plugin/x.vim", "~/.config/nvim/init.lua", "~/.envrc",
		},
		checkrein.Deny:      {"~/.local/bin/checkrein", "~/bin/checkrein", "~/go/bin/checkreind"},
		checkrein.NoOpinion: {".envrc", ".gdbinit", ".exrc", ".config/tmux/tmux.conf", "~/.local/bin/mytool", "~/.config/other/b", "~/.local/share/app/x", "bin/checkrein"},
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
