"""pip install django social-auth-app-django; the callback is /complete/oidc/"""
import os

from django.http import JsonResponse
from django.urls import include, path
from django_shop import ISSUER, configure, leave, serve, show

configure(
    SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=ISSUER,
    SOCIAL_AUTH_OIDC_KEY=os.environ["CLIENT_ID"],
    SOCIAL_AUTH_OIDC_SECRET=os.environ["CLIENT_SECRET"],
    SOCIAL_AUTH_OIDC_SCOPE=["offline_access"],
    SOCIAL_AUTH_OIDC_USE_PKCE=True,
    AUTHENTICATION_BACKENDS=["social_core.backends.open_id_connect.OpenIdConnectAuth"],
    apps=["social_django"],
)

from social_core.actions import do_auth  # noqa: E402, after the set-up
from social_django.utils import load_strategy, psa  # noqa: E402


def home(request):
    return show(request.user, lambda user: user.social_auth.get().uid)


# A form that posts to /login/oidc/ does the same.
@psa("social:complete")
def login(request, backend):
    return do_auth(request.backend)


def refresh(request):
    account = request.user.social_auth.get()
    account.refresh_token(load_strategy(request))
    return JsonResponse({"access_token": account.access_token})


def logout(request):
    return leave(request, id_token_hint=request.user.social_auth.get().extra_data["id_token"])


urlpatterns = [
    path("", home),
    path("refresh", refresh),
    path("logout", logout),
    path("login", login, {"backend": "oidc"}),
    path("", include("social_django.urls", namespace="social")),
]
serve()
