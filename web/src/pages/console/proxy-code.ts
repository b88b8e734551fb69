/** The headers in which `/api/verify` describes the caller. */
const ABOUT_THE_CALLER = [
  'x-user-id',
  'x-user-email',
  'x-user-email-verified',
  'x-user-name',
  'x-user-role',
  'x-user-shard',
  'x-auth-kind',
  'x-auth-scopes',
  'x-auth-id',
  'x-auth-approval',
  'x-act-sub',
  'x-auth-read-only',
  'x-org-id',
  'x-org-slug',
  'x-org-roles',
  'x-org-permissions',
  'x-auth-expires',
  'x-auth-ends',
]

/** The lines for nginx, as in deploy/nginx-product.conf. A header that is not set here would be the caller's own. */
export function proxyCode(issuer: string): string {
  const variable = (header: string) => `$${header.replaceAll('-', '_')}`
  const read = ABOUT_THE_CALLER.map(
    (header) => `  auth_request_set ${variable(header)} $upstream_http_${header.replaceAll('-', '_')};`,
  )
  const sent = ABOUT_THE_CALLER.map((header) => `  proxy_set_header ${header} ${variable(header)};`)
  return `# nginx, in the server of ${URL.parse(issuer)?.host ?? issuer}, since the session's cookie belongs to that host
location /product/ {
  auth_request /_gatehouse;
  error_page 401 = @sign_in;
${read.join('\n')}
${sent.join('\n')}
  proxy_set_header cookie "";
  proxy_set_header authorization "";
  proxy_pass http://your-product;
}
location @sign_in {
  if ($http_accept ~ "text/html") {
    return 302 ${issuer}/sign-in?return_to=$request_uri;
  }
  return 401;
}
location = /_gatehouse {
  internal;
  proxy_pass ${issuer}/api/verify?scope=account:profile:read;
  proxy_ssl_server_name on;
  proxy_pass_request_body off;
  proxy_set_header content-length "";
}`
}
