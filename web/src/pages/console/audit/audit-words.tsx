import { useTexts } from '../../../texts/texts.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { useFactWords } from './fact-words.ts'

/** The description of an action; an action that the catalogue does not know keeps its code. */
export function useActionWords(): (action: string) => string {
  const { audit } = useTexts()
  const known: Record<string, string> = audit.actions
  return (action) => known[action] ?? action
}

interface Done {
  readonly action: string
  /** Null if nobody who is known did it. */
  readonly actor_id: string | null
  readonly details: Details
}

/** What the actor did, to stand between actor and target, and the facts that it does not tell. */
export function useSentence(): (entry: Done) => { readonly did: string; readonly facts: Details } {
  const { audit } = useTexts()
  const sentences: Record<string, string> = audit.sentences
  const ways: Record<string, string> = audit.ways
  const actionWords = useActionWords()
  const wordsOf = useFactWords()
  return ({ action, actor_id, details: { provider, ...others } }) => {
    const withProvider = provider === undefined ? others : { provider, ...others }
    if (actor_id === null) return { did: actionWords(action), facts: withProvider }
    if (action !== 'user.sign_in' || !provider)
      return { did: sentences[action] ?? audit.did(actionWords(action)), facts: withProvider }
    const way = ways[String(provider)] ?? wordsOf('provider', provider)
    return { did: audit.signedInWith(way), facts: others }
  }
}

type Details = Readonly<Record<string, unknown>>

const factsOf = (details: Details) => Object.entries(details).filter(([, value]) => value !== null)

export const hasFacts = (details: Details): boolean => factsOf(details).length > 0

/** The facts of an entry: names and values in words if the catalogue has them. */
export function AuditDetails({ details }: { readonly details: Details }) {
  const { audit, common } = useTexts()
  const names: Record<string, string> = audit.detailNames
  const wordsOf = useFactWords()
  return (
    <dl className="text-small">
      {factsOf(details).map(([name, value]) => (
        <div key={name}>
          <dt className="inline break-keep text-ink-soft">{common.fact(names[name] ?? name)}</dt>
          <dd className="inline">
            <PersonText>{wordsOf(name, value)}</PersonText>
          </dd>
        </div>
      ))}
    </dl>
  )
}
