import type { ReactNode } from 'react'
import { type ActOptions, useAct } from '../../server/act.ts'
import { Failure } from '../messages/failure.tsx'
import { Button, type Look } from './button.tsx'

interface Props<Got> extends ActOptions<void, Got>, Look {
  readonly label: ReactNode
  /** More than the label says to the eye: which row it is of. */
  readonly name?: string
  readonly isDisabled?: boolean
}

/** A button for an act that needs no question, and what went wrong with it. */
export function ActButton<Got>({ label, name, look, size, isDisabled, ...options }: Props<Got>) {
  const act = useAct(options)
  return (
    <>
      <Button {...{ look, size, isDisabled }} aria-label={name} isPending={act.isPending} onPress={() => act.mutate()}>
        {label}
      </Button>
      <Failure error={act.error} />
    </>
  )
}
