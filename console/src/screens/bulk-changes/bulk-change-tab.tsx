import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { Action } from '../../api/document.ts'
import type { Item } from '../../api/objects.ts'
import { loadFields, placeAt } from '../../api/resources.ts'
import { useRights } from '../../api/rights.ts'
import { useWriter } from '../../forms/use-writer.ts'
import { Button } from '../../parts/button.tsx'
import { Faults, faultTexts } from '../../parts/faults.tsx'
import parts from '../../parts/parts.module.css'
import { usePace } from '../../records/follow-job.ts'
import type { TabProps } from '../../records/record-parts.ts'
import { itemQuery } from '../../records/record-screen.tsx'
import { screenWords, words } from '../../words/words.ts'
import css from './bulk-changes.module.css'
import { countsOf, isOpen } from './plan.ts'
import { Refusals } from './refusals.tsx'
import type { Target } from './sample.tsx'
import { UndoWindow } from './undo-window.tsx'
import { What } from './what.tsx'

const everyMs = 1000

/** The work of a bulk change: how far it is, what it changes, what was refused and why, and the way back. */
export function BulkChangeTab({ item: first, itemPath, fields }: TabProps) {
  const queries = useQueryClient()
  const { data } = useQuery({
    ...itemQuery(itemPath),
    refetchInterval: ({ state }) => (isOpen(state.data?.item ?? first) ? everyMs : false),
  })
  const bulkChange = data?.item ?? first
  const target = useTarget(String(bulkChange.list))
  const wasOpen = useRef(isOpen(first))
  const hasEnded = !isOpen(bulkChange)
  // What it has written is in lists that were read before.
  useEffect(() => {
    if (hasEnded && wasOpen.current) void queries.invalidateQueries({ queryKey: ['list'] })
    wasOpen.current = !hasEnded
  }, [hasEnded, queries])
  return (
    <>
      <Progress {...{ bulkChange }} />
      <Ways {...{ bulkChange, itemPath, target }} actions={fields.actions ?? []} />
      {target && <What {...{ bulkChange, target }} />}
      {target && countsOf(bulkChange).refused > 0 && <Refusals {...{ bulkChange, itemPath, target }} />}
    </>
  )
}

/** The list whose objects change; undefined until its fields are read. */
function useTarget(listPath: string): Target | undefined {
  const place = placeAt(listPath)
  const { data: fields } = useQuery({
    queryKey: ['fields', place?.resource.id, 'target'],
    queryFn: () => (place ? loadFields(place.resource) : { shown: [] }),
  })
  return place && fields && { resource: place.resource, listPath, fields }
}

function Progress({ bulkChange }: { readonly bulkChange: Item }) {
  const { page } = screenWords.bulkChanges
  const counts = countsOf(bulkChange)
  const done = counts.changed + counts.unchanged + counts.refused
  const pace = usePace(done, counts.chosen)
  const { status, waiting_for } = bulkChange
  return (
    <section className={css.work} aria-label={screenWords.bulkChanges.tab}>
      <p role="status">
        <strong>{page.states[String(status)]}</strong> {typeof waiting_for === 'string' && waiting_for}
      </p>
      <div className={parts.row}>
        <progress aria-label={words.job.progress} value={done} max={Math.max(counts.chosen, 1)} />
        <span>{words.job.parts(done, counts.chosen)}</span>
        {isOpen(bulkChange) && pace && <span>{words.job.pace(pace.perSecond, pace.secondsLeft)}</span>}
      </div>
      <dl className={css.counts}>
        {(['chosen', 'changed', 'unchanged', 'refused'] as const).map((name) => (
          <div key={name}>
            <dt>{page.counts[name]}</dt>
            <dd>{words.number(counts[name])}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

interface WaysProps {
  readonly bulkChange: Item
  readonly itemPath: string
  readonly target: Target | undefined
  readonly actions: readonly Action[]
}

/** What can be done with a bulk change, or why it cannot. */
function Ways({ bulkChange, itemPath, target, actions }: WaysProps) {
  const { page } = screenWords.bulkChanges
  const rights = useRights()
  const navigate = useNavigate()
  const [isUndoing, setUndoing] = useState(false)
  const actionAt = (end: string) => actions.find(({ write }) => write.path.endsWith(end))?.write
  const [cancel, undo] = [actionAt('/cancel'), actionAt('/undo')]
  if (!cancel || !undo || !target) return null
  const needed = [undo.right, target.resource.update?.right].flatMap((right) => right ?? [])
  const lacking = needed.find((right) => !rights.may(right))
  if (lacking)
    return rights.role ? <p className={css.dim}>{words.rights.missing(lacking, rights.role)}</p> : null
  const stop = isOpen(bulkChange) ? 'open' : countsOf(bulkChange).changed === 0 ? 'nothing' : undefined
  return (
    <>
      <div className={parts.row}>
        {isOpen(bulkChange) && <CancelButton {...{ itemPath }} write={cancel} />}
        {!stop && <Button onClick={() => setUndoing(true)}>{page.undo}</Button>}
        {stop && <span className={css.dim}>{page.whyNoUndo[stop]}</span>}
      </div>
      {isUndoing && (
        <UndoWindow
          {...{ target }}
          write={undo}
          path={`${itemPath}/undo`}
          onStarted={(id) => {
            setUndoing(false)
            void navigate({ to: '/$', params: { _splat: `v2/bulk-changes/${id}` } })
          }}
          onClose={() => setUndoing(false)}
        />
      )}
    </>
  )
}

function CancelButton({
  write,
  itemPath,
}: {
  readonly write: Parameters<typeof useWriter>[0]
  readonly itemPath: string
}) {
  const queries = useQueryClient()
  const writer = useWriter(write, `${itemPath}/cancel`)
  const [faults, setFaults] = useState<readonly string[]>([])
  const [isRunning, setRunning] = useState(false)
  const run = async () => {
    setRunning(true)
    try {
      await writer.write(undefined, undefined)
    } catch (error) {
      setFaults(faultTexts(error))
    }
    setRunning(false)
    await queries.invalidateQueries({ queryKey: ['item', itemPath] })
  }
  return (
    <>
      <Button look="bad" disabled={isRunning} onClick={() => void run()}>
        {screenWords.bulkChanges.page.cancel}
      </Button>
      <Faults texts={faults} />
    </>
  )
}
