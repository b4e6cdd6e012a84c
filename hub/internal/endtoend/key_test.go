//go:build linux

package endtoend

import (
	"os"
	"strings"
	"testing"
)

// TestHubKeyIsReplaced replaces the hub's key as docs/fleet.md says, and checks that machines follow.
func TestHubKeyIsReplaced(t *testing.T) {
	requireFleet(t)
	f := newFleet(t)
	f.join(2)
	active := func(bundle string) {
		t.Helper()
		f.eventually("the machines run "+bundle, func() bool {
			for _, m := range f.machines {
				if !strings.Contains(f.run(m.env, "checkrein", "fleet", "status", "--advisory"), bundle) {
					return false
				}
			}
			return true
		})
	}
	f.run(f.admin, "checkrein", "fleet", "push", f.writeBundle(1, "deploy"), "--enforce", "100%")
	active("bundles/base-1")
	f.hub.kill()
	must(t, os.Remove(f.dir+"/hub/hub.key"))
	f.run(nil, "checkrein-hub", "init", "--dir", f.dir+"/hub")
	f.hub.start()
	f.eventually("the hub serves", func() bool {
		_, err := f.try(f.admin, "checkrein", "fleet", "keys", "--rotate")
		return err == nil
	})
	f.run(f.admin, "checkrein", "fleet", "push", f.writeBundle(2, "publish"), "--enforce", "100%")
	active("bundles/base-2")
}
