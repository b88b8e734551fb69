// org.springframework.boot:spring-boot-starter-security-oauth2-client and spring-boot-starter-webmvc. java -cp 'jars/*' spring.java
import jakarta.servlet.http.*;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.*;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.client.*;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.*;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.*;
@EnableAutoConfiguration
@Configuration(proxyBeanMethods = false)
@Import(Shop.Pages.class)
class Shop {
  public static void main(String[] args) {
    var issuer = System.getenv("GATEHOUSE");
    var ours = "spring.security.oauth2.client.";
    var application = new SpringApplication(Shop.class);
    application.setDefaultProperties(Map.of("server.port", System.getenv("PORT"),
      ours + "provider.gatehouse.issuer-uri", issuer,
      ours + "registration.gatehouse.client-id", System.getenv("CLIENT_ID"),
      ours + "registration.gatehouse.client-secret", System.getenv("CLIENT_SECRET"),
      ours + "registration.gatehouse.scope", "openid,profile,email,offline_access"
    ));
    application.run(args);
  }

  @Bean SecurityFilterChain security(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
    var signedOut = new OidcClientInitiatedLogoutSuccessHandler(clients);
    signedOut.setPostLogoutRedirectUri("{baseUrl}/");
    return http.authorizeHttpRequests(all -> all.anyRequest().permitAll())
      .oauth2Login(login -> login.loginPage("/login").defaultSuccessUrl("/", true))
      // A form with a CSRF token is better; this way a link signs out.
      .logout(out -> out.logoutRequestMatcher(asked -> asked.getRequestURI().equals("/logout")).logoutSuccessHandler(signedOut))
      .build();
  }

  @RestController record Pages(ClientRegistrationRepository clients, OAuth2AuthorizedClientRepository known) {
    @GetMapping("/") ResponseEntity<?> home(Authentication user) {
      if (user == null || !(user.getPrincipal() instanceof OidcUser known)) return ResponseEntity.status(401).body("");
      return ResponseEntity.ok(Map.of("sub", known.getSubject(), "email", known.getEmail()));
    }

    @GetMapping("/login") void login(HttpServletResponse response) throws java.io.IOException {
      response.sendRedirect("/oauth2/authorization/gatehouse");
    }

    // By itself it refreshes a token that ends within a minute; with a day, each one.
    @GetMapping("/refresh") Map<String, String> refresh(Authentication user, HttpServletRequest request, HttpServletResponse response) {
      var manager = new DefaultOAuth2AuthorizedClientManager(clients, known);
      manager.setAuthorizedClientProvider(OAuth2AuthorizedClientProviderBuilder.builder()
        .refreshToken(when -> when.clockSkew(Duration.ofDays(1))).build());
      var asked = OAuth2AuthorizeRequest.withClientRegistrationId("gatehouse").principal(user)
        .attribute(HttpServletRequest.class.getName(), request).attribute(HttpServletResponse.class.getName(), response);
      return Map.of("access_token", manager.authorize(asked.build()).getAccessToken().getTokenValue());
    }
  }
}
