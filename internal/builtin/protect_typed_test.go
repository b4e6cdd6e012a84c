package builtin

import (
	"testing"

	"github.com/checkrein/checkrein"
)

// A command that is a person's to give is not an agent's to give, nor to type into
// a person's terminal, however the keys are written. What cannot be read is asked
// about, and all other keys are left alone.
func TestProtectTyped(t *testing.T) {
	t.Parallel()
	f := newField(t)
	for want, commands := range map[checkrein.Decision][]string{
		checkrein.Deny: {
			"checkrein allow 4f2a", "checkrein allow", "checkrein allow --list 4f2a --once", "checkrein allow --revoke 4f2a", "checkrein pause 30m", "checkrein wrong 4f2a", "checkrein suggest", "checkrein confirm", "checkreind allow 4f2a", "/usr/bin/checkrein allow 4f2a --always",
			"tmux send-keys -t 0 'checkrein allow 4f2a' Enter", "tmux send-keys -t 0 checkrein Space allow Space 4f2a Enter", "tmux send-keys -t 0 check rein ' allow 4f2a' Enter", "tmux send-keys -lt 0 'checkrein pause 30m'", "tmux set-buffer 'checkrein allow 4f2a' \\; paste-buffer -t 0", "tmux new-window 'checkrein allow 4f2a'", "tmux respawn-pane -k 'checkrein confirm'",
			"screen -S x -X stuff 'checkrein allow 4f2a\\n'", "screen -X register p 'checkrein allow 4f2a'", "zellij action write-chars 'checkrein allow 4f2a'", "zellij run -- checkrein allow 4f2a", "kitty @ send-text 'checkrein wrong 4f2a\\n'", "kitten @ send-text 'checkrein allow 4f2a'", "wezterm cli send-text --no-paste 'checkrein allow 4f2a'",
			"xdotool type 'checkrein allow 4f2a'", "ydotool type 'checkrein suggest'", "wtype 'checkrein allow 4f2a'", "ttyecho -n /dev/pts/3 checkrein allow 4f2a", "echo 'checkrein allow 4f2a' > /dev/pts/3",
			`osascript -e 'tell application "System Events" to keystroke "checkrein allow 4f2a"'`, `osascript -e 'tell app "iTerm2" to tell current session of current window to write text "checkrein hooks approve --all"'`,
			`python3 -c 'import fcntl, termios; [fcntl.ioctl(0, termios.TIOCSTI, c) for c in "checkrein allow 4f2a"]'`, "dtach -n /tmp/s checkrein allow 4f2a", "script -qc 'checkrein allow 4f2a' /dev/null", "ssh localhost checkrein allow 4f2a", "setsid -f checkrein confirm", "systemd-run --user --pty checkrein allow 4f2a", "echo checkrein allow 4f2a | at now", "unshare -rpf checkrein allow 4f2a",
		},
		checkrein.Ask: {
			`tmux send-keys -t 0 "$(cat /tmp/x)" Enter`, `tmux send-keys -t 0 "$KEYS" Enter`, "tmux send-keys -t 0 -H 63 68 65", "tmux paste-buffer -t 0", "tmux load-buffer /tmp/x", `screen -S x -X stuff "$(cat /tmp/x)"`, "screen -X readbuf", `xdotool type "$KEYS"`, "xdotool type --file /tmp/x", "kitten @ send-text --from-file /tmp/x", "zellij action write 99 104",
			`python3 -c 'import fcntl, termios; [fcntl.ioctl(0, termios.TIOCSTI, c) for c in open("/tmp/x").read()]'`,
		},
		checkrein.NoOpinion: {
			"checkrein allow --list", "checkrein allow --list --json", "checkrein allow --help", "checkrein explain", "checkrein explain 4f2a", "checkrein packs", "checkrein packs git", "checkrein status", "checkrein audit query --denied",
			"tmux send-keys -t build 'make test' Enter", "tmux send-keys -t build C-c", "tmux send-keys -t build 'checkrein status' Enter", "T=build; tmux send-keys -t $T 'make' Enter", "tmux new-session -d -s x", "tmux ls", "tmux capture-pane -p -t build", "screen -ls", "screen -S x -X stuff 'make test\\n'", "zellij action write-chars 'make test'", "zellij ls",
			"kitty @ send-text --match id:1 'make'", "kitty @ ls", "wezterm cli send-text 'make test'", "xdotool type --delay 1 hello", "xdotool key Return", "xdotool search --name x", "echo done > /dev/pts/3", "echo x > /dev/tty", "osascript -e 'display notification \"done\"'",
			"git commit -m 'tmux send-keys: no checkrein allow'", "grep -rn TIOCSTI src", "grep -rn 'checkrein allow' docs", "echo 'a person runs checkrein allow 4f2a'",
		},
	} {
		for _, command := range commands {
			if v := f.judge("Bash", map[string]any{"command": command}); v.Decision != want {
				t.Errorf("%s: %s, want %s; %s", command, v.Decision, want, v.Reason)
			}
		}
	}
}
