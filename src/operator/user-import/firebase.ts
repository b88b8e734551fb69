import { z } from 'zod'
import { IMPORTED_PASSWORD } from '../../platform/passwords/foreign/foreign.ts'
import type { Platform } from '../../platform/platform.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import type { TransferProgress } from '../transfer/export.ts'
import { readText } from '../transfer/text-file.ts'
import type { Imported } from './at-once.ts'
import { standard } from './password-hashes.ts'
import { type How, importUsers } from './users-file.ts'

/** Values that Firebase's console shows under "Password hash parameters"; the names begin with `base64_`. */
const HashConfig = z.object({
  algorithm: z.literal('SCRYPT').optional(),
  signer_key: z.base64(),
  salt_separator: z.base64(),
  rounds: z.coerce.number().int().positive(),
  mem_cost: z.coerce.number().int().positive(),
})
type HashConfig = z.output<typeof HashConfig>

const Exported = z.object({ users: z.array(z.unknown()) })

/** Values that only the import of users judges are passed on unchanged. */
const TheirUser = z.object({
  localId: z.unknown().optional(),
  email: z.unknown().optional(),
  emailVerified: z.unknown().optional(),
  disabled: z.unknown().optional(),
  displayName: z.unknown().optional(),
  photoUrl: z.unknown().optional(),
  createdAt: z.unknown().optional(),
  /** Custom claims, as JSON in a text. */
  customAttributes: z.unknown().optional(),
  passwordHash: z.string().nullish(),
  salt: z.string().nullish(),
  providerUserInfo: z.array(z.object({ providerId: z.string(), rawId: z.unknown().optional() })).nullish(),
  mfaInfo: z.array(z.unknown()).nullish(),
  phoneNumber: z.unknown().optional(),
})

/** The providers whose ids of users are the same for everybody who asks them. */
const PROVIDERS: Readonly<Record<string, string>> = { 'google.com': 'google', 'github.com': 'github' }
/** Firebase's own ways in: an address with a password, and a telephone, which is counted by itself. */
const OWN_PROVIDERS: readonly string[] = ['password', 'phone', 'emailLink']

/**
 * The output of `firebase auth:export users.json`. Users without an address, for instance with a telephone only, are
 * left out.
 */
export async function importFirebase(
  platform: Platform,
  file: string,
  hashConfigFile: string,
  progress: TransferProgress,
  how: How = {},
): Promise<Imported> {
  const { users } = await readAs(Exported, file, parsedJson)
  const config = await readAs(HashConfig, hashConfigFile, hashParameters)
  const sealedKey = platform.secretBox.seal(IMPORTED_PASSWORD, config.signer_key)
  return importUsers(
    platform,
    users.map((user) => incomingOf(user, config, sealedKey)),
    (done) => progress(done, users.length),
    how,
  )
}

function incomingOf(sent: unknown, config: HashConfig, sealedKey: string): unknown {
  const parsed = TheirUser.safeParse(sent)
  if (!parsed.success) return sent
  const { localId, email, emailVerified, disabled, displayName, photoUrl, createdAt, customAttributes } = parsed.data
  const { passwordHash, salt, providerUserInfo, mfaInfo, phoneNumber } = parsed.data
  const accounts = (providerUserInfo ?? []).filter(({ providerId }) => !OWN_PROVIDERS.includes(providerId))
  return {
    id: localId,
    email,
    email_verified: emailVerified,
    name: displayName,
    image: photoUrl,
    created_at: typeof createdAt === 'string' ? Number(createdAt) : createdAt,
    suspended: disabled,
    ...(typeof customAttributes === 'string' && { data: { public: parsedJson(customAttributes) } }),
    accounts: accounts.map(({ providerId, rawId }) => ({ provider: PROVIDERS[providerId] ?? providerId, id: rawId })),
    // Counted as what is not taken.
    ...(mfaInfo?.length && { 'second factors': true }),
    ...(phoneNumber !== undefined && { 'telephone numbers': true }),
    // Without its salt, which is missing from an export by somebody without the right, no password can be checked.
    password_hash: passwordHash && hashText(config, standard(salt ?? ''), standard(passwordHash), sealedKey),
  }
}

function hashText(config: HashConfig, salt: string, hash: string, sealedKey: string): string {
  const { mem_cost, rounds, salt_separator } = config
  return `$firebase$ln=${mem_cost},r=${rounds}$${salt_separator}$${salt}$${hash}$${sealedKey}`
}

async function readAs<Schema extends z.ZodType>(
  schema: Schema,
  file: string,
  read: (text: string) => unknown,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(read(await readText(file)))
  if (parsed.success) return parsed.data
  const fields = parsed.error.issues.map(({ path }) => path.join('.') || 'its JSON')
  throw new OperatorError(`${file}: ${fields.join(', ')} is missing or malformed`)
}

/** Either the text that the console shows, `hash_config { … }`, or the same fields as JSON. */
function hashParameters(text: string): unknown {
  const shown = /^\s*hash_config\s*\{([^}]*)\}\s*$/.exec(text)?.[1]
  const fields = shown === undefined ? parsedJson(text) : fieldsIn(shown)
  if (typeof fields !== 'object' || fields === null) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.replace(/^base64_/, ''), value]))
}

function fieldsIn(shown: string): object {
  return Object.fromEntries([...shown.matchAll(/(\w+)\s*:\s*([^\s,]+)/g)].map(([, name, value]) => [name, value]))
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
