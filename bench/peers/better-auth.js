// Better Auth as its documentation begins: a SQLite file through node:sqlite, email and password on, sessions in
// the database. With COOKIE_CACHE its cookie cache is on, which then answers without the database for an hour.
// Rate limiting is off, since it would answer 429 to the load. No session is due for its daily renewal.
import { createServer } from 'node:http'
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'

const { PORT, DATABASE_FILE, USERS, SECRET, COOKIE_CACHE } = process.env
const database = new DatabaseSync(DATABASE_FILE)
database.exec('pragma journal_mode = wal')
const auth = betterAuth({
  database,
  secret: SECRET,
  baseURL: `http://127.0.0.1:${PORT}`,
  emailAndPassword: {
    enabled: true,
    // Hashing takes more time than everything else, and each program has its own hash, so it is left out.
    password: { hash: async (password) => password, verify: async ({ hash, password }) => hash === password },
  },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  experimental: { instrumentation: { enabled: false } },
  session: { cookieCache: { enabled: COOKIE_CACHE === 'on', maxAge: 3600 } },
})

const { runMigrations } = await getMigrations(auth.options)
await runMigrations()
insertPeople(Number(USERS))

const handle = toNodeHandler(auth)
createServer((request, response) => (request.url === '/ready' ? response.end() : handle(request, response))).listen(
  Number(PORT),
  '127.0.0.1',
)

function insertPeople(count) {
  const now = Date.now()
  const text = (milliseconds) => new Date(milliseconds).toISOString()
  const insert = (table, values) => database.prepare(`insert into ${table} values ${values}`)
  const user = insert('user (id, name, email, emailVerified, createdAt, updatedAt)', '(?, ?, ?, 1, ?, ?)')
  const session = insert('session (id, token, userId, expiresAt, createdAt, updatedAt)', '(?, ?, ?, ?, ?, ?)')
  const password = `(?, ?, 'credential', ?, 'a long walk in the rain', ?, ?)`
  const account = insert('account (id, accountId, providerId, userId, password, createdAt, updatedAt)', password)
  database.exec('begin')
  for (let i = 0; i < count; i++) {
    const [created, refreshed] = [now - i * 997, now - ((i * 997) % 3_600_000)]
    const token = createHash('sha256').update(`session ${i}`).digest('base64url')
    user.run(`user-${i}`, `Person ${i}`, `person-${i}@example.com`, text(created), text(refreshed))
    account.run(`account-${i}`, `user-${i}`, `user-${i}`, text(created), text(created))
    session.run(`session-${i}`, token, `user-${i}`, text(refreshed + 7 * 86_400_000), text(created), text(refreshed))
  }
  database.exec('commit; analyze')
}
