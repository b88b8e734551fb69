import { useState } from 'react'
import { useAct } from '../../../server/act.ts'
import { call } from '../../../server/api.ts'
import { addPasskey, isCancelled } from '../../../server/passkeys.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { FactLine } from '../../../ui/facts/fact-line.tsx'
import { useAgo } from '../../../ui/facts/time.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import { type SecurityOverview, securityQuery } from '../queries.ts'
import { useFactorsChanged } from './use-factors-changed.ts'

interface Props {
  readonly held: SecurityOverview
}

export function Passkeys({ held }: Props) {
  const { security } = useTexts()
  const onDone = useFactorsChanged()
  const add = useAct({ act: () => addPasskey(undefined), done: security.passkeyAdded, onDone })
  return (
    <Card
      title={security.passkeys}
      lead={security.passkeysLead}
      action={
        held.isAllowed && (
          <Button size="small" isPending={add.isPending} onPress={() => add.mutate()}>
            {security.addPasskey}
          </Button>
        )
      }
    >
      {!isCancelled(add.error) && <Failure error={add.error} />}
      {held.passkeys.length === 0 && <p className="text-ink-soft">{security.noPasskeys}</p>}
      <ul className="-my-3 divide-y divide-line">
        {held.passkeys.map((passkey) => (
          <PasskeyRow key={passkey.id} passkey={passkey} />
        ))}
      </ul>
    </Card>
  )
}

function PasskeyRow({ passkey }: { readonly passkey: SecurityOverview['passkeys'][number] }) {
  const { security } = useTexts()
  const ago = useAgo()
  const onDone = useFactorsChanged()
  const [name, setName] = useState(passkey.name)
  const shown = passkey.name || security.unnamed
  const rename = useAct({
    act: () => call('/api/auth/passkey/update-passkey', { id: passkey.id, name }),
    done: security.renamed,
    refreshes: [securityQuery.queryKey],
  })
  const facts = [
    security.added(ago(passkey.createdAt)),
    ...(passkey.lastUsedAt === null ? [] : [security.used(ago(passkey.lastUsedAt))]),
  ]
  return (
    <li className="flex flex-wrap items-end gap-x-4 gap-y-2 py-4">
      <div className="min-w-40 grow basis-52">
        <TextField label={security.passkeyName} value={name} placeholder={shown} onChange={setName} />
        <FactLine facts={facts} />
        <Failure error={rename.error} />
      </div>
      {name.trim() !== '' && name !== passkey.name && (
        <Button size="small" isPending={rename.isPending} onPress={() => rename.mutate()}>
          {security.save}
        </Button>
      )}
      <ConfirmedAct
        size="small"
        label={security.remove}
        name={security.removeNamed(shown)}
        title={security.removePasskeyTitle(shown)}
        text={security.removePasskeyText}
        action={security.remove}
        act={() => call('/api/auth/passkey/delete-passkey', { id: passkey.id })}
        done={security.passkeyRemoved}
        onDone={onDone}
      />
    </li>
  )
}
