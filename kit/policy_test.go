package kit

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// TestSwitchesCount holds the policy's list and the settings together: a setting
// that is not in it would change what is decided under the same policy version.
func TestSwitchesCount(t *testing.T) {
	t.Parallel()
	k, _ := served(t, denyDanger, nil)
	k.config.Settings = checkrein.Settings{}
	before := k.switches(k.view())
	var set func(v reflect.Value, name string)
	set = func(v reflect.Value, name string) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).Type == reflect.TypeFor[[]checkrein.PackSetting]() {
					continue // which counts by the hooks that are made of it
				}
				set(v.Field(i), name+"."+v.Type().Field(i).Name)
			}
			return
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int:
			v.SetInt(7)
		case reflect.Uint8:
			v.SetUint(uint64(checkrein.FaultBlock))
		case reflect.String:
			v.SetString("x")
		case reflect.Slice:
			item := reflect.New(v.Type().Elem()).Elem()
			switch item.Interface().(type) {
			case checkrein.GrantSetting:
				item.Field(0).SetString("x")
			default:
				item.SetString("x")
			}
			v.Set(reflect.Append(v, item))
		default:
			t.Fatalf("%s is a %s", name, v.Kind())
		}
		if reflect.DeepEqual(before, k.switches(k.view())) {
			t.Errorf("%s does not change the policy version", name)
		}
		v.SetZero()
	}
	set(reflect.ValueOf(&k.config.Settings).Elem(), "Settings")
}

// All of a grant that widens or narrows it is part of the policy, as it counts: what
// is held back does not, with the same files.
func TestGrantsCount(t *testing.T) {
	t.Parallel()
	k, _ := served(t, denyDanger, nil)
	seen := map[string]checkrein.GrantSetting{}
	for _, g := range []checkrein.GrantSetting{
		{}, {Call: "x"}, {Call: "y"}, {Tool: "x"}, {Tool: "x", Input: []byte("{}")}, {Call: "x", Rules: []string{"a"}}, {Call: "x", In: "/a"},
		{Call: "x", Until: "2999-01-01T00:00:00Z"}, {Call: "x", Until: "2001-01-01T00:00:00Z"}, {Call: "x", From: checkrein.Origin{Scope: checkrein.ScopeUser}},
	} {
		k.config.Settings.Grants = []checkrein.GrantSetting{g}
		if g.Call+g.Tool == "" {
			k.config.Settings.Grants = nil
		}
		sum := strings.Join(k.switches(k.view()), "\x01")
		if other, ok := seen[sum]; ok {
			t.Errorf("%+v and %+v count the same", g, other)
		}
		seen[sum] = g
	}
}

// What files say of packs is part of the policy, wherever they lie.
func TestPacksCount(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, packs := range []string{"", "packs: [{name: git, high: ask}]", "packs: [{name: git, off: true}]", "packs: []"} {
		dir := t.TempDir()
		file := filepath.Join(dir, ".config", "checkrein", "checkrein.yaml")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("version: 1\n"+packs+"\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		k, err := Open(Options{Dir: dir, State: filepath.Join(dir, "state"), Managed: NoManaged, Environ: []string{"HOME=" + dir}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range k.config.Files {
			k.config.Files[i].Sum = [32]byte{} // so that only what was made of it counts
		}
		if other, ok := seen[k.Policy()]; ok {
			t.Errorf("%q and %q have one policy", packs, other)
		}
		seen[k.Policy()] = packs
	}
}
