# pip install "django-allauth[socialaccount,openid]"; the callback is /accounts/oidc/gatehouse/login/callback/
import os
from urllib.parse import urlencode

import django
from django.conf import settings
from django.core.management import call_command
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import include, path

ISSUER, PORT = os.environ["GATEHOUSE"], os.environ.get("PORT", "8080")
ORIGIN, CLIENT_ID = f"http://localhost:{PORT}", os.environ["CLIENT_ID"]

gatehouse = {
    **{"provider_id": "gatehouse", "name": "Gatehouse"},
    **{"client_id": CLIENT_ID, "secret": os.environ["CLIENT_SECRET"]},
    "settings": {"server_url": ISSUER},
}
settings.configure(
    SOCIALACCOUNT_PROVIDERS={"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [gatehouse]}},
    SOCIALACCOUNT_LOGIN_ON_GET=True,
    SOCIALACCOUNT_EMAIL_VERIFICATION="none",
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    INSTALLED_APPS=[
        *[f"django.contrib.{name}" for name in ("auth", "contenttypes", "sessions", "messages")],
        *["allauth", "allauth.account", "allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"],
    ],
    MIDDLEWARE=[
        *[f"django.contrib.{name}Middleware" for name in ("sessions.middleware.Session", "auth.middleware.Authentication")],
        *["django.contrib.messages.middleware.MessageMiddleware", "allauth.account.middleware.AccountMiddleware"],
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}},
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    SECRET_KEY=os.environ["SESSION_SECRET"],
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["localhost"],
    LOGIN_REDIRECT_URL="/",
)
django.setup()

from django.contrib.auth import logout as leave  # noqa: E402, after the set-up


def home(request):
    if not request.user.is_authenticated:
        return HttpResponse(status=401)
    return JsonResponse({"sub": request.user.socialaccount_set.get().uid, "email": request.user.email})


def login(request):
    return redirect("/accounts/oidc/gatehouse/login/")


# It does not keep the ID token, so Gatehouse asks its user.
def logout(request):
    leave(request)
    query = {"client_id": CLIENT_ID, "post_logout_redirect_uri": f"{ORIGIN}/"}
    return redirect(f"{ISSUER}/oauth/end-session?{urlencode(query)}")


urlpatterns = [
    path("", home),
    path("login", login),
    path("logout", logout),
    path("accounts/", include("allauth.urls")),
]

call_command("migrate", verbosity=0)
print(f"listening on {ORIGIN}", flush=True)
call_command("runserver", f"localhost:{PORT}", use_reloader=False, verbosity=0)
