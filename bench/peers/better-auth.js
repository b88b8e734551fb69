// Better Auth as its documentation begins: a SQLite file through node:sqlite, email and password on, sessions in
// the database. With COOKIE_CACHE its cookie cache is on, which then answers without the database for an hour.
// Rate limiting is off, since it would answer 429 to the load. No session is due for its daily renewal.
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'

const { PORT, DATABASE_FILE, SECRET, COOKIE_CACHE } = process.env
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

const handle = toNodeHandler(auth)
createServer((request, response) => (request.url === '/ready' ? response.end() : handle(request, response))).listen(
  Number(PORT),
  '127.0.0.1',
)
