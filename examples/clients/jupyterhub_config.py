# pip install oauthenticator; the callback is /hub/oauth_callback
c.JupyterHub.authenticator_class = "generic-oauth"
c.GenericOAuthenticator.client_id = "the-client-id"
c.GenericOAuthenticator.client_secret = "the-client-secret"
c.GenericOAuthenticator.oauth_callback_url = "https://shop.example.com/hub/oauth_callback"
c.GenericOAuthenticator.authorize_url = "https://id.example.com/oauth/authorize"
c.GenericOAuthenticator.token_url = "https://id.example.com/api/oauth/token"
c.GenericOAuthenticator.userdata_url = "https://id.example.com/api/oauth/userinfo"
c.GenericOAuthenticator.scope = ["openid", "profile"]
c.GenericOAuthenticator.username_claim = "sub"
c.GenericOAuthenticator.allow_all = True
