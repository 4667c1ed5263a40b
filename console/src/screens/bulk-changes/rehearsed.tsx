import { type ReactNode, useState } from 'react'
import { valueAt } from '../../api/objects.ts'
import type { Attempts } from '../../forms/use-attempt.ts'
import { useRehearsal } from '../../forms/use-rehearsal.ts'
import { Button } from '../../parts/button.tsx'
import { Faults, faultTexts } from '../../parts/faults.tsx'
import parts from '../../parts/parts.module.css'
import { words } from '../../words/words.ts'
import { countsOf } from './plan.ts'
import { Sample, type Target } from './sample.tsx'

interface RehearsedProps {
  readonly attempts: Attempts
  readonly target: Target
  /** What is sent; undefined while nothing, or something wrong, was typed. */
  readonly body: unknown
  readonly isUndo?: boolean
  /** What the button says, of a number of objects. */
  submit(n: number): string
  onAnswer(answer: unknown): void
  onClose(): void
  readonly children?: ReactNode
}

/** Shows what a bulk change would do, and sends it once. */
export function Rehearsed({ attempts, target, body, isUndo = false, submit, ...on }: RehearsedProps) {
  const [isRunning, setRunning] = useState(false)
  const [faults, setFaults] = useState<readonly string[]>([])
  const { answer, refusal, isChecking, isReady } = useRehearsal(
    [target.listPath, isUndo],
    body,
    attempts.rehearse,
  )
  const { chosen } = countsOf(valueAt(answer, 'data'))
  const run = async () => {
    setRunning(true)
    setFaults([])
    try {
      on.onAnswer((await attempts.send(body)).body)
    } catch (error) {
      setFaults(faultTexts(error))
    } finally {
      setRunning(false)
    }
  }
  return (
    <>
      {on.children}
      <p role="status">{isChecking ? words.record.checking : ''}</p>
      {refusal && <Faults texts={faultTexts(refusal)} />}
      {isReady && <Sample {...target} answer={answer} isUndo={isUndo} />}
      <Faults texts={faults} />
      <div className={parts.actions}>
        <Button onClick={on.onClose}>{words.cancel}</Button>
        <Button look="main" disabled={!isReady || chosen === 0 || isRunning} onClick={() => void run()}>
          {submit(isReady ? chosen : 0)}
        </Button>
      </div>
    </>
  )
}
