// com.nimbusds:oauth2-oidc-sdk; the callback is /callback. java -cp 'jars/*' nimbus.java
import com.nimbusds.oauth2.sdk.*;
import com.nimbusds.oauth2.sdk.auth.*;
import com.nimbusds.oauth2.sdk.id.*;
import com.nimbusds.oauth2.sdk.pkce.*;
import com.nimbusds.oauth2.sdk.token.RefreshToken;
import com.nimbusds.openid.connect.sdk.*;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import com.sun.net.httpserver.*;
import java.net.*;
class Product {
  static final URI origin = URI.create("http://localhost:" + System.getenv("PORT"));
  // Of one user: a product keeps one of these for each browser.
  static State state; static CodeVerifier verifier; static Nonce nonce;
  static com.nimbusds.jwt.JWT hint; static String user; static RefreshToken refresh;
  public static void main(String[] args) throws Exception {
    var issuer = new Issuer(System.getenv("GATEHOUSE"));
    var server = OIDCProviderMetadata.resolve(issuer);
    var id = new ClientID(System.getenv("CLIENT_ID"));
    var auth = new ClientSecretBasic(id, new Secret(System.getenv("CLIENT_SECRET")));
    var validator = new IDTokenValidator(issuer, id, com.nimbusds.jose.JWSAlgorithm.RS256, server.getJWKSetURI().toURL());
    var callback = origin.resolve("/callback");
    var scope = new Scope("openid", "profile", "email", "offline_access");
    var http = HttpServer.create(new InetSocketAddress("localhost", origin.getPort()), 0);
    on(http, "/login", exchange -> {
      state = new State(); verifier = new CodeVerifier(); nonce = new Nonce();
      var asked = new AuthenticationRequest.Builder(ResponseType.CODE, scope, id, callback).state(state).nonce(nonce)
        .codeChallenge(verifier, CodeChallengeMethod.S256).endpointURI(server.getAuthorizationEndpointURI()).build();
      go(exchange, asked.toURI());
    });
    on(http, "/callback", exchange -> {
      var response = AuthenticationResponseParser.parse(origin.resolve(exchange.getRequestURI())).toSuccessResponse();
      if (!response.getState().equals(state)) throw new IllegalStateException("not asked for");
      var grant = new AuthorizationCodeGrant(response.getAuthorizationCode(), callback, verifier);
      var tokens = redeem(new TokenRequest(server.getTokenEndpointURI(), auth, grant));
      hint = tokens.getIDToken();
      user = validator.validate(hint, nonce).toJSONObject().toJSONString();
      go(exchange, origin.resolve("/"));
    });
    on(http, "/", exchange -> say(exchange, user == null ? 401 : 200, String.valueOf(user)));
    on(http, "/refresh", exchange -> {
      var tokens = redeem(new TokenRequest(server.getTokenEndpointURI(), auth, new RefreshTokenGrant(refresh)));
      say(exchange, 200, "{\"access_token\":\"" + tokens.getAccessToken() + "\"}");
    });
    on(http, "/logout", exchange -> {
      user = null;
      go(exchange, new LogoutRequest(server.getEndSessionEndpointURI(), hint, origin.resolve("/"), null).toURI());
    });
    http.start();
    System.out.println("listening on " + origin);
  }

  static com.nimbusds.openid.connect.sdk.token.OIDCTokens redeem(TokenRequest request) throws Exception {
    var tokens = OIDCTokenResponse.parse(request.toHTTPRequest().send()).getOIDCTokens();
    refresh = tokens.getRefreshToken();
    return tokens;
  }

  interface Act { void on(HttpExchange exchange) throws Exception; }
  static void on(HttpServer http, String path, Act act) {
    http.createContext(path, exchange -> {
      try { act.on(exchange); } catch (Exception failed) { say(exchange, 502, failed.toString()); }
    });
  }
  static void go(HttpExchange exchange, URI address) throws java.io.IOException {
    exchange.getResponseHeaders().set("location", address.toString());
    say(exchange, 302, "");
  }
  static void say(HttpExchange exchange, int status, String body) throws java.io.IOException {
    exchange.sendResponseHeaders(status, 0);
    try (var out = exchange.getResponseBody()) { out.write(body.getBytes()); }
  }
}
