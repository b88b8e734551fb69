import { type ClipboardEvent, type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useNavigate } from '../routing/router.tsx'
import { useSignedIn } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { controlClass } from '../ui/controls/text-field.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Said } from '../ui/lists/said.tsx'
import { Failure } from '../ui/messages/failure.tsx'
import { type Goal, type GoalGroup, useGoals } from './palette-goals.ts'
import { keepRecent } from './palette-recent.ts'
import { looksSecret, type Secret, secretIn } from './palette-secret.ts'
import { SecretFound, useSecret } from './palette-secret-found.tsx'

interface Props {
  readonly typed: string
  onType(typed: string): void
  onClose(): void
}

/** Finds anything by its name, id, code or address, and says whose a secret is that was pasted. */
export function Palette({ typed, onType, onClose }: Props) {
  const { palette } = useTexts()
  const [at, setAt] = useState(0)
  const list = useId()
  const { secret, take } = useTakenSecret(typed, onType)
  const ofSecret = useSecret(secret)
  const ofText = useGoals(typed)
  const groups = secret ? ofSecret.groups : ofText.groups
  const goals = groups.flatMap((group) => group.goals)
  const go = useGo(onClose)
  return (
    <Dialog title={palette.title} width="wide" place="top" onClose={onClose}>
      <Field typed={typed} onType={onType} take={take} list={list} goals={goals} at={at} onStep={setAt} onGo={go} />
      {secret && <SecretFound secret={secret} item={ofSecret.item} isKnown={ofSecret.isKnown} />}
      {ofSecret.error && <Failure error={ofSecret.error} />}
      <Said
        view={{ page: 1, values: { typed } }}
        order={undefined}
        data={{ items: goals }}
        isSettled={typed !== '' && !ofText.isSearching}
      />
      {goals.length > 0 && <Groups id={list} groups={groups} at={at} onGo={go} />}
      {goals.length === 0 && !secret && !ofText.isSearching && <p>{palette.none}</p>}
    </Dialog>
  )
}

interface FieldProps extends Pick<Props, 'typed' | 'onType'> {
  /** True if the text had a secret, which then is not in the field. */
  take(text: string): boolean
  readonly list: string
  readonly goals: readonly Goal[]
  readonly at: number
  onStep(at: number): void
  onGo(goal: Goal): void
}

function Field({ typed, onType, take, list, goals, at, onStep, onGo }: FieldProps) {
  const { shortcuts } = useTexts()
  const change = (text: string) => {
    onStep(0)
    if (!take(text)) onType(text)
  }
  const paste = (event: ClipboardEvent) => {
    if (!take(event.clipboardData.getData('text'))) return
    onStep(0)
    event.preventDefault()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const goal = goals[at]
    if (step) {
      event.preventDefault()
      onStep((at + step + goals.length) % Math.max(goals.length, 1))
    }
    if (event.key === 'Enter' && goal) onGo(goal)
  }
  return (
    <input
      role="combobox"
      aria-label={shortcuts.palette}
      aria-expanded={goals.length > 0}
      aria-controls={list}
      aria-activedescendant={goals[at] && `${list}${at}`}
      placeholder={shortcuts.palette}
      autoComplete="off"
      spellCheck={false}
      dir="auto"
      value={typed}
      onChange={({ target }) => change(target.value)}
      onPaste={paste}
      onKeyDown={press}
      ref={focus}
      className={`${controlClass} touch sticky top-0 z-10 h-10 shrink-0`}
    />
  )
}

const focus = (field: HTMLElement | null) => field?.focus()

/** Leaves nothing of a secret in the field: `take` is true if the text has one, of which only the hash is kept. */
function useTakenSecret(typed: string, onType: (typed: string) => void) {
  const [secret, setSecret] = useState<Secret>()
  const take = (text: string): boolean => {
    setSecret(undefined)
    if (!looksSecret(text)) return false
    onType('')
    void secretIn(text).then(setSecret)
    return true
  }
  // What was typed before the palette was there.
  useEffect(() => {
    if (!looksSecret(typed)) return
    onType('')
    void secretIn(typed).then(setSecret)
  }, [typed, onType])
  return { secret, take }
}

function useGo(onClose: () => void) {
  const { user } = useSignedIn()
  const navigate = useNavigate()
  return (goal: Goal) => {
    onClose()
    const { to, title, icon } = goal
    if (to !== undefined && goal.isKept) keepRecent(user.id, { to, title, icon })
    goal.act?.()
    if (to !== undefined) navigate(to)
  }
}

interface GroupsProps {
  readonly id: string
  readonly groups: readonly GoalGroup[]
  readonly at: number
  onGo(goal: Goal): void
}

function Groups({ id, groups, at, onGo }: GroupsProps) {
  const { palette } = useTexts()
  const firsts = groups.map((_, index) => groups.slice(0, index).flatMap(({ goals }) => goals).length)
  return (
    <div id={id} role="listbox" aria-label={palette.title} className="-mx-2 flex flex-col gap-2">
      {groups.map(({ name, goals }, group) => (
        // biome-ignore lint/a11y/useSemanticElements: a list of options has no fieldset.
        <div key={name} role="group" aria-label={palette.groups[name]} className="flex flex-col">
          <p aria-hidden="true" className="px-3 pb-1 font-medium text-ink-soft text-tiny">
            {palette.groups[name]}
          </p>
          {goals.map((goal, index) => (
            <Option
              key={`${goal.title} ${goal.to}`}
              id={`${id}${(firsts[group] ?? 0) + index}`}
              goal={goal}
              isChosen={(firsts[group] ?? 0) + index === at}
              onGo={onGo}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

interface OptionProps {
  readonly id: string
  readonly goal: Goal
  readonly isChosen: boolean
  onGo(goal: Goal): void
}

function Option({ id, goal, isChosen, onGo }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys.
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      ref={isChosen ? intoView : undefined}
      onClick={() => onGo(goal)}
      className="touch flex shrink-0 cursor-pointer items-center gap-3 rounded-md px-3 py-2 hover:bg-sunken aria-selected:bg-accent-soft aria-selected:text-accent-strong forced-colors:aria-selected:outline-2"
    >
      <Icon name={goal.icon} className="size-4 text-ink-soft" />
      <span className="wrap-anywhere line-clamp-2 min-w-0">
        <bdi>{goal.title}</bdi> {goal.detail && <bdi className="ml-1 text-ink-soft text-small">{goal.detail}</bdi>}
      </span>
    </div>
  )
}

const intoView = (option: HTMLElement | null) => option?.scrollIntoView({ block: 'nearest' })
