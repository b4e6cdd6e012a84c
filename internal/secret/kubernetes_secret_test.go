package secret

import (
	"encoding/base64"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// TestKubernetesStandIns checks that encoded stand-ins in an example manifest are not found.
func TestKubernetesStandIns(t *testing.T) {
	t.Parallel()
	manifest := func(value string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ntype: Opaque\ndata:\n  username: YWRtaW4=\n  password: " + base64.StdEncoding.EncodeToString([]byte(value)) + "\n"
	}
	c := Cleaner{Want: rules.Secrets}
	for _, value := range []string{"password", "changeme", "change-me", "example", "secret", "password\n", "mysecretpassword", "your-password", "placeholder", "user:password", "username:password"} {
		if out, n := c.RedactText(manifest(value)); n > 0 {
			t.Errorf("%s: %q", value, out)
		}
	}
	for _, value := range []string{"q7Rt-88zP" + "4xK", "Tr0ub4dor" + "3xYz9", "zH4kd9" + "LmQ2w", "admin:" + "password", "root:" + "changeme"} {
		if _, n := c.RedactText(manifest(value)); n == 0 {
			t.Errorf("%s is not found", value)
		}
	}
}
