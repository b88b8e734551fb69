import { useState } from 'react'
import { SCOPES } from '../../../../src/rules/scopes.ts'
import { isAdministrative } from '../../scope-tiers.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { ApplicationEditor } from './applications/application-editor.tsx'
import { type Created, Credentials } from './applications/credentials.tsx'
import { PartCard, type Stored, StoredPart } from './settings/part-card.tsx'
import { toggle } from './settings/part-fields.tsx'
import { usePart } from './settings/use-part.tsx'
import { Snippet } from './snippet.tsx'

interface Props {
  readonly issuer: string
}

/** Helps an assistant that has no document of its own: registration, or an application with its client id. */
export function Assistants({ issuer }: Props) {
  const { connecting: words, applications } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const [created, setCreated] = useState<Created>()
  return (
    <>
      {created && <Credentials created={created} />}
      <StoredPart part="assistants">
        {(document) => <Registration document={document} issuer={issuer} onApplication={() => setOpen(true)} />}
      </StoredPart>
      {isOpen && (
        <Dialog title={applications.register} width="wide" onClose={() => setOpen(false)}>
          <ApplicationEditor
            application={undefined}
            suggested={{ name: words.assistantName, ...ASSISTANT }}
            onDone={(made) => {
              setCreated(made)
              setOpen(false)
            }}
          />
        </Dialog>
      )}
    </>
  )
}

interface RegistrationProps extends Stored<'assistants'>, Props {
  onApplication(): void
}

function Registration({ document, issuer, onApplication }: RegistrationProps) {
  const { connecting: words } = useTexts()
  const part = usePart({ part: 'assistants', document, page: 'connect', fields: { registration: toggle } })
  return (
    <PartCard title={words.assistant} lead={words.assistantText} part={part}>
      <Snippet name={words.assistantAddress} code={`${issuer}/mcp`} />
      {part.controls}
      <div className="flex flex-wrap items-center justify-between gap-2 text-small">
        <span>{words.assistantOr}</span>
        <Button size="small" onPress={onApplication}>
          {words.assistantApplication}
        </Button>
      </div>
    </PartCard>
  )
}

/** Any port of 127.0.0.1 is fine; with `localhost` the port has to be the assistant's own. */
const ASSISTANT = {
  kind: 'native',
  redirect_uris: [
    'http://127.0.0.1/',
    'http://127.0.0.1/callback',
    'http://127.0.0.1/oauth/callback',
    // Claude Code with --callback-port 8080, Cursor, MCP Inspector.
    'http://localhost:8080/callback',
    'http://localhost:8787/callback',
    'http://localhost:6274/oauth/callback',
  ],
  // Assistants ask for everything that a user can give.
  scopes: [...Object.keys(SCOPES).filter((scope) => !isAdministrative(scope)), 'offline_access'],
} as const
