# pip install mozilla-django-oidc; the callback is /oidc/callback/
import os
from urllib.parse import urlencode

import django
from django.conf import settings
from django.core.management import call_command
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import include, path

ISSUER, PORT = os.environ["GATEHOUSE"], os.environ.get("PORT", "8080")
ORIGIN = f"http://localhost:{PORT}"

settings.configure(
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
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "mozilla_django_oidc"],
    MIDDLEWARE=[f"django.contrib.{name}Middleware" for name in ("sessions.middleware.Session", "auth.middleware.Authentication")],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}},
    SECRET_KEY=os.environ["SESSION_SECRET"],
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["localhost"],
    LOGIN_REDIRECT_URL="/",
)
django.setup()

from django.contrib.auth import logout as leave  # noqa: E402, after the set-up
from mozilla_django_oidc.auth import OIDCAuthenticationBackend  # noqa: E402


# By itself it knows users by their address.
class BySub(OIDCAuthenticationBackend):
    def filter_users_by_claims(self, claims):
        return self.UserModel.objects.filter(username=claims["sub"])

    def get_username(self, claims):
        return claims["sub"]


def home(request):
    if not request.user.is_authenticated:
        return HttpResponse(status=401)
    return JsonResponse({"sub": request.user.username, "email": request.user.email})


def login(request):
    return redirect("/oidc/authenticate/")


def logout(request):
    query = {"id_token_hint": request.session["oidc_id_token"], "post_logout_redirect_uri": f"{ORIGIN}/"}
    leave(request)
    return redirect(f"{ISSUER}/oauth/end-session?{urlencode(query)}")


urlpatterns = [
    path("", home),
    path("login", login),
    path("logout", logout),
    path("oidc/", include("mozilla_django_oidc.urls")),
]

call_command("migrate", verbosity=0)
print(f"listening on {ORIGIN}", flush=True)
call_command("runserver", f"localhost:{PORT}", use_reloader=False, verbosity=0)
