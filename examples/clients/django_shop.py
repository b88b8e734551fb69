"""The shop that django_allauth.py, django_oidc.py and social_auth.py sign their users in to"""
import os
from urllib.parse import urlencode

import django
from django.conf import settings
from django.core.management import call_command
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect

ISSUER, PORT = os.environ["GATEHOUSE"], os.environ.get("PORT", "8080")
ORIGIN = f"http://localhost:{PORT}"


def configure(apps, middleware=(), **library):
    sessions = ("sessions.middleware.Session", "auth.middleware.Authentication", "messages.middleware.Message")
    settings.configure(
        INSTALLED_APPS=[*[f"django.contrib.{name}" for name in ("auth", "contenttypes", "sessions", "messages")], *apps],
        MIDDLEWARE=[*[f"django.contrib.{name}Middleware" for name in sessions], *middleware],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}},
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        SECRET_KEY=os.environ["SESSION_SECRET"],
        ROOT_URLCONF="__main__",
        ALLOWED_HOSTS=["localhost"],
        LOGIN_REDIRECT_URL="/",
        **library,
    )
    django.setup()


def show(user, sub):
    if not user.is_authenticated:
        return HttpResponse(status=401)
    return JsonResponse({"sub": sub(user), "email": user.email})


def leave(request, **query):
    from django.contrib.auth import logout  # after the set-up

    logout(request)
    query["post_logout_redirect_uri"] = f"{ORIGIN}/"
    return redirect(f"{ISSUER}/oauth/end-session?{urlencode(query)}")


def serve():
    call_command("migrate", verbosity=0)
    print(f"listening on {ORIGIN}", flush=True)
    call_command("runserver", f"localhost:{PORT}", use_reloader=False, verbosity=0)
