import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { valueAt } from '../../api/objects.ts'
import type { Attempts } from '../../forms/use-attempt.ts'
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

const pauseMs = 400

/** Shows what a bulk change would do, and sends it once. */
export function Rehearsed({ attempts, target, body, isUndo = false, submit, ...on }: RehearsedProps) {
  const [isRunning, setRunning] = useState(false)
  const [faults, setFaults] = useState<readonly string[]>([])
  const settled = useSettled(body)
  const isSettled = JSON.stringify(settled) === JSON.stringify(body)
  const rehearsal = useQuery({
    queryKey: ['rehearsal', target.listPath, isUndo, settled],
    queryFn: async ({ signal }) => (await attempts.rehearse(settled, signal)).body,
    enabled: settled !== undefined,
    ...{ retry: false, staleTime: 0, gcTime: 0 },
  })
  const { chosen } = countsOf(valueAt(rehearsal.data, 'data'))
  const isReady = body !== undefined && isSettled && rehearsal.isSuccess && !rehearsal.isFetching
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
      <p role="status">{body !== undefined && !isReady && !rehearsal.error ? words.record.checking : ''}</p>
      {body !== undefined && isSettled && rehearsal.error && <Faults texts={faultTexts(rehearsal.error)} />}
      {isReady && <Sample {...target} answer={rehearsal.data} isUndo={isUndo} />}
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

/** A value that has stayed the same for a moment: the server is not asked for each key. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  const text = JSON.stringify(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal bodies are the same.
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
