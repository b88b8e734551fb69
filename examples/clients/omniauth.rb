# gem install omniauth_openid_connect rackup webrick; the callback is /auth/gatehouse/callback. ruby omniauth.rb
require "json"
require "rack"
require "omniauth"
require "omniauth_openid_connect"

ISSUER, PORT = ENV.fetch("GATEHOUSE"), ENV.fetch("PORT", "8080").to_i
ORIGIN = "http://localhost:#{PORT}"
OmniAuth.config.allowed_request_methods = [:get]

app = Rack::Builder.new do
  use Rack::Session::Cookie, secret: ENV.fetch("SESSION_SECRET")
  use OmniAuth::Builder do
    provider :openid_connect, name: :gatehouse, issuer: ISSUER, discovery: true,
      scope: [:openid, :profile, :email], response_type: :code, post_logout_redirect_uri: "#{ORIGIN}/",
      client_options: {
        identifier: ENV.fetch("CLIENT_ID"), secret: ENV.fetch("CLIENT_SECRET"),
        redirect_uri: "#{ORIGIN}/auth/gatehouse/callback"
      }
  end

  run lambda { |env|
    session = env["rack.session"]
    case env["PATH_INFO"]
    when "/login" then [302, {"location" => "/auth/gatehouse"}, []]
    when "/auth/gatehouse/callback"
      auth = env["omniauth.auth"]
      session["user"] = {sub: auth.uid, email: auth.info.email}
      session["hint"] = auth.credentials.id_token
      [302, {"location" => "/"}, []]
    when "/logout"
      query = {id_token_hint: session["hint"], post_logout_redirect_uri: "#{ORIGIN}/"}
      session.clear
      [302, {"location" => "#{ISSUER}/oauth/end-session?#{Rack::Utils.build_query(query)}"}, []]
    else
      session["user"] ? [200, {"content-type" => "application/json"}, [session["user"].to_json]] : [401, {}, []]
    end
  }
end

puts "listening on #{ORIGIN}"
$stdout.flush
Rack::Handler::WEBrick.run(app, Host: "localhost", Port: PORT, Logger: WEBrick::Log.new($stderr, 1), AccessLog: [])
