package kit

import (
	"reflect"
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
			v.Set(reflect.ValueOf([]string{"x"}))
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
