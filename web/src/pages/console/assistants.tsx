import { Link } from '../../routing/router.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { buttonClass } from '../../ui/controls/button.tsx'
import { PartCard, type Stored, StoredPart } from './settings/part-card.tsx'
import { toggle } from './settings/part-fields.tsx'
import { usePart } from './settings/use-part.tsx'
import { Snippet } from './snippet.tsx'

interface Props {
  readonly issuer: string
}

/** Helps an assistant that has no document of its own: registration, or an application with its client id. */
export function Assistants({ issuer }: Props) {
  return <StoredPart part="assistants">{(document) => <Registration document={document} issuer={issuer} />}</StoredPart>
}

function Registration({ document, issuer }: Stored<'assistants'> & Props) {
  const { connecting: words } = useTexts()
  const part = usePart({ part: 'assistants', document, page: 'connect', fields: { registration: toggle } })
  return (
    <PartCard title={words.assistant} lead={words.assistantText} part={part}>
      <Snippet name={words.assistantAddress} code={`${issuer}/mcp`} />
      {part.controls}
      <div className="flex flex-wrap items-center justify-between gap-2 text-small">
        <span>{words.assistantOr}</span>
        <Link to="/console/applications/new?for=assistant" className={buttonClass({ size: 'small' })}>
          {words.assistantApplication}
        </Link>
      </div>
    </PartCard>
  )
}
