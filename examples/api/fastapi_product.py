"""A product with FastAPI: asks Gatehouse about each request. pip install fastapi uvicorn; python3 fastapi_product.py"""
import json
import os
import socket
import sys
import urllib.error
import urllib.parse
import urllib.request

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request

GATEHOUSE = os.environ.get("GATEHOUSE", "http://localhost:5173")
PORT = int(os.environ.get("PORT", "8080"))
ORIGIN = f"http://localhost:{PORT}"


def caller(scope=None, permission=None):
    """A dependency: the caller, or a refusal. Without a scope only a user's own session passes."""

    def check(request: Request):
        needed = {name: value for name, value in (("scope", scope), ("permission", permission)) if value}
        query = "?" + urllib.parse.urlencode(needed) if needed else ""
        sent = {name: request.headers[name] for name in ("authorization", "cookie") if name in request.headers}
        asked = urllib.request.Request(f"{GATEHOUSE}/api/verify{query}", headers=sent)
        try:
            headers = urllib.request.urlopen(asked, timeout=5).headers
        except urllib.error.HTTPError as refused:
            if refused.code == 401 and "text/html" in request.headers.get("accept", ""):
                back = urllib.parse.urlencode({"return_to": ORIGIN + request.url.path})
                raise HTTPException(302, headers={"Location": f"{GATEHOUSE}/sign-in?{back}"})
            if refused.code in (401, 403):
                raise HTTPException(refused.code, json.load(refused)["message"])
            print(f"Gatehouse answers {refused.code}: {refused.read().decode()}", file=sys.stderr)
            raise HTTPException(503)
        except OSError:
            raise HTTPException(503)
        if scope is None and headers["x-auth-kind"] != "session":
            raise HTTPException(403, "A scope is needed")
        # Look up your user by this id: an email may be unverified, and can change hands.
        return {"userId": headers["x-user-id"], "email": headers["x-user-email"], "organization": headers["x-org-slug"]}

    return check


app = FastAPI()


@app.get("/")
def home(user=Depends(caller())):
    return f"Hello, {user['email']}"


@app.get("/api/me")
def me(user=Depends(caller())):
    return user


@app.get("/api/reports")
def reports(user=Depends(caller("product:reports:read"))):
    return {"reports": []}


@app.post("/api/projects", status_code=201)
def create_project(user=Depends(caller(permission="project:create"))):
    return {"organization": user["organization"]}


server = socket.create_server(("127.0.0.1", PORT))
print(f"listening on {ORIGIN}", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[server])
