// A product in Java, with its standard library: asks Gatehouse about each request. java Product.java
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;

public class Product {
  static final String GATEHOUSE = or("GATEHOUSE", "http://localhost:5173");
  static final String ORIGIN = "http://localhost:" + or("PORT", "8080");
  static final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

  /** The response of Gatehouse: 200 with the caller in its headers, 401 or 403. */
  static HttpResponse<Void> ask(HttpExchange exchange, String scope) throws IOException, InterruptedException {
    String query = scope == null ? "" : "?scope=" + encoded(scope);
    var request = HttpRequest.newBuilder(URI.create(GATEHOUSE + "/api/verify" + query)).timeout(Duration.ofSeconds(5));
    for (String name : List.of("Authorization", "Cookie"))
      for (String value : exchange.getRequestHeaders().getOrDefault(name, List.of())) request.header(name, value);
    return client.send(request.build(), HttpResponse.BodyHandlers.discarding());
  }

  static void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().toString();
    try (exchange) {
      String scope = path.startsWith("/api/reports") ? "product:reports:read" : null;
      var caller = ask(exchange, scope);
      String accepted = String.valueOf(exchange.getRequestHeaders().getFirst("Accept"));
      // A tool's token passes only where its scope is asked for.
      boolean isTool = scope == null && !of(caller.headers(), "x-auth-kind").equals("session");
      if (caller.statusCode() == 200) respond(exchange, isTool ? 403 : 200, isTool ? "{}" : json(caller.headers()));
      else if (caller.statusCode() == 401 && accepted.contains("text/html")) {
        exchange.getResponseHeaders().set("Location", GATEHOUSE + "/sign-in?return_to=" + encoded(ORIGIN + path));
        exchange.sendResponseHeaders(302, -1);
      } else respond(exchange, caller.statusCode() == 401 || caller.statusCode() == 403 ? caller.statusCode() : 503, "{}");
    } catch (IOException | InterruptedException unreachable) {
      respond(exchange, 503, "{}");
    }
  }

  // Look up your user by userId: an email may be unverified, and can change hands.
  static String json(HttpHeaders caller) {
    return "{\"userId\":\"%s\",\"role\":\"%s\",\"emailVerified\":%s}".formatted(
        of(caller, "x-user-id"), of(caller, "x-user-role"), of(caller, "x-user-email-verified"));
  }

  static String of(HttpHeaders headers, String name) { return headers.firstValue(name).orElse(""); }

  static void respond(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  static String encoded(String text) { return URLEncoder.encode(text, StandardCharsets.UTF_8); }

  static String or(String name, String otherwise) {
    return System.getenv(name) == null ? otherwise : System.getenv(name);
  }

  public static void main(String[] args) throws IOException {
    var server = HttpServer.create(new InetSocketAddress("127.0.0.1", URI.create(ORIGIN).getPort()), 0);
    server.createContext("/", Product::answer);
    server.setExecutor(Executors.newCachedThreadPool());
    server.start();
    System.out.println("listening on " + ORIGIN);
  }
}
