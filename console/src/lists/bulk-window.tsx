import { useEffect, useRef, useState } from 'react'
import type { Resource } from '../api/document.ts'
import { fillPath } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { Faults } from '../parts/faults.tsx'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import { type BulkResult, bulkDelete, type RowError } from './bulk.ts'
import css from './lists.module.css'
import { freelyMax, sumOf, Taken } from './taken.tsx'

interface BulkWindowProps {
  readonly resource: Resource
  readonly listPath: string
  readonly ids: readonly string[]
  /** Called with the objects that are gone. */
  onDeleted(ids: readonly string[]): void
  onClose(): void
}

/** Deletes all selected objects, after a dry run of all of them. */
export function BulkWindow({ resource, listPath, ids, onDeleted, onClose }: BulkWindowProps) {
  const [chosen] = useState(ids)
  const [progress, setProgress] = useState(0)
  const [isDeleting, setDeleting] = useState(false)
  const [rehearsal, setRehearsal] = useState<BulkResult>()
  const [result, setResult] = useState<BulkResult>()
  const [typed, setTyped] = useState('')
  const end = useRef<AbortController>(undefined)
  const itemPathOf = (id: string) => fillPath(resource.item ?? '', `${listPath}/${encodeURIComponent(id)}`)
  const run = (some: readonly string[], isDryRun: boolean) => {
    const stopper = new AbortController()
    const { signal } = stopper
    end.current = stopper
    setProgress(0)
    return bulkDelete({ ids: some, itemPathOf, isDryRun, signal, onProgress: setProgress })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dry run is that of the window's first moment.
  useEffect(() => {
    void run(chosen, true).then((found) => !found.isStopped && setRehearsal(found))
    return () => end.current?.abort()
  }, [])
  const remove = async (some: readonly string[]) => {
    setDeleting(true)
    const gone = await run(some, false)
    setResult(gone)
    onDeleted(gone.done)
  }
  const { bulk } = words
  const takesAlong = rehearsal ? sumOf(rehearsal.counts) : 0
  const mustType = takesAlong > freelyMax
  const able = rehearsal?.done ?? []
  return (
    <Window title={bulk.title(chosen.length)} isOpen onClose={() => (isDeleting && !result) || onClose()}>
      {!rehearsal && <p role="status">{bulk.checking(progress, chosen.length)}</p>}
      {rehearsal && !isDeleting && (
        <>
          {able.length > 0 ? <Taken counts={rehearsal.counts} /> : <p>{bulk.nothing}</p>}
          <RowErrors title={bulk.wouldRefuse} errors={rehearsal.errors} />
          {mustType && (
            <label className={css.confirm}>
              {bulk.typeNumber(takesAlong)}
              <input
                className={parts.input}
                value={typed}
                inputMode="numeric"
                onChange={({ target }) => setTyped(target.value)}
              />
            </label>
          )}
        </>
      )}
      {isDeleting && !result && <p role="status">{bulk.deleting(progress, able.length)}</p>}
      {result && (
        <>
          <p role="status">{bulk.deleted(result.done.length)}</p>
          {result.isStopped && <p>{bulk.stopped}</p>}
          <RowErrors title={bulk.refused} errors={result.errors} />
        </>
      )}
      <div className={parts.actions}>
        {isDeleting && !result ? (
          <Button onClick={() => end.current?.abort()}>{words.export.stop}</Button>
        ) : (
          <Button onClick={onClose}>{result ? words.close : words.cancel}</Button>
        )}
        {!isDeleting && (
          <Button
            look="bad"
            disabled={able.length === 0 || (mustType && typed.trim() !== String(takesAlong))}
            onClick={() => void remove(able)}
          >
            {bulk.remove}
          </Button>
        )}
      </div>
    </Window>
  )
}

const errorsMax = 20

function RowErrors({
  title,
  errors,
}: {
  readonly title: (n: number) => string
  readonly errors: readonly RowError[]
}) {
  const more = errors.length - errorsMax
  const lines = errors.slice(0, errorsMax).map(({ id, text }) => `${id}: ${text}`)
  if (errors.length === 0) return null
  return (
    <Faults texts={[title(errors.length), ...lines, ...(more > 0 ? [words.bulk.moreErrors(more)] : [])]} />
  )
}
