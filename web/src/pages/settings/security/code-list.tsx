import { saveFile } from '../../../save-file.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'

interface Props {
  readonly codes: readonly string[]
  onSaved(): void
}

/** Shown once, right after they were made. */
export function CodeList({ codes, onSaved }: Props) {
  const { security, common } = useTexts()
  return (
    <div className="flex max-w-md flex-col gap-4">
      <Notice look="info">{security.backupShow}</Notice>
      <ul aria-label={security.backup} className="grid grid-cols-2 gap-2 rounded-md bg-sunken p-4 font-mono">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-2">
        <CopyButton text={codes.join('\n')} />
        <Button size="small" onPress={() => saveFile('backup-codes.txt', `${codes.join('\n')}\n`, 'text/plain')}>
          {common.download}
        </Button>
        <Button look="primary" onPress={onSaved}>
          {security.saved}
        </Button>
      </div>
    </div>
  )
}
