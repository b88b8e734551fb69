# pip install mozilla-django-oidc; the callback is /oidc/callback/
import os

from django.shortcuts import redirect
from django.urls import include, path
from django_shop import ISSUER, configure, leave, serve, show

configure(
    OIDC_OP_AUTHORIZATION_ENDPOINT=f"{ISSUER}/oauth/authorize",
    OIDC_OP_TOKEN_ENDPOINT=f"{ISSUER}/api/oauth/token",
    OIDC_OP_USER_ENDPOINT=f"{ISSUER}/api/oauth/userinfo",
    OIDC_OP_JWKS_ENDPOINT=f"{ISSUER}/api/oauth/jwks",
    OIDC_RP_CLIENT_ID=os.environ["CLIENT_ID"],
    OIDC_RP_CLIENT_SECRET=os.environ["CLIENT_SECRET"],
    OIDC_RP_SIGN_ALGO="RS256",
    OIDC_USE_PKCE=True,
    OIDC_STORE_ID_TOKEN=True,
    AUTHENTICATION_BACKENDS=[f"{__name__}.BySub"],
    apps=["mozilla_django_oidc"],
)

from mozilla_django_oidc.auth import OIDCAuthenticationBackend  # noqa: E402, after the set-up


# By itself it knows users by their address.
class BySub(OIDCAuthenticationBackend):
    def filter_users_by_claims(self, claims):
        return self.UserModel.objects.filter(username=claims["sub"])

    def get_username(self, claims):
        return claims["sub"]


def home(request):
    return show(request.user, lambda user: user.username)


def login(request):
    return redirect("/oidc/authenticate/")


def logout(request):
    return leave(request, id_token_hint=request.session["oidc_id_token"])


urlpatterns = [
    path("", home),
    path("login", login),
    path("logout", logout),
    path("oidc/", include("mozilla_django_oidc.urls")),
]
serve()
