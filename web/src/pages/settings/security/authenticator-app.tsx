import { useState } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { useAct } from '../../../server/act.ts'
import { call, type Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { CodeInput } from '../../../ui/controls/code-input.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { Form } from '../../../ui/form.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import type { SecurityOverview } from '../queries.ts'
import { CodeList } from './code-list.tsx'
import { QrCode } from './qr-code.tsx'
import { useFactorsChanged } from './use-factors-changed.ts'

type Begun = Output<'/api/auth/two-factor/enable'>

export function AuthenticatorApp({ held }: { readonly held: SecurityOverview }) {
  const { security } = useTexts()
  const onDone = useFactorsChanged()
  const [begun, setBegun] = useState<Begun>()
  const [codes, setCodes] = useState<readonly string[]>()
  const begin = useAct({ act: () => call('/api/auth/two-factor/enable', {}), onDone: setBegun })
  return (
    <Card
      title={security.app}
      lead={held.totp ? security.appOn : security.appLead}
      action={
        held.totp ? (
          <ConfirmedAct
            size="small"
            label={security.removeApp}
            title={security.removeAppTitle}
            text={security.removeAppText}
            act={() => call('/api/auth/two-factor/disable', {})}
            done={security.appRemoved}
            onDone={onDone}
          />
        ) : (
          held.isAllowed &&
          !begun && (
            <Button size="small" isPending={begin.isPending} onPress={() => begin.mutate()}>
              {security.addApp}
            </Button>
          )
        )
      }
    >
      <Failure error={begin.error} />
      {begun && (
        <FirstCode
          begun={begun}
          onCancel={() => setBegun(undefined)}
          onConfirmed={() => {
            setCodes(begun.backupCodes)
            setBegun(undefined)
          }}
        />
      )}
      {codes && <CodeList codes={codes} onSaved={() => setCodes(undefined)} />}
    </Card>
  )
}

interface FirstCodeProps {
  readonly begun: Begun
  onConfirmed(): void
  onCancel(): void
}

function FirstCode({ begun, onConfirmed, onCancel }: FirstCodeProps) {
  const texts = useTexts()
  const { security } = texts
  const changed = useFactorsChanged()
  const form = useForm({
    schema: z.object({ code: fieldsOf(texts).sixDigits }),
    initial: { code: '' },
    refusals: { INVALID_CODE: ['code'] },
    act: (sent) => call('/api/auth/two-factor/verify-totp', sent),
    done: security.appAdded,
    onDone: () => {
      onConfirmed()
      return changed()
    },
  })
  const secret = new URL(begun.totpURI).searchParams.get('secret') ?? ''
  return (
    <Form form={form} className="max-w-md gap-5" place="start" submit={security.confirm} onCancel={onCancel}>
      <p>{security.scan}</p>
      <QrCode text={begun.totpURI} label={security.qrCode} />
      <p>
        <a href={begun.totpURI} className="text-accent underline">
          {security.openApp}
        </a>
      </p>
      <p className="text-ink-soft">
        {security.manual} <code className="font-mono text-ink">{secret.match(/.{1,4}/g)?.join(' ')}</code>{' '}
        <CopyButton text={secret} label={security.copyKey} />
      </p>
      <CodeInput {...form.field('code')} label={security.code} onComplete={() => form.send()} />
    </Form>
  )
}
