import { useState } from 'react'
import { type ActOptions, useAct } from './act.ts'

/** A choice that is saved as it is made. It is on at once: a mutation says only with the next rendering that it runs. */
export function useChoice<Got, Value>(options: ActOptions<Value, Got>) {
  const [chosen, setChosen] = useState<Value>()
  const act = useAct(options)
  const choose = (value: Value) => {
    if (chosen !== undefined) return
    setChosen(value)
    act.mutate(value, { onSettled: () => setChosen(undefined) })
  }
  return { chosen, choose, error: act.error }
}
