"""A product in Python, with its standard library: asks Gatehouse about each request. python3 python.py"""
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GATEHOUSE = os.environ.get("GATEHOUSE", "http://localhost:5173")
PORT = int(os.environ.get("PORT", "8080"))
ORIGIN = f"http://localhost:{PORT}"


def caller_of(received, scope=None):
    """Returns a status, and the caller if it is 200."""
    query = "?" + urllib.parse.urlencode({"scope": scope}) if scope else ""
    sent = {name: received[name] for name in ("Authorization", "Cookie") if received[name]}
    request = urllib.request.Request(f"{GATEHOUSE}/api/verify{query}", headers=sent)
    try:
        with urllib.request.urlopen(request, timeout=5) as response:
            headers = response.headers
            # A tool's token passes only where its scope is asked for.
            if scope is None and headers["x-auth-kind"] != "session":
                return 403, None
            # Look up your user by this id: an email may be unverified, and can change hands.
            return 200, {
                "userId": headers["x-user-id"],
                "email": headers["x-user-email"],
                "emailVerified": headers["x-user-email-verified"] == "true",
                "name": urllib.parse.unquote(headers["x-user-name"]),
                "role": headers["x-user-role"],
            }
    except urllib.error.HTTPError as refused:
        return (refused.code if refused.code in (401, 403) else 503), None
    except OSError:
        return 503, None


class Product(BaseHTTPRequestHandler):
    def do_GET(self):
        status, caller = caller_of(self.headers, "product:reports:read" if self.path == "/api/reports" else None)
        if status == 401 and "text/html" in self.headers.get("Accept", ""):
            back = urllib.parse.urlencode({"return_to": ORIGIN + self.path})
            self.respond(302, {}, {"Location": f"{GATEHOUSE}/sign-in?{back}"})
        else:
            self.respond(status, caller or {})

    def respond(self, status, body, headers={}):
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", PORT), Product)
print(f"listening on {ORIGIN}", flush=True)
server.serve_forever()
