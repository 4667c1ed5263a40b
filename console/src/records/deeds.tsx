import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Action, Relationship, ResourceFields, Write } from '../api/document.ts'
import type { Item } from '../api/objects.ts'
import { useRights } from '../api/rights.ts'
import { useActions } from '../parts/actions.ts'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { words } from '../words/words.ts'
import { ActionWindow } from './action-window.tsx'
import css from './records.module.css'
import { RelationshipWindow } from './relationship-window.tsx'

interface DeedsProps {
  readonly fields: ResourceFields
  readonly item: Item
  readonly itemPath: string
  readonly etag: string | undefined
  readonly name: string
  /** What stands elsewhere on the page. */
  isHidden(write: Write): boolean
}

/** What can be done with an object beside changing and deleting it, as far as the caller may. */
export function Deeds({ fields, item, itemPath, etag, name, isHidden }: DeedsProps) {
  const rights = useRights()
  const queries = useQueryClient()
  const [action, setAction] = useState<Action>()
  const [relationship, setRelationship] = useState<Relationship>()
  const actions = (fields.actions ?? []).filter(({ write }) => rights.may(write.right) && !isHidden(write))
  const relationships = (fields.relationships ?? []).filter(({ right }) => rights.may(right))
  useActions([
    ...actions.map((one) => ({ title: one.title, run: () => setAction(one) })),
    ...relationships.map((one) => ({ title: one.title, run: () => setRelationship(one) })),
  ])
  const refresh = () =>
    Promise.all(['item', 'list', 'relationship'].map((key) => queries.invalidateQueries({ queryKey: [key] })))
  return (
    <div className={css.deeds}>
      {relationships.length > 0 && (
        <section aria-labelledby="relationships">
          <h2 id="relationships">{words.record.relationships}</h2>
          <div className={parts.row}>
            {relationships.map((one) => (
              <Button key={one.path} onClick={() => setRelationship(one)}>
                {one.title}
              </Button>
            ))}
          </div>
        </section>
      )}
      {actions.length > 0 && (
        <section aria-labelledby="actions">
          <h2 id="actions">{words.record.actions}</h2>
          <div className={parts.row}>
            {actions.map((one) => (
              <Button
                key={`${one.write.method} ${one.write.path}`}
                {...(one.write.method === 'DELETE' && { look: 'bad' as const })}
                onClick={() => setAction(one)}
              >
                {one.title}
              </Button>
            ))}
          </div>
        </section>
      )}
      {action && (
        <ActionWindow
          {...{ action, item, etag, name }}
          at={itemPath}
          onDone={refresh}
          onClose={() => setAction(undefined)}
        />
      )}
      {relationship && (
        <RelationshipWindow
          {...{ relationship, itemPath }}
          onDone={refresh}
          onClose={() => setRelationship(undefined)}
        />
      )}
    </div>
  )
}
