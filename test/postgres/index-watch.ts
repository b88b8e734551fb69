/** Settings of a server that logs every plan and scans a whole table only if no index can serve. */
export const WATCHING_PLANS: readonly string[] = [
  'shared_preload_libraries=auto_explain',
  'auto_explain.log_min_duration=0',
  'auto_explain.log_format=json',
  'auto_explain.log_parameter_max_length=0',
  'enable_seqscan=off',
  'log_line_prefix=',
]

/**
 * Tables of bounded size: one row, one for each shard, one for each migration, a hundred webhooks, a counter for each
 * action and day.
 */
const SMALL: ReadonlySet<string> = new Set([
  'settings',
  'shards',
  'instance',
  'schema_migration',
  'event_order',
  'webhook',
  'row_counts',
])

/** Searching for words inside a text reads each row that the other filters leave, if no index names some. */
const WORD_SEARCH = /^(?!.*search_grams).*\blike\b/s
/** A statement without a condition reads the whole table on purpose; only tests and migrations do that. */
const CONDITION = /\b(where|order by|limit|join|on conflict)\b/
const INNERMOST = /\([^()]*\)/

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Join Type'?: string
  readonly Plans?: readonly Plan[]
}

interface Explained {
  readonly 'Query Text': string
  readonly Plan: Plan
}

interface CostlyPlans {
  /** Each statement that had to read a whole table of unbounded size, with the table's name. */
  readonly wholeTables: ReadonlyMap<string, string>
  /** Each statement that joins what a row may lack and takes its page from the result. */
  readonly joinsBeforeLimit: ReadonlySet<string>
}

export async function costlyPlans(log: AsyncIterable<string>): Promise<CostlyPlans> {
  const wholeTables = new Map<string, string>()
  const joinsBeforeLimit = new Set<string>()
  for await (const { 'Query Text': text, Plan: plan } of explained(log)) {
    if (nodesOf(plan).some(isJoinBeforeLimit)) joinsBeforeLimit.add(text)
    if (WORD_SEARCH.test(text) || !hasCondition(text)) continue
    const table = nodesOf(plan).find(isWholeTableScan)?.['Relation Name']
    if (table !== undefined) wholeTables.set(text, table)
  }
  return { wholeTables, joinsBeforeLimit }
}

/** An update's values can come from a query, whose conditions are not its own. */
function hasCondition(text: string): boolean {
  let own = text
  while (own.startsWith('update ') && INNERMOST.test(own)) own = own.replace(INNERMOST, '')
  return CONDITION.test(own)
}

/** A plan is indented below the line that announces it. */
async function* explained(log: AsyncIterable<string>): AsyncGenerator<Explained> {
  let plan: string | undefined
  for await (const line of log) {
    if (plan !== undefined && line.startsWith('\t')) {
      plan += line
      continue
    }
    if (plan !== undefined) yield JSON.parse(plan)
    plan = /^LOG: {2}duration: .* plan:$/.test(line) ? '' : undefined
  }
  if (plan !== undefined) yield JSON.parse(plan)
}

function nodesOf(plan: Plan): readonly Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

function isWholeTableScan({ 'Node Type': type, 'Relation Name': table = '' }: Plan): boolean {
  return type === 'Seq Scan' && !table.startsWith('pg_') && !SMALL.has(table)
}

/**
 * Such a join does not change which rows a page has. Before the limit, PostgreSQL makes room to remember what it joins
 * to every row of the table, and does so anew for each page.
 */
function isJoinBeforeLimit(plan: Plan): boolean {
  return plan['Node Type'] === 'Limit' && nodesOf(plan).some((node) => node['Join Type'] === 'Left')
}
