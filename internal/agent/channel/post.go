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

// requestTimeout is how long a service may take for one request.
const requestTimeout = 30 * time.Second

// shoutrrr's services take no client, but use the defaults of net/http and of shoutrrr's
// jsonclient. Nothing else in this program uses these, so they are set up here, once, and
// one message is sent at a time.
var (
	setUp   sync.Once
	sending sync.Mutex
	watcher = &watchingClient{}
)

var errRedirect = errors.New("the service redirects, but messages are sent only to the URL that you configured: correct the URL")

// post sends text to a service, which it calls to.
func post(to types.Service, text string) (err error) {
	setUp.Do(func() {
		http.DefaultClient.Timeout = requestTimeout
		http.DefaultClient.CheckRedirect = func(*http.Request, []*http.Request) error { return errRedirect }
		watcher.Client = jsonclient.DefaultClient
		jsonclient.DefaultClient = watcher
	})
	sending.Lock()
	defer sending.Unlock()
	defer recoverError(&err)
	watcher.err = nil
	if err := to.Send(text, &types.Params{}); err != nil {
		return err
	}
	return watcher.err
}

// A watchingClient records the error of a request, because telegram's service ignores failures that do
// not come from its API, such as a refused connection or the page of a proxy.
type watchingClient struct {
	jsonclient.Client
	err error
}

// Post posts request and parses the response. Unlike the client that it wraps, it also returns an
// error if the service answers that it failed.
func (w *watchingClient) Post(url string, request, response any) error {
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

// recoverError sets err if a service panicked. It must be deferred.
func recoverError(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the service's code failed: %v", p)
	}
}
