import { useState } from 'react'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { type SecurityOverview, securityQuery } from '../queries.ts'
import { CodeList } from './code-list.tsx'

export function BackupCodes({ held }: { readonly held: SecurityOverview }) {
  const { security } = useTexts()
  const [codes, setCodes] = useState<readonly string[]>()
  return (
    <Card
      title={security.backup}
      lead={security.backupLead}
      action={
        <ConfirmedAct
          size="small"
          look="quiet"
          label={security.backupMake}
          title={security.backupTitle}
          text={security.backupText}
          act={async () => {
            const { backupCodes } = await call('/api/auth/two-factor/generate-backup-codes', {})
            setCodes(backupCodes)
          }}
          refreshes={[securityQuery.queryKey]}
        />
      }
    >
      {codes ? (
        <CodeList codes={codes} onSaved={() => setCodes(undefined)} />
      ) : (
        <p>{security.backupLeft(held.backupCodesLeft)}</p>
      )}
    </Card>
  )
}
