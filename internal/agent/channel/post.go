package channel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/nicholas-fedor/shoutrrr/pkg/types"
	"github.com/nicholas-fedor/shoutrrr/pkg/util/jsonclient"
)

// patience is how long a service may take for one request.
const patience = 30 * time.Second

// shoutrrr's services take no client: they use those of net/http and of its own
// jsonclient. Nobody else in this program uses these, so they are set up here, once,
// and one message is sent at a time.
var (
	setUp   sync.Once
	sending sync.Mutex
	watched = &watch{}
)

var errRedirect = errors.New("the service redirects, but messages go only to the URL that you gave: correct the URL")

// post sends a text and returns what came of it.
func post(to types.Service, text string) (err error) {
	setUp.Do(func() {
		http.DefaultClient.Timeout = patience
		http.DefaultClient.CheckRedirect = func(*http.Request, []*http.Request) error { return errRedirect }
		watched.Client = jsonclient.DefaultClient
		jsonclient.DefaultClient = watched
	})
	sending.Lock()
	defer sending.Unlock()
	defer contain(&err)
	watched.err = nil
	if err := to.Send(text, &types.Params{}); err != nil {
		return err
	}
	return watched.err
}

// A watch remembers what became of a request: telegram's service takes a failure for
// success whose answer is not of its API, such as a connection that was refused or a
// page of a proxy.
type watch struct {
	jsonclient.Client
	err error
}

// Post fails as well when the service answers that it did not do it.
func (w *watch) Post(url string, request, response any) error {
	var raw json.RawMessage
	err := w.Client.Post(url, request, &raw)
	if err == nil {
		err = json.Unmarshal(raw, response)
	}
	var said struct {
		OK bool `json:"ok"`
	}
	if err == nil && (json.Unmarshal(raw, &said) != nil || !said.OK) {
		err = errors.New("the service's answer does not confirm that it accepted the message")
	}
	if err != nil {
		w.err = err
	}
	return err
}

// contain makes an error of a panic: a service that fails ends no run.
func contain(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the service's code failed: %v", p)
	}
}
