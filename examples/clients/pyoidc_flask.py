# pip install Flask-pyoidc; the callback is /callback. It sends no PKCE: set the application's require_pkce to false.
import os

from flask import Flask, jsonify, redirect, session
from flask_pyoidc import OIDCAuthentication
from flask_pyoidc.provider_configuration import ClientMetadata, ProviderConfiguration
from flask_pyoidc.user_session import UserSession

ISSUER, PORT = os.environ["GATEHOUSE"], os.environ.get("PORT", "8080")
ORIGIN = f"http://localhost:{PORT}"
app = Flask(__name__)
# On localhost, a cookie named "session" would overwrite the one of Gatehouse.
app.config.update(SECRET_KEY=os.environ["SESSION_SECRET"], SESSION_COOKIE_NAME="shop")
app.config.update(OIDC_REDIRECT_URI=f"{ORIGIN}/callback")

gatehouse = ProviderConfiguration(
    issuer=ISSUER,
    client_metadata=ClientMetadata(os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]),
    auth_request_params={"scope": ["openid", "profile", "email", "offline_access"]},
)
auth = OIDCAuthentication({"gatehouse": gatehouse}, app)


@app.get("/login")
@auth.oidc_auth("gatehouse")
def login():
    return redirect("/")


@app.get("/")
def home():
    if "last_authenticated" not in session:
        return "", 401
    claims = UserSession(session).id_token
    return jsonify(sub=claims["sub"], email=claims["email"])


@app.get("/refresh")
def refresh():
    return jsonify(access_token=auth.valid_access_token(force_refresh=True))


@app.get("/logout")
@auth.oidc_logout
def logout():
    return redirect("/")


print(f"listening on {ORIGIN}", flush=True)
app.run("localhost", int(PORT))
