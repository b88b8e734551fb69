"""A product with Django: asks Gatehouse about each request. pip install django; python3 django_product.py"""
import os
import urllib.error
import urllib.parse
import urllib.request
from functools import wraps
from wsgiref.simple_server import WSGIRequestHandler, make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import path

GATEHOUSE = os.environ.get("GATEHOUSE", "http://localhost:5173")
PORT = int(os.environ.get("PORT", "8080"))
ORIGIN = f"http://localhost:{PORT}"


def protect(scope=None):
    """For a view: `request.caller`, or a refusal. Without a scope only a user's own session passes."""

    def around(view):
        @wraps(view)
        def answer(request, *args, **kwargs):
            query = "?" + urllib.parse.urlencode({"scope": scope}) if scope else ""
            sent = {name: request.headers[name] for name in ("Authorization", "Cookie") if name in request.headers}
            asked = urllib.request.Request(f"{GATEHOUSE}/api/verify{query}", headers=sent)
            try:
                headers = urllib.request.urlopen(asked, timeout=5).headers
            except urllib.error.HTTPError as refused:
                if refused.code == 401 and "text/html" in request.headers.get("Accept", ""):
                    back = urllib.parse.urlencode({"return_to": ORIGIN + request.get_full_path()})
                    return HttpResponseRedirect(f"{GATEHOUSE}/sign-in?{back}")
                return HttpResponse(status=refused.code if refused.code in (401, 403) else 503)
            except OSError:
                return HttpResponse(status=503)
            if scope is None and headers["x-auth-kind"] != "session":
                return HttpResponse(status=403)
            # Look up your user by this id: an email may be unverified, and can change hands.
            request.caller = {"userId": headers["x-user-id"], "email": headers["x-user-email"]}
            return view(request, *args, **kwargs)

        return answer

    return around


@protect()
def me(request):
    return JsonResponse(request.caller)


@protect("product:reports:read")
def reports(request):
    return JsonResponse({"reports": []})


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


urlpatterns = [path("", me), path("api/me", me), path("api/reports", reports)]
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["localhost"], SECRET_KEY="of no use here")
server = make_server("127.0.0.1", PORT, get_wsgi_application(), handler_class=Quiet)
print(f"listening on {ORIGIN}", flush=True)
server.serve_forever()
