package people

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// ProviderOptions describe an OpenID provider, and what its people may do.
type ProviderOptions struct {
	Issuer       string
	Client       string // the hub's id at the provider
	ClientSecret string // "" for a public client
	Hub          string // the hub's address, as people open it
	Scopes       []string
	Claim        string          // whose values give people their roles
	Roles        map[string]Role // by value of Claim
	Now          func() time.Time
}

// A Provider logs people in by an OpenID provider: by an authorization code that only the browser can
// use in which the login began. It is safe for concurrent use.
type Provider struct {
	opts ProviderOptions

	mu   sync.Mutex
	oidc *oidc.Provider // nil until the provider answered once
}

// NewProvider returns a provider. It need not answer yet.
func NewProvider(o ProviderOptions) (*Provider, error) {
	for what, text := range map[string]string{"issuer": o.Issuer, "hub's address": o.Hub} {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "https" && !slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, u.Hostname()) {
			return nil, fmt.Errorf("%q is not the address of the %s: write one that begins with https://", text, what)
		}
	}
	if o.Client == "" || len(o.Roles) == 0 {
		return nil, errors.New("logging in through an OpenID provider needs the hub's client ID, and a role for at least one group")
	}
	o.Hub = strings.TrimSuffix(o.Hub, "/")
	return &Provider{opts: o}, nil
}

// client calls the provider, which may be slow or gone.
var client = &http.Client{Timeout: 10 * time.Second}

// connect returns the provider, which is asked for its keys and addresses when it is first needed.
func (p *Provider) connect(ctx context.Context) (*oidc.Provider, *oauth2.Config, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.oidc == nil {
		found, err := oidc.NewProvider(context.WithoutCancel(ctx), p.opts.Issuer) // which keeps the context for its keys
		if err != nil {
			return nil, nil, fmt.Errorf("asking the OpenID provider: %w", err)
		}
		p.oidc = found
	}
	return p.oidc, &oauth2.Config{
		ClientID: p.opts.Client, ClientSecret: p.opts.ClientSecret, Endpoint: p.oidc.Endpoint(),
		RedirectURL: p.opts.Hub + "/login/callback", Scopes: append([]string{oidc.ScopeOpenID}, p.opts.Scopes...),
	}, nil
}

// derive returns a value for a purpose that only who has the secret of a login can know.
func derive(secret, purpose string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(purpose))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Begin begins a login. It returns the address to which the browser goes, and the secret of the login,
// which the browser keeps.
func (p *Provider) Begin(ctx context.Context) (address, secret string, err error) {
	_, conf, err := p.connect(oidc.ClientContext(ctx, client))
	if err != nil {
		return "", "", err
	}
	secret = rand.Text()
	return conf.AuthCodeURL(derive(secret, "state"), oidc.Nonce(derive(secret, "nonce")), oauth2.S256ChallengeOption(derive(secret, "verifier"))), secret, nil
}

// A Login is what a provider said about a person.
type Login struct {
	ID      string // of this login, which counts once
	Subject string // who it is, as the provider knows them
	Name    string
	Role    Role // "" = none at this hub
}

// End ends the login with this secret, for which the provider answered with query.
func (p *Provider) End(ctx context.Context, secret string, query url.Values) (*Login, error) {
	ctx = oidc.ClientContext(ctx, client)
	provider, conf, err := p.connect(ctx)
	if err != nil {
		return nil, err
	}
	if secret == "" || subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(derive(secret, "state"))) != 1 {
		return nil, errors.New("the login was not started in this browser")
	}
	if why := query.Get("error"); why != "" {
		return nil, fmt.Errorf("the provider refused: %s", cmp.Or(query.Get("error_description"), why))
	}
	tokens, err := conf.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(derive(secret, "verifier")))
	if err != nil {
		return nil, fmt.Errorf("the provider does not accept the authorization code: %w", err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: p.opts.Client, Now: p.opts.Now}).Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	var claims map[string]json.RawMessage
	if err := id.Claims(&claims); err != nil {
		return nil, err
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(derive(secret, "nonce"))) != 1:
		return nil, errors.New("the provider's answer is for another login")
	case len(id.Audience) > 1 && textOf(claims["azp"]) != p.opts.Client:
		return nil, errors.New("the provider's answer is for another program")
	case claims[p.opts.Claim] == nil: // many providers keep lists of groups out of the token
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
		if err == nil && info.Subject == id.Subject {
			err = info.Claims(&claims)
		}
		if err != nil {
			return nil, fmt.Errorf("asking the provider for %s: %w", p.opts.Claim, err)
		}
	}
	return &Login{
		ID: derive(secret, "login"), Subject: id.Issuer + "\n" + id.Subject, Role: p.roleOf(claims[p.opts.Claim]),
		Name: cmp.Or(textOf(claims["preferred_username"]), textOf(claims["email"]), textOf(claims["name"]), id.Subject),
	}, nil
}

func textOf(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s) // what is no text is none
	return s
}

// roleOf returns the highest role that the values of a claim give.
func (p *Provider) roleOf(claim json.RawMessage) (role Role) {
	var values []string
	if json.Unmarshal(claim, &values) != nil {
		values = []string{textOf(claim)}
	}
	for _, value := range values {
		if r := p.opts.Roles[value]; role == "" || r.Includes(role) {
			role = r
		}
	}
	return role
}
