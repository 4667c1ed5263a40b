import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../api/client.ts'
import type { Relationship, Write } from '../api/document.ts'
import { valueAt } from '../api/objects.ts'
import { fillPath } from '../api/resources.ts'
import { Editor } from '../fields/editor.tsx'
import { chosenIn, faultOf, idsIn, withIds } from '../fields/values.ts'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'

interface RelationshipWindowProps {
  readonly relationship: Relationship
  readonly itemPath: string
  onDone(): void
  onClose(): void
}

/** Shows what belongs to an object, and adds to it or takes from it. */
export function RelationshipWindow({ relationship, itemPath, onDone, onClose }: RelationshipWindowProps) {
  const { title, field } = relationship
  const path = fillPath(relationship.path, itemPath)
  const query = useQuery({
    queryKey: ['relationship', path],
    queryFn: async ({ signal }) => valueAt((await send({ path, signal })).body, 'data'),
    staleTime: 0,
    gcTime: 0,
  })
  const [text, setText] = useState<string>()
  const [faults, setFaults] = useState<readonly string[]>([])
  const before = idsIn([query.data].flat())
  const isMany = field.kind === 'references'
  const shown = text ?? (isMany ? JSON.stringify(query.data ?? []) : (before[0] ?? ''))
  const save = async () => {
    const fault = faultOf(field, shown)
    setFaults(fault ? [fault] : [])
    if (fault) return
    const after = chosenIn(field, shown).ids
    try {
      for (const { write, ids } of changesOf(relationship, before, after)) {
        const refs = withIds(field, [], ids)
        const data = isMany ? refs : refs[0]
        await send({ method: write.method, path, ...(data !== undefined && { body: { data } }) })
      }
      onDone()
      onClose()
    } catch (error) {
      setFaults(faultTexts(error))
      setText(undefined)
      await query.refetch()
    }
  }
  return (
    <Window title={title} isOpen isWide onClose={onClose}>
      {query.isPending ? (
        <p role="status">{words.loading}</p>
      ) : (
        <Editor
          field={{ ...field, path: title }}
          id={`relationship-${title}`}
          value={shown}
          fault={undefined}
          near={itemPath}
          ref={null}
          onChange={setText}
          onBlur={() => {}}
        />
      )}
      <Faults texts={query.error ? faultTexts(query.error) : faults} />
      <div className={parts.actions}>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button look="main" disabled={text === undefined} onClick={() => void save()}>
          {words.save}
        </Button>
      </div>
    </Window>
  )
}

interface Change {
  readonly write: Write
  readonly ids: readonly string[]
}

/** The writes that lead from some ids to others. What others add meanwhile stays. */
function changesOf(
  { field, add, replace, remove }: Relationship,
  before: readonly string[],
  after: readonly string[],
): readonly Change[] {
  const [added, gone] = [
    after.filter((id) => !before.includes(id)),
    before.filter((id) => !after.includes(id)),
  ]
  if (field.kind === 'reference') {
    const set = before.length ? (replace ?? add) : (add ?? replace)
    if (added.length) return set ? [{ write: set, ids: added }] : []
    return gone.length && remove ? [{ write: remove, ids: [] }] : []
  }
  return [
    ...(gone.length && remove ? [{ write: remove, ids: gone }] : []),
    ...(added.length && add ? [{ write: add, ids: added }] : []),
  ]
}
