import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { saveFile } from '../../save-file.ts'
import { call, callForFile } from '../../server/api.ts'
import { useClientConfig, useSignedIn } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { ActButton } from '../../ui/controls/act-button.tsx'
import { OwnPassword } from '../../ui/controls/own-password.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { FormAct } from '../../ui/dialogs/form-act.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { membershipsQuery } from './organizations/queries.ts'
import { OwnData } from './own-data.tsx'
import { accountsQuery } from './queries.ts'

export function Data() {
  const { data: texts } = useTexts()
  const { user } = useSignedIn()
  const { own_data_shown } = useClientConfig()
  const isAdministrator = user.role === 'administrator'
  const accounts = useQuery({ ...accountsQuery, enabled: !isAdministrator })
  const { data: memberships = [] } = useQuery({ ...membershipsQuery, enabled: !isAdministrator })
  return (
    <>
      <Export />
      {own_data_shown && <OwnData />}
      <Card title={texts.deleteTitle} lead={isAdministrator ? texts.administrator : texts.deleteText}>
        {!isAdministrator && (
          <Loaded query={accounts}>
            {(held) => (
              <Delete
                hasPassword={held.some(({ providerId }) => providerId === 'credential')}
                text={memberships.length > 0 ? texts.confirmTextOfMember : texts.confirmText}
              />
            )}
          </Loaded>
        )}
      </Card>
    </>
  )
}

function Export() {
  const { common, data: texts } = useTexts()
  return (
    <Card title={texts.exportTitle} lead={texts.exportText}>
      <div className="flex flex-col items-start gap-4">
        <ActButton
          label={
            <>
              <Icon name="download" /> {common.download}
            </>
          }
          act={() => callForFile('/api/export_account', {})}
          done={texts.exportDone}
          onDone={(file) => saveFile('my-data.json', file, 'application/json')}
        />
      </div>
    </Card>
  )
}

function Delete({ hasPassword, text }: { readonly hasPassword: boolean; readonly text: string }) {
  const texts = useTexts()
  const { data, form: words } = texts
  const word = z
    .string()
    .check(z.refine((typed) => typed.trim().toLowerCase() === data.word, data.wordMissing(data.word)))
  return (
    <FormAct
      label={
        <>
          <Icon name="trash" /> {data.deleteAction}
        </>
      }
      title={data.confirmTitle}
      text={text}
      action={data.confirmAction}
      schema={z.object({ typed: hasPassword ? fieldsOf(texts).password : word })}
      initial={{ typed: '' }}
      refusals={{ INVALID_EMAIL_OR_PASSWORD: ['typed', words.passwordWrong] }}
      act={({ typed }) => call('/api/auth/delete-user', hasPassword ? { password: typed } : {})}
      onDone={() => location.assign('/sign-in?account=deleted')}
    >
      {(form) =>
        hasPassword ? (
          <OwnPassword {...form.field('typed')} label={data.confirmPassword} autoFocus />
        ) : (
          <TextField {...form.field('typed')} label={data.confirmWord(data.word)} autoComplete="off" autoFocus />
        )
      }
    </FormAct>
  )
}
