import { useState } from 'react'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { SentenceWith } from '../../../ui/facts/person-text.tsx'
import { type Application, consoleKeys } from '../queries.ts'
import { ending } from '../receipt.tsx'
import { keepsSecret } from './connecting-code.ts'

interface Props {
  readonly application: Application
  onSecret(secret: string): void
  onDeleted(): void
}

export function ApplicationActions({ application: { id, client_id, name, kind, users }, onSecret, onDeleted }: Props) {
  const { applications, common } = useTexts()
  return (
    <Card title={common.actions}>
      <div className="flex flex-wrap gap-2">
        {keepsSecret({ kind }) && <Rotate {...{ id, name, kind, onSecret }} />}
        <ConfirmedAct
          label={applications.remove}
          title={<SentenceWith sentence={applications.removeTitle} words={name} />}
          text={applications.removeText}
          act={async () => {
            const deleting = call('/api/admin/delete_application', { id })
            await (users === 0 ? deleting : ending({ kind: 'application', id: client_id }, deleting))
          }}
          done={applications.removed}
          isForNextPage
          onDone={onDeleted}
          refreshes={[consoleKeys.applications]}
        />
      </div>
    </Card>
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
      asks="rotate"
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
