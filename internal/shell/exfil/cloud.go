package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// awsEffect returns the effect of aws, which sends data with s3 and s3api, and with any option that
// has a secret as its value, by file:// or by substitution.
func (t *tracer) awsEffect(c *shell.Call) (shell.Effect, bool) {
	if hasArg(c, "--dryrun") || hasArg(c, "help") {
		return shell.Effect{}, false
	}
	s := transfer{to: facts.Host{Name: "amazonaws.com", Zone: facts.Away}}
	var args [8]shell.Word
	list := args[:0]
	var w program.Walk
	for w.Start(c); w.Next(); {
		v := &w.Arg
		switch {
		case w.Name == "endpoint-url":
			s.to = facts.HostOf(v.Text)
		case w.Name == "body" && hasWords(c, "s3api put-object|s3api upload-part"):
			s.addData(t.fileWordTaint(c, v), copied)
		case w.Name == "" && len(list) < maxArgs:
			list = append(list, *v)
		case w.Name == "":
		case strings.HasPrefix(v.Text, "file://") || strings.HasPrefix(v.Text, "fileb://"):
			if l := t.fileTaint(c, v.Text); l.level == secret {
				s.addData(l, body)
			}
		}
		if w.Name != "" && len(v.From) > 0 {
			if l := t.callsTaint(v.From); l.level == secret && l.from != fromManager && l.from != fromVariable {
				s.addData(l, body)
			}
		}
	}
	if program.Is(c.Name, program.IsLocal) {
		s.to.Zone = facts.Here
	}
	if len(list) > 3 && list[0].Text == "s3" {
		t.addBucketCopy(c, &s, list[1].Text, list[2:])
	}
	if s.to.Zone <= facts.Here {
		return shell.Effect{}, false
	}
	e, ok := s.effect(c)
	if ok && storesInAWSVault(c) {
		e.Label, e.Impact = shell.Unknown, shell.ImpactMedium
	}
	return e, ok
}

// storesInAWSVault reports whether c stores a secret in an AWS service for secrets, or configures aws.
func storesInAWSVault(c *shell.Call) bool {
	return hasWords(c, "secretsmanager create-secret|secretsmanager put-secret-value|secretsmanager update-secret|ssm put-parameter SecureString|acm import-certificate|iam upload-server-certificate|kms encrypt|configure")
}

// addBucketCopy adds the local files that the subcommand verb copies to a bucket. The last word of
// args is the target.
func (t *tracer) addBucketCopy(c *shell.Call, s *transfer, verb string, args []shell.Word) {
	switch verb {
	case "cp", "mv", "sync", "rsync", "copy", "move", "put", "copyto", "moveto", "upload", "mirror", "bisync", "cat", "pipe", "rcat":
	default:
		return
	}
	if len(args) < 2 {
		return
	}
	target := &args[len(args)-1]
	if !isRemotePath(target.Text) {
		return
	}
	if s.to.Name == "" {
		s.to.Name = bucketHost(target.Text)
	}
	for i := range args[:len(args)-1] {
		if !isRemotePath(args[i].Text) {
			l := t.fileWordTaint(c, &args[i])
			l.shareable = l.shareable || hasWorseEffect(c)
			s.addData(l, copied)
		}
	}
}

// isRemotePath reports whether text names a path in a bucket or on another machine.
func isRemotePath(text string) bool {
	if i := strings.Index(text, "://"); i > 0 {
		return !strings.HasPrefix(text, "file://")
	}
	_, ok := remotePathHost(text)
	return ok
}

// bucketHost returns the host of the service that stores s3://… or gs://…, the host of an HTTP URL, or
// the name of an rclone remote.
func bucketHost(text string) string {
	switch scheme, _, _ := strings.Cut(text, ":"); scheme {
	case "s3":
		return "amazonaws.com"
	case "gs":
		return "storage.googleapis.com"
	case "http", "https":
		return facts.HostOf(text).Name
	default:
		return scheme
	}
}

// bucketEffect returns the effect of a program with subcommands such as cp, sync and put, whose last
// argument is the target.
func (t *tracer) bucketEffect(c *shell.Call) (shell.Effect, bool) {
	if hasArg(c, "--dry-run") || hasShortOption(c, 'n') {
		return shell.Effect{}, false
	}
	list := operands(c)
	if len(list) < 2 {
		return shell.Effect{}, false
	}
	s := transfer{to: facts.Host{Zone: facts.Away}}
	verb, rest := list[0].Text, list[1:]
	switch {
	case verb == "rcat" || verb == "pipe" || verb == "put" && hasArg(c, "-"):
		s.to.Name = bucketHost(rest[len(rest)-1].Text)
		s.addData(t.inputTaint(c), copied)
	case program.SendsOf(c.Name) == program.SendsAliasBucket:
		t.addAliasCopy(c, &s, verb, rest)
	default:
		t.addBucketCopy(c, &s, verb, rest)
	}
	return s.effect(c)
}

// addAliasCopy adds the files that mc or coscmd copies. Their targets look like paths: alias/bucket.
func (t *tracer) addAliasCopy(c *shell.Call, s *transfer, verb string, args []shell.Word) {
	if len(args) < 2 || verb != "cp" && verb != "mv" && verb != "mirror" && verb != "upload" {
		return
	}
	if target := args[len(args)-1].Text; target == "" || target[0] == '.' || target[0] == '/' && verb != "upload" || target[0] == '~' {
		return
	}
	alias, _, _ := strings.Cut(args[len(args)-1].Text, "/")
	if s.to.Name = alias; alias == "local" {
		s.to.Zone = facts.Here
	}
	for i := range args[:len(args)-1] {
		s.addData(t.fileWordTaint(c, &args[i]), copied)
	}
}

// gcloudEffect returns the effect of gcloud, which sends files with `storage cp`, `compute scp` and
// similar subcommands.
func (t *tracer) gcloudEffect(c *shell.Call) (shell.Effect, bool) {
	list := operands(c)
	if len(list) > 0 && (list[0].Text == "alpha" || list[0].Text == "beta") {
		list = list[1:]
	}
	if len(list) < 4 {
		return shell.Effect{}, false
	}
	s := transfer{to: facts.Host{Zone: facts.Away}}
	switch list[0].Text + " " + list[1].Text {
	case "compute scp", "cloud-shell scp", "app instances":
		return t.copyEffect(c, list[2:])
	case "storage cp", "storage mv", "storage rsync":
		t.addBucketCopy(c, &s, list[1].Text, list[2:])
	}
	return s.effect(c)
}

// kubectlEffect returns the effect of copying files to a pod, or of piping a secret into one.
func (t *tracer) kubectlEffect(c *shell.Call) (shell.Effect, bool) {
	list := operands(c)
	if len(list) > 1 && list[0].Text == "exec" && hasInput(c) {
		// Piping a dump into a pod is common, so only a secret counts.
		s := transfer{to: facts.Host{Name: "pod " + list[1].Text, Zone: facts.Away}}
		if in := t.inputTaint(c); in.level == secret {
			s.addData(in, copied)
		}
		return s.effect(c)
	}
	if len(list) < 3 || list[0].Text != "cp" && list[0].Text != "rsync" {
		return shell.Effect{}, false
	}
	target := list[len(list)-1].Text
	i := strings.IndexByte(target, ':')
	if i <= 0 || target[0] == '.' || target[0] == '/' {
		return shell.Effect{}, false
	}
	s := transfer{to: facts.Host{Name: "pod " + target[:i], Zone: facts.Away}}
	for j := range list[1 : len(list)-1] {
		s.addData(t.fileWordTaint(c, &list[j+1]), copied)
	}
	return s.effect(c)
}
