"""pip install django social-auth-app-django; the callback is /complete/oidc/"""
import os
from urllib.parse import urlencode

import django
from django.conf import settings
from django.contrib.auth import logout as leave
from django.core.management import call_command
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import include, path

ISSUER, PORT = os.environ["GATEHOUSE"], os.environ.get("PORT", "8080")
ORIGIN = f"http://localhost:{PORT}"

settings.configure(
    SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=ISSUER,
    SOCIAL_AUTH_OIDC_KEY=os.environ["CLIENT_ID"],
    SOCIAL_AUTH_OIDC_SECRET=os.environ["CLIENT_SECRET"],
    SOCIAL_AUTH_OIDC_SCOPE=["offline_access"],
    SOCIAL_AUTH_OIDC_USE_PKCE=True,
    AUTHENTICATION_BACKENDS=["social_core.backends.open_id_connect.OpenIdConnectAuth"],
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "social_django"],
    MIDDLEWARE=[f"django.contrib.{name}Middleware" for name in ("sessions.middleware.Session", "auth.middleware.Authentication")],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}},
    SECRET_KEY=os.environ["SESSION_SECRET"],
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["localhost"],
    LOGIN_REDIRECT_URL="/",
)
django.setup()

from social_core.actions import do_auth  # noqa: E402, after the set-up
from social_django.utils import load_strategy, psa  # noqa: E402


def home(request):
    if not request.user.is_authenticated:
        return HttpResponse(status=401)
    account = request.user.social_auth.get()
    return JsonResponse({"sub": account.uid, "email": request.user.email})


# A form that posts to /login/oidc/ does the same.
@psa("social:complete")
def login(request, backend):
    return do_auth(request.backend)


def refresh(request):
    account = request.user.social_auth.get()
    account.refresh_token(load_strategy(request))
    return JsonResponse({"access_token": account.access_token})


def logout(request):
    hint = request.user.social_auth.get().extra_data["id_token"]
    leave(request)
    query = {"id_token_hint": hint, "post_logout_redirect_uri": f"{ORIGIN}/"}
    return redirect(f"{ISSUER}/oauth/end-session?{urlencode(query)}")


urlpatterns = [
    path("", home),
    path("refresh", refresh),
    path("logout", logout),
    path("login", login, {"backend": "oidc"}),
    path("", include("social_django.urls", namespace="social")),
]

call_command("migrate", verbosity=0)
print(f"listening on {ORIGIN}", flush=True)
call_command("runserver", f"localhost:{PORT}", use_reloader=False, verbosity=0)
