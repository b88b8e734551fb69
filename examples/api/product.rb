# A product in Ruby: asks Gatehouse about each request. gem install webrick; ruby product.rb
require "json"
require "net/http"
require "webrick"

GATEHOUSE = ENV.fetch("GATEHOUSE", "http://localhost:5173")
PORT = Integer(ENV.fetch("PORT", "8080"))
ORIGIN = "http://localhost:#{PORT}"

# Returns a status, and the caller if it is 200.
def caller_of(request, scope = nil)
  uri = URI("#{GATEHOUSE}/api/verify")
  uri.query = URI.encode_www_form(scope: scope) if scope
  sent = %w[Authorization Cookie].to_h { |name| [name, request[name]] }.compact
  options = { use_ssl: uri.scheme == "https", open_timeout: 5, read_timeout: 5 }
  response = Net::HTTP.start(uri.host, uri.port, options) { |http| http.get(uri, sent) }
  return [[401, 403].include?(response.code.to_i) ? response.code.to_i : 503, nil] unless response.code == "200"
  # A tool's token passes only where its scope is asked for.
  return [403, nil] if scope.nil? && response["x-auth-kind"] != "session"

  # Look up your user by this id: an email may be unverified, and can change hands.
  [200, {
    userId: response["x-user-id"],
    email: response["x-user-email"],
    emailVerified: response["x-user-email-verified"] == "true",
    name: URI.decode_www_form_component(response["x-user-name"]),
    role: response["x-user-role"]
  }]
rescue SystemCallError, IOError, Timeout::Error
  [503, nil]
end

quiet = WEBrick::Log.new(File::NULL)
server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: PORT, Logger: quiet, AccessLog: [])
server.mount_proc "/" do |request, response|
  scope = "product:reports:read" if request.path == "/api/reports"
  response.status, caller = caller_of(request, scope)
  response["Content-Type"] = "application/json"
  response.body = (caller || {}).to_json
  if response.status == 401 && request["Accept"].to_s.include?("text/html")
    back = URI.encode_www_form(return_to: ORIGIN + request.unparsed_uri)
    response.set_redirect(WEBrick::HTTPStatus::Found, "#{GATEHOUSE}/sign-in?#{back}")
  end
end
puts "listening on #{ORIGIN}"
$stdout.flush
server.start
