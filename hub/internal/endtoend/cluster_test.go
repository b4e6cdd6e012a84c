//go:build linux

package endtoend

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A cluster is three NATS nodes, each in a network of its own.
type cluster struct {
	t     testing.TB
	names []string // of the networks
	nodes []*process
}

// ip runs a command of ip.
func ip(args ...string) error {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %v: %w: %s", args, err, out)
	}
	return nil
}

// address returns the address of node i.
func address(i int) string { return fmt.Sprintf("10.213.77.%d", 11+i) }

// newCluster starts a cluster. It skips the test if networks cannot be made here.
func newCluster(t testing.TB, disks [3]string) *cluster {
	bin, err := programs()
	must(t, err)
	c := &cluster{t: t}
	const bridge = "crfleet0"
	if err := ip("link", "add", bridge, "type", "bridge"); err != nil {
		t.Skipf("networks of nodes cannot be made here: %v", err)
	}
	t.Cleanup(func() { _ = ip("link", "del", bridge) })
	must(t, ip("addr", "add", "10.213.77.1/24", "dev", bridge))
	must(t, ip("link", "set", bridge, "up"))
	for i := range 3 {
		name := fmt.Sprintf("crfleet%d", i+1)
		c.names = append(c.names, name)
		must(t, ip("netns", "add", name))
		t.Cleanup(func() { _ = ip("netns", "del", name) })
		must(t, ip("link", "add", name+"h", "type", "veth", "peer", "name", "eth0", "netns", name))
		must(t, ip("link", "set", name+"h", "master", bridge, "up"))
		must(t, ip("-n", name, "addr", "add", address(i)+"/24", "dev", "eth0"))
		must(t, ip("-n", name, "link", "set", "eth0", "up"))
		must(t, ip("-n", name, "link", "set", "lo", "up"))
	}
	dir := t.TempDir()
	for i, name := range c.names {
		var routes []string
		for other := range 3 {
			routes = append(routes, fmt.Sprintf("nats://%s:6222", address(other)))
		}
		store := disks[i]
		if store == "" {
			store = filepath.Join(dir, name)
		}
		conf := fmt.Sprintf(`server_name: %s
listen: %s:4222
http: %s:8222
jetstream { store_dir: %q, sync_interval: always }
cluster { name: fleet, listen: %s:6222, routes: [%s] }
`, name, address(i), address(i), store, address(i), strings.Join(routes, ", "))
		file := filepath.Join(dir, name+".conf")
		must(t, os.WriteFile(file, []byte(conf), 0o600))
		c.nodes = append(c.nodes, newProcess(t, filepath.Join(dir, name+".log"), os.Environ(), "ip", "netns", "exec", name, bin+"/nats-server", "-c", file))
	}
	for end := time.Now().Add(time.Minute); c.leader("") < 0; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the cluster has no leader")
		}
	}
	return c
}

// url returns the addresses for clients.
func (c *cluster) url() string {
	var out []string
	for i := range c.nodes {
		out = append(out, fmt.Sprintf("nats://%s:4222", address(i)))
	}
	return strings.Join(out, ",")
}

// leader returns which node leads the stream, or all of them if stream is "", or -1.
func (c *cluster) leader(stream string) int {
	client := &http.Client{Timeout: time.Second}
	for i := range c.nodes {
		resp, err := client.Get(fmt.Sprintf("http://%s:8222/jsz?streams=true&accounts=true", address(i)))
		if err != nil {
			continue
		}
		data, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		var state struct {
			Meta struct {
				Leader string `json:"leader"`
				Size   int    `json:"cluster_size"`
			} `json:"meta_cluster"`
			Accounts []struct {
				Streams []struct {
					Name    string `json:"name"`
					Cluster struct {
						Leader string `json:"leader"`
					} `json:"cluster"`
				} `json:"stream_detail"`
			} `json:"account_details"`
		}
		if json.Unmarshal(data, &state) != nil {
			continue
		}
		leader := state.Meta.Leader
		if stream != "" {
			leader = ""
			for _, a := range state.Accounts {
				for _, s := range a.Streams {
					if s.Name == stream {
						leader = s.Cluster.Leader
					}
				}
			}
		} else if state.Meta.Size != 3 {
			continue
		}
		for n, name := range c.names {
			if leader == name {
				return n
			}
		}
	}
	return -1
}

// cut cuts a node off from the others, or connects it again.
func (c *cluster) cut(i int, off bool) {
	c.t.Helper()
	state := "up"
	if off {
		state = "down"
	}
	must(c.t, ip("link", "set", c.names[i]+"h", state))
}
