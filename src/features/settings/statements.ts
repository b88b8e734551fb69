import { sql } from 'kysely'

/** Names one save in one history: a counter alone repeats after a failover that lost the last saves. */
export const REVISION = sql<string>`cast(settings.revision as text) || ' ' || settings.token`
