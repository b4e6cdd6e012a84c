package fleet

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"runtime"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/fleet/machine"
)

// Where the service of a fleet's machine is declared.
const (
	unitFile  = "/etc/systemd/system/checkrein-fleet.service"
	plistFile = "/Library/LaunchDaemons/dev.checkrein.fleet.plist"
)

const unit = `[Unit]
Description=checkrein: the agent of this machine's fleet
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=%q fleet-agent
Restart=always
RestartSec=5
# It reads the ledgers of all accounts, checks the agents of each as that account, and writes below /etc.
ProtectSystem=true
PrivateTmp=yes
NoNewPrivileges=yes

[Install]
WantedBy=multi-user.target
`

const plist = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>Label</key><string>dev.checkrein.fleet</string>
<key>ProgramArguments</key><array><string>%s</string><string>fleet-agent</string></array>
<key>RunAtLoad</key><true/>
<key>KeepAlive</key><true/>
</dict></plist>
`

// startService declares and starts the service, or says how to run it where that is not possible.
func startService(env *console.Env, e *machine.Enrollment) error {
	program, err := os.Executable()
	if err != nil {
		return base.AsFailure(err)
	}
	file, text, start := "", "", []string(nil)
	switch {
	case e.Advisory:
	case runtime.GOOS == "linux" && base.FileExists("/run/systemd/system"):
		file, text, start = unitFile, fmt.Sprintf(unit, program), []string{"systemctl", "enable", "--now", "checkrein-fleet.service"}
	case runtime.GOOS == "darwin":
		file, text, start = plistFile, fmt.Sprintf(plist, html.EscapeString(program)), []string{"launchctl", "bootstrap", "system", plistFile}
	}
	if file == "" {
		flag := ""
		if e.Advisory {
			flag = " --advisory"
		}
		fmt.Fprintf(env.Stdout, "Make the system run this command at startup: %s fleet-agent%s\n", program, flag)
		return nil
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return base.AsFailure(err)
	}
	if out, err := exec.Command(start[0], start[1:]...).CombinedOutput(); err != nil {
		return base.AsFailure(fmt.Errorf("starting the service: %w: %s", err, out))
	}
	fmt.Fprintf(env.Stdout, "Its service is declared in %s and runs.\n", file)
	return nil
}

// stopService stops and removes the service. It does not fail, because the machine leaves anyway.
func stopService(env *console.Env, e *machine.Enrollment) {
	file, stop := unitFile, []string{"systemctl", "disable", "--now", "checkrein-fleet.service"}
	if runtime.GOOS == "darwin" {
		file, stop = plistFile, []string{"launchctl", "bootout", "system/dev.checkrein.fleet"}
	}
	if e.Advisory || !base.FileExists(file) {
		return
	}
	out, err := exec.Command(stop[0], stop[1:]...).CombinedOutput()
	if err == nil {
		err = os.Remove(file)
	}
	if err != nil {
		fmt.Fprintf(env.Stderr, "checkrein: the service could not be removed: %v %s\n", err, out)
	}
}
