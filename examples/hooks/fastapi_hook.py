"""Answers the hooks of Gatehouse. pip install fastapi uvicorn standardwebhooks; HOOK_SECRET=whsec_… python3 fastapi_hook.py"""
import os
import socket

import uvicorn
from fastapi import FastAPI, HTTPException, Request
from standardwebhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["HOOK_SECRET"])
app = FastAPI()


@app.post("/hook")
async def hook(request: Request):
    try:
        asked = webhook.verify(await request.body(), dict(request.headers))
    except WebhookVerificationError:
        raise HTTPException(401)
    user = asked["user"]
    if user["email"].endswith("@blocked.example"):
        return {"allow": False, "message": "Ask your company first."}
    if asked["type"] == "before_sign_up":
        return {"allow": True, "data": {"public": {"plan": "free"}}}
    if asked["type"] == "before_token":
        return {"allow": True, "claims": {"plan": user["public"].get("plan")}}
    return {"allow": True}


server = socket.create_server(("127.0.0.1", int(os.environ.get("PORT", "8080"))))
print("listening on", server.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[server])
