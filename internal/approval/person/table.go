package person

// terminals are the programs that start shells for people, sorted: terminals,
// desktops and editors, as the files are called, in lower case. Programs that run
// anything, such as python, are not among them, nor are those that need no screen.
var terminals = [...]string{
	"alacritty", "black-box", "blackbox", "cinnamon-session", "code", "code-insiders", "code-oss", "codium", "contour", "cool-retro-term", "cosmic-term", "cursor",
	"deepin-terminal", "electron", "eterm", "foot", "footclient", "ghostty", "gnome-console", "gnome-shell", "gnome-terminal", "gnome-terminal-server", "guake", "havoc",
	"hyper", "hyprland", "iterm", "itermserver", "kgx", "kitty", "konsole", "kwin_wayland", "kwin_x", "lilyterm", "lxterminal", "mate-terminal", "mintty",
	"mlterm", "plasmashell", "ptyxis", "ptyxis-agent", "qterminal", "rio", "roxterm", "rxvt", "sakura", "st", "sway", "tabby", "terminal", "terminology", "termite",
	"tilix", "urxvt", "urxvtd", "vscodium", "warp", "warp-terminal", "wayst", "wezterm", "wezterm-gui", "wezterm-mux-server", "windsurf", "xfce4-terminal", "xterm", "yakuake", "zed", "zed-editor", "zutty",
}

// runs are the options by which a terminal is given what to run.
var runs = []string{"-e", "-x", "--", "--command", "--execute", "--hold-cmd", "+runpy", "+launch"}

// steering are the variables by which a program runs code that is not its own.
var steering = []string{"LD_PRELOAD", "LD_AUDIT", "ELECTRON_RUN_AS_NODE"}

// jobs are the programs that run what was left with them, when no person is there.
var jobs = []string{"cron", "crond", "anacron", "fcron", "atd", "at", "batch", "supervisord", "systemd-run", "run-parts"}

var sshds = []string{"sshd", "sshd-session", "sshd-auth", "dropbear"}

// systemDirs are where programs are installed for all.
var systemDirs = []string{"/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/opt/", "/snap/", "/Applications/", "/System/", "/Library/", "/nix/store/", "/gnu/store/", "/home/linuxbrew/.linuxbrew/"}
