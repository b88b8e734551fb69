// Answers the hooks of Gatehouse. HOOK_SECRET=whsec_… go run main.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

type reply map[string]any

func isSigned(header http.Header, body []byte) bool {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("HOOK_SECRET"), "whsec_"))
	sent, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", header.Get("webhook-id"), sent, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), expected) {
			return true
		}
	}
	return false
}

func main() {
	http.HandleFunc("POST /hook", func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Type string
			User struct {
				Email  string
				Public map[string]any
			}
		}
		body, _ := io.ReadAll(io.LimitReader(r.Body, 64<<10))
		if !isSigned(r.Header, body) || json.Unmarshal(body, &asked) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answer := reply{"allow": true}
		switch {
		case strings.HasSuffix(asked.User.Email, "@blocked.example"):
			answer = reply{"allow": false, "message": "Ask your company first."}
		case asked.Type == "before_sign_up":
			answer["data"] = reply{"public": reply{"plan": "free"}}
		case asked.Type == "before_token":
			answer["claims"] = reply{"plan": asked.User.Public["plan"]}
		}
		json.NewEncoder(w).Encode(answer)
	})
	listener, err := net.Listen("tcp", "localhost:"+os.Getenv("PORT"))
	if err != nil {
		panic(err)
	}
	fmt.Println("listening on", listener.Addr())
	http.Serve(listener, nil)
}
