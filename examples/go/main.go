// A product in Go, with its standard library: asks Gatehouse about each request. go run main.go
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

var gatehouse = cmp.Or(os.Getenv("GATEHOUSE"), "http://localhost:5173")
var port = cmp.Or(os.Getenv("PORT"), "8080")
var client = &http.Client{Timeout: 5 * time.Second}

func protect(scope string, next func(http.ResponseWriter, http.Header)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		request, _ := http.NewRequestWithContext(r.Context(), "GET", gatehouse+"/api/verify", nil)
		if scope != "" {
			request.URL.RawQuery = url.Values{"scope": {scope}}.Encode()
		}
		for _, name := range []string{"Authorization", "Cookie"} {
			if value := r.Header.Get(name); value != "" {
				request.Header.Set(name, value)
			}
		}
		response, err := client.Do(request)
		if err == nil {
			defer response.Body.Close()
		}
		switch {
		case err != nil:
			http.Error(w, "try again in a moment", http.StatusServiceUnavailable)
		// A tool's token passes only where its scope is asked for.
		case response.StatusCode == 200 && scope == "" && response.Header.Get("X-Auth-Kind") != "session":
			http.Error(w, "not allowed", http.StatusForbidden)
		case response.StatusCode == 200:
			next(w, response.Header)
		case response.StatusCode == 401 && strings.Contains(r.Header.Get("Accept"), "text/html"):
			back := url.Values{"return_to": {"http://localhost:" + port + r.URL.RequestURI()}}
			http.Redirect(w, r, gatehouse+"/sign-in?"+back.Encode(), http.StatusFound)
		case response.StatusCode == 401 || response.StatusCode == 403:
			http.Error(w, "not allowed", response.StatusCode)
		default:
			http.Error(w, "try again in a moment", http.StatusServiceUnavailable)
		}
	}
}

func me(w http.ResponseWriter, caller http.Header) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]string{ // Look up your user by userId: an email can change hands.
		"userId": caller.Get("X-User-Id"), "role": caller.Get("X-User-Role"),
		"email": caller.Get("X-User-Email"), "emailVerified": caller.Get("X-User-Email-Verified"),
	})
}

func main() {
	http.HandleFunc("/", protect("", me))
	http.HandleFunc("/api/reports", protect("product:reports:read", me))
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err == nil {
		fmt.Println("listening on http://localhost:" + port)
		err = http.Serve(listener, nil)
	}
	log.Fatal(err)
}
