import { useDevice } from '../../../device.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { useFactWords } from './fact-words.ts'

interface Done {
  readonly action: string
  /** Null if the actor is unknown. */
  readonly actor_id: string | null
  readonly details: Details
}

/** The act in words that stand between actor and target, and the facts that they do not tell. */
export function useSentence(): (entry: Done) => { readonly did: string; readonly facts: Details } {
  const { audit } = useTexts()
  const sentences: Record<string, string> = audit.sentences
  const ways: Record<string, string> = audit.ways
  const wordsOf = useFactWords()
  const device = useDevice()
  return ({ action, actor_id, details: { provider, ...others } }) => {
    const withProvider = provider === undefined ? others : { provider, ...others }
    const words = wordOf(audit.actions, action)
    if (actor_id === null) return { did: words, facts: withProvider }
    if (action !== 'user.sign_in' || !provider)
      return { did: sentences[action] ?? audit.did(words), facts: withProvider }
    const way = ways[String(provider)] ?? wordsOf('provider', provider)
    const { user_agent: program, ...facts } = others
    return { did: audit.signedInWith(way, program ? device(String(program)) : undefined), facts }
  }
}

type Details = Readonly<Record<string, unknown>>

const factsOf = (details: Details) => Object.entries(details).filter(([, value]) => value !== null)

/** The facts of an entry: names and values in words if the catalogue has them. */
export function AuditDetails({ details }: { readonly details: Details }) {
  return (
    <dl className="text-small">
      {factsOf(details).map(([name, value]) => (
        <div key={name}>
          <Fact name={name} value={value} of="dl" />
        </div>
      ))}
    </dl>
  )
}

/** These fields usually say enough. */
const TELLING = new Set(['code', 'reason', 'title', 'name'])

/** The most telling fact; the others open on request. */
export function FoldedDetails({ details }: { readonly details: Details }) {
  const facts = factsOf(details)
  const first = facts.find(([name]) => TELLING.has(name)) ?? facts[0]
  if (first === undefined) return null
  if (facts.length === 1) return <AuditDetails details={details} />
  const others = facts.filter(([name]) => name !== first[0])
  return (
    <details className="text-small">
      <summary className="w-fit cursor-pointer rounded-sm">
        <Fact name={first[0]} value={first[1]} of="summary" />
      </summary>
      <AuditDetails details={Object.fromEntries(others)} />
    </details>
  )
}

interface FactProps {
  readonly name: string
  readonly value: unknown
  readonly of: 'dl' | 'summary'
}

function Fact({ name, value, of }: FactProps) {
  const { audit, common } = useTexts()
  const wordsOf = useFactWords()
  const [Name, Value] = of === 'dl' ? (['dt', 'dd'] as const) : (['span', 'span'] as const)
  return (
    <>
      <Name className="inline break-keep text-ink-soft">{common.fact(wordOf(audit.detailNames, name))}</Name>
      <Value className="inline">
        <PersonText>{wordsOf(name, value)}</PersonText>
      </Value>
    </>
  )
}
