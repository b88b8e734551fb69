import { type Tier, tierOf, tiers } from '../../scope-tiers.ts'
import { useTexts } from '../../texts/texts.tsx'
import { wordOf } from '../../texts/word-of.ts'
import { Icon, type IconName } from '../icon.tsx'

const looks = {
  reads: { icon: 'eye', mark: 'text-accent', box: '' },
  changes: { icon: 'pencil', mark: 'text-warning', box: '' },
  hurts: {
    icon: 'warning',
    mark: 'text-danger',
    box: 'rounded-lg border border-transparent bg-danger-soft px-3.5 py-3',
  },
} as const satisfies Record<Tier, { icon: IconName; mark: string; box: string }>

interface Props {
  readonly scopes: readonly string[]
  /** Words for scopes that the catalogue cannot know: the product's. */
  readonly words?: Readonly<Record<string, string>>
}

/**
 * Descriptions of what a tool can do, in three tiers: what it reads, what it changes, and what can affect
 * others.
 */
export function ScopeList({ scopes, words = {} }: Props) {
  const { consent } = useTexts()
  if (scopes.length === 0) return <p className="text-ink-soft">{consent.noScopes}</p>
  return (
    <div className="flex flex-col gap-4">
      {tiers.map((tier) => (
        <TierList key={tier} tier={tier} scopes={scopes.filter((scope) => tierOf(scope) === tier)} words={words} />
      ))}
    </div>
  )
}

function TierList({ tier, scopes, words: given }: Required<Props> & { readonly tier: Tier }) {
  const { scopeTiers, scopes: known } = useTexts()
  const words = { ...given, ...known }
  const { icon, mark, box } = looks[tier]
  if (scopes.length === 0) return null
  return (
    <div className={box}>
      <p
        aria-hidden="true"
        className={`mb-1.5 font-medium text-small ${tier === 'hurts' ? 'text-danger' : 'text-ink-soft'}`}
      >
        {scopeTiers[tier]}
      </p>
      <ul aria-label={scopeTiers[tier]} className="flex flex-col gap-1.5">
        {scopes.map((scope) => (
          <li key={scope} className="flex items-start gap-2.5 text-compact">
            <Icon name={icon} className={`mt-[0.2rem] size-4 ${mark}`} />
            <span title={scope} className="wrap-anywhere min-w-0">
              {wordOf(words, scope)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
