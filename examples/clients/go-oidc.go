// go get github.com/coreos/go-oidc/v3 golang.org/x/oauth2; the callback is /callback. go run go-oidc.go
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"log"
	"net/http"
	"net/url"
	"os"
)

// Of one user: a product keeps one of these for each browser.
var state, verifier, hint, token, user = oauth2.GenerateVerifier(), "", "", &oauth2.Token{}, map[string]any(nil)

func main() {
	issuer, origin, id := os.Getenv("GATEHOUSE"), "http://localhost:"+os.Getenv("PORT"), os.Getenv("CLIENT_ID")
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		log.Fatal(err)
	}
	config := oauth2.Config{
		ClientID: id, ClientSecret: os.Getenv("CLIENT_SECRET"), Endpoint: provider.Endpoint(),
		RedirectURL: origin + "/callback", Scopes: []string{"openid", "profile", "email", "offline_access"},
	}
	on := func(path string, act func(http.ResponseWriter, *http.Request) error) {
		http.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if err := act(w, r); err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
			}
		})
	}
	http.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		state, verifier = oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
		http.Redirect(w, r, config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), http.StatusFound)
	})
	on("/callback", func(w http.ResponseWriter, r *http.Request) (err error) {
		if r.FormValue("state") != state {
			return fmt.Errorf("not asked for")
		}
		if token, err = config.Exchange(ctx, r.FormValue("code"), oauth2.VerifierOption(verifier)); err != nil {
			return
		}
		hint, _ = token.Extra("id_token").(string)
		proven, err := provider.Verifier(&oidc.Config{ClientID: id}).Verify(ctx, hint)
		if err == nil {
			err = proven.Claims(&user)
			http.Redirect(w, r, "/", http.StatusFound)
		}
		return
	})
	on("/{$}", func(w http.ResponseWriter, r *http.Request) error {
		if user == nil {
			w.WriteHeader(http.StatusUnauthorized)
		}
		return json.NewEncoder(w).Encode(user)
	})
	on("/refresh", func(w http.ResponseWriter, r *http.Request) (err error) {
		if token, err = config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token(); err != nil {
			return
		}
		return json.NewEncoder(w).Encode(map[string]string{"access_token": token.AccessToken})
	})
	http.HandleFunc("/logout", func(w http.ResponseWriter, r *http.Request) {
		user = nil
		query := url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {origin + "/"}}
		http.Redirect(w, r, issuer+"/oauth/end-session?"+query.Encode(), http.StatusFound)
	})
	log.Fatal(http.ListenAndServe(origin[len("http://"):], nil))
}
