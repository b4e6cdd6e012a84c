// Package channel sends messages to the services that a user configured, using shoutrrr.
//
// A channel's URL contains a token. The token is filled in when it is needed, never stored, and
// removed from errors; see hiddenTexts.
//
// Five of shoutrrr's services are linked, each by its own package, since its router links 26 and takes
// 1 ms to initialise. Discord's service is left out because it keeps trying in the background after it
// reported a failure, and Matrix's because it logs in when it is opened.
package channel

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/slack"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/telegram"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/wecom"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/ntfy"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/specialized/generic"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"
)

// services lists the linked services of shoutrrr by the scheme of their URLs. Each reports when it
// cannot send, which a test checks, and does nothing at program start.
var services = []service{
	{"generic", true, func() types.Service { return &generic.Service{} }},
	{"ntfy", true, func() types.Service { return &ntfy.Service{} }},
	{"slack", false, func() types.Service { return &slack.Service{} }},
	{"telegram", false, func() types.Service { return &telegram.Service{} }},
	{"wechat", false, func() types.Service { return &wecom.Service{} }},
	{"wecom", false, func() types.Service { return &wecom.Service{} }},
}

type service struct {
	scheme    string
	hasServer bool // the host of its URL is a server; for other services it may be a token
	open      func() types.Service
}

// findService returns the service of a scheme such as generic+http, or nil if there is none.
func findService(scheme string) *service {
	name, _, _ := strings.Cut(strings.ToLower(scheme), "+")
	for i := range services {
		if services[i].scheme == name {
			return &services[i]
		}
	}
	return nil
}

// A Set is a list of configured channels.
type Set struct {
	list    []setting.Channel
	environ []string
}

// New returns the set of the channels in list. Variables in their URLs are taken from environ.
func New(list []setting.Channel, environ []string) *Set { return &Set{list, environ} }

// Names returns the names of the channels in the order of the configuration.
func (s *Set) Names() []string {
	var out []string
	for i := range s.list {
		out = append(out, s.list[i].Name)
	}
	return out
}

// CheckChannel returns why the channel name cannot be used, as far as that is known without sending
// anything. It returns nil if nothing is wrong.
func (s *Set) CheckChannel(name string) error {
	_, _, err := s.openChannel(name)
	return err
}

// Send sends text to the channel name. Its errors contain nothing of the channel's URL that could be a
// token.
func (s *Set) Send(ctx context.Context, name, text string) error {
	to, hide, err := s.openChannel(name)
	if err != nil {
		return fmt.Errorf("channel %s: %w", name, err)
	}
	done := make(chan error, 1) // shoutrrr takes no context
	go func() { done <- post(to, text) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		return fmt.Errorf("channel %s: %w before the service answered, so the message may have arrived", name, context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("channel %s: %s", name, hide.cleanText(err.Error()))
	}
	return nil
}

// openChannel returns the service of the channel name, and the texts of its URL that must not be
// shown.
func (s *Set) openChannel(name string) (types.Service, hiddenTexts, error) {
	i := slices.IndexFunc(s.list, func(c setting.Channel) bool { return c.Name == name })
	if i < 0 {
		return nil, nil, errors.New("not configured: add its URL under channels: in your checkrein.yaml")
	}
	raw, err := expandURL(s.list[i].URL, s.environ)
	if err != nil {
		return nil, nil, err
	}
	hide := hiddenInURL(raw)
	to, err := openService(raw)
	if err != nil {
		return nil, nil, errors.New(hide.cleanText(err.Error()))
	}
	return to, hide, nil
}

// openService returns the service for the URL raw, without sending anything.
func openService(raw string) (opened types.Service, err error) {
	defer recoverError(&err)
	u, err := url.Parse(raw)
	if err != nil { // its text quotes the URL
		return nil, errors.New("its URL cannot be parsed: write SCHEME://…, and special characters in a token as %XX")
	}
	row := findService(u.Scheme)
	if row == nil {
		var known []string
		for i := range services {
			known = append(known, services[i].scheme)
		}
		return nil, fmt.Errorf("its URL is for an unknown service: begin it with %s", strings.Join(known, ", "))
	}
	opened = row.open()
	if strings.Contains(u.Scheme, "+") {
		own, ok := opened.(types.CustomURLService)
		if !ok {
			return nil, fmt.Errorf("%s does not accept your own server's address: use generic+https://", row.scheme)
		}
		if u, err = own.GetConfigURLFromCustom(u); err != nil {
			return nil, err
		}
	}
	if row.scheme == "wechat" {
		u.Scheme = wecom.Scheme
	}
	if err := opened.Initialize(u, nil); err != nil {
		return nil, fmt.Errorf("%s rejects its URL: %w", row.scheme, err)
	}
	return opened, nil
}
