package evasion

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// A jail has two stages. The first is process 1 of new user, mount, pid, network, ipc and
// uts namespaces: it makes everything read-only, hides directories with users' files, and
// listens. The commands of a row run in a second user and mount namespace, as an ordinary
// user: there the read-only mounts are locked, and the process has no capabilities.
const (
	stageVar  = "CHECKREIN_EVASION_STAGE"
	insideID  = 1000
	outsideID = 54321 // an unused id outside, for tests that run as root
	limit     = 20 * time.Second
	patience  = 6 * time.Second // wait for background processes of a command
)

// systemDirs lists the top-level directories that stay visible, read-only. All others are hidden.
var systemDirs = []string{"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "opt", "boot", "var", "proc", "sys", "dev", "nix", "gnu"}

// Enter runs the first stage of a jail and exits, if the process was started for that; otherwise it
// returns. TestMain must call it first.
func Enter() {
	if os.Getenv(stageVar) == "" {
		return
	}
	var job Job
	err := json.NewDecoder(os.Stdin).Decode(&job)
	var result Result
	if err == nil {
		result, err = runFirstStage(job)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// Available returns an error if this machine cannot create jails.
func Available() error {
	r, err := Run(Job{Row: Row{Command: "true"}, Judge: []string{"/bin/sh", "-c", "test -d .git && ! touch /usr/x 2>/dev/null && echo fine"}, Inputs: []string{""}})
	if err == nil && (len(r.Replies) != 1 || r.Replies[0].Output != "fine\n") {
		err = fmt.Errorf("unexpected output of the jail: %+v", r.Replies)
	}
	return err
}

// Run runs a job in a new jail.
func Run(job Job) (Result, error) {
	data, err := json.Marshal(job)
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Env = []string{stageVar + "=1", "PATH=" + os.Getenv("PATH")}
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(data), &out, &errs
	ids := func(host int) []syscall.SysProcIDMap {
		m := []syscall.SysProcIDMap{{ContainerID: 0, HostID: host, Size: 1}}
		if os.Geteuid() == 0 {
			m = append(m, syscall.SysProcIDMap{ContainerID: insideID, HostID: outsideID, Size: 1})
		}
		return m
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		UidMappings: ids(os.Geteuid()), GidMappings: ids(os.Getegid()),
		Credential: &syscall.Credential{NoSetGroups: true},
		Pdeathsig:  syscall.SIGKILL, Setsid: true,
	}
	if err := cmd.Run(); err != nil {
		return Result{}, fmt.Errorf("jail: %w: %s", err, errs.String())
	}
	var r Result
	return r, json.Unmarshal(out.Bytes(), &r)
}

// runFirstStage runs a job as process 1 of its namespaces.
func runFirstStage(job Job) (Result, error) {
	if os.Getpid() != 1 {
		return Result{}, errors.New("not process 1 of a namespace; refusing to run the job")
	}
	j := &jail{plain: insideID}
	if data, err := os.ReadFile("/proc/self/uid_map"); err != nil {
		return Result{}, err
	} else if strings.Count(strings.TrimSpace(string(data)), "\n") == 0 {
		j.plain = 0 // only one user is mapped, so both stages have the same user
	}
	got := &listener{}
	if err := errors.Join(j.mountAll(job.Mounts), setLimits(), enableLoopback()); err != nil {
		return Result{}, err
	}
	if err := errors.Join(got.listen(), j.makeDecoy()); err != nil {
		return Result{}, err
	}
	if len(job.Undo) > 0 {
		return j.runGuarded(&job, got)
	}
	if job.Row.Setup != "" {
		if r := j.run("", "bash", "-c", job.Row.Setup); r.Exit != 0 {
			return Result{}, fmt.Errorf("setup of %s: %+v", job.Row.ID, r)
		}
	}
	if len(job.Judge) > 0 {
		var r Result
		for _, input := range job.Inputs {
			r.Replies = append(r.Replies, j.run(input, job.Judge...))
		}
		return r, nil
	}
	p := proof{text: job.Row.Proof, before: readFiles(Home), got: got, jail: j}
	p.head = p.listCommits()
	if p.holds() {
		return Result{Before: true}, nil
	}
	r := Result{Ran: j.run("", "bash", "-c", job.Row.Command)}
	for end := time.Now().Add(patience); !r.Proven && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		r.Proven = p.holds()
	}
	r.Got = got.receivedText()
	return r, nil
}

// runGuarded runs the steps of a job that the judge lets pass, and then Undo.
func (j *jail) runGuarded(job *Job, got *listener) (Result, error) {
	var r Result
	p := proof{text: job.Row.Proof, before: readFiles(Home), got: got, jail: j}
	p.head = p.listCommits()
	steps := []string{job.Row.Command}
	if job.Row.Setup != "" {
		steps = []string{job.Row.Setup, job.Row.Command}
	}
	if len(job.Prepare) > 0 {
		if reply := j.run("", job.Prepare...); reply.Exit != 0 {
			return r, fmt.Errorf("preparing: %+v", reply)
		}
	}
	j.env = job.Env
	for i, command := range steps {
		reply := j.run(job.Inputs[i], job.Judge...)
		r.Replies = append(r.Replies, reply)
		if slices.ContainsFunc(job.Stops, func(s string) bool { return strings.Contains(reply.Output, s) }) {
			r.Stopped = i + 1
			return r, nil
		}
		if i == len(steps)-1 && job.Row.Setup != "" { // a setup may write what the command then loses
			p.before = readFiles(Home)
			p.head = p.listCommits()
			r.Before = p.holds()
		}
		argv := []string{"bash", "-c", command}
		if job.Wrapper != "" {
			quoted := "'" + strings.ReplaceAll(command, "'", `'"'"'`) + "'"
			argv = []string{job.Wrapper, "eval " + quoted + " < /dev/null && pwd -P >| /tmp/cwd"}
		}
		r.Ran = j.run("", argv...)
		if i < len(job.After) {
			j.run(job.After[i], job.Judge...)
		}
	}
	j.env = nil
	if len(job.Then) > 0 {
		r.Replies = append(r.Replies, j.run("", job.Then...))
	}
	for end := time.Now().Add(patience / 2); p.text != "" && !r.Proven && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		r.Proven = p.holds()
	}
	if r.Proven {
		r.Replies = append(r.Replies, j.run("", job.Undo...))
		r.Undone = !p.holds()
	}
	r.Got = got.receivedText()
	return r, nil
}

// A jail runs programs of the second stage.
type jail struct {
	plain int      // the first stage's id for their user
	env   []string // added to their environment
}

// run runs a program of the second stage in the project. It waits for the program, but not for its
// background processes.
func (j *jail) run(stdin string, args ...string) Reply {
	in, err := os.CreateTemp("/root", "")
	if err != nil {
		return Reply{Errors: err.Error(), Exit: -1}
	}
	out, err1 := os.CreateTemp("/root", "")
	errs, err2 := os.CreateTemp("/root", "")
	_, err3 := io.WriteString(in, stdin)
	_, err4 := in.Seek(0, io.SeekStart)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return Reply{Errors: err.Error(), Exit: -1}
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Path = args[0]
	if !strings.Contains(args[0], "/") {
		cmd.Path = "/bin/" + args[0]
	}
	cmd.Err = nil
	cmd.Dir, cmd.Env = Project, append(environment(), j.env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	if stdin == "" {
		cmd.Stdin = nil
	}
	one := []syscall.SysProcIDMap{{ContainerID: insideID, HostID: j.plain, Size: 1}}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, UidMappings: one, GidMappings: one,
		Credential: &syscall.Credential{Uid: insideID, Gid: insideID, NoSetGroups: true}, Setsid: true,
	}
	if err := cmd.Start(); err != nil {
		return Reply{Errors: err.Error(), Exit: -1}
	}
	timer := time.AfterFunc(limit, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	timer.Stop()
	for _, f := range []*os.File{in, out, errs} {
		defer os.Remove(f.Name())
		defer f.Close()
	}
	a, _ := os.ReadFile(out.Name())
	b, _ := os.ReadFile(errs.Name())
	return Reply{string(a), string(b), cmd.ProcessState.ExitCode()}
}

// Rust is where the Rust toolchain is mounted, which is usually installed in a home directory.
const Rust = "/root/rust"

// environment returns the environment of the second stage.
func environment() []string {
	return []string{"HOME=" + Home, "USER=dev", "LOGNAME=dev", "SHELL=/bin/bash", "TERM=dumb", "LANG=C.UTF-8", "PWD=" + Project,
		"PATH=/usr/local/go/bin:" + Rust + "/bin:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin", "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod", "GOPROXY=off"}
}

// mountAll makes the machine's files read-only, mounts a tmpfs over every directory but systemDirs,
// and adds the mounts in extra.
func (j *jail) mountAll(extra map[string]string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("private: %w", err)
	}
	// Open the sources of extra now, because their directories may be hidden below.
	held := map[string]*os.File{}
	for at, from := range extra {
		f, err := os.OpenFile(from, os.O_RDONLY|pathOnly, 0)
		if err != nil {
			return err
		}
		held[at] = f
	}
	if err := makeReadOnly("/"); err != nil {
		return fmt.Errorf("read-only: %w", err)
	}
	entries, err := os.ReadDir("/")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(systemDirs, e.Name()) {
			if err := mountTmpfs("/" + e.Name()); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(mountTmpfs("/var/tmp"), mountDevices()); err != nil {
		return err
	}
	for at, f := range held {
		if !strings.HasPrefix(at, "/root/") {
			return fmt.Errorf("%s is not below /root", at)
		}
		info, err := os.Stat(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
		if err != nil {
			return err
		}
		if err := bindMount(f, at, info.IsDir()); err != nil {
			return err
		}
		if err := makeReadOnly(at); err != nil {
			return err
		}
	}
	if err := mountEtcFiles(); err != nil {
		return err
	}
	if err := syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("proc: %w", err)
	}
	// /proc/sys has the machine's settings, which the user's id outside may be allowed to write.
	return errors.Join(syscall.Mount("/proc/sys", "/proc/sys", "", syscall.MS_BIND, ""), makeReadOnly("/proc/sys"))
}

// pathOnly is O_PATH, which opens a file as a reference only.
const pathOnly = 0x200000

// mountDevices replaces /dev with one that has only devices such as null and random, and none that
// holds data.
func mountDevices() error {
	held := map[string]*os.File{}
	for _, name := range []string{"null", "zero", "full", "random", "urandom"} {
		f, err := os.OpenFile("/dev/"+name, os.O_RDONLY|pathOnly, 0)
		if err != nil {
			return err
		}
		held[name] = f
	}
	if err := mountTmpfs("/dev"); err != nil {
		return err
	}
	for name, f := range held {
		if err := bindMount(f, "/dev/"+name, false); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(to, "/dev/"+name); err != nil {
			return err
		}
	}
	return errors.Join(os.Mkdir("/dev/shm", 0o777), os.Chmod("/dev/shm", 0o1777), os.Mkdir("/dev/pts", 0o755),
		syscall.Mount("devpts", "/dev/pts", "devpts", syscall.MS_NOSUID|syscall.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"))
}

// mountEtcFiles replaces files in /etc, such as hosts and passwd, with the decoy's.
func mountEtcFiles() error {
	for file, text := range map[string]string{
		"/etc/hosts":       "127.0.0.1 localhost evil.example www.evil.example api.evil.example\n",
		"/etc/resolv.conf": "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n",
		"/etc/passwd":      "root:x:0:0:root:/root:/bin/bash\ndev:x:1000:1000:Dev:" + Home + ":/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
		"/etc/group":       "root:x:0:\ndev:x:1000:\nnogroup:x:65534:\n",
		"/etc/gitconfig":   "",
	} {
		if _, err := os.Stat(file); err != nil {
			continue
		}
		own := "/root/etc-" + filepath.Base(file)
		if err := os.WriteFile(own, []byte(text), 0o644); err != nil {
			return err
		}
		if err := syscall.Mount(own, file, "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// mountTmpfs mounts a tmpfs over dir.
func mountTmpfs(dir string) error {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "size=512m,mode=755"); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if dir == "/tmp" || dir == "/var/tmp" {
		return os.Chmod(dir, 0o1777)
	}
	return nil
}

// bindMount creates at, a directory if dir is true, and mounts f there.
func bindMount(f *os.File, at string, dir bool) error {
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if dir {
		if err := os.Mkdir(at, 0o755); err != nil {
			return err
		}
	} else if err := os.WriteFile(at, nil, 0o644); err != nil {
		return err
	}
	if err := syscall.Mount(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), at, "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return nil
}

// makeReadOnly makes a mount and all mounts below it read-only, with mount_setattr(2).
func makeReadOnly(at string) error {
	name, err := syscall.BytePtrFromString(at)
	if err != nil {
		return err
	}
	const sysMountSetattr, atRecursive, attrReadOnly = 442, 0x8000, 1
	atFdcwd := -100
	attr := struct{ set, clear, propagation, userns uint64 }{set: attrReadOnly}
	if _, _, no := syscall.Syscall6(sysMountSetattr, uintptr(atFdcwd), uintptr(unsafe.Pointer(name)), atRecursive, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0); no != 0 {
		return no
	}
	return nil
}

// setLimits sets resource limits, which all programs inside inherit.
func setLimits() error {
	const processes = 6
	var err error
	for what, most := range map[int]uint64{processes: 512, syscall.RLIMIT_FSIZE: 128 << 20, syscall.RLIMIT_DATA: 4 << 30, syscall.RLIMIT_CPU: 30, syscall.RLIMIT_CORE: 0} {
		err = errors.Join(err, syscall.Setrlimit(what, &syscall.Rlimit{Cur: most, Max: most}))
	}
	return err
}

// enableLoopback brings the loopback interface up. It returns an error if there is any other
// interface.
func enableLoopback() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	req := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(req.name[:], "lo")
	if _, _, no := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&req))); no != 0 {
		return no
	}
	faces, err := net.Interfaces()
	if err != nil {
		return err
	}
	if len(faces) != 1 || faces[0].Name != "lo" {
		return fmt.Errorf("the jail has network interfaces besides lo: %v", faces)
	}
	return nil
}
