# pip install "django-allauth[socialaccount,openid]"; the callback is /accounts/oidc/gatehouse/login/callback/
import os

from django.shortcuts import redirect
from django.urls import include, path
from django_shop import ISSUER, configure, leave, serve, show

gatehouse = {
    **{"provider_id": "gatehouse", "name": "Gatehouse"},
    **{"client_id": os.environ["CLIENT_ID"], "secret": os.environ["CLIENT_SECRET"]},
    "settings": {"server_url": ISSUER},
}
configure(
    SOCIALACCOUNT_PROVIDERS={"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [gatehouse]}},
    SOCIALACCOUNT_LOGIN_ON_GET=True,
    SOCIALACCOUNT_EMAIL_VERIFICATION="none",
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    apps=["allauth", "allauth.account", "allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"],
    middleware=["allauth.account.middleware.AccountMiddleware"],
)


def home(request):
    return show(request.user, lambda user: user.socialaccount_set.get().uid)


def login(request):
    return redirect("/accounts/oidc/gatehouse/login/")


# It does not keep the ID token, so Gatehouse asks its user.
def logout(request):
    return leave(request, client_id=os.environ["CLIENT_ID"])


urlpatterns = [
    path("", home),
    path("login", login),
    path("logout", logout),
    path("accounts/", include("allauth.urls")),
]
serve()
