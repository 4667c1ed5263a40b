import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { Write } from '../api/document.ts'
import { valueAt } from '../api/objects.ts'
import { ApiProblem } from '../api/problem.ts'
import { useWriter } from '../forms/use-writer.ts'
import { freelyMax, sumOf, Taken } from '../lists/taken.tsx'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import parts from '../parts/parts.module.css'
import { words } from '../words/words.ts'
import css from './records.module.css'

interface ConfirmProps {
  readonly write: Write
  readonly path: string
  readonly etag: string | undefined
  /** What the object is called: it is typed to confirm what takes much along. */
  readonly name: string
  /** What is written first; returns the version of the object after it. */
  before?(): Promise<string | undefined>
  readonly submit: { readonly text: string; readonly look: 'main' | 'bad' }
  onDone(answer: unknown): void
  onCancel(): void
}

/** Carries out what needs no values. Before, it shows what that would take along, or what is in its way. */
export function Confirm({ write, path, etag, name, before, submit, onDone, onCancel }: ConfirmProps) {
  const id = useId()
  const writer = useWriter(write, path)
  const [typed, setTyped] = useState('')
  const [faults, setFaults] = useState<readonly string[]>([])
  const [isRunning, setRunning] = useState(false)
  const rehearsal = useQuery({
    queryKey: ['rehearsal', write.method, path, etag],
    queryFn: ({ signal }) => writer.rehearse(undefined, etag, signal),
    enabled: write.dryRun,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  })
  const found = valueAt(rehearsal.data?.body, 'meta.would_delete')
  const counts = new Map(Object.entries(found ?? {}).map(([type, n]) => [type, Number(n)]))
  const mustType = sumOf(counts) > freelyMax
  const run = async () => {
    setRunning(true)
    setFaults([])
    try {
      const version = before ? await before() : etag
      onDone((await writer.write(undefined, version)).body)
    } catch (error) {
      setFaults(textsOf(error))
      setRunning(false)
    }
  }
  const isAble = !rehearsal.isLoading && !rehearsal.error && (!mustType || typed.trim() === name)
  return (
    <>
      {rehearsal.isLoading && <p role="status">{words.record.checking}</p>}
      {counts.size > 0 && <Taken counts={counts} />}
      {mustType && (
        <p className={css.confirm}>
          <label htmlFor={id}>{words.record.typeName(name)}</label>
          <input
            id={id}
            className={parts.input}
            value={typed}
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value)}
          />
        </p>
      )}
      <Faults texts={rehearsal.error ? textsOf(rehearsal.error) : faults} />
      <div className={parts.actions}>
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button look={submit.look} disabled={!isAble || isRunning} onClick={() => void run()}>
          {submit.text}
        </Button>
      </div>
    </>
  )
}

const textsOf = (error: unknown): readonly string[] =>
  error instanceof ApiProblem && error.status === 412 ? [words.record.changed] : faultTexts(error)
