package person

// terminals lists the programs that start shells for people, sorted: terminals, desktops and editors, by
// the names of their files in lower case. Programs that run arbitrary code, such as python, and those
// that do not need a screen are not included.
var terminals = [...]string{
	"alacritty", "black-box", "blackbox", "cinnamon-session", "code", "code-insiders", "code-oss", "codium", "contour", "cool-retro-term", "cosmic-term", "cursor",
	"deepin-terminal", "electron", "eterm", "foot", "footclient", "ghostty", "gnome-console", "gnome-shell", "gnome-terminal", "gnome-terminal-server", "guake", "havoc",
	"hyper", "hyprland", "iterm", "itermserver", "kgx", "kitty", "konsole", "kwin_wayland", "kwin_x", "lilyterm", "lxterminal", "mate-terminal", "mintty",
	"mlterm", "plasmashell", "ptyxis", "ptyxis-agent", "qterminal", "rio", "roxterm", "rxvt", "sakura", "st", "sway", "tabby", "terminal", "terminology", "termite",
	"tilix", "urxvt", "urxvtd", "vscodium", "warp", "warp-terminal", "wayst", "wezterm", "wezterm-gui", "wezterm-mux-server", "windsurf", "xfce4-terminal", "xterm", "yakuake", "zed", "zed-editor", "zutty",
}

// commandOptions lists the options with which a terminal runs a command.
var commandOptions = []string{"-e", "-x", "--", "--command", "--execute", "--hold-cmd", "+runpy", "+launch"}

// injectionVars lists the environment variables that make a program run other code.
var injectionVars = []string{"LD_PRELOAD", "LD_AUDIT", "ELECTRON_RUN_AS_NODE"}

// jobRunners lists the programs that run commands at a later time, when no person is present.
var jobRunners = []string{"cron", "crond", "anacron", "fcron", "atd", "at", "batch", "supervisord", "systemd-run", "run-parts"}

var sshds = []string{"sshd", "sshd-session", "sshd-auth", "dropbear"}

// systemDirs lists the directories of programs that are installed for all users.
var systemDirs = []string{"/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/opt/", "/snap/", "/Applications/", "/System/", "/Library/", "/nix/store/", "/gnu/store/", "/home/linuxbrew/.linuxbrew/"}
