import { useState } from 'react'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { SentenceWith } from '../../../ui/facts/person-text.tsx'
import { consoleKeys } from '../queries.ts'
import type { Application } from './application.ts'

interface Props {
  readonly application: Application
  onSecret(secret: string): void
  onDeleted(): void
}

export function ApplicationActions({ application: { id, name, kind }, onSecret, onDeleted }: Props) {
  const { applications } = useTexts()
  return (
    <footer className="flex flex-wrap gap-2 border-line border-t pt-4">
      {(kind === 'web' || kind === 'service') && <Rotate {...{ id, name, kind, onSecret }} />}
      <ConfirmedAct
        label={applications.remove}
        title={<SentenceWith sentence={applications.removeTitle} words={name} />}
        text={applications.removeText}
        act={() => call('/api/admin/delete_application', { id })}
        done={applications.removed}
        onDone={onDeleted}
        refreshes={[consoleKeys.applications]}
      />
    </footer>
  )
}

type RotateProps = Pick<Application, 'id' | 'name' | 'kind'> & Pick<Props, 'onSecret'>

/** The tokens of a service end too, unless they are kept. */
function Rotate({ id, name, kind, onSecret }: RotateProps) {
  const { applications, webhooks } = useTexts()
  const [keepsTokens, setKeepsTokens] = useState(false)
  return (
    <ConfirmedAct
      look="quiet"
      label={webhooks.rotate}
      title={<SentenceWith sentence={applications.rotateTitle} words={name} />}
      text={applications.rotateText}
      act={async () => {
        const asked = { id, keep_tokens: keepsTokens }
        const { client_secret } = await call('/api/admin/rotate_application_secret', asked)
        onSecret(client_secret)
      }}
    >
      {kind === 'service' && (
        <Switch
          label={applications.keepTokens}
          hint={applications.keepTokensHint}
          value={keepsTokens}
          onChange={setKeepsTokens}
        />
      )}
    </ConfirmedAct>
  )
}
