import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Problem } from '../../../ui/controls/field.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'

export type SecretChange =
  | { readonly action: 'keep' }
  | { readonly action: 'replace'; readonly value: string }
  | { readonly action: 'remove' }

interface Props {
  readonly label: string
  readonly isConfigured: boolean
  readonly value: SecretChange
  readonly problem?: string | undefined
  onChange(change: SecretChange): void
}

/** A single object, so that a form recognises a secret that was not changed. */
export const keep: SecretChange = { action: 'keep' }

/** A secret never comes back: it is configured or not, and can be kept, replaced or removed. */
export function SecretField({ label, isConfigured, value: change, problem, onChange }: Props) {
  const { config, common } = useTexts()
  if (change.action === 'replace' || (!isConfigured && change.action === 'keep')) {
    return (
      <TextField
        label={label}
        problem={problem}
        type="password"
        autoComplete="off"
        value={change.action === 'replace' ? change.value : ''}
        onChange={(value) => onChange(value || isConfigured ? { action: 'replace', value } : keep)}
        corner={isConfigured && <Small text={config.secretKeep} onPress={() => onChange(keep)} />}
      />
    )
  }
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium text-small">{label}</legend>
      <div className="flex flex-wrap items-center gap-2">
        {change.action === 'remove' ? (
          <>
            <Badge look="warning">{config.secretWillGo}</Badge>
            <Small text={config.secretKeep} onPress={() => onChange(keep)} />
          </>
        ) : (
          <>
            <Badge look="accent">{config.secretConfigured}</Badge>
            <Small text={config.secretReplace} onPress={() => onChange({ action: 'replace', value: '' })} />
            <Small text={common.remove} onPress={() => onChange({ action: 'remove' })} />
          </>
        )}
      </div>
      <Problem role="alert">{problem}</Problem>
    </fieldset>
  )
}

function Small({ text, onPress }: { readonly text: string; onPress(): void }) {
  return (
    <Button size="small" onPress={onPress}>
      {text}
    </Button>
  )
}
