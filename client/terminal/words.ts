/** Each command's help text; apart from the commands, so that help loads none of them. */
export const clientWords = [
  {
    name: 'connect',
    summary: 'Connect to a server and keep the access under a name',
    usage: `gatehouse connect NAME SERVER SCOPES [flags]

Asks SERVER for access with the comma-separated SCOPES and keeps it under NAME.
You approve in a browser, on this machine or on any other.
\`gatehouse scopes\` lists the scopes with descriptions.

  --name, --server, --scopes   the same arguments as flags
  --loopback      use a browser on this machine, with no code to type
  --no-browser    only print the address
  --token-stdin   keep the token read from standard input instead of asking for approval
  --force         replace a connection of that name and revoke its grant
  --json          print the new connection as JSON`,
  },
  {
    name: 'status',
    summary: 'Show connections: server, user, scopes, expiry',
    usage: `gatehouse status [NAME] [flags]

Shows one connection, or all. Never shows a token.

  --name    the same argument as a flag
  --check   ask each server whether it still accepts the connection
  --json    print JSON: an object for NAME, an array for all`,
  },
  {
    name: 'disconnect',
    summary: 'Revoke a connection on its server and remove it',
    usage: `gatehouse disconnect NAME [flags]

Revokes the grant of NAME on its server, then removes NAME here.
A token given with --token-stdin is only removed locally, not revoked.

  --name         the same argument as a flag
  --local-only   remove it here without asking the server
  --json         print what was done as JSON`,
  },
  {
    name: 'request',
    summary: 'Send an API request with a connection',
    usage: `gatehouse request NAME METHOD PATH [BODY] [flags]

Sends one request to the server of NAME, with its token. PATH is relative, like /api/list_notifications.
BODY is JSON; a POST without a body sends {}. The response goes to standard output, pretty on a terminal.

  --name, --method, --path, --body   the same arguments as flags
  -f, --raw-field KEY=VALUE   a field of the body, as text; KEY can be a[b] or a[]
  -F, --field KEY=VALUE       the same with a type: true, false, null, a number, @FILE or @- for its text
  --input FILE                send a file's content, - for standard input
  -H, --header "NAME: VALUE"  an extra header
  -i, --include               print the response's status and headers too
  --silent                    print no body
  --paginate                  fetch every page and print one array
  -q, --jq EXPRESSION         filter the response with jq
  --timeout SECONDS           how long to wait for each response, 300 by default
  --verbose                   log the request and response to standard error, with secrets masked
  --token-stdin               use the token on standard input

Environment: GATEHOUSE_TOKEN is used instead of the connection's token; GATEHOUSE_SERVER
names the server if there is no connection NAME.

Exit codes: 0 done, 1 refused by the server, 2 usage, 3 no such connection, 4 authorization needed.`,
  },
  {
    name: 'mcp',
    summary: 'Give an assistant the API of a connection as tools (MCP)',
    usage: `gatehouse mcp NAME [flags]

A Model Context Protocol server on standard input and output, for an assistant to start. Each route
that the scopes of NAME allow is a tool, like submit_feedback or admin_list_feedbacks. Tools that
change things are marked as destructive, so that the assistant asks first.

  {"mcpServers": {"prod": {"command": "gatehouse", "args": ["mcp", "prod"]}}}

  --name      the same argument as a flag
  --timeout   seconds to wait for each response (default 50)`,
  },
  {
    name: 'scopes',
    summary: 'List the scopes a connection can request',
    usage: 'gatehouse scopes [--json]',
  },
  {
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    usage: `gatehouse completion bash|zsh|fish

  bash   echo 'source <(gatehouse completion bash)' >> ~/.bashrc
  zsh    echo 'source <(gatehouse completion zsh)' >> ~/.zshrc
  fish   gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish`,
  },
] as const
