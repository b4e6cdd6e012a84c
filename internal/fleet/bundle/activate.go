package bundle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// previousLink is the symlink to the bundle that was active before, which is kept.
const previousLink = "previous"

// maxCached is how many results of parsing files are kept, of this bundle and of those before.
const maxCached = 200

// newPrefix and oldPrefix mark directories that are being written or removed. What is there after a crash
// is removed.
const (
	newPrefix = ".new-"
	oldPrefix = ".old-"
)

// Apply makes the machine run what plan says. The freeze comes first, because it must not wait for a
// download. If a bundle is refused, what was active stays active; the other steps are done.
//
// A process that is killed at any point leaves the symlinks at complete bundles: a directory gets its name
// when all of its files are on the disk, and a symlink is replaced by a rename.
func (c *Client) Apply(ctx context.Context, plan *Plan) error {
	errs := []error{c.makeDirs(), c.applyFreeze(plan.Rollout.Freeze)}
	if plan.Active != nil {
		errs = append(errs, c.activate(ctx, plan.Active, config.FleetActive))
	}
	if plan.Trial != nil {
		errs = append(errs, c.activate(ctx, plan.Trial, config.FleetTrial))
	} else {
		errs = append(errs, c.unlink(config.FleetTrial))
	}
	c.cacheParsed()
	return errors.Join(append(errs, c.prune())...)
}

// Place makes managed the administrator's directory of a machine on which b is active, to try what it
// decides. It refuses a bundle with a mistake.
func (b *Bundle) Place(managed string) error {
	const digest = "tried"
	c := &Client{Dir: filepath.Join(managed, config.FleetDir)}
	if err := c.makeDirs(); err != nil {
		return err
	}
	if err := c.unpack(b, digest); err != nil {
		return err
	}
	return c.link(config.FleetActive, filepath.Join(config.FleetBundles, digest))
}

// makeDirs makes the directories that every user's programs read, whatever the umask is: if they could not,
// they would deny all tools.
func (c *Client) makeDirs() error {
	bundles, tuf := filepath.Join(c.Dir, config.FleetBundles), filepath.Join(c.Dir, tufDir)
	return errors.Join(os.MkdirAll(bundles, 0o755), os.MkdirAll(tuf, 0o755), os.Chmod(c.Dir, 0o755), os.Chmod(bundles, 0o755), os.Chmod(tuf, 0o755))
}

// applyFreeze writes or removes the file that denies all tools.
func (c *Client) applyFreeze(f *Freeze) error {
	path := filepath.Join(c.Dir, config.FleetFreeze)
	if f == nil || !c.currentTime().Before(f.Until) {
		err := os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return errors.Join(err, syncDir(c.Dir))
	}
	data := []byte("# Written by checkrein: the fleet's administrator froze all tools.\nversion: 1\nhooks:\n  pre_tool_use: [{name: fleet-freeze, type: builtin, command: freeze, args: [" +
		string(rawjson.Quote("until="+f.Until.UTC().Format(time.RFC3339))) + ", " + string(rawjson.Quote("by="+f.By)) + ", " + string(rawjson.Quote("reason="+f.Reason)) + "]}]\n")
	if old, err := state.ReadRegular(path, maxRollout); err == nil && string(old) == string(data) {
		return nil
	}
	return errors.Join(state.ReplaceFile(path, data, 0o644), syncDir(c.Dir))
}

// activate points the symlink link to the bundle e, which it fetches unless the machine has it.
func (c *Client) activate(ctx context.Context, e *Entry, link string) error {
	target := filepath.Join(config.FleetBundles, e.SHA256)
	before, err := os.Readlink(filepath.Join(c.Dir, link))
	switch has := !state.IsAbsent(filepath.Join(c.Dir, target)); {
	case has && before == target:
		return nil
	case has:
		if err := checkDir(filepath.Join(c.Dir, target)); err != nil { // it was checked by another build, perhaps
			return refuse(e.Target(), err)
		}
	default:
		b, err := c.fetch(ctx, e)
		if err != nil {
			return err
		}
		if err := c.unpack(b, e.SHA256); err != nil {
			return err
		}
	}
	if err == nil && before != target && link == config.FleetActive {
		if err := c.link(previousLink, before); err != nil {
			return err
		}
	}
	return c.link(link, target)
}

// unpack unpacks b into the directory with that digest, if its policies have no mistake.
func (c *Client) unpack(b *Bundle, digest string) error {
	bundles := filepath.Join(c.Dir, config.FleetBundles)
	temp := filepath.Join(bundles, newPrefix+digest)
	if err := os.RemoveAll(temp); err != nil {
		return err
	}
	if err := b.unpack(temp); err != nil {
		return err
	}
	if err := checkDir(temp); err != nil {
		return refuse(b.Target(), errors.Join(err, os.RemoveAll(temp)))
	}
	return errors.Join(os.Rename(temp, filepath.Join(bundles, digest)), syncDir(bundles))
}

// link points the symlink name to target.
func (c *Client) link(name, target string) error {
	temp := filepath.Join(c.Dir, newPrefix+name)
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Symlink(target, temp); err != nil {
		return err
	}
	return errors.Join(os.Rename(temp, filepath.Join(c.Dir, name)), syncDir(c.Dir))
}

// unlink removes the symlink name, if there is one.
func (c *Client) unlink(name string) error {
	if err := os.Remove(filepath.Join(c.Dir, name)); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, syncDir(c.Dir))
	}
	return nil
}

// prune removes the bundles to which no symlink points, and what a crash left behind. A directory loses its
// name first, so that none is ever incomplete under it.
func (c *Client) prune() error {
	dir := filepath.Join(c.Dir, config.FleetBundles)
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, link := range []string{config.FleetActive, config.FleetTrial, previousLink} {
		if target, err := os.Readlink(filepath.Join(c.Dir, link)); err == nil {
			kept[filepath.Base(target)] = true
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	var errs []error
	for _, e := range names {
		if kept[e.Name()] {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if !strings.HasPrefix(e.Name(), oldPrefix) {
			old := filepath.Join(dir, oldPrefix+e.Name())
			if err := os.Rename(path, old); err != nil {
				errs = append(errs, err)
				continue
			}
			path = old
		}
		errs = append(errs, os.RemoveAll(path))
	}
	return errors.Join(errs...)
}

// cacheParsed loads the administrator's files as Program does for each call of an agent, so that what is
// parsed of them is cached for all users of the machine, who cannot write to that cache.
func (c *Client) cacheParsed() {
	if c.Program == "" {
		return
	}
	managed := filepath.Dir(c.Dir)
	_ = state.NewDir(managed).Prune(config.CacheFolder, maxCached) // what is still needed is cached again
	config.Load(config.Options{Managed: managed, Dialect: dialect.Detect, Cache: func() config.Cache { return config.Cache{Build: build.StampOfFile(c.Program)} }})
}

// Current returns the bundle to which the symlink link points, [config.FleetActive] or
// [config.FleetTrial], or nil if there is none.
func (c *Client) Current(link string) (*Info, error) {
	target, err := os.Readlink(filepath.Join(c.Dir, link))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := state.ReadRegular(filepath.Join(c.Dir, target, config.BundleNote), maxTimestamp)
	if err != nil {
		return nil, fmt.Errorf("the %s bundle is damaged: %w", link, err)
	}
	info, err := parseInfo(data)
	return &info, err
}
