/** Why a goal can be missed, found by profiling and by taking parts out. */
const REASONS: readonly { readonly name: string; readonly what: RegExp; readonly reason: string }[] = [
  {
    name: 'session-check',
    what: /floor|written by hand/,
    reason:
      'The floor has only what no check of ours can leave out, on `node:http` alone: the statement, the hash, the JSON and the headers. Above it are the router, the checks of the request, the bookmark, metrics and the log: in a profile 11 % of a check, spread over thirty modules, and Hono with its adapter 6 %. Remembered answers would be faster and could be out of date.',
  },
  {
    name: 'session-check',
    what: /access token|bearer/,
    reason: 'All three do the same work, so a difference shows how much two rounds on this machine differ.',
  },
  {
    name: 'notifications',
    what: /a page/,
    reason:
      'A page is a session check, the total, twenty rows, the marks from another store, and a response of five kilobytes. The same written by hand is far from the goal too.',
  },
  {
    name: 'notifications',
    what: /unread/,
    reason:
      'Notifications are in the global store and marks in a shard, and a mark can exist for any id. So the exact number of unread ones needs both lists, 10,000 ids and 5,000 marks. In a profile, SQLite takes about 60 % of that work, for reading both in their order, and comparing them a quarter. A remembered list would be wrong as soon as somebody publishes.',
  },
  {
    name: 'refresh',
    what: /./,
    reason:
      'In a profile, 46 % of a refresh is SQLite: three updates and two insertions change fifteen B-trees of tables and indexes, and a third of the 46 % is writing and flushing their pages in the commit. The other server keeps everything in one table of JSON with two indexes.',
  },
  {
    name: 'oidc',
    what: /a code/,
    reason:
      'In a profile, SQLite takes 26 % of redeeming a code: the grant, its event and two tokens are inserted into 21 B-trees of tables and indexes, because revoking, the log and webhooks need them. Signing on another thread takes 11 %, since `jose` signs only through WebCrypto. Without both, the rest would still miss the goal: it is the HTTP request with its checks, JavaScript and its promises, and memory. The row written by hand has three tables, no event and no checks of the request.',
  },
  {
    name: 'oidc',
    what: /client_credentials/,
    reason:
      'In a profile, SQLite takes 23 % of it. Without SQLite, the rest would still miss the goal: reading the request, checking the client and sending the response are most of it, and drawing the random token alone takes 4 %. The row written by hand checks neither the application in the store nor its grant.',
  },
  {
    name: 'million',
    what: /newest schema step/,
    reason: 'From 0.3.0 on a step only adds; what grows with a table is done in the background.',
  },
  {
    name: 'bookmarks',
    what: /has reached/,
    reason:
      'Each read also asks the database server for its position in the log. That took 75 to 90 µs of processor time on a replica and 33 to 43 µs on the primary, because a replica finds its timeline in its control file, which it reads twice, and in the state of its receiver.',
  },
  {
    name: 'events',
    what: /with its event/,
    reason:
      'An event is written into the outbox of its shard with the write itself. It is then read, written with its place in the order into the global store, and deleted from the outbox, in two more commits that the events of a moment share. The other side does none of this.',
  },
  {
    name: 'feedbacks',
    what: /written by hand/,
    reason:
      'Beside the session and the rows, ours reads the list of shards, reads before and after the list whether users are being moved between shards, and does everything else that `session-check` names.',
  },
  {
    name: 'second-factor',
    what: /./,
    reason:
      'Single rounds of the same check differ by far more than 2 %: the table shows the lowest and the highest of each side. The result is the median of what each round shows against the other side’s in the same round.',
  },
  {
    name: 'submit-feedback',
    what: /processor time/,
    reason:
      'On a fast disk a commit costs so little that sharing it saves hardly more than the counters, the lock of the user and the event cost, which the other side does not write.',
  },
  {
    name: 'postgres',
    what: /two processes/,
    reason:
      'With two cores, one process, the generator and PostgreSQL fill the machine already, so a second process can only take turns. What it adds with cores of its own is a calculation in `docs/scale.md`.',
  },
  {
    name: 'postgres',
    what: /one read/,
    reason:
      'The bare read takes one row of one table, a check one of five tables joined. The row with our statement and JSON on bare Hono shows what that costs; the rest is everything around it, as in `session-check`.',
  },
  {
    name: 'soak',
    what: /memory/,
    reason:
      'Memory grows until the caches of the four stores are full, and then stays as it is: the table shows whether the last windows still grow.',
  },
  {
    name: 'scale',
    what: /./,
    reason: 'The service, PostgreSQL and the generator share two cores here.',
  },
  {
    name: 'flood',
    what: /against idle/,
    reason:
      'Beside a flood every core is busy with hashes and with refusing the flood, so a check waits for its turn. An idle server answers in a millisecond or two; the bound in milliseconds is what a user notices.',
  },
  {
    name: 'verifier',
    what: /new signed token/,
    reason:
      'Verifying one Ed25519 signature takes nearly all of it: the row with bare Ed25519 is the most that this processor allows.',
  },
  {
    name: 'start',
    what: /./,
    reason:
      'The rows for bare Node and bare Hono show what every server on them pays; the section on the start names the rest.',
  },
  {
    name: 'pages',
    what: /./,
    reason: 'The browser and the server share two cores; the table has the load of the machine.',
  },
]

/** Undefined if it has not been looked for yet. */
export function reasonOf(name: string, what: string): string | undefined {
  const found = REASONS.find((one) => one.name === name && one.what.test(what))
  return found && `\`${name}\`: ${found.reason}`
}
