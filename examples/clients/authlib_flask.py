"""pip install authlib flask requests; the callback is /callback"""
import os
from urllib.parse import urlencode

from authlib.integrations.flask_client import OAuth
from flask import Flask, jsonify, redirect, session

ISSUER, PORT = os.environ["GATEHOUSE"], int(os.environ.get("PORT", "8080"))
ORIGIN = f"http://localhost:{PORT}"
app = Flask(__name__)
# On localhost, a cookie named "session" would overwrite the one of Gatehouse.
app.config.update(SECRET_KEY=os.environ["SESSION_SECRET"], SESSION_COOKIE_NAME="shop")

gatehouse = OAuth(app).register(
    "gatehouse",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{ISSUER}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email offline_access", "code_challenge_method": "S256"},
)


@app.get("/login")
def login():
    return gatehouse.authorize_redirect(f"{ORIGIN}/callback")


@app.get("/callback")
def callback():
    token = gatehouse.authorize_access_token()
    session["user"] = token["userinfo"]
    session["tokens"] = {name: token[name] for name in ("id_token", "refresh_token")}
    return redirect("/")


@app.get("/")
def home():
    return jsonify(session["user"]) if "user" in session else ("", 401)


@app.get("/refresh")
def refresh():
    token = gatehouse.fetch_access_token(grant_type="refresh_token", refresh_token=session["tokens"]["refresh_token"])
    session["tokens"] = {**session["tokens"], "refresh_token": token["refresh_token"]}
    return jsonify(access_token=token["access_token"])


@app.get("/logout")
def logout():
    query = {"id_token_hint": session["tokens"]["id_token"], "post_logout_redirect_uri": f"{ORIGIN}/"}
    session.clear()
    return redirect(gatehouse.load_server_metadata()["end_session_endpoint"] + "?" + urlencode(query))


print(f"listening on {ORIGIN}", flush=True)
app.run(host="127.0.0.1", port=PORT)
