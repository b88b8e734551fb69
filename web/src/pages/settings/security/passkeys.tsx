import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { useAct } from '../../../server/act.ts'
import { call } from '../../../server/api.ts'
import { addPasskey, hasPasskeys, isCancelled } from '../../../server/passkeys/passkeys.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { FactLine } from '../../../ui/facts/fact-line.tsx'
import { SentenceWith } from '../../../ui/facts/person-text.tsx'
import { Ago } from '../../../ui/facts/time.tsx'
import { Rows } from '../../../ui/lists/rows.tsx'
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
        held.isAllowed &&
        hasPasskeys && (
          <Button size="small" isPending={add.isPending} onPress={() => add.mutate()}>
            {security.addPasskey}
          </Button>
        )
      }
    >
      {!isCancelled(add.error) && <Failure error={add.error} />}
      <Rows
        items={held.passkeys}
        none={hasPasskeys ? security.noPasskeys : security.passkeysUnknown}
        keyOf={({ id }) => id}
        className="py-4"
      >
        {(passkey) => <Passkey passkey={passkey} />}
      </Rows>
    </Card>
  )
}

interface RowProps {
  readonly passkey: SecurityOverview['passkeys'][number]
}

function Passkey({ passkey }: RowProps) {
  const { security, common } = useTexts()
  const onDone = useFactorsChanged()
  const { id, createdAt, lastUsedAt } = passkey
  const shown = passkey.name || security.unnamed
  const used = lastUsedAt !== null && <Ago key="used" at={lastUsedAt} words={security.used} />
  return (
    <>
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
        <Rename passkey={passkey} />
        <ConfirmedAct
          size="small"
          label={common.remove}
          name={security.removeNamed(shown)}
          title={<SentenceWith sentence={security.removePasskeyTitle} words={shown} />}
          text={security.removePasskeyText}
          act={() => call('/api/auth/passkey/delete-passkey', { id })}
          done={security.passkeyRemoved}
          onDone={onDone}
        />
      </div>
      <FactLine facts={[<Ago key="added" at={createdAt} words={security.added} />, used]} />
    </>
  )
}

function Rename({ passkey: { id, name } }: RowProps) {
  const texts = useTexts()
  const { security } = texts
  const form = useForm({
    schema: z.object({ name: fieldsOf(texts).required }),
    initial: { name },
    draft: `passkey:${id}`,
    isEdit: true,
    act: (sent) => call('/api/auth/passkey/update-passkey', { id, ...sent }),
    done: security.renamed,
    refreshes: [securityQuery.queryKey],
  })
  return (
    <form {...form.props} className="flex min-w-40 grow basis-52 flex-wrap items-end gap-x-4 gap-y-2">
      <div className="min-w-40 grow">
        <TextField {...form.field('name')} label={security.passkeyName} placeholder={security.unnamed} />
        <Failure error={form.failure} />
      </div>
      <Button type="submit" size="small" isPending={form.isPending}>
        {security.save}
      </Button>
    </form>
  )
}
